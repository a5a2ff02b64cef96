//! Where the time of compiled code goes: samples of where the thread is, each charged to a place of the program ([`base::profile`]).
//!
//! In: a thread that asks to be sampled. A signal comes a thousand times a second; its handler writes down where the thread is and what called that, as far as it can be
//! read off the stack: words that are addresses of the code. Out: after each run the samples are charged, by the line table of the code. Code that is sampled is the same as
//! without, so nothing is slower or ordered in another way.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use base::{Part, Span};
use llvm::Row;

use crate::interrupt::{self, Running};

/// How often the thread is looked at.
const EVERY: Duration = Duration::from_millis(1);
/// Addresses of a sample: where the thread is in the code, and what called that.
const DEPTH: usize = 8;
/// Samples between two looks of [`collect`].
const RING: usize = 1024;
/// Words of a stack that are looked at.
const WORDS: usize = 4096;
/// A stack isn't larger.
const LARGEST_STACK: usize = 2 << 30;

/// Samples that the handler has written and nobody has taken.
static SAMPLES: [[AtomicU64; DEPTH]; RING] = [const { [const { AtomicU64::new(0) }; DEPTH] }; RING];
static WRITTEN: AtomicUsize = AtomicUsize::new(0);
static TAKEN: AtomicUsize = AtomicUsize::new(0);
/// Samples that wait for the end of their run.
static WAITING: Mutex<Vec<[u64; DEPTH]>> = Mutex::new(Vec::new());

/// The line table of code, and the places that it names.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    pub rows: Vec<Row>,
    pub places: Vec<Span>,
}

/// Samples a thread until it is dropped, which has to be on that thread.
pub struct Sampler {
    ended: Arc<AtomicBool>,
    ticking: Option<JoinHandle<()>>,
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Release);
        // Nobody sends a signal to a thread that is gone.
        self.ticking.take().map(JoinHandle::join);
    }
}

/// Samples this thread from now on.
pub fn sample_this_thread() -> Sampler {
    // SAFETY: a handler that touches its thread's own words, atomics and the kernel's description alone; and a question without conditions.
    let thread = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
        libc::sigaction(libc::SIGPROF, &raw const action, std::ptr::null_mut());
        Thread(libc::pthread_self())
    };
    base::profile::start();
    let ended = Arc::new(AtomicBool::new(false));
    let told = ended.clone();
    let tick = move || {
        let thread = thread;
        while !told.load(Ordering::Acquire) {
            std::thread::sleep(EVERY);
            // SAFETY: the thread waits for this one before it ends; the signal is handled.
            unsafe { libc::pthread_kill(thread.0, libc::SIGPROF) };
            if WRITTEN.load(Ordering::Acquire) - TAKEN.load(Ordering::Relaxed) > RING / 2 {
                collect(&mut waiting());
            }
        }
    };
    Sampler { ended, ticking: std::thread::Builder::new().name("profile".into()).spawn(tick).ok() }
}

#[derive(Clone, Copy)]
struct Thread(libc::pthread_t);
// SAFETY: the system's name of a thread means the same to all threads.
unsafe impl Send for Thread {}

fn waiting() -> std::sync::MutexGuard<'static, Vec<[u64; DEPTH]>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes what the handler has written.
fn collect(waiting: &mut Vec<[u64; DEPTH]>) {
    let (from, to) = (TAKEN.load(Ordering::Relaxed), WRITTEN.load(Ordering::Acquire));
    let word = |word: &AtomicU64| word.load(Ordering::Relaxed);
    waiting.extend((from..to).map(|at| SAMPLES[at % RING].each_ref().map(word)));
    TAKEN.store(to, Ordering::Release);
}

/// Charges the samples of a run of this code.
pub fn charge(text: &Range<usize>, origins: &Origins) {
    let mut waiting = waiting();
    collect(&mut waiting);
    for sample in waiting.drain(..) {
        base::profile::charge(place(&sample, text, origins), 1);
    }
}

/// The place of a sample: that of the innermost address that belongs to the program itself.
fn place(sample: &[u64; DEPTH], text: &Range<usize>, origins: &Origins) -> Span {
    let mut part = Part::Primal;
    for (depth, address) in sample.iter().enumerate().filter(|(_, address)| text.contains(&(**address as usize))) {
        // What called is the instruction before.
        let offset = *address - text.start as u64 - u64::from(depth > 0);
        let span = origins.near(offset);
        part = part.max(span.part());
        if is_own(span) {
            return span.in_part(part);
        }
    }
    Span::OF_CALLER.in_part(part)
}

/// Does a place say where in the program it is?
fn is_own(span: Span) -> bool {
    !span.is_of_caller() && span.plain() != Span::default()
}

