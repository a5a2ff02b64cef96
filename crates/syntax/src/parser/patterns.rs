//! Patterns: what stands in `let`, in parameters, in arms and after `for`.

use super::lookahead::{is_name, is_number};
use super::{Newlines, Parser};
use crate::lexer::TokenKind;
use crate::tree::{NodeId, NodeKind};

impl Parser<'_> {
    pub(super) fn pattern(&mut self) -> NodeId {
        self.growing(|parser| parser.one_pattern())
    }

    fn one_pattern(&mut self) -> NodeId {
        match self.peek() {
            TokenKind::Underscore => self.one_token(NodeKind::WildPattern),
            TokenKind::True | TokenKind::False => self.one_token(NodeKind::BoolPattern),
            TokenKind::Minus if is_number(self.peek_at(self.at + 1)) => self.number_pattern(),
            kind if is_number(kind) => self.number_pattern(),
            TokenKind::StringStart => self.text_pattern(),
            TokenKind::Name | TokenKind::Lambda => self.name_pattern(),
            TokenKind::LeftParen => self.paren_pattern(),
            TokenKind::LeftBrace => self.list_pattern(NodeKind::RecordPattern, "}", |parser| parser.field_pattern()),
            TokenKind::LeftBracket => self.list_pattern(NodeKind::ArrayPattern, "]", |parser| parser.pattern()),
            _ => {
                self.expected("a pattern");
                self.missing()
            }
        }
    }

    /// `1`, `-1`, `2.5`
    fn number_pattern(&mut self) -> NodeId {
        let start = self.at;
        let least = self.at_least_int();
        self.eat(TokenKind::Minus);
        let readable = least || self.number_is_readable();
        let kind = match self.peek() {
            TokenKind::Int if readable => NodeKind::IntPattern,
            TokenKind::Real if readable => NodeKind::RealPattern,
            _ => NodeKind::Error,
        };
        self.bump();
        self.node(kind, start, &[])
    }

    fn text_pattern(&mut self) -> NodeId {
        let start = self.at;
        self.plain_text("a pattern");
        self.node(NodeKind::TextPattern, start, &[])
    }

    /// `x`, `Cons(h, t)`, `module.Nil`
    fn name_pattern(&mut self) -> NodeId {
        let start = self.at;
        let mut name = self.token();
        self.bump();
        let qualified = self.peek() == TokenKind::Dot && is_name(self.peek_at(self.at + 1));
        if qualified {
            self.bump();
            name = self.token();
            self.bump();
        }
        if self.opens_arguments(self.at) {
            let args = self.inside(Newlines::Ignored, |parser| parser.list(")", |parser| parser.pattern()));
            return self.node_with(NodeKind::ConstructorPattern, start, name, &args.unwrap_or_default());
        }
        let kind = if qualified { NodeKind::ConstructorPattern } else { NodeKind::NamePattern };
        self.node_with(kind, start, name, &[])
    }

    /// `(p)` is p; `()` and `(p, q)` are tuples.
    fn paren_pattern(&mut self) -> NodeId {
        let start = self.at;
        let items = self.inside(Newlines::Ignored, |parser| parser.list(")", |parser| parser.pattern()));
        match items {
            Some(items) if items.len() == 1 => self.node(NodeKind::ParenPattern, start, &items),
            Some(items) => self.node(NodeKind::TuplePattern, start, &items),
            None => self.node(NodeKind::Error, start, &[]),
        }
    }

    fn list_pattern(&mut self, kind: NodeKind, closer: &str, item: impl Fn(&mut Self) -> NodeId) -> NodeId {
        let start = self.at;
        match self.inside(Newlines::Ignored, |parser| parser.list(closer, item)) {
            Some(items) => self.node(kind, start, &items),
            None => self.node(NodeKind::Error, start, &[]),
        }
    }

    /// `x: p`, or `x` alone
    fn field_pattern(&mut self) -> NodeId {
        let start = self.at;
        if !self.at_name() {
            self.expected("a field");
            self.skip_statement();
            return self.node(NodeKind::Error, start, &[]);
        }
        self.bump();
        let mut children = vec![];
        if self.eat(TokenKind::Colon) {
            children.push(self.pattern());
        }
        self.node(NodeKind::FieldPattern, start, &children)
    }
}
