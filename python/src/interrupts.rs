//! Ctrl-C while a program runs on Python's main thread.
//!
//! Python's own handler of SIGINT only notes that the signal came, and looks at the note when the interpreter goes on, which it doesn't while
//! compiled code runs. So while the main thread is in a program our handler stands before Python's: it calls Python's, and wakes a thread that
//! asks the program to stop (`native::interrupt`). The call then lets Python look at its note. If that raises nothing (a handler of the user's
//! that goes on), the call begins again: programs are pure.
//!
//! Calls inside XLA's programs run on XLA's threads, while the main thread waits for them: they are guests, and are stopped together. XLA gets an
//! error, and the main thread comes back to Python, which looks at its note.
//!
//! Python may change its handler at any time, so that calls look from time to time whether ours is still there.

use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use native::interrupt::Interrupter;
use pyo3::prelude::*;

use crate::output;
use crate::program::lock;

/// Python's main thread, as the system calls it; 0: nobody has said.
static MAIN: AtomicU64 = AtomicU64::new(0);
/// How many calls are under way on the main thread, one inside the other.
static BUSY: AtomicUsize = AtomicUsize::new(0);
/// Where the handler says that the signal came; -1: nobody listens.
static BELL: AtomicI32 = AtomicI32::new(-1);
/// When we last looked whether our handler is there, in milliseconds.
static LOOKED: AtomicI64 = AtomicI64::new(i64::MIN);
/// What handled the signal before us, and how it is called.
static BEFORE_HANDLER: AtomicUsize = AtomicUsize::new(0);
static BEFORE_TAKES_INFO: AtomicUsize = AtomicUsize::new(0);

/// Calls under way inside XLA's programs: how to stop each.
static GUESTS: Mutex<Vec<Interrupter>> = Mutex::new(vec![]);
static GUEST_COUNT: AtomicUsize = AtomicUsize::new(0);

/// A program may run on this thread for XLA as long as this is alive.
pub struct Guest {
    _member: base::interrupt::Guest,
}

impl Guest {
    pub fn begin() -> Guest {
        lock(&GUESTS).push(Interrupter::of_this_guest());
        GUEST_COUNT.fetch_add(1, Ordering::SeqCst);
        Guest { _member: base::interrupt::guests() }
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        GUEST_COUNT.fetch_sub(1, Ordering::SeqCst);
        let mut guests = lock(&GUESTS);
        if let Some(at) = guests.iter().rposition(Interrupter::is_here) {
            guests.swap_remove(at);
        }
    }
}

/// Stops all guests. Those that begin at once are stopped too: XLA's program may call in a loop.
fn stop_guests() {
    const AT_LEAST: Duration = Duration::from_millis(5);
    const AT_MOST: Duration = Duration::from_millis(150);
    let started = Instant::now();
    base::interrupt::GUESTS.request();
    while started.elapsed() < AT_LEAST || GUEST_COUNT.load(Ordering::SeqCst) > 0 && started.elapsed() < AT_MOST {
        // Under the lock: none of these threads ends meanwhile.
        lock(&GUESTS).iter().for_each(Interrupter::nudge);
        std::thread::sleep(Duration::from_millis(1));
    }
    base::interrupt::GUESTS.withdraw();
}

/// A program may run on this thread as long as this is alive.
pub struct Call {
    is_main: bool,
    is_outermost: bool,
}

impl Call {
    /// Fails if a signal has come that Python hasn't looked at yet: nobody would tell us of it.
    #[inline]
    pub fn begin(py: Python<'_>) -> PyResult<Call> {
        let is_main = this_thread() == MAIN.load(Ordering::Relaxed);
        let is_outermost = is_main && BUSY.fetch_add(1, Ordering::SeqCst) == 0;
        if is_outermost {
            base::interrupt::clear();
        }
        if is_main {
            look();
        }
        let call = Call { is_main, is_outermost };
        if is_outermost {
            py.check_signals()?;
        }
        Ok(call)
    }

    /// Has a signal come meanwhile that is an exception? What was computed isn't whole then.
    pub fn end(&self, py: Python<'_>) -> PyResult<()> {
        match output::ended() {
            Some(error) => Err(error),
            None if self.is_outermost => py.check_signals(),
            None => Ok(()),
        }
    }

    /// Has this outcome come of a signal? Then Python decides: an exception of its handler's, or the program begins again.
    #[inline]
    pub fn is_to_repeat<T>(&self, py: Python<'_>, outcome: &PyResult<T>) -> PyResult<bool> {
        if let Some(error) = output::ended() {
            base::interrupt::clear();
            return Err(error);
        }
        let Err(error) = outcome else { return Ok(false) };
        if !self.is_outermost || !base::interrupt::is_requested() || !is_stopped(py, error) {
            return Ok(false);
        }
        base::interrupt::clear();
        py.check_signals()?;
        Ok(true)
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if self.is_main && BUSY.fetch_sub(1, Ordering::SeqCst) == 1 {
            base::interrupt::clear();
        }
    }
}

