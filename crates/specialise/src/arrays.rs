//! Array primitives: the rank and the elements' shape of every result follow from those of the arguments.
//!
//! Reading and replacing elements and making arrays are operations of L3. The other primitives keep their name; what
//! they compute is looked up where the program runs. Sensitivities of arrays that are being collected are handles.

mod making;
mod sensitivities;

use base::{Span, codes};
use calculus::Prim;
use first_order::{Alternative, Atom, Head, Op, ShapeId, Type};

use crate::body::Alt;
use crate::graph::{BOOL, INT, NEVER, REAL, TEXT, ZERO};
use crate::instances::Specialiser;
use crate::{Reason, Result1, Val};

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
            Prim::Broadcast => return self.broadcast(&args[0], &args[1], span),
            Prim::Fill => return self.fill(&args[0], &args[1], span),
            Prim::Spread => return self.spread(&args[0], &args[1], span),
            // Also rows of which all turn out to be zero have a length.
            Prim::Len if let Some(length) = self.known_length(&args[0].atom) => {
                return Ok(Val { atom: Atom::Int(i64::from(length)), shape: INT });
            }
            _ => {}
        }
        if let (Prim::Index | Prim::Part, [array, at]) = (prim, &args[..])
            && self.graph.alternatives(array.shape).iter().any(|one| one.head == Head::Full)
        {
            return self.split(array, span, &mut |this, alt| {
                if let Some((of, d)) = this.full_array(&alt, span) {
                    let of = this.array_prim(Prim::Index, vec![of, at.clone()], span)?;
                    let d = this.array_prim(Prim::Part, vec![d, at.clone()], span)?;
                    return this.full_part(&of, &d, span);
                }
                let value = this.narrowed(&alt);
                let value = this.forced(&value, span)?;
                this.array_prim(prim, vec![value, at.clone()], span)
            });
        }
        let mut first = self.forced(&args[0], span)?;
        let by_row = matches!(
            prim,
            Prim::Len | Prim::Shape | Prim::Frame | Prim::Index | Prim::Part | Prim::Erase | Prim::Unspread
        );
        if !by_row {
            first = self.with_rank(&first, span)?;
        }
        self.split(&first, span, &mut |this, alt| this.array_prim_on(prim, &alt, &args[1..], span))
    }

    pub fn array_shape(&mut self, rank: u32, element: ShapeId) -> ShapeId {
        self.graph.single(Head::Array(rank), vec![element])
    }

    pub fn handle_shape(&mut self, rank: u32, element: ShapeId) -> ShapeId {
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
            (Prim::Index, Head::Text) => {
                let spec = self.forced(&rest[0], span)?;
                return self.bridge(prim, vec![value, spec], TEXT, span);
            }
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
                let may_vanish = self.may_be_zero(element);
                // Without rows they are stacked already.
                let mut shape = match self.with_rows_stacked(rank, element) {
                    Some(shape) => shape,
                    None => self.handle_shape(rank, element),
                };
                if may_vanish {
                    shape = self.graph.join(shape, ZERO);
                }
                self.bridge(prim, vec![value], shape, span)
            }
            Prim::MatMul => {
                let second = self.forced(&rest[0], span)?;
                let second = self.with_rank(&second, span)?;
                self.split(&second, span, &mut |this, other| {
                    let (Head::Array(n) | Head::Handle(n)) = other.head else {
                        return this.fail(codes::WRONG_KIND, span);
                    };
                    let product = if element == INT && other.parts[0] == INT { INT } else { REAL };
                    let shape = match (rank, n) {
                        (1, 1) => product,
                        (1, 2) | (2, 1) => this.array_shape(1, product),
                        (2, 2) => this.array_shape(2, product),
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
            Prim::TallQr => {
                let matrix = self.array_shape(2, REAL);
                let shape = self.graph.single(Head::Tuple, vec![matrix, matrix]);
                self.bridge(prim, vec![value], shape, span)
            }
            Prim::ThinSvd => {
                let (vector, matrix) = (self.array_shape(1, REAL), self.array_shape(2, REAL));
                let shape = self.graph.single(Head::Tuple, vec![matrix, vector, matrix]);
                self.bridge(prim, vec![value], shape, span)
            }
            Prim::Fourier => {
                let second = self.forced(&rest[0], span)?;
                let second = self.with_rank(&second, span)?;
                let vector = self.array_shape(1, REAL);
                let shape = self.graph.single(Head::Tuple, vec![vector, vector]);
                self.split(&second, span, &mut |this, other| {
                    let (Head::Array(_) | Head::Handle(_)) = other.head else {
                        return this.fail(codes::WRONG_KIND, span);
                    };
                    let other = this.narrowed(&other);
                    this.bridge(prim, vec![value.clone(), other], shape, span)
                })
            }
            Prim::DetSlope => {
                let directions = self.forced(&rest[0], span)?;
                let shape = self.array_shape(2, REAL);
                self.bridge(prim, vec![value, directions], shape, span)
            }
            Prim::Solve | Prim::SolveLower => {
                let second = self.forced(&rest[0], span)?;
                let second = self.with_rank(&second, span)?;
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
        let stacks =
            alternatives.iter().any(|one| matches!(one.head, Head::Array(_) | Head::Handle(_) | Head::Frame(_)));
        let holes = alternatives.iter().all(|one| matches!(one.head, Head::Zero | Head::Real));
        !stacks && (element == REAL || !holes)
    }

    fn reshape(&mut self, alt: &Alt, lengths: &Val, span: Span) -> Result1<Val> {
        let lengths = self.forced(lengths, span)?;
        self.split(&lengths, span, &mut |this, of| match of.head {
            Head::Frame(rank) => {
                let lengths = (0..rank as usize).map(|axis| this.part(&of, axis, span)).collect();
                let lengths = this.array_of(lengths, INT, span)?;
                this.know_length(&lengths.atom, rank as usize);
                this.reshape_to(alt, lengths, span)
            }
            Head::Handle(_) => {
                let frame = this.narrowed(&of);
                let ints = this.array_shape(1, INT);
                let lengths = this.bridge(Prim::Shape, vec![frame], ints, span)?;
                this.reshape_to(alt, lengths, span)
            }
            _ => {
                let lengths = this.narrowed(&of);
                this.reshape_to(alt, lengths, span)
            }
        })
    }

    fn reshape_to(&mut self, alt: &Alt, lengths: Val, span: Span) -> Result1<Val> {
        let rank = match self.graph.only(lengths.shape).map(|one| one.head.clone()) {
            Some(Head::Int) => Some(1),
            _ => self.known_length(&lengths.atom),
        };
        let Some(rank) = rank else {
            // The rank is only known when it runs: up to four axes are provided for.
            let mut shape = NEVER;
            for rank in 1..=4 {
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
            return self.dynamic(span, Reason::IndexOrRange);
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
        self.settled_index(spec, 0, span, &mut |this, spec| this.settled_index_of(prim, alt, spec, span))
    }

    /// What `each` makes of an index of which all is known but its numbers: for each kind that it, one of its parts or the end of a range may be.
    /// `inside`: 0 for the index, 1 for its parts, 2 for the ends of ranges; what those hold is no index, whatever it is.
    fn settled_index(
        &mut self,
        spec: &Val,
        inside: u32,
        span: Span,
        each: &mut dyn FnMut(&mut Self, Val) -> Result1<Val>,
    ) -> Result1<Val> {
        let spec = self.forced(spec, span)?;
        if self.graph.alternatives(spec.shape).len() > 1 {
            return self.split(&spec, span, &mut |this, one| {
                let spec = this.narrowed(&one);
                this.settled_index(&spec, inside, span, each)
            });
        }
        match self.graph.only(spec.shape).cloned() {
            Some(Alternative { head: head @ Head::Tuple, parts })
                if inside < 2 && parts.iter().any(|part| self.may_be_several(*part)) =>
            {
                let content = self.opened(&spec, span);
                let mut parts = self.all_parts(&Alt { head, parts, content, whole: None }, span);
                parts.reverse();
                self.settled_index_parts(vec![], parts, inside + 1, span, each)
            }
            _ => each(self, spec),
        }
    }

    /// The same for a tuple of parts that are settled and others that aren't yet, the next of them last.
    fn settled_index_parts(
        &mut self,
        settled: Vec<Val>,
        mut rest: Vec<Val>,
        inside: u32,
        span: Span,
        each: &mut dyn FnMut(&mut Self, Val) -> Result1<Val>,
    ) -> Result1<Val> {
        let Some(next) = rest.pop() else {
            let whole = self.construct(Head::Tuple, settled, span)?;
            return each(self, whole);
        };
        self.settled_index(&next, inside, span, &mut |this, part| {
            let settled = settled.iter().cloned().chain([part]).collect();
            this.settled_index_parts(settled, rest.clone(), inside, span, each)
        })
    }

    /// May a part of an index be of several kinds, or the end of a range?
    fn may_be_several(&self, part: ShapeId) -> bool {
        let several = |shape: ShapeId| self.graph.alternatives(shape).len() > 1;
        several(part)
            || self
                .graph
                .only(part)
                .is_some_and(|one| one.head == Head::Tuple && one.parts.iter().any(|end| several(*end)))
    }

    fn settled_index_of(&mut self, prim: Prim, alt: &Alt, spec: Val, span: Span) -> Result1<Val> {
        let (Head::Array(rank) | Head::Handle(rank)) = alt.head else { unreachable!("arrays: an array") };
        if let Head::Array(_) = alt.head
            && let Some(indices) = self.indices(&spec, span)?
        {
            let value = self.narrowed(alt);
            if prim == Prim::Part && indices.len() == 1 && spec.shape == INT && alt.parts[0] != NEVER {
                let shape = if rank == 1 { alt.parts[0] } else { self.array_shape(rank - 1, alt.parts[0]) };
                return self.bridge(prim, vec![value, spec], shape, span);
            }
            return self.element(&value, &indices, span);
        }
        // Too many indices are too many whatever they are.
        let is_tuple = |one: &&Alternative| one.head == Head::Tuple;
        let given = self.graph.only(spec.shape).filter(is_tuple).map_or(1, |tuple| tuple.parts.len());
        if given > rank as usize {
            return self.fail(codes::INDEX_OUT_OF_RANGE, span);
        }
        let Some((kept, mentioned)) = self.kept_axes(&spec, span)? else { return self.fail(codes::BAD_INDEX, span) };
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

    fn update(&mut self, alt: &Alt, spec: &Val, value: &Val, span: Span) -> Result1<Val> {
        let Head::Array(rank) = alt.head else { return self.fail(codes::WRONG_KIND, span) };
        let value = self.forced(value, span)?;
        self.settled_index(spec, 0, span, &mut |this, spec| this.settled_update(alt, rank, &spec, &value, span))
    }

    /// By each value that the new element may be.
    fn updates(&mut self, alt: &Alt, rank: u32, spec: &Val, value: &Val, span: Span) -> Result1<Val> {
        let value = self.forced(value, span)?;
        self.split(&value, span, &mut |this, one| {
            let given = this.narrowed(&one);
            this.settled_update(alt, rank, spec, &given, span)
        })
    }

    fn settled_update(&mut self, alt: &Alt, rank: u32, spec: &Val, value: &Val, span: Span) -> Result1<Val> {
        let array = self.narrowed(alt);
        let element = alt.parts[0];
        let indices = self.indices(spec, span)?;
        if let Some(indices) = indices {
            if indices.len() as u32 > rank {
                return self.fail(codes::INDEX_OUT_OF_RANGE, span);
            }
            let whole = indices.len() as u32 == rank;
            let wanted = if whole { element } else { self.array_shape(rank - indices.len() as u32, element) };
            let value =
                if element == REAL && value.shape == INT { self.as_real_value(value, span) } else { value.clone() };
            let is_array = |one: &&Alternative| matches!(one.head, Head::Array(_) | Head::Handle(_));
            let alternatives = self.graph.alternatives(value.shape);
            match alternatives.iter().filter(is_array).count() {
                arrays if !whole || arrays == 0 => {}
                arrays if arrays == alternatives.len() => return self.fail(codes::SHAPE_MISMATCH, span),
                _ => return self.updates(alt, rank, spec, &value, span),
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
        if self.graph.alternatives(value.shape).len() > 1 {
            return self.updates(alt, rank, spec, value, span);
        }
        let new = match self.graph.only(value.shape).cloned() {
            Some(one) if matches!(one.head, Head::Array(_) | Head::Handle(_)) => one.parts[0],
            _ => value.shape,
        };
        let element = match (element, new) {
            (REAL, INT | REAL) | (INT, REAL) => REAL,
            (a, b) if a == b || b == NEVER => a,
            (NEVER, b) => b,
            _ => return self.dynamic(span, Reason::OtherKind),
        };
        let shape = self.array_shape(rank, element);
        self.bridge(Prim::Update, vec![array, spec.clone(), value.clone()], shape, span)
    }

    fn count(&mut self, n: &Val, span: Span) -> Result1<Atom> {
        let n = self.forced(n, span)?;
        let n = self.split(&n, span, &mut |this, alt| match alt.head {
            Head::Int => Ok(Val { atom: alt.content, shape: INT }),
            _ => this.fail(codes::BAD_INDEX, span),
        })?;
        Ok(n.atom)
    }

    /// The length of an array that was written as a literal in the same function.
    fn known_length(&self, atom: &Atom) -> Option<u32> {
        if let Atom::Var(var) = atom { self.draft.lengths.get(var).copied() } else { None }
    }
}
