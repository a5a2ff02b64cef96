//! What indices ask for. A part of an array that lies in one piece (some leading indices, then perhaps a range) is a region: a sensitivity
//! that is zero outside one is added without being spread out.

use base::codes;
use first_order::{self as l3, Alternative, Head, ShapeId, Shapes};

use super::flatten::Flatten;
use crate::term::{Atom, Leaf, Op};

/// An index in one piece.
pub(super) struct Region {
    /// Positions on the leading axes.
    pub(super) indices: Vec<Atom>,
    /// On the next axis: the first position and the last, exclusive, if they are given.
    pub(super) range: Option<(Option<Atom>, Option<Atom>)>,
}

/// Where such a part is.
pub(super) struct Piece {
    /// The flat number of its first element.
    pub(super) at: Atom,
    /// The length of its first axis, if it isn't the array's.
    pub(super) length: Option<Atom>,
}

fn only(shapes: &Shapes, shape: ShapeId) -> Option<&Alternative> {
    let shape = shapes.get(shape);
    match &shape.alternatives[..] {
        [one] if shape.named.is_none() => Some(one),
        _ => None,
    }
}

/// What an axis is asked for.
pub(super) enum Asked {
    Position,
    /// Which ends are given.
    Range(bool, bool),
}

fn asked(shapes: &Shapes, axis: ShapeId) -> Option<Asked> {
    let end = |shape: ShapeId| match only(shapes, shape)? {
        Alternative { head: Head::Int, .. } => Some(true),
        Alternative { head: Head::Tuple, parts } if parts.is_empty() => Some(false),
        _ => None,
    };
    match only(shapes, axis)? {
        Alternative { head: Head::Int, .. } => Some(Asked::Position),
        Alternative { head: Head::Tuple, parts } => match parts[..] {
            [] => Some(Asked::Range(false, false)),
            [from, to] => Some(Asked::Range(end(from)?, end(to)?)),
            _ => None,
        },
        _ => None,
    }
}

/// What an index asks of each axis, if these are positions and ranges.
pub(super) fn asked_of_axes(shapes: &Shapes, index: ShapeId) -> Option<Vec<Asked>> {
    match only(shapes, index)? {
        Alternative { head: Head::Tuple, parts } => parts.iter().map(|part| asked(shapes, *part)).collect(),
        _ => Some(vec![asked(shapes, index)?]),
    }
}

/// The same, if that lies in one piece.
fn in_one_piece(shapes: &Shapes, index: ShapeId) -> Option<Vec<Asked>> {
    let axes = asked_of_axes(shapes, index)?;
    let ranges = axes.iter().position(|axis| matches!(axis, Asked::Range(..))).map_or(0, |first| axes.len() - first);
    (ranges <= 1).then_some(axes)
}

/// The rank, if the shape is that of arrays.
pub(super) fn array_rank(shapes: &Shapes, shape: ShapeId) -> Option<usize> {
    match only(shapes, shape)?.head {
        Head::Array(rank) => Some(rank as usize),
        _ => None,
    }
}

/// Is a part of an array, and are its elements those at some positions and in some ranges?
pub(super) fn is_slice(shapes: &Shapes, array: ShapeId, index: ShapeId) -> bool {
    let (Some(rank), Some(axes)) = (array_rank(shapes, array), asked_of_axes(shapes, index)) else { return false };
    let positions = axes.iter().filter(|axis| matches!(axis, Asked::Position)).count();
    axes.len() <= rank && positions < rank
}

impl Flatten<'_> {
    /// The region that an index means, if it is in one piece.
    pub(super) fn region(&mut self, index: &l3::Atom, shape: ShapeId) -> Option<Region> {
        let axes = in_one_piece(&self.program.shapes, shape)?;
        let mut leaves = self.leaves(index).into_iter();
        let mut region = Region { indices: vec![], range: None };
        for axis in axes {
            match axis {
                Asked::Position => region.indices.extend(leaves.next()),
                Asked::Range(from, to) => {
                    let from = if from { leaves.next() } else { None };
                    let to = if to { leaves.next() } else { None };
                    region.range = Some((from, to));
                }
            }
        }
        Some(region)
    }

    /// Where a region of an array with these lengths is; checked.
    pub(super) fn piece(&mut self, region: &Region, lengths: &[Atom]) -> Piece {
        let mut at = Atom::Int(0);
        let mut length = None;
        for (axis, whole) in lengths.iter().enumerate() {
            if axis > 0 {
                at = self.multiplied(at, *whole);
            }
            if let Some(index) = region.indices.get(axis) {
                let inside = self.let_one(Leaf::Bool, Op::InRange(*index, *whole));
                self.push(vec![], Op::Require(inside, codes::INDEX_OUT_OF_RANGE));
                at = self.added(at, *index);
            } else if let (true, Some((from, to))) = (axis == region.indices.len(), region.range) {
                let (from, cut) = self.range(from, to, *whole);
                at = self.added(at, from);
                length = Some(cut);
            }
        }
        Piece { at, length }
    }

    /// Where a range on an axis of this length starts, and its length; checked.
    pub(super) fn range(&mut self, from: Option<Atom>, to: Option<Atom>, whole: Atom) -> (Atom, Atom) {
        let (from, to) = (from.unwrap_or(Atom::Int(0)), to.unwrap_or(whole));
        self.in_order(from, to);
        self.in_order(to, whole);
        self.in_order(Atom::Int(0), from);
        (from, self.between(from, to))
    }

    /// `a` is at most `b`, or an index is out of range.
    fn in_order(&mut self, a: Atom, b: Atom) {
        if a == b {
            return;
        }
        let holds = self.let_one(Leaf::Bool, Op::Scalar(l3::Scalar::IntLe, vec![a, b]));
        self.push(vec![], Op::Require(holds, codes::INDEX_OUT_OF_RANGE));
    }

    /// `to - from`, which is in range.
    fn between(&mut self, from: Atom, to: Atom) -> Atom {
        match (from, to) {
            (Atom::Int(0), to) => to,
            // Out of order it isn't reached.
            (Atom::Int(from), Atom::Int(to)) => Atom::Int(to.wrapping_sub(from)),
            _ => {
                let minus = self.let_one(Leaf::Int, Op::IndexMul(from, Atom::Int(-1)));
                self.let_one(Leaf::Int, Op::IndexAdd(to, minus))
            }
        }
    }
}
