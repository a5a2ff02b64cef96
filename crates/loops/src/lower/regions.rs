//! Parts of arrays that lie in one piece: some leading indices, then perhaps a range. Reading one needs no copy; a sensitivity that is
//! zero outside one is added without being spread out.

use base::codes;
use calculus::Prim;
use first_order::{self as l3, Alternative, Head, ShapeId, Shapes};

use super::flatten::{Flatten, View};
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
enum Asked {
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

/// What an index asks of each axis, if that lies in one piece.
fn in_one_piece(shapes: &Shapes, index: ShapeId) -> Option<Vec<Asked>> {
    let axes = match only(shapes, index)? {
        Alternative { head: Head::Tuple, parts } => {
            parts.iter().map(|part| asked(shapes, *part)).collect::<Option<Vec<Asked>>>()?
        }
        _ => vec![asked(shapes, index)?],
    };
    let ranges = axes.iter().position(|axis| matches!(axis, Asked::Range(..))).map_or(0, |first| axes.len() - first);
    (ranges <= 1).then_some(axes)
}

/// Does a primitive read a part of an array of numbers that lies in one piece, and is an array?
pub(super) fn is_slice(shapes: &Shapes, prim: Prim, args: &[ShapeId]) -> bool {
    if !matches!(prim, Prim::Index | Prim::Part) {
        return false;
    }
    let Some(Alternative { head: Head::Array(rank), .. }) = only(shapes, args[0]) else { return false };
    let Some(axes) = in_one_piece(shapes, args[1]) else { return false };
    let positions = axes.iter().filter(|axis| matches!(axis, Asked::Position)).count();
    axes.len() <= *rank as usize && positions < *rank as usize
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
                let (from, to) = (from.unwrap_or(Atom::Int(0)), to.unwrap_or(*whole));
                self.in_order(from, to);
                self.in_order(to, *whole);
                self.in_order(Atom::Int(0), from);
                at = self.added(at, from);
                length = Some(self.between(from, to));
            }
        }
        Piece { at, length }
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

    /// A slice of an array that is only measured and read.
    pub(super) fn slice_view(&mut self, array: &l3::Atom, index: &l3::Atom, shape: ShapeId) -> View {
        let l3::Type::Array(_, rank) = self.type_of(array) else { panic!("lowering: a slice of no array") };
        let whole = self.viewed(array, rank);
        let lengths = (0..rank).map(|axis| self.axis(&whole, axis)).collect::<Vec<Atom>>();
        let region = self.region(index, shape).expect("lowering: a slice is in one piece");
        let Piece { at, length } = self.piece(&region, &lengths);
        let at = self.added(whole.at, at);
        View { dropped: whole.dropped + region.indices.len() as u32, at, length, ..whole }
    }

    /// The length of an axis of a view.
    pub(super) fn axis(&mut self, view: &View, axis: u32) -> Atom {
        match view.length {
            Some(length) if axis == 0 => length,
            _ => self.let_one(Leaf::Int, Op::Axis(view.array, view.dropped + axis)),
        }
    }
}
