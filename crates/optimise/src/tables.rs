//! Arrays that are made only to be read: what is cheap to compute again isn't stored, and what nobody reads isn't either.
//!
//! For each `tabulate` of rank 1 whose array is only measured and read element by element, the parts of its elements are looked at one
//! by one. A part that nobody reads is dropped. A part that is a constant, the index, a variable from outside, or at most
//! [`CHEAP`] units ([`cost`]) of arithmetic on such, on elements of arrays from outside and on stored parts, is computed again at each
//! reading. The others are stored, one after the other, those first that are computed first. An array that is read once, by a
//! `tabulate` or `sum` over the same indices right behind it, needn't be
//! stored however much its elements cost, unless they come out of calls and loops: its body becomes part of the other. (The pairs of a value and a backpropagator that J of `tabulate` makes end here: of a linear function
//! nothing is stored.) The `tabulate` itself stays, with less in it: if computing an element fails, it fails where it did.
//!
//! An array of all elements of another one, in their order, is that other one.
//!
//! An array that is updated is not read again in place of a stored element: it would have to be kept as it was.

use std::collections::BTreeMap;

use calculus::Prim;
use first_order::{Atom, Block, End, Function, Op, Program, Statement, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::copy::Copier;
use crate::cost::{self, CHEAP};
use crate::deep;
use crate::rename::renumber;
use crate::walk::{blocks_mut, each_atom, each_op, has_blocks};

/// Each round sees what the last one left; arrays of arrays' elements take one for each level.
const ROUNDS: usize = 4;

pub fn run(program: &mut Program) {
    for function in &mut program.functions {
        for _ in 0..ROUNDS {
            if !shrink(function) {
                break;
            }
        }
        share_copies(function);
    }
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
    let survey = Survey::of(function);
    let mut touched = FxHashSet::default();
    let mut plans = FxHashMap::default();
    // What is read in an array that was made later is known after that.
    for table in survey.tables.iter().rev() {
        if let Some(plan) = survey.plan(table, &function.vars, &mut touched) {
            plans.insert(table.var, plan);
        }
    }
    if plans.is_empty() {
        return false;
    }
    let Function { vars, body, .. } = &mut *function;
    Rewrite { vars, plans, changed: FxHashSet::default() }.block(body);
    renumber(function);
    true
}

/// A `tabulate` of rank 1.
struct Table<'f> {
    var: Var,
    /// The statements around it that repeat, outermost first.
    inside: Vec<Var>,
    index: Var,
    body: &'f Block,
}

/// What is read of an element.
#[derive(Clone, Debug, PartialEq)]
enum Need {
    All,
    /// Of a struct, these fields.
    Fields(BTreeMap<u32, Need>),
}

impl Need {
    fn nothing() -> Need {
        Need::Fields(BTreeMap::new())
    }

    fn join(&mut self, other: Need) {
        match (&mut *self, other) {
            (Need::All, _) => {}
            (_, Need::All) => *self = Need::All,
            (Need::Fields(own), Need::Fields(others)) => {
                for (field, need) in others {
                    own.entry(field).or_insert_with(Need::nothing).join(need);
                }
            }
        }
    }
}

impl Need {
    fn field(&self, field: usize) -> Need {
        match self {
            Need::All => Need::All,
            Need::Fields(known) => known.get(&(field as u32)).cloned().unwrap_or_else(Need::nothing),
        }
    }
}

/// The parts of an element that aren't structs and are read.
fn leaves_read(atom: &Atom, ty: &Type, need: &Need, inner: &Inner, read: &mut Vec<(Atom, Type)>) {
    if *need == Need::nothing() {
        return;
    }
    if let (Some(Op::Struct(fields)), Type::Struct(types)) = (inner.op(atom), ty) {
        for (at, (field, ty)) in fields.iter().zip(types.iter()).enumerate() {
            deep(|| leaves_read(field, ty, &need.field(at), inner, read));
        }
        return;
    }
    read.push((atom.clone(), ty.clone()));
}

/// A place where an element is read.
struct Read {
    var: Var,
    index: Atom,
    /// The statements around it that repeat, outermost first.
    inside: Vec<Var>,
}

