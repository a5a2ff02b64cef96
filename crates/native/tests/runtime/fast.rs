//! Primitives on arrays of numbers give what the evaluator's give, errors included, whether or not others see the arguments.

use base::codes;
use calculus::Prim;
use eval::Value;
use eval::array::{Array, Elements};
use eval::prims::compute_values;
use first_order::{Head, Shape, ShapeId};
use native::run::{Runner, Stop};
use native::runtime::Context;
use native::runtime::object::{is_object, retain};
use native::runtime::prim::rt_prim;
use native::runtime::symbols::rt_free;

use crate::program::{INT, REAL, REALS, TEXT, UNIT, one, run, shapes, tables};

/// After those of `program`: matrices, arrays and matrices of ints, arrays of booleans.
const MATRIX: ShapeId = ShapeId(8);
const INTS: ShapeId = ShapeId(9);
const INT_MATRIX: ShapeId = ShapeId(10);
const BOOLS: ShapeId = ShapeId(11);
const BOOL: ShapeId = ShapeId(2);

fn more() -> Vec<Shape> {
    let array = |rank, of| one(Head::Array(rank), &[of]);
    vec![array(2, REAL), array(1, INT), array(2, INT), array(1, BOOL)]
}

unsafe extern "C" fn owned(ctx: *mut Context, args: *const u64, out: *mut u64) {
    // SAFETY: primitive 0 takes the words that this function was given.
    unsafe { rt_prim(ctx, 0, args, out) };
}

/// The arguments are arrays: each gets one more owner meanwhile.
unsafe extern "C" fn shared_two(ctx: *mut Context, args: *const u64, out: *mut u64) {
    // SAFETY: as many arguments are arrays.
    unsafe { shared(ctx, args, out, 2) };
}

unsafe extern "C" fn shared_one(ctx: *mut Context, args: *const u64, out: *mut u64) {
    // SAFETY: as above.
    unsafe { shared(ctx, args, out, 1) };
}

unsafe fn shared(ctx: *mut Context, args: *const u64, out: *mut u64, count: usize) {
    // SAFETY: the arguments are arrays; each owner that is added is taken away below.
    unsafe {
        (0..count).for_each(|at| retain(args.add(at).read()));
        rt_prim(ctx, 0, args, out);
        for at in 0..count {
            let object = args.add(at).read() as *mut u64;
            *object -= 1;
            if *object == 0 {
                rt_free(ctx, object);
            }
        }
    }
}

/// Values of the shapes, some awkward.
fn samples() -> Vec<(ShapeId, Value)> {
    let special = [1.5, -0.0, 0.0, f64::NAN, f64::INFINITY, -2.0, 1e300];
    let vector = |n: usize| Value::array(Array::vector((0..n).map(|i| special[i % 7] + i as f64 / 8.0).collect()));
    let matrix =
        |m: usize, n: usize| Value::array(Array::reals(vec![m, n], (0..m * n).map(|i| i as f64 - 2.5).collect()));
    let ints = |xs: &[i64]| Value::array(Array::ints(xs.to_vec()));
    let int_matrix = Value::array(Array::new(vec![2, 2], Elements::Int(vec![1, 2, 3, i64::MAX])));
    let mut all: Vec<(ShapeId, Value)> = vec![
        (REAL, Value::Real(-2.5)),
        (REAL, Value::Real(0.0)),
        (INT, Value::Int(3)),
        (INT, Value::Int(-1)),
        (INT, Value::Int(i64::MAX)),
        (INT_MATRIX, int_matrix),
        (BOOLS, Value::array(Array::new(vec![2], Elements::Bool(vec![true, false])))),
    ];
    all.extend([0, 1, 3, 6, 2500].map(|n| (REALS, vector(n))));
    all.extend([(2, 3), (3, 2), (3, 3), (0, 3), (1, 1), (40, 17)].map(|(m, n)| (MATRIX, matrix(m, n))));
    all.extend([&[][..], &[6], &[3, 2], &[-1, -6], &[i64::MAX, 2]].map(|xs| (INTS, ints(xs))));
    all
}

/// The shape of a result, if it is one of those here.
fn shape_of(value: &Value) -> Option<ShapeId> {
    match value {
        Value::Real(_) => Some(REAL),
        Value::Int(_) => Some(INT),
        Value::Array(array) if array.holes => None,
        // Not for programs: some internal primitives trust the shapes of their arguments.
        Value::Array(array) if array.shape.iter().product::<usize>() != array.size() => None,
        Value::Array(array) => match (&array.elements, array.shape.len()) {
            (Elements::Real(_), 1) => Some(REALS),
            (Elements::Real(_), 2) => Some(MATRIX),
            (Elements::Int(_), 1) => Some(INTS),
            (Elements::Int(_), 2) => Some(INT_MATRIX),
            (Elements::Bool(_), 1) => Some(BOOLS),
            _ => None,
        },
        _ => None,
    }
}

