//! Programs mean the same before and after each pass, and the checker accepts them.

#[path = "../../first_order/tests/common/mod.rs"]
mod common;
#[path = "../../first_order/tests/generate/mod.rs"]
mod generate;

use common::no_codes;
use first_order::{Interpreter, Program, Stop};
use optimise::PASSES;

/// What a run gives and prints.
fn outcome(program: &Program, args: &[eval::Value]) -> (String, Vec<String>) {
    let mut printed = vec![];
    let mut interpreter = Interpreter::new(program);
    interpreter.max_steps = Some(2_000_000);
    let result = interpreter.run(&no_codes(), args.to_vec(), &mut |line| printed.push(line.to_string()));
    let text = match result {
        Ok(value) => eval::show::show(&value),
        Err(Stop::Error { code, span }) => format!("{code} at {span:?}"),
        Err(Stop::Mismatch(text)) => text,
    };
    (text, printed)
}

fn arguments(seed: u64) -> Vec<eval::Value> {
    let vector = eval::Value::array(eval::array::Array::vector(vec![1.0, -2.5]));
    vec![eval::Value::Int(seed as i64 % 5 - 1), eval::Value::Real([0.5, -0.0, 3.0][seed as usize % 3]), vector]
}

fn seeds() -> u64 {
    std::env::var("EVERT_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(3000)
}

#[test]
fn every_pass_keeps_the_meaning_of_random_programs() {
    for seed in 0..seeds() {
        let mut program = generate::program(seed);
        let args = arguments(seed);
        let mut before = outcome(&program, &args);
        for (place, pass) in PASSES.iter().enumerate() {
            let old = program.clone();
            pass.apply(&mut program);
            let after = outcome(&program, &args);
            let shown = || format!("{}\n=== after\n{}", first_order::print(&old), first_order::print(&program));
            assert_eq!(before, after, "seed {seed}, pass {place} `{}`\n{}", pass.name, shown());
            before = after;
        }
    }
}
