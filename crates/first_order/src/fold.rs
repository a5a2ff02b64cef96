//! What operations on scalars are known to be before they run: of constants that aren't reals, and powers with a known exponent.
//!
//! In: an operation and its operands. Out: an atom, or simpler operations. What is written gives the bits of the operation it stands
//! for, and what would fail is left to run. The specialiser and the passes both ask here.

use std::sync::LazyLock;

use crate::term::{Atom, Scalar};

/// The place of x^y in `numerics::FUNCTIONS`.
static POW: LazyLock<Option<u16>> =
    LazyLock::new(|| numerics::FUNCTIONS.iter().position(|function| function.name == "pow").map(|at| at as u16));

/// Derivatives of powers are written out up to this order: the factor is a product of so many numbers.
const MAX_ORDER: i64 = 64;

/// The value of an operation on constant ints and bools.
pub fn discrete(op: Scalar, args: &[Atom]) -> Option<Atom> {
    match args {
        [Atom::Int(x)] => int(op, *x),
        [Atom::Int(x), Atom::Int(y)] => ints(op, *x, *y),
        [Atom::Bool(a)] => match op {
            Scalar::Not => Some(Atom::Bool(!a)),
            Scalar::BoolToReal => Some(Atom::Real(if *a { 1.0 } else { 0.0 })),
            _ => None,
        },
        [Atom::Bool(a), Atom::Bool(b)] if op == Scalar::BoolEq => Some(Atom::Bool(a == b)),
        _ => None,
    }
}

fn int(op: Scalar, x: i64) -> Option<Atom> {
    Some(match op {
        Scalar::IntNeg => Atom::Int(x.checked_neg()?),
        Scalar::IntAbs => Atom::Int(x.checked_abs()?),
        Scalar::IntSign => Atom::Int(x.signum()),
        Scalar::ToReal => Atom::Real(x as f64),
        _ => return None,
    })
}

fn ints(op: Scalar, x: i64, y: i64) -> Option<Atom> {
    Some(match op {
        Scalar::IntAdd => Atom::Int(x.checked_add(y)?),
        Scalar::IntSub => Atom::Int(x.checked_sub(y)?),
        Scalar::IntMul => Atom::Int(x.checked_mul(y)?),
        Scalar::IntMinimum => Atom::Int(x.min(y)),
        Scalar::IntMaximum => Atom::Int(x.max(y)),
        Scalar::IntEq => Atom::Bool(x == y),
        Scalar::IntNe => Atom::Bool(x != y),
        Scalar::IntLt => Atom::Bool(x < y),
        Scalar::IntLe => Atom::Bool(x <= y),
        Scalar::IntGt => Atom::Bool(x > y),
        Scalar::IntGe => Atom::Bool(x >= y),
        _ => return None,
    })
}

/// Writes a power, or a derivative of one, by simpler operations if its exponent and order are known and that is possible. `write`
/// writes an operation that gives a real.
pub fn power(op: Scalar, args: &[Atom], write: &mut dyn FnMut(Scalar, Vec<Atom>) -> Atom) -> Option<Atom> {
    match (op, args) {
        (Scalar::Function(at), [x, Atom::Real(exponent)]) if *POW == Some(at) => products(x, *exponent, write),
        // The k-th derivative of x^b is b (b-1) … (b-k+1) x^(b-k), and 0 where the factor is 0.
        (Scalar::PowerSlope, [x, Atom::Real(exponent), Atom::Int(k)]) if *k <= MAX_ORDER => {
            let factor = (0..*k).fold(1.0, |factor, j| factor * (exponent - j as f64));
            if factor == 0.0 {
                return Some(Atom::Real(0.0));
            }
            let rest = exponent - *k as f64;
            let rest = match products(x, rest, write) {
                Some(product) => product,
                None => write(Scalar::Function((*POW)?), vec![x.clone(), Atom::Real(rest)]),
            };
            Some(write(Scalar::Mul, vec![Atom::Real(factor), rest]))
        }
        // x^b log(x)^0 = x^b; but it is 0.0, not -0.0, where x is -0.0 and b odd.
        (Scalar::PowerLog, [x, Atom::Real(exponent), Atom::Int(k)]) if *k <= 0 && exponent % 2.0 != 1.0 => {
            match products(x, *exponent, write) {
                Some(product) => Some(product),
                None => Some(write(Scalar::Function((*POW)?), vec![x.clone(), Atom::Real(*exponent)])),
            }
        }
        _ => None,
    }
}

/// The powers that `numerics::pow` computes by products, in its order.
fn products(x: &Atom, exponent: f64, write: &mut dyn FnMut(Scalar, Vec<Atom>) -> Atom) -> Option<Atom> {
    let mut times = |x: &Atom, y: &Atom| write(Scalar::Mul, vec![x.clone(), y.clone()]);
    Some(match exponent {
        0.0 => Atom::Real(1.0),
        1.0 => x.clone(),
        2.0 => times(x, x),
        3.0 => {
            let square = times(x, x);
            times(&square, x)
        }
        4.0 => {
            let square = times(x, x);
            times(&square, &square)
        }
        -1.0 => write(Scalar::Div, vec![Atom::Real(1.0), x.clone()]),
        _ => return None,
    })
}
