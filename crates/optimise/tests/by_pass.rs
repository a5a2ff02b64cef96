//! What each pass makes of small programs, and what it leaves alone: the files in `passes/`, a folder for each pass.
//!
//! `EVERT_BLESS=1 cargo test -p evert-optimise --test by_pass` writes what is expected anew; read what changed before you keep it.

#[path = "../../first_order/tests/cases/mod.rs"]
mod cases;
#[path = "../../first_order/tests/common/mod.rs"]
mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use cases::{Case, Counts, UNCHANGED, all_ops, count_ops, in_folder, missing};
use first_order::{Head, Interpreter, Program, ShapeId, Stop, Type, check, print};
use optimise::{PASSES, Pass};

/// Each pass once.
fn passes() -> Vec<Pass> {
    let mut once: Vec<Pass> = vec![];
    for pass in PASSES {
        if !once.iter().any(|known| known.name == pass.name) {
            once.push(*pass);
        }
    }
    once
}

fn folder(pass: &Pass) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes").join(pass.name)
}

/// The cases of all passes.
fn all() -> Vec<(Pass, Vec<Case>)> {
    passes().into_iter().map(|pass| (pass, in_folder(&folder(&pass), "l3"))).collect()
}

#[test]
fn each_pass_makes_of_its_programs_what_the_files_say() {
    let mut wrong = vec![];
    for (pass, cases) in all() {
        for case in cases {
            // A pass that panics is wrong about this case, not about all.
            let verdict = catch_unwind(AssertUnwindSafe(|| judged(&pass, &case)));
            if let Err(text) = verdict.unwrap_or_else(|_| Err("the pass panics".to_string())) {
                wrong.push(format!("{}: {text}", case.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Does the pass make of the program what the file says, which means the same?
fn judged(pass: &Pass, case: &Case) -> Result<(), String> {
    let mut after = case.before.clone();
    pass.apply(&mut after);
    check(&after).map_err(|violations| format!("{violations:#?}"))?;
    case.expect(pass.name, &shown(&case.before, &after))?;
    let (expected, found) = (outcomes(&case.before), outcomes(&after));
    if expected == found { Ok(()) } else { Err(format!("gives {found:?} instead of {expected:?}")) }
}

#[test]
fn each_pass_is_seen_at_work_and_leaving_something_alone() {
    for (pass, cases) in all() {
        let (alone, work): (Vec<&Case>, Vec<&Case>) = cases.iter().partition(|case| case.after == UNCHANGED);
        assert!(work.len() >= 2, "`{}` changes the programs of fewer than two files", pass.name);
        assert!(!alone.is_empty(), "`{}` leaves no program unchanged", pass.name);
    }
}

#[test]
fn every_operation_occurs_in_the_programs_of_passes() {
    let mut counts = Counts::new();
    all().iter().flat_map(|(_, cases)| cases).for_each(|case| count_ops(&case.before, &mut counts));
    let missing = missing("operations of L3 in the tests of passes", &all_ops(), &counts);
    assert!(missing.is_empty(), "in no file of tests/passes: {}", missing.join(", "));
}

#[test]
fn narrowed_types_that_are_equal_are_shared() {
    let dead_parts = PASSES.iter().find(|pass| pass.name == "dead_parts").expect("a pass of this name");
    let mut cases = in_folder(&folder(dead_parts), "l3").into_iter();
    let mut program = cases.find(|case| case.name() == "dead_parts/entries.l3").expect("a file of this name").before;
    dead_parts.apply(&mut program);
    let element = |of: &Type| match of {
        Type::Array(element, _) => Some(Rc::as_ptr(element)),
        _ => None,
    };
    let arrays: Vec<*const Type> = program.functions[0].vars.iter().filter_map(element).collect();
    assert!(arrays.len() > 3 && arrays.iter().all(|one| *one == arrays[0]), "{}", print(&program));
}

/// The program after a pass; its shapes only where they aren't what they were.
fn shown(before: &Program, after: &Program) -> String {
    let (before, after) = (print(before), print(after));
    if before == after {
        return UNCHANGED.to_string();
    }
    let shapes = |text: &str| text.find("\nshape ").map_or(text.len(), |at| at + 1);
    let (first, second) = (shapes(&before), shapes(&after));
    if before[first..] == after[second..] { after[..second].to_string() } else { after }
}

/// What the program gives and prints for some arguments; nothing where arguments aren't numbers or arrays of them.
fn outcomes(program: &Program) -> Vec<String> {
    (0..4).filter_map(|which| outcome(program, which)).collect()
}

fn outcome(program: &Program, which: usize) -> Option<String> {
    let args: Option<Vec<eval::Value>> =
        program.parameters.iter().map(|shape| argument(program, *shape, which)).collect();
    let mut printed = vec![];
    let mut interpreter = Interpreter::new(program);
    interpreter.max_steps = Some(100_000);
    let result = interpreter.run(&common::no_codes(), args?, &mut |line| printed.push(line.to_string()));
    let text = match result {
        Ok(value) => eval::show::show(&value),
        Err(Stop::Error { code, .. }) => code.to_string(),
        Err(Stop::Mismatch(text)) => text,
    };
    Some(format!("{text} {printed:?}"))
}

fn argument(program: &Program, shape: ShapeId, which: usize) -> Option<eval::Value> {
    let [alternative] = &program.shapes.get(shape).alternatives[..] else { return None };
    match alternative.head {
        Head::Bool => Some(eval::Value::Bool(which.is_multiple_of(2))),
        Head::Int => Some(eval::Value::Int([2, 0, 3, -1][which])),
        Head::Real => Some(eval::Value::Real([1.5, -0.0, 0.25, f64::INFINITY][which])),
        Head::Array(1) if program.shapes.type_of(shape) == common::reals(1) => {
            let elements: [&[f64]; 4] = [&[1.0, -2.5, 4.0], &[], &[0.5, -0.0, 3.0, 8.0], &[2.0]];
            Some(eval::Value::array(eval::array::Array::vector(elements[which].to_vec())))
        }
        _ => None,
    }
}
