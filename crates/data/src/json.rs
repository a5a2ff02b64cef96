//! JSON.
//!
//! In: text. Out: a value. Objects are records, lists are arrays: lists of lists of one length are one array of higher rank. A number with a
//! point or an exponent is a real, any other an int, or a real where 64 bits don't suffice; together in one list they are reals. `null` is
//! `()`, among numbers of a list `nan`.
//!
//! The other way round tuples and the library's lists are lists, `()` is `null`, and any other constructor is an object with its name and the
//! list of its fields. JSON has no
//! numbers that aren't finite: they are written `NaN`, `Infinity` and `-Infinity`, as Python does, and read so too.
//!
//! (A reader of our own: `serde_json` takes no `NaN`, and numbers go straight into arrays here.)

mod list;
mod write;

use std::ops::Range;
use std::rc::Rc;

use eval::{Value, memory};

use crate::labels;
use crate::problem::{self, Problem};
use list::List;

pub use write::write;

/// Lists and objects nest no deeper.
const DEEPEST: usize = 1000;

pub fn read(bytes: &[u8]) -> Result<Value, Problem> {
    let text = problem::text(bytes)?;
    // A number and the comma behind it take two bytes at least.
    if !memory::has_room_for(text.len().saturating_mul(size_of::<f64>() / 2)) {
        return Problem::new(format!("a file of {} bytes needs too much memory", text.len())).err();
    }
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut reader = Reader { text, at: start, depth: 0 };
    reader.space();
    if reader.peek().is_none() {
        return Problem::new("the file is empty").err();
    }
    let value = reader.value()?;
    match reader.peek() {
        None => Ok(value),
        Some(_) => reader.unexpected("the end of the file"),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// A value and the space behind it.
    fn value(&mut self) -> Result<Value, Problem> {
        let value = match self.peek() {
            Some(b'{') => self.nested(Reader::object),
            Some(b'[') => self.nested(Reader::list),
            Some(b'"') => self.string().map(Value::text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }?;
        self.space();
        Ok(value)
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, Problem>) -> Result<Value, Problem> {
        if self.depth == DEEPEST {
            return Problem::new(format!("lists and objects nest more than {DEEPEST} deep"))
                .at(self.at..self.at + 1)
                .err();
        }
        self.depth += 1;
        self.at += 1;
        self.space();
        let value = eval::deep(|| read(self));
        self.depth -= 1;
        value
    }

    fn list(&mut self) -> Result<Value, Problem> {
        let start = self.at - 1;
        let mut elements = List::default();
        while self.peek() != Some(b']') {
            elements.push(self.value()?);
            match self.peek() {
                Some(b',') => self.comma(b']')?,
                Some(b']') => {}
                _ => return self.unexpected("`,` or `]`"),
            }
        }
        self.at += 1;
        elements.array().map_err(|ragged| {
            Problem::new("the lists in this list differ in shape")
                .at(self.start_of_line(start..self.at))
                .note(format!("the first list among them has the shape {}", ragged.expected))
                .note(match ragged.found.as_str() {
                    "no array" => format!("element {} is no list", ragged.index),
                    found => format!("element {} has the shape {found}", ragged.index),
                })
                .help("the rows of an array have one shape; write the rows as fields of an object otherwise")
        })
    }

    fn object(&mut self) -> Result<Value, Problem> {
        let mut names: Vec<(String, Range<usize>)> = vec![];
        let mut fields = vec![];
        while self.peek() != Some(b'}') {
            let start = self.at;
            if self.peek() != Some(b'"') {
                return self.unexpected("a name in double quotes");
            }
            names.push((self.string()?, start..self.at));
            self.space();
            if self.peek() != Some(b':') {
                return self.unexpected("`:`");
            }
            self.at += 1;
            self.space();
            fields.push(self.value()?);
            match self.peek() {
                Some(b',') => self.comma(b'}')?,
                Some(b'}') => {}
                _ => return self.unexpected("`,` or `}`"),
            }
        }
        self.at += 1;
        let labels = labels::labels(names.iter().map(|(name, _)| name.as_str())).map_err(|(first, second)| {
            let ((one, _), (other, place)) = (&names[first], &names[second]);
            let message = match one == other {
                true => format!("the name `{other}` occurs twice in this object"),
                false => format!("`{one}` and `{other}` would be the same field"),
            };
            Problem::new(message).at(place.clone())
        })?;
        Ok(Value::record(Rc::from(labels), fields))
    }

    /// Goes over a comma, behind which something must come.
    fn comma(&mut self, close: u8) -> Result<(), Problem> {
        self.at += 1;
        self.space();
        if self.peek() == Some(close) { self.unexpected("a value after the comma") } else { Ok(()) }
    }

    fn number(&mut self) -> Result<Value, Problem> {
        let rest = &self.text.as_bytes()[self.at..];
        let length =
            rest.iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')).count();
        let digits = &self.text[self.at..self.at + length];
        if digits == "-" && self.text[self.at..].starts_with("-Infinity") {
            self.at += "-Infinity".len();
            return Ok(Value::Real(f64::NEG_INFINITY));
        }
        let place = self.at..self.at + length;
        let bare = digits.strip_prefix('-').unwrap_or(digits);
        let strange = !bare.starts_with(|c: char| c.is_ascii_digit())
            || (bare.starts_with('0') && bare[1..].starts_with(|c: char| c.is_ascii_digit()))
            || bare.ends_with('.')
            || bare.contains(".e")
            || bare.contains(".E");
        let value = match digits.parse::<i64>() {
            Ok(int) => Some(Value::Int(int)),
            Err(_) => digits.parse::<f64>().ok().map(Value::Real),
        };
        match value.filter(|_| !strange) {
            Some(value) => {
                self.at += length;
                Ok(value)
            }
            None => Problem::new(format!("`{digits}` isn't a number of JSON")).at(place).err(),
        }
    }

    fn word(&mut self) -> Result<Value, Problem> {
        let words = [
            ("true", Value::Bool(true)),
            ("false", Value::Bool(false)),
            ("null", Value::unit()),
            ("NaN", Value::Real(f64::NAN)),
            ("Infinity", Value::Real(f64::INFINITY)),
        ];
        let rest = &self.text[self.at..];
        match words.into_iter().find(|(word, _)| rest.starts_with(word)) {
            Some((word, value)) => {
                self.at += word.len();
                Ok(value)
            }
            None => self.unexpected("a value"),
        }
    }

    /// The string whose opening quote is next.
    fn string(&mut self) -> Result<String, Problem> {
        let open = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let length = rest.bytes().take_while(|byte| !matches!(byte, b'"' | b'\\' | b'\n')).count();
            out.push_str(&rest[..length]);
            self.at += length;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                _ => return Problem::new("this string doesn't end on its line").at(open..self.at).err(),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Problem> {
        let start = self.at;
        let letter = self.text.as_bytes().get(start + 1).copied();
        self.at += 2;
        Ok(match letter {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.unit(start)?;
                // Characters beyond 16 bits are two units.
                let pair = (0xd800..0xdc00).contains(&first) && self.text[self.at..].starts_with("\\u");
                let code = match pair {
                    true => {
                        self.at += 2;
                        let second = self.unit(start)?;
                        0x10000 + ((first - 0xd800) << 10) + second.wrapping_sub(0xdc00)
                    }
                    false => first,
                };
                return char::from_u32(code).map_or_else(|| self.bad_escape(start), Ok);
            }
            _ => return self.bad_escape(start),
        })
    }

    /// Four hexadecimal digits.
    fn unit(&mut self, start: usize) -> Result<u32, Problem> {
        let digits = self.text.get(self.at..self.at + 4).filter(|digits| digits.bytes().all(|d| d.is_ascii_hexdigit()));
        match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            Some(unit) => {
                self.at += 4;
                Ok(unit)
            }
            None => self.bad_escape(start),
        }
    }

    fn bad_escape<T>(&self, start: usize) -> Result<T, Problem> {
        let mut end = (start + 2).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        Problem::new("this escape means nothing in a string of JSON").at(start..end).err()
    }

    fn unexpected<T>(&self, expected: &str) -> Result<T, Problem> {
        match self.text[self.at..].chars().next() {
            Some(found) => Problem::new(format!("expected {expected}, found `{found}`"))
                .at(self.at..self.at + found.len_utf8())
                .err(),
            None => Problem::new(format!("the file breaks off: {expected} was expected")).at(self.at..self.at).err(),
        }
    }

    /// The part of a place that is on its first line.
    fn start_of_line(&self, place: Range<usize>) -> Range<usize> {
        let line = self.text[place.clone()].lines().next().map_or(0, str::len);
        place.start..place.start + line
    }
}

#[cfg(test)]
mod tests;
