//! Documents into text of at most 100 columns, where that is possible. Comments keep to the line they are on.

use super::align::align;
use super::doc::{Break, Choice, Doc, DocId, Docs};
use super::fits::fits;

pub(super) const WIDTH: usize = 100;
const INDENT: usize = 2;

pub(super) fn print(docs: &Docs, source: &str, root: DocId) -> String {
    let mut printer = Printer {
        docs,
        source,
        out: String::with_capacity(source.len()),
        column: 0,
        line_is_empty: true,
        after_comment: false,
        suffixes: vec![],
        behind_code: vec![],
        work: vec![Work { indent: 0, mode: Mode::Broken, doc: root }],
    };
    while let Some(work) = printer.work.pop() {
        printer.doc(work);
    }
    printer.finish()
}

struct Printer<'a> {
    docs: &'a Docs,
    source: &'a str,
    out: String,
    /// Characters on the current line.
    column: usize,
    line_is_empty: bool,
    /// The line ends in a comment: whatever comes next goes on another line.
    after_comment: bool,
    /// Comments that wait for the end of the current line.
    suffixes: Vec<&'a str>,
    /// Where comments behind code start.
    behind_code: Vec<usize>,
    /// What is still to be printed, the next one last.
    work: Vec<Work>,
}

#[derive(Clone, Copy)]
pub(super) struct Work {
    pub indent: usize,
    pub mode: Mode,
    pub doc: DocId,
}

/// Whether the group around is on one line.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Mode {
    Flat,
    Broken,
}

impl Printer<'_> {
    fn finish(mut self) -> String {
        self.flush_suffixes(0);
        self.trim();
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        align(&self.out, &self.behind_code)
    }

    fn doc(&mut self, work: Work) {
        let source = self.source;
        match self.docs.get(work.doc) {
            Doc::Source(start, end) => self.text(&source[start as usize..end as usize], work.indent),
            Doc::Static(text) => self.text(text, work.indent),
            Doc::Glue(text) => self.glue(text, work.indent),
            Doc::Space => self.space(),
            Doc::Line if work.mode == Mode::Flat => self.space(),
            Doc::SoftLine if work.mode == Mode::Flat => {}
            Doc::Line | Doc::SoftLine | Doc::HardLine => self.newline(work.indent),
            Doc::BlankLine => {
                self.newline(0);
                self.newline(work.indent);
            }
            Doc::Comment(start, end) => self.comment(&source[start as usize..end as usize], work.indent),
            Doc::Suffix(start, end) => self.suffixes.push(source[start as usize..end as usize].trim_end()),
            Doc::Concat(start, end) => {
                let parts = self.docs.parts(start, end).iter().rev();
                self.work.extend(parts.map(|&doc| Work { doc, ..work }));
            }
            Doc::Nest(doc) => self.work.push(Work { indent: work.indent + INDENT, doc, ..work }),
            Doc::Group(doc, breaks) => {
                let flat = breaks == Break::IfTooLong && self.fits_flat(work, doc);
                self.work.push(Work { mode: if flat { Mode::Flat } else { Mode::Broken }, doc, ..work });
            }
            Doc::IfBroken(broken, flat) => {
                self.work.push(Work { doc: if work.mode == Mode::Broken { broken } else { flat }, ..work });
            }
            Doc::Choice(choice) => self.choice(work, choice),
            Doc::Fill(start, end) => self.fill(work, start, end),
        }
    }

    fn choice(&mut self, work: Work, choice: Choice) {
        let flat = choice.flat.filter(|&flat| !self.docs.breaks(flat) && self.fits_flat(work, flat));
        let chosen = match flat {
            Some(doc) => Work { mode: Mode::Flat, doc, ..work },
            None => {
                let hug = Work { mode: Mode::Broken, doc: choice.hug, ..work };
                if self.fits(hug) { hug } else { Work { doc: choice.expanded, ..hug } }
            }
        };
        self.work.push(chosen);
    }

    fn fits_flat(&self, work: Work, doc: DocId) -> bool {
        work.mode == Mode::Flat || self.fits(Work { mode: Mode::Flat, doc, ..work })
    }

    fn fits(&self, next: Work) -> bool {
        fits(self.docs, self.source, WIDTH.saturating_sub(self.column), next, &self.work)
    }

    /// Numbers and commas.
    fn fill(&mut self, work: Work, start: u32, end: u32) {
        for (at, &number) in self.docs.parts(start, end).iter().enumerate() {
            if at > 0 {
                self.glue(",", work.indent);
                let too_long = self.column + 1 + self.docs.width(number, self.source) + 1 > WIDTH;
                if work.mode == Mode::Broken && too_long { self.newline(work.indent) } else { self.space() }
            }
            self.number(number, work.indent);
        }
    }

    fn number(&mut self, doc: DocId, indent: usize) {
        let source = self.source;
        match self.docs.get(doc) {
            Doc::Source(start, end) => self.text(&source[start as usize..end as usize], indent),
            Doc::Concat(start, end) => self.docs.parts(start, end).iter().for_each(|&part| self.number(part, indent)),
            other => unreachable!("format: {other:?} in a list of numbers"),
        }
    }

    fn text(&mut self, text: &str, indent: usize) {
        if !self.suffixes.is_empty() {
            self.newline(indent);
        }
        self.glue(text, indent);
    }

    /// Text that may go before a waiting comment, but not after a printed one.
    fn glue(&mut self, text: &str, indent: usize) {
        if self.after_comment {
            self.newline(indent);
        }
        self.out.push_str(text);
        self.column += text.chars().count();
        self.line_is_empty &= text.is_empty();
    }

    fn space(&mut self) {
        if !self.line_is_empty && !self.after_comment && self.suffixes.is_empty() {
            self.out.push(' ');
            self.column += 1;
        }
    }

    fn comment(&mut self, text: &str, indent: usize) {
        if !self.line_is_empty || !self.suffixes.is_empty() {
            self.newline(indent);
        }
        self.glue(text.trim_end(), indent);
        self.after_comment = true;
    }

    fn newline(&mut self, indent: usize) {
        self.flush_suffixes(indent);
        self.start_line(indent);
    }

    fn start_line(&mut self, indent: usize) {
        self.trim();
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', indent));
        self.column = indent;
        self.line_is_empty = true;
        self.after_comment = false;
    }

    /// The first comment ends this line, others get lines of their own.
    fn flush_suffixes(&mut self, indent: usize) {
        for comment in std::mem::take(&mut self.suffixes) {
            if self.after_comment {
                self.start_line(indent);
            } else if !self.line_is_empty {
                self.out.push_str("  ");
                self.behind_code.push(self.out.len());
            }
            self.out.push_str(comment);
            self.line_is_empty = false;
            self.after_comment = true;
        }
    }

    fn trim(&mut self) {
        self.out.truncate(self.out.trim_end_matches(' ').len());
    }
}
