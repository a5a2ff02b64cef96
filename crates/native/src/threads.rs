//! Threads that help with what is cut in pieces.
//!
//! In: work whose pieces don't depend on each other. Out: the same work, done by this thread and by those that are idle. How it is cut is for who asks, so
//! that results don't depend on how many threads there are.
//!
//! There are no threads before the first work that is large. They wait afterwards, one piece of work at a time for each, whoever asks. No locks are shared: a process
//! may be forked at any time; its child has none of the threads, and begins anew.

use std::cell::Cell;
use std::os::unix::thread::JoinHandleExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::thread::Thread;
use std::time::{Duration, Instant};

use base::{interrupt, memory};

use crate::control::Standard;

/// More threads aren't used.
pub const MOST: usize = 64;

/// Who waits looks so long before it sleeps: waking costs about as much.
const LOOKS: Duration = Duration::from_micros(50);

/// Who waits for others looks so often whether it shall stop.
const ASKS: Duration = Duration::from_millis(2);

/// How many threads may work at once; 0: nobody has said.
static ALLOWED: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Does this thread do a share already? Then it does what is inside alone.
    static SHARES: Cell<bool> = const { Cell::new(false) };
}

/// So many threads may work at once from now on, this one included.
pub fn allow(threads: usize) {
    ALLOWED.store(threads.clamp(1, MOST), Ordering::Relaxed);
}

/// How many threads may work at once: what was said, else `EVERT_THREADS`, else as many as the machine gives this process.
pub fn allowed() -> usize {
    match ALLOWED.load(Ordering::Relaxed) {
        0 => {
            allow(said().unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)));
            allowed()
        }
        threads => threads,
    }
}

/// What `EVERT_THREADS` says, if it is a number.
pub fn said() -> Option<usize> {
    std::env::var("EVERT_THREADS").ok()?.trim().parse().ok()
}

/// The units of work, about nanoseconds, from which a loop is worth several threads: waking one takes some ten microseconds. `EVERT_LARGE_LOOP` is for tests, in which
/// small loops are cut, too.
pub fn least() -> f64 {
    const LEAST: f64 = 100_000.0;
    static SAID: OnceLock<Option<f64>> = OnceLock::new();
    let said = || std::env::var("EVERT_LARGE_LOOP").ok().and_then(|text| text.parse().ok());
    SAID.get_or_init(said).unwrap_or(LEAST)
}

/// The units of work from which others help this thread: infinite if they can't.
pub(crate) fn help_from() -> f64 {
    if may_help() { least() } else { f64::INFINITY }
}

/// Could others help this thread?
pub(crate) fn may_help() -> bool {
    !SHARES.get() && allowed() > 1
}

/// The pieces that nobody has taken yet, by number.
pub(crate) struct Pieces {
    next: AtomicUsize,
    count: usize,
}

impl Pieces {
    /// The first of them. Once it is asked for, it has to be done.
    pub fn take(&self) -> Option<usize> {
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        (at < self.count).then_some(at)
    }

    /// No more are taken. All before those that were are taken, too.
    pub fn stop(&self) {
        self.next.store(self.count, Ordering::Relaxed);
    }
}

/// What a thread does: takes pieces until there are none.
pub(crate) type Share<'a> = dyn Fn(&Pieces) + Sync + 'a;

/// Work that is under way. It lives until nobody is at it.
struct Job {
    share: *const Share<'static>,
    pieces: Pieces,
    /// How many threads help, or are about to.
    helpers: AtomicUsize,
    /// What the helpers have done, as `eval::work` counts.
    work: AtomicUsize,
    panicked: AtomicBool,
    owner: Thread,
    /// Who is stopped when the owner is.
    stopped_with: interrupt::Stoppable,
    meter: Option<memory::Meter>,
}

/// A thread that waits for work.
struct Worker {
    /// Null: it is idle. [`TAKEN`]: it is at work.
    job: AtomicPtr<Job>,
    is_started: AtomicBool,
    /// Once it runs: who to wake, and whom the system sends signals.
    handle: OnceLock<(Thread, libc::pthread_t)>,
}

const TAKEN: *mut Job = ptr::without_provenance_mut(1);

/// The threads of a process.
struct Pool {
    process: u32,
    workers: [Worker; MOST - 1],
}

static POOL: AtomicPtr<Pool> = AtomicPtr::new(ptr::null_mut());

