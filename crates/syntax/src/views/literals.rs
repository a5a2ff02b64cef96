//! The values of literals: numbers, truth values and strings.

use base::Span;

use crate::ast::{Format, TextPart};
use crate::lexer::{TokenKind, unescape};
use crate::tree::{NodeId, Tree};

impl Tree {
    /// An int with its sign, if there is one.
    pub(super) fn int(&self, id: NodeId) -> Option<i64> {
        self.signed_digits(id).parse().ok()
    }

    pub(super) fn real(&self, id: NodeId) -> Option<f64> {
        self.signed_digits(id).parse().ok()
    }

    fn signed_digits(&self, id: NodeId) -> String {
        let node = self.node(id);
        let digits = self.text_at(node.end - 1).replace('_', "");
        if self.token_kind(node.first) == TokenKind::Minus { format!("-{digits}") } else { digits }
    }

    pub(super) fn bool(&self, id: NodeId) -> bool {
        self.token_kind(self.node(id).first) == TokenKind::True
    }

    /// Chunks of text and expressions, in order. The children are the interpolations.
    pub(super) fn text_parts(&self, id: NodeId) -> Vec<TextPart> {
        let node = self.node(id);
        let mut parts = vec![];
        let mut at = node.first;
        for &interpolation in self.children(id) {
            let inner = self.node(interpolation);
            parts.extend(self.literal_part(at, inner.first));
            let format = (inner.first..inner.end).rev().find(|&at| self.token_kind(at) == TokenKind::Format);
            // A format of a string inside comes before the end of that string.
            let format = format.filter(|&at| self.node(self.children(interpolation)[0]).end <= at);
            parts.push(TextPart::Expr {
                value: self.children(interpolation)[0],
                format: format.map(|at| self.format(at)),
            });
            at = inner.end;
        }
        parts.extend(self.literal_part(at, node.end));
        parts
    }

    /// What stands behind the colon.
    fn format(&self, token: u32) -> Format {
        Format { text: self.text_at(token)[1..].to_string(), span: self.token_span(token) }
    }

    fn literal_part(&self, start: u32, end: u32) -> Option<TextPart> {
        let chunks = (start..end).filter(|&at| self.token_kind(at) == TokenKind::StringChunk);
        let text: String = chunks.map(|at| unescape(self.text_at(at))).collect();
        (!text.is_empty()).then_some(TextPart::Literal(text))
    }

    /// The value of a string without expressions.
    pub(super) fn plain_text(&self, id: NodeId) -> String {
        let node = self.node(id);
        match self.literal_part(node.first, node.end) {
            Some(TextPart::Literal(text)) => text,
            _ => String::new(),
        }
    }

    /// The string that starts at a token, for nodes that hold no more than the token.
    pub(super) fn text_from(&self, start: u32) -> (String, Span) {
        let mut end = start;
        let mut text = String::new();
        while !matches!(self.token_kind(end), TokenKind::StringEnd | TokenKind::End) {
            if self.token_kind(end) == TokenKind::StringChunk {
                text.push_str(&unescape(self.text_at(end)));
            }
            end += 1;
        }
        let end = end.min(self.tokens.len() as u32 - 1);
        (text, self.token_span(start).to(self.token_span(end)))
    }
}
