//! How much memory a computation may take.
//!
//! Nothing here measures it by itself: a program that wants to be limited has [`Counting`] as its allocator, or says otherwise how much is in use
//! ([`Meter`]). The evaluator, compiled code and the compiler all stay within the limit of their thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

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

/// How much is in use, as far as the thread's meter knows.
pub fn used() -> usize {
    METER.with(Cell::get).map_or_else(counted, |meter| (meter.used)())
}

/// May so many bytes be taken at once? Where nobody set a limit, only what no machine has is refused.
pub fn has_room_for(bytes: usize) -> bool {
    const AT_MOST: usize = if usize::BITS > 34 { 1 << 34 } else { 1 << 30 };
    match METER.with(Cell::get) {
        Some(meter) => (meter.used)().saturating_add(bytes) <= meter.limit,
        None => bytes <= AT_MOST,
    }
}

/// The system's allocator, counting.
pub struct Counting;

static USED: AtomicUsize = AtomicUsize::new(0);

/// How much is in use in this process, if its allocator is [`Counting`]; 0 otherwise.
pub fn counted() -> usize {
    USED.load(Ordering::Relaxed)
}

// SAFETY: every call is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        USED.fetch_add(layout.size(), Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        USED.fetch_add(size, Ordering::Relaxed);
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}
