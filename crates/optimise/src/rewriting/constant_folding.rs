//! Scalar operations on constants, and identities that hold for every value.
//!
//! Only what is exact: a result that is NaN or an operation that would fail is left to run; nothing is reassociated.

use first_order::fold::discrete;
use first_order::{Atom, Scalar};

/// The value of an operation, if it is known before it runs.
pub fn fold(op: Scalar, args: &[Atom]) -> Option<Atom> {
    match constant(op, args) {
        Some(Atom::Real(x)) if x.is_nan() => None,
        Some(value) => Some(value),
        None => identity(op, args),
    }
}

fn constant(op: Scalar, args: &[Atom]) -> Option<Atom> {
    match args {
        [Atom::Real(x)] => real(op, *x),
        [Atom::Real(x), Atom::Real(y)] => reals(op, *x, *y),
        _ => discrete(op, args),
    }
}

fn real(op: Scalar, x: f64) -> Option<Atom> {
    Some(match op {
        Scalar::Neg => Atom::Real(-x),
        Scalar::Abs => Atom::Real(x.abs()),
        Scalar::Floor => Atom::Real(x.floor()),
        Scalar::Ceil => Atom::Real(x.ceil()),
        Scalar::Round => Atom::Real(x.round_ties_even()),
        Scalar::Trunc => Atom::Real(x.trunc()),
        Scalar::Sqrt => Atom::Real(x.sqrt()),
        Scalar::Sign if x > 0.0 => Atom::Real(1.0),
        Scalar::Sign if x < 0.0 => Atom::Real(-1.0),
        Scalar::Sign => Atom::Real(x),
        Scalar::IsNan => Atom::Bool(x.is_nan()),
        Scalar::IsFinite => Atom::Bool(x.is_finite()),
        Scalar::IsHole => Atom::Bool(is(x, -0.0)),
        _ => return None,
    })
}

fn reals(op: Scalar, x: f64, y: f64) -> Option<Atom> {
    Some(match op {
        Scalar::Add => Atom::Real(x + y),
        Scalar::Sub => Atom::Real(x - y),
        Scalar::Mul => Atom::Real(x * y),
        Scalar::Div => Atom::Real(x / y),
        // A tie goes to the first; NaN wins.
        Scalar::Minimum => Atom::Real(if y < x || y.is_nan() { y } else { x }),
        Scalar::Maximum => Atom::Real(if y > x || y.is_nan() { y } else { x }),
        Scalar::Eq => Atom::Bool(x == y),
        Scalar::Ne => Atom::Bool(x != y),
        Scalar::Lt => Atom::Bool(x < y),
        Scalar::Le => Atom::Bool(x <= y),
        Scalar::Gt => Atom::Bool(x > y),
        Scalar::Ge => Atom::Bool(x >= y),
        _ => return None,
    })
}

/// The operand that the result always is. `x + 0.0` and `x * 0.0` aren't here: −0.0 and NaN tell the difference.
fn identity(op: Scalar, args: &[Atom]) -> Option<Atom> {
    let same = |x: &Atom| Some(x.clone());
    match (op, args) {
        // x * 1.0 = 1.0 * x = x / 1.0 = x
        (Scalar::Mul | Scalar::Div, [x, Atom::Real(1.0)]) | (Scalar::Mul, [Atom::Real(1.0), x]) => same(x),
        // x + -0.0 = -0.0 + x = x
        (Scalar::Add, [x, Atom::Real(zero)] | [Atom::Real(zero), x]) if is(*zero, -0.0) => same(x),
        // x - 0.0 = x
        (Scalar::Sub, [x, Atom::Real(zero)]) if is(*zero, 0.0) => same(x),
        (Scalar::IntAdd, [x, Atom::Int(0)] | [Atom::Int(0), x]) | (Scalar::IntSub, [x, Atom::Int(0)]) => same(x),
        (Scalar::IntMul, [x, Atom::Int(1)] | [Atom::Int(1), x]) => same(x),
        (Scalar::BoolEq, [x, Atom::Bool(true)] | [Atom::Bool(true), x]) => same(x),
        (Scalar::Select, [Atom::Bool(c), a, b]) => same(if *c { a } else { b }),
        (Scalar::Select, [_, a, b]) if identical(a, b) => same(a),
        (Scalar::IntEq | Scalar::IntLe | Scalar::IntGe | Scalar::BoolEq, [Atom::Var(x), Atom::Var(y)]) if x == y => {
            Some(Atom::Bool(true))
        }
        (Scalar::IntNe | Scalar::IntLt | Scalar::IntGt, [Atom::Var(x), Atom::Var(y)]) if x == y => {
            Some(Atom::Bool(false))
        }
        _ => None,
    }
}

fn is(x: f64, y: f64) -> bool {
    x.to_bits() == y.to_bits()
}

/// The same atom to the bit.
pub fn identical(a: &Atom, b: &Atom) -> bool {
    match (a, b) {
        (Atom::Real(x), Atom::Real(y)) => is(*x, *y),
        (a, b) => a == b,
    }
}
