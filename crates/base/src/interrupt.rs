//! A wish to stop what a thread computes, from outside.
//!
//! Whoever computes long asks [`is_requested`] from time to time, and ends early: what it gives then is of no use to anybody. The wish stays until
//! somebody who starts something new calls [`clear`]. One thread at a time can be stopped, or all that are [`guests`]. No signals here: see `native::interrupt`.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// A thread that can be stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thread(u64);

/// The thread that is to stop; 0: none.
static REQUESTED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The number of this thread; 0: nobody can stop it.
    static NUMBER: Cell<u64> = const { Cell::new(0) };
}

/// Lets others stop this thread from now on.
pub fn this_thread() -> Thread {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NUMBER.get();
    if number != 0 {
        return Thread(number);
    }
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    NUMBER.set(number);
    Thread(number)
}

/// Threads that are stopped together.
pub const GUESTS: Thread = Thread(u64::MAX);

/// While this is alive the thread is one of the [`GUESTS`].
pub struct Guest {
    /// Its own number.
    before: u64,
}

/// This thread works for somebody else for a while.
pub fn guests() -> Guest {
    Guest { before: NUMBER.replace(GUESTS.0) }
}

impl Drop for Guest {
    fn drop(&mut self) {
        NUMBER.set(self.before);
    }
}

/// Who is stopped when a thread is: itself, those that it is one of, or nobody.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stoppable(u64);

/// With whom this thread is stopped.
pub fn this_as_it_is() -> Stoppable {
    Stoppable(NUMBER.get())
}

/// This thread works for another one for a while, and is stopped with it.
pub fn stopped_with(other: Stoppable) -> Guest {
    Guest { before: NUMBER.replace(other.0) }
}

impl Thread {
    /// Forgets the wish that it stops.
    pub fn withdraw(self) {
        let _ = REQUESTED.compare_exchange(self.0, 0, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// Asks the thread to stop. May be called by a signal handler.
    pub fn request(self) {
        REQUESTED.store(self.0, Ordering::SeqCst);
    }

    /// Has it been asked to stop, and hasn't begun anything new?
    pub fn is_requested(self) -> bool {
        REQUESTED.load(Ordering::SeqCst) == self.0
    }
}

/// Shall this thread stop?
#[inline]
pub fn is_requested() -> bool {
    let requested = REQUESTED.load(Ordering::Relaxed);
    requested != 0 && requested == NUMBER.get()
}

/// Can this thread be stopped?
pub fn is_possible() -> bool {
    NUMBER.get() != 0
}

/// Forgets the wish: something new begins.
pub fn clear() {
    let _ = REQUESTED.compare_exchange(NUMBER.get(), 0, Ordering::SeqCst, Ordering::SeqCst);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_is_for_one_thread_and_stays_until_it_is_forgotten() {
        let thread = this_thread();
        assert_eq!((is_requested(), thread == this_thread()), (false, true));
        thread.request();
        assert!(is_requested() && thread.is_requested());
        assert!(!std::thread::spawn(is_requested).join().expect("it ends"));
        clear();
        assert!(!is_requested());
        let guest = guests();
        GUESTS.request();
        assert!(
            is_requested()
                && std::thread::spawn(|| {
                    let _guest = guests();
                    is_requested()
                })
                .join()
                .expect("it ends")
        );
        drop(guest);
        assert!(!is_requested());
        GUESTS.withdraw();
        let _guest = guests();
        assert!(!is_requested());
    }
}
