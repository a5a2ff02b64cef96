//! What becomes of an array that is only read: which parts of its elements are stored, and how the others are computed again.
//!
//! A part that is itself an array made in the body, of which only elements and the length are read, has a plan of its own: what its elements
//! hold is stored or computed again by the same rule, from what is known inside and around. If nothing of them is left, it isn't stored.

use std::rc::Rc;

use first_order::{Atom, Block, End, Op, Statement, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use super::survey::{Need, Survey, Table};
use crate::analyses::cost::{self, CHEAP};
use crate::deep;
use crate::rewriting::walk::{blocks_mut, each_atom, each_op, end_atoms, has_blocks};

/// What becomes of the parts of an element.
#[derive(Clone)]
pub enum Parts {
    /// Nobody reads it.
    Dropped,
    /// Computed again: this atom of the body.
    Again(Atom, Type),
    /// Stored, as part number so many.
    Stored(usize),
    Struct(Vec<Parts>),
    /// An array of which only elements are read.
    Inner(Rc<InnerTable>),
}

/// An array inside the elements of another.
pub struct InnerTable {
    pub var: Var,
    pub length: Atom,
    /// Which part of the outer element it is, if there is something to store.
    pub stored: Option<usize>,
    /// The structs that it was held by until then.
    pub holders: Vec<Var>,
    pub plan: Plan,
}

pub struct Plan {
    pub index: Var,
    pub again: Again,
    /// What single places read of it, by the variables that hold the elements there.
    pub at: FxHashMap<Var, Again>,
    /// The parts that are stored, with their types.
    pub stored: Vec<(Atom, Type)>,
}

/// The parts of an element, and the statements of the body that compute what is computed again.
pub struct Again {
    pub parts: Parts,
    pub slice: Vec<Statement>,
}

/// What is known of the variables of the function.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    pub types: &'a [Type],
    /// Those that are put together from narrower ones, by a switch on these.
    pub rebuilt: &'a FxHashSet<Var>,
}

/// What is known where a part is computed: the body of the table, and of those around it, outermost first.
struct Scope<'a, 'f> {
    survey: &'a Survey,
    names: Names<'a>,
    /// Arrays that change in this round.
    touched: &'a FxHashSet<Var>,
    levels: Vec<Level<'f>>,
    /// All that is bound in the outermost body.
    bound: FxHashSet<Var>,
    /// What computing a part again may cost.
    limit: u32,
    /// The arrays that are read to compute parts again.
    reads: FxHashSet<Var>,
}

/// The body of a table, whose statements can be looked at one by one.
struct Level<'f> {
    index: Var,
    body: &'f Block,
    /// By what they bind, with their place.
    ops: FxHashMap<Var, (usize, &'f Op)>,
    stored: Vec<(Atom, Type)>,
    inner: FxHashMap<Var, Rc<InnerTable>>,
}

impl<'f> Level<'f> {
    fn of(index: Var, body: &'f Block) -> Level<'f> {
        let statements = body.statements.iter().enumerate();
        let ops = statements.map(|(at, statement)| (statement.var, (at, &statement.op))).collect();
        Level { index, body, ops, stored: vec![], inner: FxHashMap::default() }
    }

    fn op(&self, atom: &Atom) -> Option<&'f Op> {
        if let Atom::Var(var) = atom { self.ops.get(var).map(|(_, op)| *op) } else { None }
    }

    fn position(&self, atom: &Atom) -> usize {
        if let Atom::Var(var) = atom { self.ops.get(var).map_or(0, |(at, _)| *at) } else { 0 }
    }

    fn stores(&self, atom: &Atom) -> bool {
        self.stored.iter().any(|(known, _)| known == atom)
    }
}

/// A block without what computes nothing that it yields, and so are the blocks inside. Where it ran once without failing, this does the same again.
pub fn pruned(block: &Block) -> Block {
    let mut wanted = FxHashSet::default();
    let mut want = |atom: &Atom| {
        if let Atom::Var(var) = atom {
            wanted.insert(*var);
        }
    };
    end_atoms(&block.end, &mut want);
    let mut statements = vec![];
    for statement in block.statements.iter().rev() {
        if !wanted.contains(&statement.var) {
            continue;
        }
        let mut statement = statement.clone();
        blocks_mut(&mut statement.op, &mut |block| *block = deep(|| pruned(block)));
        free_atoms(&statement.op, &mut |atom| {
            if let Atom::Var(var) = atom {
                wanted.insert(*var);
            }
        });
        statements.push(statement);
    }
    statements.reverse();
    Block { statements, end: block.end.clone() }
}

