//! Powers of two that undo each other, and cubes of reciprocal roots.

#[path = "../../first_order/tests/common/mod.rs"]
mod common;
mod looking;

use common::*;
use first_order::build::FunctionBuilder;
use first_order::*;
use looking::*;
use optimise::optimise;

/// A program of one function of two reals.
fn of_reals(body: impl FnOnce(&mut FunctionBuilder, Atom, Atom) -> Atom) -> Program {
    let mut b = FunctionBuilder::new("main", Type::Real);
    let (x, y) = (b.param(Type::Real), b.param(Type::Real));
    let value = body(&mut b, x, y);
    program(vec![b.finish(End::Yield(value))], &[REAL, REAL], REAL)
}

fn on(x: f64, y: f64) -> Vec<eval::Value> {
    vec![eval::Value::Real(x), eval::Value::Real(y)]
}

fn value(program: &Program, x: f64, y: f64) -> f64 {
    match run_on(program, on(x, y)) {
        Ok(eval::Value::Real(value)) => value,
        other => panic!("{}", shown(other)),
    }
}

/// `shape` picks the operations, each on two values that came before.
fn random(shape: u64) -> Program {
    let mut state = shape.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    of_reals(|b, x, y| {
        let mut values = vec![x, y];
        for _ in 0..16 {
            let recent = |next: &mut dyn FnMut(usize) -> usize, values: &[Atom]| {
                values[values.len() - 1 - next(values.len().min(5))].clone()
            };
            let (one, other) = (recent(&mut next, &values), recent(&mut next, &values));
            let constant = real([0.5, 2.0, -2.0, 0.25, 4.0, 0.1, 1.0, -1.0][next(8)]);
            let (op, args) = match next(9) {
                0 => (Scalar::Add, vec![one.clone(), one]),
                1 | 2 => (Scalar::Mul, vec![constant, one]),
                3 => (Scalar::Div, vec![one, constant]),
                4 => (Scalar::Div, vec![constant, one]),
                5 => (Scalar::Neg, vec![one]),
                6 => (Scalar::Mul, vec![one, other]),
                7 => (Scalar::Div, vec![one, other]),
                _ => ([Scalar::Add, Scalar::Sub][next(2)], vec![one, other]),
            };
            values.push(b.bind(Type::Real, Op::Scalar(op, args)));
        }
        let (one, other) = (values[values.len() - 1].clone(), values[values.len() - 2].clone());
        b.scalar(Type::Real, Scalar::Maximum, [one, other])
    })
}

#[test]
fn scaling_keeps_every_bit() {
    let mut changed = 0;
    for shape in 0..4_000 {
        let mut program = random(shape);
        let args = [(1.3, -0.7), (0.11, 3.9), (-2.5, 1.0)];
        let before = args.map(|(x, y)| value(&program, x, y));
        let old = text(&program);
        pass(&mut program, "scales");
        changed += usize::from(text(&program) != old);
        for ((x, y), before) in args.into_iter().zip(before) {
            let after = value(&program, x, y);
            let same = after.to_bits() == before.to_bits() || (after.is_nan() && before.is_nan());
            let extreme = before == 0.0 || !before.is_finite() || before.abs() > 1e200 || before.abs() < 1e-200;
            assert!(same || extreme, "{before} became {after} on ({x}, {y})\n{old}\n=== after\n{}", text(&program));
        }
    }
    assert!(changed > 400, "only {changed} programs have powers of two that undo each other");
}

#[test]
fn half_of_what_is_doubled_by_all_readers_is_not_computed() {
    let mut program = of_reals(|b, x, y| {
        let half = b.scalar(Type::Real, Scalar::Mul, [real(0.5), x.clone()]);
        let (one, other) =
            (b.scalar(Type::Real, Scalar::Mul, [half.clone(), x]), b.scalar(Type::Real, Scalar::Mul, [half, y]));
        let twice = b.scalar(Type::Real, Scalar::Add, [one.clone(), one]);
        let double = b.scalar(Type::Real, Scalar::Mul, [real(2.0), other]);
        b.scalar(Type::Real, Scalar::Sub, [twice, double])
    });
    optimise(&mut program);
    assert_eq!(ops(&program).len(), 3, "{}", text(&program));
}

/// `u·u·u·y` with `u = 1/√(what)`, once negated; u itself is added if it is read elsewhere too.
fn force(of: fn(&mut FunctionBuilder, &Atom) -> Atom, read_elsewhere: bool) -> Program {
    of_reals(|b, x, y| {
        let d = of(b, &x);
        let root = b.scalar(Type::Real, Scalar::Sqrt, [d]);
        let u = b.scalar(Type::Real, Scalar::Div, [real(1.0), root]);
        let minus = b.scalar(Type::Real, Scalar::Neg, [u.clone()]);
        let square = b.scalar(Type::Real, Scalar::Mul, [minus, u.clone()]);
        let cube = b.scalar(Type::Real, Scalar::Mul, [square, u.clone()]);
        let force = b.scalar(Type::Real, Scalar::Mul, [cube, y]);
        if read_elsewhere { b.scalar(Type::Real, Scalar::Add, [force, u]) } else { force }
    })
}

#[test]
fn the_cube_of_a_reciprocal_root_is_one_division() {
    let squared = |b: &mut FunctionBuilder, x: &Atom| b.scalar(Type::Real, Scalar::Mul, [x.clone(), x.clone()]);
    let mut program = force(squared, false);
    let before = program.clone();
    optimise(&mut program);
    assert_eq!(ops(&program).len(), 5, "{}", text(&program));
    let extremes = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, 1e-200, 1e200];
    for x in extremes {
        assert_eq!(value(&program, x, 1.0).to_bits(), value(&before, x, 1.0).to_bits(), "{x}");
    }
    for x in [0.3, -1.7, 41.0, 1e-70, 1e70] {
        let (new, old) = (value(&program, x, 0.7), value(&before, x, 0.7));
        assert!((new - old).abs() <= 1e-15 * old.abs(), "{x}: {new} {old}");
    }
    assert!(value(&program, f64::NAN, 1.0).is_nan());
}

#[test]
fn other_cubes_stay() {
    let same = |mut program: Program| {
        let count = ops(&program).len();
        optimise(&mut program);
        assert_eq!(ops(&program).len(), count, "{}", text(&program));
    };
    // x may be −0.0
    same(force(|_, x| x.clone(), false));
    same(force(|b, x| b.scalar(Type::Real, Scalar::Abs, [x.clone()]), true));
}
