//! The lines of a file that labels point at, cut to a width, and where on them the labels stand.

use base::{Label, Sources, Span};
use unicode_width::UnicodeWidthChar;

/// How many characters of a line are shown, and how many of them before the label if it stands far to the right.
const WINDOW: usize = 120;
const BEFORE: usize = 50;
const TAB: &str = "    ";

/// A place in words: line and column from one, and the range of its line.
pub struct Place {
    pub line: usize,
    pub column: usize,
    line_start: usize,
    line_end: usize,
    start: usize,
    end: usize,
}

impl Place {
    /// A place after the last word of the text moves back to it: nobody looks for a mistake in empty lines.
    pub fn new(sources: &Sources, span: Span) -> Place {
        let text: &str = &sources.get(span.file).text;
        let start = floor(text, span.start as usize);
        let end = floor(text, span.end as usize).max(start);
        let (start, end) = match text[start..].trim().is_empty() {
            true if start > 0 => (text[..start].trim_end().len(), text[..start].trim_end().len()),
            _ => (start, end),
        };
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let (line, column) = sources.line_column(span.file, start as u32);
        Place { line, column, line_start, line_end, start, end: end.min(line_end) }
    }
}

/// The nearest boundary of a character, not after `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

pub struct Excerpt {
    /// The file has no text.
    pub is_empty: bool,
    pub rows: Vec<Row>,
}

/// A line of the file, or a window of it.
pub struct Row {
    pub line: usize,
    pub text: String,
    pub marks: Vec<Mark>,
}

/// What stands under a line: in columns of the terminal.
pub struct Mark {
    pub span: Span,
    pub indent: usize,
    pub width: usize,
    pub text: String,
}

impl Excerpt {
    /// The labels are of one file.
    pub fn new(sources: &Sources, labels: &[&Label]) -> Excerpt {
        let text = &sources.get(labels[0].span.file).text;
        let mut placed: Vec<(Place, &Label)> =
            labels.iter().map(|label| (Place::new(sources, label.span), *label)).collect();
        placed.sort_by_key(|(place, _)| place.start);
        let mut rows: Vec<Row> = vec![];
        for (place, label) in placed {
            let (row, mark) = window(text, &place, label);
            match rows.last_mut() {
                // Two labels share a line unless it is so long that each has its own window.
                Some(last) if last.line == row.line && last.text == row.text => last.marks.push(mark),
                _ => rows.push(Row { marks: vec![mark], ..row }),
            }
        }
        Excerpt { is_empty: text.trim().is_empty(), rows }
    }
}

fn window(text: &str, place: &Place, label: &Label) -> (Row, Mark) {
    let line = &text[place.line_start..place.line_end];
    let (start, end) = (place.start - place.line_start, place.end - place.line_start);
    let from = match line.len() <= WINDOW {
        true => 0,
        false => line[..start].char_indices().rev().nth(BEFORE).map_or(0, |(at, _)| at),
    };
    let to = line[from..].char_indices().nth(WINDOW).map_or(line.len(), |(at, _)| from + at);
    let (head, tail) = (if from > 0 { "…" } else { "" }, if to < line.len() { "…" } else { "" });
    let before = head.to_string() + &visible(&line[from..start]);
    let marked = visible(&line[start..end.clamp(start, to.max(start))]);
    let mark =
        Mark { span: label.span, indent: width(&before), width: width(&marked).max(1), text: clean(&label.text) };
    let shown = format!("{head}{}{tail}", visible(line[from..to].trim_end()));
    (Row { line: place.line, text: shown, marks: vec![] }, mark)
}

/// A piece of a line as it is safe to show: tabs as spaces, nothing that steers the terminal.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => out.push_str(TAB),
            c => out.push(harmless(c)),
        }
    }
    out
}

/// A message as it is safe to show; it may have several lines.
pub fn clean(text: &str) -> String {
    text.chars().map(|c| if c == '\n' { c } else { harmless(c) }).collect()
}

/// Control characters and those that turn the direction of text around are replaced.
fn harmless(c: char) -> char {
    let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if c.is_control() || turns { '\u{fffd}' } else { c }
}

fn width(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}
