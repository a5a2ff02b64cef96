//! Looking over the parts of an operation: its atoms, and the blocks inside it.

use base::budget;

use crate::term::{Atom, Block, Op, Var};

impl Op {
    /// Visits the atoms that the operation reads itself, in order; not those inside its blocks.
    pub fn atoms<'a>(&'a self, visit: &mut dyn FnMut(&'a Atom)) {
        budget::spend(1);
        match self {
            Op::Text(_) | Op::Quiet(_) | Op::Fail(_) => {}
            Op::Atom(a) | Op::Box(a) | Op::Unbox(a) | Op::View(a) | Op::Len(a) | Op::Require(a, _) => visit(a),
            Op::Field(a, _) | Op::Inject(_, a) | Op::Axis(a, _) | Op::Flat(a) | Op::Dense(a) | Op::Collected(a) => {
                visit(a)
            }
            Op::Switch(a, _) | Op::If(a, _, _) | Op::Tabulate { n: a, .. } | Op::Sum { n: a, .. } => visit(a),
            Op::Scalar(_, atoms) | Op::Struct(atoms) | Op::Call(_, atoms) | Op::Array(atoms) => {
                budget::spend(atoms.len());
                atoms.iter().for_each(visit);
            }
            Op::Prim { args, .. } => args.iter().for_each(visit),
            Op::Loop { params, .. } => params.iter().for_each(|(_, first)| visit(first)),
            Op::Element(array, indices) | Op::Shaped(array, indices) => {
                visit(array);
                indices.iter().for_each(visit);
            }
            Op::Append(array, element) => {
                visit(array);
                visit(element);
            }
            Op::Replace(array, indices, new) => {
                visit(array);
                indices.iter().for_each(&mut *visit);
                visit(new);
            }
        }
    }

    /// Visits the blocks of the operation, each with the variables that it binds on entry.
    pub fn blocks<'a>(&'a self, visit: &mut dyn FnMut(&[Var], &'a Block)) {
        budget::spend(1);
        match self {
            Op::If(_, then, otherwise) => {
                visit(&[], then);
                visit(&[], otherwise);
            }
            Op::Switch(_, arms) => arms.iter().for_each(|(var, block)| visit(&[*var], block)),
            Op::Loop { params, body } => visit(&params.iter().map(|(var, _)| *var).collect::<Vec<_>>(), body),
            Op::Tabulate { index, body, .. } | Op::Sum { index, body, .. } => visit(&[*index], body),
            Op::Atom(_)
            | Op::Text(_)
            | Op::Scalar(..)
            | Op::Struct(_)
            | Op::Field(..)
            | Op::Inject(..)
            | Op::Box(_)
            | Op::Unbox(_)
            | Op::View(_)
            | Op::Call(..)
            | Op::Array(_)
            | Op::Len(_)
            | Op::Axis(..)
            | Op::Flat(_)
            | Op::Dense(_)
            | Op::Collected(_)
            | Op::Shaped(..)
            | Op::Element(..)
            | Op::Replace(..)
            | Op::Append(..)
            | Op::Prim { .. }
            | Op::Quiet(_)
            | Op::Require(..)
            | Op::Fail(_) => {}
        }
    }
}
