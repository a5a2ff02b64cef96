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

/// Which part of a computation code is. Spans say it only in programs that are profiled ([`Span::in_part`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Part {
    /// What the program itself computes, also where a derivative computes it.
    #[default]
    Primal,
    /// Tangents, in forward mode.
    Tangent,
    /// The sweep back, in reverse mode.
    Back,
}

/// The bits of a file's number that are the file; above them is the part.
const FILE_BITS: u32 = 29;
const FILE: u32 = (1 << FILE_BITS) - 1;

impl Span {
    /// Of code that belongs to whoever calls it: where it is copied into a caller it gets the place of the call.
    pub const OF_CALLER: Span = Span { file: FileId(u32::MAX), start: 0, end: 0 };

    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        Span { file, start: start as u32, end: end as u32 }
    }

    /// The same place as a part of a computation. Of several the last in the order of [`Part`] counts.
    pub fn in_part(self, part: Part) -> Span {
        let part = part.max(self.part()) as u32;
        match self.is_of_caller() {
            true => Span { start: part, ..Span::OF_CALLER },
            false => Span { file: FileId(self.file.0 & FILE | part << FILE_BITS), ..self },
        }
    }

    pub fn part(self) -> Part {
        match if self.is_of_caller() { self.start } else { self.file.0 >> FILE_BITS } {
            1 => Part::Tangent,
            2 => Part::Back,
            _ => Part::Primal,
        }
    }

    /// The place alone.
    pub fn plain(self) -> Span {
        if self.is_of_caller() { Span::OF_CALLER } else { Span { file: FileId(self.file.0 & FILE), ..self } }
    }

    /// Does the code belong to whoever calls it, as whatever part?
    pub fn is_of_caller(self) -> bool {
        self.file == Span::OF_CALLER.file
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_says_its_part_and_keeps_its_place() {
        let span = Span::new(FileId(17), 3, 9);
        assert_eq!((span.part(), span.in_part(Part::Primal)), (Part::Primal, span));
        let back = span.in_part(Part::Back);
        assert_eq!((back.part(), back.plain(), back.in_part(Part::Tangent)), (Part::Back, span, back));
        let caller = Span::OF_CALLER.in_part(Part::Tangent);
        assert!(caller.is_of_caller() && !back.is_of_caller());
        assert_eq!((caller.part(), caller.plain()), (Part::Tangent, Span::OF_CALLER));
    }
}
