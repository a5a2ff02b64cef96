//! Which bracket closes which, before parsing. In: all tokens. Out: the significant ones, each opening bracket with
//! the place where it ends; and errors for closing brackets without an opening one (these are left out).
//!
//! Every opening bracket ends somewhere: at its closing bracket or, if that is missing, at the place where it should
//! have been. So the parser can skip any bracket in one step, and a mistake inside one never spreads outside.

use base::{Diagnostic, FileId, Span, codes};

use crate::lexer::{Token, TokenKind};

/// A token that the grammar sees.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Significant {
    pub kind: TokenKind,
    /// A line break stands between this token and the one before.
    pub newline: bool,
    /// For a brace: `with` stands directly in it, after an expression.
    pub has_with: bool,
    /// For an opening bracket: its closing bracket is really there.
    pub closed: bool,
    /// Its index among all tokens.
    pub token: u32,
    /// For an opening bracket: the significant token that ends it.
    pub end: u32,
}

/// The last significant token is `End`.
pub(crate) fn match_brackets(file: FileId, text: &str, tokens: &[Token]) -> (Vec<Significant>, Vec<Diagnostic>) {
    let mut matcher = Matcher {
        file,
        text,
        out: Vec::with_capacity(tokens.len() / 2),
        errors: vec![],
        open: vec![],
        innermost: Innermost::default(),
        indent: 0,
        line: 0,
        only_closers: true,
    };
    matcher.run(tokens);
    (matcher.out, matcher.errors)
}

struct Matcher<'a> {
    file: FileId,
    text: &'a str,
    out: Vec<Significant>,
    errors: Vec<Diagnostic>,
    open: Vec<Open>,
    innermost: Innermost,
    /// The column where the current line starts.
    indent: u32,
    /// Lines that hold significant tokens, so far.
    line: u32,
    /// The current line holds closing brackets only, so far.
    only_closers: bool,
}

/// The innermost open bracket of each kind since the innermost interpolation: its index in the stack.
#[derive(Clone, Copy, Default)]
struct Innermost {
    parens: Option<u32>,
    brackets: Option<u32>,
    braces: Option<u32>,
}

impl Innermost {
    fn of(&mut self, closer: TokenKind) -> Option<&mut Option<u32>> {
        match closer {
            TokenKind::RightParen => Some(&mut self.parens),
            TokenKind::RightBracket => Some(&mut self.brackets),
            TokenKind::RightBrace => Some(&mut self.braces),
            _ => None,
        }
    }
}

struct Open {
    at: u32,
    closer: TokenKind,
    indent: u32,
    line: u32,
    /// The first definition on a line of its own that is indented no more than the bracket's line: if the bracket
    /// is never closed, it should have been before this.
    likely_end: Option<u32>,
    /// `with` can still make this brace an update.
    may_update: bool,
    /// The innermost brackets outside.
    outside: Innermost,
}