/// Equal numbers have equal texts; the sign of NaN doesn't count.
fn text(value: &Value) -> String {
    let real = |x: &f64| if x.is_nan() { "NaN".to_string() } else { format!("{x:?}") };
    match value {
        Value::Real(x) => real(x),
        Value::Array(array) => match &array.elements {
            Elements::Real(xs) => format!("{:?} {:?}", array.shape, xs.iter().map(real).collect::<Vec<_>>()),
            other => format!("{:?} {other:?}", array.shape),
        },
        other => format!("{other:?}"),
    }
}

#[test]
fn fast_primitives_agree_with_the_evaluator() {
    let excluded = [Prim::Tabulate, Prim::Accumulate, Prim::Quietly, Prim::Print, Prim::Solve, Prim::Eigh];
    let prims = Prim::ALL.iter().copied().filter(|prim| prim.arity() <= 2 && !excluded.contains(prim));
    let mut runner = Runner::new().expect("a stack");
    let samples = samples();
    let mut compared = 0;
    for prim in prims {
        for (a_shape, a) in &samples {
            if prim.arity() == 1 {
                compared += compare(&mut runner, prim, &[(*a_shape, a.clone())]);
                continue;
            }
            for (b_shape, b) in &samples {
                compared += compare(&mut runner, prim, &[(*a_shape, a.clone()), (*b_shape, b.clone())]);
            }
        }
    }
    println!("{compared} results compared");
    assert!(compared > 5000);
}

#[test]
fn values_without_words_are_arguments_too() {
    let mut runner = Runner::new().expect("a stack");
    let unit = || (UNIT, Value::unit());
    let array = || (REALS, Value::array(Array::vector(vec![1.0, 2.0])));
    let cases = [
        (Prim::Show, vec![unit()], TEXT, "\"()\""),
        (Prim::Eq, vec![unit(), unit()], BOOL, "true"),
        (Prim::Eq, vec![unit(), array()], BOOL, "false"),
        (Prim::Eq, vec![array(), unit()], BOOL, "false"),
        (Prim::Eq, vec![(INT, Value::Int(1)), unit()], BOOL, "false"),
    ];
    for (prim, args, result, expected) in cases {
        let (parameters, values): (Vec<ShapeId>, Vec<Value>) = args.into_iter().unzip();
        let tables = tables(shapes(more()), &[(prim, &parameters, result)], &parameters, result);
        let found = run(&mut runner, owned, &tables, &values).0.expect("a value");
        assert_eq!(eval::show::show(&found), expected, "{prim} {values:?}");
        assert_eq!(runner.usage().live_after, 0, "{prim}");
    }
}

fn compare(runner: &mut Runner, prim: Prim, args: &[(ShapeId, Value)]) -> usize {
    let mut padded = [Value::Zero, Value::Zero, Value::Zero];
    padded.iter_mut().zip(args).for_each(|(to, (_, from))| *to = from.clone());
    let (expected, result) = match compute_values(prim, padded) {
        Ok(value) => match shape_of(&value) {
            Some(shape) => (text(&value), shape),
            None => return 0,
        },
        Err(fault) => (fault.code.to_string(), TEXT),
    };
    let parameters: Vec<ShapeId> = args.iter().map(|(shape, _)| *shape).collect();
    let values: Vec<Value> = args.iter().map(|(_, value)| value.clone()).collect();
    let tables = tables(shapes(more()), &[(prim, &parameters, result)], &parameters, result);
    let pointers = values.iter().all(|value| matches!(value, Value::Array(_)));
    let entries = match (pointers, values.len()) {
        (false, _) => vec![owned as native::stack::Entry],
        (true, 1) => vec![owned as native::stack::Entry, shared_one],
        _ => vec![owned as native::stack::Entry, shared_two],
    };
    for entry in entries {
        let found = match run(runner, entry, &tables, &values).0 {
            Ok(value) => text(&value),
            Err(Stop::Error { code, .. }) => code.to_string(),
            Err(other) => format!("{other:?}"),
        };
        assert_eq!(found, expected, "{prim} {values:?}");
        assert_ne!(found, codes::OUT_OF_MEMORY.to_string());
        assert_eq!(runner.usage().live_after, 0, "{prim}");
    }
    assert!(!is_object(4095));
    1
}
