//! Recursion unrolling: small functions that call themselves do several levels of the recursion at once.
//!
//! A call costs a frame, a check that there is room for it, and what must be kept in memory across it; LLVM never inlines a function
//! into itself. So calls of itself give way to the body, level by level, while the function stays small. Functions that work on the
//! heap have more to do than that, and their code is larger: they stay as they are.

use first_order::{Function, FunctionId, Op, Program, Type};

use crate::passes::inline::{Chosen, nothing, replace_calls};
use crate::rewriting::rename::renumber;
use crate::rewriting::walk::{each_op, size_up_to};

/// A function doesn't grow beyond so many statements …
const MAX_SIZE: usize = 220;
/// … nor to more levels than so many.
const MAX_LEVELS: usize = 12;

pub fn run(program: &mut Program) {
    for at in 0..program.functions.len() {
        let id = FunctionId(at as u32);
        let levels = levels(&program.functions[at], id);
        if levels > 0 {
            let original = program.functions[at].clone();
            let mut function = std::mem::replace(&mut program.functions[at], nothing());
            for _ in 0..levels {
                let mut itself =
                    |callee: FunctionId| (callee == id).then_some(Chosen { function: &original, inside: false });
                replace_calls(&mut function.body, &mut function.vars, &mut itself);
            }
            renumber(&mut function);
            program.functions[at] = function;
        }
    }
}

/// How many levels of the recursion fit: each has as many bodies as the one before has calls.
fn levels(function: &Function, id: FunctionId) -> usize {
    let size = size_up_to(&function.body, MAX_SIZE);
    if 2 * size > MAX_SIZE || !function.vars.iter().all(is_scalar) {
        return 0;
    }
    let mut calls = 0;
    each_op(&function.body, &mut |_, op| calls += usize::from(matches!(op, Op::Call(callee, _) if *callee == id)));
    if calls == 0 {
        return 0;
    }
    let (mut levels, mut bodies, mut deepest) = (0, 1, 1);
    while levels < MAX_LEVELS && (bodies + deepest * calls) * size <= MAX_SIZE {
        deepest *= calls;
        bodies += deepest;
        levels += 1;
    }
    levels
}

/// Do values of the type need no heap?
fn is_scalar(of: &Type) -> bool {
    match of {
        Type::Bool | Type::Int | Type::Real => true,
        Type::Struct(parts) | Type::Sum(parts) => parts.iter().all(is_scalar),
        Type::Text | Type::Handle | Type::Array(..) | Type::Named(_) => false,
    }
}
