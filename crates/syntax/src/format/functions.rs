//! Functions and their rule clauses, each clause on a line of its own.

use super::Formatter;
use super::doc::{Break, Doc, DocId};
use crate::lexer::TokenKind;
use crate::tree::{NodeId, NodeKind};

impl Formatter<'_> {
    pub(super) fn fn_statement(&mut self, id: NodeId) -> DocId {
        let children = self.children(id);
        let (params, body) = (children[0], children[1]);
        let mut parts = vec![self.word(self.first(id)), self.token(self.main(id))];
        parts.push(self.params(params));
        parts.push(self.space());
        let sign = self.after(params);
        if self.tree.token_kind(sign) == TokenKind::Equals {
            parts.push(self.token(sign));
            parts.push(self.after_sign(body));
        } else {
            parts.push(self.expr(body));
        }
        parts.extend(self.rules(&children[2..]));
        self.docs.concat(&parts)
    }

    fn params(&mut self, id: NodeId) -> DocId {
        if self.tree.token_kind(self.first(id)) == TokenKind::LeftParen {
            return self.pattern_list(self.first(id), self.children(id), self.last(id));
        }
        self.pattern(self.children(id)[0])
    }

    /// What stands after `=` or `=>`: on the line if it brings brackets to break, otherwise below if it is too long or a
    /// comment stands between.
    pub(super) fn after_sign(&mut self, node: NodeId) -> DocId {
        let doc = if self.stays_on_line(node) { self.expr(node) } else { self.indented(node) };
        self.place_after_sign(node, doc)
    }

    pub(super) fn place_after_sign(&mut self, node: NodeId, doc: DocId) -> DocId {
        let commented = self.comment_before(self.first(node));
        if self.stays_on_line(node) && !commented {
            let space = self.space();
            return self.docs.concat(&[space, doc]);
        }
        let line = self.line();
        let nested = self.docs.nest(&[line, doc]);
        self.docs.group(&[nested], if commented { Break::Always } else { Break::IfTooLong })
    }

    fn stays_on_line(&self, node: NodeId) -> bool {
        match self.kind(node) {
            NodeKind::Binary => self.hugs_last_operand(node),
            NodeKind::If => false,
            NodeKind::Unary => self.stays_on_line(self.children(node)[0]),
            _ => true,
        }
    }

    /// Where a function's rules can't be mistaken for another function's: in a `let`, in parentheses, as a statement.
    pub(super) fn bare(&mut self, id: NodeId) -> DocId {
        if self.kind(id) != NodeKind::Lambda {
            return self.expr(id);
        }
        let mut parts = vec![self.head_and_body(id)];
        parts.extend(self.rules(&self.children(id)[2..]));
        self.docs.concat(&parts)
    }

    /// A function inside another expression: with parentheses if it has rules.
    pub(super) fn lambda(&mut self, id: NodeId) -> DocId {
        let rules = &self.children(id)[2..];
        if rules.is_empty() {
            return self.head_and_body(id);
        }
        let first = self.first(id);
        let mut parts = self.take_comments_above(first);
        parts.push(self.docs.add(Doc::Static("(")));
        parts.push(self.head_and_body(id));
        parts.push(self.glue(")"));
        parts.extend(self.rules(rules));
        self.docs.concat(&parts)
    }

    /// `(x => e)` with its rules
    pub(super) fn ruled(&mut self, id: NodeId) -> DocId {
        let (&function, rules) = self.children(id).split_first().expect("a function before its rules");
        let mut parts = vec![self.expr(function)];
        parts.extend(self.rules(rules));
        self.docs.concat(&parts)
    }

    /// `x => e`
    fn head_and_body(&mut self, id: NodeId) -> DocId {
        let (params, body) = (self.children(id)[0], self.children(id)[1]);
        let mut parts = vec![];
        if self.first(id) != self.first(params) {
            parts.push(self.lambda_sign(self.first(id), self.first(params)));
        }
        parts.push(self.params(params));
        parts.push(self.space());
        parts.push(self.token(self.after(params)));
        parts.push(self.after_sign(body));
        self.docs.concat(&parts)
    }

    /// `λx`, but `λ _x`: together those would be one name.
    fn lambda_sign(&mut self, sign: u32, next: u32) -> DocId {
        let joins = self.tree.text_at(next).starts_with(|c: char| c.is_alphabetic() || c == '(');
        if joins { self.token(sign) } else { self.word(sign) }
    }

    /// Each on its line, indented.
    fn rules(&mut self, rules: &[NodeId]) -> Vec<DocId> {
        rules.iter().map(|&rule| self.rule(rule)).collect()
    }

    fn rule(&mut self, id: NodeId) -> DocId {
        let children = self.children(id);
        let (params, body) = (children[0], children[1]);
        let mut parts = vec![self.hard_line(), self.word(self.first(id)), self.params(params), self.space()];
        parts.push(self.token(self.after(params)));
        parts.push(self.after_sign(body));
        if let Some(&reason) = children.get(2) {
            parts.push(self.space());
            parts.push(self.word(self.after(body)));
            parts.push(self.tokens(self.first(reason), self.last(reason)));
        }
        self.docs.nest(&parts)
    }
}
