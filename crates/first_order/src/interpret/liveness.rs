//! Which atoms are the last use of their variable, and which variables die on the way into a block.
//!
//! Walks a function backwards. What a loop's body takes from outside stays alive until the loop ends.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::term::{Atom, Block, End, Function, Op, Var};

/// Facts about one function; atoms and blocks are known by their address in it.
#[derive(Default)]
pub(super) struct Liveness {
    last: FxHashSet<*const Atom>,
    dead: FxHashMap<*const Block, Vec<Var>>,
    live: FxHashSet<Var>,
    log: Vec<Change>,
}

/// What happened to `live`, so that a branch can be undone.
enum Change {
    Added(Var),
    Removed(Var),
}

impl Liveness {
    pub fn of(function: &Function) -> Liveness {
        let mut liveness = Liveness::default();
        liveness.block(&function.body, &[]);
        liveness
    }

    pub fn is_last(&self, atom: &Atom) -> bool {
        self.last.contains(&std::ptr::from_ref(atom))
    }

    /// Variables that are alive before the branch that the block is, but not in it; for the body of a table, those that die
    /// with the table.
    pub fn dead(&self, block: &Block) -> &[Var] {
        self.dead.get(&std::ptr::from_ref(block)).map_or(&[], Vec::as_slice)
    }

    fn keep(&mut self, var: Var) -> bool {
        let new = self.live.insert(var);
        if new {
            self.log.push(Change::Added(var));
        }
        new
    }

    fn bound(&mut self, var: Var) {
        if self.live.remove(&var) {
            self.log.push(Change::Removed(var));
        }
    }

    fn atom(&mut self, atom: &Atom) {
        if let Atom::Var(var) = atom
            && self.keep(*var)
        {
            self.last.insert(atom);
        }
    }

    fn atoms<'a>(&mut self, atoms: impl DoubleEndedIterator<Item = &'a Atom>) {
        atoms.rev().for_each(|atom| self.atom(atom));
    }

    /// `kept`: what the innermost loop takes from outside.
    fn block(&mut self, block: &Block, kept: &[Var]) {
        match &block.end {
            End::Yield(atom) => self.atom(atom),
            End::Again(atoms) => {
                kept.iter().for_each(|var| _ = self.keep(*var));
                self.atoms(atoms.iter());
            }
            End::Never => {}
        }
        for statement in block.statements.iter().rev() {
            self.bound(statement.var);
            crate::deep(|| self.op(&statement.op, kept));
        }
    }

    fn op(&mut self, op: &Op, kept: &[Var]) {
        match op {
            Op::Text(_) | Op::Quiet(_) | Op::Fail(_) => {}
            Op::Atom(a) | Op::Box(a) | Op::Unbox(a) | Op::View(a) | Op::Len(a) | Op::Require(a, _) => self.atom(a),
            Op::Field(a, _) | Op::Inject(_, a) | Op::Axis(a, _) | Op::Flat(a) | Op::Dense(a) | Op::Collected(a) => {
                self.atom(a)
            }
            Op::Scalar(_, args) | Op::Struct(args) | Op::Call(_, args) | Op::Array(args) | Op::Prim { args, .. } => {
                self.atoms(args.iter());
            }
            Op::Element(array, indices) | Op::Shaped(array, indices) => self.atoms([array].into_iter().chain(indices)),
            Op::Replace(array, indices, new) => self.atoms([array].into_iter().chain(indices).chain([new])),
            Op::Append(array, element) => self.atoms([array, element].into_iter()),
            Op::Switch(on, arms) => {
                self.branches(arms.iter().map(|(var, block)| (Some(*var), block)), kept);
                self.atom(on);
            }
            Op::If(condition, then, otherwise) => {
                self.branches([(None, &**then), (None, &**otherwise)].into_iter(), kept);
                self.atom(condition);
            }
            Op::Loop { params, body } => {
                self.block(body, &free(body, params.iter().map(|(var, _)| *var)));
                params.iter().for_each(|(var, _)| self.bound(*var));
                self.atoms(params.iter().map(|(_, first)| first));
            }
            Op::Tabulate { n, index, body } | Op::Sum { n, index, body } => {
                let free = free(body, [*index].into_iter());
                let dead = free.iter().copied().filter(|var| self.keep(*var)).collect();
                self.dead.insert(&**body, dead);
                self.block(body, &[]);
                self.bound(*index);
                self.atom(n);
            }
        }
    }

    fn branches<'a>(&mut self, blocks: impl Iterator<Item = (Option<Var>, &'a Block)>, kept: &[Var]) {
        let mut alive: Vec<(&Block, FxHashSet<Var>)> = vec![];
        for (bound, block) in blocks {
            let mark = self.log.len();
            self.block(block, kept);
            bound.iter().for_each(|var| self.bound(*var));
            alive.push((block, self.undo(mark)));
        }
        let mut all: Vec<Var> = alive.iter().flat_map(|(_, added)| added.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        for (block, added) in alive {
            let dead: Vec<Var> = all.iter().copied().filter(|var| !added.contains(var)).collect();
            if !dead.is_empty() {
                self.dead.insert(block, dead);
            }
        }
        all.into_iter().for_each(|var| _ = self.keep(var));
    }

    /// Goes back to an earlier state; gives what is alive now and wasn't then.
    fn undo(&mut self, mark: usize) -> FxHashSet<Var> {
        let now = |change: &Change| match change {
            Change::Added(var) if self.live.contains(var) => Some(*var),
            _ => None,
        };
        let mut added: FxHashSet<Var> = self.log[mark..].iter().filter_map(now).collect();
        for change in self.log.drain(mark..).rev() {
            match change {
                Change::Added(var) => self.live.remove(&var),
                Change::Removed(var) => self.live.insert(var),
            };
        }
        added.retain(|var| !self.live.contains(var));
        added
    }
}

/// The variables that a block takes from outside.
fn free(block: &Block, params: impl Iterator<Item = Var>) -> Vec<Var> {
    let mut free = Free { used: FxHashSet::default(), bound: params.collect() };
    free.block(block);
    let mut vars: Vec<Var> = free.used.difference(&free.bound).copied().collect();
    vars.sort_unstable();
    vars
}

struct Free {
    used: FxHashSet<Var>,
    bound: FxHashSet<Var>,
}

impl Free {
    fn block(&mut self, block: &Block) {
        crate::deep(|| {
            for statement in &block.statements {
                self.bound.insert(statement.var);
                statement.op.atoms(&mut |atom| self.atom(atom));
                statement.op.blocks(&mut |params, block| {
                    self.bound.extend(params.iter().copied());
                    self.block(block);
                });
            }
            match &block.end {
                End::Yield(atom) => self.atom(atom),
                End::Again(atoms) => atoms.iter().for_each(|atom| self.atom(atom)),
                End::Never => {}
            }
        });
    }

    fn atom(&mut self, atom: &Atom) {
        if let Atom::Var(var) = atom {
            self.used.insert(*var);
        }
    }
}
