//! A collector's words, and what they mean.
//!
//! In: an object that is alive. Out: a view of it as one of the forms of a sum. What always holds: a view is made of collectors only, which
//! [`term`] sees to by the descriptor.

use std::slice;

use super::super::object::{self, ARRAY, ArrayView, COLLECTOR, HEADER};
use super::MOST_AXES;

pub(super) const FORM: usize = HEADER;
pub(super) const SIZE: usize = HEADER + 1;
pub(super) const FIRST: usize = HEADER + 2;
pub(super) const SECOND: usize = HEADER + 3;
pub(super) const AT: usize = HEADER + 4;
pub(super) const VALUE: usize = HEADER + 5;
pub(super) const RANK: usize = HEADER + 6;
pub(super) const LENGTHS: usize = HEADER + 7;

/// How a collector holds what was added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub(super) enum Form {
    /// Nothing.
    Zero,
    /// `value` at element `at`.
    One,
    /// `at` pairs, an element's number and a value, to be added in this order: in the collector itself, or where `first` is an array, in that. Has each
    /// element one pair: `value`.
    Log,
    /// `first ⊕ second`; `at` contributions.
    Link,
    /// `first`, then one after the other what is in `second`, a collector of single elements that nobody else sees; `at` contributions.
    Chain,
    /// `first`, an array of reals, in a box: `second` is an array of the first and last positions (exclusive) on each axis; `at`
    /// elements. Is −0.0 the symbolic zero in it: `value`.
    Box,
    /// `first`, the dense form: somebody looked at a collector that others see too.
    Dense,
}

const FORMS: [Form; 7] = [Form::Zero, Form::One, Form::Log, Form::Link, Form::Chain, Form::Box, Form::Dense];

const fn descriptors(room: u64) -> [[u64; 5]; MOST_AXES + 1] {
    let mut all = [[0; 5]; MOST_AXES + 1];
    let mut rank = 0;
    while rank <= MOST_AXES {
        all[rank] = [COLLECTOR, 7 + rank as u64 + 2 * room, 2, (FIRST - HEADER) as u64, (SECOND - HEADER) as u64];
        rank += 1;
    }
    all
}

pub(super) static DESCRIPTORS: [[u64; 5]; MOST_AXES + 1] = descriptors(0);

/// How many pairs have room in a collector that begins with one element.
pub(super) const INSIDE: u64 = 8;

/// Of such collectors.
pub(super) static ROOMY: [[u64; 5]; MOST_AXES + 1] = descriptors(INSIDE);

/// A collector, looked at. [`Collector::at`] is the only way to make one, so what is read of it is there.
#[derive(Clone, Copy)]
pub(super) struct Collector(*mut u64);

/// An element and the bits of what is added to it.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Pair {
    pub(super) at: u64,
    pub(super) value: u64,
}

/// Of a log: no two pairs are for the same element.
const DISTINCT: u64 = 1;

impl Collector {
    /// # Safety
    /// `object` is a collector, and alive as long as this is used.
    pub(super) unsafe fn at(object: *mut u64) -> Collector {
        Collector(object)
    }

    pub(super) fn object(self) -> *mut u64 {
        self.0
    }

    pub(super) fn get(self, at: usize) -> u64 {
        // SAFETY: by the contract of `at` it is alive, and its words are initialised.
        unsafe { self.0.add(at).read() }
    }

    pub(super) fn set(self, at: usize, word: u64) {
        // SAFETY: as above; only collectors that nobody else sees are changed, or changed so that they mean the same.
        unsafe { self.0.add(at).write(word) };
    }

    pub(super) fn form(self) -> Form {
        FORMS[self.get(FORM) as usize]
    }

    pub(super) fn lengths<'a>(self) -> &'a [u64] {
        // SAFETY: as many words as the rank says follow it.
        unsafe { slice::from_raw_parts(self.0.add(LENGTHS), self.get(RANK) as usize) }
    }

    pub(super) fn first(self) -> *mut u64 {
        self.get(FIRST) as *mut u64
    }

    pub(super) fn is_unique(self) -> bool {
        self.get(0) == 1
    }

    /// How many numbers were added.
    pub(super) fn weight(self) -> u64 {
        match self.form() {
            Form::Zero => 0,
            Form::One => 1,
            Form::Log | Form::Link | Form::Chain | Form::Box => self.get(AT),
            Form::Dense => self.get(SIZE),
        }
    }

