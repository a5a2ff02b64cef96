//! Diagnostics as text: the code and what is wrong, the lines it is about, what was expected and found, what to try,
//! and the calls that led there.
//!
//! ```text
//! error[E0307]: index 3 is out of range
//!   --> program.ev:2:15
//!   |
//! 2 | fn g(x) = 1 + x[3]
//!   |               ^^^^
//!   = the array has shape [1]; indices go from 0 to 0
//!   = in `g`, called from program.ev:1:15
//! ```
//!
//! Without colour the text depends on the diagnostic alone. However long a line is, a window of it is shown.
//! (A renderer of our own: ariadne writes lines out in full, also one of ten megabytes.)

mod excerpt;
mod paint;

use base::{Code, Diagnostic, FileId, Label, Sources, Span, Trace};

use excerpt::{Excerpt, Place, clean};
pub use paint::{Paint, Tone};

/// How many mistakes of one input are shown.
const MOST: usize = 20;

/// All diagnostics of one input.
pub fn all(sources: &Sources, diagnostics: &[Diagnostic], paint: Paint) -> String {
    let shown = diagnostics.iter().take(MOST).map(|diagnostic| render(sources, diagnostic, paint) + "\n");
    let mut text: String = shown.collect();
    if diagnostics.len() > MOST {
        text += &format!("… and {} more\n", diagnostics.len() - MOST);
    }
    text
}

/// Where to read more about the codes.
pub fn hint(diagnostics: &[Diagnostic]) -> String {
    let mut codes: Vec<Code> = vec![];
    for diagnostic in diagnostics.iter().take(MOST) {
        if !codes.contains(&diagnostic.code) {
            codes.push(diagnostic.code);
        }
    }
    let kind = |code: &Code| if code.is_warning() { "warning" } else { "error" };
    match &codes[..] {
        [] => String::new(),
        [code] => format!("`evert explain {code}` says more about this {}.\n", kind(code)),
        codes => {
            let codes: Vec<String> = codes.iter().map(Code::to_string).collect();
            format!("`evert explain CODE` says more about each: {}.\n", codes.join(", "))
        }
    }
}

pub fn render(sources: &Sources, diagnostic: &Diagnostic, paint: Paint) -> String {
    let kind = match diagnostic.code.is_warning() {
        true => paint.paint(Tone::Bracket, &format!("warning[{}]", diagnostic.code)),
        false => paint.paint(Tone::Error, &format!("error[{}]", diagnostic.code)),
    };
    render_as(&kind, sources, diagnostic, paint)
}

/// What is worth knowing about a place though it is no mistake, shown as mistakes are.
pub struct Remark {
    /// What stands before the title.
    pub kind: &'static str,
    pub title: String,
    pub span: Span,
    pub notes: Vec<String>,
    pub help: Vec<String>,
}

impl Remark {
    pub fn render(self, sources: &Sources, paint: Paint) -> String {
        // The code isn't shown.
        let diagnostic = Diagnostic::new(Code(0), self.span, self.title);
        let diagnostic = self.notes.into_iter().fold(diagnostic, Diagnostic::note);
        let diagnostic = self.help.into_iter().fold(diagnostic, Diagnostic::help);
        render_as(&paint.paint(Tone::Second, self.kind), sources, &diagnostic, paint)
    }
}

fn render_as(kind: &str, sources: &Sources, diagnostic: &Diagnostic, paint: Paint) -> String {
    let margin = margin(sources, diagnostic);
    let mut writer = Writer { sources, paint, margin, out: String::new() };
    writer.title(kind, diagnostic);
    for file in files(diagnostic) {
        let labels: Vec<&Label> = diagnostic.labels.iter().filter(|label| label.span.file == file).collect();
        writer.excerpt(&labels, diagnostic.span());
    }
    diagnostic.notes.iter().for_each(|note| writer.fact(None, note));
    diagnostic.help.iter().for_each(|help| writer.fact(Some("help"), help));
    calls(diagnostic).for_each(|(call, from)| writer.call(&call.text, from));
    writer.out
}

/// A place in words: file, line and column.
pub fn place(sources: &Sources, span: Span) -> String {
    let place = Place::new(sources, span);
    format!("{}:{}:{}", clean(&sources.get(span.file).name), place.line, place.column)
}

