//! How far the outermost loop of a computation is, for whoever watches.
//!
//! In: both engines write here which loop runs and where it is. Out: [`look`], from any thread. Nothing here is visible to a program: it is
//! written, and never read, by what computes, and only while somebody watches ([`watch`]).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What compiled code writes to; see [`words`].
static WORDS: [AtomicU64; 5] = [const { AtomicU64::new(0) }; 5];
static WATCHED: AtomicBool = AtomicBool::new(false);

/// Which word says what.
pub mod word {
    /// Counts the loops that began: another number is another loop.
    pub const LOOP: usize = 0;
    /// Where it is: the loop's own counter, or how many times it went round.
    pub const NOW: usize = 1;
    /// The counter at its beginning.
    pub const FIRST: usize = 2;
    /// The counter at its end, if it has one.
    pub const LAST: usize = 3;
    /// One of [`super::state`].
    pub const STATE: usize = 4;
}

/// What is known of a loop.
pub mod state {
    pub const NONE: u64 = 0;
    /// It ends where its counter arrives at the last value.
    pub const COUNTED: u64 = 1;
    /// It ends when it ends.
    pub const OPEN: u64 = 2;
}

/// A loop that runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Another number is another loop.
    pub number: u64,
    /// How many times it went round.
    pub done: u64,
    /// How many times it goes round, if that is known.
    pub total: Option<u64>,
}

/// From now on computations say how far they are.
pub fn watch() {
    WATCHED.store(true, Ordering::Relaxed);
}

#[inline]
pub fn is_watched() -> bool {
    WATCHED.load(Ordering::Relaxed)
}

/// Where compiled code writes.
pub fn words() -> *const u64 {
    WORDS.as_ptr().cast()
}

/// A loop begins; `None` as the last: nobody knows when it ends.
pub fn begin(first: i64, last: Option<i64>) {
    set(word::STATE, state::NONE);
    WORDS[word::LOOP].fetch_add(1, Ordering::Relaxed);
    set(word::NOW, first as u64);
    set(word::FIRST, first as u64);
    set(word::LAST, last.unwrap_or_default() as u64);
    set(word::STATE, if last.is_some() { state::COUNTED } else { state::OPEN });
}

/// The loop that began last is here now.
pub fn advance(now: i64) {
    set(word::NOW, now as u64);
}

/// No loop runs.
pub fn end() {
    set(word::STATE, state::NONE);
}

fn set(word: usize, value: u64) {
    WORDS[word].store(value, Ordering::Relaxed);
}

/// How far it is. What is read while it is being written may be a mixture of two loops; the next look is right.
pub fn look() -> Option<Progress> {
    let word = |word: usize| WORDS[word].load(Ordering::Relaxed);
    let [now, first, last] = [word::NOW, word::FIRST, word::LAST].map(|at| word(at) as i64);
    let number = word(word::LOOP);
    let done = now.abs_diff(first);
    match word(word::STATE) {
        state::COUNTED => {
            let total = last.abs_diff(first);
            let on_its_way = done <= total && (now >= first) == (last >= first);
            Some(Progress { number, done, total: Some(total).filter(|_| on_its_way || done == 0) })
        }
        state::OPEN => Some(Progress { number, done, total: None }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_says_how_far_it_is() {
        assert_eq!(look(), None);
        begin(10, Some(0));
        advance(7);
        let seen = look().expect("a loop runs");
        assert_eq!((seen.done, seen.total), (3, Some(10)));
        // A counter that isn't on its way to the end says nothing about it.
        advance(-5);
        assert_eq!(look().map(|seen| seen.total), Some(None));
        begin(0, None);
        advance(4);
        let next = look().expect("another loop runs");
        assert_eq!((next.done, next.total, next.number), (4, None, seen.number + 1));
        end();
        assert_eq!(look(), None);
    }
}
