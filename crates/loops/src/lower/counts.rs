//! Reference counts. In: an L4 function without `Retain` and `Release`. Out: the same with them, so that every owned pointer is
//! consumed exactly once on every path.
//!
//! One walk backwards. A pointer variable is live if a later statement uses it. A consuming use of a variable that stays live
//! retains it first; a borrowing use of one that doesn't releases it afterwards; a branch that doesn't use what another branch
//! uses releases it at its start. What a loop uses from outside stays live throughout its body and is released after it.

use base::Span;
use rustc_hash::FxHashSet;

use crate::term::{Arm, Atom, Block, End, Function, Leaf, Op, Statement, Use, Var};

pub(super) fn insert(function: &mut Function) {
    let live = vec![false; function.vars.len()];
    let mut counts = Counts { vars: &function.vars, live, log: vec![], span: function.span };
    let body = std::mem::replace(&mut function.body, Block { statements: vec![], end: End::Never });
    let mut body = counts.block(body);
    let dead: Vec<Var> = function.params.iter().copied().filter(|param| counts.is_dead_pointer(*param)).collect();
    release_first(&mut body, &dead, function.span);
    function.body = body;
}

struct Counts<'f> {
    vars: &'f [Leaf],
    live: Vec<bool>,
    /// The variables that have become live, to tell what a branch uses.
    log: Vec<Var>,
    span: Span,
}

impl Counts<'_> {
    fn is_dead_pointer(&self, var: Var) -> bool {
        self.vars[var.0 as usize].is_pointer() && !self.live[var.0 as usize]
    }

    fn make_live(&mut self, var: Var) {
        if !std::mem::replace(&mut self.live[var.0 as usize], true) {
            self.log.push(var);
        }
    }

    fn pointer(&self, atom: &Atom) -> Option<Var> {
        match atom {
            Atom::Var(var) if self.vars[var.0 as usize].is_pointer() => Some(*var),
            _ => None,
        }
    }

    /// `live` says what is live after the block, then before it.
    fn block(&mut self, block: Block) -> Block {
        base::budget::deep(|| {
            let mut backwards = vec![];
            if let End::Yield(atoms) | End::Again(atoms) = &block.end {
                let uses = atoms.iter().filter_map(|atom| Some((self.pointer(atom)?, Use::Consume))).collect();
                self.uses(uses, &mut vec![], &mut backwards);
            }
            for statement in block.statements.into_iter().rev() {
                self.span = statement.span;
                self.statement(statement, &mut backwards);
            }
            backwards.reverse();
            Block { statements: opened(backwards), end: block.end }
        })
    }

    fn push(&self, backwards: &mut Vec<Statement>, op: Op) {
        backwards.push(Statement { vars: vec![], op, span: self.span });
    }

    fn statement(&mut self, statement: Statement, backwards: &mut Vec<Statement>) {
        base::budget::spend(1);
        let Statement { vars, op, span } = statement;
        let (mut first, mut last) = (vec![], vec![]);
        for var in &vars {
            if !self.vars[var.0 as usize].is_pointer() {
                continue;
            }
            match (std::mem::replace(&mut self.live[var.0 as usize], false), op.binds_borrowed()) {
                (true, true) => first.push(Op::Retain(Atom::Var(*var))),
                (false, false) => first.push(Op::Release(Atom::Var(*var))),
                _ => {}
            }
        }
        let mut uses = vec![];
        op.for_each_use(|atom, how| uses.extend(self.pointer(atom).map(|var| (var, how))));
        let op = match op {
            Op::If(condition, yes, no) => {
                let arms = [*yes, *no].map(|block| Arm { nulls: vec![], block });
                let mut blocks = self.branches(arms.into()).into_iter().map(|arm| Box::new(arm.block));
                let mut next = || blocks.next().expect("two branches");
                Op::If(condition, next(), next())
            }
            Op::Switch(tag, arms) => Op::Switch(tag, self.branches(arms)),
            Op::Loop { params, body } => {
                let body = Box::new(self.looped(&params, *body, &mut last));
                Op::Loop { params, body }
            }
            Op::Sum { count, index, body } => {
                let body = Box::new(self.looped(&[(index, count)], *body, &mut last));
                Op::Sum { count, index, body }
            }
            other => other,
        };
        let mut before = vec![];
        self.uses(uses, &mut last, &mut before);
        last.into_iter().chain(first).for_each(|op| self.push(backwards, op));
        backwards.push(Statement { vars, op, span });
        backwards.append(&mut before);
    }

    /// The counts around a use of variables: retains before, releases after.
    fn uses(&mut self, mut uses: Vec<(Var, Use)>, after: &mut Vec<Op>, before: &mut Vec<Statement>) {
        uses.sort_by_key(|(var, _)| *var);
        for uses in uses.chunk_by(|a, b| a.0 == b.0) {
            let var = uses[0].0;
            let consumed = uses.iter().filter(|(_, how)| *how == Use::Consume).count();
            let stays = self.live[var.0 as usize] || consumed < uses.len();
            let retains = if stays { consumed } else { consumed - 1 };
            (0..retains).for_each(|_| self.push(before, Op::Retain(Atom::Var(var))));
            if stays && !self.live[var.0 as usize] {
                after.push(Op::Release(Atom::Var(var)));
            }
            self.make_live(var);
        }
    }

    /// Each branch releases at its start what only others use.
    fn branches(&mut self, arms: Vec<Arm>) -> Vec<Arm> {
        let (mut done, mut used) = (vec![], vec![]);
        for Arm { nulls, block } in arms {
            let start = self.log.len();
            let block = self.block(block);
            let mut mine: Vec<Var> = self.log.drain(start..).filter(|var| self.live[var.0 as usize]).collect();
            mine.sort();
            mine.dedup();
            mine.iter().for_each(|var| self.live[var.0 as usize] = false);
            used.push(mine);
            done.push(Arm { nulls, block });
        }
        let mut all: Vec<Var> = used.iter().flatten().copied().collect();
        all.sort();
        all.dedup();
        for (arm, mine) in done.iter_mut().zip(&used) {
            let missing = all.iter().filter(|var| mine.binary_search(var).is_err() && !arm.nulls.contains(var));
            let missing: Vec<Var> = missing.copied().collect();
            release_first(&mut arm.block, &missing, self.span);
        }
        all.into_iter().for_each(|var| self.make_live(var));
        done
    }

    /// The pointers that a loop uses and doesn't bind, its parameters aside.
    fn outside(&self, params: &[(Var, Atom)], body: &Block) -> Vec<Var> {
        let (mut used, mut bound) = (vec![], FxHashSet::default());
        bound.extend(params.iter().map(|(param, _)| *param));
        self.collect(body, &mut used, &mut bound);
        used.retain(|var| !bound.contains(var));
        used.sort();
        used.dedup();
        used
    }

    fn collect(&self, block: &Block, used: &mut Vec<Var>, bound: &mut FxHashSet<Var>) {
        for statement in &block.statements {
            bound.extend(statement.vars.iter().filter(|var| self.vars[var.0 as usize].is_pointer()));
            statement.op.for_each_use(|atom, _| used.extend(self.pointer(atom)));
            if let Op::Loop { params, .. } = &statement.op {
                bound.extend(params.iter().map(|(param, _)| *param));
            }
            statement.op.for_each_block(|block| {
                base::budget::deep(|| self.collect(block, used, bound));
            });
        }
        if let End::Yield(atoms) | End::Again(atoms) = &block.end {
            used.extend(atoms.iter().filter_map(|atom| self.pointer(atom)));
        }
    }

    /// A body that is run several times.
    fn looped(&mut self, params: &[(Var, Atom)], body: Block, after: &mut Vec<Op>) -> Block {
        for var in self.outside(params, &body) {
            if !self.live[var.0 as usize] {
                after.push(Op::Release(Atom::Var(var)));
            }
            self.make_live(var);
        }
        let mut body = self.block(body);
        let mut dead = vec![];
        for (param, _) in params {
            let was_live = std::mem::replace(&mut self.live[param.0 as usize], false);
            if self.vars[param.0 as usize].is_pointer() && !was_live {
                dead.push(*param);
            }
        }
        release_first(&mut body, &dead, self.span);
        body
    }
}

