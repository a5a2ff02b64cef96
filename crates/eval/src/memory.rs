//! How much memory a computation may take. The evaluator can't measure it; whoever runs it may say how.

use std::cell::Cell;

/// How much is in use, and how much may be.
#[derive(Clone, Copy)]
pub struct Meter {
    pub used: fn() -> usize,
    pub limit: usize,
}

thread_local!(static METER: Cell<Option<Meter>> = const { Cell::new(None) });

/// From now on computations on this thread stay within the meter's limit.
pub fn limit(meter: Meter) {
    METER.with(|cell| cell.set(Some(meter)));
}

/// May so many bytes be taken at once? Where nobody set a limit, only what no machine has is refused.
pub fn has_room_for(bytes: usize) -> bool {
    const AT_MOST: usize = 1 << 34;
    match METER.with(Cell::get) {
        Some(meter) => (meter.used)().saturating_add(bytes) <= meter.limit,
        None => bytes <= AT_MOST,
    }
}
