//! Strings: `"text {expr} \{ \n"`. They end with their line, whatever is open in them.

use base::{Diagnostic, Span, codes};

use super::{Interpolation, Scanner, TokenKind};

impl Scanner<'_> {
    /// The opening quote has been read.
    pub(super) fn string(&mut self) {
        let start = self.lexer.span().start as u32;
        self.push(TokenKind::StringStart);
        self.string_body(start);
    }

    /// From the opening quote or the end of an interpolation to the closing quote or the next interpolation.
    pub(super) fn string_body(&mut self, string: u32) {
        let len = self.chunk();
        if len > 0 {
            self.take(TokenKind::StringChunk, len);
        }
        match self.lexer.remainder().as_bytes().first() {
            Some(b'"') => self.take(TokenKind::StringEnd, 1),
            Some(b'{') => {
                self.take(TokenKind::InterpolationStart, 1);
                self.interpolations.push(Interpolation { string, braces: 0 });
            }
            _ => self.unterminated(string),
        }
    }

    /// The length of the text up to a quote, an interpolation or the end of the line; reports its bad escapes.
    fn chunk(&mut self) -> usize {
        let rest = self.lexer.remainder();
        let start = self.lexer.span().end;
        let mut at = 0;
        while let Some(byte) = rest.as_bytes().get(at) {
            match byte {
                b'"' | b'{' | b'\n' => break,
                b'\\' => {
                    let (len, value) = escape(&rest[at..]);
                    if value.is_none() {
                        self.bad_escape(start + at, &rest[at..at + len]);
                    }
                    at += len;
                }
                _ => at += 1,
            }
        }
        at
    }

    fn bad_escape(&mut self, start: usize, text: &str) {
        let span = Span::new(self.file, start, start + text.len());
        let error = Diagnostic::new(codes::BAD_ESCAPE, span, format!("`{text}` means nothing in a string"));
        self.errors.push(error.help(r#"the escapes are `\n`, `\t`, `\\`, `\"`, `\{`, `\}` and `\u{3b8}`"#));
    }

    /// The line ends in a string: closes it and all strings around it.
    fn unterminated(&mut self, string: u32) {
        if self.interpolations.is_empty() {
            self.report_unterminated(string);
        }
        self.take(TokenKind::StringEnd, 0);
        self.end_strings();
    }

    /// The line or the text ends: closes all interpolations and their strings.
    pub(super) fn end_strings(&mut self) {
        let end = self.lexer.span().end;
        self.end_strings_at(end);
    }

    pub(super) fn end_strings_at(&mut self, at: usize) {
        if let Some(outermost) = self.interpolations.first() {
            self.report_unterminated(outermost.string);
        }
        let at = at as u32;
        while self.interpolations.pop().is_some() {
            self.tokens.push(super::Token { kind: TokenKind::InterpolationEnd, start: at, end: at });
            self.tokens.push(super::Token { kind: TokenKind::StringEnd, start: at, end: at });
        }
    }

    fn report_unterminated(&mut self, string: u32) {
        let rest = &self.text[string as usize..];
        let len = rest.find('\n').unwrap_or(rest.len());
        let span = Span::new(self.file, string as usize, string as usize + len);
        let error = Diagnostic::new(codes::UNTERMINATED_STRING, span, "this string doesn't end on its line");
        self.errors.push(error.help("close it with `\"`; write `\\n` for a new line, `\\{` for a brace"));
    }
}

/// The length of the escape at the start of `text`, and what it stands for.
fn escape(text: &str) -> (usize, Option<char>) {
    let Some(letter) = text[1..].chars().next().filter(|&c| c != '\n') else { return (1, None) };
    match letter {
        'n' => (2, Some('\n')),
        't' => (2, Some('\t')),
        '\\' | '"' | '{' | '}' => (2, Some(letter)),
        'u' => unicode_escape(text),
        _ => (1 + letter.len_utf8(), None),
    }
}

/// `\u{3b8}`
fn unicode_escape(text: &str) -> (usize, Option<char>) {
    let Some(digits) = text[2..].strip_prefix('{') else { return (2, None) };
    let len = digits.bytes().take_while(u8::is_ascii_hexdigit).count();
    if !digits[len..].starts_with('}') {
        return (3 + len, None);
    }
    let value = u32::from_str_radix(&digits[..len], 16).ok().and_then(char::from_u32);
    (3 + len + 1, value)
}

/// What the text of a chunk stands for. Bad escapes stand for themselves.
pub(crate) fn unescape(chunk: &str) -> String {
    let mut out = String::with_capacity(chunk.len());
    let mut rest = chunk;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let (len, value) = escape(&rest[at..]);
        match value {
            Some(value) => out.push(value),
            None => out.push_str(&rest[at..at + len]),
        }
        rest = &rest[at + len..];
    }
    out + rest
}
