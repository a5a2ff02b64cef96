//! Running a pass, and looking at what it made.
#![allow(dead_code)] // each test file uses some of it

use first_order::*;
use optimise::PASSES;

use crate::common::{run_on, shown};

/// Runs one pass alone.
pub fn pass(program: &mut Program, name: &str) {
    PASSES.iter().find(|pass| pass.name == name).expect("a pass of this name").apply(program);
}

pub fn text(program: &Program) -> String {
    first_order::print(program)
}

pub fn ops(program: &Program) -> Vec<&Op> {
    fn all<'a>(block: &'a Block, found: &mut Vec<&'a Op>) {
        for statement in &block.statements {
            found.push(&statement.op);
            statement.op.blocks(&mut |_, block| all(block, found));
        }
    }
    let mut found = vec![];
    program.functions.iter().for_each(|function| all(&function.body, &mut found));
    found
}

/// The program after a pass, which doesn't change what it gives.
pub fn same_after(mut program: Program, name: &str, args: &[Vec<eval::Value>]) -> Program {
    let before: Vec<String> = args.iter().map(|args| shown(run_on(&program, args.clone()))).collect();
    pass(&mut program, name);
    let after: Vec<String> = args.iter().map(|args| shown(run_on(&program, args.clone()))).collect();
    assert_eq!(before, after, "{}", text(&program));
    program
}
