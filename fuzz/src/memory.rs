//! Counts the memory in use, as the command line does: programs that take too much end in a diagnostic.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use eval::memory::{Meter, limit};

/// For one program; well below the fuzzer's own limit.
const LIMIT: usize = 512 << 20;

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static USED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        USED.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: by the contract of this function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: by the contract of this function.
        unsafe { System.dealloc(pointer, layout) }
    }
}

fn used() -> usize {
    USED.load(Ordering::Relaxed)
}

/// Limits what is taken from now on; what earlier programs left behind doesn't count.
pub fn limit_program() {
    limit(Meter { used, limit: used() + LIMIT });
}