/// How the variables of a function are used.
struct Survey<'f> {
    tables: Vec<Table<'f>>,
    /// For each array, where its elements are read.
    reads: FxHashMap<Var, Vec<Read>>,
    /// The index of each `tabulate` and `sum`.
    indices: FxHashMap<Var, Var>,
    /// Arrays of which the length is asked.
    measured: FxHashSet<Var>,
    /// Arrays that are used otherwise.
    escaped: FxHashSet<Var>,
    /// Arrays that are updated or given away.
    consumed: FxHashSet<Var>,
    /// Fields that are read of a variable, each with the variable that holds it.
    fields: FxHashMap<Var, Vec<(u32, Var)>>,
    /// Variables that are used otherwise than by reading fields.
    whole: FxHashSet<Var>,
}

impl<'f> Survey<'f> {
    fn of(function: &'f Function) -> Survey<'f> {
        let mut survey = Survey {
            tables: vec![],
            reads: FxHashMap::default(),
            indices: FxHashMap::default(),
            measured: FxHashSet::default(),
            escaped: FxHashSet::default(),
            consumed: FxHashSet::default(),
            fields: FxHashMap::default(),
            whole: FxHashSet::default(),
        };
        survey.block(&function.body, &function.vars, &mut vec![]);
        survey
    }

    fn block(&mut self, block: &'f Block, vars: &[Type], inside: &mut Vec<Var>) {
        for Statement { var, op, .. } in &block.statements {
            self.op(*var, op, vars, inside);
            let repeats = matches!(op, Op::Tabulate { .. } | Op::Sum { .. } | Op::Loop { .. });
            if repeats {
                inside.push(*var);
            }
            if has_blocks(op) {
                deep(|| op.blocks(&mut |_, block| self.block(block, vars, inside)));
            }
            if repeats {
                inside.pop();
            }
        }
        crate::walk::end_atoms(&block.end, &mut |atom| self.used(atom));
    }

    /// A use about which nothing particular is known.
    fn used(&mut self, atom: &Atom) {
        if let Atom::Var(var) = atom {
            self.whole.insert(*var);
            self.escaped.insert(*var);
        }
    }

    fn op(&mut self, var: Var, op: &'f Op, vars: &[Type], inside: &[Var]) {
        match op {
            Op::Sum { n, index, .. } => {
                self.used(n);
                self.indices.insert(var, *index);
            }
            Op::Tabulate { n, index, body } => {
                self.used(n);
                self.indices.insert(var, *index);
                if let Type::Array(_, 1) = &vars[var.0 as usize] {
                    self.tables.push(Table { var, inside: inside.to_vec(), index: *index, body });
                }
            }
            Op::Element(Atom::Var(array), indices) if indices.len() == 1 => {
                let read = Read { var, index: indices[0].clone(), inside: inside.to_vec() };
                self.reads.entry(*array).or_default().push(read);
                self.used(&indices[0]);
            }
            Op::Len(Atom::Var(array)) | Op::Axis(Atom::Var(array), _) => {
                self.measured.insert(*array);
            }
            Op::Field(Atom::Var(whole), field) => self.fields.entry(*whole).or_default().push((*field, var)),
            _ => {
                op.atoms(&mut |atom| self.used(atom));
                if let Op::Replace(..)
                | Op::Append(..)
                | Op::Call(..)
                | Op::Prim { prim: Prim::Update | Prim::ScatterAdd, .. } = op
                {
                    op.atoms(&mut |atom| {
                        if let Atom::Var(var) = atom {
                            self.consumed.insert(*var);
                        }
                    });
                }
            }
        }
    }

    /// What is read of a variable that holds a struct.
    fn need(&self, var: Var) -> Need {
        if self.whole.contains(&var) || self.reads.contains_key(&var) || self.measured.contains(&var) {
            return Need::All;
        }
        let mut fields = BTreeMap::new();
        for (field, held) in self.fields.get(&var).into_iter().flatten() {
            let need = deep(|| self.need(*held));
            fields.entry(*field).or_insert_with(Need::nothing).join(need);
        }
        Need::Fields(fields)
    }

    /// What becomes of an array; nothing if it stays as it is. `touched` are the arrays that plans of this round read at other places.
    fn plan(&self, table: &Table<'f>, vars: &[Type], touched: &mut FxHashSet<Var>) -> Option<Plan> {
        if self.escaped.contains(&table.var) || touched.contains(&table.var) {
            return None;
        }
        let End::Yield(yielded) = &table.body.end else { return None };
        let Type::Array(element, _) = &vars[table.var.0 as usize] else { return None };
        let mut need = Need::nothing();
        for read in self.reads.get(&table.var).into_iter().flatten() {
            // What is read inside arrays that change in this round is seen in the next.
            if read.inside.iter().any(|other| touched.contains(other)) {
                return None;
            }
            need.join(if scalar(element) { self.scalar_need(read.var) } else { self.need(read.var) });
        }
        let inner = Inner::of(table, self.is_read_once(table));
        let mut plan = Plan { index: table.index, slice: vec![], parts: Parts::Dropped, stored: vec![] };
        let mut reads = FxHashSet::default();
        let mut read = vec![];
        leaves_read(yielded, element, &need, &inner, &mut read);
        read.sort_by_key(|(atom, _)| inner.position(atom));
        for (atom, ty) in read {
            if !plan.stored.iter().any(|(known, _)| *known == atom)
                && !inner.is_cheap(&atom, &plan.stored, self, &mut FxHashSet::default())
            {
                plan.stored.push((atom, ty));
            }
        }
        plan.parts = plan.parts(yielded, element, &need, &inner, self, &mut reads);
        if plan.stored.len() >= leaves(element) {
            return None;
        }
        plan.slice = plan.needed(table.body);
        touched.insert(table.var);
        touched.extend(reads);
        Some(plan)
    }

    /// Is each element read at most once, where the array could be made as well?
    fn is_read_once(&self, table: &Table) -> bool {
        let Some([read]) = self.reads.get(&table.var).map(Vec::as_slice) else { return false };
        let Some((reader, around)) = read.inside.split_last() else { return false };
        around == table.inside
            && matches!((&read.index, self.indices.get(reader)), (Atom::Var(index), Some(of)) if index == of)
    }

    fn scalar_need(&self, read: Var) -> Need {
        if self.whole.contains(&read) || self.reads.contains_key(&read) || self.fields.contains_key(&read) {
            Need::All
        } else {
            Need::nothing()
        }
    }
}

fn scalar(ty: &Type) -> bool {
    !matches!(ty, Type::Struct(_))
}

/// How many parts that aren't structs a type has.
fn leaves(ty: &Type) -> usize {
    match ty {
        Type::Struct(parts) => parts.iter().map(leaves).sum(),
        _ => 1,
    }
}

/// The statements of a body that can be looked at one by one.
struct Inner<'f> {
    index: Var,
    /// By what they bind, with their place.
    ops: FxHashMap<Var, (usize, &'f Op)>,
    /// All that is bound in the body.
    bound: FxHashSet<Var>,
    /// What computing a part again may cost.
    limit: u32,
}

impl<'f> Inner<'f> {
    fn of(table: &Table<'f>, once: bool) -> Inner<'f> {
        let statements = table.body.statements.iter().enumerate();
        let ops = statements.map(|(at, statement)| (statement.var, (at, &statement.op))).collect();
        let mut bound = FxHashSet::default();
        bound.insert(table.index);
        each_op(table.body, &mut |var, op| {
            bound.insert(var);
            if has_blocks(op) {
                op.blocks(&mut |vars, _| bound.extend(vars.iter().copied()));
            }
        });
        let limit = if once { u32::MAX } else { CHEAP };
        Inner { index: table.index, ops, bound, limit }
    }

    fn op(&self, atom: &Atom) -> Option<&'f Op> {
        if let Atom::Var(var) = atom { self.ops.get(var).map(|(_, op)| *op) } else { None }
    }

