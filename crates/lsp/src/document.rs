//! A text that is open in the editor.
//!
//! In: its address, its text. Out: what is known of it ([`evert::analysis::Analysed`]), and where offsets lie in the editor's terms. A
//! Markdown file is as many programs as it has blocks of Evert; places are those of the file.

use base::Span;
use evert::Session;
use evert::analysis::{Analysed, Read};
use serde_json::Value as Json;

use crate::protocol;

pub struct Document {
    pub uri: String,
    pub path: String,
    pub version: Json,
    pub text: String,
    pub lines: Lines,
    pub analysed: Analysed,
}

impl Document {
    pub fn new(session: &Session, uri: &str, version: Json, text: String, read: Read) -> Document {
        let path = protocol::path_of(uri);
        let analysed = session.analyse(&path, &programs(&path, &text), read);
        let lines = Lines::new(&text);
        Document { uri: uri.to_string(), path, version, text, lines, analysed }
    }

    /// Is a place in this text? (Other places are in what it imports, and in the library.)
    pub fn has(&self, span: Span) -> bool {
        self.analysed.sources.get(span.file).name == self.path
    }

    /// The files of the library have no address.
    pub fn is_library(&self, span: Span) -> bool {
        self.analysed.sources.get(span.file).name.starts_with("library/")
    }

    pub fn range(&self, span: Span) -> Json {
        protocol::range(&self.lines, span)
    }

    pub fn text_at(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }
}

/// The programs of a text: all of it, or each block of Evert with everything else left blank.
pub fn programs(path: &str, text: &str) -> Vec<String> {
    if !path.ends_with(".md") {
        return vec![text.to_string()];
    }
    let blocks = syntax::markdown::blocks(text).into_iter();
    // One with a code behind the word is meant to fail.
    blocks.filter(|block| block.info.is_empty()).map(|block| only(text, block.range)).collect()
}

/// The text with everything but a range blank; lines stay lines.
fn only(text: &str, range: std::ops::Range<usize>) -> String {
    let blank = |part: &str| -> String { part.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect() };
    format!("{}{}{}", blank(&text[..range.start]), &text[range.clone()], blank(&text[range.end..]))
}

/// Where lines begin, and columns in the units that editors count: those of UTF-16.
pub struct Lines {
    text: Box<str>,
    starts: Vec<u32>,
}

impl Lines {
    pub fn new(text: &str) -> Lines {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at as u32 + 1);
        Lines { text: text.into(), starts: std::iter::once(0).chain(breaks).collect() }
    }

    /// Line and column of an offset, both counted from zero.
    pub fn position(&self, offset: u32) -> (usize, usize) {
        let offset = self.boundary(offset as usize);
        let line = self.starts.partition_point(|start| *start as usize <= offset) - 1;
        let column = self.text[self.starts[line] as usize..offset].encode_utf16().count();
        (line, column)
    }

    pub fn offset(&self, line: usize, column: usize) -> u32 {
        let Some(start) = self.starts.get(line) else { return self.text.len() as u32 };
        let mut units = 0;
        for (at, character) in self.text[*start as usize..].char_indices() {
            if units >= column || character == '\n' {
                return start + at as u32;
            }
            units += character.len_utf16();
        }
        self.text.len() as u32
    }

    /// The nearest offset that no character lies across.
    fn boundary(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_utf_16() {
        let lines = Lines::new("a\n𝛉θx\n");
        assert_eq!(lines.position(2), (1, 0));
        assert_eq!(lines.position(8), (1, 3));
        assert_eq!(lines.offset(1, 3), 8);
        assert_eq!(lines.offset(9, 9), 10);
        assert_eq!(lines.offset(0, 9), 1);
    }

    #[test]
    fn blocks_keep_their_places() {
        let text = "# θ\n```evert\nlet x = 1\n```\n";
        let [program] = &programs("a.md", text)[..] else { panic!("one block") };
        assert_eq!(program.len(), text.len());
        assert_eq!(program.find("let x"), text.find("let x"));
        assert_eq!(program.trim(), "let x = 1");
    }
}
