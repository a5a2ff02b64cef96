//! Primitives over values of any structure.

use base::{Name, Span, codes};
use calculus::Prim;
use first_order::{Atom, Head, Op, Scalar, ShapeId};

use crate::graph::{NEVER, REAL};
use crate::instances::{Kind, Specialiser};
use crate::{Result1, Val};

impl Specialiser<'_> {
    /// A value with all its reals multiplied.
    pub fn times(&mut self, value: &Val, k: &Val, span: Span) -> Result1<Val> {
        let k = self.forced(k, span)?;
        if k.shape != REAL {
            return self.fail(codes::WRONG_KIND, span);
        }
        if self.is_large(value.shape) || self.is_recursive_shape(value.shape) {
            return self.call(Kind::Times, vec![value.clone(), k], span);
        }
        self.times_alternatives(value, &k, span)
    }

    fn is_recursive_shape(&self, shape: ShapeId) -> bool {
        self.graph.reachable(shape).into_iter().any(|id| self.graph.get(id).named.is_some())
    }

    /// One level of [`Specialiser::times`].
    pub fn times_alternatives(&mut self, value: &Val, k: &Val, span: Span) -> Result1<Val> {
        let value = self.forced(value, span)?;
        self.split(&value, span, &mut |this, alt| match &alt.head {
            Head::Real => Ok(this.scalar(Scalar::Mul, vec![k.atom.clone(), alt.content.clone()], REAL, span)),
            Head::Tuple | Head::Record(_) | Head::Variant(_) | Head::Part(..) => {
                let mut parts = vec![];
                for i in 0..alt.parts.len() {
                    let part = this.part(&alt, i, span);
                    parts.push(this.times(&part, k, span)?);
                }
                this.construct(alt.head.clone(), parts, span)
            }
            Head::Handle(rank) => {
                let shape = this.graph.single(Head::Array(*rank), vec![REAL]);
                let value = this.narrowed(&alt);
                this.bridge(Prim::Times, vec![value, k.clone()], shape, span)
            }
            Head::Array(_) => {
                let value = this.narrowed(&alt);
                let shape = value.shape;
                this.bridge(Prim::Times, vec![value, k.clone()], shape, span)
            }
            _ => Ok(this.narrowed(&alt)),
        })
    }

    /// The fields, each in a box `{v: field}` so that arrays among them stay apart.
    pub fn children(&mut self, value: &Val, span: Span) -> Result1<Val> {
        let value = self.forced(value, span)?;
        let label = [Name::new("v")];
        self.split(&value, span, &mut |this, alt| match alt.head {
            Head::Tuple | Head::Record(_) | Head::Variant(_) | Head::Part(..) => {
                let mut boxes = vec![];
                let mut shape = NEVER;
                for i in 0..alt.parts.len() {
                    let part = this.part(&alt, i, span);
                    let boxed = this.construct(Head::Record(label.into()), vec![part], span)?;
                    shape = this.graph.join(shape, boxed.shape);
                    boxes.push(boxed);
                }
                this.array_of(boxes, shape, span)
            }
            _ => this.fail(codes::WRONG_KIND, span),
        })
    }

    pub fn array_of(&mut self, elements: Vec<Val>, element: ShapeId, span: Span) -> Result1<Val> {
        let mut atoms = vec![];
        for value in &elements {
            atoms.push(self.coerce(value, element, span)?.atom);
        }
        let shape = self.graph.single(Head::Array(1), vec![element]);
        let ty = self.type_of(shape);
        let atom = self.draft.write(ty, Op::Array(atoms), span);
        Ok(Val { atom, shape })
    }

    /// A value of the same form with these boxed fields.
    pub fn rebuild(&mut self, like: &Val, boxes: &Val, span: Span) -> Result1<Val> {
        let (like, boxes) = (self.forced(like, span)?, self.forced(boxes, span)?);
        self.split(&like, span, &mut |this, alt| match alt.head {
            Head::Tuple | Head::Record(_) | Head::Variant(_) => {
                let mut parts = vec![];
                for i in 0..alt.parts.len() {
                    let boxed = this.element(&boxes, &[Atom::Int(i as i64)], span)?;
                    let field = this.get(&boxed, &calculus::Field::Name(Name::new("v")), span)?;
                    parts.push(field);
                }
                this.construct(alt.head.clone(), parts, span)
            }
            _ => this.fail(codes::WRONG_KIND, span),
        })
    }

    /// The fields in pairs, the first outermost: each keeps its own shape, which the elements of an array don't.
    pub fn parts_in_pairs(&mut self, value: &Val, span: Span) -> Result1<Val> {
        let value = self.forced(value, span)?;
        self.split(&value, span, &mut |this, alt| match alt.head {
            Head::Tuple | Head::Record(_) | Head::Variant(_) | Head::Part(..) => {
                let mut pairs = this.construct(Head::Tuple, vec![], span)?;
                for i in (0..alt.parts.len()).rev() {
                    let part = this.part(&alt, i, span);
                    pairs = this.construct(Head::Tuple, vec![part, pairs], span)?;
                }
                Ok(pairs)
            }
            _ => this.fail(codes::WRONG_KIND, span),
        })
    }

    /// A value of the same form with the fields in these pairs.
    pub fn of_pairs(&mut self, like: &Val, pairs: &Val, span: Span) -> Result1<Val> {
        let like = self.forced(like, span)?;
        self.split(&like, span, &mut |this, alt| match alt.head {
            Head::Tuple | Head::Record(_) | Head::Variant(_) => {
                let mut parts = vec![];
                let mut rest = pairs.clone();
                for _ in 0..alt.parts.len() {
                    parts.push(this.get(&rest, &calculus::Field::Position(0), span)?);
                    rest = this.get(&rest, &calculus::Field::Position(1), span)?;
                }
                this.construct(alt.head.clone(), parts, span)
            }
            _ => this.fail(codes::WRONG_KIND, span),
        })
    }

    /// A value with its fields in the order of another one.
    pub fn in_order_of(&mut self, like: &Val, value: &Val, span: Span) -> Result1<Val> {
        let (like, value) = (self.forced(like, span)?, self.forced(value, span)?);
        self.split(&like, span, &mut |this, wanted| {
            this.split(&value, span, &mut |this, alt| match (&wanted.head, &alt.head) {
                (Head::Tuple, Head::Tuple) if wanted.parts.len() == alt.parts.len() => Ok(this.narrowed(&alt)),
                (Head::Variant(one), Head::Variant(other)) if one == other => Ok(this.narrowed(&alt)),
                (Head::Record(labels), Head::Record(own)) if labels == own => Ok(this.narrowed(&alt)),
                (Head::Record(labels), Head::Record(own))
                    if labels.len() == own.len() && labels.iter().all(|label| own.contains(label)) =>
                {
                    let value = this.narrowed(&alt);
                    let fields = labels.iter().map(|label| this.get(&value, &calculus::Field::Name(*label), span));
                    let fields = fields.collect::<Result1<Vec<Val>>>()?;
                    this.construct(wanted.head.clone(), fields, span)
                }
                _ => this.fail(codes::WRONG_KIND, span),
            })
        })
    }

    /// A random sensitivity of a value.
    pub fn random_like(&mut self, value: &Val, seed: &Val, span: Span) -> Result1<Val> {
        if self.is_recursive_shape(value.shape) && self.holds_reals_only(value.shape) {
            // A list of reals is a sensitivity of lists of reals.
            return self.bridge(Prim::RandomLike, vec![value.clone(), seed.clone()], value.shape, span);
        }
        let shape = self.scratch(|this| {
            let value = this.invented(value.shape);
            this.settled_sensitivity(&value, span)
        })?;
        self.bridge(Prim::RandomLike, vec![value.clone(), seed.clone()], shape, span)
    }

    /// Data and arrays of reals, without functions or discrete parts: a value whose sensitivities have its own shape.
    fn holds_reals_only(&self, shape: ShapeId) -> bool {
        let plain = |head: &Head| {
            matches!(head, Head::Real | Head::Tuple | Head::Record(_) | Head::Variant(_) | Head::Array(_))
        };
        let all = self.graph.reachable(shape);
        all.into_iter().all(|id| self.graph.alternatives(id).iter().all(|alternative| plain(&alternative.head)))
    }

    /// The sensitivity of a value, unfolded to its leaves. For code that is thrown away: its shape is what counts.
    fn settled_sensitivity(&mut self, value: &Val, span: Span) -> Result1<Val> {
        if self.is_recursive_shape(value.shape) {
            return self.dynamic(span, "a random sensitivity of recursive data");
        }
        let zero = self.zero();
        let full = self.full(value, &zero, span)?;
        let unfolded = self.forced(&full, span)?;
        self.settled_parts(&unfolded, span)
    }

    fn settled_parts(&mut self, value: &Val, span: Span) -> Result1<Val> {
        self.split(value, span, &mut |this, alt| match alt.head {
            Head::Tuple | Head::Record(_) | Head::Variant(_) => {
                let mut parts = vec![];
                for i in 0..alt.parts.len() {
                    let part = this.part(&alt, i, span);
                    let part = this.forced(&part, span)?;
                    parts.push(this.settled_parts(&part, span)?);
                }
                this.construct(alt.head.clone(), parts, span)
            }
            _ => Ok(this.narrowed(&alt)),
        })
    }
}
