//! The same elements in other places.

use super::{Call, Operand, Outcome};
use crate::layout::ElementKind;
use crate::runtime::object::ArrayView;

impl Call<'_> {
    pub(super) fn shape(&mut self, a: ArrayView) -> Outcome {
        let lengths = a.lengths().to_vec();
        self.array(ElementKind::Int, &[lengths.len() as u64], false, |out| out.copy_from_slice(&lengths))
    }

    /// Two arrays of one rank, one after the other along the first axis.
    pub(super) fn concat(&mut self, kind: ElementKind, a: ArrayView, b: ArrayView, holes: bool) -> Outcome {
        if a.rank != b.rank || a.lengths()[1..] != b.lengths()[1..] {
            return None;
        }
        if a.rank == 1 && a.size() == 0 {
            return self.argument(kind, b, holes);
        }
        if a.rank == 1 && b.size() == 0 {
            return self.argument(kind, a, holes);
        }
        let mut lengths = a.lengths().to_vec();
        lengths[0] += b.lengths()[0];
        self.extended(kind, a, b.words(), &lengths, holes)
    }

    /// A sensitivity and a sensitivity, or an array without symbolic zeros.
    pub(super) fn concat_sensitivities(&mut self, a: Operand, b: Operand) -> Outcome {
        // What is no sensitivity has numbers that may be −0.0.
        let is_plain = |x: &Operand| matches!(x, Operand::Array(..));
        let ((left, _), (right, _)) = (a.reals()?, b.reals()?);
        if [(a, left), (b, right)].iter().any(|(x, view)| is_plain(x) && has_negative_zero(*view)) {
            return None;
        }
        self.concat(ElementKind::Real, left, right, true)
    }

    pub(super) fn transpose(&mut self, kind: ElementKind, a: ArrayView, holes: bool) -> Outcome {
        let &[rows, columns] = a.lengths() else { return None };
        let (m, n) = (rows as usize, columns as usize);
        let words = a.words();
        self.array(kind, &[columns, rows], holes, |out| {
            // In blocks, so that both sides stay in the cache.
            const BLOCK: usize = 16;
            for (top, left) in (0..m).step_by(BLOCK).flat_map(|i| (0..n).step_by(BLOCK).map(move |j| (i, j))) {
                for i in top..m.min(top + BLOCK) {
                    for j in left..n.min(left + BLOCK) {
                        out[j * m + i] = words[i * n + j];
                    }
                }
            }
        })
    }

    /// The rows of the first axis from last to first.
    pub(super) fn reversed(&mut self, kind: ElementKind, a: ArrayView, holes: bool) -> Outcome {
        if a.size() == 0 {
            return None;
        }
        let (lengths, words) = (a.lengths(), a.words());
        let row = words.len() / lengths[0] as usize;
        self.array(kind, lengths, holes, |out| {
            out.chunks_exact_mut(row)
                .zip(words.chunks_exact(row).rev())
                .for_each(|(to, from)| to.copy_from_slice(from));
        })
    }

    pub(super) fn reshape(&mut self, kind: ElementKind, a: ArrayView, shape: Operand, holes: bool) -> Outcome {
        let lengths = match shape {
            Operand::Int(n) => vec![n as u64],
            Operand::Array(ElementKind::Int, lengths) if lengths.rank == 1 => lengths.words().to_vec(),
            _ => return None,
        };
        let size = lengths.iter().try_fold(1i64, |size, &n| size.checked_mul(i64::try_from(n).ok()?))?;
        if a.size() == 0 || lengths.is_empty() || size != a.size() as i64 {
            return None;
        }
        if *lengths == *a.lengths() {
            return self.argument(kind, a, holes);
        }
        self.extended(kind, a, &[], &lengths, holes)
    }
}

fn has_negative_zero(array: ArrayView) -> bool {
    array.words().iter().any(|&word| crate::runtime::collector::is_hole(f64::from_bits(word)))
}
