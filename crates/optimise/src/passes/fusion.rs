//! Fusion, and rematerialisation where an array is read: of arrays that are made only to be read, what one place reads moves there, what is cheap is computed again, and what nobody reads isn't made.
//!
//! For each `tabulate` of rank 1 whose array is only measured and read element by element, the parts of its elements are looked at one
//! by one ([`survey`]), and it is decided what becomes of each ([`plan`]):
//!
//! - A part that nobody reads is dropped.
//! - A part that one place alone reads, a `tabulate` or `sum` over the same indices right behind, moves there however much it costs, loops
//!   inside it included, unless it comes out of calls or shares work with what others read.
//! - A part that is a constant, the index, a variable from outside, or at most [`CHEAP`](crate::analyses::cost::CHEAP) units of arithmetic on such, on elements of
//!   arrays from outside and on stored parts, is computed again at each reading.
//! - A part that is itself an array of which only elements and the length are read is treated like this in turn.
//! - Of a choice between alternatives, what is next to nothing to compute again is left out ([`narrow`]), and the rest stored.
//! - The others are stored, one after the other, those first that are computed first.
//!
//! (The pairs of a value and a backpropagator that J of `tabulate` makes end here: of a linear function nothing is stored, of a convolution
//! nothing for the products.) The `tabulate` itself stays, with less in it: if computing an element fails, it fails where it did. What is
//! computed again has succeeded once, so it does without the checks that it doesn't need for its value.
//!
//! An array of all elements of another one, in their order, is that other one.
//!
//! An array that is updated is not read again in place of a stored element: it would have to be kept as it was.

mod apart;
mod narrow;
mod plan;
mod rewrite;
mod survey;

use first_order::{Atom, Block, End, Function, Op, Program, Statement, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analyses::effects::{self, World};
use crate::deep;
use crate::passes::simplify;
use crate::rewriting::rename::renumber;
use crate::rewriting::walk::{blocks_mut, each_op};

use plan::{Names, Plan, Reader};
pub use plan::{free_atoms, weight};
use rewrite::Rewrite;
use survey::{Path, Survey, Table};

/// Each round sees what the last one left; arrays of arrays' elements take one for each level.
const ROUNDS: usize = 8;

pub fn run(program: &mut Program) {
    let effects = effects::of_functions(program);
    let Program { functions, shapes, .. } = program;
    let world = World { functions: &effects, shapes };
    functions.iter_mut().for_each(|function| of_function(function, world));
}

pub fn of_function(function: &mut Function, world: World) {
    for _ in 0..ROUNDS {
        if !shrink(function) {
            break;
        }
        simplify::function(function, world);
    }
    share_copies(function);
}

/// `tabulate n (i) { yield a[i] }` is `a`, if `a` has n elements.
fn share_copies(function: &mut Function) {
    let mut lengths = vec![];
    each_op(&function.body, &mut |var, op| match op {
        Op::Tabulate { n, .. } => lengths.push((var, n.clone())),
        Op::Len(Atom::Var(array)) => lengths.push((*array, Atom::Var(var))),
        _ => {}
    });
    let lengths: FxHashSet<(Var, Length)> =
        lengths.into_iter().filter_map(|(var, n)| Some((var, length(&n)?))).collect();
    let Function { vars, body, .. } = function;
    share(body, vars, &lengths);
}

/// An atom that can be a length.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Length {
    Var(Var),
    Int(i64),
}

fn length(atom: &Atom) -> Option<Length> {
    match atom {
        Atom::Var(var) => Some(Length::Var(*var)),
        Atom::Int(n) => Some(Length::Int(*n)),
        Atom::Unit | Atom::Bool(_) | Atom::Real(_) => None,
    }
}

fn share(block: &mut Block, vars: &[Type], lengths: &FxHashSet<(Var, Length)>) {
    for Statement { var, op, .. } in &mut block.statements {
        let whole = copied(op).filter(|(array, n)| {
            matches!(vars[var.0 as usize], Type::Array(_, 1))
                && vars[array.0 as usize] == vars[var.0 as usize]
                && length(n).is_some_and(|n| lengths.contains(&(*array, n)))
        });
        match whole {
            Some((array, _)) => *op = Op::Atom(Atom::Var(array)),
            None => deep(|| blocks_mut(op, &mut |block| share(block, vars, lengths))),
        }
    }
}

/// The array whose elements a `tabulate` yields, each at its own place, and how many.
fn copied(op: &Op) -> Option<(Var, &Atom)> {
    let Op::Tabulate { n, index, body } = op else { return None };
    let [Statement { var, op: Op::Element(Atom::Var(array), indices), .. }] = &body.statements[..] else { return None };
    let same = indices[..] == [Atom::Var(*index)] && body.end == End::Yield(Atom::Var(*var));
    same.then_some((*array, n))
}

/// One round; was anything changed?
fn shrink(function: &mut Function) -> bool {
    if apart::applies(function) {
        let several = Survey::of(function).read_at_several();
        let mut taken_apart = function.clone();
        if apart::apart(&mut taken_apart, &several) && shrunk(&mut taken_apart, &FxHashSet::default()) {
            *function = taken_apart;
            return true;
        }
    }
    if narrow::applies(function) {
        let mut narrowed = function.clone();
        let rebuilt = narrow::narrow(&mut narrowed);
        if !rebuilt.is_empty() && shrunk(&mut narrowed, &rebuilt) {
            *function = narrowed;
            return true;
        }
    }
    shrunk(function, &FxHashSet::default())
}

fn shrunk(function: &mut Function, rebuilt: &FxHashSet<Var>) -> bool {
    let survey = Survey::of(function);
    if survey.tables.is_empty() {
        return false;
    }
    let bodies = plan::bodies(&function.body);
    let mut touched = FxHashSet::default();
    let mut plans = FxHashMap::default();
    // What is read in an array that was made later is known after that.
    for table in survey.tables.iter().rev() {
        let names = Names { types: &function.vars, rebuilt };
        if let Some(plan) = planned(table, &bodies[&table.var], &survey, names, &mut touched) {
            plans.insert(table.var, plan);
        }
    }
    if plans.is_empty() {
        return false;
    }
    let Function { vars, body, .. } = &mut *function;
    Rewrite::new(vars, plans).block(body);
    renumber(function);
    true
}

/// What becomes of an array; nothing if it stays as it is. `touched` are the arrays that change in this round, and those that are read at
/// other places then.
fn planned(table: &Table, body: &Block, survey: &Survey, names: Names, touched: &mut FxHashSet<Var>) -> Option<Plan> {
    let Type::Array(element, _) = &names.types[table.var.0 as usize] else { return None };
    if survey.escapes(table.var) || touched.contains(&table.var) {
        return None;
    }
    let mut path = Path::default();
    let readers = survey.reads(table.var).iter().map(|read| {
        path.reads.push(read);
        Reader { var: read.var, need: survey.need(read.var, &mut path), is_alike: survey.is_alike(table, read) }
    });
    let readers: Vec<Reader> = readers.collect();
    // What is read inside arrays that change in this round, or read at other places from now on, is seen in the next.
    let is_touched = |var: &Var| touched.contains(var);
    if path.vars.iter().any(is_touched) || path.reads.iter().any(|read| read.inside.iter().any(is_touched)) {
        return None;
    }
    let (plan, read) = plan::plan(table, body, element, &readers, survey, names, touched)?;
    touched.insert(table.var);
    touched.extend(read);
    Some(plan)
}