    fn position(&self, atom: &Atom) -> usize {
        if let Atom::Var(var) = atom { self.ops.get(var).map_or(0, |(at, _)| *at) } else { 0 }
    }

    /// Can the atom be computed again from what is stored, for what is allowed? `reads` are the arrays it needs.
    fn is_cheap(&self, atom: &Atom, stored: &[(Atom, Type)], survey: &Survey, reads: &mut FxHashSet<Var>) -> bool {
        let mut total = 0u32;
        let mut waiting = vec![atom];
        let mut seen = FxHashSet::default();
        while let Some(atom) = waiting.pop() {
            let Atom::Var(var) = atom else { continue };
            let is_there = *var == self.index || stored.iter().any(|(known, _)| known == atom);
            if is_there || !self.bound.contains(var) || !seen.insert(*var) {
                continue;
            }
            let Some(op) = self.op(atom) else { return false };
            let Some(own) = self.price(op, survey, reads) else { return false };
            total = total.saturating_add(own);
            if total > self.limit {
                return false;
            }
            free_atoms(op, &mut |atom| waiting.push(atom));
        }
        true
    }

    /// What an operation costs by itself; nothing if it can't be moved.
    fn price(&self, op: &Op, survey: &Survey, reads: &mut FxHashSet<Var>) -> Option<u32> {
        match op {
            Op::Atom(_) | Op::Field(..) | Op::Struct(_) | Op::Len(_) | Op::Axis(..) => Some(0),
            Op::Scalar(scalar, _) if self.limit == u32::MAX => Some(cost::price(*scalar).unwrap_or(CHEAP)),
            Op::Scalar(scalar, _) => cost::price(*scalar),
            Op::Element(Atom::Var(array), _) if !self.bound.contains(array) && !survey.consumed.contains(array) => {
                reads.insert(*array);
                Some(cost::ELEMENT)
            }
            Op::If(_, then, otherwise) => {
                let mut total = 1u32;
                for block in [then, otherwise] {
                    let End::Yield(_) = block.end else { return None };
                    for statement in &block.statements {
                        total = total.saturating_add(deep(|| self.price(&statement.op, survey, reads))?);
                    }
                }
                Some(total)
            }
            _ => None,
        }
    }
}

/// The atoms that an operation reads, those of its blocks too if they aren't bound there.
fn free_atoms<'a>(op: &'a Op, visit: &mut dyn FnMut(&'a Atom)) {
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

/// What becomes of the parts of an element.
enum Parts {
    /// Nobody reads it.
    Dropped,
    /// Computed again: this atom of the body.
    Again(Atom, Type),
    /// Stored, as part number so many.
    Stored(usize),
    Struct(Vec<Parts>),
}

struct Plan {
    index: Var,
    /// The statements of the body that compute what is computed again.
    slice: Vec<Statement>,
    parts: Parts,
    /// The parts that are stored, with their types.
    stored: Vec<(Atom, Type)>,
}

impl Plan {
    fn parts(
        &self,
        atom: &Atom,
        ty: &Type,
        need: &Need,
        inner: &Inner,
        survey: &Survey,
        reads: &mut FxHashSet<Var>,
    ) -> Parts {
        if *need == Need::nothing() {
            return Parts::Dropped;
        }
        if let (Some(Op::Struct(fields)), Type::Struct(types)) = (inner.op(atom), ty) {
            let parts = fields.iter().zip(types.iter()).enumerate();
            let parts =
                parts.map(|(at, (field, ty))| deep(|| self.parts(field, ty, &need.field(at), inner, survey, reads)));
            return Parts::Struct(parts.collect());
        }
        if let Some(at) = self.stored.iter().position(|(known, _)| known == atom) {
            return Parts::Stored(at);
        }
        let cheap = inner.is_cheap(atom, &self.stored, survey, reads);
        debug_assert!(cheap, "tables: what isn't stored is computed again");
        Parts::Again(atom.clone(), ty.clone())
    }

    /// The statements that the parts computed again need, in their order.
    fn needed(&self, body: &Block) -> Vec<Statement> {
        let mut wanted = FxHashSet::default();
        let mut want = |atom: &Atom| {
            if let Atom::Var(var) = atom {
                wanted.insert(*var);
            }
        };
        self.parts.each_again(&mut want);
        let mut slice = vec![];
        for statement in body.statements.iter().rev() {
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
    fn element(&self) -> Type {
        match &self.stored[..] {
            // An array is no element by itself.
            [(_, ty)] if !matches!(ty, Type::Array(..)) => ty.clone(),
            several => Type::Struct(several.iter().map(|(_, ty)| ty.clone()).collect()),
        }
    }

    fn is_alone(&self) -> bool {
        matches!(&self.stored[..], [(_, ty)] if !matches!(ty, Type::Array(..)))
    }
}

impl Parts {
    fn each_again(&self, visit: &mut dyn FnMut(&Atom)) {
        match self {
            Parts::Again(atom, _) => visit(atom),
            Parts::Struct(parts) => parts.iter().for_each(|part| part.each_again(visit)),
            Parts::Dropped | Parts::Stored(_) => {}
        }
    }
}

struct Rewrite<'a> {
    vars: &'a mut Vec<Type>,
    plans: FxHashMap<Var, Plan>,
    /// Variables whose types have fewer parts than they had.
    changed: FxHashSet<Var>,
}

impl Rewrite<'_> {
    fn fresh(&mut self, ty: Type) -> Var {
        self.vars.push(ty);
        Var(self.vars.len() as u32 - 1)
    }

    fn block(&mut self, block: &mut Block) {
        let statements = std::mem::take(&mut block.statements);
        for mut statement in statements {
            if has_blocks(&statement.op) {
                deep(|| blocks_mut(&mut statement.op, &mut |block| self.block(block)));
            }
            match &mut statement.op {
                Op::Tabulate { body, .. } if self.plans.contains_key(&statement.var) => self.table(statement.var, body),
                Op::Element(Atom::Var(array), indices) if self.plans.contains_key(array) => {
                    let (array, index) = (*array, indices[0].clone());
                    self.read(&statement, array, index, &mut block.statements);
                    continue;
                }
                Op::Field(Atom::Var(whole), field) if self.changed.contains(whole) => {
                    if let Type::Struct(fields) = &self.vars[whole.0 as usize] {
                        self.vars[statement.var.0 as usize] = fields[*field as usize].clone();
                        self.changed.insert(statement.var);
                    }
                }
                _ => {}
            }
            block.statements.push(statement);
        }
    }

    fn table(&mut self, var: Var, body: &mut Block) {
        let plan = &self.plans[&var];
        let (element, alone) = (plan.element(), plan.is_alone());
        let atoms: Vec<Atom> = plan.stored.iter().map(|(atom, _)| atom.clone()).collect();
        self.vars[var.0 as usize] = Type::Array(element.clone().into(), 1);
        if atoms.is_empty() {
            body.end = End::Yield(Atom::Unit);
        } else if alone {
            body.end = End::Yield(atoms[0].clone());
        } else {
            let span = body.statements.last().map_or(base::Span::default(), |last| last.span);
            let yielded = self.fresh(element);
            body.statements.push(Statement { var: yielded, op: Op::Struct(atoms), span });
            body.end = End::Yield(Atom::Var(yielded));
        }
    }

    /// `statement` reads an element of an array whose elements are stored otherwise now.
    fn read(&mut self, statement: &Statement, array: Var, index: Atom, out: &mut Vec<Statement>) {
        let span = statement.span;
        let plan = self.plans.remove(&array).expect("tables: there is a plan");
        let stored = self.fresh(plan.element());
        out.push(Statement { var: stored, op: Op::Element(Atom::Var(array), vec![index.clone()]), span });
        let mut parts = vec![];
        for (at, (_, ty)) in plan.stored.iter().enumerate() {
            if plan.is_alone() {
                parts.push((Atom::Var(stored), ty.clone()));
                continue;
            }
            let part = self.fresh(ty.clone());
            out.push(Statement { var: part, op: Op::Field(Atom::Var(stored), at as u32), span });
            parts.push((Atom::Var(part), ty.clone()));
        }
        let mut copier = Copier::within(self.vars);
        copier.map.insert(plan.index, index);
        for ((atom, _), (part, _)) in plan.stored.iter().zip(&parts) {
            if let Atom::Var(var) = atom {
                copier.map.insert(*var, part.clone());
            }
        }
        out.extend(plan.slice.iter().map(|statement| copier.statement(statement)));
        let map = std::mem::take(&mut copier.map);
        let (value, ty) = self.rebuilt(&plan.parts, &parts, &map, span, out);
        if ty != self.vars[statement.var.0 as usize] {
            self.vars[statement.var.0 as usize] = ty;
            self.changed.insert(statement.var);
        }
        out.push(Statement { var: statement.var, op: Op::Atom(value), span });
        self.plans.insert(array, plan);
    }

    /// The parts of an element put together, and its type.
    fn rebuilt(
        &mut self,
        parts: &Parts,
        stored: &[(Atom, Type)],
        map: &FxHashMap<Var, Atom>,
        span: base::Span,
        out: &mut Vec<Statement>,
    ) -> (Atom, Type) {
        match parts {
            Parts::Dropped => (Atom::Unit, Type::Struct([].into())),
            Parts::Stored(at) => stored[*at].clone(),
            Parts::Again(Atom::Var(var), ty) => (map.get(var).cloned().unwrap_or(Atom::Var(*var)), ty.clone()),
            Parts::Again(constant, ty) => (constant.clone(), ty.clone()),
            Parts::Struct(fields) => {
                let fields: Vec<(Atom, Type)> =
                    fields.iter().map(|field| deep(|| self.rebuilt(field, stored, map, span, out))).collect();
                if fields.is_empty() {
                    return (Atom::Unit, Type::Struct([].into()));
                }
                let (atoms, types): (Vec<Atom>, Vec<Type>) = fields.into_iter().unzip();
                let ty = Type::Struct(types.into());
                let var = self.fresh(ty.clone());
                out.push(Statement { var, op: Op::Struct(atoms), span });
                (Atom::Var(var), ty)
            }
        }
    }
}