/// The threads of this process. Those of a process that it was forked from are forgotten: nobody knows in which state they were.
fn pool() -> &'static Pool {
    let process = std::process::id();
    loop {
        let known = POOL.load(Ordering::Acquire);
        // SAFETY: what stands there is never given back.
        if let Some(pool) = unsafe { known.as_ref() }.filter(|pool| pool.process == process) {
            return pool;
        }
        let worker = || Worker {
            job: AtomicPtr::new(ptr::null_mut()),
            is_started: AtomicBool::new(false),
            handle: OnceLock::new(),
        };
        let new = Box::into_raw(Box::new(Pool { process, workers: std::array::from_fn(|_| worker()) }));
        if POOL.compare_exchange(known, new, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // SAFETY: nobody else has seen it.
            drop(unsafe { Box::from_raw(new) });
        }
    }
}

/// Has `share` called by this thread, and by others that are idle, until the pieces are done.
pub(crate) fn at_once(pieces: usize, share: &Share) {
    let claims = Pieces { next: AtomicUsize::new(0), count: pieces };
    if pieces < 2 || !may_help() {
        return share(&claims);
    }
    // SAFETY: the job is over before this function returns.
    let share = unsafe { std::mem::transmute::<*const Share<'_>, *const Share<'static>>(share) };
    let job = Job {
        share,
        pieces: claims,
        helpers: AtomicUsize::new(0),
        work: AtomicUsize::new(0),
        panicked: AtomicBool::new(false),
        owner: std::thread::current(),
        stopped_with: interrupt::this_as_it_is(),
        meter: memory::meter(),
    };
    let wanted = (allowed() - 1).min(pieces - 1);
    let asked = ask(&job, wanted);
    // Until nobody else is at the job this function can't be left.
    let own = catch_unwind(AssertUnwindSafe(|| run(&job)));
    if own.is_err() {
        job.pieces.stop();
    }
    wait(&job, &asked);
    eval::work::add(job.work.load(Ordering::Relaxed));
    if let Err(payload) = own {
        std::panic::resume_unwind(payload);
    }
    assert!(!job.panicked.load(Ordering::Relaxed), "threads: a helper panicked");
}

/// Gives the job to as many idle workers.
fn ask(job: &Job, wanted: usize) -> Vec<&'static Worker> {
    let mut asked = vec![];
    for worker in pool().workers.iter().take(allowed() - 1) {
        if asked.len() == wanted {
            break;
        }
        if !worker.is_started.swap(true, Ordering::AcqRel) {
            worker.start();
        }
        let Some((thread, _)) = worker.handle.get() else { continue };
        job.helpers.fetch_add(1, Ordering::Relaxed);
        let given = ptr::from_ref(job).cast_mut();
        if worker.job.compare_exchange(ptr::null_mut(), given, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            asked.push(worker);
            thread.unpark();
        } else {
            job.helpers.fetch_sub(1, Ordering::Relaxed);
        }
    }
    asked
}

fn run(job: &Job) {
    SHARES.set(true);
    let _done = Done;
    // SAFETY: the share lives until nobody is at the job.
    unsafe { (*job.share)(&job.pieces) };

    struct Done;
    impl Drop for Done {
        fn drop(&mut self) {
            SHARES.set(false);
        }
    }
}

/// Returns when nobody is at the job. Whoever hasn't begun needn't.
fn wait(job: &Job, asked: &[&Worker]) {
    for worker in asked {
        let given = ptr::from_ref(job).cast_mut();
        if worker.job.compare_exchange(given, ptr::null_mut(), Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            job.helpers.fetch_sub(1, Ordering::Relaxed);
        }
    }
    let is_done = || job.helpers.load(Ordering::Acquire) == 0;
    look_until(is_done);
    while !is_done() {
        if interrupt::is_requested() {
            job.pieces.stop();
            // They look at the wish themselves where they can; compiled code is made to.
            asked.iter().filter_map(|worker| worker.handle.get()).for_each(|(_, system)| {
                // SAFETY: workers live as long as the process, and the signal is handled: somebody could send the wish.
                unsafe { libc::pthread_kill(*system, libc::SIGURG) };
            });
        }
        std::thread::park_timeout(ASKS);
    }
}

/// Looks for a while whether something holds.
fn look_until(holds: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < LOOKS {
        for _ in 0..64 {
            if holds() {
                return true;
            }
            std::hint::spin_loop();
        }
    }
    holds()
}

impl Worker {
    /// Where the system has no thread, nobody helps.
    fn start(&'static self) {
        let thread = std::thread::Builder::new().name("evert".into()).spawn(move || self.work());
        if let Ok(handle) = thread {
            let _ = self.handle.set((handle.thread().clone(), handle.as_pthread_t()));
        }
    }

