//! Making arrays: `tabulate`, literals, sums over an index. Elements that are arrays make an array of higher rank; where shapes leave open
//! what the elements are, they are stacked when they are there.

use base::Span;
use calculus::Prim;
use first_order::{Atom, Head, Op, Scalar, ShapeId, Type};

use crate::body::Alt;
use crate::draft::ended;
use crate::graph::{BOOL, INT, NEVER, REAL, ZERO};
use crate::instances::Specialiser;
use crate::{Reason, Result1, Val};

impl Specialiser<'_> {
    /// `[f(0), …, f(n-1)]`
    pub(super) fn tabulate(&mut self, n: &Val, f: &Val, span: Span) -> Result1<Val> {
        let n = self.count(n, span)?;
        let index = self.draft.fresh(Type::Int);
        let i = Val { atom: Atom::Var(index), shape: INT };
        let arm = self.arm(|this| {
            let value = this.apply(f, i, 0, span)?;
            this.forced(&value, span)
        })?;
        let mut element = arm.shape();
        let rows = self.rows(element);
        if let Some((handles, _)) = rows {
            element = handles;
        }
        let Some(shape) = self.stacked(element) else {
            return self.dynamic(span, Reason::SomeArrays);
        };
        let arm = if rows.is_some() { self.extended(arm, |this, value| this.as_row(&value, span))? } else { arm };
        let body = Box::new(self.arm_block(arm, element, span)?);
        let ty = self.type_of(shape);
        let atom = self.draft.write(ty, Op::Tabulate { n, index, body }, span);
        if let Some((_, result)) = rows {
            return self.bridge(Prim::Unspread, vec![Val { atom, shape }], result, span);
        }
        self.settled_numbers(Val { atom, shape }, element, span)
    }

    /// Elements that may be arrays but not all of one kind, or symbolic zeros among arrays: they are stacked when they are
    /// there. The shape of the elements as handles, and that of the array they make.
    fn rows(&mut self, element: ShapeId) -> Option<(ShapeId, ShapeId)> {
        let alternatives = self.graph.alternatives(element).to_vec();
        let ranks: Vec<u32> = alternatives
            .iter()
            .filter_map(|one| match one.head {
                Head::Array(rank) | Head::Handle(rank) => Some(rank),
                _ => None,
            })
            .collect();
        let plain = matches!(&alternatives[..], [one] if matches!(one.head, Head::Array(_)));
        if ranks.is_empty() || plain {
            return None;
        }
        let (mut handles, mut result, mut others) = (NEVER, NEVER, NEVER);
        for one in &alternatives {
            let (handle, stacked) = match one.head {
                Head::Array(n) => (self.handle_shape(n, one.parts[0]), self.array_shape(n + 1, one.parts[0])),
                Head::Handle(n) => (self.handle_shape(n, one.parts[0]), self.handle_shape(n + 1, one.parts[0])),
                Head::Zero => (ZERO, ZERO),
                _ => {
                    // What is no array can't stand beside arrays, but all may be of that kind.
                    let other = self.graph.union(vec![one.clone()]);
                    others = self.graph.join(others, other);
                    (other, self.array_shape(1, other))
                }
            };
            handles = self.graph.join(handles, handle);
            result = self.graph.join(result, stacked);
        }
        if others != NEVER {
            let array = self.array_shape(1, others);
            result = self.graph.join(result, array);
        }
        if self.may_be_zero(handles) {
            for rank in ranks {
                let holes = self.handle_shape(rank + 1, REAL);
                result = self.graph.join(result, holes);
            }
        }
        Some((handles, result))
    }

    /// The shape of the elements of an array of arrays: those are handles.
    pub fn with_rows_collected(&mut self, element: ShapeId) -> ShapeId {
        let mut collected = NEVER;
        for one in self.graph.alternatives(element).to_vec() {
            let one = match one.head {
                Head::Array(rank) => self.handle_shape(rank, one.parts[0]),
                _ => self.graph.union(vec![one]),
            };
            collected = self.graph.join(collected, one);
        }
        collected
    }

    /// An array among such elements as a handle; zero stays zero.
    fn as_row(&mut self, value: &Val, span: Span) -> Result1<Val> {
        self.split(value, span, &mut |this, alt| match alt.head {
            Head::Array(rank) => {
                let value = this.narrowed(&alt);
                this.collected(&value, rank, alt.parts[0], span)
            }
            _ => Ok(this.narrowed(&alt)),
        })
    }

    /// Ints and reals together become reals: which it is, is seen when the elements are there.
    fn settled_numbers(&mut self, array: Val, element: ShapeId, span: Span) -> Result1<Val> {
        if !self.is_mixed(element) {
            return Ok(array);
        }
        let (ints, reals) = (self.array_shape(1, INT), self.array_shape(1, REAL));
        let mut shape = self.graph.join(ints, reals);
        if self.graph.alternatives(element).len() > 2 {
            shape = self.graph.join(shape, array.shape);
        }
        let zero = self.zero();
        self.bridge(Prim::Materialise, vec![zero, array], shape, span)
    }

    fn is_mixed(&self, element: ShapeId) -> bool {
        let alternatives = self.graph.alternatives(element);
        alternatives.iter().filter(|one| matches!(one.head, Head::Int | Head::Real)).count() == 2
    }

    /// The shape of an array of such elements: arrays make an array of higher rank.
    fn stacked(&mut self, element: ShapeId) -> Option<ShapeId> {
        let alternatives = self.graph.alternatives(element).to_vec();
        if let [one] = &alternatives[..]
            && let Head::Array(rank) = one.head
        {
            return Some(self.array_shape(rank + 1, one.parts[0]));
        }
        if alternatives.iter().any(|one| matches!(one.head, Head::Array(_))) {
            return None;
        }
        Some(self.array_shape(1, element))
    }

    pub fn array_literal(&mut self, elements: Vec<Val>, span: Span) -> Result1<Val> {
        let mut forced = vec![];
        for element in &elements {
            forced.push(self.forced(element, span)?);
        }
        let scalar = |shape: ShapeId| shape == INT || shape == REAL;
        if forced.iter().any(|one| one.shape == REAL) && forced.iter().all(|one| scalar(one.shape)) {
            forced = forced
                .iter()
                .map(|one| if one.shape == INT { self.as_real_value(one, span) } else { one.clone() })
                .collect();
        }
        let mut element = NEVER;
        for one in &forced {
            element = self.graph.join(element, one.shape);
        }
        let rows = self.rows(element);
        if let Some((handles, _)) = rows {
            element = handles;
            forced = forced.iter().map(|one| self.as_row(one, span)).collect::<Result1<_>>()?;
        }
        let Some(shape) = self.stacked(element) else {
            return self.dynamic(span, Reason::SomeArraysOfLiteral);
        };
        let mut atoms = vec![];
        for one in &forced {
            atoms.push(self.coerce(one, element, span)?.atom);
        }
        let ty = self.type_of(shape);
        let length = atoms.len();
        let atom = self.draft.write(ty, Op::Array(atoms), span);
        self.know_length(&atom, length);
        if let Some((_, result)) = rows {
            let stacked = self.bridge(Prim::Unspread, vec![Val { atom, shape }], result, span)?;
            self.know_length(&stacked.atom, length);
            return Ok(stacked);
        }
        self.settled_numbers(Val { atom, shape }, element, span)
    }

    pub(super) fn know_length(&mut self, atom: &Atom, length: usize) {
        if let Atom::Var(var) = atom {
            self.draft.lengths.insert(*var, length as u32);
        }
    }

    /// `f(0) ⊕ … ⊕ f(n-1)`: a loop. Numbers are added to the first; what collects sensitivities of arrays begins with the symbolic zero,
    /// since two copies of f would become four in the next loop around it.
    pub(super) fn accumulate(&mut self, n: &Val, f: &Val, span: Span) -> Result1<Val> {
        let n = self.count(n, span)?;
        let one = self.scratch(|this| {
            let i = this.invented(INT);
            this.apply(f, i, 0, span)
        })?;
        if self.holds_handles(one) {
            let zero = self.zero();
            return self.accumulate_from(0, n, f, zero, span);
        }
        let empty = self.scalar(Scalar::IntLe, vec![n.clone(), Atom::Int(0)], BOOL, span);
        let none = self.arm(|this| Ok(this.zero()))?;
        let some = self.arm(|this| {
            let first = this.apply(f, Val { atom: Atom::Int(0), shape: INT }, 0, span)?;
            this.accumulate_from(1, n, f, first, span)
        })?;
        self.branch(empty.atom, none, some, span)
    }

    /// Are there sensitivities of arrays in such a value?
    fn holds_handles(&self, shape: ShapeId) -> bool {
        let is_handle =
            |id: &ShapeId| self.graph.alternatives(*id).iter().any(|one| matches!(one.head, Head::Handle(_)));
        self.graph.reachable(shape).iter().any(is_handle)
    }

    /// `first ⊕ f(from) ⊕ … ⊕ f(n-1)`.
    fn accumulate_from(&mut self, from: i64, n: Atom, f: &Val, first: Val, span: Span) -> Result1<Val> {
        // The shape of the sum: what it is after one more addition must be what it was.
        let mut shape = first.shape;
        for _ in 0..8 {
            let next = self.scratch(|this| {
                let (sum, i) = (this.invented(shape), this.invented(INT));
                let more = this.apply(f, i, 0, span)?;
                this.plus(&sum, &more, span)
            })?;
            let joined = self.graph.join(shape, next);
            if joined == shape {
                break;
            }
            shape = joined;
        }
        let start = self.coerce(&first, shape, span)?;
        let ty = self.type_of(shape);
        let (i, sum) = (self.draft.fresh(Type::Int), self.draft.fresh(ty.clone()));
        self.draft.open(vec![]);
        let done = self.scalar(Scalar::IntGe, vec![Atom::Var(i), n], BOOL, span);
        self.draft.open(vec![]);
        let step = (|| {
            let more = self.apply(f, Val { atom: Atom::Var(i), shape: INT }, 0, span)?;
            let total = self.plus(&Val { atom: Atom::Var(sum), shape }, &more, span)?;
            let total = self.coerce(&total, shape, span)?;
            let next = self.scalar(Scalar::IntAdd, vec![Atom::Var(i), Atom::Int(1)], INT, span);
            Ok((next.atom, total.atom))
        })();
        let statements = self.draft.close();
        let again = match step {
            Ok((next, total)) => ended(statements, first_order::End::Again(vec![next, total])),
            Err(crate::Stop::Never) => ended(statements, first_order::End::Never),
            Err(dynamic) => {
                self.draft.close();
                return Err(dynamic);
            }
        };
        let finish = ended(vec![], first_order::End::Yield(Atom::Var(sum)));
        let result = self.draft.write(ty.clone(), Op::If(done.atom, Box::new(finish), Box::new(again)), span);
        let body = ended(self.draft.close(), first_order::End::Yield(result));
        let params = vec![(i, Atom::Int(from)), (sum, start.atom)];
        let atom = self.draft.write(ty, Op::Loop { params, body: Box::new(body) }, span);
        Ok(Val { atom, shape })
    }

    /// The elements of an array in a wider shape.
    pub fn array_elements(&mut self, alt: &Alt, rank: u32, to: ShapeId, span: Span) -> Result1<Atom> {
        let from = alt.parts[0];
        if self.identical(from, to) {
            return Ok(alt.content.clone());
        }
        let shape = self.array_shape(rank, to);
        if rank > 1 || from == NEVER {
            let value = self.narrowed(alt);
            let zero = self.zero();
            return Ok(self.bridge(Prim::Materialise, vec![zero, value], shape, span)?.atom);
        }
        let n = self.draft.write(Type::Int, Op::Len(alt.content.clone()), span);
        let index = self.draft.fresh(Type::Int);
        let ty = self.type_of(from);
        let content = alt.content.clone();
        let arm = self.arm(|this| {
            let atom = this.draft.write(ty, Op::Element(content, vec![Atom::Var(index)]), span);
            this.coerce(&Val { atom, shape: from }, to, span)
        })?;
        let body = Box::new(self.arm_block(arm, to, span)?);
        let ty = self.type_of(shape);
        Ok(self.draft.write(ty, Op::Tabulate { n, index, body }, span))
    }
}
