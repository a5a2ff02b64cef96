//! Which elements are smallest, largest, first, true; equal arrays of ints.

use base::codes;
use calculus::Prim;

use super::{Call, Outcome};
use crate::layout::ElementKind;
use crate::runtime::object::ArrayView;

impl Call<'_> {
    pub(super) fn order(&mut self, kind: ElementKind, a: ArrayView) -> Outcome {
        eval::work::add(a.size());
        match (self.site.prim, kind) {
            (Prim::ArgMin, ElementKind::Real | ElementKind::Int) => self.extreme(kind, a, |x, y| x < y),
            (Prim::ArgMax, ElementKind::Real | ElementKind::Int) => self.extreme(kind, a, |x, y| x > y),
            (Prim::ArgSort, ElementKind::Real | ElementKind::Int) => self.sorted(kind, a),
            (Prim::Where, ElementKind::Bool) if a.rank == 1 => {
                let held: Vec<u64> = (0..).zip(a.words()).filter(|(_, held)| **held != 0).map(|(i, _)| i).collect();
                self.array(ElementKind::Int, &[held.len() as u64], false, |out| out.copy_from_slice(&held))
            }
            _ => None,
        }
    }

    /// The first element that no other beats; NaN beats everything.
    fn extreme(&mut self, kind: ElementKind, a: ArrayView, beats: impl Fn(f64, f64) -> bool) -> Outcome {
        let mut elements = a.words().iter().map(|word| number(kind, *word));
        let Some(mut best) = elements.next() else { return Some(Err(codes::EMPTY_REDUCTION)) };
        let mut at = 0;
        for (i, x) in (1..).zip(elements) {
            if (beats(x, best) || x.is_nan()) && !best.is_nan() {
                (best, at) = (x, i);
            }
        }
        self.number(first_order::Head::Int, at)
    }

    /// A stable order; NaN comes last.
    fn sorted(&mut self, kind: ElementKind, a: ArrayView) -> Outcome {
        let words = a.words();
        let mut order: Vec<u64> = (0..words.len() as u64).collect();
        let key = |i: &u64| number(kind, words[*i as usize]);
        order.sort_by(|i, j| key(i).partial_cmp(&key(j)).unwrap_or_else(|| key(i).is_nan().cmp(&key(j).is_nan())));
        self.array(ElementKind::Int, &[order.len() as u64], false, |out| out.copy_from_slice(&order))
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

fn number(kind: ElementKind, word: u64) -> f64 {
    if kind == ElementKind::Int { word as i64 as f64 } else { f64::from_bits(word) }
}
