//! Counts of what a computation costs, for tests of asymptotic claims: steps of the machine plus elements
//! touched by primitives.

use std::cell::Cell;

thread_local!(static WORK: Cell<u64> = const { Cell::new(0) });

/// Adds to the work done on this thread.
pub fn add(amount: usize) {
    WORK.with(|work| work.set(work.get().wrapping_add(amount as u64)));
}

/// The work done on this thread so far.
pub fn done() -> u64 {
    WORK.with(Cell::get)
}

/// Forgets what was done since then.
pub(crate) fn restore(work: u64) {
    WORK.with(|cell| cell.set(work));
}
