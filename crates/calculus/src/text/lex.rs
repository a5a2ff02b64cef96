//! From text to tokens with their places. Spaces, line ends and `//` comments vanish.

use std::fmt;

use base::{FileId, Span};

use super::{ParseError, continues_word, starts_word};

#[derive(Clone, PartialEq, Debug)]
pub enum Token {
    /// A name, keyword or variable.
    Word(String),
    /// A name in backquotes; with a number, it is a variable.
    Quoted(String, Option<u32>),
    /// Digits, perhaps with a minus, perhaps too many for any integer.
    Int(String),
    Real(f64),
    Text(String),
    Span(Span),
    /// `#zero`
    Zero,
    /// `->`
    Arrow,
    Mark(char),
    End,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(word) | Token::Int(word) => write!(f, "`{word}`"),
            Token::Quoted(name, _) => write!(f, "the name {name:?}"),
            Token::Real(real) => write!(f, "`{real:?}`"),
            Token::Text(text) => write!(f, "the text {text:?}"),
            Token::Span(_) => f.write_str("a span"),
            Token::Zero => f.write_str("`#zero`"),
            Token::Arrow => f.write_str("`->`"),
            Token::Mark(mark) => write!(f, "`{mark}`"),
            Token::End => f.write_str("the end"),
        }
    }
}

/// The tokens and where each starts; the last one is `End`.
pub fn tokens(text: &str) -> Result<Vec<(Token, usize)>, ParseError> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = vec![];
    loop {
        lexer.skip_blank();
        let start = lexer.at;
        let token = lexer.token().map_err(|message| ParseError::at(text, start, message))?;
        let done = token == Token::End;
        tokens.push((token, start));
        if done {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        self.at += if found { prefix.len() } else { 0 };
        found
    }

    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn skip_blank(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if !self.rest().starts_with("//") {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    fn token(&mut self) -> Result<Token, String> {
        let Some(c) = self.peek() else { return Ok(Token::End) };
        match c {
            '"' => Ok(Token::Text(self.quoted('"')?)),
            '`' => self.quoted_name(),
            '@' => self.span(),
            '0'..='9' => self.number(),
            '-' if self.eat("->") => Ok(Token::Arrow),
            '-' if self.eat("-inf") => Ok(Token::Real(f64::NEG_INFINITY)),
            '-' => self.number(),
            '#' if self.eat("#zero") => Ok(Token::Zero),
            '#' if self.eat("#nan:") => self.nan(),
            c if starts_word(c) => Ok(Token::Word(self.take_while(continues_word).into())),
            _ => self.mark(),
        }
    }

    fn mark(&mut self) -> Result<Token, String> {
        match self.next() {
            Some(c) if "(){}[],.:=^#?⊕".contains(c) => Ok(Token::Mark(c)),
            Some(c) => Err(format!("the character {c:?} means nothing here")),
            None => Ok(Token::End),
        }
    }

    fn nan(&mut self) -> Result<Token, String> {
        let bits = self.take_while(|c| c.is_ascii_hexdigit());
        let real = u64::from_str_radix(bits, 16).ok().map(f64::from_bits).filter(|real| real.is_nan());
        real.map(Token::Real).ok_or("`#nan:` wants the bits of a NaN".into())
    }

    fn quoted_name(&mut self) -> Result<Token, String> {
        let name = self.quoted('`')?;
        if !self.eat("_") {
            return Ok(Token::Quoted(name, None));
        }
        Ok(Token::Quoted(name, Some(self.digits()?)))
    }

    /// Text up to its closing delimiter, escapes resolved.
    fn quoted(&mut self, delimiter: char) -> Result<String, String> {
        self.next();
        let mut text = String::new();
        loop {
            match self.next().ok_or("a quotation that doesn't end")? {
                '\\' => text.push(self.escape()?),
                c if c == delimiter => return Ok(text),
                c => text.push(c),
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        match self.next() {
            Some('n') => Ok('\n'),
            Some('r') => Ok('\r'),
            Some('t') => Ok('\t'),
            Some(c @ ('\\' | '"' | '`')) => Ok(c),
            Some('u') if self.eat("{") => {
                let digits = self.take_while(|c| c.is_ascii_hexdigit());
                let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                c.filter(|_| self.eat("}")).ok_or("`\\u{…}` wants a character's number".into())
            }
            _ => Err("an escape that means nothing".into()),
        }
    }

    fn span(&mut self) -> Result<Token, String> {
        self.next();
        let file = FileId(self.digits()?);
        let start = if self.eat(":") { self.digits()? } else { return Err("a span is `@file:start-end`".into()) };
        let end = if self.eat("-") { self.digits()? } else { return Err("a span is `@file:start-end`".into()) };
        Ok(Token::Span(Span { file, start, end }))
    }

    fn digits(&mut self) -> Result<u32, String> {
        self.take_while(|c| c.is_ascii_digit()).parse().map_err(|_| "a number below 2^32 is due here".into())
    }

    fn number(&mut self) -> Result<Token, String> {
        let start = self.at;
        self.eat("-");
        if self.take_while(|c| c.is_ascii_digit()).is_empty() {
            return Err("a `-` without a number".into());
        }
        let fraction = self.fraction();
        let exponent = self.exponent();
        let text = &self.text[start..self.at];
        if !fraction && !exponent {
            return Ok(Token::Int(text.into()));
        }
        text.parse().map(Token::Real).map_err(|_| format!("`{text}` is no real"))
    }

    fn fraction(&mut self) -> bool {
        let found = self.rest().strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if found {
            self.next();
            self.take_while(|c| c.is_ascii_digit());
        }
        found
    }

    fn exponent(&mut self) -> bool {
        let Some(rest) = self.rest().strip_prefix('e') else { return false };
        let found = rest.strip_prefix('-').unwrap_or(rest).starts_with(|c: char| c.is_ascii_digit());
        if found {
            self.next();
            self.eat("-");
            self.take_while(|c| c.is_ascii_digit());
        }
        found
    }
}
