//! `a ⊕ b`: the sum of two sensitivities, decided by their shapes.

use base::{Span, codes};
use calculus::Prim;
use differentiate::sensitivities::{self, Addend, Of, Plus, Sum};
use first_order::{Alternative, Atom, Head, Op, Scalar, ShapeId, Type};

use crate::body::Alt;
use crate::graph::{BOOL, REAL, ZERO};
use crate::instances::{Kind, Specialiser};
use crate::{Result1, Val};

impl Specialiser<'_> {
    /// `a ⊕ b` of two sensitivities that a program gives: `()` and a number belong to different values.
    pub fn plus_given(&mut self, a: &Val, b: &Val, span: Span) -> Result1<Val> {
        let may_be_unit = |this: &Self, d: &Val| this.graph.alternatives(d.shape).iter().any(is_unit);
        if !may_be_unit(self, a) && !may_be_unit(self, b) {
            return self.plus(a, b, span);
        }
        self.split(a, span, &mut |this, x| {
            this.split(b, span, &mut |this, y| {
                if !sensitivities::belong_together(&this.top(&x), &this.top(&y)) {
                    return this.fail(codes::NOT_CONFORMING, span);
                }
                let (x, y) = (this.narrowed(&x), this.narrowed(&y));
                this.plus(&x, &y, span)
            })
        })
    }

    pub fn plus(&mut self, a: &Val, b: &Val, span: Span) -> Result1<Val> {
        if a.shape == ZERO {
            return Ok(b.clone());
        }
        if b.shape == ZERO {
            return Ok(a.clone());
        }
        if a.shape == REAL && b.shape == REAL {
            return Ok(self.add_reals(a.atom.clone(), b.atom.clone(), span));
        }
        // Recursive data is added by a function that calls itself.
        let recursive = self.graph.get(a.shape).named.is_some() || self.graph.get(b.shape).named.is_some();
        if recursive || self.is_large(a.shape) || self.is_large(b.shape) {
            return self.call(Kind::Plus, vec![a.clone(), b.clone()], span);
        }
        self.plus_alternatives(a, b, span)
    }

    fn add_reals(&mut self, a: Atom, b: Atom, span: Span) -> Val {
        let atom = self.draft.write(Type::Real, Op::Scalar(Scalar::Add, vec![a, b]), span);
        Val { atom, shape: REAL }
    }

    /// One level of [`Specialiser::plus`].
    pub fn plus_alternatives(&mut self, a: &Val, b: &Val, span: Span) -> Result1<Val> {
        self.split(a, span, &mut |this, x| {
            if x.head == Head::Zero {
                return Ok(b.clone());
            }
            this.split(b, span, &mut |this, y| this.plus_heads(&x, &y, span))
        })
    }

    fn plus_heads(&mut self, x: &Alt, y: &Alt, span: Span) -> Result1<Val> {
        match sensitivities::plus(&self.top(x), &self.top(y)) {
            Plus::Left => Ok(self.narrowed(x)),
            Plus::Right => Ok(self.narrowed(y)),
            Plus::Numbers => {
                let (Some(a), Some(b)) = (self.as_real(x, span), self.as_real(y, span)) else {
                    unreachable!("plus: numbers")
                };
                Ok(self.add_reals(a, b, span))
            }
            Plus::IntoLeft => self.plus_full(x, y, span),
            Plus::IntoRight => self.plus_full(y, x, span),
            Plus::Arrays => self.plus_arrays(x, y, span),
            Plus::Fields => self.plus_fields(x, y, span),
            Plus::Aligned(sum) => self.plus_aligned(x, y, sum, span),
            Plus::Conflict => self.fail(codes::NOT_CONFORMING, span),
        }
    }

    /// A full sensitivity stays full; what is added goes to its raw part.
    fn plus_full(&mut self, full: &Alt, other: &Alt, span: Span) -> Result1<Val> {
        let (of, d) = (self.part(full, 0, span), self.part(full, 1, span));
        let other = match other.head {
            Head::Full => self.part(other, 1, span),
            _ => self.narrowed(other),
        };
        let sum = self.plus(&d, &other, span)?;
        self.full(&of, &sum, span)
    }

    fn plus_fields(&mut self, x: &Alt, y: &Alt, span: Span) -> Result1<Val> {
        let mut parts = vec![];
        for i in 0..x.parts.len() {
            let (a, b) = (self.part(x, i, span), self.part(y, i, span));
            parts.push(self.plus(&a, &b, span)?);
        }
        self.construct(x.head.clone(), parts, span)
    }

    fn plus_aligned(&mut self, x: &Alt, y: &Alt, sum: Sum, span: Span) -> Result1<Val> {
        let mut parts = vec![];
        for addend in sum.fields {
            parts.push(match addend {
                Addend::Left(i) => self.part(x, i, span),
                Addend::Right(i) => self.part(y, i, span),
                Addend::Both(i, j) => {
                    let (a, b) = (self.part(x, i, span), self.part(y, j, span));
                    self.plus(&a, &b, span)?
                }
            });
        }
        let head = match (sum.of, &x.head) {
            (Of::Left, head) => head.clone(),
            (Of::Right, _) => y.head.clone(),
            (Of::Record(labels), _) => Head::Record(labels.into()),
            (Of::Part(at), Head::Part(constructor, _)) => Head::Part(constructor.clone(), at.into()),
            (Of::Part(_), _) => unreachable!("plus: a part of what both operands are parts of"),
        };
        self.construct(head, parts, span)
    }

    fn plus_arrays(&mut self, x: &Alt, y: &Alt, span: Span) -> Result1<Val> {
        let rank = |head: &Head| match head {
            Head::Array(rank) | Head::Handle(rank) => *rank,
            _ => unreachable!("plus: arrays"),
        };
        let (m, n) = (rank(&x.head), rank(&y.head));
        let joined = self.plus_shape(x.parts[0], y.parts[0], span)?;
        let dense = matches!((&x.head, &y.head), (Head::Array(_), Head::Array(_))) && joined == REAL;
        let (a, b) = (self.narrowed(x), self.narrowed(y));
        let (left, right) = (self.rows_of(&x.head, &x.parts), self.rows_of(&y.head, &y.parts));
        let whole = |rows: Option<(u32, ShapeId)>, rank| rows.map_or(rank, |(rank, _)| rank);
        if m != n && whole(left, m) == whole(right, n) {
            // One is collected row by row: so is the sum, as far as anybody knows.
            let shape = if m < n { a.shape } else { b.shape };
            return self.bridge(Prim::Plus, vec![a, b], shape, span);
        }
        if m != n {
            // Only empty arrays of different rank conform, and then the first is the sum.
            return self.bridge(Prim::Plus, vec![a.clone(), b], a.shape, span);
        }
        if let (Head::Array(1), Head::Array(1), false) = (&x.head, &y.head, dense) {
            return self.plus_elements(&a, &b, span);
        }
        let head = if dense { Head::Array(m) } else { Head::Handle(m) };
        let element = if dense { REAL } else { self.graph.join(joined, ZERO) };
        let shape = self.graph.single(head, vec![element]);
        self.bridge(Prim::Plus, vec![a, b], shape, span)
    }

    /// Arrays of sensitivities that are there one by one.
    fn plus_elements(&mut self, a: &Val, b: &Val, span: Span) -> Result1<Val> {
        let length = |this: &mut Self, of: &Val| this.draft.write(Type::Int, Op::Len(of.atom.clone()), span);
        let (n, other) = (length(self, a), length(self, b));
        let same = self.scalar(Scalar::IntEq, vec![n.clone(), other], BOOL, span);
        self.draft.write(Type::unit(), Op::Require(same.atom, codes::NOT_CONFORMING), span);
        let index = self.draft.fresh(Type::Int);
        let arm = self.arm(|this| {
            let (x, y) = (this.element(a, &[Atom::Var(index)], span)?, this.element(b, &[Atom::Var(index)], span)?);
            let sum = this.plus(&x, &y, span)?;
            this.forced(&sum, span)
        })?;
        let element = arm.shape();
        let body = Box::new(self.arm_block(arm, element, span)?);
        let shape = self.array_shape(1, element);
        let ty = self.type_of(shape);
        let atom = self.draft.write(ty, Op::Tabulate { n, index, body }, span);
        Ok(Val { atom, shape })
    }

    /// The shape that the sum of two elements of arrays may have.
    fn plus_shape(&mut self, a: ShapeId, b: ShapeId, span: Span) -> Result1<ShapeId> {
        if a == b && a == REAL {
            return Ok(REAL);
        }
        if let Some(sum) = self.sums.get(&(a, b)) {
            return Ok(*sum);
        }
        let joined = self.graph.join(a, b);
        self.sums.insert((a, b), joined);
        let sum = self.scratch(|this| {
            let (a, b) = (this.invented(a), this.invented(b));
            this.plus(&a, &b, span)
        })?;
        let sum = self.graph.join(sum, joined);
        self.sums.insert((a, b), sum);
        Ok(sum)
    }
}

/// Is it the sensitivity of what has no derivative?
fn is_unit(one: &Alternative) -> bool {
    one.head == Head::Tuple && one.parts.is_empty()
}
