//! Stopping what runs on a thread, from outside, at no cost to compiled code.
//!
//! In: a wish to stop ([`base::interrupt`]). Out: compiled code leaves where it is. A signal to its thread changes where the thread goes on: frames on the
//! stack of compiled code have nothing to clean up and the heap of a run is emptied however it ended, so wherever compiled code (not the
//! runtime) is, it may go on with `leave`. In the runtime the signal does nothing, and it is sent again; long primitives, the evaluator and the
//! compiler ask for the wish themselves.
//!
//! The signal is SIGURG, which nobody else uses and which is ignored where nobody handles it. On systems whose registers we don't know only the
//! wish is there, and compiled loops aren't stopped.

use std::cell::Cell;
use std::ops::Range;
use std::sync::Once;
use std::time::Duration;

use base::interrupt::Thread;

use crate::runtime::Context;

/// What `enter` returns where a run was stopped.
pub const STATUS: u64 = u64::MAX;

thread_local! {
    /// What runs on this thread. No destructor: a signal handler may look at it at any time.
    static RUNNING: Cell<Running> = const { Cell::new(Running::NOTHING) };
}

/// Compiled code that runs: its context, and where its instructions lie. A context of 0: nothing runs.
#[derive(Clone, Copy)]
pub(crate) struct Running {
    pub ctx: usize,
    pub start: usize,
    pub end: usize,
    /// Where its stack begins; frames lie below.
    pub top: usize,
}

impl Running {
    const NOTHING: Running = Running { ctx: 0, start: 0, end: 0, top: 0 };
}

/// What runs on this thread. May be called by a signal handler.
pub(crate) fn running() -> Option<Running> {
    Some(RUNNING.get()).filter(|running| running.ctx != 0)
}

/// Where the instructions are of what runs on this thread.
pub(crate) fn text() -> Range<usize> {
    let running = RUNNING.get();
    running.start..running.end
}

/// Calls `run`, which enters compiled code that lies at these addresses with this context, on the stack that ends at `top`.
pub(crate) fn during<T>(ctx: *mut Context, code: &Range<usize>, top: usize, run: impl FnOnce() -> T) -> T {
    // A piece of a loop runs inside the run that it belongs to.
    let before = RUNNING.get();
    RUNNING.set(Running { ctx: ctx as usize, start: code.start, end: code.end, top });
    // The compiler may not move the code across: a signal can come at any time.
    std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
    let result = run();
    std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
    RUNNING.set(before);
    result
}

/// A thread that can be stopped.
#[derive(Clone, Copy, Debug)]
pub struct Interrupter {
    thread: Thread,
    system: libc::pthread_t,
}

impl Interrupter {
    /// The thread that calls this. It has to outlive the calls of [`Interrupter::interrupt_while`].
    pub fn of_this_thread() -> Interrupter {
        handle_signals();
        // SAFETY: a question without conditions.
        let system = unsafe { libc::pthread_self() };
        Interrupter { thread: base::interrupt::this_thread(), system }
    }

    /// The thread that calls this, as one of those that are stopped together ([`base::interrupt::GUESTS`]).
    pub fn of_this_guest() -> Interrupter {
        Interrupter { thread: base::interrupt::GUESTS, ..Interrupter::of_this_thread() }
    }

    /// Makes the thread look at the wish that it stops, if it runs compiled code. It has to live.
    pub fn nudge(&self) {
        // SAFETY: the thread lives; the signal is handled.
        unsafe { libc::pthread_kill(self.system, libc::SIGURG) };
    }

    /// Is it this thread?
    pub fn is_here(&self) -> bool {
        // SAFETY: a question without conditions.
        unsafe { libc::pthread_equal(self.system, libc::pthread_self()) != 0 }
    }

    /// Asks the thread to stop, for as long as it is busy and hasn't begun something new.
    pub fn interrupt_while(&self, is_busy: impl Fn() -> bool) {
        const AGAIN: Duration = Duration::from_millis(2);
        self.thread.request();
        while self.thread.is_requested() && is_busy() {
            self.nudge();
            std::thread::sleep(AGAIN);
        }
    }
}

// SAFETY: the system's name of a thread is a number or an address that means the same to all threads.
unsafe impl Send for Interrupter {}
// SAFETY: as above.
unsafe impl Sync for Interrupter {}

/// From now on SIGURG to a thread that runs compiled code ends the run, if somebody wants it to stop.
fn handle_signals() {
    static HANDLED: Once = Once::new();
    HANDLED.call_once(|| {
        // SAFETY: a handler that touches its thread's own words, an atomic and the kernel's description alone.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
            libc::sigaction(libc::SIGURG, &raw const action, std::ptr::null_mut());
        }
    });
}

extern "C" fn handler(_: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let running = RUNNING.get();
    if running.ctx != 0 && base::interrupt::is_requested() {
        // SAFETY: the kernel's description of this thread, whose registers are as they were.
        unsafe { registers::redirect(context, running.start..running.end, running.ctx) };
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod registers {
    use super::{Range, STATUS};
    use crate::stack;

    /// If the thread is in the code, it goes on with `leave(ctx, STATUS)`.
    ///
    /// # Safety
    /// `context` is what a handler got, and the code runs in this context.
    pub unsafe fn redirect(context: *mut libc::c_void, code: Range<usize>, ctx: usize) {
        // SAFETY: by this function's contract.
        let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
        if code.contains(&(registers[libc::REG_RIP as usize] as usize)) {
            registers[libc::REG_RIP as usize] = stack::leave as *const () as i64;
            registers[libc::REG_RDI as usize] = ctx as i64;
            registers[libc::REG_RSI as usize] = STATUS as i64;
        }
    }
}

#[cfg(all(target_os = "linux", target_arch = "aarch64"))]
mod registers {
    use super::{Range, STATUS};
    use crate::stack;

    /// If the thread is in the code, it goes on with `leave(ctx, STATUS)`.
    ///
    /// # Safety
    /// `context` is what a handler got, and the code runs in this context.
    pub unsafe fn redirect(context: *mut libc::c_void, code: Range<usize>, ctx: usize) {
        // SAFETY: by this function's contract.
        let machine = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext };
        if code.contains(&(machine.pc as usize)) {
            machine.pc = stack::leave as *const () as u64;
            machine.regs[0] = ctx as u64;
            machine.regs[1] = STATUS;
        }
    }
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod registers {
    use super::Range;

    /// Nothing: we don't know where the registers are.
    ///
    /// # Safety
    /// There is nothing to keep to.
    pub unsafe fn redirect(_: *mut libc::c_void, _: Range<usize>, _: usize) {}
}
