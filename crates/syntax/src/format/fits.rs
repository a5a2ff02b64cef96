//! Whether a document fits on the rest of a line. Looks at no more than that line, however long the document.

use super::doc::{Break, Doc, DocId, Docs};
use super::print::{Mode, WIDTH, Work};

/// Whether `next`, and what follows it up to the first place where a line can break, fits in `room` columns.
pub(super) fn fits(docs: &Docs, source: &str, room: usize, next: Work, following: &[Work]) -> bool {
    let stack = vec![Item::Doc(next.mode, next.doc)];
    let mut measure = Measure { docs, source, room, indent: next.indent, stack, groups: Mode::Flat };
    let mut following = following.iter().rev();
    loop {
        let Some(item) = measure.stack.pop() else {
            let Some(work) = following.next() else { return true };
            // What follows may break where it can.
            measure.groups = Mode::Broken;
            measure.stack.push(Item::Doc(work.mode, work.doc));
            continue;
        };
        match measure.item(item) {
            Step::LineEnds => return true,
            Step::Width(width) if width > measure.room => return false,
            Step::Width(width) => measure.room -= width,
        }
    }
}

struct Measure<'a> {
    docs: &'a Docs,
    source: &'a str,
    room: usize,
    indent: usize,
    stack: Vec<Item>,
    /// How to see groups that may be on one line.
    groups: Mode,
}

/// Parts are taken one by one: there may be many more than fit.
#[derive(Clone, Copy)]
enum Item {
    Doc(Mode, DocId),
    Parts(Mode, u32, u32),
    Numbers(Mode, u32, u32),
}

enum Step {
    Width(usize),
    LineEnds,
}

impl Measure<'_> {
    fn item(&mut self, item: Item) -> Step {
        match item {
            Item::Doc(mode, doc) => self.doc(mode, doc),
            Item::Parts(_, start, end) | Item::Numbers(_, start, end) if start == end => Step::Width(0),
            Item::Parts(mode, start, end) => {
                self.stack.push(Item::Parts(mode, start + 1, end));
                self.doc(mode, self.docs.parts(start, end)[0])
            }
            Item::Numbers(mode, start, end) => self.number(mode, start, end),
        }
    }

    /// A number and the comma after it.
    fn number(&mut self, mode: Mode, start: u32, end: u32) -> Step {
        let width = self.docs.width(self.docs.parts(start, end)[0], self.source);
        let is_last = start + 1 == end;
        if mode == Mode::Broken && width < self.room {
            return Step::LineEnds;
        }
        self.stack.push(Item::Numbers(mode, start + 1, end));
        Step::Width(if is_last { width } else { width + ", ".len() })
    }

    fn doc(&mut self, mode: Mode, doc: DocId) -> Step {
        match self.docs.get(doc) {
            Doc::Source(start, end) => return Step::Width(self.source[start as usize..end as usize].chars().count()),
            Doc::Static(text) | Doc::Glue(text) => return Step::Width(text.chars().count()),
            Doc::Space => return Step::Width(1),
            Doc::Line if mode == Mode::Flat => return Step::Width(1),
            Doc::SoftLine if mode == Mode::Flat => {}
            // A comment above the first token: the rest starts on a line of its own.
            Doc::Comment(..) if self.groups == Mode::Flat => self.room = WIDTH.saturating_sub(self.indent),
            Doc::Line | Doc::SoftLine | Doc::HardLine | Doc::BlankLine | Doc::Comment(..) => return Step::LineEnds,
            Doc::Suffix(..) => {}
            Doc::Concat(start, end) => self.stack.push(Item::Parts(mode, start, end)),
            Doc::Fill(start, end) => self.stack.push(Item::Numbers(mode, start, end)),
            Doc::Nest(inner) => self.stack.push(Item::Doc(mode, inner)),
            Doc::Group(inner, Break::Always) => self.stack.push(Item::Doc(Mode::Broken, inner)),
            Doc::Group(inner, Break::IfTooLong) => {
                let inner_mode = if mode == Mode::Flat { Mode::Flat } else { self.groups };
                self.stack.push(Item::Doc(inner_mode, inner));
            }
            Doc::IfBroken(broken, flat) => {
                self.stack.push(Item::Doc(mode, if mode == Mode::Broken { broken } else { flat }));
            }
            Doc::Choice(choice) => {
                let may_break = mode == Mode::Broken && self.groups == Mode::Broken;
                let flat = choice.flat.filter(|&flat| !may_break && !self.docs.breaks(flat));
                // Expanded, its first line is the shortest.
                let seen = match (flat, self.docs.get(choice.expanded)) {
                    (Some(flat), _) => Item::Doc(Mode::Flat, flat),
                    (None, Doc::Group(inner, _)) => Item::Doc(Mode::Broken, inner),
                    (None, _) => Item::Doc(Mode::Broken, choice.expanded),
                };
                self.stack.push(seen);
            }
        }
        Step::Width(0)
    }
}
