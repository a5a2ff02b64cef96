//! Bounds check elimination: readings of elements that nobody needs and that surely succeed are dropped.
//!
//! Reading may fail, so elsewhere it stays even if its value isn't used. [`first_order::ranges`] says where an index is in range.

use first_order::{Atom, Block, Function, Op, Program, Type, Var};

use crate::deep;
use crate::rewriting::rename::renumber;
use crate::rewriting::walk::{blocks_mut, count_uses, has_blocks};
use first_order::ranges::{Sure, sure};

pub fn run(program: &mut Program) {
    program.functions.iter_mut().for_each(function);
}

fn function(function: &mut Function) {
    let uses = count_uses(function);
    let dropper = Dropper { sure: sure(function), uses, vars: &function.vars };
    dropper.block(&mut function.body);
    renumber(function);
}

struct Dropper<'a> {
    sure: Sure,
    uses: Vec<u32>,
    vars: &'a [Type],
}

impl Dropper<'_> {
    fn block(&self, block: &mut Block) {
        block.statements.retain_mut(|statement| self.stays(statement.var, &mut statement.op));
    }

    fn stays(&self, var: Var, op: &mut Op) -> bool {
        if has_blocks(op) {
            deep(|| blocks_mut(op, &mut |block| self.block(block)));
        } else if matches!(op, Op::Element(..)) && self.sure.succeed.contains(&var) {
            if self.uses[var.0 as usize] == 0 {
                return false;
            }
            if self.vars[var.0 as usize] == Type::unit() {
                *op = Op::Atom(Atom::Unit);
            }
        }
        true
    }
}
