//! Source files and places in them.

use std::rc::Rc;

/// A file known to [`Sources`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct FileId(pub u32);

/// A range of bytes in a file. Derived code carries the spans of the code it was derived from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// Of code that belongs to whoever calls it: where it is copied into a caller it gets the place of the call.
    pub const OF_CALLER: Span = Span { file: FileId(u32::MAX), start: 0, end: 0 };

    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        Span { file, start: start as u32, end: end as u32 }
    }

    /// The smallest span that covers both; the first one's file wins.
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// One source text under the name that diagnostics show.
#[derive(Clone, Debug)]
pub struct File {
    pub name: String,
    pub text: Rc<str>,
}

/// All source texts of a session, in the order they were added.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<File>,
}

impl Sources {
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Rc<str>>) -> FileId {
        self.files.push(File { name: name.into(), text: text.into() });
        FileId(self.files.len() as u32 - 1)
    }

    pub fn get(&self, id: FileId) -> &File {
        &self.files[id.0 as usize]
    }

    pub fn ids(&self) -> impl Iterator<Item = FileId> {
        (0..self.files.len() as u32).map(FileId)
    }

    pub fn text(&self, span: Span) -> &str {
        self.get(span.file).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Line and column of a place, both counted from one, columns in characters.
    pub fn line_column(&self, file: FileId, offset: u32) -> (usize, usize) {
        let text = &self.get(file).text;
        let offset = (offset as usize).min(text.len());
        let before = &text.as_bytes()[..offset];
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
        let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
        (line, column)
    }
}
