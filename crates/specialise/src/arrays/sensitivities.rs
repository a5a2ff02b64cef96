//! Sensitivities of arrays: what the rules of array primitives are made of. Zero stays zero; what is being collected is a handle.

use base::{Span, codes};
use calculus::Prim;
use first_order::{Alternative, Atom, Head, Op, Scalar, ShapeId, Type};
use rustc_hash::FxHashSet;

use crate::body::Alt;
use crate::draft::ended;
use crate::graph::{BOOL, INT, NEVER, REAL, ZERO};
use crate::instances::Specialiser;
use crate::{Result1, Val};

impl Specialiser<'_> {
    /// A sensitivity that is collected row by row as one array.
    pub fn with_rank(&mut self, value: &Val, span: Span) -> Result1<Val> {
        if !self.graph.alternatives(value.shape).iter().any(|one| self.rows_of(&one.head, &one.parts).is_some()) {
            return Ok(value.clone());
        }
        self.split(value, span, &mut |this, alt| {
            let value = this.narrowed(&alt);
            let Head::Handle(rank) = alt.head else { return Ok(value) };
            let Some(stacked) = this.with_rows_stacked(rank, alt.parts[0]) else { return Ok(value) };
            let stacked = this.graph.join(stacked, ZERO);
            this.bridge(Prim::Unspread, vec![value], stacked, span)
        })
    }

    /// The rank and elements of a collected array whose elements are arrays.
    pub fn rows_of(&self, head: &Head, parts: &[ShapeId]) -> Option<(u32, ShapeId)> {
        let Head::Handle(rank) = head else { return None };
        self.graph.alternatives(parts[0]).iter().find_map(|one| match one.head {
            Head::Array(inner) | Head::Handle(inner) => Some((rank + inner, one.parts[0])),
            _ => None,
        })
    }

    /// What an array of this rank becomes if elements that are arrays make it one of higher rank, whichever they are; all may also be no
    /// arrays. Nothing if no element is one.
    pub fn with_rows_stacked(&mut self, rank: u32, element: ShapeId) -> Option<ShapeId> {
        let (mut stacked, mut others) = (NEVER, NEVER);
        for one in self.graph.alternatives(element).to_vec() {
            match one.head {
                Head::Array(inner) | Head::Handle(inner) => {
                    let rows = self.handle_shape(rank + inner, one.parts[0]);
                    stacked = self.graph.join(stacked, rows);
                }
                Head::Zero => {}
                _ => {
                    let other = self.graph.union(vec![one]);
                    others = self.graph.join(others, other);
                }
            }
        }
        if stacked == NEVER {
            return None;
        }
        if others != NEVER {
            let flat = self.handle_shape(rank, others);
            stacked = self.graph.join(stacked, flat);
        }
        Some(stacked)
    }

    /// The sensitivity of element `i` of the first axis, for an array literal.
    pub fn sensitivity_element(&mut self, value: &Val, i: u32, span: Span) -> Result1<Val> {
        let at = Val { atom: Atom::Int(i64::from(i)), shape: INT };
        self.prim_part(value, &at, span)
    }

    fn prim_part(&mut self, value: &Val, at: &Val, span: Span) -> Result1<Val> {
        self.array_prim(Prim::Part, vec![value.clone(), at.clone()], span)
    }

    /// The sensitivity of an array literal of this length that is `d` at one element.
    pub fn inject_element(&mut self, i: u32, length: u32, d: &Val, span: Span) -> Result1<Val> {
        let d = self.forced(d, span)?;
        self.split(&d, span, &mut |this, alt| {
            let d = this.narrowed(&alt);
            let (rank, element) = match alt.head {
                Head::Array(rank) | Head::Handle(rank) => (rank + 1, alt.parts[0]),
                _ => (1, d.shape),
            };
            if d.shape == REAL {
                return this.one_element(i, length, d, span);
            }
            // Zeros everywhere and `d` at one place, put together as raw sensitivities are.
            let zero = this.zero();
            let mut elements = vec![zero; length as usize];
            let boxed = if rank > 1 { this.collected(&d, rank - 1, element, span)? } else { d.clone() };
            elements[i as usize] = boxed.clone();
            let one = this.graph.join(ZERO, boxed.shape);
            let array = this.array_of(elements, one, span)?;
            let shape = this.handle_shape(rank, element);
            this.bridge(Prim::Unspread, vec![array], shape, span)
        })
    }

    /// The sensitivity of a vector of this length that is the real `d` at one element.
    fn one_element(&mut self, i: u32, length: u32, d: Val, span: Span) -> Result1<Val> {
        let int = |i: u32| Val { atom: Atom::Int(i64::from(i)), shape: INT };
        let frame = self.construct(Head::Frame(1), vec![int(length)], span)?;
        let shape = self.handle_shape(1, REAL);
        self.bridge(Prim::Place, vec![frame, int(i), d], shape, span)
    }

    /// An array as a handle.
    pub fn collected(&mut self, value: &Val, rank: u32, element: ShapeId, span: Span) -> Result1<Val> {
        let shape = self.handle_shape(rank, element);
        let zero = self.zero();
        self.bridge(Prim::Materialise, vec![zero, value.clone()], shape, span)
    }

    /// All that a rule remembers of an operand whose elements it doesn't need.
    pub(super) fn frame(&mut self, alt: &Alt, span: Span) -> Result1<Val> {
        let value = self.narrowed(alt);
        match alt.head {
            Head::Real => Ok(Val { atom: Atom::Real(0.0), shape: REAL }),
            Head::Zero | Head::Frame(_) => Ok(value),
            Head::Array(_) if self.is_discrete(alt.parts[0]) => Ok(self.unit()),
            Head::Array(1) => {
                let atom = self.draft.write(Type::Int, Op::Len(alt.content.clone()), span);
                self.construct(Head::Frame(1), vec![Val { atom, shape: INT }], span)
            }
            // Sensitivities of elements that are arrays may be stacked: then there are more axes than the shape says.
            Head::Handle(rank) if !self.holds_numbers(alt.parts[0]) => {
                let shape = self.handle_shape(rank, ZERO);
                self.bridge(Prim::Frame, vec![value], shape, span)
            }
            Head::Array(rank) | Head::Handle(rank) => {
                let shape = self.graph.single(Head::Frame(rank), vec![INT; rank as usize]);
                self.bridge(Prim::Frame, vec![value], shape, span)
            }
            _ => Ok(self.unit()),
        }
    }

    /// Are elements of this shape numbers, some perhaps zero?
    fn holds_numbers(&self, element: ShapeId) -> bool {
        let alternatives = self.graph.alternatives(element);
        let is = |head: &Head| alternatives.iter().any(|one| one.head == *head);
        is(&Head::Real) && alternatives.len() == 1 + usize::from(is(&Head::Zero))
    }

    /// Do elements of this shape carry no derivative?
    fn is_discrete(&self, element: ShapeId) -> bool {
        let has_zero = self.graph.alternatives(element).iter().any(|one| matches!(one.head, Head::Zero | Head::Full));
        element != NEVER && !self.holds_real(element) && !self.holds_function(element) && !has_zero
    }

    /// Are there values of this shape that carry no derivative? Those that are made of such values, found from the leaves up.
    fn may_be_discrete(&self, shape: ShapeId) -> bool {
        let reachable = self.graph.reachable(shape);
        let mut discrete = FxHashSet::default();
        loop {
            let before = discrete.len();
            for id in &reachable {
                let is_discrete = |one: &Alternative| match one.head {
                    Head::Bool | Head::Int | Head::Text => true,
                    Head::Tuple | Head::Record(_) | Head::Variant(_) | Head::Part(..) => {
                        one.parts.iter().all(|part| discrete.contains(part))
                    }
                    // It may have no elements.
                    Head::Array(_) => one.parts[0] != REAL,
                    _ => false,
                };
                if self.graph.alternatives(*id).iter().any(is_discrete) {
                    discrete.insert(*id);
                }
            }
            if discrete.len() == before {
                return discrete.contains(&shape);
            }
        }
    }

    /// The sensitivity of an array that is `d` in a part and zero elsewhere.
    pub(super) fn place(&mut self, array: &Val, spec: &Val, d: &Val, span: Span) -> Result1<Val> {
        if d.shape == ZERO {
            return Ok(d.clone());
        }
        let array = self.forced(array, span)?;
        let spec = self.forced(spec, span)?;
        let d = self.forced(d, span)?;
        self.split(&array, span, &mut |this, alt| {
            let rank = match alt.head {
                Head::Zero => return Ok(this.zero()),
                Head::Tuple if alt.parts.is_empty() => return Ok(this.zero()),
                Head::Array(_) if this.is_discrete(alt.parts[0]) => return Ok(this.zero()),
                Head::Array(rank) | Head::Handle(rank) | Head::Frame(rank) => rank,
                _ => return this.fail(codes::WRONG_KIND, span),
            };
            // An array in which nothing carries a derivative has no sensitivity, and what its elements are is seen when it runs.
            let may_vanish = matches!(alt.head, Head::Array(_)) && this.may_be_discrete(alt.parts[0]);
            let array = this.narrowed(&alt);
            // Rows that were taken apart are elements: the sensitivity of such an element is an array.
            let one_kind = this.graph.only(spec.shape).is_some();
            let is_element = one_kind && this.kept_axes(&spec, span)? == Some((0, rank));
            this.split(&d, span, &mut |this, given| {
                let element = match given.head {
                    Head::Zero => return Ok(this.zero()),
                    Head::Array(_) | Head::Handle(_) if !is_element => given.parts[0],
                    _ => this.narrowed(&given).shape,
                };
                let mut shape = this.handle_shape(rank, element);
                if may_vanish {
                    shape = this.graph.join(shape, ZERO);
                }
                let d = this.narrowed(&given);
                this.bridge(Prim::Place, vec![array.clone(), spec.clone(), d], shape, span)
            })
        })
    }

    /// A sensitivity times a factor; zero stays zero whatever the factor.
    pub(super) fn scale(&mut self, d: &Val, g: &Val, span: Span) -> Result1<Val> {
        self.combine(Prim::Scale, d, g, span)
    }

    /// A sensitivity where a mask isn't 0.
    pub(super) fn keep(&mut self, mask: &Val, d: &Val, span: Span) -> Result1<Val> {
        self.combine(Prim::Keep, d, mask, span)
    }

    fn combine(&mut self, prim: Prim, d: &Val, other: &Val, span: Span) -> Result1<Val> {
        if d.shape == ZERO {
            return Ok(d.clone());
        }
        let (d, other) = (self.forced(d, span)?, self.forced(other, span)?);
        let (d, other) = (self.with_rank(&d, span)?, self.with_rank(&other, span)?);
        // Sensitivities are factors too, at higher orders; that of an int is ().
        let nothing = |alt: &Alt| alt.head == Head::Zero || (alt.head == Head::Tuple && alt.parts.is_empty());
        self.split(&d, span, &mut |this, x| {
            if nothing(&x) {
                return Ok(this.zero());
            }
            this.split(&other, span, &mut |this, y| {
                if nothing(&y) {
                    return Ok(this.zero());
                }
                this.combine_heads(prim, &x, &y, span)
            })
        })
    }

    fn combine_heads(&mut self, prim: Prim, d: &Alt, other: &Alt, span: Span) -> Result1<Val> {
        let scalar = |this: &mut Self, alt: &Alt| match alt.head {
            Head::Real => Some(alt.content.clone()),
            Head::Int => Some(this.as_real_value(&Val { atom: alt.content.clone(), shape: INT }, span).atom),
            _ => None,
        };
        if let (Some(x), Some(y)) = (scalar(self, d), scalar(self, other)) {
            if prim == Prim::Scale {
                return Ok(self.scalar(Scalar::Mul, vec![x, y], REAL, span));
            }
            let vanishes = self.scalar(Scalar::Eq, vec![y, Atom::Real(0.0)], BOOL, span);
            let zero = self.arm(|this| Ok(this.zero()))?;
            let kept = self.arm(|_| Ok(Val { atom: x, shape: REAL }))?;
            return self.branch(vanishes.atom, zero, kept, span);
        }
        let rank = match (axes(&d.head), axes(&other.head)) {
            (0, 0) => return self.fail(codes::WRONG_KIND, span),
            (m, n) => m.max(n),
        };
        let (x, y) = self.aligned(d, other, span)?;
        let are_numbers = matches!((&d.head, &other.head), (Head::Array(_), Head::Array(_)));
        if prim == Prim::Keep && are_numbers && !self.world.lengths_may_differ() {
            self.require_same_lengths(&x, &y, rank, span);
        }
        // A product of numbers that aren't collected has no holes.
        let dense = prim == Prim::Scale
            && !matches!(other.head, Head::Handle(_))
            && match d.head {
                Head::Array(_) => d.parts[0] == REAL || d.parts[0] == INT,
                Head::Real | Head::Int => true,
                _ => false,
            };
        let shape = if dense { self.array_shape(rank, REAL) } else { self.handle_shape(rank, REAL) };
        let args = if prim == Prim::Scale { vec![x, y] } else { vec![y, x] };
        self.bridge(prim, args, shape, span)
    }

    /// Fails unless two arrays have the same lengths: no primitive does that, and derivatives rely on it.
    fn require_same_lengths(&mut self, x: &Val, y: &Val, rank: u32, span: Span) {
        for axis in 0..rank {
            let length =
                |array: &Val| if axis == 0 { Op::Len(array.atom.clone()) } else { Op::Axis(array.atom.clone(), axis) };
            let [m, n] = [x, y].map(|array| self.draft.write(Type::Int, length(array), span));
            let same = self.scalar(Scalar::IntEq, vec![m, n], BOOL, span).atom;
            self.draft.write(Type::unit(), Op::Require(same, codes::SHAPE_MISMATCH), span);
        }
    }

    /// What an operand receives from the sensitivity of an elementwise result.
    pub(super) fn unbroadcast(&mut self, operand: &Val, d: &Val, span: Span) -> Result1<Val> {
        let (operand, d) = (self.forced(operand, span)?, self.forced(d, span)?);
        self.split(&operand, span, &mut |this, alt| match alt.head {
            Head::Real => this.split(&d, span, &mut |this, given| {
                let value = this.narrowed(&given);
                match given.head {
                    Head::Array(_) | Head::Handle(_) => {
                        let operand = this.narrowed(&alt);
                        this.bridge(Prim::Unbroadcast, vec![operand, value], REAL, span)
                    }
                    _ => Ok(value),
                }
            }),
            Head::Array(_) if alt.parts[0] == INT || alt.parts[0] == BOOL => Ok(this.zero()),
            Head::Array(_) | Head::Handle(_) | Head::Frame(_) => this.shared_out(&alt, &d, span),
            _ => Ok(this.zero()),
        })
    }

    /// The same for an operand that is an array: what was repeated is added up.
    fn shared_out(&mut self, operand: &Alt, d: &Val, span: Span) -> Result1<Val> {
        let rows = |this: &Self, head: &Head, parts: &[ShapeId]| this.rows_of(head, parts).map(|(rank, _)| rank);
        let rank = rows(self, &operand.head, &operand.parts).unwrap_or(axes(&operand.head));
        let differ = self.world.lengths_may_differ();
        let repeated = |this: &Self, head: &Head, parts: &[ShapeId]| {
            let of = rows(this, head, parts).unwrap_or(axes(head));
            of > rank || (differ && of == rank)
        };
        let alternatives = self.graph.alternatives(d.shape).to_vec();
        if !alternatives.iter().any(|one| repeated(self, &one.head, &one.parts)) {
            return Ok(d.clone());
        }
        let d = self.with_rank(d, span)?;
        self.split(&d, span, &mut |this, given| {
            let value = this.narrowed(&given);
            if !repeated(this, &given.head, &given.parts) {
                return Ok(value);
            }
            let shape = this.like(&given, rank);
            let operand = this.narrowed(operand);
            this.bridge(Prim::Unbroadcast, vec![operand, value], shape, span)
        })
    }

    /// The operands of an elementwise operation, arrays among them of one rank, and if lengths may differ of one shape.
    pub fn aligned(&mut self, x: &Alt, y: &Alt, span: Span) -> Result1<(Val, Val)> {
        let (m, n) = (axes(&x.head), axes(&y.head));
        let (a, b) = (self.narrowed(x), self.narrowed(y));
        if m == 0 || n == 0 || a.atom == b.atom {
            return Ok((a, b));
        }
        let differ = self.world.lengths_may_differ();
        let repeat = |this: &mut Self, alt: &Alt, value: &Val, other: &Val, own: u32| {
            if own == m.max(n) && !differ {
                return Ok(value.clone());
            }
            let shape = this.like(alt, m.max(n));
            this.bridge(Prim::Broadcast, vec![value.clone(), other.clone()], shape, span)
        };
        Ok((repeat(self, x, &a, &b, m)?, repeat(self, y, &b, &a, n)?))
    }

    /// An operand of an elementwise operation repeated to the shape of its result.
    pub(super) fn broadcast(&mut self, value: &Val, like: &Val, span: Span) -> Result1<Val> {
        let (value, like) = (self.forced(value, span)?, self.forced(like, span)?);
        let (value, like) = (self.with_rank(&value, span)?, self.with_rank(&like, span)?);
        self.split(&like, span, &mut |this, like| {
            this.split(&value, span, &mut |this, alt| {
                let (m, n) = (axes(&alt.head), axes(&like.head));
                let given = this.narrowed(&alt);
                if m == 0 || m > n || (m == n && !this.world.lengths_may_differ()) {
                    return Ok(given);
                }
                let shape = this.like(&alt, n);
                let like = this.narrowed(&like);
                this.bridge(Prim::Broadcast, vec![given, like], shape, span)
            })
        })
    }

    /// An array shaped like another, every element `d`.
    pub(super) fn fill(&mut self, like: &Val, d: &Val, span: Span) -> Result1<Val> {
        let (like, d) = (self.forced(like, span)?, self.forced(d, span)?);
        self.split(&like, span, &mut |this, alt| {
            let rank = match alt.head {
                Head::Zero => return Ok(this.zero()),
                Head::Tuple if alt.parts.is_empty() => return Ok(this.zero()),
                Head::Array(_) if alt.parts[0] == INT || alt.parts[0] == BOOL => return Ok(this.zero()),
                Head::Array(rank) | Head::Handle(rank) | Head::Frame(rank) => rank,
                _ => return this.fail(codes::WRONG_KIND, span),
            };
            let like = this.narrowed(&alt);
            this.split(&d, span, &mut |this, given| {
                match given.head {
                    Head::Zero => return Ok(this.zero()),
                    Head::Array(_) | Head::Handle(_) => return this.fail(codes::WRONG_KIND, span),
                    _ => {}
                }
                let d = this.narrowed(&given);
                if d.shape == REAL && alt.head == Head::Frame(1) {
                    return this.fill_vector(&alt, &d, span);
                }
                let shape =
                    if d.shape == REAL { this.array_shape(rank, REAL) } else { this.handle_shape(rank, d.shape) };
                this.bridge(Prim::Fill, vec![like.clone(), d], shape, span)
            })
        })
    }

    /// Every element of a vector is the same number, and no −0.0, which would be taken for the symbolic zero.
    fn fill_vector(&mut self, frame: &Alt, d: &Val, span: Span) -> Result1<Val> {
        let n = self.part(frame, 0, span).atom;
        let n = self.scalar(Scalar::Length, vec![n], INT, span).atom;
        let number = self.scalar(Scalar::Add, vec![d.atom.clone(), Atom::Real(0.0)], REAL, span);
        let shape = self.array_shape(1, REAL);
        let (ty, index) = (self.type_of(shape), self.draft.fresh(Type::Int));
        let body = Box::new(ended(vec![], first_order::End::Yield(number.atom)));
        let atom = self.draft.write(ty, Op::Tabulate { n, index, body }, span);
        Ok(Val { atom, shape })
    }

    /// The sensitivities of the elements along the first axis, each by itself.
    pub(super) fn spread(&mut self, n: &Val, d: &Val, span: Span) -> Result1<Val> {
        let d = self.forced(d, span)?;
        self.split(&d, span, &mut |this, alt| {
            let given = this.narrowed(&alt);
            let element = match alt.head {
                Head::Zero => ZERO,
                Head::Array(1) => return Ok(given),
                // The rows of an array are handles too, but there are no symbolic zeros in them.
                Head::Handle(1) => alt.parts[0],
                Head::Array(rank) | Head::Handle(rank) => this.graph.single(Head::Handle(rank - 1), vec![alt.parts[0]]),
                _ => return this.fail(codes::NOT_CONFORMING, span),
            };
            let shape = this.array_shape(1, element);
            this.bridge(Prim::Spread, vec![n.clone(), given], shape, span)
        })
    }

    /// What the sensitivity of one element may be.
    pub fn element_sensitivity(&mut self, d: ShapeId) -> ShapeId {
        let alternatives = self.graph.alternatives(d).to_vec();
        let mut shape = ZERO;
        for one in alternatives {
            match one.head {
                Head::Array(_) | Head::Handle(_) => shape = self.graph.join(shape, one.parts[0]),
                _ => {}
            }
        }
        shape
    }
}

/// The number of axes of an array, a sensitivity of one, or a frame; 0 of anything else.
fn axes(head: &Head) -> u32 {
    match head {
        Head::Array(rank) | Head::Handle(rank) | Head::Frame(rank) => *rank,
        _ => 0,
    }
}
