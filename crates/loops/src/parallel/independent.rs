//! Do the turns of a loop disturb each other?
//!
//! In: a loop that counts up, without anything that it carries. Out: nothing, or the reason why its turns must run one after the other.
//!
//! Turns are independent if they
//! - count nothing in objects from outside: what they own they have made themselves, and they put it nowhere else;
//! - write to arrays from outside only scalars, and each turn to elements of its own: those from `i·f` on, fewer than `f`, of a length `f`;
//! - read of the arrays that they write to only elements of their own;
//! - use nothing of the runtime that belongs to the whole run: handles, texts, prints, primitives on anything else than arrays of numbers.

use calculus::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Why;
use crate::term::{Atom, Block, End, Kind, Leaf, Op, PrimSite, Product, Program, Statement, Use, Var};

/// A loop that counts up.
#[derive(Clone, Copy)]
pub(super) struct Turns<'a> {
    pub index: Var,
    /// What a turn does. If it ends by `again`, that is the next turn.
    pub body: &'a Block,
}

/// For each function: may it run on any thread, if it owns its arguments?
pub(super) fn calm(program: &Program) -> Vec<bool> {
    let mut calm = vec![true; program.functions.len()];
    loop {
        let mut changed = false;
        for (at, function) in program.functions.iter().enumerate() {
            if calm[at] && !is_calm(program, &function.body, &calm) {
                calm[at] = false;
                changed = true;
            }
        }
        if !changed {
            return calm;
        }
    }
}

fn is_calm(program: &Program, block: &Block, calm: &[bool]) -> bool {
    block.statements.iter().all(|statement| {
        let mut inside = of_the_run(program, &statement.op, calm).is_none();
        statement.op.for_each_block(|block| inside = inside && base::budget::deep(|| is_calm(program, block, calm)));
        inside
    })
}

/// Why an operation needs what belongs to the whole run, if it does.
fn of_the_run(program: &Program, op: &Op, calm: &[bool]) -> Option<Why> {
    match op {
        Op::Prim(site, _) if !is_of_numbers(&program.prims[*site as usize]) => Some(Why::Primitive),
        Op::OneHot { .. } | Op::AddAt { .. } | Op::Placed(_) | Op::AddPlaced { .. } => Some(Why::Collected),
        Op::Plus { .. } | Op::Dense(..) => Some(Why::Collected),
        Op::Text(_) | Op::Quiet(_) | Op::Site(_) => Some(Why::Primitive),
        Op::Call(id, _) if !calm[id.0 as usize] => Some(Why::Primitive),
        _ => None,
    }
}

/// Is it a primitive that takes an array of numbers, or two, and gives a number or an array? It needs nothing of a run but the table of primitives. (A sensitivity
/// that is collected is no array, but has the same leaf: a turn can't have one, because nothing that makes them is calm.)
fn is_of_numbers(site: &PrimSite) -> bool {
    let known = matches!(
        site.prim,
        Prim::ArgMin
            | Prim::ArgMax
            | Prim::ArgSort
            | Prim::Sum
            | Prim::MatMul
            | Prim::Cholesky
            | Prim::Solve
            | Prim::SolveLower
            | Prim::Det
            | Prim::Inv
    );
    known && site.arg_leaves.iter().all(|leaves| leaves[..] == [Leaf::Object]) && site.result_leaves.len() == 1
}

/// `Err` says why the turns aren't independent.
pub(super) fn check<'a>(program: &'a Program, vars: &'a [Leaf], calm: &'a [bool], turns: Turns<'a>) -> Result<(), Why> {
    let inside = bound_by(turns);
    let flat_elements = program.descriptors.iter().all(|of| of.kind == Kind::Node || of.pointers.is_empty());
    let known = Known { index: turns.index, inside, made: FxHashMap::default(), counters: FxHashMap::default() };
    let mut walk = Walk { program, vars, calm, flat_elements, known, written: FxHashMap::default(), read: vec![] };
    walk.block(turns.body)?;
    let disturbs = |(array, read): &(Var, Option<Elements>)| {
        walk.written.get(array).is_some_and(|written| read.as_ref() != Some(written))
    };
    if walk.read.iter().any(disturbs) { Err(Why::Reads) } else { Ok(()) }
}

