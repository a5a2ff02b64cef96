//! Which ints are never negative, through calls and loops. In: a program of L3. Out: its differences that stay within the ints.
//!
//! All ints are taken to be natural at first, then those are struck out that may not be by what is left, until none are: what remains holds by
//! induction over the steps of a run. The parameters of the entry and what comes out of data aren't natural; a parameter is if
//! it is at every call. Comparisons count in the blocks that they guard: `n != 0` makes a natural n at least 1, so n - 1 is natural too.

use first_order::{Atom, Block, End, Function, Op, Program, Scalar, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// So often the program is looked at; if it takes longer nothing is known.
const MAX_ROUNDS: usize = 16;
/// So many of the innermost comparisons are looked at.
const MAX_GUARDS: usize = 64;

/// The differences, by function, of a natural number and a constant that isn't negative.
pub(super) fn differences(program: &Program) -> Vec<FxHashSet<Var>> {
    let is_int = |function: &Function| function.vars.iter().map(|ty| *ty == Type::Int).collect();
    let mut known = Known {
        natural: program.functions.iter().map(is_int).collect(),
        results: program.functions.iter().map(|function| function.result == Type::Int).collect(),
        changed: false,
    };
    let entry = program.entry.0 as usize;
    for param in &program.functions[entry].params {
        known.natural[entry][param.0 as usize] = false;
    }
    for _ in 0..MAX_ROUNDS {
        known.changed = false;
        let mut differences = vec![];
        for (at, function) in program.functions.iter().enumerate() {
            let mut walk = Walk {
                program,
                at,
                known: &mut known,
                loops: vec![],
                compared: <_>::default(),
                guards: vec![],
                found: <_>::default(),
            };
            walk.block(&function.body, Target::Result);
            differences.push(walk.found);
        }
        if !known.changed {
            return differences;
        }
    }
    vec![FxHashSet::default(); program.functions.len()]
}

struct Known {
    /// By function and variable.
    natural: Vec<Vec<bool>>,
    /// What functions return.
    results: Vec<bool>,
    changed: bool,
}

/// What a block's value becomes.
#[derive(Clone, Copy)]
enum Target {
    Result,
    Var(Var),
    Element,
}

struct Walk<'a> {
    program: &'a Program,
    /// The function.
    at: usize,
    known: &'a mut Known,
    /// The parameters of the open loops.
    loops: Vec<Vec<Var>>,
    /// Comparisons, by the variable that holds their outcome.
    compared: FxHashMap<Var, (Scalar, Atom, Atom)>,
    /// What a variable is at least, in the open blocks.
    guards: Vec<(Var, i64)>,
    found: FxHashSet<Var>,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block, target: Target) {
        for statement in &block.statements {
            self.statement(statement.var, &statement.op);
        }
        match (&block.end, target) {
            (End::Yield(atom), Target::Result) => {
                if self.known.results[self.at] && !self.is_natural(atom) {
                    self.known.results[self.at] = false;
                    self.known.changed = true;
                }
            }
            (End::Yield(atom), Target::Var(var)) => self.becomes(var, atom),
            (End::Yield(_), Target::Element) | (End::Never, _) => {}
            (End::Again(atoms), _) => {
                let params = self.loops.last().cloned().unwrap_or_default();
                params.into_iter().zip(atoms).for_each(|(param, atom)| self.becomes(param, atom));
            }
        }
    }

    fn statement(&mut self, var: Var, op: &Op) {
        match op {
            Op::Scalar(scalar, args) => self.scalar(var, *scalar, args),
            Op::Atom(atom) => self.becomes(var, atom),
            Op::Len(_) | Op::Axis(..) => {}
            Op::Call(id, args) => {
                let callee = id.0 as usize;
                for (param, arg) in self.program.functions[callee].params.iter().zip(args) {
                    if !self.is_natural(arg) {
                        self.strike(callee, *param);
                    }
                }
                if !self.known.results[callee] {
                    self.strike(self.at, var);
                }
            }
            Op::If(condition, yes, no) => {
                let mark = self.guards.len();
                for (block, holds) in [(yes, true), (no, false)] {
                    self.guard(condition, holds);
                    self.inside(|this| this.block(block, Target::Var(var)));
                    self.guards.truncate(mark);
                }
            }
            Op::Switch(_, arms) => {
                for (content, block) in arms {
                    self.strike(self.at, *content);
                    self.inside(|this| this.block(block, Target::Var(var)));
                }
            }
            Op::Loop { params, body } => {
                params.iter().for_each(|(param, first)| self.becomes(*param, first));
                self.loops.push(params.iter().map(|(param, _)| *param).collect());
                self.inside(|this| this.block(body, Target::Var(var)));
                self.loops.pop();
            }
            Op::Tabulate { body, .. } | Op::Sum { body, .. } => self.inside(|this| this.block(body, Target::Element)),
            _ => self.strike(self.at, var),
        }
    }

    fn inside(&mut self, walk: impl FnOnce(&mut Self)) {
        base::budget::deep(|| walk(self));
    }

    fn scalar(&mut self, var: Var, scalar: Scalar, args: &[Atom]) {
        let natural = |this: &Self, at: usize| this.is_natural(&args[at]);
        let holds = match scalar {
            Scalar::IntLt | Scalar::IntLe | Scalar::IntGt | Scalar::IntGe | Scalar::IntEq | Scalar::IntNe => {
                self.compared.insert(var, (scalar, args[0].clone(), args[1].clone()));
                return;
            }
            Scalar::IntSub => match args[1] {
                Atom::Int(step @ 0..) if natural(self, 0) => {
                    self.found.insert(var);
                    self.least(&args[0]).is_some_and(|least| least >= step)
                }
                _ => false,
            },
            Scalar::IntAdd | Scalar::IntMul | Scalar::IntMinimum => natural(self, 0) && natural(self, 1),
            Scalar::IntMaximum => natural(self, 0) || natural(self, 1),
            // The divisor isn't zero, and the remainder has its sign.
            Scalar::IntDiv => natural(self, 0) && natural(self, 1),
            Scalar::IntMod => natural(self, 1),
            Scalar::IntAbs | Scalar::Length => true,
            _ => false,
        };
        if !holds {
            self.strike(self.at, var);
        }
    }

    /// What a comparison says of its operands where it holds, or doesn't.
    fn guard(&mut self, condition: &Atom, holds: bool) {
        let Atom::Var(condition) = condition else { return };
        let Some((scalar, a, b)) = self.compared.get(condition).cloned() else { return };
        let (less, more, apart) = match (scalar, holds) {
            (Scalar::IntLt, true) | (Scalar::IntGe, false) => (a, b, 1),
            (Scalar::IntLe, true) | (Scalar::IntGt, false) => (a, b, 0),
            (Scalar::IntGt, true) | (Scalar::IntLe, false) => (b, a, 1),
            (Scalar::IntGe, true) | (Scalar::IntLt, false) => (b, a, 0),
            (Scalar::IntEq, false) | (Scalar::IntNe, true) if b == Atom::Int(0) && self.is_natural(&a) => (b, a, 1),
            _ => return,
        };
        if let Atom::Var(var) = more
            && let Some(least) = self.least(&less).and_then(|least| least.checked_add(apart))
        {
            self.guards.push((var, least));
        }
    }

    /// What the number is at least.
    fn least(&self, atom: &Atom) -> Option<i64> {
        match atom {
            Atom::Int(n) => Some(*n),
            Atom::Var(var) => {
                let near = self.guards.iter().rev().take(MAX_GUARDS);
                let guarded = near.filter(|(guarded, _)| guarded == var).map(|(_, least)| *least);
                let natural = self.known.natural[self.at][var.0 as usize].then_some(0);
                guarded.chain(natural).max()
            }
            _ => None,
        }
    }

    fn is_natural(&self, atom: &Atom) -> bool {
        self.least(atom).is_some_and(|least| least >= 0)
    }

    /// The variable may be this.
    fn becomes(&mut self, var: Var, atom: &Atom) {
        if !self.is_natural(atom) {
            self.strike(self.at, var);
        }
    }

    fn strike(&mut self, function: usize, var: Var) {
        let natural = &mut self.known.natural[function][var.0 as usize];
        self.known.changed |= *natural;
        *natural = false;
    }
}
