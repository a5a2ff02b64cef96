//! Arrays that surely nobody else sees aren't asked about it, and stay where they are.
//!
//! `unshare a` gives `a` itself if nobody else sees it and a copy otherwise. An array that was just made, or unshared, and that is handed on without a copy of
//! its pointer, through loops, choices and calls, has one owner: its `unshare` is dropped. Then what a loop hands from one iteration to the next
//! often is one and the same array; such parameters of loops and results of choices are dropped too, so that LLVM knows where the array is and how long.
//!
//! In: a program with its counts. Out: the same without these operations; every owned pointer still is consumed exactly once.

use rustc_hash::FxHashMap;

use crate::term::{Atom, Block, End, FunctionId, Op, Program, Statement, Use, Var};

/// So often the program is looked at; if it takes longer nothing is known.
const MOST_ROUNDS: usize = 16;

pub(crate) fn run(program: &mut Program) {
    let Some(single) = single(program) else { return };
    for (function, single) in program.functions.iter_mut().zip(single.vars) {
        let mut rewrite = Rewrite { single, same: FxHashMap::default() };
        rewrite.block(&mut function.body);
    }
}

/// What has one owner: all pointers at first, then those are struck out that may have more by what is left. What remains holds by induction
/// over the steps of a run.
struct Single {
    /// By function and variable.
    vars: Vec<Vec<bool>>,
    /// By function and place among the results.
    results: Vec<Vec<bool>>,
    changed: bool,
}

fn single(program: &Program) -> Option<Single> {
    let mut single = Single {
        vars: program
            .functions
            .iter()
            .map(|function| function.vars.iter().map(|leaf| leaf.is_pointer()).collect())
            .collect(),
        results: program.functions.iter().map(|function| vec![true; function.results.len()]).collect(),
        changed: false,
    };
    let entry = program.entry.0 as usize;
    for param in &program.functions[entry].params {
        single.vars[entry][param.0 as usize] = false;
    }
    for _ in 0..MOST_ROUNDS {
        single.changed = false;
        for (at, function) in program.functions.iter().enumerate() {
            let mut walk = Walk { program, at, single: &mut single };
            let results = walk.block(&function.body, &[]);
            walk.results(results);
        }
        if !single.changed {
            return Some(single);
        }
    }
    None
}

/// What a block yields: of each value whether it has one owner. Nothing if it yields nothing.
type Yielded = Option<Vec<bool>>;

struct Walk<'a> {
    program: &'a Program,
    at: usize,
    single: &'a mut Single,
}

