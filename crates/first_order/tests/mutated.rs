//! Damaged texts of programs are refused, or they are programs: whatever the checker accepts runs without a panic.

mod common;
mod damage;
mod generate;

use std::panic::{AssertUnwindSafe, catch_unwind};

use common::*;
use first_order::*;

#[test]
fn what_the_checker_accepts_runs_and_all_else_is_refused() {
    let (mut refused, mut broken, mut run, mut panicked) = (0, 0, 0, vec![]);
    for seed in damage::seeds(6_000) {
        let text = damage::damaged(&print(&generate::program(seed % 500)), seed);
        let attempt = catch_unwind(AssertUnwindSafe(|| {
            let Ok(program) = parse(&text) else { return 0 };
            // Texts are compared, not programs: a nan isn't equal to itself.
            let printed = print(&program);
            assert_eq!(parse(&printed).map(|again| print(&again)).as_ref(), Ok(&printed), "it prints and parses back");
            if check(&program).is_err() {
                return 1;
            }
            execute(&program);
            2
        }));
        match attempt {
            Ok(0) => refused += 1,
            Ok(1) => broken += 1,
            Ok(_) => run += 1,
            Err(_) => panicked.push(seed),
        }
    }
    assert_eq!(panicked, [], "seeds whose texts make us panic");
    println!("{refused} refused, {broken} not well-formed, {run} run");
    assert!(refused > 100 && broken > 100 && run > 100, "{refused} refused, {broken} not well-formed, {run} run");
}

fn execute(program: &Program) {
    let args = vec![
        eval::Value::Int(2),
        eval::Value::Real(0.5),
        eval::Value::array(eval::array::Array::vector(vec![1.0, 2.0, -0.0])),
    ];
    let mut interpreter = Interpreter::new(program);
    interpreter.max_steps = Some(20_000);
    let _ = interpreter.run(&no_codes(), args, &mut |_| ());
}
