//! How much memory programs take. A process of its own: its allocator counts.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use common::*;
use first_order::*;

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A loop in which each round makes a new array of a hundred reals from the old one.
fn rounds(n: i64) -> Program {
    let function = constant(reals(1), |b| {
        let first = b.tabulate(reals(1), int(100), |_, _| End::Yield(real(1.0)));
        count_down(b, int(n), reals(1), first, |b, _, old| {
            let x = b.bind(Type::Real, Op::Element(old.clone(), vec![int(1)]));
            b.bind(reals(1), Op::Replace(old, vec![int(0)], x))
        })
    });
    program(vec![function], &[], VECTOR)
}

fn most_of(program: &Program) -> usize {
    let before = NOW.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    assert!(run_on(program, vec![]).is_ok());
    MOST.load(Ordering::Relaxed) - before
}

#[test]
fn a_loop_of_a_million_steps_runs_in_constant_memory() {
    most_of(&rounds(10));
    let (few, many) = (most_of(&rounds(10)), most_of(&rounds(1_000_000)));
    assert!(many <= few + 1000, "{few} bytes for ten rounds, {many} for a million");
}