/// What the bodies of all `tabulate`s need to compute their elements.
pub fn bodies(block: &Block) -> FxHashMap<Var, Block> {
    let mut found = FxHashMap::default();
    each_op(block, &mut |var, op| {
        if let Op::Tabulate { body, .. } = op {
            found.insert(var, pruned(body));
        }
    });
    found
}

/// A part of an element that is no struct.
struct Leaf {
    atom: Atom,
    ty: Type,
    need: Need,
    /// The structs that hold it, outermost first.
    holders: Vec<Var>,
}

/// What a place needs of the elements that it reads.
pub struct Reader {
    /// What holds the element.
    pub var: Var,
    pub need: Need,
    /// Could the array be made there as well, element by element?
    pub is_alike: bool,
}

/// What becomes of a table that is read so, if that is less than it holds; and the arrays that are read for it.
/// Nothing that is `touched` is part of it.
pub fn plan(
    table: &Table,
    body: &Block,
    element: &Type,
    readers: &[Reader],
    survey: &Survey,
    names: Names,
    touched: &FxHashSet<Var>,
) -> Option<(Plan, FxHashSet<Var>)> {
    let mut bound = FxHashSet::from_iter([table.index]);
    each_op(body, &mut |var, op| {
        bound.insert(var);
        if has_blocks(op) {
            op.blocks(&mut |vars, _| bound.extend(vars.iter().copied()));
        }
    });
    let mut need = Need::nothing();
    readers.iter().for_each(|reader| need.join(reader.need.clone()));
    let mut scope = Scope { survey, names, touched, levels: vec![], bound, limit: CHEAP, reads: FxHashSet::default() };
    let mut plan = scope.plan(table.index, body, element, &need, readers)?;
    for Reader { var, need, .. } in readers {
        let parts = plan.again.parts.for_need(need);
        let slice = plan.needed(&parts, &plan.again.slice);
        plan.at.insert(*var, Again { parts, slice });
    }
    (plan.weight() < weight(element)).then_some((plan, scope.reads))
}

