//! Which elements are smallest, largest, first, true; equal arrays of ints.

use std::cmp::Ordering;

use base::{codes, interrupt};
use calculus::Prim;
use numerics::order::{compare_reals, sorted};

use super::{Call, Outcome};
use crate::layout::ElementKind;
use crate::runtime::object::ArrayView;

impl Call<'_> {
    pub(super) fn order(&mut self, kind: ElementKind, a: ArrayView) -> Outcome {
        eval::work::add(a.size());
        match (self.site.prim, kind) {
            // NaN beats everything.
            (Prim::ArgMin, ElementKind::Real) => {
                self.extreme(a, real, |x, best| (x < best || x.is_nan()) && !best.is_nan())
            }
            (Prim::ArgMax, ElementKind::Real) => {
                self.extreme(a, real, |x, best| (x > best || x.is_nan()) && !best.is_nan())
            }
            (Prim::ArgSort, ElementKind::Real) => self.sorted(a, |x, y| compare_reals(real(x), real(y))),
            // Ints are compared as ints: not all of them are reals.
            (Prim::ArgMin, ElementKind::Int) => self.extreme(a, int, |x, best| x < best),
            (Prim::ArgMax, ElementKind::Int) => self.extreme(a, int, |x, best| x > best),
            (Prim::ArgSort, ElementKind::Int) => self.sorted(a, |x, y| int(x).cmp(&int(y))),
            (Prim::Where, ElementKind::Bool) if a.rank == 1 => {
                let held: Vec<u64> = (0..).zip(a.words()).filter(|(_, held)| **held != 0).map(|(i, _)| i).collect();
                self.array(ElementKind::Int, &[held.len() as u64], false, |out| out.copy_from_slice(&held))
            }
            _ => None,
        }
    }

    /// The first element that no other beats.
    fn extreme<T: Copy>(&mut self, a: ArrayView, number: fn(u64) -> T, beats: impl Fn(T, T) -> bool) -> Outcome {
        let mut elements = a.words().iter().map(|word| number(*word));
        let Some(mut best) = elements.next() else { return Some(Err(codes::EMPTY_REDUCTION)) };
        let mut at = 0;
        for (i, x) in (1..).zip(elements) {
            if beats(x, best) {
                (best, at) = (x, i);
            }
        }
        self.number(first_order::Head::Int, at)
    }

    /// A stable order.
    fn sorted(&mut self, a: ArrayView, compare: impl Fn(u64, u64) -> Ordering) -> Outcome {
        let words = a.words();
        let order = sorted(words.len(), |i, j| compare(words[i], words[j]), || !interrupt::is_requested());
        let Some(order) = order else { return Some(Err(codes::OUT_OF_STEPS)) };
        self.array(ElementKind::Int, &[order.len() as u64], false, |out| {
            out.iter_mut().zip(order).for_each(|(out, at)| *out = at as u64);
        })
    }

    pub(super) fn equal_ints(&mut self, a: ArrayView, b: ArrayView) -> Outcome {
        let equal = a.lengths() == b.lengths() && a.words() == b.words();
        // Arrays of different shapes are for the evaluator: it may be an error.
        if a.lengths() != b.lengths() && (a.rank != 1 || b.rank != 1) {
            return None;
        }
        self.truth(equal)
    }
}

fn real(word: u64) -> f64 {
    f64::from_bits(word)
}

fn int(word: u64) -> i64 {
    word as i64
}