/// Code that never gets to its end owes nothing.
fn release_first(block: &mut Block, vars: &[Var], span: Span) {
    if vars.is_empty() || block.end == End::Never {
        return;
    }
    let releases = vars.iter().map(|var| Statement { vars: vec![], op: Op::Release(Atom::Var(*var)), span });
    block.statements.splice(0..0, releases.collect::<Vec<_>>());
}

/// A release of a node right after its pointers were read and retained opens it: mostly it is its last owner, and then neither the
/// counts of the pointers change nor is the runtime called.
fn opened(statements: Vec<Statement>) -> Vec<Statement> {
    let mut done: Vec<Statement> = vec![];
    for statement in statements {
        let Op::Release(node) = statement.op else {
            done.push(statement);
            continue;
        };
        match taken_from(&done, node) {
            Some((start, op)) => {
                let reads = done.split_off(start).into_iter().filter(|one| !matches!(one.op, Op::Retain(_)));
                done.extend(reads);
                done.push(Statement { vars: vec![], op, span: statement.span });
            }
            None => done.push(statement),
        }
    }
    done
}

/// If the last statements read a node and retain pointers they read: where these begin, and what opens the node.
fn taken_from(statements: &[Statement], node: Atom) -> Option<(usize, Op)> {
    let (mut retained, mut taken) = (vec![], vec![]);
    let (mut start, mut found) = (statements.len(), None);
    for statement in statements.iter().rev() {
        match &statement.op {
            Op::Retain(Atom::Var(var)) if !retained.contains(var) => retained.push(*var),
            Op::Load(descriptor, from, at) if *from == node => {
                found = Some(*descriptor);
                if let Some(known) = retained.iter().position(|var| *var == statement.vars[0]) {
                    // A pointer that was read twice can't move to both.
                    if taken.iter().any(|(_, place)| place == at) {
                        return None;
                    }
                    retained.swap_remove(known);
                    taken.push((statement.vars[0], *at));
                }
            }
            _ => break,
        }
        start -= 1;
    }
    let descriptor = found?;
    (retained.is_empty() && !taken.is_empty()).then_some((start, Op::Open { descriptor, node, taken }))
}
