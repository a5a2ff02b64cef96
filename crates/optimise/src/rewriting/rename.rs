//! Variables renumbered in the order they are bound, without gaps.

use first_order::{Atom, Block, Function, Type, Var};

use crate::deep;
use crate::rewriting::walk::{atoms_mut, blocks_mut, bound_mut, end_atoms_mut, has_blocks};

/// Drops variables that nothing binds from the table of a function.
pub fn renumber(function: &mut Function) {
    let mut names = Names { new: vec![None; function.vars.len()], types: vec![], old: &function.vars };
    function.params.iter_mut().for_each(|var| names.bind(var));
    names.block(&mut function.body);
    function.vars = names.types;
}

struct Names<'a> {
    new: Vec<Option<Var>>,
    types: Vec<Type>,
    old: &'a [Type],
}

impl Names<'_> {
    fn bind(&mut self, var: &mut Var) {
        let fresh = Var(self.types.len() as u32);
        self.types.push(self.old[var.0 as usize].clone());
        self.new[var.0 as usize] = Some(fresh);
        *var = fresh;
    }

    fn atom(&self, atom: &mut Atom) {
        if let Atom::Var(var) = atom {
            *var = self.new[var.0 as usize].expect("rename: a variable is bound before it is used");
        }
    }

    fn block(&mut self, block: &mut Block) {
        for statement in &mut block.statements {
            atoms_mut(&mut statement.op, &mut |atom| self.atom(atom));
            bound_mut(&mut statement.op, &mut |var| self.bind(var));
            if has_blocks(&statement.op) {
                deep(|| blocks_mut(&mut statement.op, &mut |block| self.block(block)));
            }
            self.bind(&mut statement.var);
        }
        end_atoms_mut(&mut block.end, &mut |atom| self.atom(atom));
    }
}
