//! Text into tokens. In: a file's text. Out: tokens whose texts concatenate to it, and what couldn't be read.
//!
//! Whitespace, newlines and comments are tokens too. A string is a bracket: `StringStart`, chunks of text,
//! interpolations between `InterpolationStart` and `InterpolationEnd`, with a `Format` at their end, `StringEnd`. A string ends with its line;
//! one that doesn't gets empty closing tokens, so that these brackets always match.

mod strings;
mod unknown;

use base::{Diagnostic, FileId, Span, codes};
use logos::Logos;

pub(crate) use strings::unescape;

/// A piece of the text. All tokens of a file, one after the other, are the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub start: u32,
    pub end: u32,
}

impl Token {
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }
}

#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(utf8 = true)]
pub enum TokenKind {
    #[regex(r"[ \t\r\f\u{a0}\u{feff}]+")]
    Whitespace,
    #[token("\n")]
    Newline,
    #[regex(r"//[^\n]*", allow_greedy = true)]
    Comment,
    /// `/// …`
    DocComment,
    /// `//=> …` or `//! …`
    Expectation,

    /// A name, a contextual word or `_x`; keywords and `_` have kinds of their own
    #[regex(r"[\p{XID_Start}_--[λ]]\p{XID_Continue}*'*", priority = 3)]
    #[regex(r"λ[0-9_]\p{XID_Continue}*'*", priority = 3)]
    #[regex(r"λ'+", priority = 3)]
    Name,
    /// The sign before a function value; where no function follows, a name like any other
    #[token("λ", priority = 5)]
    Lambda,
    #[token("_", priority = 5)]
    Underscore,
    #[regex(r"[0-9](_?[0-9])*", priority = 6)]
    Int,
    #[regex(r"[0-9](_?[0-9])*\.[0-9](_?[0-9])*([eE][+-]?[0-9]+)?", priority = 6)]
    #[regex(r"[0-9](_?[0-9])*[eE][+-]?[0-9]+", priority = 6)]
    Real,
    /// `2x`, `0xff`, `1__0`
    #[regex(r"[0-9](_?[0-9])*(\.[0-9](_?[0-9])*)?[\p{XID_Start}_]\p{XID_Continue}*", priority = 2)]
    BadNumber,

    #[token("\"")]
    StringStart,
    StringChunk,
    StringEnd,
    InterpolationStart,
    InterpolationEnd,
    /// `:.3` before the end of an interpolation
    Format,

    #[token("fn", priority = 9)]
    Fn,
    #[token("let", priority = 9)]
    Let,
    #[token("if", priority = 9)]
    If,
    #[token("else", priority = 9)]
    Else,
    #[token("match", priority = 9)]
    Match,
    #[token("for", priority = 9)]
    For,
    #[token("in", priority = 9)]
    In,
    #[token("with", priority = 9)]
    With,
    #[token("true", priority = 9)]
    True,
    #[token("false", priority = 9)]
    False,

    #[token("(")]
    LeftParen,
    #[token(")")]
    RightParen,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token("{")]
    LeftBrace,
    #[token("}")]
    RightBrace,

    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token(".")]
    Dot,
    #[token("..")]
    DotDot,
    #[token("=")]
    Equals,
    #[token("=>")]
    Arrow,
    #[token("|")]
    Bar,

    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("@")]
    At,
    #[token("^")]
    Caret,
    #[token("⊕")]
    CirclePlus,
    #[token("==")]
    EqualEqual,
    #[token("!=")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEqual,
    #[token("&&")]
    AndAnd,
    #[token("||")]
    OrOr,
    #[token("!")]
    Bang,
    #[token("<~")]
    Attach,
    #[token("|>")]
    Pipe,

    /// Operators of other languages, read as one token so that the error can say what to write instead
    #[token("**")]
    #[token("->")]
    #[token(":=")]
    #[token("::")]
    #[token("...")]
    #[token("..=")]
    #[token("++")]
    #[token("+=")]
    #[token("-=")]
    #[token("*=")]
    #[token("/=")]
    #[token("===")]
    #[token("!==")]
    Foreign,

    /// What no token starts with, and block comments
    #[token("/*")]
    Unknown,
    /// The end of the text or, inside the parser, of the innermost bracket
    End,
}

impl TokenKind {
    pub fn is_comment(self) -> bool {
        matches!(self, TokenKind::Comment | TokenKind::DocComment | TokenKind::Expectation)
    }

    /// Whether the grammar never sees it.
    pub fn is_trivia(self) -> bool {
        self.is_comment() || matches!(self, TokenKind::Whitespace | TokenKind::Newline | TokenKind::Unknown)
    }

    /// The kind that closes this bracket.
    pub fn closer(self) -> Option<TokenKind> {
        match self {
            TokenKind::LeftParen => Some(TokenKind::RightParen),
            TokenKind::LeftBracket => Some(TokenKind::RightBracket),
            TokenKind::LeftBrace => Some(TokenKind::RightBrace),
            TokenKind::StringStart => Some(TokenKind::StringEnd),
            TokenKind::InterpolationStart => Some(TokenKind::InterpolationEnd),
            _ => None,
        }
    }
}

