//! Numbers, strings and names.

use base::{Diagnostic, codes};

use super::{Newlines, Parser};
use crate::lexer::TokenKind;
use crate::tree::{NodeId, NodeKind};

/// Too large by one, except after a minus.
const LEAST_INT: &str = "9223372036854775808";

impl Parser<'_> {
    pub(super) fn name(&mut self) -> NodeId {
        self.one_token(NodeKind::Name)
    }

    pub(super) fn one_token(&mut self, kind: NodeKind) -> NodeId {
        let start = self.at;
        self.bump();
        self.node(kind, start, &[])
    }

    /// A number without a sign.
    pub(super) fn number(&mut self) -> NodeId {
        let readable = self.number_is_readable();
        let kind = match self.peek() {
            TokenKind::Int if readable => NodeKind::Int,
            TokenKind::Real if readable => NodeKind::Real,
            _ => NodeKind::Error,
        };
        self.one_token(kind)
    }

    /// Reports E0110 for the number here, unless the lexer has.
    pub(super) fn number_is_readable(&mut self) -> bool {
        let digits = self.peek_text().replace('_', "");
        let help = match self.peek() {
            TokenKind::Int if digits.parse::<i64>().is_err() => {
                format!("ints go up to {}; `{digits}.0` is a real", i64::MAX)
            }
            TokenKind::Real if digits.parse().is_ok_and(f64::is_infinite) => "write `inf`".into(),
            TokenKind::BadNumber => return false,
            _ => return true,
        };
        let message = format!("`{}` is too large for a number", self.peek_text());
        self.report(Diagnostic::new(codes::BAD_NUMBER, self.span_at(self.at), message).help(help));
        false
    }

    /// `-9223372036854775808` is an int although its digits alone aren't.
    pub(super) fn at_least_int(&self) -> bool {
        let after = self.peek_at(self.at + 2);
        let operand_goes_on =
            matches!(after, TokenKind::Caret | TokenKind::Dot | TokenKind::LeftParen | TokenKind::LeftBracket);
        self.peek() == TokenKind::Minus
            && self.peek_at(self.at + 1) == TokenKind::Int
            && self.text_at(self.at + 1).replace('_', "") == LEAST_INT
            && !operand_goes_on
    }

    /// `"text {expr}"`
    pub(super) fn text_literal(&mut self) -> NodeId {
        let start = self.at;
        match self.inside(Newlines::Ignored, |parser| parser.text_parts()) {
            Some(parts) => self.node(NodeKind::Text, start, &parts),
            None => self.node(NodeKind::Error, start, &[]),
        }
    }

    fn text_parts(&mut self) -> Vec<NodeId> {
        let mut parts = vec![];
        while !self.at_end() {
            if self.peek() == TokenKind::InterpolationStart {
                parts.push(self.interpolation());
            } else {
                self.bump();
            }
        }
        parts
    }

    fn interpolation(&mut self) -> NodeId {
        let start = self.at;
        let expr = self.inside(Newlines::Ignored, |parser| {
            if parser.at_end() {
                parser.expected_with("an expression", |error| error.help("a brace itself is written `\\{`"));
                return parser.missing();
            }
            let expr = parser.expr();
            parser.eat(TokenKind::Format);
            expr
        });
        let expr = expr.unwrap_or_else(|| self.missing());
        self.node(NodeKind::Interpolation, start, &[expr])
    }

    /// A string that is no expression: a path, a name, a reason, a pattern.
    pub(super) fn plain_text(&mut self, what: &str) -> NodeId {
        let start = self.at;
        let text = self.text_literal();
        if !self.nodes.children(text).is_empty() {
            let message = format!("expected {what}, found a string with an expression in it");
            let error = Diagnostic::new(codes::UNEXPECTED_TOKEN, self.span_from(start), message);
            self.report(error.help("a brace itself is written `\\{`"));
        }
        text
    }
}
