//! Terms put together as a person would: no factors 1, no summands 0, numbers in front, signs outside.
//!
//! Nothing is rearranged that could change a result by more than rounding.

use crate::term::{Op, Term, op};

pub const ONE: Term = Term::Real(1.0);
pub const ZERO: Term = Term::Real(0.0);

fn is(term: &Term, number: f64) -> bool {
    term.number() == Some(number)
}

/// A number as a factor or divisor: whole ones without a point.
fn factor(term: Term) -> Term {
    match term {
        Term::Real(x) if x == x.trunc() && x.abs() < 1e15 => Term::Int(x as i64),
        other => other,
    }
}

pub fn neg(a: Term) -> Term {
    match a {
        Term::Int(i) => Term::Int(-i),
        Term::Real(x) => Term::Real(-x),
        Term::Neg(inner) => *inner,
        // -(a - b) = b - a
        Term::Op(Op::Subtract, a, b) => Term::Op(Op::Subtract, b, a),
        other => Term::Neg(Box::new(other)),
    }
}

pub fn add(a: Term, b: Term) -> Term {
    match (a, b) {
        (a, b) if is(&a, 0.0) => b,
        (a, b) if is(&b, 0.0) => a,
        (Term::Neg(a), b) => sub(b, *a),
        (a, Term::Neg(b)) => sub(a, *b),
        (a, b) if whole_numbers(&a, &b).is_some() => number(a.number().unwrap_or(0.0) + b.number().unwrap_or(0.0)),
        // x + 1 + 2 = x + 3
        (Term::Op(Op::Add, x, a), b) if whole_numbers(&a, &b).is_some() => add(*x, add(*a, b)),
        (a, b) if a == b => mul(Term::Int(2), a),
        (a, b) => match (coefficient(&a), coefficient(&b)) {
            // 2 * a + 3 * a = 5 * a
            ((m, x), (n, y)) if x == y && m.fract() == 0.0 && n.fract() == 0.0 => mul(Term::Real(m + n), x),
            _ => op(Op::Add, a, b),
        },
    }
}

/// Two whole numbers, whose sums and differences are exact.
fn whole_numbers(a: &Term, b: &Term) -> Option<(f64, f64)> {
    let (a, b) = (a.number()?, b.number()?);
    (is_whole(a) && is_whole(b)).then_some((a, b))
}

fn number(x: f64) -> Term {
    factor(Term::Real(x))
}

/// A number and what it multiplies.
fn coefficient(term: &Term) -> (f64, Term) {
    match term {
        Term::Op(Op::Multiply, a, b) if a.number().is_some() => (a.number().unwrap_or(1.0), (**b).clone()),
        Term::Op(Op::Multiply, a, b) => {
            let (n, rest) = coefficient(a);
            if n == 1.0 { (1.0, term.clone()) } else { (n, op(Op::Multiply, rest, (**b).clone())) }
        }
        other => (1.0, other.clone()),
    }
}

pub fn sub(a: Term, b: Term) -> Term {
    match (a, b) {
        (a, b) if is(&b, 0.0) => a,
        (a, b) if is(&a, 0.0) => neg(b),
        (a, Term::Neg(b)) => add(a, *b),
        (a, b) if whole_numbers(&a, &b).is_some() => number(a.number().unwrap_or(0.0) - b.number().unwrap_or(0.0)),
        (a, b) => op(Op::Subtract, a, b),
    }
}

pub fn mul(a: Term, b: Term) -> Term {
    match (a, b) {
        (a, b) if is(&a, 1.0) => b,
        (a, b) if is(&b, 1.0) => a,
        (a, _) if is(&a, 0.0) => ZERO,
        (_, b) if is(&b, 0.0) => ZERO,
        (a, b) if is(&a, -1.0) => neg(b),
        (a, b) if is(&b, -1.0) => neg(a),
        (Term::Neg(a), b) => neg(mul(*a, b)),
        (a, Term::Neg(b)) => neg(mul(a, *b)),
        (a, b) => match (a.number(), b.number()) {
            (Some(x), Some(y)) => factor(Term::Real(x * y)),
            // Numbers go in front.
            (None, Some(_)) => mul(b, a),
            (Some(_), None) => match leading(b) {
                (Some(n), rest) => mul(mul(a, n), rest),
                (None, b) => joined(factor(a), b),
            },
            (None, None) => match (leading(a), leading(b)) {
                ((Some(m), a), (Some(n), b)) => mul(mul(m, n), joined(a, b)),
                ((Some(n), a), (None, b)) | ((None, a), (Some(n), b)) => mul(n, joined(a, b)),
                ((None, a), (None, b)) => joined(a, b),
            },
        },
    }
}

/// `a * b` with the factors of b after those of a; `1 / x * y` stays, `a * (1 / b)` is `a / b`.
fn joined(a: Term, b: Term) -> Term {
    match (a, b) {
        (a, Term::Op(Op::Multiply, b, c)) => joined(joined(a, *b), *c),
        (a, Term::Op(Op::Divide, n, b)) if is(&n, 1.0) => div(a, *b),
        (a, b) if a == b => pow(a, 2.0),
        (a, b) => op(Op::Multiply, a, b),
    }
}

/// The number in front of a product.
fn leading(term: Term) -> (Option<Term>, Term) {
    match term {
        Term::Op(Op::Multiply, a, b) if a.number().is_some() => (Some(*a), *b),
        Term::Op(Op::Multiply, a, b) => match leading(*a) {
            (Some(n), rest) => (Some(n), op(Op::Multiply, rest, *b)),
            (None, a) => (None, op(Op::Multiply, a, *b)),
        },
        other => (None, other),
    }
}

pub fn div(a: Term, b: Term) -> Term {
    match (a, b) {
        (a, b) if is(&b, 1.0) => a,
        (a, _) if is(&a, 0.0) => ZERO,
        (Term::Neg(a), b) => neg(div(*a, b)),
        (a, Term::Neg(b)) => neg(div(a, *b)),
        // 6 / 3 = 2, 2 / (2 * x) = 1 / x, 2 * x / 2 = x: exact for powers of two and whole quotients
        (a, b) if a.number().zip(b.number()).is_some_and(|(a, b)| is_whole(a / b)) => {
            factor(Term::Real(a.number().unwrap_or(1.0) / b.number().unwrap_or(1.0)))
        }
        (a, b) if common(&a, &b).is_some() => {
            let (a, b) = common(&a, &b).unwrap_or((a, b));
            div(a, b)
        }
        (a, b) => op(Op::Divide, factor(a), factor(b)),
    }
}

fn is_whole(x: f64) -> bool {
    x.fract() == 0.0 && x.abs() < 1e15
}

/// Numerator and denominator without a whole number that both begin with.
fn common(a: &Term, b: &Term) -> Option<(Term, Term)> {
    let of = |term: &Term| match term.number() {
        Some(n) => (n, ONE),
        None => coefficient(term),
    };
    let ((m, x), (n, y)) = (of(a), of(b));
    let quotient = m / n;
    match () {
        () if n == 1.0 || m == 0.0 || n == 0.0 => None,
        () if is_whole(quotient) => Some((mul(Term::Real(quotient), x), y)),
        () if is_whole(1.0 / quotient) && m != 1.0 => Some((x, mul(Term::Real(1.0 / quotient), y))),
        () => None,
    }
}

/// `a ^ n` for a number n.
pub fn pow(a: Term, n: f64) -> Term {
    match n {
        0.0 => ONE,
        1.0 => a,
        n => op(Op::Power, a, factor(Term::Real(n))),
    }
}
