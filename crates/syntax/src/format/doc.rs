//! Layouts as data: text, places where a line may break, and groups that break together or not at all.
//!
//! Documents live in one arena and share their parts, so that a list can offer several layouts of the same items.

/// A document of one arena.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct DocId(u32);

#[derive(Clone, Copy, Debug)]
pub(super) enum Doc {
    /// A piece of the source.
    Source(u32, u32),
    /// A token that isn't in the source.
    Static(&'static str),
    /// Punctuation that goes before a comment waiting for the end of its line: `a, // c`.
    Glue(&'static str),
    /// A space; nothing at the start of a line.
    Space,
    /// A space, or a new line if its group is broken.
    Line,
    /// Nothing, or a new line if its group is broken.
    SoftLine,
    /// Always a new line.
    HardLine,
    /// An empty line.
    BlankLine,
    /// A comment on its own line; another line follows.
    Comment(u32, u32),
    /// A comment at the end of the line that is being written.
    Suffix(u32, u32),
    Concat(u32, u32),
    Nest(DocId),
    Group(DocId, Break),
    /// One document if the group is broken, another one if it isn't.
    IfBroken(DocId, DocId),
    /// The first that fits: all on one line; only its last part broken; all broken.
    Choice(Choice),
    /// Items with commas, as many on a line as fit.
    Fill(u32, u32),
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Break {
    IfTooLong,
    Always,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub flat: Option<DocId>,
    pub hug: DocId,
    pub expanded: DocId,
}

#[derive(Default)]
pub(super) struct Docs {
    docs: Vec<Doc>,
    /// Whether a document contains a line break whatever its group does.
    breaks: Vec<bool>,
    parts: Vec<DocId>,
}

impl Docs {
    pub fn get(&self, id: DocId) -> Doc {
        self.docs[id.0 as usize]
    }

    pub fn parts(&self, start: u32, end: u32) -> &[DocId] {
        &self.parts[start as usize..end as usize]
    }

    /// Whether it can't be on one line.
    pub fn breaks(&self, id: DocId) -> bool {
        self.breaks[id.0 as usize]
    }

    pub fn add(&mut self, doc: Doc) -> DocId {
        let breaks = self.must_break(doc);
        self.docs.push(doc);
        self.breaks.push(breaks);
        DocId(self.docs.len() as u32 - 1)
    }

    fn must_break(&self, doc: Doc) -> bool {
        match doc {
            Doc::HardLine | Doc::BlankLine | Doc::Comment(..) | Doc::Group(_, Break::Always) => true,
            Doc::Nest(inner) | Doc::Group(inner, Break::IfTooLong) => self.breaks(inner),
            Doc::Concat(start, end) | Doc::Fill(start, end) => self.parts(start, end).iter().any(|&id| self.breaks(id)),
            Doc::Choice(choice) => choice.flat.is_none_or(|flat| self.breaks(flat)),
            Doc::IfBroken(..)
            | Doc::Source(..)
            | Doc::Static(_)
            | Doc::Glue(_)
            | Doc::Space
            | Doc::Line
            | Doc::SoftLine
            | Doc::Suffix(..) => false,
        }
    }

    /// The width of a number.
    pub fn width(&self, id: DocId, source: &str) -> usize {
        match self.get(id) {
            Doc::Source(start, end) => source[start as usize..end as usize].chars().count(),
            Doc::Concat(start, end) => self.parts(start, end).iter().map(|&part| self.width(part, source)).sum(),
            _ => 0,
        }
    }

    pub fn concat(&mut self, parts: &[DocId]) -> DocId {
        let (start, end) = self.store(parts);
        self.add(Doc::Concat(start, end))
    }

    pub fn fill(&mut self, items: &[DocId]) -> DocId {
        let (start, end) = self.store(items);
        self.add(Doc::Fill(start, end))
    }

    fn store(&mut self, parts: &[DocId]) -> (u32, u32) {
        let start = self.parts.len() as u32;
        self.parts.extend_from_slice(parts);
        (start, self.parts.len() as u32)
    }

    pub fn empty(&mut self) -> DocId {
        self.concat(&[])
    }

    pub fn nest(&mut self, parts: &[DocId]) -> DocId {
        let inner = self.concat(parts);
        self.add(Doc::Nest(inner))
    }

    pub fn group(&mut self, parts: &[DocId], breaks: Break) -> DocId {
        let inner = self.concat(parts);
        let breaks = if self.breaks(inner) { Break::Always } else { breaks };
        self.add(Doc::Group(inner, breaks))
    }

    /// The same with its last breakable part broken, if it has one and the other parts can be on one line.
    pub fn broken(&mut self, id: DocId) -> Option<DocId> {
        match self.get(id) {
            Doc::Group(inner, _) => Some(self.add(Doc::Group(inner, Break::Always))),
            Doc::Choice(choice) => Some(self.add(Doc::Choice(Choice { flat: None, ..choice }))),
            Doc::Concat(start, end) => {
                let mut parts = self.parts(start, end).to_vec();
                let (at, part) = (0..parts.len()).rev().find_map(|at| Some((at, self.broken(parts[at])?)))?;
                let others_break = (0..parts.len()).any(|other| other != at && self.breaks(parts[other]));
                if others_break {
                    return None;
                }
                parts[at] = part;
                Some(self.concat(&parts))
            }
            _ => None,
        }
    }
}
