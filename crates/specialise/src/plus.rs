//! `a ⊕ b`: the sum of two sensitivities, decided by their shapes.

use std::rc::Rc;

use base::{Name, Span, codes};
use calculus::{Constructor, Prim};
use first_order::{Alternative, Atom, Head, Op, Scalar, ShapeId, Type};

use crate::body::Alt;
use crate::graph::{BOOL, INT, REAL, ZERO};
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
                let says_nothing = |alt: &Alt| match &alt.head {
                    Head::Zero | Head::Full => true,
                    Head::Tuple | Head::Record(_) | Head::Variant(_) | Head::Part(..) => alt.parts.is_empty(),
                    _ => false,
                };
                let unit = |alt: &Alt| alt.head == Head::Tuple && alt.parts.is_empty();
                if unit(&x) && !says_nothing(&y) || unit(&y) && !says_nothing(&x) {
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
        match (&x.head, &y.head) {
            (Head::Zero, _) => Ok(self.narrowed(y)),
            (_, Head::Zero) => Ok(self.narrowed(x)),
            (Head::Real, Head::Real) => Ok(self.add_reals(x.content.clone(), y.content.clone(), span)),
            (Head::Real, Head::Int) | (Head::Int, Head::Real) => {
                let (real, int) = if x.head == Head::Real { (x, y) } else { (y, x) };
                let int = self.as_real_value(&Val { atom: int.content.clone(), shape: INT }, span);
                Ok(self.add_reals(real.content.clone(), int.atom, span))
            }
            (Head::Full, _) => self.plus_full(x, y, span),
            (_, Head::Full) => self.plus_full(y, x, span),
            (Head::Array(_) | Head::Handle(_), Head::Array(_) | Head::Handle(_)) => self.plus_arrays(x, y, span),
            (Head::Tuple, Head::Tuple) if x.parts.len() == y.parts.len() => self.plus_fields(x, y, span),
            (Head::Variant(left), Head::Variant(right)) if left == right => self.plus_fields(x, y, span),
            (Head::Record(left), Head::Record(right)) if left == right => self.plus_fields(x, y, span),
            (Head::Record(left), Head::Record(right)) => {
                let (left, right) = (left.clone(), right.clone());
                self.plus_records(x, &left, y, &right, span)
            }
            (Head::Tuple, Head::Part(None, at)) => self.plus_part(x, y, &at.clone(), span),
            (Head::Part(None, at), Head::Tuple) => self.plus_part(y, x, &at.clone(), span),
            (Head::Variant(left), Head::Part(Some(right), at)) if left == right => {
                self.plus_part(x, y, &at.clone(), span)
            }
            (Head::Part(Some(left), at), Head::Variant(right)) if left == right => {
                self.plus_part(y, x, &at.clone(), span)
            }
            (Head::Part(left, at), Head::Part(right, other)) if left == right => {
                let (constructor, at, other) = (left.clone(), at.clone(), other.clone());
                self.plus_parts(constructor, x, &at, y, &other, span)
            }
            // What has no derivative may be given a number by derived code, which counts for nothing; the record of a
            // function without captures is as good as unit.
            (Head::Tuple, _) if x.parts.is_empty() => Ok(self.narrowed(y)),
            (_, Head::Tuple) if y.parts.is_empty() => Ok(self.narrowed(x)),
            _ => self.fail(codes::NOT_CONFORMING, span),
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

    /// Key union: a missing field is zero.
    fn plus_records(&mut self, x: &Alt, left: &Rc<[Name]>, y: &Alt, right: &Rc<[Name]>, span: Span) -> Result1<Val> {
        let mut labels = left.to_vec();
        let mut parts = self.all_parts(x, span);
        for (i, label) in right.iter().enumerate() {
            let part = self.part(y, i, span);
            match labels.iter().position(|known| known == label) {
                Some(at) => parts[at] = self.plus(&parts[at].clone(), &part, span)?,
                None => {
                    labels.push(*label);
                    parts.push(part);
                }
            }
        }
        self.construct(Head::Record(labels.into()), parts, span)
    }

    /// All fields on the left, some on the right.
    fn plus_part(&mut self, whole: &Alt, part: &Alt, positions: &[u32], span: Span) -> Result1<Val> {
        let mut parts = self.all_parts(whole, span);
        for (i, at) in positions.iter().enumerate() {
            let Some(field) = parts.get(*at as usize).cloned() else {
                return self.fail(codes::NOT_CONFORMING, span);
            };
            let more = self.part(part, i, span);
            parts[*at as usize] = self.plus(&field, &more, span)?;
        }
        self.construct(whole.head.clone(), parts, span)
    }

    fn plus_parts(
        &mut self,
        constructor: Option<Rc<Constructor>>,
        x: &Alt,
        left: &[u32],
        y: &Alt,
        right: &[u32],
        span: Span,
    ) -> Result1<Val> {
        let mut positions: Vec<u32> = left.iter().chain(right).copied().collect();
        positions.sort_unstable();
        positions.dedup();
        let mut parts = vec![];
        for position in &positions {
            let a = left.iter().position(|at| at == position).map(|i| self.part(x, i, span));
            let b = right.iter().position(|at| at == position).map(|i| self.part(y, i, span));
            parts.push(match (a, b) {
                (Some(a), Some(b)) => self.plus(&a, &b, span)?,
                (Some(a), None) => a,
                (None, Some(b)) => b,
                (None, None) => self.zero(),
            });
        }
        self.construct(Head::Part(constructor, positions.into()), parts, span)
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
