//! What stands between commas: arguments, elements, fields, patterns; generators in place of elements.

use base::{Diagnostic, codes};

use super::{Closed, Newlines, Parser};
use crate::lexer::TokenKind;
use crate::tree::{NodeId, NodeKind};

/// The inside of `(…)` or `[…]`.
pub(super) enum Elements {
    Items(Vec<NodeId>),
    /// `e for p in xs if c`: body, Clause*, Filter?
    Generator(Vec<NodeId>),
}

impl Parser<'_> {
    /// Items up to the end of the bracket that `closer` closes; a last comma is allowed.
    pub(super) fn list(&mut self, closer: &str, item: impl Fn(&mut Self) -> NodeId) -> Vec<NodeId> {
        let mut items = vec![];
        while !self.at_end() {
            let start = self.at;
            items.push(item(self));
            if !self.separator(closer) {
                break;
            }
            if self.at == start {
                self.skip();
            }
        }
        items
    }

    /// After an item: whether another may follow.
    fn separator(&mut self, closer: &str) -> bool {
        if self.at_end() || self.eat(TokenKind::Comma) {
            return !self.at_end();
        }
        // If the bracket isn't closed, it should have been here.
        if self.context.closed == Closed::Missing {
            return false;
        }
        self.expected(&format!("`,` or `{closer}`"));
        while !self.at_end() && self.peek() != TokenKind::Comma {
            self.skip();
        }
        self.eat(TokenKind::Comma)
    }

    /// Expressions, or one generator.
    pub(super) fn elements(&mut self, closer: &str) -> Elements {
        if self.at_end() {
            return Elements::Items(vec![]);
        }
        let first = self.expr();
        if self.peek() == TokenKind::For {
            return Elements::Generator(self.generator(first, closer));
        }
        let mut items = vec![first];
        if self.separator(closer) {
            items.extend(self.list(closer, |parser| parser.element()));
        }
        Elements::Items(items)
    }

    /// One of several: not a generator.
    fn element(&mut self) -> NodeId {
        let start = self.at;
        let element = self.expr();
        if self.peek() != TokenKind::For {
            return element;
        }
        self.expected_with("`,`", |error| error.help("a generator stands alone; write `[e for x in xs]`"));
        let parts = self.generator(element, ",");
        self.node(NodeKind::Generator, start, &parts)
    }

    /// `(e)`, `()`, `(a, b)`; then rules, if it is a function.
    pub(super) fn parens(&mut self) -> NodeId {
        let start = self.at;
        match self.inside(Newlines::Ignored, |parser| parser.paren_elements()) {
            None => self.node(NodeKind::Error, start, &[]),
            Some(Elements::Items(items)) if items.len() == 1 => {
                let paren = self.node(NodeKind::Paren, start, &items);
                self.ruled(start, paren)
            }
            Some(Elements::Items(items)) => self.node(NodeKind::Tuple, start, &items),
            Some(Elements::Generator(parts)) => {
                self.generator_in_parens(start);
                let generator = self.node(NodeKind::Generator, start, &parts);
                self.node(NodeKind::Error, start, &[generator])
            }
        }
    }

    fn paren_elements(&mut self) -> Elements {
        let elements = self.elements(")");
        let comma = self.at.checked_sub(1).is_some_and(|at| self.significant[at].kind == TokenKind::Comma);
        if let Elements::Items(items) = &elements
            && items.len() == 1
            && comma
        {
            let error = Diagnostic::new(
                codes::UNEXPECTED_TOKEN,
                self.span_at(self.at - 1),
                "expected `)`, found `,`: there is no tuple of one element",
            );
            self.report(error.help("write `(e)`"));
        }
        elements
    }

    fn generator_in_parens(&mut self, start: usize) {
        let error = Diagnostic::new(
            codes::UNEXPECTED_TOKEN,
            self.span_at(start),
            "expected an expression, found a generator in parentheses",
        );
        self.report(error.help("write `[e for x in xs]`, or the generator as the only argument of a call"));
    }

    /// `f(a, b)`, `sum(e for k in 0..n)`, at the parenthesis.
    pub(super) fn call(&mut self, start: usize, callee: NodeId) -> NodeId {
        let mut children = vec![callee];
        match self.inside(Newlines::Ignored, |parser| parser.argument_elements()) {
            None => return self.node(NodeKind::Error, start, &children),
            Some(arguments) => children.extend(arguments),
        }
        self.node(NodeKind::Call, start, &children)
    }

    fn argument_elements(&mut self) -> Vec<NodeId> {
        let start = self.at;
        match self.elements(")") {
            Elements::Items(items) => items,
            Elements::Generator(parts) => vec![self.node(NodeKind::Generator, start, &parts)],
        }
    }
}