pub(crate) fn lex(file: FileId, text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut scanner = Scanner::new(file, text);
    scanner.run();
    debug_assert!(scanner.interpolations.is_empty(), "lexer: an interpolation outlives its line");
    (scanner.tokens, scanner.errors)
}

struct Scanner<'a> {
    file: FileId,
    text: &'a str,
    lexer: logos::Lexer<'a, TokenKind>,
    tokens: Vec<Token>,
    errors: Vec<Diagnostic>,
    /// The interpolations we are in, outermost first.
    interpolations: Vec<Interpolation>,
    /// No `*/` follows any more: don't look again.
    no_comment_end: bool,
}

struct Interpolation {
    /// Where the string around it starts.
    string: u32,
    /// Braces opened in it and not closed yet.
    braces: u32,
}

impl<'a> Scanner<'a> {
    fn new(file: FileId, text: &'a str) -> Scanner<'a> {
        Scanner {
            file,
            text,
            lexer: TokenKind::lexer(text),
            tokens: Vec::with_capacity(text.len() / 3),
            errors: vec![],
            interpolations: vec![],
            no_comment_end: false,
        }
    }

    fn run(&mut self) {
        while let Some(read) = self.lexer.next() {
            match read {
                Ok(TokenKind::StringStart) => self.string(),
                Ok(TokenKind::Comment) => self.push(comment_kind(self.lexer.slice())),
                Ok(TokenKind::Dot) => self.dot(),
                Ok(TokenKind::LeftBrace) => self.left_brace(),
                Ok(TokenKind::RightBrace) => self.right_brace(),
                Ok(TokenKind::Colon) => self.colon(),
                Ok(TokenKind::Newline) => self.newline(),
                Ok(TokenKind::BadNumber) => self.bad_number(),
                Ok(TokenKind::Unknown) => self.block_comment(),
                Ok(kind) => self.push(kind),
                Err(()) => self.unknown(),
            }
        }
        self.end_strings();
    }

    /// The token that logos has just read.
    fn push(&mut self, kind: TokenKind) {
        let span = self.lexer.span();
        self.tokens.push(Token { kind, start: span.start as u32, end: span.end as u32 });
    }

    /// A token of `len` bytes after what has been read so far.
    fn take(&mut self, kind: TokenKind, len: usize) {
        let start = self.lexer.span().end;
        self.lexer.bump(len);
        self.tokens.push(Token { kind, start: start as u32, end: (start + len) as u32 });
    }

    fn here(&self) -> Span {
        let span = self.lexer.span();
        Span::new(self.file, span.start, span.end)
    }

    /// After a point only digits are read: `p.0.1` is two positions.
    fn dot(&mut self) {
        self.push(TokenKind::Dot);
        let digits = self.lexer.remainder().bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            self.take(TokenKind::Int, digits);
        }
    }

    fn left_brace(&mut self) {
        self.push(TokenKind::LeftBrace);
        if let Some(inside) = self.interpolations.last_mut() {
            inside.braces += 1;
        }
    }

    fn right_brace(&mut self) {
        match self.interpolations.last_mut() {
            Some(inside) if inside.braces == 0 => {
                let string = inside.string;
                self.interpolations.pop();
                self.push(TokenKind::InterpolationEnd);
                self.string_body(string);
            }
            Some(inside) => {
                inside.braces -= 1;
                self.push(TokenKind::RightBrace);
            }
            None => self.push(TokenKind::RightBrace),
        }
    }

    /// Between the braces of an interpolation itself a colon begins a format; in brackets inside it is one of a record.
    fn colon(&mut self) {
        if self.interpolations.last().is_none_or(|inside| inside.braces > 0) {
            return self.push(TokenKind::Colon);
        }
        let rest = self.lexer.remainder();
        self.lexer.bump(rest.find(['}', '"', '\n']).unwrap_or(rest.len()));
        self.push(TokenKind::Format);
    }

    fn newline(&mut self) {
        let newline = self.lexer.span();
        self.end_strings_at(newline.start);
        self.push(TokenKind::Newline);
    }

    fn bad_number(&mut self) {
        let text = self.lexer.slice();
        let error = Diagnostic::new(codes::BAD_NUMBER, self.here(), format!("`{text}` isn't a number"));
        self.errors.push(unknown::number_help(error, text));
        // For the parser it is a number, so that nothing else goes wrong.
        self.push(TokenKind::BadNumber);
    }
}

fn comment_kind(text: &str) -> TokenKind {
    if text.starts_with("//=>") || text.starts_with("//!") {
        TokenKind::Expectation
    } else if text.starts_with("///") && !text.starts_with("////") {
        TokenKind::DocComment
    } else {
        TokenKind::Comment
    }
}
