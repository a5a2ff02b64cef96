//! Are we probing? An array without elements has the kind that its elements would have, and the machine finds that out by computing
//! one that nobody asked for (`machine/probe.rs`). Nothing but its kind matters, so while a probe runs primitives needn't fail
//! where a value would: an array without elements has a sample element at every place and fits any shape of its rank.

use std::cell::Cell;

use crate::value::Value;

/// A probe doesn't compute with larger arrays.
const MAX_SIZE: usize = 1 << 12;

/// Arrays that a probe makes aren't longer along any axis: how long they are doesn't matter.
pub const MAX_LENGTH: usize = 8;

thread_local!(static ACTIVE: Cell<bool> = const { Cell::new(false) });

pub fn is_active() -> bool {
    ACTIVE.with(Cell::get)
}

pub(crate) fn set_active(active: bool) {
    ACTIVE.with(|cell| cell.set(active));
}

/// Is it more than a probe should compute with?
pub(crate) fn is_too_large(value: &Value) -> bool {
    matches!(value, Value::Array(array) if array.size() > MAX_SIZE)
}

/// Rows of one rank get the shape of the first that has elements: lengths that nobody saw may be any.
pub(crate) fn fitted(values: Vec<Value>) -> Vec<Value> {
    let seen = values.iter().find_map(|value| if let Value::Array(row) = value { Some(row) } else { None });
    let Some(seen) = seen.cloned() else { return values };
    let full = values.iter().find_map(|value| match value {
        Value::Array(row) if !row.is_empty() && row.shape.len() == seen.shape.len() => Some(row.clone()),
        _ => None,
    });
    let shape = full.unwrap_or(seen).shape.clone();
    let fit = |value| match value {
        Value::Array(row) if row.shape.len() == shape.len() && row.shape != shape => {
            Value::array(row.stretched(shape.clone()).unwrap_or_else(|| (*row).clone()))
        }
        other => other,
    };
    values.into_iter().map(fit).collect()
}
