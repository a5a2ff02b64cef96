//! What surely succeeds in a function: readings whose index is in range, counting that stays within the ints, loops that end.
//!
//! An index is in range if it is the index of a `tabulate` or `sum` over the array's length, or it counts up from a constant and was
//! compared with the length, or it counts down from there. Two lengths are the same if they are the same variable: the one an array was
//! made with, or `len` of it. A loop ends if it goes on only where a number that it counts hasn't reached one that stays.

use calculus::Prim;
use first_order::relation::{Relation, Way, reached};
use first_order::{Atom, Block, End, Function, Op, Scalar, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::deep;
use crate::walk::{each_again, each_op, has_blocks};

/// How many numbers are looked at to find that one is less than another.
const MAX_STEPS: usize = 64;

/// The statements that surely succeed, by the variables that they bind.
#[derive(Default)]
pub struct Sure {
    /// Readings of elements and operations on ints.
    pub succeed: FxHashSet<Var>,
    /// Loops.
    pub end: FxHashSet<Var>,
}

pub fn sure(function: &Function) -> Sure {
    let mut facts = Facts { vars: &function.vars, ..Facts::default() };
    facts.depths.extend(function.params.iter().map(|param| (*param, 0)));
    facts.block(&function.body);
    facts.sure
}

#[derive(Default)]
struct Facts<'a> {
    vars: &'a [Type],
    sure: Sure,
    /// The lengths that an array is known to have.
    lengths: FxHashMap<Var, Vec<Atom>>,
    /// Variables that aren't negative.
    natural: FxHashSet<Var>,
    /// Numbers that are the same, in the blocks that are open.
    same: Relation,
    /// Of a number, which others it is less than, in the blocks that are open.
    less: Relation,
    /// Comparisons, by the variable that holds their outcome.
    compared: FxHashMap<Var, (Scalar, Atom, Atom)>,
    /// Parameters of loops that only become less, and what they are at first.
    falling: FxHashMap<Var, Atom>,
    /// Sums and differences of a variable and one.
    stepped: FxHashMap<Var, (Scalar, Var)>,
    /// In how many loops a variable is bound.
    depths: FxHashMap<Var, usize>,
    loops: Vec<Open>,
}

/// A loop that is open.
struct Open {
    params: Vec<Var>,
    /// Which parameters count towards something that stays, wherever the loop goes on.
    counting: Vec<bool>,
}

