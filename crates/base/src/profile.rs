//! Where the time of a computation goes, for `evert profile`: samples, each charged to a place of the program and a part of the computation.
//!
//! In: whoever keeps the time says from time to time that a sample is due ([`sample`]); the evaluator charges it to what it does ([`is_due`]), and
//! native code finds out itself where it is. Out: how many samples each place has ([`take`]). Without a profile nothing here costs anything.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::Span;

static ON: AtomicBool = AtomicBool::new(false);
static DUE: AtomicU64 = AtomicU64::new(0);
/// Does the evaluator run?
static EVALUATING: AtomicBool = AtomicBool::new(false);
static OTHER: AtomicU64 = AtomicU64::new(0);
static CHARGES: Mutex<BTreeMap<Span, u64>> = Mutex::new(BTreeMap::new());

/// Samples of a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// By places, with their parts ([`Span::part`]).
    pub places: BTreeMap<Span, u64>,
    /// Where no program ran: what was read, checked and compiled.
    pub other: u64,
}

/// From now on there is a profile.
pub fn start() {
    ON.store(true, Ordering::SeqCst);
}

#[inline]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// A sample is due, and no compiled code runs. May be called by a signal handler.
pub fn sample() {
    if EVALUATING.load(Ordering::Relaxed) {
        DUE.fetch_add(1, Ordering::Relaxed);
    } else {
        OTHER.fetch_add(1, Ordering::Relaxed);
    }
}

/// The evaluator begins or ends; says what it did before.
pub fn evaluates(now: bool) -> bool {
    EVALUATING.swap(now, Ordering::SeqCst)
}

/// How many samples wait to be charged.
#[inline]
pub fn is_due() -> u64 {
    if DUE.load(Ordering::Relaxed) == 0 { 0 } else { DUE.swap(0, Ordering::Relaxed) }
}

/// Charges samples to a place.
pub fn charge(span: Span, samples: u64) {
    *CHARGES.lock().unwrap_or_else(PoisonError::into_inner).entry(span).or_default() += samples;
}

/// All samples so far.
pub fn take() -> Profile {
    let places = std::mem::take(&mut *CHARGES.lock().unwrap_or_else(PoisonError::into_inner));
    Profile { places, other: OTHER.swap(0, Ordering::SeqCst) }
}
