//! Programs mean the same before and after each pass, and the checker accepts them.

#[path = "../../first_order/tests/cases/mod.rs"]
mod cases;
#[path = "../../first_order/tests/common/mod.rs"]
mod common;
#[path = "../../first_order/tests/generate/mod.rs"]
mod generate;

use std::collections::BTreeMap;

use cases::{Counts, all_ops, count_ops, missing};
use common::no_codes;
use first_order::{Interpreter, Program, Stop};
use optimise::{PASSES, Pass};

/// What a run gives and prints.
type Outcome = (String, Vec<String>);

fn outcome(program: &Program, args: &[eval::Value]) -> Outcome {
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
    std::env::var("EVERT_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1000)
}

/// Programs aren't compared more often than this: it takes long.
const ENOUGH: u64 = 5;

/// How often passes had something to do, up to [`ENOUGH`].
type Worked = BTreeMap<&'static str, u64>;

/// The text of a program without the numbers of its variables.
fn unnumbered(program: &Program) -> String {
    let text = first_order::print(program);
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("var "));
    let words = lines.flat_map(|line| line.split(|c: char| !c.is_alphanumeric()));
    words.filter(|word| word.strip_prefix('v').is_none_or(|rest| rest.parse::<u32>().is_err())).collect()
}

/// Runs a pass on a program, which means the same then.
fn keeps(pass: &Pass, program: &mut Program, args: &[eval::Value], before: Outcome, worked: &mut Worked) -> Outcome {
    let old = program.clone();
    pass.apply(program);
    let times = worked.entry(pass.name).or_default();
    if *times < ENOUGH && *program != old {
        *times += u64::from(unnumbered(program) != unnumbered(&old));
    }
    let after = outcome(program, args);
    let shown = || format!("{}\n=== after\n{}", first_order::print(&old), first_order::print(program));
    assert_eq!(before, after, "pass `{}`\n{}", pass.name, shown());
    after
}

#[test]
fn passes_keep_the_meaning_of_random_programs_and_have_something_to_do() {
    let mut worked: Worked = PASSES.iter().map(|pass| (pass.name, 0)).collect();
    let mut once: Vec<Pass> = PASSES.to_vec();
    once.sort_by_key(|pass| pass.name);
    once.dedup_by_key(|pass| pass.name);
    for seed in 0..seeds() {
        let program = generate::program(seed);
        let args = arguments(seed);
        let first = outcome(&program, &args);
        // Each alone on the program as it is …
        for pass in &once {
            keeps(pass, &mut program.clone(), &args, first.clone(), &mut worked);
        }
        // … and all in their order.
        let (mut program, mut before) = (program, first);
        for pass in PASSES {
            before = keeps(pass, &mut program, &args, before, &mut worked);
        }
    }
    println!("passes had something to do: {worked:?}");
    let idle: Vec<&&str> = worked.iter().filter(|(_, times)| **times == 0).map(|(name, _)| name).collect();
    assert!(idle.is_empty() || seeds() < 1000, "no random program gives these something to do: {idle:?}");
}

#[test]
fn random_programs_have_every_operation_and_mostly_a_value() {
    let (mut counts, mut values, mut too_long) = (Counts::new(), 0, 0);
    for seed in 0..1000 {
        let program = generate::program(seed);
        count_ops(&program, &mut counts);
        let (result, _) = outcome(&program, &arguments(seed));
        values += usize::from(!result.starts_with('E'));
        too_long += usize::from(result.starts_with(&base::codes::OUT_OF_STEPS.to_string()));
    }
    let missing = missing("operations of L3 in random programs", &all_ops(), &counts);
    assert!(missing.is_empty(), "never made: {}", missing.join(", "));
    println!("{values} of 1000 programs give a value, {too_long} take too long");
    assert!(values > 250 && too_long < 10, "{values} values, {too_long} take too long");
}
