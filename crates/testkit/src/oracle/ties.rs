//! What a program decides by reals: comparisons, larger and smaller ones, whole parts, orders. If two runs near a point decide in
//! different ways, the point is at a tie, and differences around it mean nothing.

use std::cell::Cell;

thread_local!(static DECISIONS: Cell<u64> = const { Cell::new(0) });

/// Notes a decision.
pub(super) fn note(decision: i64) {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    DECISIONS.with(|all| all.set((all.get().rotate_left(7) ^ decision as u64).wrapping_mul(FACTOR)));
}

/// Runs something; its decisions, as one number. They count among those around it.
pub(super) fn decided<T>(run: impl FnOnce() -> T) -> (T, u64) {
    let before = DECISIONS.with(|all| all.replace(0));
    let result = run();
    let decisions = DECISIONS.with(|all| all.replace(before));
    note(decisions as i64);
    (result, decisions)
}

/// Runs something whose decisions don't matter.
pub(super) fn undecided<T>(run: impl FnOnce() -> T) -> T {
    let before = DECISIONS.with(Cell::get);
    let result = run();
    DECISIONS.with(|all| all.set(before));
    result
}
