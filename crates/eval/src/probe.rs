//! Are we probing? An array without elements has the kind that its elements would have, and the machine finds that out by computing
//! one that nobody asked for (`machine/probe.rs`). Nothing but its kind matters, so while a probe runs primitives needn't fail
//! where a value would: an array without elements has a sample element at every place and fits any shape of its rank.

use std::cell::Cell;

/// Larger arrays aren't worth a look at their kind.
pub const MAX_SIZE: usize = 1 << 16;

thread_local!(static ACTIVE: Cell<bool> = const { Cell::new(false) });

pub fn is_active() -> bool {
    ACTIVE.with(Cell::get)
}

pub(crate) fn set_active(active: bool) {
    ACTIVE.with(|cell| cell.set(active));
}
