//! The end of the process. Python ends threads that want the interpreter while it is finalized by unwinding them, or hangs them, depending on its
//! version; neither may happen inside of ours. So from the moment when it begins, threads of ours that would go back to Python wait for ever
//! instead, but for the one that ends the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

static ENDING: AtomicBool = AtomicBool::new(false);

thread_local!(static ENDS: std::cell::Cell<bool> = const { std::cell::Cell::new(false) });

/// Before this thread takes the GIL.
#[inline]
pub fn before_python() {
    if ENDING.load(Ordering::Relaxed) {
        wait();
    }
}

#[cold]
fn wait() {
    while !ENDS.get() {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

/// This thread ends the process. Others that are on their way to Python get there first, and who compiles comes to an end: LLVM is about to be
/// taken down.
#[pyfunction]
pub fn ending(py: Python<'_>) {
    const ON_THEIR_WAY: Duration = Duration::from_millis(20);
    const COMPILING: Duration = Duration::from_secs(2);
    ENDS.set(true);
    ENDING.store(true, Ordering::SeqCst);
    py.detach(|| {
        let started = Instant::now();
        std::thread::sleep(ON_THEIR_WAY);
        while llvm::Held::try_hold().is_none() && started.elapsed() < COMPILING {
            std::thread::sleep(Duration::from_millis(1));
        }
    });
}

/// A forked process doesn't end because the one that it came from does.
pub fn forked() {
    ENDING.store(false, Ordering::Relaxed);
}
