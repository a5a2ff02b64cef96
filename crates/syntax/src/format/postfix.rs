//! Calls, indices, fields and positions: `f(x)[i].y.0`, in a loop, for chains may be long.

use super::Formatter;
use super::doc::DocId;
use crate::tree::{NodeId, NodeKind};

impl Formatter<'_> {
    pub(super) fn postfix(&mut self, id: NodeId) -> DocId {
        let mut links = vec![];
        let mut base = id;
        while is_postfix(self.kind(base)) {
            links.push(base);
            base = self.children(base)[0];
        }
        let mut parts = vec![self.expr(base)];
        for link in links.into_iter().rev() {
            let part = self.link_of(link);
            parts.push(part);
        }
        self.docs.concat(&parts)
    }

    /// What follows the base.
    fn link_of(&mut self, id: NodeId) -> DocId {
        let children = self.children(id);
        let open = self.after(children[0]);
        match self.kind(id) {
            NodeKind::Call => self.call_arguments(open, &children[1..], self.last(id)),
            NodeKind::Index => self.index_list(open, &children[1..], self.last(id)),
            // `1 .0` is a position, `1.0` a real.
            NodeKind::Position if self.kind(children[0]) == NodeKind::Int => {
                let parts = [self.space(), self.token(open), self.token(self.main(id))];
                self.docs.concat(&parts)
            }
            _ => {
                let parts = [self.token(open), self.token(self.main(id))];
                self.docs.concat(&parts)
            }
        }
    }

    fn call_arguments(&mut self, open: u32, arguments: &[NodeId], close: u32) -> DocId {
        if let &[generator] = arguments
            && self.kind(generator) == NodeKind::Generator
        {
            let inner = self.generator(generator);
            let breaks = self.breaks_between(open, close);
            return self.bracketed(open, &inner, close, breaks);
        }
        self.arguments(open, arguments, close)
    }

    /// `[i, ..]`
    pub(super) fn index_list(&mut self, open: u32, indices: &[NodeId], close: u32) -> DocId {
        let items: Vec<DocId> = indices.iter().map(|&index| self.index(index)).collect();
        let inner = self.separated(&items);
        let breaks = self.breaks_between(open, close);
        self.bracketed(open, &inner, close, breaks)
    }

    /// `i`, `i..`, `..j`, `..`
    fn index(&mut self, id: NodeId) -> DocId {
        if self.kind(id) != NodeKind::Slice {
            return self.expr(id);
        }
        let main = self.main(id);
        match self.children(id).first() {
            None => self.token(main),
            Some(&bound) if self.first(bound) > main => {
                let parts = [self.token(main), self.expr(bound)];
                self.docs.concat(&parts)
            }
            Some(&bound) => {
                let parts = [self.expr(bound), self.token(main)];
                self.docs.concat(&parts)
            }
        }
    }
}

fn is_postfix(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::Call | NodeKind::Index | NodeKind::Field | NodeKind::Position)
}
