//! Functions that the entry doesn't reach are dropped; the others are renumbered in their order.

use first_order::{FunctionId, Op, Program};

use crate::rewriting::walk::{each_op, each_op_mut};

pub fn run(program: &mut Program) {
    let reached = reached(program);
    let mut new = vec![];
    let mut next = 0;
    for reached in &reached {
        new.push(FunctionId(next));
        next += u32::from(*reached);
    }
    let mut place = 0;
    program.functions.retain(|_| {
        place += 1;
        reached[place - 1]
    });
    program.entry = new[program.entry.0 as usize];
    for function in &mut program.functions {
        each_op_mut(&mut function.body, &mut |_, op| {
            if let Op::Call(callee, _) = op {
                *callee = new[callee.0 as usize];
            }
        });
    }
}

/// Which functions the entry reaches.
pub fn reached(program: &Program) -> Vec<bool> {
    let mut reached = vec![false; program.functions.len()];
    reached[program.entry.0 as usize] = true;
    let mut waiting = vec![program.entry];
    while let Some(id) = waiting.pop() {
        each_op(&program.functions[id.0 as usize].body, &mut |_, op| {
            if let Op::Call(callee, _) = op
                && !std::mem::replace(&mut reached[callee.0 as usize], true)
            {
                waiting.push(*callee);
            }
        });
    }
    reached
}
