//! What programs print: it goes to Python's `sys.stdout`, so that notebooks and tests see it.

use pyo3::prelude::*;

use crate::exits;
use crate::program::Abroad;

/// Writes a line. An exception there (nobody listens any more) is reported as Python reports those of finalizers: the program goes on.
pub fn print_line(line: &str) {
    let _abroad = Abroad::enter();
    exits::before_python();
    Python::attach(|py| {
        let written = py.import("sys").and_then(|sys| sys.getattr("stdout")).and_then(|out| {
            if out.is_none() {
                return Ok(());
            }
            out.call_method1("write", (format!("{line}\n"),)).map(|_| ())
        });
        if let Err(error) = written {
            error.write_unraisable(py, None);
        }
    });
}
