//! The free variables of branches: what a branch uses of the function around it.

use std::collections::BTreeSet;

use calculus::{Atom, Binding, Block, Expr, Var};
use rustc_hash::FxHashMap;

/// For each `if` of a function, by the variable it binds, the free variables of its two branches in ascending order.
#[derive(Default)]
pub struct Free {
    branches: FxHashMap<Var, Vec<Var>>,
}

impl Free {
    /// Walks a body once, inside out.
    pub fn of(body: &Block) -> Free {
        let mut free = Free::default();
        free.block(body);
        free
    }

    pub fn of_branches(&self, var: Var) -> &[Var] {
        &self.branches[&var]
    }

    fn block(&mut self, block: &Block) -> BTreeSet<Var> {
        base::budget::deep(|| {
            let mut used = BTreeSet::new();
            see(&mut used, &block.result);
            for binding in block.bindings.iter().rev() {
                match binding {
                    Binding::Functions { vars, captured, .. } => {
                        vars.iter().for_each(|var| {
                            used.remove(var);
                        });
                        captured.iter().for_each(|atom| see(&mut used, atom));
                    }
                    Binding::Let { var, expr, .. } => {
                        used.remove(var);
                        used = self.expression(*var, expr, used);
                    }
                }
            }
            used
        })
    }

    fn expression(&mut self, var: Var, expr: &Expr, mut used: BTreeSet<Var>) -> BTreeSet<Var> {
        if let Expr::If(condition, then, otherwise) = expr {
            let inside = union(self.block(then), self.block(otherwise));
            self.branches.insert(var, inside.iter().copied().collect());
            used = union(used, inside);
            see(&mut used, condition);
        } else {
            expr.each_atom(&mut |atom| see(&mut used, atom));
        }
        used
    }
}

fn see(used: &mut BTreeSet<Var>, atom: &Atom) {
    if let Atom::Var(var) = atom {
        used.insert(*var);
    }
}

/// The smaller set goes into the larger.
fn union(mut a: BTreeSet<Var>, mut b: BTreeSet<Var>) -> BTreeSet<Var> {
    if a.len() < b.len() {
        std::mem::swap(&mut a, &mut b);
    }
    a.extend(b);
    a
}
