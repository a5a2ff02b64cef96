//! Arrays, comprehensions, indices and slices.

use super::{Newlines, Parser, expressions::ADDITION, lists::Elements};
use crate::lexer::TokenKind;
use crate::tree::{NodeId, NodeKind};

impl Parser<'_> {
    /// `[a, b]`, `[e for x in xs]`
    pub(super) fn array(&mut self) -> NodeId {
        let start = self.at;
        match self.inside(Newlines::Ignored, |parser| parser.elements("]")) {
            None => self.node(NodeKind::Error, start, &[]),
            Some(Elements::Items(items)) => self.node(NodeKind::Array, start, &items),
            Some(Elements::Generator(parts)) => self.node(NodeKind::Comprehension, start, &parts),
        }
    }

    /// After the body, at `for`: `for p in xs, q in ys if c`. Gives body, Clause*, Filter?.
    pub(super) fn generator(&mut self, body: NodeId, closer: &str) -> Vec<NodeId> {
        self.bump();
        let mut parts = vec![body, self.clause()];
        while self.eat(TokenKind::Comma) && !self.at_end() {
            parts.push(self.clause());
        }
        if self.peek() == TokenKind::If {
            let start = self.at;
            self.bump();
            let condition = self.expr();
            parts.push(self.node(NodeKind::Filter, start, &[condition]));
        }
        match self.peek() {
            TokenKind::For => self.expected_with(&format!("`{closer}`"), |error| {
                error.help("write `[e for i in 0..n, j in 0..m]`; the result has rank 2")
            }),
            TokenKind::If => {
                self.expected_with(&format!("`{closer}`"), |error| error.help("join the conditions with `&&`"));
            }
            _ => return parts,
        }
        self.at = self.context.end;
        parts
    }

    /// `p in xs`
    fn clause(&mut self) -> NodeId {
        let start = self.at;
        let pattern = self.pattern();
        if !self.eat(TokenKind::In) {
            self.expected("`in`");
        }
        let source = self.expr();
        self.node(NodeKind::Clause, start, &[pattern, source])
    }

    /// `a[i, j]`, `a[i..j, ..]`, at the bracket.
    pub(super) fn index(&mut self, start: usize, base: NodeId) -> NodeId {
        let mut children = vec![base];
        match self.inside(Newlines::Ignored, |parser| parser.index_arguments()) {
            None => return self.node(NodeKind::Error, start, &children),
            Some(indices) => children.extend(indices),
        }
        self.node(NodeKind::Index, start, &children)
    }

    pub(super) fn index_arguments(&mut self) -> Vec<NodeId> {
        if self.at_end() {
            self.expected("an index");
        }
        self.list("]", |parser| parser.index_argument())
    }

    /// `i`, `i..j`, or with missing bounds `..j`, `i..`, `..`
    fn index_argument(&mut self) -> NodeId {
        let start = self.at;
        if self.peek() != TokenKind::DotDot {
            let index = self.expr();
            if self.peek() != TokenKind::DotDot {
                return index;
            }
            let dots = self.token();
            self.bump();
            return self.node_with(NodeKind::Slice, start, dots, &[index]);
        }
        let dots = self.token();
        self.bump();
        if self.at_end() || self.peek() == TokenKind::Comma {
            return self.node_with(NodeKind::Slice, start, dots, &[]);
        }
        let end = self.binary(ADDITION);
        self.node_with(NodeKind::Slice, start, dots, &[end])
    }
}
