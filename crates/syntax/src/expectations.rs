//! The comments `//=> value` and `//! text` after an expression statement.

use base::Span;

use crate::ast::{Expectation, ExpectationKind};
use crate::lexer::TokenKind;
use crate::tree::{NodeId, Tree};

impl Tree {
    /// The expectation behind an expression statement on its line, or alone on the lines directly after it; consecutive lines of
    /// one kind join with a space.
    pub fn expectation(&self, statement: NodeId) -> Option<Expectation> {
        if !self.kind(statement).is_expr() {
            return None;
        }
        let comments = self.comments_after(self.node(statement).end);
        let (&first, rest) = comments.split_first()?;
        let marker = marker(self.text_at(first));
        let same = rest.iter().take_while(|&&comment| self.text_at(comment).starts_with(marker));
        let mut text = self.expectation_text(first).to_string();
        let mut span = self.token_span(first);
        for &comment in same {
            text = format!("{text} {}", self.expectation_text(comment));
            span = span.to(self.token_span(comment));
        }
        let kind = if marker == "//!" { ExpectationKind::Fails(text) } else { ExpectationKind::Equals(text) };
        Some(Expectation { kind, span })
    }

    /// Expectations that no expression statement at top level claims: they would never be checked.
    pub fn unclaimed_expectations(&self) -> Vec<Span> {
        let mut claimed = vec![false; self.tokens.len()];
        for statement in self.statements().into_iter().filter(|statement| self.kind(*statement).is_expr()) {
            for comment in self.comments_after(self.node(statement).end) {
                claimed[comment as usize] = true;
            }
        }
        let tokens = self.tokens.iter().enumerate();
        let unclaimed = tokens.filter(|(at, token)| token.kind == TokenKind::Expectation && !claimed[*at]);
        unclaimed.map(|(at, _)| self.token_span(at as u32)).collect()
    }

    /// The expectation comments that start on the line of the token before `end`, or directly after it.
    fn comments_after(&self, end: u32) -> Vec<u32> {
        let mut comments = vec![];
        let mut at = end;
        // A line without an expectation ends the search, except for the rest of the statement's own line.
        let mut lines_without = 0;
        loop {
            match self.token_kind(at) {
                TokenKind::Expectation => {
                    comments.push(at);
                    lines_without = 0;
                }
                TokenKind::Newline if lines_without == 0 => lines_without = 1,
                TokenKind::Whitespace => {}
                TokenKind::Semicolon | TokenKind::Comment if comments.is_empty() && lines_without == 0 => {}
                _ => return comments,
            }
            at += 1;
        }
    }

    fn expectation_text(&self, comment: u32) -> &str {
        let text = self.text_at(comment);
        text[marker(text).len()..].trim()
    }
}

fn marker(text: &str) -> &'static str {
    if text.starts_with("//!") { "//!" } else { "//=>" }
}
