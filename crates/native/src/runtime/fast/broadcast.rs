//! Operands of elementwise operations that are repeated to the result's shape, and what they receive of its sensitivity.

use first_order::Head;
use numerics::broadcast::{common, places, sums};

use super::{Call, Operand, Outcome};
use crate::layout::ElementKind;
use crate::runtime::collector::{HOLE, is_hole, reals};
use crate::runtime::object::ArrayView;

impl Call<'_> {
    /// What an operand receives from the sensitivity of an elementwise result.
    pub(super) fn unbroadcast(&mut self, operand: Operand, d: Operand) -> Outcome {
        match (operand, d) {
            (Operand::Real(_), d) => {
                let (array, _) = d.reals()?;
                eval::work::add(array.size());
                let total = numerics::summation::sum(reals(array));
                self.number(Head::Real, total.to_bits())
            }
            (operand @ (Operand::Array(ElementKind::Real, _) | Operand::Dense(_) | Operand::Frame(..)), d) => {
                let (array, holes) = d.reals()?;
                let to = self.lengths_of(operand)?;
                let from = usizes(array.lengths());
                if to == from {
                    return self.argument(ElementKind::Real, array, holes);
                }
                if common(&to, &from).is_none_or(|common| common != from) {
                    return None;
                }
                eval::work::add(array.size());
                let sums = sums(reals(array), &from, &to, |x| holes && is_hole(x));
                let lengths: Vec<u64> = to.iter().map(|n| *n as u64).collect();
                self.array(ElementKind::Real, &lengths, holes, |out| {
                    for (out, sum) in out.iter_mut().zip(sums) {
                        *out = sum.unwrap_or(HOLE).to_bits();
                    }
                })
            }
            _ => None,
        }
    }

    /// The lengths that an argument has.
    fn lengths_of(&self, operand: Operand) -> Option<Vec<usize>> {
        match operand {
            Operand::Array(_, array) | Operand::Dense(array) => Some(usizes(array.lengths())),
            Operand::Frame(start, rank) => Some(usizes(&self.args[start..start + rank])),
            _ => None,
        }
    }

    /// An operand repeated to the shape of an elementwise operation with another.
    pub(super) fn broadcast(&mut self, kind: ElementKind, array: ArrayView, like: Operand, holes: bool) -> Outcome {
        let from = usizes(array.lengths());
        let to = common(&from, &self.lengths_of(like)?)?;
        if from == to {
            return self.argument(kind, array, holes);
        }
        let size = to.iter().try_fold(1usize, |size, n| size.checked_mul((*n).max(1)))?;
        if kind == ElementKind::Other || !eval::memory::has_room_for(size.saturating_mul(size_of::<f64>())) {
            return None;
        }
        let lengths: Vec<u64> = to.iter().map(|n| *n as u64).collect();
        let (width, words) = (from.last().copied().unwrap_or(1), array.words());
        // Rows that follow each other are copied as they are.
        let by_rows = width > 1 && from.len() <= to.len() && to.last() == Some(&width);
        self.array(kind, &lengths, holes, |out| {
            if by_rows {
                let places = places(&from[..from.len() - 1], &to[..to.len() - 1]);
                for (out, place) in out.chunks_mut(width).zip(places) {
                    out.copy_from_slice(&words[place * width..(place + 1) * width]);
                }
                return;
            }
            for (out, place) in out.iter_mut().zip(places(&from, &to)) {
                *out = words[place];
            }
        })
    }
}

fn usizes(lengths: &[u64]) -> Vec<usize> {
    lengths.iter().map(|n| *n as usize).collect()
}