    fn work(&self) -> ! {
        leave_signals_to_others();
        let _standard = Standard::enter();
        let has_job = || !self.job.load(Ordering::Relaxed).is_null();
        loop {
            let job = self.job.load(Ordering::Acquire);
            if job.is_null() {
                if !look_until(has_job) {
                    std::thread::park();
                }
                continue;
            }
            if self.job.compare_exchange(job, TAKEN, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                // SAFETY: its owner waits until the number of helpers says that this one is gone.
                let job = unsafe { &*job };
                help(job);
                let owner = job.owner.clone();
                self.job.store(ptr::null_mut(), Ordering::Release);
                job.helpers.fetch_sub(1, Ordering::Release);
                owner.unpark();
            }
        }
    }
}

/// Does a share of somebody else's work, within the same limits.
fn help(job: &Job) {
    let _guest = interrupt::stopped_with(job.stopped_with);
    memory::limit_as(job.meter);
    let before = eval::work::done();
    if catch_unwind(AssertUnwindSafe(|| run(job))).is_err() {
        job.panicked.store(true, Ordering::Relaxed);
        job.pieces.stop();
    }
    job.work.fetch_add(eval::work::done().wrapping_sub(before) as usize, Ordering::Relaxed);
    memory::limit_as(None);
}

/// Signals to the process are for threads that know what to do with them. SIGURG is ours, and what a fault of ours raises can't wait.
fn leave_signals_to_others() {
    // SAFETY: a mask of this thread alone, made from nothing.
    unsafe {
        let mut mask: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut mask);
        for signal in
            [libc::SIGURG, libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT, libc::SIGTRAP]
        {
            libc::sigdelset(&raw mut mask, signal);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const mask, ptr::null_mut());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn every_piece_is_done_once_by_whoever_is_there() {
        allow(4);
        for round in 0..2000 {
            let done: Vec<AtomicUsize> = (0..round % 50).map(|_| AtomicUsize::new(0)).collect();
            at_once(done.len(), &|pieces| {
                while let Some(piece) = pieces.take() {
                    done[piece].fetch_add(1, Ordering::Relaxed);
                }
            });
            assert!(done.iter().all(|times| times.load(Ordering::Relaxed) == 1));
        }
    }

    #[test]
    fn several_threads_ask_at_once_and_inside() {
        allow(4);
        let total = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..300 {
                        at_once(8, &|pieces| {
                            while pieces.take().is_some() {
                                at_once(3, &|inner| {
                                    while inner.take().is_some() {
                                        total.fetch_add(1, Ordering::Relaxed);
                                    }
                                });
                            }
                        });
                    }
                });
            }
        });
        assert_eq!(total.into_inner(), 4 * 300 * 8 * 3);
    }

    #[test]
    fn who_stops_has_all_before_it_taken() {
        allow(4);
        let done = Mutex::new(vec![]);
        at_once(1000, &|pieces| {
            while let Some(piece) = pieces.take() {
                done.lock().expect("no panic").push(piece);
                if piece == 100 {
                    pieces.stop();
                }
            }
        });
        let done = done.into_inner().expect("no panic");
        assert!((0..=100).all(|piece| done.contains(&piece)));
    }

    #[test]
    fn a_forked_process_has_threads_of_its_own() {
        allow(4);
        let all = || {
            let done = AtomicUsize::new(0);
            at_once(100, &|pieces| {
                while pieces.take().is_some() {
                    done.fetch_add(1, Ordering::Relaxed);
                    std::thread::sleep(Duration::from_micros(20));
                }
            });
            done.into_inner() == 100
        };
        assert!(all());
        // SAFETY: the child does nothing that needs the threads of its parent, and ends.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let code = i32::from(!(all() && all()));
            // SAFETY: as above.
            unsafe { libc::_exit(code) };
        }
        let mut status = -1;
        // SAFETY: a child of ours.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert_eq!(status, 0);
        assert!(all());
    }

    #[test]
    fn a_panic_of_a_piece_is_one_of_who_asked() {
        allow(4);
        let outcome = catch_unwind(|| {
            at_once(50, &|pieces| {
                while let Some(piece) = pieces.take() {
                    assert!(piece != 20, "piece 20");
                }
            });
        });
        assert!(outcome.is_err());
        at_once(4, &|pieces| while pieces.take().is_some() {});
    }
}
