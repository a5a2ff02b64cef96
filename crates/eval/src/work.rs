//! Counts of what a computation costs, for tests of asymptotic claims: steps of the machine plus elements
//! touched by primitives.

use std::cell::Cell;

use base::codes;

use crate::fault::{Fault, Result};

thread_local! {
    static WORK: Cell<u64> = const { Cell::new(0) };
    /// The work at which the computation on this thread ends.
    static LIMIT: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// Adds to the work done on this thread.
pub fn add(amount: usize) {
    WORK.with(|work| work.set(work.get().wrapping_add(amount as u64)));
}

/// Adds what takes long all at once, unless that is more than may be done: then it isn't begun.
pub(crate) fn begin(amount: usize) -> Result<()> {
    add(amount);
    if done() > LIMIT.get() { Err(Box::new(exhausted())) } else { Ok(()) }
}

/// The end of a computation that may take no more steps.
pub(crate) fn exhausted() -> Fault {
    Fault::new(codes::OUT_OF_STEPS, "the computation was stopped: too many steps")
}

/// Sets the work at which the computation on this thread ends; what it was before.
pub(crate) fn limit(work: u64) -> u64 {
    LIMIT.replace(work)
}

/// The work done on this thread so far.
pub fn done() -> u64 {
    WORK.with(Cell::get)
}

/// Forgets what was done since then.
pub(crate) fn restore(work: u64) {
    WORK.with(|cell| cell.set(work));
}