/// The variables that a turn binds.
pub(super) fn bound_by(turns: Turns) -> FxHashSet<Var> {
    let mut inside = FxHashSet::default();
    inside.insert(turns.index);
    bound(turns.body, &mut inside);
    inside
}

/// The variables that a block binds.
fn bound(block: &Block, all: &mut FxHashSet<Var>) {
    for statement in &block.statements {
        all.extend(&statement.vars);
        match &statement.op {
            Op::Loop { params, .. } => all.extend(params.iter().map(|(param, _)| *param)),
            Op::Sum { index, .. } => {
                all.insert(*index);
            }
            _ => {}
        }
        statement.op.for_each_block(|block| base::budget::deep(|| bound(block, all)));
    }
}

/// The elements of an array that a turn writes: from `offset + i·factors` on, fewer than the product of the factors.
#[derive(PartialEq)]
struct Elements {
    offset: Vec<Atom>,
    factors: Vec<Atom>,
}

struct Walk<'a> {
    program: &'a Program,
    vars: &'a [Leaf],
    calm: &'a [bool],
    /// Do no elements of arrays hold pointers?
    flat_elements: bool,
    known: Known<'a>,
    /// The arrays from outside that are written to.
    written: FxHashMap<Var, Elements>,
    /// Those that are read, and which elements, if that is known.
    read: Vec<(Var, Option<Elements>)>,
}

impl<'a> Walk<'a> {
    /// The pointer, if it is from outside.
    fn outer(&self, atom: &Atom) -> Option<Var> {
        match atom {
            Atom::Var(var) if self.vars[var.0 as usize].is_pointer() && !self.known.inside.contains(var) => Some(*var),
            _ => None,
        }
    }

    fn block(&mut self, block: &'a Block) -> Result<(), Why> {
        base::budget::deep(|| block.statements.iter().try_for_each(|statement| self.statement(statement)))?;
        match &block.end {
            End::Yield(atoms) | End::Again(atoms) if atoms.iter().any(|atom| self.outer(atom).is_some()) => {
                Err(Why::Counts)
            }
            _ => Ok(()),
        }
    }

    fn statement(&mut self, Statement { vars, op, .. }: &'a Statement) -> Result<(), Why> {
        base::budget::spend(1);
        if let Some(why) = of_the_run(self.program, op, self.calm) {
            return Err(why);
        }
        self.counts(vars, op)?;
        self.touches(op)?;
        if let [var] = vars[..] {
            self.known.made.insert(var, op);
        }
        if let Some((counter, count, _)) = counted(op) {
            self.known.counters.insert(counter, count);
        }
        let mut inside = Ok(());
        for_each_block(op, |block| {
            if inside.is_ok() {
                inside = self.block(block);
            }
        });
        inside
    }

    /// Does the operation change the counts of something from outside?
    fn counts(&self, vars: &[Var], op: &Op) -> Result<(), Why> {
        let mut consumes = false;
        op.for_each_use(|atom, how| consumes |= how == Use::Consume && self.outer(atom).is_some());
        let reads_pointers = || vars.iter().any(|var| self.vars[var.0 as usize].is_pointer());
        let counts = match op {
            Op::Retain(atom) | Op::IsUnique(atom) => self.outer(atom).is_some(),
            Op::Load(_, from, _) | Op::LoadElement { array: from, .. } => {
                self.outer(from).is_some() && reads_pointers()
            }
            Op::TakeElement { array, .. } => self.outer(array).is_some(),
            Op::StoreElement { array, leaves, .. } => self.outer(array).is_some() && self.has_pointer(leaves),
            Op::Row { array, .. } => self.outer(array).is_some() && !self.flat_elements,
            _ => false,
        };
        if consumes || counts { Err(Why::Counts) } else { Ok(()) }
    }

    fn has_pointer(&self, leaves: &[Atom]) -> bool {
        leaves.iter().any(|leaf| match leaf {
            Atom::Var(var) => self.vars[var.0 as usize].is_pointer(),
            Atom::Null | Atom::Tag(_) => true,
            _ => false,
        })
    }

