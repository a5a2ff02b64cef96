//! Counts the memory in use, so that a program that grows without end is stopped before the machine is exhausted.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use eval::memory::{Meter, limit};

/// The system's allocator, counting.
pub struct Counting;

static USED: AtomicUsize = AtomicUsize::new(0);

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

/// Limits what programs on this thread may take. `Err` says what is wrong with the environment.
pub fn limit_programs() -> Result<(), String> {
    limit(Meter { used: || USED.load(Ordering::Relaxed), limit: bytes()? });
    Ok(())
}

/// What the user allows, or a third of what the machine has.
fn bytes() -> Result<usize, String> {
    const VARIABLE: &str = "EVERT_MEMORY_MB";
    const MEGABYTE: usize = 1 << 20;
    let Some(asked) = std::env::var_os(VARIABLE).filter(|text| !text.is_empty()) else {
        return Ok(machine_megabytes().map_or(4096, |megabytes| megabytes / 3) * MEGABYTE);
    };
    let asked = asked.to_string_lossy();
    let megabytes = asked.trim().parse::<usize>().ok().filter(|megabytes| *megabytes > 0);
    megabytes.and_then(|megabytes| megabytes.checked_mul(MEGABYTE)).ok_or_else(|| {
        let most = usize::MAX / MEGABYTE;
        format!("{VARIABLE} is `{asked}`; it can be a whole number of megabytes from 1 to {most}")
    })
}

fn machine_megabytes() -> Option<usize> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let total = info.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: usize = total.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes / 1024)
}
