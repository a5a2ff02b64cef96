//! The text of a table as cells.

use std::borrow::Cow;
use std::ops::Range;

use super::cell::{Kind, kind};
use crate::problem::Problem;

#[derive(Clone, Copy)]
pub struct Rows<'t> {
    pub text: &'t str,
    /// Where the next cell begins.
    pub at: usize,
    pub delimiter: u8,
}

pub struct Cell<'t> {
    /// Without quotes and, where it has none, without spaces around it.
    raw: &'t str,
    pub place: Range<usize>,
    pub quoted: bool,
    pub ends: Ends,
}

/// What comes after a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ends {
    Cell,
    Row,
}

impl Cell<'_> {
    pub fn kind(&self) -> Kind {
        kind(self.raw.trim_matches(' '))
    }

    pub fn text(&self) -> String {
        self.words().into_owned()
    }
}

impl<'t> Cell<'t> {
    /// In quotes, a doubled quote is one.
    pub fn words(&self) -> Cow<'t, str> {
        match self.quoted && self.raw.contains('"') {
            true => Cow::Owned(self.raw.replace("\"\"", "\"")),
            false => Cow::Borrowed(self.raw),
        }
    }
}

/// What separates the cells of the header.
fn separator(text: &str) -> u8 {
    let header = text.lines().next().unwrap_or("");
    let others = [b';', b'\t'].into_iter().find(|byte| header.as_bytes().contains(byte));
    others.filter(|_| !header.contains(',')).unwrap_or(b',')
}

impl<'t> Rows<'t> {
    /// The rows of a text, of which the separator may be known.
    pub fn new(text: &'t str, delimiter: Option<u8>) -> Rows<'t> {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Rows { text, at, delimiter: delimiter.unwrap_or_else(|| separator(&text[at..])) }
    }

    pub fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    pub fn skip_empty_lines(&mut self) {
        while let Some(b'\n' | b'\r') = self.text.as_bytes().get(self.at) {
            self.at += 1;
        }
    }

    pub fn skip_empty_lines_at_end(&mut self) {
        if self.text.as_bytes()[self.at..].iter().all(|byte| matches!(byte, b'\n' | b'\r')) {
            self.at = self.text.len();
        }
    }

    pub fn cell(&mut self) -> Result<Cell<'t>, Problem> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let mut at = start;
        while let Some(&byte) = bytes.get(at) {
            if byte == self.delimiter || byte == b'\n' || byte == b'\r' {
                break;
            }
            if byte == b'"' && bytes[start..at].iter().all(|before| *before == b' ') {
                return self.quoted(at);
            }
            at += 1;
        }
        let raw = &self.text[start..at];
        let trimmed = if raw.starts_with(' ') || raw.ends_with(' ') { raw.trim_matches(' ') } else { raw };
        let from = start + (raw.len() - raw.trim_start_matches(' ').len());
        let ends = self.end(at);
        Ok(Cell { raw: trimmed, place: from..from + trimmed.len(), quoted: false, ends })
    }

    /// The cell whose opening quote stands at `open`.
    fn quoted(&mut self, open: usize) -> Result<Cell<'t>, Problem> {
        let bytes = self.text.as_bytes();
        let mut close = open + 1;
        loop {
            match (bytes.get(close), bytes.get(close + 1)) {
                (Some(b'"'), Some(b'"')) => close += 2,
                (Some(b'"'), _) => break,
                (Some(_), _) => close += 1,
                (None, _) => {
                    let line = self.text[open..].lines().next().map_or(0, str::len);
                    return Problem::new("this quoted cell doesn't end")
                        .at(open..open + line)
                        .help("a quote inside of a quoted cell is written twice: `\"\"`")
                        .err();
                }
            }
        }
        let mut at = close + 1;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'\n' | b'\r' => break,
                byte if byte == self.delimiter => break,
                b' ' => at += 1,
                _ => {
                    let end = at + self.text[at..].chars().next().map_or(1, char::len_utf8);
                    return Problem::new("something follows a quoted cell")
                        .at(open..end)
                        .help("a quote inside of a quoted cell is written twice: `\"\"`")
                        .err();
                }
            }
        }
        let ends = self.end(at);
        Ok(Cell { raw: &self.text[open + 1..close], place: open..close + 1, quoted: true, ends })
    }

    /// Goes over what ends the cell at `at`.
    fn end(&mut self, at: usize) -> Ends {
        let bytes = self.text.as_bytes();
        let (length, ends) = match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b'\r'), Some(b'\n')) => (2, Ends::Row),
            (Some(b'\r' | b'\n'), _) => (1, Ends::Row),
            (Some(_), _) => (1, Ends::Cell),
            (None, _) => (0, Ends::Row),
        };
        self.at = at + length;
        // A separator at the very end is followed by an empty cell: `cell` gives one there.
        ends
    }
}