impl Facts<'_> {
    fn block(&mut self, block: &Block) {
        let (less, same) = (self.less.mark(), self.same.mark());
        for statement in &block.statements {
            if has_blocks(&statement.op) {
                self.inside(statement.var, &statement.op);
            } else {
                self.statement(statement.var, &statement.op);
            }
            self.depths.insert(statement.var, self.loops.len());
        }
        if let End::Again(atoms) = &block.end {
            self.again(atoms);
        }
        self.less.forget(less);
        self.same.forget(same);
    }

    fn statement(&mut self, var: Var, op: &Op) {
        match op {
            Op::Len(Atom::Var(array)) => {
                self.lengths.entry(*array).or_default().push(Atom::Var(var));
                self.natural.insert(var);
            }
            // A sensitivity has as many parts as its array has elements.
            Op::Prim { prim: Prim::Spread, args, .. } if matches!(self.vars[var.0 as usize], Type::Array(..)) => {
                self.lengths.entry(var).or_default().push(args[0].clone());
            }
            Op::Scalar(Scalar::Length, _) => {
                self.natural.insert(var);
            }
            // As good as the same: what is natural and less than one of them is less than the other.
            Op::Scalar(Scalar::IntMaximum, args) if args[1] == Atom::Int(0) => {
                self.natural.insert(var);
                self.same.add(&Atom::Var(var), &args[0]);
            }
            Op::Scalar(scalar @ (Scalar::IntAdd | Scalar::IntSub), args) => {
                if let [Atom::Var(from), Atom::Int(1)] = args[..] {
                    self.step(var, *scalar, from);
                }
            }
            Op::Scalar(scalar, atoms) if is_comparison(*scalar) => {
                self.compared.insert(var, (*scalar, atoms[0].clone(), atoms[1].clone()));
            }
            Op::Require(Atom::Var(condition), _) => {
                if let Some((Scalar::IntEq, a, b)) = self.compared.get(condition) {
                    self.same.add(a, b);
                }
            }
            Op::Element(Atom::Var(array), indices) if indices.len() == 1 && self.is_in_range(*array, &indices[0]) => {
                self.sure.succeed.insert(var);
            }
            _ => {}
        }
    }

    /// One more or one less than a variable.
    fn step(&mut self, var: Var, scalar: Scalar, from: Var) {
        self.stepped.insert(var, (scalar, from));
        let atom = Atom::Var(from);
        if scalar == Scalar::IntAdd {
            if self.less.right_of(&atom).next().is_some() {
                self.sure.succeed.insert(var);
            }
            return;
        }
        let natural = self.less.left_of(&atom).any(|less| self.is_natural(&less));
        if natural {
            self.natural.insert(var);
        }
        if natural || self.natural.contains(&from) || self.less.left_of(&atom).next().is_some() {
            self.sure.succeed.insert(var);
        }
        self.less.add(&Atom::Var(var), &atom);
        if let Some(first) = self.falling.get(&from) {
            self.less.add(&Atom::Var(var), first);
        }
    }

    fn inside(&mut self, var: Var, op: &Op) {
        let mark = self.less.mark();
        match op {
            Op::Tabulate { n, index, body } | Op::Sum { n, index, body } => {
                self.natural.insert(*index);
                self.less.add(&Atom::Var(*index), n);
                self.depths.insert(*index, self.loops.len());
                deep(|| self.block(body));
                self.less.forget(mark);
                // If n is negative there are no elements; but then no index is in range and less than n.
                self.lengths.entry(var).or_default().push(n.clone());
            }
            Op::If(condition, yes, no) => {
                let known = match condition {
                    Atom::Var(condition) => self.compared.get(condition).cloned(),
                    _ => None,
                };
                for (block, holds) in [(yes, true), (no, false)] {
                    if let Some((scalar, a, b)) = &known
                        && let Some((less, more)) = less(*scalar, holds, a, b)
                    {
                        self.less.add(less, more);
                    }
                    deep(|| self.block(block));
                    self.less.forget(mark);
                }
            }
            Op::Loop { params, body } => self.repeat(var, params, body),
            _ => deep(|| op.blocks(&mut |_, block| self.block(block))),
        }
    }

    fn repeat(&mut self, var: Var, params: &[(Var, Atom)], body: &Block) {
        let vars: Vec<Var> = params.iter().map(|(param, _)| *param).collect();
        for at in stepping(params, body, Scalar::IntAdd) {
            if matches!(params[at].1, Atom::Int(0..)) {
                self.natural.insert(params[at].0);
            }
        }
        for at in stepping(params, body, Scalar::IntSub) {
            self.falling.insert(params[at].0, params[at].1.clone());
        }
        self.loops.push(Open { counting: vec![true; vars.len()], params: vars });
        for (param, _) in params {
            self.depths.insert(*param, self.loops.len());
        }
        deep(|| self.block(body));
        let open = self.loops.pop().expect("ranges: the loop is open");
        if open.counting.contains(&true) {
            self.sure.end.insert(var);
        }
    }

    /// The innermost loop goes on.
    fn again(&mut self, atoms: &[Atom]) {
        let Some(open) = self.loops.last() else { return };
        let counting: Vec<bool> = (0..atoms.len()).map(|at| self.counts(open.params[at], &atoms[at])).collect();
        let open = self.loops.last_mut().expect("ranges: a loop is open");
        open.counting.iter_mut().zip(counting).for_each(|(all, here)| *all &= here);
    }

    /// Is the parameter one step further, and hasn't yet reached a number that stays?
    fn counts(&self, param: Var, next: &Atom) -> bool {
        let Atom::Var(next) = next else { return false };
        let stays = |atom: &Atom| match atom {
            Atom::Var(var) => self.depths.get(var).is_some_and(|depth| *depth < self.loops.len()),
            _ => true,
        };
        let here = Atom::Var(param);
        match self.stepped.get(next) {
            Some((Scalar::IntAdd, from)) if *from == param => self.less.right_of(&here).any(|more| stays(&more)),
            Some((_, from)) if *from == param => self.less.left_of(&here).any(|less| stays(&less)),
            _ => false,
        }
    }

    fn is_natural(&self, atom: &Atom) -> bool {
        match atom {
            Atom::Int(n) => *n >= 0,
            Atom::Var(var) => self.natural.contains(var),
            _ => false,
        }
    }

    fn is_in_range(&self, array: Var, index: &Atom) -> bool {
        let Some(lengths) = self.lengths.get(&array) else { return false };
        self.is_natural(index) && lengths.iter().any(|length| self.is_below(index, length))
    }

    /// Is it less than a number, or than one that is the same or less?
    fn is_below(&self, a: &Atom, b: &Atom) -> bool {
        let no_more = [Way::Left(&self.same), Way::Right(&self.same), Way::Left(&self.less)];
        reached(b, MAX_STEPS, &no_more).iter().any(|one| self.is_less(a, one))
    }

    fn is_less(&self, a: &Atom, b: &Atom) -> bool {
        match (a, b) {
            (Atom::Int(a), Atom::Int(b)) => a < b,
            _ => self.less.left_of(b).any(|x| x == *a || matches!((a, &x), (Atom::Int(a), Atom::Int(x)) if a <= x)),
        }
    }
}

fn is_comparison(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::IntLt | Scalar::IntLe | Scalar::IntGt | Scalar::IntGe | Scalar::IntEq)
}

/// What is less than what if a comparison holds, or doesn't.
fn less<'a>(scalar: Scalar, holds: bool, a: &'a Atom, b: &'a Atom) -> Option<(&'a Atom, &'a Atom)> {
    match (scalar, holds) {
        (Scalar::IntLt, true) | (Scalar::IntGe, false) => Some((a, b)),
        (Scalar::IntGt, true) | (Scalar::IntLe, false) => Some((b, a)),
        _ => None,
    }
}

/// The parameters of a loop that stay as they are or go by a whole number, with this operation, wherever it goes on.
fn stepping(params: &[(Var, Atom)], body: &Block, by: Scalar) -> Vec<usize> {
    let mut next: FxHashMap<Var, Var> = FxHashMap::default();
    each_op(body, &mut |var, op| {
        if let Op::Scalar(scalar, atoms) = op
            && *scalar == by
            && let [Atom::Var(from), Atom::Int(1..)] = &atoms[..]
        {
            next.insert(var, *from);
        }
    });
    let mut stepping = vec![true; params.len()];
    each_again(body, &mut |atoms| {
        for (at, atom) in atoms.iter().enumerate() {
            let (param, _) = &params[at];
            stepping[at] &= match atom {
                Atom::Var(var) => var == param || next.get(var) == Some(param),
                _ => false,
            };
        }
    });
    (0..params.len()).filter(|at| stepping[*at]).collect()
}
