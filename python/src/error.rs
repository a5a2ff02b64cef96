//! Diagnostics as exceptions. What they look like in Python is `evert/_errors.py`'s business; here they become plain data.

use base::{Diagnostic, Sources, Span};
use evert::report::{self, Paint};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// The exception for what is wrong with an input.
pub fn failure(py: Python<'_>, sources: &Sources, diagnostics: &[Diagnostic]) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let list = PyList::empty(py);
        for diagnostic in diagnostics {
            list.append(data(py, sources, diagnostic)?)?;
        }
        let rendered = report::all(sources, &known(sources, diagnostics), Paint::Plain);
        let error = py.import("evert._errors")?.call_method1("from_diagnostics", (list, rendered))?;
        Ok(PyErr::from_value(error))
    };
    made().unwrap_or_else(|error| error)
}

/// The exception for an error in a call. The outermost place is the call itself, which isn't written in any program.
pub fn of_call(py: Python<'_>, sources: &Sources, mut diagnostic: Diagnostic) -> PyErr {
    if let Some(outermost) = diagnostic.trace.last_mut() {
        outermost.span = Span::OF_CALLER;
    }
    failure(py, sources, &[diagnostic])
}

/// An argument that can't be one, with a sentence about it.
pub fn argument(py: Python<'_>, message: impl AsRef<str>) -> PyErr {
    let error = py.import("evert._errors").and_then(|errors| errors.call_method1("ArgumentError", (message.as_ref(),)));
    error.map_or_else(|error| error, PyErr::from_value)
}

/// A mistake of ours, from what a panic said.
pub fn bug(py: Python<'_>, panic: &(dyn std::any::Any + Send)) -> PyErr {
    let words = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    let words = words.unwrap_or("a panic without words");
    let error = py.import("evert._errors").and_then(|errors| errors.call_method1("Bug", (words,)));
    error.map_or_else(|error| error, PyErr::from_value)
}

/// Without the calls that have no place.
fn known(sources: &Sources, diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
    let is_known = |span: Span| sources.ids().any(|file| file == span.file);
    let known = |diagnostic: &Diagnostic| {
        let mut diagnostic = diagnostic.clone();
        diagnostic.trace.retain(|call| is_known(call.span));
        if !is_known(diagnostic.span()) {
            diagnostic.labels[0].span = Span::default();
        }
        diagnostic
    };
    diagnostics.iter().map(known).collect()
}

fn data<'py>(py: Python<'py>, sources: &Sources, diagnostic: &Diagnostic) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("code", diagnostic.code.to_string())?;
    dict.set_item("message", &diagnostic.message)?;
    dict.set_item("notes", diagnostic.notes.clone())?;
    dict.set_item("help", diagnostic.help.clone())?;
    dict.set_item("place", place(py, sources, diagnostic.span())?)?;
    let labels = PyList::empty(py);
    for label in &diagnostic.labels {
        labels.append((&label.text, place(py, sources, label.span)?))?;
    }
    dict.set_item("labels", labels)?;
    let trace = PyList::empty(py);
    for call in &diagnostic.trace {
        trace.append((&call.text, place(py, sources, call.span)?))?;
    }
    dict.set_item("trace", trace)?;
    Ok(dict)
}

/// File, its text, first and last byte; `None` for code without a place.
fn place<'py>(py: Python<'py>, sources: &Sources, span: Span) -> PyResult<Bound<'py, PyAny>> {
    if sources.ids().all(|file| file != span.file) {
        return Ok(py.None().into_bound(py));
    }
    let file = sources.get(span.file);
    let dict = PyDict::new(py);
    dict.set_item("file", &file.name)?;
    dict.set_item("text", &*file.text)?;
    dict.set_item("start", span.start)?;
    dict.set_item("end", span.end)?;
    Ok(dict.into_any())
}
