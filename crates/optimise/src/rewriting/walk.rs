//! Looking over and changing the parts of operations: atoms, blocks, bound variables; sizes.

use base::budget;
use first_order::{Atom, Block, End, Function, Op, Var};

use crate::deep;

/// Visits the atoms that an operation reads itself, to change them; not those inside its blocks.
pub fn atoms_mut(op: &mut Op, visit: &mut dyn FnMut(&mut Atom)) {
    budget::spend(1);
    match op {
        Op::Text(_) | Op::Quiet(_) | Op::Fail(_) => {}
        Op::Atom(a) | Op::Box(a) | Op::Unbox(a) | Op::View(a) | Op::Len(a) | Op::Require(a, _) => visit(a),
        Op::Field(a, _) | Op::Inject(_, a) | Op::Axis(a, _) | Op::Flat(a) | Op::Dense(a) | Op::Collected(a) => visit(a),
        Op::Switch(a, _) | Op::If(a, _, _) | Op::Tabulate { n: a, .. } | Op::Sum { n: a, .. } => visit(a),
        Op::Scalar(_, atoms) | Op::Struct(atoms) | Op::Call(_, atoms) | Op::Array(atoms) => {
            budget::spend(atoms.len());
            atoms.iter_mut().for_each(visit);
        }
        Op::Prim { args, .. } => args.iter_mut().for_each(visit),
        Op::Loop { params, .. } => params.iter_mut().for_each(|(_, first)| visit(first)),
        Op::Element(array, indices) | Op::Shaped(array, indices) => {
            visit(array);
            indices.iter_mut().for_each(visit);
        }
        Op::Append(array, element) => {
            visit(array);
            visit(element);
        }
        Op::Replace(array, indices, new) => {
            visit(array);
            indices.iter_mut().for_each(&mut *visit);
            visit(new);
        }
    }
}

/// Visits the blocks of an operation, to change them.
pub fn blocks_mut(op: &mut Op, visit: &mut dyn FnMut(&mut Block)) {
    match op {
        Op::If(_, then, otherwise) => {
            visit(then);
            visit(otherwise);
        }
        Op::Switch(_, arms) => arms.iter_mut().for_each(|(_, block)| visit(block)),
        Op::Loop { body, .. } | Op::Tabulate { body, .. } | Op::Sum { body, .. } => visit(body),
        _ => {}
    }
}

/// Visits the variables that an operation binds for its blocks.
pub fn bound_mut(op: &mut Op, visit: &mut dyn FnMut(&mut Var)) {
    match op {
        Op::Switch(_, arms) => arms.iter_mut().for_each(|(var, _)| visit(var)),
        Op::Loop { params, .. } => params.iter_mut().for_each(|(var, _)| visit(var)),
        Op::Tabulate { index, .. } | Op::Sum { index, .. } => visit(index),
        _ => {}
    }
}

pub fn has_blocks(op: &Op) -> bool {
    matches!(op, Op::If(..) | Op::Switch(..) | Op::Loop { .. } | Op::Tabulate { .. } | Op::Sum { .. })
}

pub fn end_atoms<'a>(end: &'a End, visit: &mut dyn FnMut(&'a Atom)) {
    match end {
        End::Yield(atom) => visit(atom),
        End::Again(atoms) => atoms.iter().for_each(visit),
        End::Never => {}
    }
}

pub fn end_atoms_mut(end: &mut End, visit: &mut dyn FnMut(&mut Atom)) {
    match end {
        End::Yield(atom) => visit(atom),
        End::Again(atoms) => atoms.iter_mut().for_each(visit),
        End::Never => {}
    }
}

/// Visits every operation of a block, those inside others after them.
pub fn each_op<'a>(block: &'a Block, visit: &mut dyn FnMut(Var, &'a Op)) {
    budget::spend(block.statements.len());
    for statement in &block.statements {
        visit(statement.var, &statement.op);
        if has_blocks(&statement.op) {
            deep(|| statement.op.blocks(&mut |_, block| each_op(block, visit)));
        }
    }
}

/// Visits every atom of a block, also at the ends of blocks.
pub fn each_atom<'a>(block: &'a Block, visit: &mut dyn FnMut(&'a Atom)) {
    for statement in &block.statements {
        statement.op.atoms(visit);
        if has_blocks(&statement.op) {
            deep(|| statement.op.blocks(&mut |_, block| each_atom(block, visit)));
        }
    }
    end_atoms(&block.end, visit);
}

/// Visits every operation of a block, to change it; those inside others after them.
pub fn each_op_mut(block: &mut Block, visit: &mut dyn FnMut(Var, &mut Op)) {
    budget::spend(block.statements.len());
    for statement in &mut block.statements {
        visit(statement.var, &mut statement.op);
        if has_blocks(&statement.op) {
            deep(|| blocks_mut(&mut statement.op, &mut |block| each_op_mut(block, visit)));
        }
    }
}

/// How many statements a block has, those inside others too.
pub fn size(block: &Block) -> usize {
    let mut count = 0;
    each_op(block, &mut |_, _| count += 1);
    count
}

/// Like [`size`], but stops counting soon after the limit.
pub fn size_up_to(block: &Block, limit: usize) -> usize {
    let mut count = block.statements.len();
    for statement in &block.statements {
        if count > limit {
            break;
        }
        if has_blocks(&statement.op) {
            deep(|| {
                statement.op.blocks(&mut |_, block| {
                    if count <= limit {
                        count += size_up_to(block, limit - count);
                    }
                });
            });
        }
    }
    count
}

/// Drops a block without recursion, however deep it is.
pub fn discard(block: Block) {
    let mut waiting = vec![block];
    while let Some(mut block) = waiting.pop() {
        for statement in &mut block.statements {
            if has_blocks(&statement.op) {
                blocks_mut(&mut statement.op, &mut |inner| waiting.push(std::mem::replace(inner, empty())));
            }
        }
    }
}

/// A block that stands where another was taken out.
pub fn empty() -> Block {
    Block { statements: vec![], end: End::Never }
}

/// How often each variable is read.
pub fn count_uses(function: &Function) -> Vec<u32> {
    let mut uses = vec![0; function.vars.len()];
    each_atom(&function.body, &mut |atom| {
        if let Atom::Var(var) = atom {
            uses[var.0 as usize] += 1;
        }
    });
    uses
}

/// Visits what is passed to the loop whose body the block is when it runs again.
pub fn each_again<'a>(body: &'a Block, visit: &mut dyn FnMut(&'a [Atom])) {
    match (&body.end, body.statements.last()) {
        (End::Again(atoms), _) => visit(atoms),
        (End::Yield(Atom::Var(var)), Some(last)) if last.var == *var => match &last.op {
            Op::If(..) | Op::Switch(..) => deep(|| last.op.blocks(&mut |_, block| each_again(block, visit))),
            _ => {}
        },
        _ => {}
    }
}

/// Like [`each_again`], to change it.
pub fn each_again_mut(body: &mut Block, visit: &mut dyn FnMut(&mut Vec<Atom>)) {
    match (&mut body.end, body.statements.last_mut()) {
        (End::Again(atoms), _) => visit(atoms),
        (End::Yield(Atom::Var(var)), Some(last)) if last.var == *var => {
            if let op @ (Op::If(..) | Op::Switch(..)) = &mut last.op {
                deep(|| blocks_mut(op, &mut |block| each_again_mut(block, visit)));
            }
        }
        _ => {}
    }
}
