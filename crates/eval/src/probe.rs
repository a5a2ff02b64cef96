//! Are we probing? An array without elements has the kind that its elements would have, and the machine finds that out by computing
//! one that nobody asked for (`machine/probe.rs`). Nothing but its kind matters, so while a probe runs primitives needn't fail
//! where a value would: an array without elements has a sample element at every place and fits any shape of its rank.

use std::cell::Cell;

use crate::value::Value;

/// A probe doesn't look at larger arrays, and makes none.
pub const MAX_SIZE: usize = 1 << 12;

thread_local!(static ACTIVE: Cell<bool> = const { Cell::new(false) });

pub fn is_active() -> bool {
    ACTIVE.with(Cell::get)
}

pub(crate) fn set_active(active: bool) {
    ACTIVE.with(|cell| cell.set(active));
}

/// How many of so many elements like this one an array gets in a probe.
pub(crate) fn copies(n: usize, element: &Value) -> usize {
    let size = if let Value::Array(array) = element { array.size() } else { 1 };
    n.min(MAX_SIZE / size.max(1)).max(1)
}

/// Is it more than a probe should compute with?
pub(crate) fn is_too_large(value: &Value) -> bool {
    is_active() && matches!(value, Value::Array(array) if array.size() > MAX_SIZE)
}
