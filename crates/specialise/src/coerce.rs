//! The same value in a wider shape, and values made of parts.

use base::Span;
use first_order::{Alternative, Atom, Head, Op, ShapeId};
use rustc_hash::FxHashSet;

use crate::graph::{Key, NEVER, REAL, ZERO};
use crate::instances::{Kind, Specialiser};
use crate::{Result1, Val};

impl Specialiser<'_> {
    /// A value made of a head and parts. Its shape may be recursive: then the parts are converted to what it holds.
    pub fn construct(&mut self, head: Head, parts: Vec<Val>, span: Span) -> Result1<Val> {
        let shapes: Vec<ShapeId> = parts.iter().map(|part| part.shape).collect();
        if shapes.contains(&NEVER) {
            return self.unreached(span);
        }
        let shape = self.graph.single(head.clone(), shapes.clone());
        let key = self.graph.key(&head, &shapes);
        self.construct_as(shape, &head, &key, parts, span)
    }

    /// The alternative with this key of a shape, made of these parts.
    fn construct_as(
        &mut self,
        shape: ShapeId,
        head: &Head,
        key: &Key,
        mut parts: Vec<Val>,
        span: Span,
    ) -> Result1<Val> {
        let (at, alternative) = self.alternative(shape, key);
        // A recursive shape may know more positions: they are zero here.
        if let Some(places) = places(head, &alternative.head) {
            parts = places.into_iter().map(|at| at.map_or(self.zero(), |at| parts[at].clone())).collect();
        }
        let mut atoms = vec![];
        for (part, wanted) in parts.iter().zip(&alternative.parts) {
            atoms.push(self.coerce(part, *wanted, span)?.atom);
        }
        let content = if atoms.is_empty() {
            Atom::Unit
        } else {
            let ty = self.graph.shapes.alternative_type(&alternative);
            self.draft.write(ty, Op::Struct(atoms), span)
        };
        Ok(self.enclosed(content, at, shape, span))
    }

    fn alternative(&self, shape: ShapeId, key: &Key) -> (usize, Alternative) {
        let alternatives = self.graph.alternatives(shape);
        let found = alternatives.iter().position(|other| self.graph.key(&other.head, &other.parts) == *key);
        let at = found.expect("coerce: the wider shape has the alternative");
        (at, alternatives[at].clone())
    }

    /// The content of alternative `at` as a value of the shape.
    pub fn enclosed(&mut self, content: Atom, at: usize, shape: ShapeId, span: Span) -> Val {
        let mut atom = content;
        if self.graph.alternatives(shape).len() > 1 {
            let ty = self.graph.shapes.content_of(shape);
            atom = self.draft.write(ty, Op::Inject(at as u32, atom), span);
        }
        if self.graph.get(shape).named.is_some() {
            let ty = self.type_of(shape);
            atom = self.draft.write(ty, Op::Box(atom), span);
        }
        Val { atom, shape }
    }

    /// The value in a shape that has at least its alternatives.
    pub fn coerce(&mut self, value: &Val, to: ShapeId, span: Span) -> Result1<Val> {
        if value.shape == to || self.identical(value.shape, to) {
            return Ok(Val { atom: value.atom.clone(), shape: to });
        }
        if value.shape == NEVER {
            return self.unreached(span);
        }
        // Recursive data is converted by a function that calls itself.
        if self.graph.get(value.shape).named.is_some() || self.is_large(value.shape) {
            return self.call(Kind::Convert { to }, vec![value.clone()], span);
        }
        self.convert_alternatives(value, to, span)
    }

    /// One level of [`Specialiser::coerce`].
    pub fn convert_alternatives(&mut self, value: &Val, to: ShapeId, span: Span) -> Result1<Val> {
        self.split(value, span, &mut |this, alt| {
            let key = this.graph.key(&alt.head, &alt.parts);
            let (at, wanted) = match this.find_alternative(to, &key) {
                Some(found) => found,
                None => return this.convert_array(&alt, to, span),
            };
            let content = match (&alt.head, &wanted.head) {
                (Head::Bool | Head::Int | Head::Real | Head::Text | Head::Handle(_), _) => alt.content.clone(),
                (Head::Array(rank), _) => this.array_elements(&alt, *rank, wanted.parts[0], span)?,
                (have, want) if let Some(places) = places(have, want) => {
                    let mut atoms = vec![];
                    for (place, shape) in places.into_iter().zip(&wanted.parts) {
                        let part = match place {
                            Some(at) => this.part(&alt, at, span),
                            None => Val { atom: Atom::Unit, shape: ZERO },
                        };
                        atoms.push(this.coerce(&part, *shape, span)?.atom);
                    }
                    let ty = this.graph.shapes.alternative_type(&wanted);
                    this.draft.write(ty, Op::Struct(atoms), span)
                }
                _ if alt.parts.is_empty() => Atom::Unit,
                _ => {
                    let mut atoms = vec![];
                    for (i, want) in wanted.parts.iter().enumerate() {
                        let part = this.part(&alt, i, span);
                        atoms.push(this.coerce(&part, *want, span)?.atom);
                    }
                    let ty = this.graph.shapes.alternative_type(&wanted);
                    this.draft.write(ty, Op::Struct(atoms), span)
                }
            };
            Ok(this.enclosed(content, at, to, span))
        })
    }

    fn find_alternative(&self, shape: ShapeId, key: &Key) -> Option<(usize, Alternative)> {
        let alternatives = self.graph.alternatives(shape);
        let at = alternatives.iter().position(|other| self.graph.key(&other.head, &other.parts) == *key)?;
        Some((at, alternatives[at].clone()))
    }

    fn find_array(&self, shape: ShapeId, rank: u32) -> Option<(usize, Alternative)> {
        let alternatives = self.graph.alternatives(shape);
        let at = alternatives.iter().position(|other| other.head == Head::Array(rank))?;
        Some((at, alternatives[at].clone()))
    }

    /// An array of scalars where arrays of anything of that rank are wanted, or one without elements where arrays of something are.
    fn convert_array(&mut self, alt: &crate::body::Alt, to: ShapeId, span: Span) -> Result1<Val> {
        let Head::Array(rank) = alt.head else { unreachable!("coerce: {:?} into {:?}", alt.head, self.graph.get(to)) };
        if let (REAL, Some((at, wanted))) = (alt.parts[0], self.find_alternative(to, &Key::Other(Head::Handle(rank)))) {
            let value = self.narrowed(alt);
            let content = self.collected(&value, rank, wanted.parts[0], span)?.atom;
            return Ok(self.enclosed(content, at, to, span));
        }
        let empty = alt.parts[0] == NEVER;
        let of_anything = self.find_alternative(to, &Key::Array(rank, 0));
        let of_something = || self.find_array(to, rank).filter(|_| empty);
        let Some((at, wanted)) = of_anything.or_else(of_something) else {
            unreachable!("coerce: {:?} {:?} into {:?}", alt.head, self.graph.get(alt.parts[0]), self.graph.get(to))
        };
        let content = self.array_elements(alt, rank, wanted.parts[0], span)?;
        Ok(self.enclosed(content, at, to, span))
    }

    /// Do values of both shapes have the same bits?
    pub fn identical(&self, a: ShapeId, b: ShapeId) -> bool {
        self.identical_below(a, b, &mut FxHashSet::default())
    }

    fn identical_below(&self, a: ShapeId, b: ShapeId, assumed: &mut FxHashSet<(ShapeId, ShapeId)>) -> bool {
        if a == b || !assumed.insert((a, b)) {
            return true;
        }
        let (left, right) = (self.graph.get(a), self.graph.get(b));
        if left.named != right.named || left.alternatives.len() != right.alternatives.len() {
            return false;
        }
        left.alternatives.iter().zip(&right.alternatives).all(|(x, y)| {
            if let (Head::Handle(m), Head::Handle(n)) = (&x.head, &y.head) {
                return m == n;
            }
            x.head == y.head
                && x.parts.len() == y.parts.len()
                && x.parts.iter().zip(&y.parts).all(|(p, q)| self.identical_below(*p, *q, assumed))
        })
    }
}

/// Where a wider head finds its parts in a narrower one; `None` where that has nothing.
fn places(have: &Head, want: &Head) -> Option<Vec<Option<usize>>> {
    fn find<T: PartialEq>(have: &[T], want: &[T]) -> Vec<Option<usize>> {
        want.iter().map(|name| have.iter().position(|known| known == name)).collect()
    }
    match (have, want) {
        (Head::Part(_, have), Head::Part(_, want)) => Some(find(have, want)),
        (Head::Record(have), Head::Record(want)) => Some(find(have, want)),
        _ => None,
    }
}
