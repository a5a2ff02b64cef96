//! Patterns.

use super::Formatter;
use super::doc::DocId;
use crate::tree::{NodeId, NodeKind};

impl Formatter<'_> {
    pub(super) fn pattern(&mut self, id: NodeId) -> DocId {
        stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, || self.one_pattern(id))
    }

    fn one_pattern(&mut self, id: NodeId) -> DocId {
        match self.kind(id) {
            NodeKind::ParenPattern | NodeKind::TuplePattern | NodeKind::RecordPattern | NodeKind::ArrayPattern => {
                self.pattern_list(self.first(id), self.children(id), self.last(id))
            }
            NodeKind::FieldPattern => self.field_pattern(id),
            NodeKind::Param => self.param(id),
            NodeKind::ConstructorPattern => self.constructor_pattern(id),
            NodeKind::IntPattern | NodeKind::RealPattern => self.number_pattern(id),
            NodeKind::TextPattern => self.tokens(self.first(id), self.last(id)),
            _ => self.token(self.first(id)),
        }
    }

    pub(super) fn pattern_list(&mut self, open: u32, patterns: &[NodeId], close: u32) -> DocId {
        let items: Vec<DocId> = patterns.iter().map(|&pattern| self.pattern(pattern)).collect();
        self.list(open, &items, close)
    }

    /// `x = e`
    fn param(&mut self, id: NodeId) -> DocId {
        let (pattern, default) = (self.children(id)[0], self.children(id)[1]);
        let parts = [self.pattern(pattern), self.space(), self.word(self.after(pattern)), self.expr(default)];
        self.docs.concat(&parts)
    }

    /// `-1`
    fn number_pattern(&mut self, id: NodeId) -> DocId {
        if self.first(id) == self.last(id) {
            return self.token(self.first(id));
        }
        let (sign, digits) = (self.token(self.first(id)), self.token(self.last(id)));
        self.docs.concat(&[sign, digits])
    }

    /// `x: p`, `x`
    fn field_pattern(&mut self, id: NodeId) -> DocId {
        let name = self.token(self.first(id));
        let Some(&inner) = self.children(id).first() else { return name };
        let colon = self.word(self.significant(self.first(id) + 1));
        let inner = self.pattern(inner);
        self.docs.concat(&[name, colon, inner])
    }

    /// `Cons(h, t)`, `module.Nil`
    fn constructor_pattern(&mut self, id: NodeId) -> DocId {
        let main = self.main(id);
        let mut parts = vec![];
        if self.first(id) != main {
            parts.push(self.token(self.first(id)));
            parts.push(self.token(self.significant(self.first(id) + 1)));
        }
        parts.push(self.token(main));
        if self.last(id) != main {
            let open = self.significant(main + 1);
            parts.push(self.pattern_list(open, self.children(id), self.last(id)));
        }
        self.docs.concat(&parts)
    }
}
