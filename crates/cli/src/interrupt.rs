//! Ctrl-C in the REPL: what runs stops, the process doesn't.
//!
//! A signal tells a thread that waits for it, and that thread has the one that works stopped. At the prompt Ctrl-C is a key, and no signal.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use native::interrupt::Interrupter;

/// Where the handler writes to.
static WAKE: AtomicI32 = AtomicI32::new(-1);
/// Is there something to stop?
static BUSY: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C stops what this thread computes in [`interruptible`], and does nothing else.
pub fn stop_this_thread_on_ctrl_c() {
    let interrupter = Interrupter::of_this_thread();
    let mut ends = [0; 2];
    // SAFETY: the call fills the two numbers.
    if unsafe { libc::pipe(ends.as_mut_ptr()) } != 0 {
        return;
    }
    WAKE.store(ends[1], Ordering::SeqCst);
    let wait = move || {
        let mut byte = 0u8;
        // SAFETY: the descriptor is ours, and there is room for a byte.
        while unsafe { libc::read(ends[0], (&raw mut byte).cast(), 1) } != 0 {
            let is_busy = || BUSY.load(Ordering::SeqCst);
            if is_busy() {
                interrupter.interrupt_while(is_busy);
            }
        }
    };
    if std::thread::Builder::new().name("interrupts".into()).spawn(wait).is_err() {
        return;
    }
    // SAFETY: the handler writes a byte to a pipe, which a handler may do.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = wake as *const () as usize;
        action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK;
        libc::sigaction(libc::SIGINT, &raw const action, std::ptr::null_mut());
    }
}

extern "C" fn wake(_: libc::c_int) {
    let byte = 0u8;
    // SAFETY: the descriptor is that of our pipe; if it is full, somebody is told already.
    let _ = unsafe { libc::write(WAKE.load(Ordering::SeqCst), (&raw const byte).cast(), 1) };
}

/// Does work that Ctrl-C stops.
pub fn interruptible<T>(work: impl FnOnce() -> T) -> T {
    base::interrupt::clear();
    BUSY.store(true, Ordering::SeqCst);
    let result = work();
    BUSY.store(false, Ordering::SeqCst);
    base::interrupt::clear();
    result
}