/// The files of the labels, that of the mistake itself first.
fn files(diagnostic: &Diagnostic) -> Vec<FileId> {
    let mut files = vec![];
    for label in &diagnostic.labels {
        if !files.contains(&label.span.file) {
            files.push(label.span.file);
        }
    }
    files
}

/// The calls that have a place they come from. The outermost one has none: its span is that of the function itself,
/// around the call before it. If it is the statement at top level, it is no function to a reader and left out.
fn calls(diagnostic: &Diagnostic) -> impl Iterator<Item = (&Trace, Option<Span>)> {
    let outermost = diagnostic.trace.len().wrapping_sub(1);
    let calls = diagnostic.trace.iter().enumerate().map(move |(at, call)| {
        let inner = at.checked_sub(1).map_or(diagnostic.span(), |before| diagnostic.trace[before].span);
        let is_definition = at == outermost && contains(call.span, inner);
        (call, (!is_definition).then_some(call.span))
    });
    calls.filter(|(call, from)| from.is_some() || call.text != "in an unnamed function")
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}

/// The width of the largest line number.
fn margin(sources: &Sources, diagnostic: &Diagnostic) -> usize {
    let lines = diagnostic.labels.iter().map(|label| Place::new(sources, label.span).line);
    lines.max().unwrap_or(1).to_string().len()
}

struct Writer<'a> {
    sources: &'a Sources,
    paint: Paint,
    margin: usize,
    out: String,
}

impl Writer<'_> {
    fn title(&mut self, kind: &str, diagnostic: &Diagnostic) {
        let message = clean(&diagnostic.message);
        let (first, rest) = message.split_once('\n').unwrap_or((&message, ""));
        self.line(&format!("{kind}: {}", self.paint.paint(Tone::Strong, first)));
        rest.lines().for_each(|line| self.line(&format!("  {line}")));
    }

    /// The lines of one file, each with its labels beneath.
    fn excerpt(&mut self, labels: &[&Label], main: Span) {
        let excerpt = Excerpt::new(self.sources, labels);
        let name = clean(&self.sources.get(labels[0].span.file).name);
        let arrow = self.paint.paint(Tone::Frame, if labels[0].span == main { "-->" } else { ":::" });
        let indent = " ".repeat(self.margin + 1);
        if excerpt.is_empty {
            return self.line(&format!("{indent}{arrow} {name}"));
        }
        let place = Place::new(self.sources, labels[0].span);
        self.line(&format!("{indent}{arrow} {name}:{}:{}", place.line, place.column));
        self.gutter("", "");
        let mut before = None;
        for row in &excerpt.rows {
            if before.is_some_and(|line| line + 1 < row.line) {
                self.line(&self.paint.paint(Tone::Frame, "..."));
            }
            before = Some(row.line);
            self.gutter(&row.line.to_string(), &row.text);
            for mark in &row.marks {
                let (tone, sign) = if mark.span == main { (Tone::Error, "^") } else { (Tone::Second, "-") };
                let sign = self.paint.paint(tone, &sign.repeat(mark.width));
                let text = self.paint.paint(tone, &mark.text);
                self.gutter("", format!("{}{sign} {text}", " ".repeat(mark.indent)).trim_end());
            }
        }
    }

    fn gutter(&mut self, number: &str, text: &str) {
        let frame = self.paint.paint(Tone::Frame, &format!("{number:>margin$} |", margin = self.margin));
        self.line(format!("{frame} {text}").trim_end());
    }

    fn fact(&mut self, kind: Option<&str>, text: &str) {
        let head = kind.map_or(String::new(), |kind| format!("{}: ", self.paint.paint(Tone::Help, kind)));
        let sign = self.paint.paint(Tone::Frame, "=");
        let indent = " ".repeat(self.margin + 1);
        for (at, line) in clean(text).lines().enumerate() {
            let start = if at == 0 { format!("{indent}{sign} {head}") } else { format!("{indent}  ") };
            self.line(&format!("{start}{line}"));
        }
    }

    fn call(&mut self, what: &str, from: Option<Span>) {
        let Some(from) = from else { return self.fact(None, what) };
        let place = Place::new(self.sources, from);
        let name = &self.sources.get(from.file).name;
        self.fact(None, &format!("{what}, called from {name}:{}:{}", place.line, place.column));
    }

    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }
}

#[cfg(test)]
mod tests;