    /// Which arrays from outside does it read, and what does it write?
    fn touches(&mut self, op: &Op) -> Result<(), Why> {
        match op {
            Op::Axis(..) => Ok(()),
            Op::StoreElement { array, at, .. } => match self.outer(array) {
                Some(array) => self.writes(array, self.known.elements(at)),
                None => Ok(()),
            },
            Op::Product(product) => {
                for matrix in [product.left, product.right] {
                    self.read.extend(self.outer(&matrix.array).map(|array| (array, None)));
                }
                match product.out.map(|(out, _, at)| (self.outer(&out), at)) {
                    Some((Some(out), at)) => self.writes(out, self.known.elements_of_product(product, &at)),
                    _ => Ok(()),
                }
            }
            Op::LoadElement { array, at, .. } => {
                let elements = self.known.elements(at);
                self.read.extend(self.outer(array).map(|array| (array, elements)));
                Ok(())
            }
            _ => {
                let mut read = vec![];
                op.for_each_use(|atom, _| read.extend(self.outer(atom)));
                self.read.extend(read.into_iter().map(|array| (array, None)));
                Ok(())
            }
        }
    }

    fn writes(&mut self, array: Var, elements: Option<Elements>) -> Result<(), Why> {
        let elements = elements.ok_or(Why::Writes)?;
        match self.written.get(&array) {
            Some(before) if *before != elements => Err(Why::Writes),
            _ => {
                self.written.insert(array, elements);
                Ok(())
            }
        }
    }
}

/// What is known of ints in a turn.
struct Known<'a> {
    index: Var,
    /// What the turn binds.
    inside: FxHashSet<Var>,
    /// What single variables are bound to.
    made: FxHashMap<Var, &'a Op>,
    /// Variables that count from 0, and up to what.
    counters: FxHashMap<Var, Atom>,
}

impl Known<'_> {
    fn op(&self, atom: &Atom) -> Option<&Op> {
        if let Atom::Var(var) = atom { self.made.get(var).copied() } else { None }
    }

    /// Is it the same in all turns?
    fn is_fixed(&self, atom: &Atom) -> bool {
        match atom {
            Atom::Var(var) if self.inside.contains(var) => match self.op(atom) {
                Some(Op::Scalar(_, atoms)) => atoms.iter().all(|atom| self.is_fixed(atom)),
                Some(Op::IndexAdd(a, b) | Op::IndexMul(a, b)) => self.is_fixed(a) && self.is_fixed(b),
                Some(Op::Axis(Atom::Var(array), _)) => !self.inside.contains(array),
                _ => false,
            },
            _ => true,
        }
    }

    /// Which elements a turn writes, if one of them is this one.
    fn elements(&self, at: &Atom) -> Option<Elements> {
        if let Some(factors) = self.multiple(at) {
            // If it is the index times a length, that may not be 0.
            let moves = factors.iter().all(|factor| matches!(factor, Atom::Int(1..)));
            return moves.then_some(Elements { offset: vec![], factors });
        }
        let Some(Op::IndexAdd(a, b)) = self.op(at) else { return None };
        for (a, b) in [(a, b), (b, a)] {
            if let Some(factors) = self.multiple(a)
                && self.is_below(b, &factors)
            {
                return Some(Elements { offset: vec![], factors });
            }
            if self.is_fixed(a)
                && let Some(mut elements) = self.elements(b)
            {
                elements.offset.push(*a);
                return Some(elements);
            }
        }
        None
    }

    /// The factors, if it is the index times them.
    fn multiple(&self, at: &Atom) -> Option<Vec<Atom>> {
        if *at == Atom::Var(self.index) {
            return Some(vec![]);
        }
        let Some(Op::IndexMul(a, b)) = self.op(at) else { return None };
        let (of, by) = if self.is_fixed(b) { (a, b) } else { (b, a) };
        let mut factors = self.multiple(of)?;
        factors.push(*by);
        self.is_fixed(by).then_some(factors)
    }

    /// Is it surely at least 0 and less than the product of the factors?
    fn is_below(&self, at: &Atom, factors: &[Atom]) -> bool {
        let [first, rest @ ..] = factors else { return false };
        if rest.is_empty() {
            return match (at, first) {
                (Atom::Int(at), Atom::Int(below)) => (0..*below).contains(at),
                (Atom::Var(counter), below) => self.counters.get(counter) == Some(below),
                _ => false,
            };
        }
        let Some(Op::IndexAdd(a, b)) = self.op(at) else { return false };
        [(a, b), (b, a)].into_iter().any(|(a, b)| self.is_below_times(a, first, rest) && self.is_below(b, rest))
    }

    /// Is it something below `first`, times the others?
    fn is_below_times(&self, at: &Atom, first: &Atom, others: &[Atom]) -> bool {
        let Some((last, before)) = others.split_last() else { return self.is_below(at, &[*first]) };
        match self.op(at) {
            Some(Op::IndexMul(a, b)) if b == last => self.is_below_times(a, first, before),
            _ => false,
        }
    }

    /// The elements of a product that begins here.
    fn elements_of_product(&self, product: &Product, at: &Atom) -> Option<Elements> {
        let [m, _, n] = product.lengths;
        let without_ones = |lengths: &[Atom]| {
            let mut left: Vec<Atom> = lengths.iter().copied().filter(|length| *length != Atom::Int(1)).collect();
            left.sort_by_key(|atom| format!("{atom}"));
            left
        };
        let factors = self.multiple(at)?;
        (without_ones(&factors) == without_ones(&[m, n])).then_some(Elements { offset: vec![], factors })
    }
}

