//! Which indices are surely in range: those of a `tabulate` or `sum` over the length of the array that is read.
//!
//! Two lengths are the same if they are the same atom, the one an array was made with, or `len` of it; or if that was required.

use calculus::Prim;
use first_order::relation::{Relation, Way, reached};
use first_order::{Atom, Op, Scalar, Var};
use rustc_hash::FxHashMap;

/// How many numbers are looked at to find that two are the same.
const MAX_STEPS: usize = 64;

#[derive(Default)]
pub(super) struct Facts {
    /// The lengths that arrays are known to have, for each axis.
    lengths: FxHashMap<(Var, u32), Vec<Atom>>,
    /// What holds the lengths of an array.
    frames: FxHashMap<Var, Var>,
    /// The indices of the open blocks, each with what it is less than.
    below: Vec<(Var, Atom)>,
    /// Comparisons of ints, by the variable that holds the outcome.
    compared: FxHashMap<Var, (Atom, Atom)>,
    /// What is the same in the open blocks.
    same: Relation,
}

impl Facts {
    pub(super) fn learn(&mut self, var: Var, op: &Op) {
        match op {
            Op::Len(Atom::Var(array)) => {
                self.lengths.entry((*array, 0)).or_default().push(Atom::Var(var));
            }
            Op::Prim { prim: Prim::Frame, args, .. } => {
                if let [Atom::Var(array)] = args[..] {
                    self.frames.insert(var, array);
                }
            }
            Op::Field(Atom::Var(frame), axis) => {
                if let Some(array) = self.frames.get(frame) {
                    self.lengths.entry((*array, *axis)).or_default().push(Atom::Var(var));
                }
            }
            // If n is negative there are no elements; but then nothing is less than it and in range.
            Op::Tabulate { n, .. } => self.lengths.entry((var, 0)).or_default().push(n.clone()),
            // As good as the same: what is natural and less than one of them is less than the other.
            Op::Scalar(Scalar::IntMaximum, args) if args[1] == Atom::Int(0) => {
                self.same.add(&Atom::Var(var), &args[0]);
            }
            Op::Scalar(Scalar::IntEq, args) => {
                self.compared.insert(var, (args[0].clone(), args[1].clone()));
            }
            Op::Require(Atom::Var(condition), _) => {
                if let Some((a, b)) = self.compared.get(condition) {
                    self.same.add(a, b);
                }
            }
            _ => {}
        }
    }

    /// How much is known that holds only until the open block ends.
    pub(super) fn mark(&self) -> usize {
        self.same.mark()
    }

    pub(super) fn forget(&mut self, mark: usize) {
        self.same.forget(mark);
    }

    /// All that is known to be the same as a number.
    fn same_as(&self, n: &Atom) -> Vec<Atom> {
        reached(n, MAX_STEPS, &[Way::Left(&self.same), Way::Right(&self.same)])
    }

    pub(super) fn open(&mut self, index: Var, n: &Atom) {
        self.below.push((index, n.clone()));
    }

    pub(super) fn close(&mut self) {
        self.below.pop();
    }

    /// Is an index into an array in range on this axis?
    pub(super) fn is_inside(&self, array: &Atom, axis: u32, index: &Atom) -> bool {
        let (Atom::Var(array), Atom::Var(index)) = (array, index) else { return false };
        let Some(lengths) = self.lengths.get(&(*array, axis)) else { return false };
        self.below.iter().any(|(below, n)| below == index && self.same_as(n).iter().any(|one| lengths.contains(one)))
    }
}
