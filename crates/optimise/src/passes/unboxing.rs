//! Unboxing: nodes of types that aren't recursive and have become small are passed by their parts.
//!
//! A value of many scalars is a node on the heap when code is specialised; most of what it held may turn out not to be needed.

use first_order::{Atom, NamedId, Op, Program, Shape, Type};

use crate::analyses::parts::{fixed, used_shapes};
use crate::rewriting::retype::Retyping;
use crate::rewriting::walk::each_op_mut;

/// What has more scalars than this stays a node.
const MOST_LEAVES: usize = 96;

pub fn run(program: &mut Program) {
    let fixed = fixed(program);
    let contents: Vec<Type> = program.types.iter().map(|definition| definition.content.clone()).collect();
    let mut inlined: Vec<Option<Type>> = vec![None; contents.len()];
    // Types that hold only what is decided already, again and again: what is recursive never gets its turn.
    let mut decided = vec![false; contents.len()];
    loop {
        let ready = |at: &usize| !decided[*at] && holds_only(&contents[*at], &decided);
        let Some(at) = (0..contents.len()).find(ready) else { break };
        decided[at] = true;
        let content = Retyping::new(&|NamedId(name)| inlined[name as usize].clone()).of(&contents[at]);
        if !fixed[at] && leaves(&content) <= MOST_LEAVES {
            inlined[at] = Some(content);
        }
    }
    if inlined.iter().all(Option::is_none) {
        return;
    }
    let by = |NamedId(name)| inlined[name as usize].clone();
    let mut retyping = Retyping::new(&by);
    let is_inlined = |of: &Type| matches!(of, Type::Named(NamedId(name)) if inlined[*name as usize].is_some());
    for function in &mut program.functions {
        let vars = &function.vars;
        each_op_mut(&mut function.body, &mut |var, op| match op {
            Op::Box(atom) if is_inlined(&vars[var.0 as usize]) => *op = Op::Atom(atom.clone()),
            Op::Unbox(Atom::Var(node)) if is_inlined(&vars[node.0 as usize]) => *op = Op::Atom(Atom::Var(*node)),
            _ => {}
        });
        function.vars.iter_mut().for_each(|of| *of = retyping.of(of));
        function.result = retyping.of(&function.result);
    }
    for (definition, gone) in program.types.iter_mut().zip(&inlined) {
        definition.content = if gone.is_some() { Type::unit() } else { retyping.of(&definition.content) };
    }
    forget_unused_shapes(program);
}

/// Shapes that nothing mentions no longer say what named types mean.
pub fn forget_unused_shapes(program: &mut Program) {
    let used = used_shapes(program);
    for (shape, used) in program.shapes.0.iter_mut().zip(used) {
        if !used {
            *shape = Shape { alternatives: vec![], named: None };
        }
    }
}

fn holds_only(of: &Type, decided: &[bool]) -> bool {
    match of {
        Type::Struct(parts) | Type::Sum(parts) => parts.iter().all(|part| holds_only(part, decided)),
        Type::Array(element, _) => holds_only(element, decided),
        Type::Named(name) => decided[name.0 as usize],
        _ => true,
    }
}

fn leaves(of: &Type) -> usize {
    match of {
        Type::Struct(parts) | Type::Sum(parts) => parts.iter().map(leaves).sum(),
        _ => 1,
    }
}
