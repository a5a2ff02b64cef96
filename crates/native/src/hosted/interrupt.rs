//! Stopping what runs, where the host does it by ending all: there is nothing to do here.

use std::ops::Range;

use crate::runtime::Context;

/// What `enter` would return where a run was stopped.
pub const STATUS: u64 = u64::MAX;

pub(crate) fn during<T>(_: *mut Context, _: &Range<usize>, _top: usize, run: impl FnOnce() -> T) -> T {
    run()
}
