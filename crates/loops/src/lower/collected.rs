//! Sensitivities of arrays of reals: frames are lengths, a read element's sensitivity is one element, and sums are collected.
//!
//! In: primitives on sensitivities whose shapes say that elements are reals. Out: operations of L4 for them. All others stay
//! primitives.

use base::codes;
use calculus::Prim;
use first_order::{self as l3, Alternative, Head, ShapeId};

use super::flatten::{Flatten, Known, OneHot};
use super::regions::Piece;
use crate::term::{Atom, Leaf, Op, Placed};

/// Sensitivities of arrays with more axes are left to primitives.
const MOST_AXES: u32 = 8;

impl Flatten<'_> {
    /// Lowers the primitive if it is one of these.
    pub(super) fn collects(
        &mut self,
        var: l3::Var,
        prim: Prim,
        args: &[l3::Atom],
        shapes: &[ShapeId],
        result: ShapeId,
    ) -> bool {
        match prim {
            Prim::Frame => self.frame(var, &args[0], shapes[0], result),
            Prim::Place => self.one_hot(var, args, shapes) || self.placed(var, args, shapes, result),
            Prim::Plus => self.plus(var, args, shapes, result),
            _ => false,
        }
    }

    fn only(&self, shape: ShapeId) -> Option<&Alternative> {
        let shape = self.program.shapes.get(shape);
        match &shape.alternatives[..] {
            [one] if shape.named.is_none() => Some(one),
            _ => None,
        }
    }

    fn is(&self, shape: ShapeId, head: &Head) -> bool {
        self.only(shape).is_some_and(|one| one.head == *head)
    }

    /// The lengths of an array.
    fn frame(&mut self, var: l3::Var, array: &l3::Atom, of: ShapeId, result: ShapeId) -> bool {
        let (Some(Head::Array(rank)), Some(Head::Frame(_))) =
            (self.only(of).map(|one| &one.head), self.only(result).map(|one| &one.head))
        else {
            return false;
        };
        let rank = *rank as usize;
        let view = self.view_of(array);
        let lengths = (0..rank).map(|axis| self.length(&view, axis)).collect();
        self.know(var, lengths);
        true
    }

    /// The sensitivity of an array of which one element was read.
    fn one_hot(&mut self, var: l3::Var, args: &[l3::Atom], shapes: &[ShapeId]) -> bool {
        let Some(&Head::Frame(rank)) = self.only(shapes[0]).map(|one| &one.head) else { return false };
        let ints = match self.only(shapes[1]) {
            Some(Alternative { head: Head::Int, .. }) => rank == 1,
            Some(Alternative { head: Head::Tuple, parts }) => {
                parts.len() == rank as usize && parts.iter().all(|part| self.is(*part, &Head::Int))
            }
            _ => false,
        };
        if !ints || rank > MOST_AXES || !self.is(shapes[2], &Head::Real) {
            return false;
        }
        let (lengths, indices, value) = (self.leaves(&args[0]), self.leaves(&args[1]), self.leaf(&args[2]));
        let mut at = Atom::Int(0);
        for (axis, (length, index)) in lengths.iter().zip(indices).enumerate() {
            if axis > 0 {
                at = self.let_one(Leaf::Int, Op::IndexMul(at, *length));
            }
            let inside = self.let_one(Leaf::Bool, Op::InRange(index, *length));
            self.push(vec![], Op::Require(inside, codes::INDEX_OUT_OF_RANGE));
            at = if axis == 0 { index } else { self.let_one(Leaf::Int, Op::IndexAdd(at, index)) };
        }
        let one_hot = OneHot { lengths, at, value };
        if self.added[var.0 as usize] {
            self.known[var.0 as usize] = Some(Known::OneHot(one_hot));
        } else {
            let OneHot { lengths, at, value } = one_hot;
            let handle = self.let_one(Leaf::Object, Op::OneHot { lengths, at, value });
            self.know(var, vec![handle]);
        }
        true
    }

    /// The sensitivity of an array of which a part was read that lies in one piece.
    fn placed(&mut self, var: l3::Var, args: &[l3::Atom], shapes: &[ShapeId], result: ShapeId) -> bool {
        let Some(&Head::Frame(rank)) = self.only(shapes[0]).map(|one| &one.head) else { return false };
        let plain = match self.only(shapes[2]) {
            Some(Alternative { head: Head::Array(_), parts }) if self.is(parts[0], &Head::Real) => true,
            Some(Alternative { head: Head::Handle(_), .. }) => false,
            _ => return false,
        };
        if rank > MOST_AXES || !self.is_collected(result) {
            return false;
        }
        let Some(region) = self.region(&args[1], shapes[1]) else { return false };
        if region.indices.len() + usize::from(region.range.is_some()) > rank as usize
            || region.indices.len() == rank as usize
        {
            return false;
        }
        let (lengths, index, part) = (self.leaves(&args[0]), self.leaves(&args[1]), self.leaf(&args[2]));
        let Piece { at, length } = self.piece(&region, &lengths);
        let dropped = region.indices.len();
        let mut count = length.unwrap_or(lengths[dropped]);
        for length in &lengths[dropped + 1..] {
            count = self.multiplied(count, *length);
        }
        let site = self.tables.prim(self.program, Prim::Place, shapes, result, self.span);
        let placed = Placed { site, lengths, index, at, count, part, plain };
        if self.added[var.0 as usize] {
            self.known[var.0 as usize] = Some(Known::Placed(placed));
        } else {
            let handle = self.let_one(Leaf::Object, Op::Placed(Box::new(placed)));
            self.know(var, vec![handle]);
        }
        true
    }

    /// Is it the sensitivity of an array of reals?
    fn is_collected(&self, shape: ShapeId) -> bool {
        let Some(Alternative { head: Head::Handle(0..=MOST_AXES), parts }) = self.only(shape) else { return false };
        let element = self.program.shapes.get(parts[0]);
        element.named.is_none() && element.alternatives.iter().all(|one| matches!(one.head, Head::Zero | Head::Real))
    }

    fn plus(&mut self, var: l3::Var, args: &[l3::Atom], shapes: &[ShapeId], result: ShapeId) -> bool {
        let Some(Head::Handle(0..=MOST_AXES)) = self.only(result).map(|one| &one.head) else { return false };
        // Is it an array of reals rather than a handle? Nothing if it is neither.
        let plain = |shape: ShapeId| match self.only(shape) {
            Some(Alternative { head: Head::Handle(_), .. }) => Some(false),
            Some(Alternative { head: Head::Array(_), parts }) => self.is(parts[0], &Head::Real).then_some(true),
            _ => None,
        };
        let (Some(first), Some(second)) = (plain(shapes[0]), plain(shapes[1])) else { return false };
        let site = self.tables.prim(self.program, Prim::Plus, shapes, result, self.span);
        let known = [self.known(&args[0]), self.known(&args[1])];
        let op = match known {
            [_, Known::OneHot(OneHot { lengths, at, value })] if !first => {
                Op::AddAt { site, sum: self.leaf(&args[0]), lengths, at, value }
            }
            [Known::OneHot(OneHot { lengths, at, value }), _] if !second => {
                Op::AddAt { site, sum: self.leaf(&args[1]), lengths, at, value }
            }
            [_, Known::Placed(placed)] if !first => {
                Op::AddPlaced { site, sum: self.leaf(&args[0]), placed: Box::new(placed) }
            }
            [Known::Placed(placed), _] if !second => {
                Op::AddPlaced { site, sum: self.leaf(&args[1]), placed: Box::new(placed) }
            }
            _ => Op::Plus { site, terms: [self.leaf(&args[0]), self.leaf(&args[1])], plain: [first, second] },
        };
        let sum = self.let_one(Leaf::Object, op);
        self.know(var, vec![sum]);
        true
    }
}