/// Does the error say that a computation was stopped?
fn is_stopped(py: Python<'_>, error: &PyErr) -> bool {
    let code = error.value(py).getattr("code").and_then(|code| code.extract::<String>());
    code.is_ok_and(|code| code == base::codes::OUT_OF_STEPS.to_string())
}

fn this_thread() -> u64 {
    // SAFETY: a question without conditions.
    unsafe { libc::pthread_self() as u64 }
}

/// Python's main thread is this one: there signals become exceptions.
#[pyfunction]
pub fn main_thread(thread: u64) {
    MAIN.store(thread, Ordering::Relaxed);
    // In a forked process the listener is gone.
    BELL.store(-1, Ordering::SeqCst);
    BUSY.store(0, Ordering::SeqCst);
    GUEST_COUNT.store(0, Ordering::SeqCst);
    LOOKED.store(i64::MIN, Ordering::Relaxed);
}

/// Sees to it, now and then, that our handler is there.
#[inline]
fn look() {
    const SELDOM: i64 = 20;
    let now = milliseconds();
    if now.saturating_sub(LOOKED.load(Ordering::Relaxed)) >= SELDOM {
        LOOKED.store(now, Ordering::Relaxed);
        put_handler();
    }
}

fn milliseconds() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes the time to a variable.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &raw mut time) };
    time.tv_sec * 1000 + time.tv_nsec / 1_000_000
}

#[cold]
fn put_handler() {
    // SAFETY: asks for, then sets, what handles a signal; the handler does only what a handler may.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGINT, std::ptr::null(), &raw mut now);
        let is_ours = now.sa_sigaction == handler as *const () as usize;
        let is_none = matches!(now.sa_sigaction, libc::SIG_DFL | libc::SIG_IGN);
        // A forked process has the handler, but nobody who listens.
        if is_none || BELL.load(Ordering::SeqCst) < 0 && !listen() || is_ours {
            return;
        }
        BEFORE_HANDLER.store(now.sa_sigaction, Ordering::SeqCst);
        BEFORE_TAKES_INFO.store(usize::from(now.sa_flags & libc::SA_SIGINFO != 0), Ordering::SeqCst);
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | (now.sa_flags & libc::SA_RESTART);
        action.sa_mask = now.sa_mask;
        libc::sigaction(libc::SIGINT, &raw const action, std::ptr::null_mut());
    }
}

extern "C" fn handler(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let before = BEFORE_HANDLER.load(Ordering::SeqCst);
    // SAFETY: what handled the signal before, called as it was; then a byte on a socket of ours. The error number is left alone.
    unsafe {
        if BEFORE_TAKES_INFO.load(Ordering::SeqCst) != 0 {
            std::mem::transmute::<usize, extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void)>(before)(
                signal, info, context,
            );
        } else if before != 0 {
            std::mem::transmute::<usize, extern "C" fn(libc::c_int)>(before)(signal);
        }
        let bell = BELL.load(Ordering::SeqCst);
        if BUSY.load(Ordering::SeqCst) + GUEST_COUNT.load(Ordering::SeqCst) > 0 && bell >= 0 {
            let error = *libc::__errno_location();
            libc::send(bell, [1_u8].as_ptr().cast(), 1, libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL);
            *libc::__errno_location() = error;
        }
    }
}

/// Starts the thread that asks programs on the main thread, which this is, to stop. It takes no signals itself.
fn listen() -> bool {
    let Ok((bell, mut ear)) = UnixStream::pair() else { return false };
    let interrupter = Interrupter::of_this_thread();
    let listener = move || {
        let mut byte = [0];
        while ear.read_exact(&mut byte).is_ok() {
            if GUEST_COUNT.load(Ordering::SeqCst) > 0 {
                stop_guests();
            }
            interrupter.interrupt_while(|| BUSY.load(Ordering::SeqCst) > 0);
        }
    };
    // SAFETY: signals are blocked while the thread starts, which inherits that, and then as they were.
    let started = unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        let started = std::thread::Builder::new().name("evert-interrupts".into()).stack_size(64 << 10).spawn(listener);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
        started.is_ok()
    };
    if started {
        BELL.store(bell.as_raw_fd(), Ordering::SeqCst);
        // It stays open as long as the process.
        std::mem::forget(bell);
    }
    started
}
