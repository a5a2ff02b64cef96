//! Characters that no token starts with, and what their writer probably meant.

use base::{Diagnostic, Span, codes};

use super::{Scanner, TokenKind};

/// What stands on keyboards and in papers, and what to write here.
const INSTEAD: &[(&str, &str)] = &[
    ("#", "comments start with `//`"),
    ("'", "strings stand between double quotes; a prime only ends a name: `x'`"),
    ("`", "strings stand between double quotes"),
    ("“", "strings stand between straight quotes: `\"`"),
    ("”", "strings stand between straight quotes: `\"`"),
    ("\\", "a function is written `x => e`"),
    ("&", "write `&&`"),
    ("~", "write `!` for not, `<~` to attach a derivative"),
    ("?", "write `if c { a } else { b }`"),
    ("−", "write `-`"),
    ("–", "write `-`"),
    ("×", "write `*`"),
    ("·", "write `*`"),
    ("÷", "write `/`"),
    ("≤", "write `<=`"),
    ("≥", "write `>=`"),
    ("≠", "write `!=`"),
    ("→", "a function is written `x => e`"),
    ("⇒", "write `=>`"),
    ("←", "write `<~` to attach a derivative"),
    ("⟵", "write `<~` to attach a derivative"),
    ("∞", "write `inf`"),
    ("√", "write `sqrt(x)`"),
    ("²", "write `x^2`"),
    ("³", "write `x^3`"),
    ("∇", "write `grad(f)`"),
    ("∂", "write `grad(f)`"),
    ("∑", "write `sum(e for k in 0..n)`"),
];

impl Scanner<'_> {
    /// Logos could read nothing. Neighbouring characters are one mistake.
    pub(super) fn unknown(&mut self) {
        let text = self.lexer.slice();
        let extends = self.tokens.last().is_some_and(|last| {
            last.kind == TokenKind::Unknown && self.errors.last().is_some_and(|error| error.span().end == last.end)
        });
        if extends {
            let end = self.lexer.span().end as u32;
            if let Some(error) = self.errors.last_mut() {
                error.labels[0].span.end = end;
            }
        } else {
            let shown = text.escape_debug();
            let error = Diagnostic::new(
                codes::UNKNOWN_CHARACTER,
                self.here(),
                format!("the character `{shown}` means nothing here"),
            );
            self.errors.push(instead(error, text));
        }
        self.push(TokenKind::Unknown);
    }

    /// `/* … */` from C: one error, and its text is skipped.
    pub(super) fn block_comment(&mut self) {
        let start = self.lexer.span();
        let error = Diagnostic::new(
            codes::UNKNOWN_CHARACTER,
            Span::new(self.file, start.start, start.end),
            "`/*` doesn't start a comment here",
        );
        self.errors.push(error.help("each line of a comment starts with `//`"));
        self.push(TokenKind::Unknown);
        if self.no_comment_end || !self.interpolations.is_empty() {
            return;
        }
        match self.lexer.remainder().find("*/") {
            Some(len) => self.take(TokenKind::Unknown, len + 2),
            None => self.no_comment_end = true,
        }
    }
}

fn instead(error: Diagnostic, text: &str) -> Diagnostic {
    match INSTEAD.iter().find(|(unknown, _)| *unknown == text) {
        Some((_, help)) => error.help(*help),
        None => error,
    }
}

/// What to write instead of `2x`, `0xff`, `1f`.
pub(super) fn number_help(error: Diagnostic, text: &str) -> Diagnostic {
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, letters) = text.split_at(digits);
    if number == "0" && ["x", "b", "o"].iter().any(|radix| letters.starts_with(radix)) {
        error.help("numbers are decimal")
    } else if letters.starts_with('_') {
        error.help("an underscore stands between two digits: `1_000`")
    } else if matches!(letters, "e" | "E") {
        error.help(format!("an exponent has digits: `{number}e-6`"))
    } else {
        error.help(format!("a product needs its operator: `{number} * {letters}`"))
    }
}
