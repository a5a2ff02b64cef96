//! What programs print: it goes to Python's `sys.stdout`, so that notebooks and tests see it.

use std::cell::RefCell;

use pyo3::exceptions::PyException;
use pyo3::prelude::*;

use crate::exits;
use crate::program::Abroad;

thread_local! {
    /// What ended a line on this thread, and the call with it: Ctrl-C while Python writes.
    static ENDED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// The exception that is to end the call under way on this thread.
pub fn ended() -> Option<PyErr> {
    ENDED.take()
}

/// Writes a line. An exception there (nobody listens any more) is reported as Python reports those of finalizers: the program goes on. One that is to end
/// more than that (`KeyboardInterrupt`) waits until the program has stopped.
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
        match written {
            Ok(()) => {}
            Err(error) if error.is_instance_of::<PyException>(py) => error.write_unraisable(py, None),
            Err(error) => ENDED.set(Some(error)),
        }
    });
}