impl Origins {
    /// The place of an instruction. What has none, as the counting of a loop, belongs to what is next to it.
    fn near(&self, offset: u64) -> Span {
        const NEXT: usize = 8;
        let at = self.rows.partition_point(|row| row.offset <= offset);
        let place = |row: &Row| self.places.get((row.line as usize).wrapping_sub(1)).copied();
        let before = self.rows[..at].iter().rev().take(NEXT);
        let around = before.chain(self.rows[at..].iter().take(NEXT)).filter_map(place);
        let here = self.rows[..at].last().and_then(place).unwrap_or(Span::OF_CALLER);
        if here.is_of_caller() {
            here
        } else {
            std::iter::once(here).chain(around).find(|span| is_own(*span)).unwrap_or(here)
        }
    }
}

extern "C" fn handler(_: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let Some(running) = interrupt::running() else { return base::profile::sample() };
    let at = WRITTEN.load(Ordering::Relaxed);
    if at - TAKEN.load(Ordering::Relaxed) >= RING {
        return;
    }
    // SAFETY: the kernel's description of this thread, which runs this code.
    let Some((pc, sp)) = (unsafe { registers::of(context) }) else { return };
    let mut found = [0; DEPTH];
    let mut count = 0;
    if (running.start..running.end).contains(&pc) {
        found[0] = pc as u64;
        count = 1;
    }
    // SAFETY: as above.
    unsafe { callers(&running, sp, &mut found, count.max(1)) };
    if count == 0 && found[1] == 0 {
        return;
    }
    for (word, address) in SAMPLES[at % RING].iter().zip(found) {
        word.store(address, Ordering::Relaxed);
    }
    WRITTEN.store(at + 1, Ordering::Release);
}

/// Writes the words of the code's stack that are addresses of the code, from `count` on.
///
/// # Safety
/// The thread is in this code or in what it calls, and its stack pointer is `sp`.
unsafe fn callers(running: &Running, sp: usize, found: &mut [u64; DEPTH], mut count: usize) {
    let on_stack = |address: usize| address <= running.top && address >= running.top - LARGEST_STACK;
    let mut from = sp;
    if !on_stack(sp) {
        // The runtime is on the thread's own stack: somewhere there it keeps where it came from.
        // SAFETY: the context is that of the run, and the word is one of its first.
        let host = unsafe { *(running.ctx as *const usize).add(loops::memory::CTX_HOST as usize) };
        let last = host.min(sp + 8 * 16 * WORDS);
        // SAFETY: the words lie between the stack pointer and a frame that is still there.
        let mut kept = (sp & !7..last).step_by(8).map(|at| unsafe { *(at as *const usize) });
        match kept.rfind(|word| on_stack(*word) && word % 8 == 0) {
            Some(place) => from = place,
            None => return,
        }
    }
    for at in (from & !7..running.top.min(from + 8 * WORDS)).step_by(8) {
        // SAFETY: the word lies between the stack pointer and the stack's end.
        let word = unsafe { *(at as *const usize) };
        if (running.start..running.end).contains(&word) {
            found[count] = word as u64;
            count += 1;
            if count == DEPTH {
                return;
            }
        }
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod registers {
    /// Where a thread is, and its stack pointer.
    ///
    /// # Safety
    /// `context` is what a handler got.
    pub unsafe fn of(context: *mut libc::c_void) -> Option<(usize, usize)> {
        // SAFETY: by this function's contract.
        let registers = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
        Some((registers[libc::REG_RIP as usize] as usize, registers[libc::REG_RSP as usize] as usize))
    }
}

#[cfg(all(target_os = "linux", target_arch = "aarch64"))]
mod registers {
    /// Where a thread is, and its stack pointer.
    ///
    /// # Safety
    /// `context` is what a handler got.
    pub unsafe fn of(context: *mut libc::c_void) -> Option<(usize, usize)> {
        // SAFETY: by this function's contract.
        let machine = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext };
        Some((machine.pc as usize, machine.sp as usize))
    }
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod registers {
    /// Nothing: we don't know where the registers are.
    ///
    /// # Safety
    /// There is nothing to keep to.
    pub unsafe fn of(_: *mut libc::c_void) -> Option<(usize, usize)> {
        None
    }
}

#[cfg(test)]
mod tests {
    use base::FileId;

    use super::*;

    #[test]
    fn a_sample_belongs_to_the_innermost_place_of_the_program() {
        let own = Span::new(FileId(20), 5, 9);
        let library = Span::OF_CALLER.in_part(Part::Back);
        let origins = Origins {
            rows: vec![Row { offset: 0, line: 1 }, Row { offset: 16, line: 2 }, Row { offset: 32, line: 0 }],
            places: vec![own, library],
        };
        let text = 1000..1064;
        let at = |addresses: &[u64]| {
            let mut sample = [0; DEPTH];
            sample[..addresses.len()].copy_from_slice(addresses);
            place(&sample, &text, &origins)
        };
        assert_eq!(at(&[1003]), own);
        // What the library does in a sweep back belongs to what called it.
        assert_eq!(at(&[1020, 1008]), own.in_part(Part::Back));
        assert_eq!(at(&[0, 1008]), own);
        assert_eq!(at(&[7]), Span::OF_CALLER);
    }
}
