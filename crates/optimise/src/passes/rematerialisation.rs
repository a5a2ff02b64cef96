//! Rematerialisation: arrays that are stored for later, and read far away, hold only what can't be computed again there.
//!
//! A loop under reverse mode keeps what each of its steps makes, arrays included: indices, lengths, constants and choices between them for each
//! element of each step, which the way back reads. [`fusion`] looks at arrays whose readers are at hand. Here an array may be put into structs, alternatives and
//! other arrays, and go around loops, before its elements are read: wherever such an array may be, only one `tabulate` makes it
//! ([`PointsTo`]). Then the array is replaced by a struct of what its elements are computed from:
//!
//! ```text
//! a = tabulate n (i) { yield {{n, m}, {i, j}, x[i]} }           s = {tabulate n (i) { yield x[i] }, n, m, j}
//! … [… a …] …                                            →     … [… s …] …
//! {{n, m}, {i, j}, x} = element b [k]                           x = element s.0 [k], and the rest of s and k
//! ```
//!
//! If nothing is left to store, the struct has the length instead of an array. What is computed again costs at most [`CHEAP`](crate::analyses::cost::CHEAP), or what
//! storing and reading it would, from the index and from numbers outside: no array is kept for it. The `tabulate` itself stays where it
//! was, with less in it: if computing an element fails, it fails there. Lengths of arrays from outside are asked before the `tabulate`, so that they are numbers.
//!
//! In: any program; arrays that calls, primitives, nodes or results see stay as they are. Out: the same values.

mod recipe;
mod rewrite;

use first_order::{Atom, Block, Function, Op, Program, Statement, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analyses::effects::{self, World};
use crate::analyses::points_to::PointsTo;
use crate::deep;
use crate::passes::fusion;
use crate::passes::simplify;
use crate::rewriting::rename::renumber;
use crate::rewriting::walk::{blocks_mut, each_op, has_blocks, size_up_to};

use recipe::Recipe;
use rewrite::Rewrite;

/// Each round sees what the last one left: arrays of arrays take one for each level.
const ROUNDS: usize = 6;
/// Functions with more statements are left as they are.
const LARGE: usize = 20_000;

pub fn run(program: &mut Program) {
    let effects = effects::of_functions(program);
    let Program { functions, shapes, .. } = program;
    let world = World { functions: &effects, shapes };
    for function in functions.iter_mut().filter(|function| size_up_to(&function.body, LARGE) <= LARGE) {
        for _ in 0..ROUNDS {
            if !round(function) {
                break;
            }
            simplify::function(function, world);
            fusion::of_function(function, world);
        }
    }
}

/// Replaces the arrays that can be; was there one?
fn round(function: &mut Function) -> bool {
    if !makes_any(&function.body, &function.vars) {
        return false;
    }
    let mut changed = function.clone();
    hoist(&mut changed.body, &mut changed.vars);
    let mut origins = PointsTo::with_uses(&changed);
    let mut recipes = FxHashMap::default();
    each_op(&changed.body, &mut |var, op| {
        if let Op::Tabulate { index, body, .. } = op
            && let Type::Array(element, 1) = &changed.vars[var.0 as usize]
            && origins.only(var) == Some(var)
            && let Some(recipe) = Recipe::of(*index, body, element, &changed.vars)
        {
            recipes.insert(var, recipe);
        }
    });
    // What is stored of an array that is replaced stays as it is in this round.
    let inner: FxHashSet<Var> = recipes
        .iter()
        .filter(|(_, recipe)| {
            recipe.stored.iter().any(|(atom, _)| origins.holds(atom, &|made| recipes.contains_key(&made)))
        })
        .map(|(var, _)| *var)
        .collect();
    recipes.retain(|var, _| !inner.contains(var));
    if recipes.is_empty() {
        return false;
    }
    Rewrite::of(&mut changed, origins, recipes);
    renumber(&mut changed);
    *function = changed;
    true
}

/// Is there an array of more than numbers?
fn makes_any(body: &Block, vars: &[Type]) -> bool {
    let mut found = false;
    each_op(body, &mut |var, op| {
        found |= matches!(op, Op::Tabulate { .. })
            && matches!(&vars[var.0 as usize], Type::Array(element, 1) if matches!(**element, Type::Struct(_) | Type::Sum(_)));
    });
    found
}

/// Lengths of arrays from outside a `tabulate` are asked before it.
fn hoist(block: &mut Block, vars: &mut Vec<Type>) {
    for mut statement in std::mem::take(&mut block.statements) {
        if let Op::Tabulate { index, body, .. } = &mut statement.op {
            let mut bound = FxHashSet::from_iter([*index]);
            bind_all(body, &mut bound);
            let mut lengths = vec![];
            take_lengths(body, &bound, vars, &mut lengths);
            block.statements.append(&mut lengths);
        }
        if has_blocks(&statement.op) {
            deep(|| blocks_mut(&mut statement.op, &mut |block| hoist(block, vars)));
        }
        block.statements.push(statement);
    }
}

/// All that a block binds.
fn bind_all(block: &Block, bound: &mut FxHashSet<Var>) {
    each_op(block, &mut |var, op| {
        bound.insert(var);
        op.blocks(&mut |vars, _| bound.extend(vars.iter().copied()));
    });
}

fn take_lengths(block: &mut Block, bound: &FxHashSet<Var>, vars: &mut Vec<Type>, lengths: &mut Vec<Statement>) {
    for Statement { op, span, .. } in &mut block.statements {
        if let Op::Len(Atom::Var(array)) | Op::Axis(Atom::Var(array), _) = op
            && !bound.contains(array)
        {
            let known = lengths.iter().find(|known| known.op == *op).map(|known| known.var);
            let length = known.unwrap_or_else(|| {
                vars.push(Type::Int);
                let var = Var(vars.len() as u32 - 1);
                lengths.push(Statement { var, op: op.clone(), span: *span });
                var
            });
            *op = Op::Atom(Atom::Var(length));
        }
        deep(|| blocks_mut(op, &mut |block| take_lengths(block, bound, vars, lengths)));
    }
}
