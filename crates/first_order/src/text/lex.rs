//! Text as tokens.

use super::{ParseError, continues_word, starts_word};

#[derive(Clone, PartialEq, Debug)]
pub enum Token<'a> {
    /// Also the names of internal primitives, with their dot.
    Word(&'a str),
    Quoted(String),
    Number(&'a str),
    Symbol(char),
    /// `..`
    Range,
    End,
}

/// The tokens with the places where they start; the last is `End`.
pub(super) fn lex(text: &str) -> Result<Vec<(usize, Token<'_>)>, ParseError> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = vec![];
    loop {
        lexer.skip_space();
        let start = lexer.at;
        let token = lexer.token()?;
        let end = token == Token::End;
        tokens.push((start, token));
        if end {
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

    fn second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    fn take_while(&mut self, holds: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !holds(c)).unwrap_or(rest.len());
    }

    fn skip_space(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if !self.rest().starts_with("//") {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    fn token(&mut self) -> Result<Token<'a>, ParseError> {
        let start = self.at;
        let Some(c) = self.peek() else { return Ok(Token::End) };
        if starts_word(c) || (c == '.' && self.second().is_some_and(starts_word)) {
            self.at += c.len_utf8();
            self.take_while(continues_word);
            return Ok(Token::Word(&self.text[start..self.at]));
        }
        if c.is_ascii_digit() || (c == '-' && self.second().is_some_and(|c| c.is_ascii_digit())) {
            self.number();
            return Ok(Token::Number(&self.text[start..self.at]));
        }
        if c == '"' {
            return self.quoted();
        }
        if self.rest().starts_with("..") {
            self.at += 2;
            return Ok(Token::Range);
        }
        self.at += c.len_utf8();
        Ok(Token::Symbol(c))
    }

    fn number(&mut self) {
        self.at += 1;
        let digit = |c: char| c.is_ascii_digit();
        self.take_while(digit);
        if self.peek() == Some('.') && self.second().is_some_and(digit) {
            self.at += 1;
            self.take_while(digit);
        }
        if self.peek() == Some('e') {
            let sign = usize::from(self.second() == Some('-'));
            if self.rest().chars().nth(1 + sign).is_some_and(digit) {
                self.at += 1 + sign;
                self.take_while(digit);
            }
        }
    }

    fn quoted(&mut self) -> Result<Token<'a>, ParseError> {
        let start = self.at;
        let mut text = String::new();
        self.at += 1;
        loop {
            let Some(c) = self.peek() else { return Err(ParseError::at(self.text, start, "a text that doesn't end")) };
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(Token::Quoted(text)),
                '\\' => text.push(self.escape()?),
                c => text.push(c),
            }
        }
    }

    fn escape(&mut self) -> Result<char, ParseError> {
        let start = self.at;
        let bad = |lexer: &Lexer| ParseError::at(lexer.text, start, "an escape that means nothing");
        let c = self.peek().ok_or_else(|| bad(self))?;
        self.at += c.len_utf8();
        match c {
            '"' | '\\' => Ok(c),
            'n' => Ok('\n'),
            'u' => {
                let digits =
                    self.rest().strip_prefix('{').and_then(|rest| rest.split_once('}')).map(|(digits, _)| digits);
                let digits = digits.ok_or_else(|| bad(self))?;
                let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32).ok_or_else(|| bad(self))?;
                self.at += digits.len() + 2;
                Ok(c)
            }
            _ => Err(bad(self)),
        }
    }
}
