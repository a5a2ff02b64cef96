//! Primitives called from compiled code.

use base::codes;
use calculus::Prim;
use eval::Value;
use eval::array::Array;
use native::run::{Evaluated, Runner, Stop};
use native::runtime::Context;
use native::runtime::prim::rt_prim;
use native::runtime::symbols::{rt_quiet, rt_text};

use crate::program::{HANDLE, INT, REALS, TEXT, UNIT, one, run, shapes, shown, span, tables};

/// Primitive 0 of the table on the arguments.
unsafe extern "C" fn first(ctx: *mut Context, args: *const u64, out: *mut u64) {
    // SAFETY: primitive 0 takes the words that this function was given.
    unsafe { rt_prim(ctx, 0, args, out) };
}

/// Prints a text and itself once more, quietly, then primitive 1.
unsafe extern "C" fn print_then(ctx: *mut Context, args: *const u64, out: *mut u64) {
    // SAFETY: text 0 and primitives 0 and 1 are in the tables of the test.
    unsafe {
        for quiet in [0, 1, 0] {
            rt_quiet(ctx, quiet);
            let text = [rt_text(ctx, 0) as u64];
            rt_prim(ctx, 0, text.as_ptr(), out);
            rt_quiet(ctx, -quiet);
        }
        rt_prim(ctx, 1, args, out);
    }
}

#[test]
fn a_primitive_gets_and_gives_values() {
    let mut runner = Runner::new().expect("a stack");
    let concat = tables(shapes(vec![]), &[(Prim::Concat, &[REALS, REALS], REALS)], &[REALS, REALS], REALS);
    let vector = |xs: &[f64]| Value::array(Array::vector(xs.to_vec()));
    let (result, _) = run(&mut runner, first, &concat, &[vector(&[1.0, 2.0]), vector(&[3.0])]);
    assert_eq!(shown(&result.expect("an array")), shown(&vector(&[1.0, 2.0, 3.0])));
    assert_eq!(runner.usage().live_after, 0);
}

#[test]
fn handles_go_through_primitives() {
    let mut runner = Runner::new().expect("a stack");
    let plus = tables(shapes(vec![]), &[(Prim::Plus, &[HANDLE, HANDLE], HANDLE)], &[HANDLE, HANDLE], HANDLE);
    let vector = |xs: &[f64]| Value::array(Array::vector(xs.to_vec()));
    let (result, _) = run(&mut runner, first, &plus, &[vector(&[1.0, 2.0]), vector(&[3.0, 4.0])]);
    assert_eq!(shown(&result.expect("an array")), shown(&vector(&[4.0, 6.0])));
}

#[test]
fn what_the_evaluator_runs_is_counted_by_its_place() {
    let mut runner = Runner::new().expect("a stack");
    let shown = tables(shapes(vec![]), &[(Prim::Show, &[INT], TEXT)], &[INT], TEXT);
    for _ in 0..2 {
        run(&mut runner, first, &shown, &[Value::Int(7)]).0.expect("a text");
        let one = Evaluated { prim: Prim::Show, span: span(), times: 1 };
        assert_eq!(runner.usage().evaluated, [one]);
    }
    let length = tables(shapes(vec![]), &[(Prim::Len, &[REALS], INT)], &[REALS], INT);
    run(&mut runner, first, &length, &[Value::array(Array::vector(vec![1.0]))]).0.expect("an int");
    assert_eq!(runner.usage().evaluated, [], "the runtime has code of its own for this");
}

#[test]
fn an_error_in_a_primitive_leaves_cleanly() {
    let mut runner = Runner::new().expect("a stack");
    let sites: &[(Prim, &[_], _)] = &[(Prim::Print, &[TEXT], UNIT), (Prim::ArgMin, &[REALS], INT)];
    let tables = tables(shapes(vec![]), sites, &[REALS], INT);
    for _ in 0..1000 {
        let (result, printed) = run(&mut runner, print_then, &tables, &[Value::array(Array::vector(vec![]))]);
        let stop = Stop::Error { code: codes::EMPTY_REDUCTION, span: span(), printed: 2 };
        assert_eq!(result.expect_err("no smallest"), stop);
        assert_eq!(printed, ["a text", "a text"]);
    }
    let (result, printed) = run(&mut runner, print_then, &tables, &[Value::array(Array::vector(vec![2.0, 1.0]))]);
    assert!(matches!(result, Ok(Value::Int(1))));
    assert_eq!(printed.len(), 2);
}

#[test]
fn a_result_that_does_not_fit_is_a_mismatch() {
    let mut runner = Runner::new().expect("a stack");
    let tables = tables(
        shapes(vec![one(first_order::Head::Array(2), &[INT])]),
        &[(Prim::Add, &[INT, INT], TEXT)],
        &[INT, INT],
        TEXT,
    );
    let (result, _) = run(&mut runner, first, &tables, &[Value::Int(1), Value::Int(2)]);
    assert!(matches!(result, Err(Stop::Mismatch { printed: 0, .. })), "{result:?}");
    let (result, _) = run(&mut runner, first, &tables, &[Value::Int(1), Value::Real(2.0)]);
    assert!(matches!(result, Err(Stop::Mismatch { .. })), "{result:?}");
}

#[test]
fn a_panic_goes_through_to_the_caller() {
    let mut runner = Runner::new().expect("a stack");
    let tables = tables(shapes(vec![]), &[(Prim::Tabulate, &[INT, INT], INT)], &[INT, INT], INT);
    let calls = std::panic::AssertUnwindSafe(|| run(&mut runner, first, &tables, &[Value::Int(1), Value::Int(2)]));
    assert!(std::panic::catch_unwind(calls).is_err());
}
