//! Runners that wait for work.
//!
//! A runner is a stack and a heap: addresses that cost, and memory that is warm. Whoever runs code takes one and gives it back; there are
//! as many as threads that run code at once. No locks: a process may be forked while other threads run, and a lock that one of them holds
//! would never be free again in the child.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::run::Runner;

/// So many runners wait at most.
const SLOTS: usize = 64;

static WAITING: [AtomicPtr<Runner>; SLOTS] = [const { AtomicPtr::new(ptr::null_mut()) }; SLOTS];

/// A runner that nobody uses; `None` if there is none and the system has no room for a stack.
pub fn take() -> Option<Box<Runner>> {
    for slot in &WAITING {
        if slot.load(Ordering::Relaxed).is_null() {
            continue;
        }
        let runner = slot.swap(ptr::null_mut(), Ordering::Acquire);
        if !runner.is_null() {
            // SAFETY: `give_back` made it from a box, and the slot is empty now: it is ours alone. Nothing in a runner belongs to a
            // thread: its values are its own, and between runs it has none.
            return Some(unsafe { Box::from_raw(runner) });
        }
    }
    Runner::new().map(Box::new)
}

/// Lets a runner wait for the next run, on whatever thread.
pub fn give_back(mut runner: Box<Runner>) {
    runner.rest();
    let runner = Box::into_raw(runner);
    for slot in &WAITING {
        if slot.compare_exchange(ptr::null_mut(), runner, Ordering::Release, Ordering::Relaxed).is_ok() {
            return;
        }
    }
    // SAFETY: no slot has it.
    drop(unsafe { Box::from_raw(runner) });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runner_that_was_given_back_is_taken_again() {
        let (first, second) = (take().expect("a stack"), take().expect("a stack"));
        let known = [ptr::from_ref(&*first), ptr::from_ref(&*second)];
        assert_ne!(known[0], known[1]);
        give_back(first);
        give_back(second);
        assert!(known.contains(&ptr::from_ref(&*take().expect("one waits"))));
    }
}
