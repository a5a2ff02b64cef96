//! Results on standard output and in files.
//!
//! On a terminal a value stands behind the expression it is of, laid out over lines, large arrays without their middle. Everywhere else it is
//! one line of source, or of JSON, with nothing left out. Plots are drawn (see [`crate::draw`]).

use std::cell::RefCell;

use base::{Diagnostic, Span, codes};
use evert::{Failure, Format, Session, Value};

use crate::arguments::ResultFormat;
use crate::draw::Drawing;
use crate::files;
use crate::terminal::{Terminal, Tone};

pub struct Output<'t> {
    pub terminal: &'t Terminal,
    format: ResultFormat,
    /// The last value that was shown, for a file.
    last: RefCell<Option<Value>>,
    file: Option<String>,
    drawing: Drawing,
}

/// What a value is of.
pub struct Shown<'s> {
    pub label: Option<&'s str>,
    pub span: Span,
}

/// Labels are no longer.
const LONGEST_LABEL: usize = 60;

impl<'t> Output<'t> {
    /// Output as somebody asked for it; `Err` says why a file can't be written.
    pub fn new(
        terminal: &'t Terminal,
        format: Option<ResultFormat>,
        file: Option<String>,
        drawing: Drawing,
    ) -> Result<Output<'t>, String> {
        if let Some(path) = file.as_deref().filter(|path| Format::of(path).is_none()) {
            return Err(format!("a file of results ends in {}, not {path}", evert::FORMAT_ENDINGS));
        }
        let usual = if terminal.columns.is_some() { ResultFormat::Pretty } else { ResultFormat::Text };
        Ok(Output { terminal, format: format.unwrap_or(usual), last: RefCell::new(None), file, drawing })
    }

    pub fn plain(terminal: &'t Terminal) -> Output<'t> {
        Output::new(terminal, None, None, Drawing::default())
            .unwrap_or_else(|_| unreachable!("output: no file is asked for"))
    }

    /// Is standard output for another program?
    pub fn is_data(&self) -> bool {
        self.format == ResultFormat::Json
    }

    /// Shows a value; `()` says nothing that is worth a line.
    pub fn show(&self, session: &mut Session, value: &Value, shown: Shown) -> Result<(), Failure> {
        if is_unit(value) {
            return Ok(());
        }
        let plot = if self.is_data() { None } else { session.plot(value, shown.span) };
        match plot {
            Some(plot) => self.drawing.plot(self.terminal, &plot.map_err(|error| vec![*error])?),
            None => {
                let too_large = |why| vec![Diagnostic::new(codes::ARRAY_TOO_LARGE, shown.span, why)];
                self.terminal.line(&self.text(value, shown.label).map_err(too_large)?);
            }
        }
        *self.last.borrow_mut() = Some(value.clone());
        Ok(())
    }

    fn text(&self, value: &Value, label: Option<&str>) -> Result<String, String> {
        match self.format {
            ResultFormat::Json => evert::json_text(value),
            ResultFormat::Text => eval::show::whole(value).map_err(|fault| fault.message.clone()),
            ResultFormat::Pretty => Ok(self.labelled(label, value)),
        }
    }

    fn labelled(&self, label: Option<&str>, value: &Value) -> String {
        let columns = self.terminal.columns.unwrap_or(80);
        let label = label.filter(|label| label.chars().count() <= LONGEST_LABEL && !label.contains('\n'));
        let text = eval::show::pretty(value, columns);
        match label.filter(|label| *label != text && !label.starts_with('"')) {
            None => text,
            Some(label) => {
                let paint = |label: &str| self.terminal.out.paint(Tone::Comment, label);
                let wide = label.chars().count() + 3 + text.chars().count() > columns;
                match text.contains('\n') || wide {
                    true => format!("{}\n{text}", paint(&format!("{label} ="))),
                    false => format!("{} {text}", paint(&format!("{label} ="))),
                }
            }
        }
    }

    /// Writes the last value that was shown into the file, if there is to be one. `Err`: something couldn't be written.
    pub fn finish(&self) -> Result<(), String> {
        self.drawing.finish()?;
        let Some(path) = &self.file else { return Ok(()) };
        let last = self.last.borrow();
        let value = last.as_ref().ok_or_else(|| format!("there is no result to write into {path}"))?;
        let format = Format::of(path).ok_or_else(|| format!("{path} isn't a file of data"))?;
        let bytes = evert::write_data(format, value).map_err(|why| format!("{path} can't be written: {why}"))?;
        std::fs::write(path, bytes).map_err(|error| format!("{path} can't be written: {}", files::reason(&error)))
    }
}

pub fn is_unit(value: &Value) -> bool {
    eval::force(value).is_ok_and(|value| value.is_unit())
}
