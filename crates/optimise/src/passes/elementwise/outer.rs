//! Outer products: a vector as a matrix of one column times one as a matrix of one row is an element of the one times an element of the other.
//!
//! (Derivatives of products of matrices and vectors are such. A product of matrices has a sum for each element, a kernel of its own, and can't be fused with
//! what is around it.)

use first_order::{Atom, Op, Scalar, ShapeId, Statement, Type, Var};
use rustc_hash::FxHashMap;

use super::{ElementType, Operand, Writer, vector};

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Column,
    Row,
}

/// Vectors as matrices of one row or column.
#[derive(Default)]
pub struct Sides {
    /// The arrays that variables hold the lengths of.
    lengths: FxHashMap<Var, Var>,
    known: FxHashMap<Var, (Side, Var)>,
}

impl Sides {
    pub fn measured(&mut self, length: Var, array: Var) {
        self.lengths.insert(length, array);
    }

    /// A statement as it is written.
    pub fn made(&mut self, Statement { var, op, .. }: &Statement) {
        if let Op::Shaped(Atom::Var(vector), lengths) = op {
            match lengths[..] {
                [_, Atom::Int(1)] => self.known.insert(*var, (Side::Column, *vector)),
                [Atom::Int(1), _] => self.known.insert(*var, (Side::Row, *vector)),
                _ => None,
            };
        }
    }
}

impl Writer<'_> {
    /// A vector as a matrix of one row or column.
    pub fn side(&mut self, args: &[Atom], shapes: &[ShapeId]) -> Option<Op> {
        let [whole @ Atom::Var(of), Atom::Var(lengths)] = args else { return None };
        if self.operand(shapes[0]) != Some(Operand::reals(1)) {
            return None;
        }
        let lengths = self.literals.get(lengths)?;
        let is_own = |length: &Atom| matches!(length, Atom::Var(var) if self.sides.lengths.get(var) == Some(of));
        match &lengths[..] {
            [own, Atom::Int(1)] | [Atom::Int(1), own] if is_own(own) => {
                Some(Op::Shaped(whole.clone(), lengths.clone()))
            }
            _ => None,
        }
    }

    pub fn outer(&mut self, args: &[Atom]) -> Option<Op> {
        let [Atom::Var(left), Atom::Var(right)] = args else { return None };
        let (Some((Side::Column, left)), Some((Side::Row, right))) =
            (self.sides.known.get(left).copied(), self.sides.known.get(right).copied())
        else {
            return None;
        };
        let [rows, columns] = [left, right].map(|of| self.bind(Type::Int, Op::Len(Atom::Var(of))));
        let (row, body) = self.body(|this, row| {
            let factor = this.element(&Atom::Var(left), row, ElementType::Real);
            let (column, body) = this.body(|this, column| {
                let other = this.element(&Atom::Var(right), column, ElementType::Real);
                let product = this.scalar(Scalar::Mul, vec![factor, other]);
                // A sum begins with 0.0.
                this.scalar(Scalar::Add, vec![product, Atom::Real(0.0)])
            });
            this.bind(vector(ElementType::Real), Op::Tabulate { n: columns, index: column, body })
        });
        Some(Op::Tabulate { n: rows, index: row, body })
    }
}
