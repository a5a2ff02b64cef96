//! Functions of Python's that programs call. The reference evaluator calls them; an exception in one ends the program and goes on to the
//! caller as it was raised.

use std::cell::RefCell;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use evert::Value;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rustc_hash::FxHashMap;

use crate::exits;
use crate::program::{Abroad, lock};
use crate::values::{self, Reader};

static KNOWN: LazyLock<Mutex<FxHashMap<i64, Arc<Py<PyAny>>>>> = LazyLock::new(Default::default);

thread_local! {
    /// The exception that ended a program on this thread, and the words that its diagnostic has.
    static RAISED: RefCell<Option<(String, PyErr)>> = const { RefCell::new(None) };
}

/// The numbers of functions that programs may call as long as this is alive.
#[derive(Default)]
pub struct Lent(Vec<i64>);

impl Lent {
    pub fn lend(&mut self, function: Py<PyAny>) -> i64 {
        static NEXT: AtomicI64 = AtomicI64::new(1);
        eval::foreign::set_host(call);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        lock(&KNOWN).insert(number, Arc::new(function));
        self.0.push(number);
        number
    }

    /// Programs have kept some: they stay.
    pub fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let ended: Vec<_> = {
            let mut known = lock(&KNOWN);
            self.0.drain(..).filter_map(|number| known.remove(&number)).collect()
        };
        drop(ended);
    }
}

/// The exception behind a diagnostic, if there is one.
pub fn raised(message: &str) -> Option<PyErr> {
    let (words, error) = RAISED.take()?;
    (words == message).then_some(error)
}

fn call(number: i64, x: &Value) -> Result<Value, String> {
    let _abroad = Abroad::enter();
    exits::before_python();
    Python::attach(|py| {
        let Some(function) = lock(&KNOWN).get(&number).cloned() else {
            return Err("this function of Python's was lent for one call, which is over".into());
        };
        let result = call_python(py, &function, x);
        result.map_err(|error| {
            let kind = error.get_type(py).name().map_or_else(|_| "an exception".into(), |name| name.to_string());
            let words = format!("a function of Python's raised {kind}: {}", error.value(py));
            RAISED.set(Some((words.clone(), error)));
            words
        })
    })
}

/// A tuple is several arguments, as in calls of programs from Python.
fn call_python(py: Python<'_>, function: &Py<PyAny>, x: &Value) -> PyResult<Value> {
    let argument = values::object(py, x, &mut None)?;
    let function = function.bind(py);
    let result = match argument.cast_exact::<PyTuple>() {
        Ok(arguments) => function.call1(arguments)?,
        Err(_) if argument.is_none() => function.call0()?,
        Err(_) => function.call1((argument,))?,
    };
    Reader::new(None).read(&result)
}
