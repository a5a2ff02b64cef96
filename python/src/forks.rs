//! What must be done when the process is forked. Python calls these from the thread that forks.
//!
//! Threads other than that one don't exist in the child, and what they had locked stays locked there. So nobody is inside LLVM while the
//! process is forked; sessions and names find out whether somebody had their lock.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use pyo3::prelude::*;

static FORKS: AtomicU64 = AtomicU64::new(0);

thread_local!(static HELD: RefCell<Option<llvm::Held>> = const { RefCell::new(None) });

/// Differs between a process and those that it was forked from.
pub fn count() -> u64 {
    FORKS.load(Ordering::Relaxed)
}

/// Before a fork: waits until nobody compiles. Whoever compiles has released the GIL, and needs it to go on afterwards.
#[pyfunction]
pub fn before_fork(py: Python<'_>) {
    loop {
        if let Some(held) = llvm::Held::try_hold() {
            HELD.set(Some(held));
            return;
        }
        py.detach(|| std::thread::sleep(Duration::from_millis(1)));
    }
}

#[pyfunction]
pub fn after_fork_in_parent() {
    HELD.take();
}

#[pyfunction]
pub fn after_fork_in_child() {
    HELD.take();
    base::Name::forked();
    crate::exits::forked();
    FORKS.fetch_add(1, Ordering::Relaxed);
}
