//! Array primitives: the rank and the elements' shape of every result follow from those of the arguments.
//!
//! Reading and replacing elements and making arrays are operations of L3. The other primitives keep their name; what
//! they compute is looked up where the program runs. Sensitivities of arrays that are being collected are handles.

use base::{Span, codes};
use calculus::Prim;
use first_order::{Atom, Head, Op, Scalar, ShapeId, Type};

use crate::body::Alt;
use crate::draft::ended;
use crate::graph::{BOOL, INT, NEVER, REAL, ZERO};
use crate::instances::Specialiser;
use crate::{Result1, Val};

impl Specialiser<'_> {
    pub fn array_prim(&mut self, prim: Prim, args: Vec<Val>, span: Span) -> Result1<Val> {
        match prim {
            Prim::Tabulate => return self.tabulate(&args[0], &args[1], span),
            Prim::Accumulate => return self.accumulate(&args[0], &args[1], span),
            Prim::Iota => {
                let n = self.forced(&args[0], span)?;
                let ints = self.array_shape(1, INT);
                return self.bridge(prim, vec![n], ints, span);
            }
            Prim::Place => return self.place(&args[0], &args[1], &args[2], span),
            Prim::Scale => return self.scale(&args[0], &args[1], span),
            Prim::Keep => return self.keep(&args[0], &args[1], span),
            Prim::Unbroadcast => return self.unbroadcast(&args[0], &args[1], span),
            Prim::Fill => return self.fill(&args[0], &args[1], span),
            Prim::Spread => return self.spread(&args[0], &args[1], span),
            // Also rows of which all turn out to be zero have a length.
            Prim::Len if let Some(length) = self.known_length(&args[0].atom) => {
                return Ok(Val { atom: Atom::Int(i64::from(length)), shape: INT });
            }
            _ => {}
        }
        let first = self.forced(&args[0], span)?;
        self.split(&first, span, &mut |this, alt| this.array_prim_on(prim, &alt, &args[1..], span))
    }

    pub fn array_shape(&mut self, rank: u32, element: ShapeId) -> ShapeId {
        self.graph.single(Head::Array(rank), vec![element])
    }

    fn handle_shape(&mut self, rank: u32, element: ShapeId) -> ShapeId {
        let element = self.graph.join(element, ZERO);
        self.graph.single(Head::Handle(rank), vec![element])
    }

    /// An array of this rank with the elements of `like`, collected if `like` is.
    fn like(&mut self, like: &Alt, rank: u32) -> ShapeId {
        match like.head {
            Head::Handle(_) => self.handle_shape(rank, like.parts[0]),
            _ => self.array_shape(rank, like.parts[0]),
        }
    }

    fn array_prim_on(&mut self, prim: Prim, alt: &Alt, rest: &[Val], span: Span) -> Result1<Val> {
        let value = self.narrowed(alt);
        match (prim, &alt.head) {
            (Prim::Len, Head::Text) => return self.bridge(prim, vec![value], INT, span),
            (Prim::Frame, _) => return self.frame(alt, span),
            (Prim::Index | Prim::Part | Prim::Erase, Head::Zero) => return Ok(self.zero()),
            (Prim::Unspread, Head::Zero) => return Ok(self.zero()),
            _ => {}
        }
        if let Head::Frame(rank) = alt.head {
            let shape = self.handle_shape(rank, ZERO);
            let handle = self.bridge(Prim::Frame, vec![value], shape, span)?;
            return self.split(&handle, span, &mut |this, alt| this.array_prim_on(prim, &alt, rest, span));
        }
        let (Head::Array(rank) | Head::Handle(rank)) = alt.head else {
            return self.fail(codes::WRONG_KIND, span);
        };
        let collected = matches!(alt.head, Head::Handle(_));
        let element = alt.parts[0];
        match prim {
            Prim::Len if let Some(length) = self.known_length(&alt.content) => {
                Ok(Val { atom: Atom::Int(i64::from(length)), shape: INT })
            }
            Prim::Len if !collected => {
                let atom = self.draft.write(Type::Int, Op::Len(alt.content.clone()), span);
                Ok(Val { atom, shape: INT })
            }
            Prim::Len => self.bridge(prim, vec![value], INT, span),
            Prim::Shape => {
                let shape = self.array_shape(1, INT);
                let lengths = self.bridge(prim, vec![value], shape, span)?;
                if let Atom::Var(var) = lengths.atom {
                    self.draft.lengths.insert(var, rank);
                }
                Ok(lengths)
            }
            Prim::Sum => {
                let shape = if element == INT { INT } else { REAL };
                self.bridge(prim, vec![value], shape, span)
            }
            Prim::ArgMin | Prim::ArgMax => self.bridge(prim, vec![value], INT, span),
            Prim::ArgSort | Prim::Where => {
                let shape = self.array_shape(1, INT);
                self.bridge(prim, vec![value], shape, span)
            }
            Prim::Transpose | Prim::Reversed => {
                let shape = self.like(alt, rank);
                self.bridge(prim, vec![value], shape, span)
            }
            Prim::Reshape => self.reshape(alt, &rest[0], span),
            Prim::Concat => {
                let second = self.forced(&rest[0], span)?;
                self.split(&second, span, &mut |this, other| this.concat(alt, &other, span))
            }
            Prim::Index | Prim::Part => self.index(prim, alt, &rest[0], span),
            Prim::Erase => {
                let shape = self.handle_shape(rank, element);
                let spec = self.forced(&rest[0], span)?;
                self.bridge(prim, vec![value, spec], shape, span)
            }
            Prim::Update => self.update(alt, &rest[0], &rest[1], span),
            Prim::ScatterAdd => {
                let (indices, values) = (self.forced(&rest[0], span)?, self.forced(&rest[1], span)?);
                let real = self.graph.alternatives(values.shape).iter().any(|one| {
                    matches!(one.head, Head::Handle(_)) || (matches!(one.head, Head::Array(_)) && one.parts[0] == REAL)
                });
                let element = if real || element == REAL { REAL } else { element };
                let shape = self.array_shape(rank, element);
                self.bridge(prim, vec![value, indices, values], shape, span)
            }
            // Elements that are there one by one needn't be collected.
            Prim::Unspread if !collected && rank == 1 && self.is_listed(element) => Ok(value),
            Prim::Unspread => {
                let (rank, element) = match self.graph.alternatives(element).iter().find_map(|one| match one.head {
                    Head::Handle(rank) | Head::Array(rank) => Some((rank + 1, one.parts[0])),
                    _ => None,
                }) {
                    Some(found) => found,
                    // Rows are stacked already.
                    None => (rank, element),
                };
                let may_vanish = self.may_be_zero(alt.parts[0]);
                let mut shape = self.handle_shape(rank, element);
                if may_vanish {
                    shape = self.graph.join(shape, ZERO);
                }
                self.bridge(prim, vec![value], shape, span)
            }
            Prim::MatMul => {
                let second = self.forced(&rest[0], span)?;
                self.split(&second, span, &mut |this, other| {
                    let (Head::Array(n) | Head::Handle(n)) = other.head else {
                        return this.fail(codes::WRONG_KIND, span);
                    };
                    let shape = match (rank, n) {
                        (1, 1) => REAL,
                        (1, 2) | (2, 1) => this.array_shape(1, REAL),
                        (2, 2) => this.array_shape(2, REAL),
                        _ => return this.fail(codes::SHAPE_MISMATCH, span),
                    };
                    let other = this.narrowed(&other);
                    this.bridge(prim, vec![value.clone(), other], shape, span)
                })
            }
            Prim::Cholesky | Prim::Inv => {
                let shape = self.array_shape(2, REAL);
                self.bridge(prim, vec![value], shape, span)
            }
            Prim::Det => self.bridge(prim, vec![value], REAL, span),
            Prim::Eigh => {
                let (vector, matrix) = (self.array_shape(1, REAL), self.array_shape(2, REAL));
                let shape = self.graph.single(Head::Tuple, vec![vector, matrix]);
                self.bridge(prim, vec![value], shape, span)
            }
            Prim::Solve | Prim::SolveLower => {
                let second = self.forced(&rest[0], span)?;
                self.split(&second, span, &mut |this, other| {
                    let (Head::Array(n) | Head::Handle(n)) = other.head else {
                        return this.fail(codes::WRONG_KIND, span);
                    };
                    let shape = this.array_shape(n, REAL);
                    let other = this.narrowed(&other);
                    this.bridge(prim, vec![value.clone(), other], shape, span)
                })
            }
            other => unreachable!("arrays: {other}"),
        }
    }

    /// Is an array of such sensitivities as good as one that is collected? Not if they would be stacked, or be holes.
    fn is_listed(&self, element: ShapeId) -> bool {
        let alternatives = self.graph.alternatives(element);
        let stacks = alternatives.iter().any(|one| matches!(one.head, Head::Array(_) | Head::Handle(_) | Head::Frame(_)));
        let holes = alternatives.iter().all(|one| matches!(one.head, Head::Zero | Head::Real));
        !stacks && (element == REAL || !holes)
    }

    fn reshape(&mut self, alt: &Alt, lengths: &Val, span: Span) -> Result1<Val> {
        let lengths = self.forced(lengths, span)?;
        let rank = match self.graph.only(lengths.shape).map(|one| one.head.clone()) {
            Some(Head::Int) => Some(1),
            _ => self.known_length(&lengths.atom),
        };
        let Some(rank) = rank else {
            // The rank is only known when it runs: up to three axes are provided for.
            let mut shape = NEVER;
            for rank in 1..=3 {
                let one = self.like(alt, rank);
                shape = self.graph.join(shape, one);
            }
            let value = self.narrowed(alt);
            return self.bridge(Prim::Reshape, vec![value, lengths], shape, span);
        };
        if rank == 0 {
            return self.fail(codes::SHAPE_MISMATCH, span);
        }
        let shape = self.like(alt, rank);
        let value = self.narrowed(alt);
        self.bridge(Prim::Reshape, vec![value, lengths], shape, span)
    }

    fn concat(&mut self, a: &Alt, b: &Alt, span: Span) -> Result1<Val> {
        let (Head::Array(m) | Head::Handle(m), Head::Array(n) | Head::Handle(n)) = (&a.head, &b.head) else {
            return self.fail(codes::WRONG_KIND, span);
        };
        let (m, n) = (*m, *n);
        let (x, y) = (self.narrowed(a), self.narrowed(b));
        let collected = matches!(a.head, Head::Handle(_)) || matches!(b.head, Head::Handle(_));
        let number = |shape: ShapeId| shape == INT || shape == REAL;
        let (left, right) = (a.parts[0], b.parts[0]);
        if m != n || (left != right && number(left) && number(right)) {
            // An empty operand is dropped: the other decides what the result is.
            let shape = self.graph.join(x.shape, y.shape);
            return self.bridge(Prim::Concat, vec![x, y], shape, span);
        }
        let element = self.graph.join(left, right);
        let shape = if collected { self.handle_shape(m, element) } else { self.array_shape(m, element) };
        self.bridge(Prim::Concat, vec![x, y], shape, span)
    }

    /// The ints of an index, if it is nothing but ints; else how many axes it drops.
    fn indices(&mut self, spec: &Val, span: Span) -> Result1<Option<Vec<Atom>>> {
        let Some(one) = self.graph.only(spec.shape).cloned() else { return Ok(None) };
        let content = self.opened(spec, span);
        match one.head {
            Head::Int => Ok(Some(vec![content])),
            Head::Tuple if one.parts.iter().all(|part| *part == INT) && !one.parts.is_empty() => {
                let alt = Alt { head: one.head, parts: one.parts, content, whole: None };
                Ok(Some(self.all_parts(&alt, span).into_iter().map(|part| part.atom).collect()))
            }
            _ => Ok(None),
        }
    }

    /// How many axes an index keeps of those it mentions, and how many it mentions.
    fn kept_axes(&mut self, spec: &Val, span: Span) -> Result1<Option<(u32, u32)>> {
        let Some(one) = self.graph.only(spec.shape).cloned() else {
            return self.dynamic(span, "an index of which it isn't known whether it is an int or a range");
        };
        Ok(match one.head {
            Head::Int => Some((0, 1)),
            Head::Tuple => {
                let mut kept = 0;
                for part in &one.parts {
                    let Some(axis) = self.graph.only(*part) else { return Ok(None) };
                    match axis.head {
                        Head::Int => {}
                        Head::Tuple => kept += 1,
                        _ => return Ok(None),
                    }
                }
                Some((kept, one.parts.len() as u32))
            }
            _ => None,
        })
    }

    fn index(&mut self, prim: Prim, alt: &Alt, spec: &Val, span: Span) -> Result1<Val> {
        let spec = self.forced(spec, span)?;
        if self.graph.alternatives(spec.shape).len() > 1 {
            return self.split(&spec, span, &mut |this, one| {
                let spec = this.narrowed(&one);
                this.index(prim, alt, &spec, span)
            });
        }
        let (Head::Array(rank) | Head::Handle(rank)) = alt.head else { unreachable!("arrays: an array") };
        if let Head::Array(_) = alt.head
            && let Some(indices) = self.indices(&spec, span)?
        {
            let value = self.narrowed(alt);
            return self.element(&value, &indices, span);
        }
        let Some((kept, mentioned)) = self.kept_axes(&spec, span)? else { return self.fail(codes::BAD_INDEX, span) };
        if mentioned > rank {
            return self.fail(codes::INDEX_OUT_OF_RANGE, span);
        }
        let rank = rank - mentioned + kept;
        let value = self.narrowed(alt);
        let shape = match (&alt.head, rank) {
            (Head::Handle(_), 0) => self.graph.join(alt.parts[0], ZERO),
            // Reading a hole as an element of an array gives a number.
            (_, 0) => alt.parts[0],
            _ => self.like(alt, rank),
        };
        self.bridge(prim, vec![value, spec], shape, span)
    }

    /// The element or row at these indices.
    pub fn element(&mut self, array: &Val, indices: &[Atom], span: Span) -> Result1<Val> {
        self.split(array, span, &mut |this, alt| {
            let Head::Array(rank) = alt.head else { return this.fail(codes::WRONG_KIND, span) };
            let count = indices.len() as u32;
            if count > rank {
                return this.fail(codes::INDEX_OUT_OF_RANGE, span);
            }
            let shape = if count == rank { alt.parts[0] } else { this.array_shape(rank - count, alt.parts[0]) };
            let ty = this.type_of(shape);
            let atom = this.draft.write(ty, Op::Element(alt.content.clone(), indices.to_vec()), span);
            if shape == NEVER { this.unreached(span) } else { Ok(Val { atom, shape }) }
        })
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
    fn collected(&mut self, value: &Val, rank: u32, element: ShapeId, span: Span) -> Result1<Val> {
        let shape = self.handle_shape(rank, element);
        let zero = self.zero();
        self.bridge(Prim::Materialise, vec![zero, value.clone()], shape, span)
    }

    fn update(&mut self, alt: &Alt, spec: &Val, value: &Val, span: Span) -> Result1<Val> {
        let Head::Array(rank) = alt.head else { return self.fail(codes::WRONG_KIND, span) };
        let (spec, value) = (self.forced(spec, span)?, self.forced(value, span)?);
        let array = self.narrowed(alt);
        let element = alt.parts[0];
        let indices = self.indices(&spec, span)?;
        if let Some(indices) = indices {
            if indices.len() as u32 > rank {
                return self.fail(codes::INDEX_OUT_OF_RANGE, span);
            }
            let whole = indices.len() as u32 == rank;
            let wanted = if whole { element } else { self.array_shape(rank - indices.len() as u32, element) };
            let value =
                if element == REAL && value.shape == INT { self.as_real_value(&value, span) } else { value.clone() };
            let is_array = self
                .graph
                .alternatives(value.shape)
                .iter()
                .any(|one| matches!(one.head, Head::Array(_) | Head::Handle(_)));
            if whole && is_array {
                return self.fail(codes::SHAPE_MISMATCH, span);
            }
            if value.shape == wanted || self.identical(value.shape, wanted) {
                let ty = self.type_of(array.shape);
                let op = Op::Replace(alt.content.clone(), indices, value.atom.clone());
                let atom = self.draft.write(ty, op, span);
                return Ok(Val { atom, shape: array.shape });
            }
            let number = |shape: ShapeId| shape == INT || shape == REAL;
            if whole && !(number(value.shape) && number(element)) && element != BOOL && !number(element) {
                // An array of other things takes in what the new element may be.
                let joined = self.graph.join(element, value.shape);
                let shape = self.array_shape(rank, joined);
                let wide = self.coerce(&array, shape, span)?;
                let value = self.coerce(&value, joined, span)?;
                let ty = self.type_of(shape);
                let atom = self.draft.write(ty, Op::Replace(wide.atom, indices, value.atom), span);
                return Ok(Val { atom, shape });
            }
        }
        let new = match self.graph.only(value.shape).cloned() {
            Some(one) if matches!(one.head, Head::Array(_) | Head::Handle(_)) => one.parts[0],
            _ => value.shape,
        };
        let element = match (element, new) {
            (REAL, INT | REAL) | (INT, REAL) => REAL,
            (a, b) if a == b => a,
            _ => return self.dynamic(span, "an array is updated with a value of another kind"),
        };
        let shape = self.array_shape(rank, element);
        self.bridge(Prim::Update, vec![array, spec, value], shape, span)
    }

    /// All that a rule remembers of an operand whose elements it doesn't need.
    fn frame(&mut self, alt: &Alt, span: Span) -> Result1<Val> {
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
            Head::Handle(rank) => {
                let shape = self.handle_shape(rank, ZERO);
                self.bridge(Prim::Frame, vec![value], shape, span)
            }
            Head::Array(rank) => {
                let shape = self.graph.single(Head::Frame(rank), vec![INT; rank as usize]);
                self.bridge(Prim::Frame, vec![value], shape, span)
            }
            _ => Ok(self.unit()),
        }
    }

    /// Do elements of this shape carry no derivative?
    fn is_discrete(&self, element: ShapeId) -> bool {
        let has_zero = self.graph.alternatives(element).iter().any(|one| matches!(one.head, Head::Zero | Head::Full));
        element != NEVER && !self.holds_real(element) && !self.holds_function(element) && !has_zero
    }

    /// The sensitivity of an array that is `d` in a part and zero elsewhere.
    fn place(&mut self, array: &Val, spec: &Val, d: &Val, span: Span) -> Result1<Val> {
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
                let shape = this.handle_shape(rank, element);
                let d = this.narrowed(&given);
                this.bridge(Prim::Place, vec![array.clone(), spec.clone(), d], shape, span)
            })
        })
    }

    /// A sensitivity times a factor; zero stays zero whatever the factor.
    fn scale(&mut self, d: &Val, g: &Val, span: Span) -> Result1<Val> {
        self.combine(Prim::Scale, d, g, span)
    }

    /// A sensitivity where a mask isn't 0.
    fn keep(&mut self, mask: &Val, d: &Val, span: Span) -> Result1<Val> {
        self.combine(Prim::Keep, d, mask, span)
    }

    fn combine(&mut self, prim: Prim, d: &Val, other: &Val, span: Span) -> Result1<Val> {
        if d.shape == ZERO {
            return Ok(d.clone());
        }
        let (d, other) = (self.forced(d, span)?, self.forced(other, span)?);
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
        let (x, y) = (self.narrowed(d), self.narrowed(other));
        let rank = match (&d.head, &other.head) {
            (Head::Array(rank) | Head::Handle(rank), _) | (_, Head::Array(rank) | Head::Handle(rank)) => *rank,
            _ => return self.fail(codes::WRONG_KIND, span),
        };
        // A product with a number that isn't collected has no holes.
        let dense = prim == Prim::Scale
            && match d.head {
                Head::Array(_) => d.parts[0] == REAL || d.parts[0] == INT,
                Head::Real | Head::Int => true,
                _ => false,
            };
        let shape = if dense { self.array_shape(rank, REAL) } else { self.handle_shape(rank, REAL) };
        let args = if prim == Prim::Scale { vec![x, y] } else { vec![y, x] };
        self.bridge(prim, args, shape, span)
    }

    /// What an operand receives from the sensitivity of an elementwise result.
    fn unbroadcast(&mut self, operand: &Val, d: &Val, span: Span) -> Result1<Val> {
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
            Head::Array(_) | Head::Handle(_) | Head::Frame(_) => Ok(d.clone()),
            _ => Ok(this.zero()),
        })
    }

    /// An array shaped like another, every element `d`.
    fn fill(&mut self, like: &Val, d: &Val, span: Span) -> Result1<Val> {
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
                if given.head == Head::Zero {
                    return Ok(this.zero());
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
    fn spread(&mut self, n: &Val, d: &Val, span: Span) -> Result1<Val> {
        let d = self.forced(d, span)?;
        self.split(&d, span, &mut |this, alt| {
            let given = this.narrowed(&alt);
            let element = match alt.head {
                Head::Zero => ZERO,
                Head::Array(1) => return Ok(given),
                Head::Handle(1) => this.graph.join(alt.parts[0], ZERO),
                Head::Array(rank) => this.graph.single(Head::Handle(rank - 1), vec![alt.parts[0]]),
                Head::Handle(rank) => this.handle_shape(rank - 1, alt.parts[0]),
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

    fn count(&mut self, n: &Val, span: Span) -> Result1<Atom> {
        let n = self.forced(n, span)?;
        let n = self.split(&n, span, &mut |this, alt| match alt.head {
            Head::Int => Ok(Val { atom: alt.content, shape: INT }),
            _ => this.fail(codes::BAD_INDEX, span),
        })?;
        Ok(n.atom)
    }

    /// `[f(0), …, f(n-1)]`
    fn tabulate(&mut self, n: &Val, f: &Val, span: Span) -> Result1<Val> {
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
            return self.dynamic(span, "an array whose elements are only sometimes arrays");
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

    /// Elements that are arrays of one rank but not of one kind, or symbolic zeros among arrays: they are stacked when
    /// they are there. The shape of the elements as handles, and that of the array they make.
    fn rows(&mut self, element: ShapeId) -> Option<(ShapeId, ShapeId)> {
        let alternatives = self.graph.alternatives(element).to_vec();
        let rank = alternatives.iter().find_map(|one| match one.head {
            Head::Array(rank) | Head::Handle(rank) => Some(rank),
            _ => None,
        })?;
        let fits =
            |head: &Head| matches!(head, Head::Zero) || *head == Head::Array(rank) || *head == Head::Handle(rank);
        let plain = alternatives.len() == 1 && alternatives[0].head == Head::Array(rank);
        if plain || !alternatives.iter().all(|one| fits(&one.head)) {
            return None;
        }
        let (mut handles, mut result) = (NEVER, NEVER);
        for one in &alternatives {
            let (handle, stacked) = match one.head {
                Head::Array(_) => (self.handle_shape(rank, one.parts[0]), self.array_shape(rank + 1, one.parts[0])),
                Head::Handle(_) => (self.handle_shape(rank, one.parts[0]), self.handle_shape(rank + 1, one.parts[0])),
                _ => (ZERO, ZERO),
            };
            handles = self.graph.join(handles, handle);
            result = self.graph.join(result, stacked);
        }
        if self.may_be_zero(handles) {
            let holes = self.handle_shape(rank + 1, REAL);
            result = self.graph.join(result, holes);
        }
        Some((handles, result))
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
            return self.dynamic(span, "an array literal of which only some elements are arrays");
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

    fn know_length(&mut self, atom: &Atom, length: usize) {
        if let Atom::Var(var) = atom {
            self.draft.lengths.insert(*var, length as u32);
        }
    }

    /// The length of an array that was written as a literal in the same function.
    fn known_length(&self, atom: &Atom) -> Option<u32> {
        if let Atom::Var(var) = atom { self.draft.lengths.get(var).copied() } else { None }
    }

    /// `f(0) ⊕ … ⊕ f(n-1)`: the first by itself, the others in a loop.
    fn accumulate(&mut self, n: &Val, f: &Val, span: Span) -> Result1<Val> {
        let n = self.count(n, span)?;
        let empty = self.scalar(Scalar::IntLe, vec![n.clone(), Atom::Int(0)], BOOL, span);
        let none = self.arm(|this| Ok(this.zero()))?;
        let some = self.arm(|this| {
            let first = this.apply(f, Val { atom: Atom::Int(0), shape: INT }, 0, span)?;
            this.accumulate_rest(n, f, first, span)
        })?;
        self.branch(empty.atom, none, some, span)
    }

    fn accumulate_rest(&mut self, n: Atom, f: &Val, first: Val, span: Span) -> Result1<Val> {
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
        let params = vec![(i, Atom::Int(1)), (sum, start.atom)];
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