impl Walk<'_> {
    fn is_single(&self, atom: &Atom) -> bool {
        match atom {
            Atom::Var(var) => self.single.vars[self.at][var.0 as usize],
            _ => true,
        }
    }

    fn strike(&mut self, var: Var) {
        self.strike_at(self.at, var);
    }

    fn strike_at(&mut self, function: usize, var: Var) {
        let known = &mut self.single.vars[function][var.0 as usize];
        self.single.changed |= std::mem::replace(known, false);
    }

    fn results(&mut self, yielded: Yielded) {
        for (i, is_single) in yielded.into_iter().flatten().enumerate() {
            if !is_single {
                let known = &mut self.single.results[self.at][i];
                self.single.changed |= std::mem::replace(known, false);
            }
        }
    }

    fn give(&mut self, vars: &[Var], values: &[bool]) {
        for (var, is_single) in vars.iter().zip(values) {
            if !is_single {
                self.strike(*var);
            }
        }
    }

    /// `params` are those of the innermost loop.
    fn block(&mut self, block: &Block, params: &[Var]) -> Yielded {
        base::budget::deep(|| {
            for statement in &block.statements {
                self.statement(statement, params);
            }
        });
        match &block.end {
            End::Yield(atoms) => Some(atoms.iter().map(|atom| self.is_single(atom)).collect()),
            End::Again(atoms) => {
                let next: Vec<bool> = atoms.iter().map(|atom| self.is_single(atom)).collect();
                self.give(params, &next);
                None
            }
            End::Never => None,
        }
    }

    fn statement(&mut self, Statement { vars, op, .. }: &Statement, params: &[Var]) {
        base::budget::spend(1);
        let join = |a: Yielded, b: Yielded| match (a, b) {
            (Some(a), Some(b)) => Some(a.iter().zip(&b).map(|(a, b)| *a && *b).collect()),
            (a, b) => a.or(b),
        };
        match op {
            Op::NewArray(..) | Op::Unshare(_) => {}
            Op::If(_, yes, no) => {
                let yielded = join(self.block(yes, params), self.block(no, params));
                self.give(vars, &yielded.unwrap_or_default());
            }
            Op::Switch(_, arms) => {
                let yielded = arms.iter().fold(None, |all, arm| join(all, self.block(&arm.block, params)));
                self.give(vars, &yielded.unwrap_or_default());
            }
            Op::Loop { params, body } => {
                let first: Vec<bool> = params.iter().map(|(_, atom)| self.is_single(atom)).collect();
                let params: Vec<Var> = params.iter().map(|(var, _)| *var).collect();
                self.give(&params, &first);
                let yielded = self.block(body, &params);
                self.give(vars, &yielded.unwrap_or_default());
            }
            Op::Sum { body, .. } => {
                self.block(body, &[]);
            }
            Op::Call(FunctionId(callee), args) => {
                let callee = *callee as usize;
                for (param, arg) in self.program.functions[callee].params.iter().zip(args) {
                    if !self.is_single(arg) {
                        self.strike_at(callee, *param);
                    }
                }
                let results = self.single.results[callee].clone();
                self.give(vars, &results);
            }
            Op::Retain(Atom::Var(var)) => self.strike(*var),
            _ => vars.iter().for_each(|var| self.strike(*var)),
        }
    }
}

struct Rewrite {
    single: Vec<bool>,
    /// What stands for variables that are gone.
    same: FxHashMap<Var, Atom>,
}

impl Rewrite {
    fn atom(&self, atom: &mut Atom) {
        while let Atom::Var(var) = atom
            && let Some(other) = self.same.get(var)
        {
            *atom = *other;
        }
    }

    fn block(&mut self, block: &mut Block) {
        base::budget::deep(|| {
            let statements = std::mem::take(&mut block.statements);
            for mut statement in statements {
                if self.keeps(&mut statement) {
                    block.statements.push(statement);
                }
            }
            if let End::Yield(atoms) | End::Again(atoms) = &mut block.end {
                atoms.iter_mut().for_each(|atom| self.atom(atom));
            }
        });
    }

    fn keeps(&mut self, statement: &mut Statement) -> bool {
        // What was found holds of the variable that stands here, not of those it is the same as: these may be handed on later.
        let is_single = matches!(&statement.op, Op::Unshare(Atom::Var(var)) if self.single[var.0 as usize]);
        statement.op.atoms_mut(&mut |atom| self.atom(atom));
        match &mut statement.op {
            Op::Unshare(array) if is_single => {
                self.same.insert(statement.vars[0], *array);
                return false;
            }
            Op::If(_, yes, no) => {
                self.block(yes);
                self.block(no);
                let ends: Vec<&mut Block> = vec![yes, no];
                self.agreed(&mut statement.vars, ends);
            }
            Op::Switch(_, arms) => {
                for arm in arms.iter_mut() {
                    self.block(&mut arm.block);
                    for var in &mut arm.nulls {
                        let mut atom = Atom::Var(*var);
                        self.atom(&mut atom);
                        *var = if let Atom::Var(same) = atom { same } else { *var };
                    }
                }
                self.agreed(&mut statement.vars, arms.iter_mut().map(|arm| &mut arm.block).collect());
            }
            Op::Loop { params, body } => {
                self.block(body);
                self.invariant(&mut statement.vars, params, body);
            }
            Op::Sum { body, .. } => self.block(body),
            _ => {}
        }
        true
    }

