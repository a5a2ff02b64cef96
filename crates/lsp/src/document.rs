//! A text that is open in the editor.
//!
//! In: its address, its text. Out: what is known of it ([`evert::analysis::Analysed`]), and where offsets lie in the editor's terms. A
//! Markdown file is as many programs as it has blocks of Evert; places are those of the file.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use base::Span;
use evert::Session;
use evert::analysis::{Analysed, Read};
use serde_json::Value as Json;

use crate::protocol;

const BROKEN: &str = "Evert's language server can't read this text: that is a bug in Evert, not in the program. Please report it together with the text.";

pub struct Document {
    pub uri: String,
    pub path: String,
    pub version: Json,
    pub text: String,
    pub lines: Lines,
    pub analysed: Analysed,
    /// The files that it asked for, whether they are there or not.
    pub imports: Vec<String>,
    /// What went wrong with us while the text was read: then nothing is known of it.
    pub broken: Option<String>,
}

impl Document {
    pub fn new(session: &Session, uri: &str, version: Json, text: String, read: Read) -> Document {
        let path = protocol::path_of(uri);
        let imports = RefCell::new(vec![]);
        let noting = |asked: &str| {
            imports.borrow_mut().push(asked.to_string());
            read(asked)
        };
        let texts = programs(&path, &text);
        // A bug of ours in this text is no reason to take the editor's server along.
        let analysed = catch_unwind(AssertUnwindSafe(|| session.analyse(&path, &texts, &noting)));
        let (analysed, broken) = match analysed {
            Ok(analysed) => (analysed, None),
            Err(_) => (session.analyse(&path, &[], &noting), Some(BROKEN.to_string())),
        };
        let (lines, imports) = (Lines::new(&text), imports.into_inner());
        Document { uri: uri.to_string(), path, version, text, lines, analysed, imports, broken }
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

/// Where lines begin, and columns in the units that editors count: those of UTF-16. A place costs the same in a text of one line.
pub struct Lines {
    text: Box<str>,
    starts: Vec<u32>,
    /// How many units come before each block of [`BLOCK`] bytes; what begins before a block belongs to what comes before.
    units: Vec<u32>,
}

/// Bytes of a block of [`Lines`]: so many are counted for a place.
const BLOCK: usize = 64;

impl Lines {
    pub fn new(text: &str) -> Lines {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at as u32 + 1);
        let starts = std::iter::once(0).chain(breaks).collect();
        let mut units = Vec::with_capacity(text.len() / BLOCK + 1);
        let mut count = 0;
        for block in text.as_bytes().chunks(BLOCK) {
            units.push(count);
            count += units_of(block);
        }
        units.push(count);
        Lines { text: text.into(), starts, units }
    }

    /// Line and column of an offset, both counted from zero.
    pub fn position(&self, offset: u32) -> (usize, usize) {
        let offset = self.boundary(offset as usize);
        let line = self.starts.partition_point(|start| *start as usize <= offset) - 1;
        (line, self.units_before(offset) - self.units_before(self.starts[line] as usize))
    }

    /// The offset of a place; the end of its line for one beyond it, the end of the text for one below it.
    pub fn offset(&self, line: usize, column: usize) -> u32 {
        let Some(&start) = self.starts.get(line) else { return self.text.len() as u32 };
        let end = self.end_of(line);
        let wanted = self.units_before(start as usize).saturating_add(column);
        if wanted >= self.units_before(end) {
            return end as u32;
        }
        let block = self.units.partition_point(|units| (*units as usize) <= wanted).saturating_sub(1);
        let from = self.after(block * BLOCK).max(start as usize);
        let mut units = self.units_before(from);
        for (at, character) in self.text[from..end].char_indices() {
            // In the middle of a pair: its beginning.
            if units + character.len_utf16() > wanted {
                return (from + at) as u32;
            }
            units += character.len_utf16();
        }
        end as u32
    }

    /// Where a line ends, before what breaks it.
    fn end_of(&self, line: usize) -> usize {
        let Some(&next) = self.starts.get(line + 1) else { return self.text.len() };
        let end = next as usize - 1;
        if self.text[..end].ends_with('\r') && end > self.starts[line] as usize { end - 1 } else { end }
    }

    /// How many units come before an offset at which a character begins.
    fn units_before(&self, offset: usize) -> usize {
        let block = offset / BLOCK;
        self.units[block] as usize + units_of(&self.text.as_bytes()[block * BLOCK..offset]) as usize
    }

    /// The nearest offset that no character lies across.
    fn boundary(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }

    /// The first offset from here on at which a character begins.
    fn after(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset += 1;
        }
        offset
    }
}

/// The units of the characters that begin in some bytes: two for one of four bytes.
fn units_of(bytes: &[u8]) -> u32 {
    bytes.iter().map(|byte| u32::from(byte & 0xc0 != 0x80) + u32::from(*byte >= 0xf0)).sum()
}

/// A text after one change of an editor: a range is replaced, or everything.
pub fn edited(text: &str, change: &Json) -> String {
    let new = change["text"].as_str().unwrap_or_default();
    if !change["range"].is_object() {
        return new.to_string();
    }
    let lines = Lines::new(text);
    let start = protocol::offset(&lines, &change["range"]["start"]) as usize;
    let end = (protocol::offset(&lines, &change["range"]["end"]) as usize).max(start);
    [&text[..start], new, &text[end..]].concat()
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
        // In the middle of a pair, and at the end of a line of Windows.
        assert_eq!(lines.offset(1, 1), 2);
        let lines = Lines::new("ab\r\ncd");
        assert_eq!(lines.offset(0, 9), 2);
        assert_eq!(lines.position(4), (1, 0));
    }

    #[test]
    fn places_and_offsets_are_inverse_in_long_lines() {
        let text: String =
            (0..999).map(|k| ["a", "θ", "𝛉", "→", "\n"][(k * 7 + k / 13) % if k % 50 == 0 { 5 } else { 4 }]).collect();
        let lines = Lines::new(&text);
        let (mut line, mut column) = (0, 0);
        for (at, character) in text.char_indices() {
            assert_eq!(lines.position(at as u32), (line, column), "{at}");
            assert_eq!(lines.offset(line, column), at as u32);
            (line, column) = if character == '\n' { (line + 1, 0) } else { (line, column + character.len_utf16()) };
        }
    }

    #[test]
    fn changes_replace_ranges() {
        let range = |a: (u32, u32), b: (u32, u32)| serde_json::json!({"start": {"line": a.0, "character": a.1}, "end": {"line": b.0, "character": b.1}});
        let change = |range: Json, text: &str| serde_json::json!({"range": range, "text": text});
        assert_eq!(edited("a𝛉b\nc", &change(range((0, 3), (0, 4)), "x")), "a𝛉x\nc");
        assert_eq!(edited("a\nb", &change(range((0, 1), (1, 0)), "")), "ab");
        assert_eq!(edited("a\nb", &change(range((9, 0), (9, 9)), "c")), "a\nbc");
        assert_eq!(edited("a", &serde_json::json!({"text": "all"})), "all");
        // Ends that come before their beginning.
        assert_eq!(edited("abc", &change(range((0, 2), (0, 1)), "x")), "abxc");
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