/// The counter, the number of turns and the body of a loop that counts up from 0 and carries nothing else, and of a sum.
pub(super) fn counted(op: &Op) -> Option<(Var, Atom, &Block)> {
    match op {
        Op::Sum { count, index, body } => Some((*index, *count, body)),
        Op::Loop { params, body } => {
            let [(index, Atom::Int(0))] = params[..] else { return None };
            let (to, step) = counting(index, body)?;
            Some((index, to, step))
        }
        _ => None,
    }
}

/// Of a loop `if index < to { …; again index + 1 } else { yield }`: `to` and the turn.
pub(super) fn counting(index: Var, body: &Block) -> Option<(Atom, &Block)> {
    use first_order::Scalar::IntLt;
    let [compares, branches] = &body.statements[..] else { return None };
    let (Op::Scalar(IntLt, operands), Op::If(condition, step, done)) = (&compares.op, &branches.op) else {
        return None;
    };
    let ([Atom::Var(counter), to], [more]) = (&operands[..], &compares.vars[..]) else { return None };
    let is_the_pattern = *counter == index
        && *condition == Atom::Var(*more)
        && done.statements.is_empty()
        && done.end == End::Yield(vec![])
        && body.end == End::Yield(vec![]);
    let End::Again(next) = &step.end else { return None };
    let [Atom::Var(next)] = next[..] else { return None };
    let counts_up = |statement: &Statement| {
        statement.vars == [next] && statement.op == Op::IndexAdd(Atom::Var(index), Atom::Int(1))
    };
    let fixed = !matches!(to, Atom::Var(to) if binds(body, *to));
    (is_the_pattern && fixed && step.statements.iter().any(counts_up) && !goes_on_early(step)).then_some((*to, step))
}

/// Does a block bind the variable?
fn binds(block: &Block, var: Var) -> bool {
    let mut all = FxHashSet::default();
    bound(block, &mut all);
    all.contains(&var)
}

/// Does a turn go on to the next from one of its branches?
fn goes_on_early(step: &Block) -> bool {
    fn again(block: &Block) -> bool {
        matches!(block.end, End::Again(_)) || goes_on_early(block)
    }
    step.statements.iter().any(|statement| match &statement.op {
        Op::If(_, yes, no) => again(yes) || again(no),
        Op::Switch(_, arms) => arms.iter().any(|arm| again(&arm.block)),
        _ => false,
    })
}

/// The blocks of an operation, for as long as the operation lives.
fn for_each_block<'a>(op: &'a Op, mut f: impl FnMut(&'a Block)) {
    match op {
        Op::If(_, yes, no) => [yes, no].into_iter().for_each(|block| f(block)),
        Op::Switch(_, arms) => arms.iter().for_each(|arm| f(&arm.block)),
        Op::Loop { body, .. } | Op::Sum { body, .. } => f(body),
        _ => {}
    }
}
