//! Values that unfold one level when inspected: J-images of data that holds functions, and sensitivities in
//! the full shape of what they belong to. Each is computed once.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::fault::Result;
use crate::value::{Lazy, Suspended, Value};
use crate::{lift, sensitivity, sparse};

impl Value {
    pub fn suspend(kind: Suspended) -> Value {
        Value::Lazy(Rc::new(Lazy { kind, cell: OnceCell::new() }))
    }
}

/// The value with its head unfolded; its parts may still be lazy.
pub fn force(value: &Value) -> Result<Value> {
    let Value::Lazy(lazy) = value else { return Ok(value.clone()) };
    if let Some(value) = lazy.cell.get() {
        return Ok(value.clone());
    }
    let unfolded = deep(|| match &lazy.kind {
        Suspended::Lifted { of, by } => lift::unfold(of, *by),
        Suspended::Full { of, sensitivity } => sensitivity::unfold(of, sensitivity),
        Suspended::Numbers { full } => sensitivity::numbers(full),
    })?;
    let _ = lazy.cell.set(unfolded.clone());
    Ok(unfolded)
}

/// Like [`force`], for a value that isn't needed otherwise: keeps it unshared where it was.
pub fn forced(value: Value) -> Result<Value> {
    match value {
        Value::Lazy(_) => force(&value),
        value => Ok(value),
    }
}

/// The value with its head unfolded; a sparse sensitivity is added up.
pub fn settled(value: &Value) -> Result<Value> {
    match force(value)? {
        Value::Sparse(sparse) => Ok(Value::Array(sparse::dense(&sparse)?)),
        other => Ok(other),
    }
}

/// Runs a step of a recursion over data, however deep.
pub fn deep<T>(step: impl FnOnce() -> T) -> T {
    base::budget::deep(step)
}
