//! Lists that a recursion builds become arrays, and the recursions that build and take them apart become loops.
//!
//! The reverse of a loop is derived as two recursions: one runs forward and returns a node that holds what its step remembers and
//! the node of the next step; the other goes to the last node and works on its way back. If all nodes of a named type are made by one
//! such recursion, a value of the type becomes `{entries, number of the first, last, shared}`: an entry stands for a node that holds
//! another, which is the entry that follows or the last; `shared` is what all nodes hold alike. Then
//!
//! - who builds nodes is a loop that appends an entry at each step ([`producer`]);
//! - who works on its way back is a loop from the last entry to the first ([`consumer`]);
//! - whoever else opens a node reads an entry ([`open`]).
//!
//! An entry doesn't hold what can be computed again at little cost from what it holds ([`layout`] states the rule).
//!
//! In: any program. Out: the same values and effects. Nodes are shared by suffix as before; the stack isn't used.

mod consumer;
mod layout;
mod open;
mod producer;
mod ways;

use first_order::{FunctionId, NamedId, Op, Program, Type};

use crate::analyses::effects::{self, World};
use crate::analyses::parts::fixed;
use crate::passes::unboxing::forget_unused_shapes;
use crate::rewriting::rename::renumber;
use crate::rewriting::retype::Retyping;
use crate::rewriting::walk::each_op;

use layout::Tapes;

pub fn run(program: &mut Program) {
    let tapes = Tapes::of(program, &producers(program));
    if tapes.is_empty() {
        return;
    }
    let effects = effects::of_functions(program);
    let by = |name| tapes.get(name).map(layout::Tape::value);
    let mut retyping = Retyping::new(&by);
    for id in 0..program.functions.len() {
        let world = World { functions: &effects, shapes: &program.shapes };
        let statements = effects::of_statements(&program.functions[id], world);
        let function = &mut program.functions[id];
        let id = FunctionId(id as u32);
        if let Some(name) = tapes.made_by(id) {
            producer::rewrite(id, function, name, &tapes, &|var| statements[var.0 as usize].total);
        } else if let Some(consumer) = consumer::find(id, function, &tapes, &statements) {
            consumer::rewrite(id, function, &consumer, &tapes);
        }
        open::others(function, &tapes);
        function.vars.iter_mut().for_each(|of| *of = retyping.of(of));
        function.result = retyping.of(&function.result);
        renumber(function);
    }
    for (number, definition) in program.types.iter_mut().enumerate() {
        let gone = tapes.get(NamedId(number as u32)).is_some();
        definition.content = if gone { Type::unit() } else { retyping.of(&definition.content) };
    }
    forget_unused_shapes(program);
}

/// The named types whose nodes are all made by one recursion that can be a loop, and that recursion.
fn producers(program: &Program) -> Vec<(NamedId, FunctionId)> {
    let fixed = fixed(program);
    let effects = effects::of_functions(program);
    let world = World { functions: &effects, shapes: &program.shapes };
    let mut makers: Vec<Vec<FunctionId>> = vec![vec![]; program.types.len()];
    for (id, function) in program.functions.iter().enumerate() {
        each_op(&function.body, &mut |var, op| {
            if let (Op::Box(_), Type::Named(name)) = (op, &function.vars[var.0 as usize]) {
                let of = &mut makers[name.0 as usize];
                if of.last() != Some(&FunctionId(id as u32)) {
                    of.push(FunctionId(id as u32));
                }
            }
        });
    }
    let mut found: Vec<(NamedId, FunctionId)> = vec![];
    for (number, makers) in makers.into_iter().enumerate() {
        let [id] = makers[..] else { continue };
        let name = NamedId(number as u32);
        let content = &program.types[number].content;
        let taken = found.iter().any(|(_, other)| *other == id);
        if fixed[number] || taken || id == program.entry || !layout::mentions(content, name) {
            continue;
        }
        let function = &program.functions[id.0 as usize];
        let statements = effects::of_statements(function, world);
        if ways::fits(id, function, name, content, &|var| statements[var.0 as usize].total) {
            found.push((name, id));
        }
    }
    found
}