impl<'f> Scope<'_, 'f> {
    fn level(&mut self) -> &mut Level<'f> {
        self.levels.last_mut().expect("fusion: a body is looked at")
    }

    fn plan(&mut self, index: Var, body: &'f Block, element: &Type, need: &Need, readers: &[Reader]) -> Option<Plan> {
        let End::Yield(yielded) = &body.end else { return None };
        self.levels.push(Level::of(index, body));
        let mut all = vec![];
        self.leaves_read(yielded, element, need, &mut vec![], &mut all);
        // What is held twice is read as both are.
        let mut read: Vec<Leaf> = vec![];
        for leaf in all {
            match read.iter_mut().find(|known| known.atom == leaf.atom) {
                Some(known) => known.need.join(leaf.need),
                None => read.push(leaf),
            }
        }
        read.sort_by_key(|leaf| self.level().position(&leaf.atom));
        let movable = self.movable(yielded, element, readers);
        for leaf in read {
            if self.level().stores(&leaf.atom) {
                continue;
            }
            self.limit = if movable.contains(&leaf.atom) { u32::MAX } else { CHEAP };
            let is_moved = self.limit == u32::MAX && self.is_cheap(&leaf.atom);
            self.limit = CHEAP;
            if !is_moved && !self.is_inner(&leaf) && !self.is_cheap(&leaf.atom) && !self.is_rebuilt(&leaf.atom) {
                self.level().stored.push((leaf.atom, leaf.ty));
            }
        }
        let parts = self.parts(yielded, element, need);
        let level = self.levels.pop().expect("fusion: it was pushed");
        let none = Again { parts, slice: vec![] };
        let mut plan = Plan { index, again: none, at: FxHashMap::default(), stored: level.stored };
        plan.again.slice = plan.needed(&plan.again.parts, &level.body.statements);
        Some(plan)
    }

    /// The parts that one place alone reads, where they can be computed as well, and that share hardly anything with what others read: they needn't be
    /// stored however much they cost.
    fn movable(&mut self, yielded: &Atom, element: &Type, readers: &[Reader]) -> Vec<Atom> {
        if !readers.iter().any(|reader| reader.is_alike) {
            return vec![];
        }
        // Each part with those that read it.
        let mut parts: Vec<(Atom, Vec<usize>)> = vec![];
        for (at, reader) in readers.iter().enumerate() {
            let mut read = vec![];
            self.leaves_read(yielded, element, &reader.need, &mut vec![], &mut read);
            for Leaf { atom, .. } in read {
                match parts.iter_mut().find(|(known, _)| *known == atom) {
                    Some((_, by)) if by.contains(&at) => {}
                    Some((_, by)) => by.push(at),
                    None => parts.push((atom, vec![at])),
                }
            }
        }
        let work: Vec<FxHashMap<Var, u32>> = parts.iter().map(|(atom, _)| self.work(atom)).collect();
        let shared = |a: &FxHashMap<Var, u32>, b: &FxHashMap<Var, u32>| {
            a.iter().filter(|(var, _)| b.contains_key(var)).fold(0u32, |total, (_, price)| total.saturating_add(*price))
        };
        let is_movable = |(at, (_, by)): &(usize, &(Atom, Vec<usize>))| {
            matches!(by[..], [reader] if readers[reader].is_alike)
                && parts
                    .iter()
                    .zip(&work)
                    .all(|((_, others), work_of_other)| others == by || shared(&work[*at], work_of_other) <= CHEAP)
        };
        parts.iter().enumerate().filter(is_movable).map(|(_, (atom, _))| atom.clone()).collect()
    }

    /// What of the body computing an atom takes, with the price of each operation.
    fn work(&self, atom: &Atom) -> FxHashMap<Var, u32> {
        let mut found = FxHashMap::default();
        let mut waiting = vec![atom];
        while let Some(atom) = waiting.pop() {
            let Atom::Var(var) = atom else { continue };
            let Some(op) = self.op(atom).filter(|_| !found.contains_key(var)) else { continue };
            found.insert(*var, self.price(op, &mut vec![]).unwrap_or(u32::MAX));
            free_atoms(op, &mut |atom| waiting.push(atom));
        }
        found
    }

    /// The parts of an element that aren't structs and are read. `holders` are the structs around.
    fn leaves_read(&self, atom: &Atom, ty: &Type, need: &Need, holders: &mut Vec<Var>, read: &mut Vec<Leaf>) {
        if *need == Need::nothing() {
            return;
        }
        let op = self.levels.last().and_then(|level| level.op(atom));
        if let (Atom::Var(var), Some(Op::Struct(fields)), Type::Struct(types)) = (atom, op, ty) {
            holders.push(*var);
            for (at, (field, ty)) in fields.iter().zip(types.iter()).enumerate() {
                deep(|| self.leaves_read(field, ty, &need.field(at), holders, read));
            }
            holders.pop();
            return;
        }
        read.push(Leaf { atom: atom.clone(), ty: ty.clone(), need: need.clone(), holders: holders.clone() });
    }

    /// Is the part an array that is made here and read element by element, and is less of it kept than it holds? Then there is a plan for it.
    fn is_inner(&mut self, Leaf { atom, ty, need, holders }: &Leaf) -> bool {
        let (Atom::Var(var), Need::Elements(need), Type::Array(element, 1)) = (atom, need, ty) else { return false };
        let Some(Op::Tabulate { n, index, body }) = self.level().op(atom) else { return false };
        let Some(plan) = deep(|| self.plan(*index, body, element, need, &[])) else { return false };
        let stored = if plan.stored.is_empty() {
            if !self.level().stores(n) && !self.is_cheap(n) {
                self.level().stored.push((n.clone(), Type::Int));
            }
            None
        } else {
            let is_alone = self.survey.is_only_held(*var) && holders.iter().all(|held| self.survey.is_only_held(*held));
            if plan.weight() >= weight(element) || !is_alone {
                return false;
            }
            let narrowed = Type::Array(plan.element().into(), 1);
            self.level().stored.push((atom.clone(), narrowed));
            Some(self.level().stored.len() - 1)
        };
        let inner = InnerTable { var: *var, length: n.clone(), stored, holders: holders.clone(), plan };
        self.level().inner.insert(*var, Rc::new(inner));
        true
    }

    /// Is it put together from less, and can that be done again? Then the less is stored.
    fn is_rebuilt(&mut self, atom: &Atom) -> bool {
        let (Atom::Var(var), Some(Op::Switch(choice @ Atom::Var(on), _))) = (atom, self.level().op(atom)) else {
            return false;
        };
        if !self.names.rebuilt.contains(var) || self.level().stores(choice) || !self.bound.contains(on) {
            return false;
        }
        let of = self.names.types[on.0 as usize].clone();
        self.level().stored.push((choice.clone(), of));
        let done = self.is_cheap(atom);
        if !done {
            self.level().stored.pop();
        }
        done
    }

    fn op(&self, atom: &Atom) -> Option<&'f Op> {
        self.levels.iter().find_map(|level| level.op(atom))
    }

    /// Is it there without being computed again?
    fn is_there(&self, var: Var) -> bool {
        !self.bound.contains(&var)
            || self.levels.iter().any(|level| level.index == var || level.stores(&Atom::Var(var)))
    }

    /// Can the atom be computed again from what is stored, for what is allowed?
    fn is_cheap(&mut self, atom: &Atom) -> bool {
        let mut total = 0u32;
        let mut waiting = vec![atom];
        let mut seen = FxHashSet::default();
        let mut reads = vec![];
        while let Some(atom) = waiting.pop() {
            let Atom::Var(var) = atom else { continue };
            if self.is_there(*var) || !seen.insert(*var) {
                continue;
            }
            let Some(op) = self.op(atom).filter(|_| !self.touched.contains(var)) else { return false };
            let Some(own) = self.price(op, &mut reads) else { return false };
            total = total.saturating_add(own);
            if total > self.limit {
                return false;
            }
            free_atoms(op, &mut |atom| waiting.push(atom));
        }
        self.reads.extend(reads);
        true
    }

    /// What an operation costs by itself; nothing if it can't be moved. `reads` are the arrays it needs.
    fn price(&self, op: &Op, reads: &mut Vec<Var>) -> Option<u32> {
        match op {
            Op::Atom(_) | Op::Field(..) | Op::Struct(_) | Op::Inject(..) => Some(0),
            Op::Len(_) | Op::Axis(..) | Op::Collected(_) => Some(0),
            Op::Scalar(scalar, _) if self.limit == u32::MAX => Some(cost::price(*scalar).unwrap_or(CHEAP)),
            Op::Scalar(scalar, _) => cost::price(*scalar),
            Op::Element(Atom::Var(array), _) if self.can_be_read(*array) => {
                reads.push(*array);
                Some(cost::ELEMENT)
            }
            Op::If(_, then, otherwise) => {
                let prices = [then, otherwise].map(|block| self.price_of_block(block, reads));
                let own = u32::from(![then, otherwise].iter().all(|block| cost::is_condition(block)));
                Some(prices[0]?.saturating_add(prices[1]?).saturating_add(own))
            }
            Op::Switch(_, arms) => arms
                .iter()
                .try_fold(1u32, |total, (_, arm)| Some(total.saturating_add(self.price_of_block(arm, reads)?))),
            // Such a loop is moved, but not run again.
            Op::Tabulate { body, .. } | Op::Sum { body, .. } if self.limit == u32::MAX => {
                let mut changes = false;
                each_op(body, &mut |var, _| changes |= self.touched.contains(&var));
                self.price_of_block(body, reads).map(|price| price.max(CHEAP)).filter(|_| !changes)
            }
            _ => None,
        }
    }

    fn price_of_block(&self, block: &Block, reads: &mut Vec<Var>) -> Option<u32> {
        let End::Yield(_) = block.end else { return None };
        block
            .statements
            .iter()
            .try_fold(0u32, |total, statement| Some(total.saturating_add(deep(|| self.price(&statement.op, reads))?)))
    }

    /// An array that is updated can't be read again: it would have to be kept as it was.
    fn can_be_read(&self, array: Var) -> bool {
        !self.bound.contains(&array) && !self.survey.consumed.contains(&array)
    }

    fn parts(&mut self, atom: &Atom, ty: &Type, need: &Need) -> Parts {
        if *need == Need::nothing() {
            return Parts::Dropped;
        }
        if let (Some(Op::Struct(fields)), Type::Struct(types)) = (self.level().op(atom), ty) {
            let parts = fields.iter().zip(types.iter()).enumerate();
            let parts = parts.map(|(at, (field, ty))| deep(|| self.parts(field, ty, &need.field(at))));
            return Parts::Struct(parts.collect());
        }
        if let Atom::Var(var) = atom
            && let Some(inner) = self.level().inner.get(var)
        {
            return Parts::Inner(inner.clone());
        }
        if let Some(at) = self.level().stored.iter().position(|(known, _)| known == atom) {
            return Parts::Stored(at);
        }
        Parts::Again(atom.clone(), ty.clone())
    }
}

