//! Additions to an accumulator in place: an element, or a part by loops over its elements.
//!
//! A part that is made for it, each element by little arithmetic, isn't read but made here.

use first_order::{Atom, Block, End, Op, Scalar, Statement, Type};

use base::codes;

use super::flow::{Definition, as_var};
use super::plan::{Addition, Indices};
use super::thread::{Threader, Written};
use crate::analyses::cost;
use crate::deep;
use crate::rewriting::copy::Copier;

impl Threader<'_, '_> {
    /// The accumulator with this added to it.
    pub fn add_in_place(&mut self, addition: &Addition, accumulator: Atom, out: &mut Written) -> Atom {
        let mut indices: Vec<Atom> = match addition.indices {
            Indices::Single(index) => index.into_iter().cloned().collect(),
            Indices::Packed(packed, count) => {
                (0..count).map(|at| self.write(out, Type::Int, Op::Field(packed.clone(), at))).collect()
            }
        };
        if addition.rank == 0 {
            return self.add_number(addition.value, indices, accumulator, out);
        }
        // The part has the lengths of its place. That it has is known from here on.
        let mut lengths = vec![];
        for axis in 0..addition.rank {
            let own = self.write(out, Type::Int, along(addition.value.clone(), axis));
            let of_whole = along(accumulator.clone(), indices.len() as u32 + axis);
            let of_whole = self.write(out, Type::Int, of_whole);
            let fits = self.write(out, Type::Bool, Op::Scalar(Scalar::IntLe, vec![own.clone(), of_whole]));
            self.write(out, Type::unit(), Op::Require(fits, codes::NOT_CONFORMING));
            lengths.push(own);
        }
        let outer = indices.len();
        self.add_rows(addition.value, &lengths, outer, &mut indices, accumulator, out)
    }

    /// Adds the rows of a part along the first of these axes. The first `outer` indices say where the part is.
    fn add_rows(
        &mut self,
        value: &Atom,
        lengths: &[Atom],
        outer: usize,
        indices: &mut Vec<Atom>,
        accumulator: Atom,
        out: &mut Written,
    ) -> Atom {
        let Some((length, inner)) = lengths.split_first() else {
            let element = match self.made_here(value, &indices[outer..], out) {
                Some(element) => element,
                None => self.write(out, Type::Real, Op::Element(value.clone(), indices[outer..].to_vec())),
            };
            return self.add_to(element, indices.clone(), accumulator, out);
        };
        let of = self.sum.array();
        let (index, own) = (self.fresh(Type::Int), self.fresh(of.clone()));
        let mut body = Written::new(out.span);
        let mut step = Written::new(out.span);
        let is_over = Op::Scalar(Scalar::IntGe, vec![Atom::Var(index), length.clone()]);
        let is_over = self.write(&mut body, Type::Bool, is_over);
        indices.push(Atom::Var(index));
        let next = deep(|| self.add_rows(value, inner, outer, indices, Atom::Var(own), &mut step));
        indices.pop();
        let after = Op::Scalar(Scalar::IntAdd, vec![Atom::Var(index), Atom::Int(1)]);
        let after = self.write(&mut step, Type::Int, after);
        let done = Block { statements: vec![], end: End::Yield(Atom::Var(own)) };
        let again = Block { statements: step.statements, end: End::Again(vec![after, next]) };
        let value = self.write(&mut body, of.clone(), Op::If(is_over, Box::new(done), Box::new(again)));
        let body = Box::new(Block { statements: body.statements, end: End::Yield(value) });
        let params = vec![(index, Atom::Int(0)), (own, accumulator)];
        self.write(out, of, Op::Loop { params, body })
    }

    fn add_number(&mut self, number: &Atom, indices: Vec<Atom>, accumulator: Atom, out: &mut Written) -> Atom {
        let old = self.write(out, Type::Real, Op::Element(accumulator.clone(), indices.clone()));
        let mut new = self.write(out, Type::Real, Op::Scalar(Scalar::Add, vec![old, number.clone()]));
        // The sum of numbers is never the symbolic zero.
        if self.sum.keeps_zeros {
            new = self.write(out, Type::Real, Op::Scalar(Scalar::Add, vec![new, Atom::Real(0.0)]));
        }
        self.write(out, self.sum.array(), Op::Replace(accumulator, indices, new))
    }

    /// Adds an element of an array of sensitivities, in which −0.0 is the symbolic zero.
    fn add_to(&mut self, element: Atom, indices: Vec<Atom>, accumulator: Atom, out: &mut Written) -> Atom {
        let old = self.write(out, Type::Real, Op::Element(accumulator.clone(), indices.clone()));
        let new = self.write(out, Type::Real, Op::Scalar(Scalar::Add, vec![old, element]));
        self.write(out, self.sum.array(), Op::Replace(accumulator, indices, new))
    }

    /// The element of an array at these indices, if it is `tabulate`d by little arithmetic.
    fn made_here(&mut self, array: &Atom, indices: &[Atom], out: &mut Written) -> Option<Atom> {
        let mut bodies = vec![];
        let mut value = array;
        let mut price = 0;
        for at in indices {
            let Definition::Made(Statement { op: Op::Tabulate { index, body, .. }, .. }) =
                self.flow.definition(as_var(value)?)?
            else {
                return None;
            };
            let End::Yield(yielded) = &body.end else { return None };
            let is_last = bodies.len() + 1 == indices.len();
            let own: Vec<&Statement> = match (is_last, body.statements.split_last()) {
                (true, _) => body.statements.iter().collect(),
                (false, Some((last, others))) if Atom::Var(last.var) == *yielded => others.iter().collect(),
                _ => return None,
            };
            price += cost::of_statements(own.iter().copied())?;
            bodies.push((*index, at, own));
            value = yielded;
        }
        if price > cost::CHEAP {
            return None;
        }
        let mut copier = Copier::within(self.vars);
        for (index, at, statements) in bodies {
            copier.map.insert(index, at.clone());
            out.statements.extend(statements.into_iter().map(|statement| copier.statement(statement)));
        }
        Some(copier.atom(value))
    }
}

/// The length of an array along an axis.
fn along(array: Atom, axis: u32) -> Op {
    if axis == 0 { Op::Len(array) } else { Op::Axis(array, axis) }
}
