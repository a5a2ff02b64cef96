//! Products of matrices and vectors of reals: the operands are read where they are, whatever their strides.

use base::codes;
use calculus::Prim;
use first_order::{self as l3, Alternative, Head, Scalar, ShapeId, Shapes, Type};

use super::flatten::Flatten;
use super::views::View;
use crate::term::{Atom, Leaf, Matrix, Op, Product};

/// Are these arrays of reals of one or two axes, and is the product one too, or a real?
pub(super) fn is_product(shapes: &Shapes, args: &[ShapeId], result: ShapeId) -> bool {
    let only = |shape: ShapeId| match &shapes.get(shape).alternatives[..] {
        [one] if shapes.get(shape).named.is_none() => Some(one),
        _ => None,
    };
    let is_real = |shape: ShapeId| matches!(only(shape), Some(Alternative { head: Head::Real, .. }));
    let rank = |shape: ShapeId| match only(shape)? {
        Alternative { head: Head::Array(rank @ (1 | 2)), parts } if is_real(parts[0]) => Some(*rank),
        Alternative { head: Head::Real, .. } => Some(0),
        _ => None,
    };
    match (rank(args[0]), rank(args[1]), rank(result)) {
        (Some(left @ 1..), Some(right @ 1..), Some(made)) => left + right - 2 == made,
        _ => false,
    }
}

impl Flatten<'_> {
    pub(super) fn is_matrix_product(&self, op: &l3::Op) -> bool {
        match op {
            l3::Op::Prim { prim: Prim::MatMul, shapes, result, .. } => {
                is_product(&self.program.shapes, shapes, *result)
            }
            _ => false,
        }
    }

    /// `a @ b`.
    pub(super) fn product(&mut self, a: &l3::Atom, b: &l3::Atom) -> Atom {
        let (lengths, product) = self.operands(a, b);
        if lengths.is_empty() {
            return self.let_one(Leaf::Real, Op::Product(Box::new(product)));
        }
        let rank = lengths.len() as u32;
        let out = self.new_array(&Type::Real, lengths);
        self.push(vec![], Op::Product(Box::new(Product { out: Some((out, rank, Atom::Int(0))), ..product })));
        out
    }

    /// The lengths of `a @ b`, and the product without a place to go; checked.
    pub(super) fn operands(&mut self, a: &l3::Atom, b: &l3::Atom) -> (Vec<Atom>, Product) {
        let (a, b) = (self.view_of(a), self.view_of(b));
        let inner = [self.length(&a, a.axes.len() - 1), self.length(&b, 0)];
        if inner[0] != inner[1] {
            let fits = self.let_one(Leaf::Bool, Op::Scalar(Scalar::IntEq, inner.to_vec()));
            self.push(vec![], Op::Require(fits, codes::SHAPE_MISMATCH));
        }
        let mut lengths = vec![];
        let m = self.outer_length(&a, 0, &mut lengths);
        let n = self.outer_length(&b, 1, &mut lengths);
        let (rows, columns) = (a.axes.len() == 2, b.axes.len() == 2);
        let left = Matrix {
            array: a.array,
            rank: a.rank,
            at: a.at,
            row: if rows { self.step(&a, 0) } else { Atom::Int(0) },
            column: self.step(&a, a.axes.len() - 1),
        };
        let right = Matrix {
            array: b.array,
            rank: b.rank,
            at: b.at,
            row: self.step(&b, 0),
            column: if columns { self.step(&b, 1) } else { Atom::Int(0) },
        };
        (lengths, Product { lengths: [m, inner[0], n], left, right, out: None })
    }

    /// The length of the axis of a matrix that the product keeps, which `lengths` gets; of a vector it is 1.
    fn outer_length(&mut self, view: &View, axis: usize, lengths: &mut Vec<Atom>) -> Atom {
        if view.axes.len() < 2 {
            return Atom::Int(1);
        }
        let length = self.length(view, axis);
        lengths.push(length);
        length
    }
}