/// The atoms that an operation reads, those of its blocks too if they aren't bound there.
pub fn free_atoms<'a>(op: &'a Op, visit: &mut dyn FnMut(&'a Atom)) {
    op.atoms(visit);
    if !has_blocks(op) {
        return;
    }
    let mut bound = FxHashSet::default();
    op.blocks(&mut |vars, block| {
        bound.extend(vars.iter().copied());
        each_op(block, &mut |var, op| {
            bound.insert(var);
            op.blocks(&mut |vars, _| bound.extend(vars.iter().copied()));
        });
    });
    op.blocks(&mut |_, block| {
        each_atom(block, &mut |atom| {
            if !matches!(atom, Atom::Var(var) if bound.contains(var)) {
                visit(atom);
            }
        });
    });
}

/// How many parts that aren't structs a type has, those of alternatives and of the elements of arrays too.
pub fn weight(ty: &Type) -> usize {
    match ty {
        Type::Struct(parts) => parts.iter().map(weight).sum(),
        Type::Array(element, 1) => 1 + weight(element),
        Type::Sum(alternatives) => 1 + alternatives.iter().map(weight).sum::<usize>(),
        _ => 1,
    }
}

impl Plan {
    fn weight(&self) -> usize {
        self.stored.iter().map(|(_, ty)| weight(ty)).sum()
    }

