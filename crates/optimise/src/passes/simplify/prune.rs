//! What nobody needs is dropped: statements without effects whose variable isn't read, and `quiet` around what doesn't print.

use first_order::{Atom, Block, Op, Statement};

use crate::analyses::effects::Effects;
use crate::deep;
use crate::rewriting::walk::{blocks_mut, end_atoms, has_blocks};

/// `effects`: of the statements, by the variable they bind.
pub fn prune(block: &mut Block, effects: &[Effects]) {
    Pruner { effects, used: vec![false; effects.len()] }.block(block);
}

struct Pruner<'a> {
    effects: &'a [Effects],
    used: Vec<bool>,
}

impl Pruner<'_> {
    fn block(&mut self, block: &mut Block) {
        end_atoms(&block.end, &mut |atom| self.read(atom));
        let mut keep = vec![true; block.statements.len()];
        for (keep, statement) in keep.iter_mut().zip(&mut block.statements).rev() {
            let var = statement.var.0 as usize;
            *keep = self.used[var] || !self.effects[var].total;
            if !*keep {
                continue;
            }
            statement.op.atoms(&mut |atom| self.read(atom));
            if has_blocks(&statement.op) {
                deep(|| blocks_mut(&mut statement.op, &mut |block| self.block(block)));
            }
        }
        self.silence(&block.statements, &mut keep);
        let mut flags = keep.iter();
        let statements = std::mem::take(&mut block.statements);
        for statement in statements {
            if flags.next() == Some(&true) {
                block.statements.push(statement);
            } else {
                crate::rewriting::walk::discard(Block { statements: vec![statement], end: first_order::End::Never });
            }
        }
    }

    fn read(&mut self, atom: &Atom) {
        if let Atom::Var(var) = atom {
            self.used[var.0 as usize] = true;
        }
    }

    /// Finds pairs of `quiet` between which nothing prints.
    fn silence(&self, statements: &[Statement], keep: &mut [bool]) {
        // The places of those that are open, and whether something prints inside.
        let mut open: Vec<(usize, bool)> = vec![];
        for (i, statement) in statements.iter().enumerate() {
            match statement.op {
                Op::Quiet(true) => open.push((i, false)),
                Op::Quiet(false) => {
                    let Some((start, prints)) = open.pop() else { continue };
                    let unit = [start, i].iter().all(|i| !self.used[statements[*i].var.0 as usize]);
                    if !prints && unit {
                        (keep[start], keep[i]) = (false, false);
                    } else if let Some((_, outer)) = open.last_mut() {
                        *outer |= prints;
                    }
                }
                _ => {
                    if let Some((_, prints)) = open.last_mut() {
                        *prints |= keep[i] && self.effects[statement.var.0 as usize].prints;
                    }
                }
            }
        }
    }
}
