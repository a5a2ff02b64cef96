//! The parser's errors: "expected …, found …", unclosed brackets, nesting.

use base::{Diagnostic, Span, codes};

use super::{Closed, Errors, Newlines, Parser};
use crate::lexer::TokenKind;

/// Enough for any reader; more would be noise and memory.
const MAX_ERRORS: usize = 100;

#[derive(Default)]
pub(super) struct Reports {
    errors: Vec<Diagnostic>,
    /// Where the last unclosed bracket ends: those around it that end there too aren't worth a word.
    unclosed: Option<u32>,
    /// The significant token where something was expected last.
    expected_at: Option<usize>,
}

impl Reports {
    /// These errors and those of earlier stages, in the order of the text.
    pub fn finish(self, mut errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
        errors.extend(self.errors);
        errors.sort_by_key(|error| error.span().start);
        errors.truncate(MAX_ERRORS);
        errors
    }

    fn add(&mut self, error: Diagnostic) {
        let again = self.errors.last().is_some_and(|last| last.span().start == error.span().start);
        if !again && self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
    }
}

impl Parser<'_> {
    pub(super) fn report(&mut self, error: Diagnostic) {
        if self.context.errors == Errors::Reported {
            self.reports.add(error);
        }
    }

    /// E0105 at the next token.
    pub(super) fn expected(&mut self, what: &str) {
        self.expected_with(what, |error| error);
    }

    pub(super) fn expected_with(&mut self, what: &str, add: impl FnOnce(Diagnostic) -> Diagnostic) {
        // A bracket that is never closed is its own, better error.
        if self.at_end() && self.context.closed == Closed::Missing {
            return;
        }
        // Something was expected one token ago: this follows from it.
        let before = self.reports.expected_at.replace(self.at);
        if before.is_some_and(|before| before + 1 == self.at) {
            return;
        }
        let (span, found) = self.found();
        let error = Diagnostic::new(codes::UNEXPECTED_TOKEN, span, format!("expected {what}, found {found}"));
        let error = add(error);
        let error = if error.help.is_empty() { self.habit_help(error, what) } else { error };
        self.report(error);
    }

    /// What stands here instead, and where to point: behind the last token if nothing stands here.
    fn found(&self) -> (Span, String) {
        let next = &self.significant[self.at];
        let line_ended = next.newline && self.context.newlines == Newlines::EndStatement && self.at > 0;
        match next.kind {
            TokenKind::End => (self.behind(), "the end of the text".into()),
            _ if line_ended && !self.at_end() => (self.behind(), "the end of the line".into()),
            kind => (self.span_at(self.at), describe(kind, self.any_text_at(self.at))),
        }
    }

    pub(super) fn span_at(&self, at: usize) -> Span {
        match self.tokens.get(self.significant[at].token as usize) {
            Some(token) => Span { file: self.file, start: token.start, end: token.end },
            None => Span::new(self.file, self.text.len(), self.text.len()),
        }
    }

    /// The empty place behind the token before this one.
    fn behind(&self) -> Span {
        let end = if self.at == 0 { 0 } else { self.span_at(self.at - 1).end as usize };
        Span::new(self.file, end, end)
    }

    /// From one significant token up to the next one.
    pub(super) fn span_from(&self, start: usize) -> Span {
        if self.at > start { self.span_at(start).to(self.span_at(self.at - 1)) } else { self.span_at(start) }
    }

    /// Also beyond the innermost bracket.
    pub(super) fn any_text_at(&self, at: usize) -> &str {
        let span = self.span_at(at);
        &self.text[span.start as usize..span.end as usize]
    }

    /// E0103: the bracket at `open` isn't closed; we are where it should have been.
    pub(super) fn unclosed(&mut self, open: usize) {
        let end = self.significant[open].end;
        if self.reports.unclosed.replace(end) == Some(end) {
            return;
        }
        let (opener, closer) = (self.any_text_at(open), self.closer_text(open));
        let message = format!("this `{opener}` is never closed");
        let error = Diagnostic::new(codes::UNCLOSED_BRACKET, self.span_at(open), message)
            .here("opened here")
            .label(self.behind(), format!("expected `{closer}` here"));
        self.report(error);
    }

    pub(super) fn closer_text(&self, open: usize) -> &'static str {
        match self.significant[open].kind {
            TokenKind::LeftParen => ")",
            TokenKind::LeftBracket => "]",
            TokenKind::StringStart => "\"",
            _ => "}",
        }
    }

    /// E0106
    pub(super) fn too_deep(&mut self) {
        let error = Diagnostic::new(codes::NESTED_TOO_DEEPLY, self.span_at(self.at), "this is nested too deeply");
        let note =
            format!("the limits are {} brackets and {} functions or operators", super::MAX_BRACKETS, super::MAX_DEPTH);
        self.report(error.note(note).help("name the parts with `let`"));
    }
}

/// A token in words.
fn describe(kind: TokenKind, text: &str) -> String {
    match kind {
        TokenKind::Name | TokenKind::Lambda => format!("the name `{text}`"),
        TokenKind::Int | TokenKind::Real | TokenKind::BadNumber => format!("the number `{text}`"),
        TokenKind::StringStart => "a string".into(),
        TokenKind::StringEnd | TokenKind::StringChunk => "the rest of the string".into(),
        TokenKind::Format => "a format".into(),
        _ => format!("`{text}`"),
    }
}