    /// Drops the results of a choice that are one pointer of one owner whichever way it goes.
    fn agreed(&mut self, vars: &mut Vec<Var>, mut blocks: Vec<&mut Block>) {
        for at in (0..vars.len()).rev() {
            let mut yielded = blocks.iter().filter_map(|block| match &block.end {
                End::Yield(atoms) => Some(atoms[at]),
                _ => None,
            });
            let Some(first @ Atom::Var(var)) = yielded.next() else { continue };
            if !self.single[vars[at].0 as usize] || !yielded.all(|other| other == first) || is_bound(&blocks, var) {
                continue;
            }
            for block in &mut blocks {
                if let End::Yield(atoms) = &mut block.end {
                    atoms.remove(at);
                }
            }
            self.same.insert(vars.remove(at), first);
        }
    }

    /// Drops the parameters of a loop that are the same pointer in all iterations and its result afterwards.
    fn invariant(&mut self, vars: &mut Vec<Var>, params: &mut Vec<(Var, Atom)>, body: &mut Block) {
        for at in (0..params.len()).rev() {
            let (param, first) = params[at];
            if !self.single[param.0 as usize] || !matches!(first, Atom::Var(_)) {
                continue;
            }
            let End::Yield(atoms) = &body.end else { continue };
            let results: Vec<usize> = (0..atoms.len()).filter(|at| atoms[*at] == Atom::Var(param)).collect();
            let [result] = results[..] else { continue };
            let mut agrees = true;
            each_again(body, &mut |atoms| agrees &= atoms[at] == Atom::Var(param));
            if !agrees || uses(body, param) > 1 + count_again(body) {
                continue;
            }
            each_again(body, &mut |atoms| {
                atoms.remove(at);
            });
            if let End::Yield(atoms) = &mut body.end {
                atoms.remove(result);
            }
            params.remove(at);
            self.same.insert(param, first);
            let mut inner = Rewrite { single: vec![], same: [(param, first)].into_iter().collect() };
            inner.substitute(body);
            self.same.insert(vars.remove(result), first);
        }
    }

    fn substitute(&mut self, block: &mut Block) {
        base::budget::deep(|| {
            for statement in &mut block.statements {
                statement.op.atoms_mut(&mut |atom| self.atom(atom));
                statement.op.blocks_mut(|block| self.substitute(block));
            }
            if let End::Yield(atoms) | End::Again(atoms) = &mut block.end {
                atoms.iter_mut().for_each(|atom| self.atom(atom));
            }
        });
    }
}

/// Is a variable bound directly in one of the blocks?
fn is_bound(blocks: &[&mut Block], var: Var) -> bool {
    blocks.iter().any(|block| block.statements.iter().any(|statement| statement.vars.contains(&var)))
}

/// How often a pointer is consumed in a block.
fn uses(block: &Block, var: Var) -> usize {
    let mut count = 0;
    for statement in &block.statements {
        statement.op.for_each_use(|atom, how| {
            count += usize::from(*atom == Atom::Var(var) && how == Use::Consume);
        });
        statement.op.for_each_block(|block| count += base::budget::deep(|| uses(block, var)));
    }
    if let End::Yield(atoms) | End::Again(atoms) = &block.end {
        count += atoms.iter().filter(|atom| **atom == Atom::Var(var)).count();
    }
    count
}

fn count_again(body: &mut Block) -> usize {
    let mut count = 0;
    each_again(body, &mut |_| count += 1);
    count
}

/// Visits what the iterations of a loop hand on.
fn each_again(block: &mut Block, visit: &mut dyn FnMut(&mut Vec<Atom>)) {
    for statement in &mut block.statements {
        match &mut statement.op {
            Op::If(_, yes, no) => {
                base::budget::deep(|| each_again(yes, visit));
                base::budget::deep(|| each_again(no, visit));
            }
            Op::Switch(_, arms) => {
                arms.iter_mut().for_each(|arm| base::budget::deep(|| each_again(&mut arm.block, visit)))
            }
            _ => {}
        }
    }
    if let End::Again(atoms) = &mut block.end {
        visit(atoms);
    }
}
