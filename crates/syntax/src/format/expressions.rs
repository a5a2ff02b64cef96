//! Expressions: which layout is for which.

use super::Formatter;
use super::doc::{Break, DocId};
use crate::lexer::TokenKind;
use crate::tree::{NodeId, NodeKind};

impl Formatter<'_> {
    pub(super) fn expr(&mut self, id: NodeId) -> DocId {
        stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, || self.one_expr(id))
    }

    fn one_expr(&mut self, id: NodeId) -> DocId {
        match self.kind(id) {
            NodeKind::Paren => self.paren(id),
            NodeKind::Tuple => self.arguments(self.first(id), self.children(id), self.last(id)),
            NodeKind::Record => self.record(id),
            NodeKind::RecordField => self.record_field(id),
            NodeKind::With => self.update(id),
            NodeKind::UpdateIndex => self.update_index(id),
            NodeKind::Array => self.array(id),
            NodeKind::Comprehension => self.comprehension(id),
            NodeKind::Assert => self.assert(id),
            NodeKind::Call | NodeKind::Index | NodeKind::Field | NodeKind::Position => self.postfix(id),
            NodeKind::Lambda => self.lambda(id),
            NodeKind::Ruled => self.ruled(id),
            NodeKind::Unary => self.unary(id),
            NodeKind::Binary => self.binary(id),
            NodeKind::If => self.if_expr(id),
            NodeKind::Match => self.match_expr(id),
            NodeKind::Block => self.block(id),
            NodeKind::Text => self.tokens(self.first(id), self.last(id)),
            NodeKind::Int if self.first(id) != self.last(id) => self.unary_tokens(id),
            NodeKind::Int | NodeKind::Real | NodeKind::Bool | NodeKind::Name => self.token(self.first(id)),
            other => unreachable!("format: {other:?} is no expression"),
        }
    }

    /// Ends in brackets that may break.
    pub(super) fn is_bracketed(&self, id: NodeId) -> bool {
        matches!(self.kind(id), NodeKind::Call | NodeKind::Tuple | NodeKind::Paren) || self.opens_brackets(id)
    }

    /// Its brackets may be opened at the end of a line that holds something before it.
    pub(super) fn opens_brackets(&self, id: NodeId) -> bool {
        use NodeKind::*;
        match self.kind(id) {
            Block | Record | Array => !self.children(id).is_empty(),
            Match => self.children(id).len() > 1,
            With | Comprehension => true,
            Lambda => self.children(id).len() == 2 && self.opens_brackets(self.children(id)[1]),
            _ => false,
        }
    }

    fn paren(&mut self, id: NodeId) -> DocId {
        let (open, inner, close) = (self.first(id), self.children(id)[0], self.last(id));
        let comments = self.has_comment(open, self.first(inner)) || self.has_comment(self.last(inner), close);
        if comments || self.kind(inner) == NodeKind::Binary {
            let inner = self.indented(inner);
            let breaks = if comments { Break::Always } else { Break::IfTooLong };
            return self.bracketed(open, &[inner], close, breaks);
        }
        let parts = [self.token(open), self.bare(inner), self.token(close)];
        self.docs.concat(&parts)
    }

    fn record(&mut self, id: NodeId) -> DocId {
        let (open, close) = (self.first(id), self.last(id));
        let fields: Vec<DocId> = self.children(id).iter().map(|&field| self.expr(field)).collect();
        let breaks =
            if fields.is_empty() { self.breaks_between(open, close) } else { self.breaks_as_written(open, close) };
        self.list_with(open, &fields, close, breaks)
    }

    fn record_field(&mut self, id: NodeId) -> DocId {
        let name = self.token(self.first(id));
        let colon = self.token(self.significant(self.first(id) + 1));
        let value = self.children(id)[0];
        let value = self.after_sign(value);
        self.docs.concat(&[name, colon, value])
    }

    /// `{r with x: e}`; broken, the updates stand below each other.
    fn update(&mut self, id: NodeId) -> DocId {
        let (&base, updates) = self.children(id).split_first().expect("the base of an update");
        let (open, with, close) = (self.first(id), self.after(base), self.last(id));
        let head = [self.token(open), self.expr(base), self.space(), self.token(with)];
        let head = self.docs.concat(&head);
        let items: Vec<DocId> = updates.iter().map(|&update| self.expr(update)).collect();
        let mut inner = vec![self.line()];
        inner.extend(self.separated(&items));
        let comma = self.glue(",");
        inner.push(self.if_broken(comma));
        inner.extend(self.take_comments_above(close));
        let parts = [self.docs.nest(&inner), self.soft_line(), self.token(close)];
        let breaks = if self.newline_after(with) { Break::Always } else { self.breaks_between(open, close) };
        let updates = self.docs.group(&parts, breaks);
        self.docs.concat(&[head, updates])
    }

    /// `[i]: e`
    fn update_index(&mut self, id: NodeId) -> DocId {
        let (&value, indices) = self.children(id).split_last().expect("the value of an update");
        let list = self.index_list(self.first(id), indices, self.main(id));
        let colon = self.token(self.significant(self.main(id) + 1));
        let value = self.after_sign(value);
        self.docs.concat(&[list, colon, value])
    }

    fn array(&mut self, id: NodeId) -> DocId {
        let (open, close) = (self.first(id), self.last(id));
        let items: Vec<DocId> = self.children(id).iter().map(|&item| self.expr(item)).collect();
        if items.is_empty() {
            return self.list(open, &[], close);
        }
        let breaks = self.breaks_as_written(open, close);
        let numbers = !self.has_comment(open, close) && self.children(id).iter().all(|&item| self.is_number(item));
        if !numbers {
            return self.list_with(open, &items, close, breaks);
        }
        let comma = self.glue(",");
        let inner = [self.docs.fill(&items), self.if_broken(comma)];
        self.bracketed(open, &inner, close, breaks)
    }

    fn is_number(&self, id: NodeId) -> bool {
        match self.kind(id) {
            NodeKind::Int | NodeKind::Real => true,
            NodeKind::Unary => {
                self.is_number(self.children(id)[0]) && self.tree.token_kind(self.main(id)) == TokenKind::Minus
            }
            _ => false,
        }
    }

    fn comprehension(&mut self, id: NodeId) -> DocId {
        let inner = self.generator(id);
        let breaks = self.breaks_between(self.first(id), self.last(id));
        self.bracketed(self.first(id), &inner, self.last(id), breaks)
    }

    /// `e for p in xs if c`, without brackets
    pub(super) fn generator(&mut self, id: NodeId) -> Vec<DocId> {
        let (&body, rest) = self.children(id).split_first().expect("the body of a generator");
        let mut parts = vec![self.expr(body), self.line(), self.word(self.after(body))];
        for (at, &part) in rest.iter().enumerate() {
            if self.kind(part) == NodeKind::Filter {
                parts.push(self.line());
                parts.push(self.word(self.first(part)));
                parts.push(self.expr(self.children(part)[0]));
                continue;
            }
            if at > 0 {
                parts.push(self.glue(","));
                parts.push(self.space());
            }
            parts.push(self.clause(part));
        }
        parts
    }

    /// `p in xs`
    fn clause(&mut self, id: NodeId) -> DocId {
        let (pattern, source) = (self.children(id)[0], self.children(id)[1]);
        let parts = [self.pattern(pattern), self.space(), self.word(self.after(pattern)), self.expr(source)];
        self.docs.concat(&parts)
    }

    fn assert(&mut self, id: NodeId) -> DocId {
        let parts = [self.word(self.first(id)), self.expr(self.children(id)[1])];
        self.docs.concat(&parts)
    }

    fn unary(&mut self, id: NodeId) -> DocId {
        let parts = [self.token(self.first(id)), self.expr(self.children(id)[0])];
        self.docs.concat(&parts)
    }

    /// The least int: a sign and digits.
    fn unary_tokens(&mut self, id: NodeId) -> DocId {
        let parts = [self.token(self.first(id)), self.token(self.last(id))];
        self.docs.concat(&parts)
    }
}
