//! Code sinking: what only one way of a choice needs is computed there.
//!
//! ```text
//! t = {n, i, k}                       if c {
//! if c { … t … } else { … }     →       t = {n, i, k}
//!                                       … t … } else { … }
//! ```
//!
//! Only numbers, alternatives and structs of them: nothing is kept alive for longer. What may fail stays where it is. (Elements that are computed again, of which a sensitivity that is
//! zero needs nothing; and a choice that moves to where it is looked at can be taken with it.)

use first_order::{Atom, Block, Function, Op, Program, Statement, Type, Var};
use rustc_hash::FxHashMap;

use crate::analyses::effects::{self, Effects, World};
use crate::deep;
use crate::rewriting::walk::{blocks_mut, each_atom, end_atoms, has_blocks};

pub fn run(program: &mut Program) {
    let effects = effects::of_functions(program);
    let Program { functions, shapes, .. } = program;
    let world = World { functions: &effects, shapes };
    for function in functions.iter_mut().filter(|function| chooses_inside(&function.body, false)) {
        let effects = effects::of_statements(function, world);
        let Function { vars, body, .. } = function;
        Defer { vars, effects: &effects }.block(body);
    }
}

/// Is there a choice inside a loop? Elsewhere LLVM does the same.
fn chooses_inside(block: &Block, inside: bool) -> bool {
    block.statements.iter().any(|Statement { op, .. }| {
        if inside && matches!(op, Op::If(..) | Op::Switch(..)) {
            return true;
        }
        let repeats = matches!(op, Op::Tabulate { .. } | Op::Sum { .. } | Op::Loop { .. });
        let mut found = false;
        if has_blocks(op) {
            deep(|| op.blocks(&mut |_, block| found = found || chooses_inside(block, inside || repeats)));
        }
        found
    })
}

struct Defer<'a> {
    vars: &'a [Type],
    effects: &'a [Effects],
}

/// Where a variable is used.
#[derive(Clone, Copy, PartialEq)]
enum Used {
    /// In this arm of the choice that is this statement.
    Arm(usize, usize),
    Elsewhere,
}

/// Where the variables of a block are used.
#[derive(Default)]
struct Uses(FxHashMap<Var, Used>);

impl Uses {
    fn add(&mut self, var: Var, place: Used) {
        self.0
            .entry(var)
            .and_modify(|known| {
                if *known != place {
                    *known = Used::Elsewhere
                }
            })
            .or_insert(place);
    }

    /// What an operation and its blocks read is used at one place.
    fn all(&mut self, op: &Op, place: Used) {
        let mut add = |atom: &Atom| {
            if let Atom::Var(var) = atom {
                self.add(*var, place)
            }
        };
        op.atoms(&mut add);
        op.blocks(&mut |_, block| each_atom(block, &mut add));
    }
}

impl Defer<'_> {
    fn block(&self, block: &mut Block) {
        let mut uses = Uses::default();
        end_atoms(&block.end, &mut |atom| {
            if let Atom::Var(var) = atom {
                uses.add(*var, Used::Elsewhere);
            }
        });
        let mut moved: FxHashMap<(usize, usize), Vec<Statement>> = FxHashMap::default();
        let mut kept = vec![];
        for (at, statement) in std::mem::take(&mut block.statements).into_iter().enumerate().rev() {
            if let Some(Used::Arm(choice, arm)) = uses.0.get(&statement.var).copied()
                && self.may_move(&statement)
            {
                uses.all(&statement.op, Used::Arm(choice, arm));
                moved.entry((choice, arm)).or_default().push(statement);
                continue;
            }
            if let Op::If(..) | Op::Switch(..) = statement.op {
                let mut arm = 0;
                statement.op.atoms(&mut |atom| {
                    if let Atom::Var(var) = atom {
                        uses.add(*var, Used::Elsewhere);
                    }
                });
                statement.op.blocks(&mut |_, block| {
                    each_atom(block, &mut |atom| {
                        if let Atom::Var(var) = atom {
                            uses.add(*var, Used::Arm(at, arm));
                        }
                    });
                    arm += 1;
                });
            } else {
                uses.all(&statement.op, Used::Elsewhere);
            }
            kept.push((at, statement));
        }
        for (at, mut statement) in kept.into_iter().rev() {
            if has_blocks(&statement.op) {
                let mut arm = 0;
                deep(|| {
                    blocks_mut(&mut statement.op, &mut |inner| {
                        if let Some(mut moved) = moved.remove(&(at, arm)) {
                            moved.reverse();
                            inner.statements.splice(0..0, moved);
                        }
                        arm += 1;
                        self.block(inner);
                    });
                });
            }
            block.statements.push(statement);
        }
    }

    fn may_move(&self, Statement { var, op, .. }: &Statement) -> bool {
        let Effects { total, prints } = self.effects[var.0 as usize];
        let is_simple =
            !matches!(op, Op::Loop { .. } | Op::Tabulate { .. } | Op::Sum { .. } | Op::Call(..) | Op::Prim { .. });
        total && !prints && is_simple && is_plain(&self.vars[var.0 as usize])
    }
}

/// Does it hold numbers alone, and which alternative?
pub fn is_plain(of: &Type) -> bool {
    match of {
        Type::Bool | Type::Int | Type::Real => true,
        Type::Struct(parts) | Type::Sum(parts) => parts.iter().all(|part| deep(|| is_plain(part))),
        Type::Text | Type::Handle | Type::Array(..) | Type::Named(_) => false,
    }
}