impl Matcher<'_> {
    fn run(&mut self, tokens: &[Token]) {
        let mut newline = true;
        let mut line_start = 0;
        for (index, token) in tokens.iter().enumerate() {
            if token.kind.is_trivia() {
                if let Some(end) = self.line_end(token) {
                    newline = true;
                    line_start = end;
                }
                continue;
            }
            if newline {
                self.indent = token.start - line_start;
                self.line += 1;
                self.only_closers = true;
            }
            let kept = self.token(index as u32, token, newline);
            newline &= !kept;
            self.only_closers &= is_closer(token.kind);
        }
        self.push(tokens.len() as u32, TokenKind::End, newline);
        let end = self.out.len() as u32 - 1;
        while !self.open.is_empty() {
            self.end_innermost(end);
        }
    }

    /// Where the last line in a piece of trivia ends. Skipped block comments may hold several.
    fn line_end(&self, token: &Token) -> Option<u32> {
        match token.kind {
            TokenKind::Newline => Some(token.end),
            TokenKind::Unknown => {
                let text = &self.text[token.start as usize..token.end as usize];
                text.rfind('\n').map(|at| token.start + at as u32 + 1)
            }
            _ => None,
        }
    }

    /// Whether the token was kept.
    fn token(&mut self, index: u32, token: &Token, newline: bool) -> bool {
        match token.kind {
            TokenKind::Fn | TokenKind::Let => self.definition(newline),
            TokenKind::Name if newline && self.starts_item(token) => self.note_likely_end(),
            TokenKind::Semicolon | TokenKind::Arrow | TokenKind::Match => self.forbid_update(),
            TokenKind::With => self.update(),
            _ => {}
        }
        if let Some(closer) = token.kind.closer() {
            self.open(index, token.kind, closer, newline);
        } else if is_closer(token.kind) {
            return self.close(index, token, newline);
        } else {
            self.push(index, token.kind, newline);
        }
        true
    }

    fn push(&mut self, token: u32, kind: TokenKind, newline: bool) {
        self.out.push(Significant { kind, newline, has_with: false, closed: false, token, end: 0 });
    }

    fn open(&mut self, index: u32, kind: TokenKind, closer: TokenKind, newline: bool) {
        let at = self.out.len() as u32;
        let outside = self.innermost;
        match self.innermost.of(closer) {
            Some(innermost) => *innermost = Some(self.open.len() as u32),
            None => self.innermost = Innermost::default(),
        }
        let may_update = kind == TokenKind::LeftBrace;
        self.open.push(Open {
            at,
            closer,
            indent: self.indent,
            line: self.line,
            likely_end: None,
            may_update,
            outside,
        });
        self.push(index, kind, newline);
    }

    fn close(&mut self, index: u32, token: &Token, newline: bool) -> bool {
        if self.is_stray(token.kind) {
            self.stray(token);
            return false;
        }
        // The lexer makes sure that strings and interpolations match; what is open inside them ends with them.
        let at = self.out.len() as u32;
        while self.open.last().is_some_and(|open| open.closer != token.kind) {
            self.end_innermost(at);
        }
        if let Some(open) = self.pop() {
            self.out[open.at as usize].end = at;
            self.out[open.at as usize].closed = true;
        }
        self.push(index, token.kind, newline);
        true
    }

    /// Nothing to close; or, in `f(x => {` and then on another line `g(y))`, nothing likely: the last parenthesis is
    /// too much, it doesn't close the call of f.
    fn is_stray(&mut self, closer: TokenKind) -> bool {
        let brace = self.innermost.braces;
        match self.innermost.of(closer) {
            None => false,
            Some(None) => true,
            Some(Some(target)) => {
                let other_line = self.open[*target as usize].line < self.line;
                is_list(closer) && brace > Some(*target) && other_line && !self.only_closers
            }
        }
    }

    fn pop(&mut self) -> Option<Open> {
        let open = self.open.pop()?;
        self.innermost = open.outside;
        Some(open)
    }

    /// Its closing bracket is missing.
    fn end_innermost(&mut self, at: u32) {
        if let Some(open) = self.pop() {
            self.out[open.at as usize].end = open.likely_end.unwrap_or(at);
        }
    }

    fn stray(&mut self, token: &Token) {
        let span = Span::new(self.file, token.start as usize, token.end as usize);
        let shown = &self.text[token.start as usize..token.end as usize];
        let error = Diagnostic::new(codes::STRAY_BRACKET, span, format!("this `{shown}` closes nothing"));
        self.errors.push(error.help("remove it, or write the opening bracket"));
    }

    /// `let` and `fn` never stand directly in parentheses or square brackets: those should have been closed.
    fn definition(&mut self, newline: bool) {
        let at = self.out.len() as u32;
        while newline && self.open.last().is_some_and(|open| is_list(open.closer)) {
            self.end_innermost(at);
        }
        self.forbid_update();
        if newline {
            self.note_likely_end();
        }
    }

    fn starts_item(&self, token: &Token) -> bool {
        matches!(&self.text[token.start as usize..token.end as usize], "type" | "test" | "import")
    }

    fn note_likely_end(&mut self) {
        let (at, indent) = (self.out.len() as u32, self.indent);
        if let Some(open) = self.open.last_mut().filter(|open| indent <= open.indent) {
            open.likely_end.get_or_insert(at);
        }
    }

    fn forbid_update(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.may_update = false;
        }
    }

    fn update(&mut self) {
        if let Some(open) = self.open.last().filter(|open| open.may_update) {
            self.out[open.at as usize].has_with = true;
        }
    }
}

fn is_closer(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(kind, RightParen | RightBracket | RightBrace | StringEnd | InterpolationEnd)
}

fn is_list(closer: TokenKind) -> bool {
    matches!(closer, TokenKind::RightParen | TokenKind::RightBracket)
}
