//! How much work goes into the code of a step, by the size of its program on L3.

use crate::llvm;
use base::budget;
use first_order::{Block, Function, Op, Program, Statement};

/// Programs of more statements than this are compiled in time linear in their size: LLVM's usual passes take longer.
const LONG: usize = 4_000;

/// How much work goes into the code of a program.
pub fn effort(program: &Program) -> llvm::Effort {
    if size_of(program) > LONG { llvm::Effort::Quick } else { llvm::Effort::Standard }
}

pub fn size_of(program: &Program) -> usize {
    program.functions.iter().map(|function| size(&function.body)).sum()
}

fn size(block: &Block) -> usize {
    let inside = |statement: &Statement| {
        let mut inside = 0;
        budget::deep(|| statement.op.blocks(&mut |_, block| inside += size(block)));
        inside
    };
    block.statements.iter().map(|statement| 1 + parts(&statement.op) / 4 + inside(statement)).sum()
}

/// How many parts an operation puts together: each becomes instructions of its own.
fn parts(op: &Op) -> usize {
    match op {
        Op::Array(parts) | Op::Struct(parts) | Op::Call(_, parts) => parts.len(),
        _ => 0,
    }
}

/// Does the program run straight through, so that every statement runs at most once?
pub fn is_brief(program: &Program) -> bool {
    let straight = |function: &Function| is_straight(&function.body);
    program.functions.len() == 1 && program.functions.iter().all(straight)
}

fn is_straight(block: &Block) -> bool {
    block.statements.iter().all(|statement| match &statement.op {
        Op::Loop { .. } | Op::Tabulate { .. } | Op::Sum { .. } | Op::Call(..) => false,
        Op::If(_, then, otherwise) => budget::deep(|| is_straight(then) && is_straight(otherwise)),
        Op::Switch(_, arms) => budget::deep(|| arms.iter().all(|(_, arm)| is_straight(arm))),
        _ => true,
    })
}
