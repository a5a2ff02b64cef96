//! Small systems of equations, inverses and determinants. Large ones, which may be interrupted, and what has no answer are left to the evaluator.

use std::slice;

use first_order::Head;
use numerics::linear_algebra as dense;

use super::{Call, Outcome};
use crate::layout::ElementKind;
use crate::runtime::object::ArrayView;

/// Of so many rows at most: beside the arithmetic of larger ones the evaluator's values cost nothing.
const MOST_ROWS: u64 = 64;

/// A square matrix of reals.
struct Square<'a> {
    elements: &'a [f64],
    rows: usize,
}

impl Square<'_> {
    /// The matrix in an array of reals, if it is one and small; what is done with it counts as work.
    fn small(a: ArrayView) -> Option<Self> {
        match *a.lengths() {
            [rows, columns] if rows == columns && rows <= MOST_ROWS => {
                let rows = rows as usize;
                eval::work::add(rows * rows * rows);
                Some(Square { elements: reals(a), rows })
            }
            _ => None,
        }
    }
}

impl Call<'_> {
    pub(super) fn determinant(&mut self, a: ArrayView) -> Outcome {
        let a = Square::small(a)?;
        self.number(Head::Real, dense::det(a.elements, a.rows).to_bits())
    }

    pub(super) fn inverse(&mut self, matrix: ArrayView) -> Outcome {
        let a = Square::small(matrix)?;
        let inverse = dense::inverse(a.elements, a.rows).ok()?;
        self.numbers(matrix.lengths(), &inverse)
    }

    pub(super) fn solution(&mut self, a: ArrayView, b: ArrayView) -> Outcome {
        let (a, lengths) = (Square::small(a)?, b.lengths());
        if lengths.len() > 2 || lengths[0] != a.rows as u64 {
            return None;
        }
        let columns = lengths.get(1).map_or(1, |columns| *columns as usize);
        let solution = dense::solve(a.elements, reals(b), a.rows, columns).ok()?;
        self.numbers(lengths, &solution)
    }

    /// Ends the call with an array of these.
    fn numbers(&mut self, lengths: &[u64], numbers: &[f64]) -> Outcome {
        self.array(ElementKind::Real, lengths, false, |words| {
            words.iter_mut().zip(numbers).for_each(|(word, x)| *word = x.to_bits());
        })
    }
}

/// The elements of an array of reals.
fn reals<'a>(a: ArrayView) -> &'a [f64] {
    let words = a.words();
    // SAFETY: a real is stored as its bits, in as many bytes as a word.
    unsafe { slice::from_raw_parts(words.as_ptr().cast::<f64>(), words.len()) }
}