    /// Single elements only?
    pub(super) fn is_scattered(self) -> bool {
        matches!(self.form(), Form::One | Form::Log)
    }

    /// Where the pairs of a log are, or those of a single element would be.
    pub(super) fn log(self) -> *mut Pair {
        // SAFETY: the first part of a log, if there is one, is an array of pairs; otherwise the collector has room for some.
        unsafe {
            let words = match self.first() {
                first if first.is_null() => self.0.add(LENGTHS + self.get(RANK) as usize),
                first => ArrayView::new(first).elements(),
            };
            words.cast()
        }
    }

    /// The pairs of a log.
    pub(super) fn pairs<'a>(self) -> &'a mut [Pair] {
        // SAFETY: there are so many pairs; nobody holds another reference to them.
        unsafe { slice::from_raw_parts_mut(self.log(), self.get(AT) as usize) }
    }

    /// How many pairs a log has room for.
    pub(super) fn room(self) -> u64 {
        match self.first() {
            first if first.is_null() => INSIDE,
            // SAFETY: otherwise the first part of a log is an array.
            first => unsafe { ArrayView::new(first) }.lengths()[0] / 2,
        }
    }

    /// Adds up the pairs of a log that are for the same element, so that their order doesn't matter any more. It means the same as before.
    pub(super) fn add_up(self) {
        if self.form() == Form::Log && self.get(VALUE) != DISTINCT {
            let distinct = add_up(self.pairs());
            self.set(AT, distinct as u64);
            self.set(VALUE, DISTINCT);
        }
    }

    /// Calls `add` with what is in a collector of single elements, in order.
    pub(super) fn each_single(self, mut add: impl FnMut(u64, f64)) {
        if self.form() == Form::One {
            return add(self.get(AT), f64::from_bits(self.get(VALUE)));
        }
        self.pairs().iter().for_each(|pair| add(pair.at, f64::from_bits(pair.value)));
    }
}

/// A handle's word that isn't a value of the evaluator.
#[derive(Clone, Copy)]
pub(super) enum Term {
    Dense(ArrayView),
    Collector(Collector),
}

impl Term {
    pub(super) fn lengths<'a>(self) -> &'a [u64] {
        match self {
            Term::Dense(array) => array.lengths(),
            Term::Collector(collector) => collector.lengths(),
        }
    }

    pub(super) fn object(self) -> *mut u64 {
        match self {
            Term::Dense(array) => array.object,
            Term::Collector(collector) => collector.0,
        }
    }

    pub(super) fn is_unique(self) -> bool {
        // SAFETY: a term is alive.
        unsafe { object::count(self.object()) == 1 }
    }

    pub(super) fn weight(self) -> u64 {
        match self {
            Term::Dense(array) => array.size() as u64,
            Term::Collector(collector) => collector.weight(),
        }
    }
}

/// # Safety
/// `object` is a live handle.
pub(super) unsafe fn term(object: *mut u64) -> Option<Term> {
    // SAFETY: by this function's contract.
    unsafe {
        match object::descriptor(object).kind {
            ARRAY => Some(Term::Dense(ArrayView::new(object))),
            COLLECTOR => Some(Term::Collector(Collector::at(object))),
            _ => None,
        }
    }
}

/// Adds up pairs for the same element, in their order; says how many are left. They are the first ones.
pub(super) fn add_up(pairs: &mut [Pair]) -> usize {
    // `+ 0.0` keeps a numeric zero apart from a hole.
    let sum = |a: Pair, b: Pair| ((f64::from_bits(a.value) + 0.0) + (f64::from_bits(b.value) + 0.0)).to_bits();
    if pairs.len() as u64 <= INSIDE {
        let mut distinct = 0;
        for next in 0..pairs.len() {
            let pair = pairs[next];
            match pairs[..distinct].iter_mut().find(|known| known.at == pair.at) {
                Some(known) => known.value = sum(*known, pair),
                None => {
                    pairs[distinct] = pair;
                    distinct += 1;
                }
            }
        }
        return distinct;
    }
    pairs.sort_by_key(|pair| pair.at);
    let mut last = 0;
    for next in 1..pairs.len() {
        let pair = pairs[next];
        if pair.at == pairs[last].at {
            pairs[last].value = sum(pairs[last], pair);
        } else {
            last += 1;
            pairs[last] = pair;
        }
    }
    (last + 1).min(pairs.len())
}
