//! Tail duplication: what follows a choice is copied into its branches, in functions that build recursive data.
//!
//! `{ c = if … { … call itself … } else { … }; rest }` becomes `if … { … rest } else { … rest }`, so that a branch shows by itself
//! what becomes of the result of the call. [`tapes`](crate::passes::tapes) looks for that. Nothing is reordered.

use first_order::{Atom, Block, End, FunctionId, Op, Program, Statement, Type, Var};

use crate::deep;
use crate::rewriting::copy::Copier;
use crate::rewriting::rename::renumber;
use crate::rewriting::walk::{blocks_mut, each_op, has_blocks, size_up_to};

/// No more statements than this are copied, and into no more branches.
const MOST_COPIED: usize = 1_500;
const MOST_BRANCHES: usize = 12;

pub fn run(program: &mut Program) {
    for (id, function) in program.functions.iter_mut().enumerate() {
        let id = FunctionId(id as u32);
        if !boxes(&function.body, &function.vars) || !calls(&function.body, id) {
            continue;
        }
        let mut body = std::mem::replace(&mut function.body, crate::rewriting::walk::empty());
        sink(&mut body, id, &function.result, &mut function.vars);
        function.body = body;
        renumber(function);
    }
}

fn boxes(body: &Block, vars: &[Type]) -> bool {
    let mut found = false;
    each_op(body, &mut |var, op| found |= matches!(op, Op::Box(_)) && matches!(vars[var.0 as usize], Type::Named(_)));
    found
}

/// Does a block call the function?
pub fn calls(block: &Block, id: FunctionId) -> bool {
    let mut found = false;
    each_op(block, &mut |_, op| found |= matches!(op, Op::Call(callee, _) if *callee == id));
    found
}

/// Do the blocks of an operation call the function?
pub fn calls_inside(op: &Op, id: FunctionId) -> bool {
    let mut found = false;
    if has_blocks(op) {
        op.blocks(&mut |_, block| found |= calls(block, id));
    }
    found
}

/// `of` is the type of the block's value.
fn sink(block: &mut Block, id: FunctionId, of: &Type, vars: &mut Vec<Type>) {
    let Some(at) = block.statements.iter().position(|statement| calls_inside(&statement.op, id)) else { return };
    if !matches!(block.statements[at].op, Op::If(..) | Op::Switch(..)) || !matches!(block.end, End::Yield(_)) {
        return;
    }
    let rest = Block { statements: block.statements.split_off(at + 1), end: block.end.clone() };
    let mut choice = block.statements.pop().expect("tail_duplication: the choice");
    let last = rest.statements.is_empty() && rest.end == End::Yield(Atom::Var(choice.var));
    if !last {
        let mut branches = 0;
        choice.op.blocks(&mut |_, _| branches += 1);
        if branches > MOST_BRANCHES || size_up_to(&rest, MOST_COPIED) > MOST_COPIED || calls(&rest, id) {
            block.statements.push(choice);
            block.statements.extend(rest.statements);
            return;
        }
        blocks_mut(&mut choice.op, &mut |branch| continued(branch, choice.var, &rest, vars));
        vars.push(of.clone());
        choice.var = Var(vars.len() as u32 - 1);
        block.end = End::Yield(Atom::Var(choice.var));
    }
    deep(|| blocks_mut(&mut choice.op, &mut |branch| sink(branch, id, of, vars)));
    block.statements.push(choice);
}

/// The branch goes on with a copy of the rest, in which `var` is its value.
fn continued(branch: &mut Block, var: Var, rest: &Block, vars: &mut Vec<Type>) {
    let End::Yield(value) = &branch.end else { return };
    let mut copier = Copier::within(vars);
    copier.map.insert(var, value.clone());
    let copy: Vec<Statement> = rest.statements.iter().map(|statement| copier.statement(statement)).collect();
    branch.end = copier.end(&rest.end);
    branch.statements.extend(copy);
}
