//! How much memory Evert takes in this process, and how much it may take.
//!
//! Only our own allocations are counted; the host's arrays aren't ours.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use eval::memory::{Meter, limit};
use pyo3::prelude::*;

/// The system's allocator, counting.
pub struct Counting;

static USED: AtomicUsize = AtomicUsize::new(0);
/// 0: nobody has said.
static LIMIT: AtomicUsize = AtomicUsize::new(0);

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

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        USED.fetch_add(size, Ordering::Relaxed);
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: by the contract of this function.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// From now on what runs on this thread stays within the limit. Every call does this: threads are the host's.
pub fn limit_this_thread() {
    limit(Meter { used: || USED.load(Ordering::Relaxed), limit: bytes() });
}

fn bytes() -> usize {
    match LIMIT.load(Ordering::Relaxed) {
        0 => {
            let bytes = usual().max(1);
            LIMIT.store(bytes, Ordering::Relaxed);
            bytes
        }
        bytes => bytes,
    }
}

/// What the environment says, or a third of what the machine has.
fn usual() -> usize {
    let asked: Option<usize> = std::env::var("EVERT_MEMORY_MB").ok().and_then(|text| text.trim().parse().ok());
    asked.or_else(|| Some(machine_megabytes()? / 3)).unwrap_or(4096) << 20
}

fn machine_megabytes() -> Option<usize> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let total = info.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: usize = total.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes / 1024)
}

/// How many bytes programs may take, all together, in this process; `None`: as many as at the start.
#[pyfunction]
#[pyo3(signature = (bytes=None))]
pub fn set_memory_limit(bytes: Option<usize>) {
    LIMIT.store(bytes.unwrap_or(0), Ordering::Relaxed);
}

/// How many bytes Evert has taken, and how many it may take.
#[pyfunction]
pub fn memory() -> (usize, usize) {
    (USED.load(Ordering::Relaxed), bytes())
}