    /// Which of these statements the parts computed again need, in their order.
    fn needed(&self, parts: &Parts, statements: &[Statement]) -> Vec<Statement> {
        let mut wanted = FxHashSet::default();
        let mut want = |atom: &Atom| {
            if let Atom::Var(var) = atom {
                wanted.insert(*var);
            }
        };
        parts.each_again(&mut want);
        let mut slice = vec![];
        for statement in statements.iter().rev() {
            let is_stored = self.stored.iter().any(|(atom, _)| *atom == Atom::Var(statement.var));
            if wanted.contains(&statement.var) && !is_stored {
                free_atoms(&statement.op, &mut |atom| {
                    if let Atom::Var(var) = atom {
                        wanted.insert(*var);
                    }
                });
                slice.push(statement.clone());
            }
        }
        slice.reverse();
        slice
    }

    /// The type of what is stored for an element.
    pub fn element(&self) -> Type {
        match &self.stored[..] {
            // An array is no element by itself.
            [(_, ty)] if !matches!(ty, Type::Array(..)) => ty.clone(),
            several => Type::Struct(several.iter().map(|(_, ty)| ty.clone()).collect()),
        }
    }

    pub fn is_alone(&self) -> bool {
        matches!(&self.stored[..], [(_, ty)] if !matches!(ty, Type::Array(..)))
    }
}

impl Parts {
    /// Without what isn't needed.
    fn for_need(&self, need: &Need) -> Parts {
        match self {
            _ if *need == Need::nothing() => Parts::Dropped,
            Parts::Struct(parts) => {
                let parts = parts.iter().enumerate();
                Parts::Struct(parts.map(|(at, part)| deep(|| part.for_need(&need.field(at)))).collect())
            }
            part => part.clone(),
        }
    }

    /// Calls `visit` with what computing again needs of the body, and perhaps with what it needs of bodies inside it.
    fn each_again(&self, visit: &mut dyn FnMut(&Atom)) {
        match self {
            Parts::Again(atom, _) => visit(atom),
            Parts::Struct(parts) => parts.iter().for_each(|part| deep(|| part.each_again(visit))),
            Parts::Inner(inner) => {
                if inner.stored.is_none() {
                    visit(&inner.length);
                }
                inner.plan.again.slice.iter().for_each(|statement| free_atoms(&statement.op, &mut |atom| visit(atom)));
                deep(|| inner.plan.again.parts.each_again(visit));
            }
            Parts::Dropped | Parts::Stored(_) => {}
        }
    }

    /// The inner arrays of which something is stored.
    pub fn each_stored_inner(&self, visit: &mut dyn FnMut(&Rc<InnerTable>)) {
        match self {
            Parts::Struct(parts) => parts.iter().for_each(|part| deep(|| part.each_stored_inner(visit))),
            Parts::Inner(inner) if inner.stored.is_some() => visit(inner),
            _ => {}
        }
    }
}
