//! Sums: the defined order of additions, in registers where a term is little arithmetic.

use eval::Value;
use eval::array::Array;
use first_order::build::FunctionBuilder;
use first_order::{Atom, End, Op, Program, Scalar, Type};

use crate::programs::*;

/// The sum of what `term` makes of an element and its index, over a vector.
fn summed(term: impl FnOnce(&mut FunctionBuilder, Atom, Atom) -> Atom) -> Program {
    let mut f = FunctionBuilder::new("main", Type::Real);
    let xs = f.param(Type::array(Type::Real, 1));
    let n = f.bind(Type::Int, Op::Len(xs.clone()));
    let value = f.sum(n, |f, i| {
        let x = f.bind(Type::Real, Op::Element(xs, vec![i.clone()]));
        End::Yield(term(f, x, i))
    });
    program(vec![f.finish(End::Yield(value))], &[REALS], REAL)
}

/// Around whole rows of eight and whole chunks, with every kind of number.
fn inputs() -> Vec<Vec<Value>> {
    let number = |i: usize| match i % 11 {
        3 => -0.0,
        5 => 1e300,
        7 => -1e300,
        n => 0.1 * n as f64 - 0.37,
    };
    let of = |n: usize| vec![Value::array(Array::vector((0..n).map(number).collect()))];
    let mut all: Vec<_> = [0, 1, 2, 7, 8, 9, 15, 16, 17, 1023, 1024, 1025, 1031, 2048, 3100].map(of).into();
    all.push(vec![Value::array(Array::vector(vec![f64::NAN, f64::INFINITY, 1.0]))]);
    all
}

fn binary(scalar: Scalar) -> Program {
    summed(|f, x, _| f.scalar(Type::Real, scalar, [x, Atom::Real(0.3)]))
}

#[test]
fn arithmetic_on_eight_terms_has_the_bits_of_one_after_the_other() {
    use Scalar as S;
    for scalar in [S::Add, S::Sub, S::Mul, S::Div, S::Minimum, S::Maximum] {
        check_all(&binary(scalar), &inputs());
    }
    for scalar in [S::Neg, S::Abs, S::Floor, S::Ceil, S::Round, S::Trunc, S::Sqrt] {
        check_all(&summed(|f, x, _| f.scalar(Type::Real, scalar, [x])), &inputs());
    }
    for scalar in [S::Eq, S::Ne, S::Lt, S::Le, S::Gt, S::Ge] {
        let chosen = summed(|f, x, i| {
            let number = f.scalar(Type::Real, S::ToReal, [i]);
            let holds = f.scalar(Type::Bool, scalar, [x.clone(), Atom::Real(0.3)]);
            let fails = f.scalar(Type::Bool, S::Not, [holds.clone()]);
            let one = f.scalar(Type::Real, S::BoolToReal, [fails]);
            let chosen = f.scalar(Type::Real, S::Select, [holds, x, number]);
            f.scalar(Type::Real, S::Add, [chosen, one])
        });
        check_all(&chosen, &inputs());
    }
}

/// What is written for the entry.
fn entry(program: &Program) -> String {
    let text = native::emit::emit(&loops::lower(program));
    let start = text.find("@f0(").expect("the entry is written");
    text[start..].split("\n}\n").next().unwrap_or("").to_string()
}

#[test]
fn terms_of_little_arithmetic_stay_in_registers() {
    let cheap = entry(&binary(Scalar::Mul));
    assert!(cheap.contains("fmul <8 x double>") && !cheap.contains("@sum_values"), "{cheap}");
    // A function isn't done eight at a time here.
    let exp = numerics::FUNCTIONS.iter().position(|function| function.name == "exp").expect("a function") as u16;
    let dear = entry(&summed(|f, x, _| f.scalar(Type::Real, Scalar::Function(exp), [x])));
    assert!(!dear.contains("<8 x double>") && dear.contains("@sum_values"), "{dear}");
}
