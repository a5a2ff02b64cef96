//! Makes the arrays and what reads them as their plans say.

use std::rc::Rc;

use first_order::{Atom, Block, End, Op, Statement, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use super::plan::{InnerTable, Parts, Plan};
use crate::deep;
use crate::rewriting::copy::Copier;
use crate::rewriting::walk::{blocks_mut, has_blocks};

pub struct Rewrite<'a> {
    vars: &'a mut Vec<Type>,
    plans: FxHashMap<Var, Rc<Plan>>,
    /// Variables whose types have fewer parts than they had.
    changed: FxHashSet<Var>,
    /// What variables hold that were read out of an array, where there are arrays in it that are no longer as they were.
    views: FxHashMap<Var, View>,
}

/// A value with arrays in it of which only elements are read.
#[derive(Clone)]
enum View {
    /// Without such arrays.
    Plain,
    Struct(Rc<[View]>),
    Inner(Rc<Opened>),
}

/// An array inside an element that was read.
struct Opened {
    table: Rc<InnerTable>,
    /// What is stored of it, or an array of nothings that has its length.
    array: Atom,
    /// What stands for the variables of the outer body.
    map: FxHashMap<Var, Atom>,
}

/// An element that was read: its parts put together, their type, and the arrays in it.
type Rebuilt = (Atom, Type, View);

impl<'a> Rewrite<'a> {
    pub fn new(vars: &'a mut Vec<Type>, plans: FxHashMap<Var, Plan>) -> Rewrite<'a> {
        let plans = plans.into_iter().map(|(var, plan)| (var, Rc::new(plan))).collect();
        Rewrite { vars, plans, changed: FxHashSet::default(), views: FxHashMap::default() }
    }

    fn fresh(&mut self, ty: Type) -> Var {
        self.vars.push(ty);
        Var(self.vars.len() as u32 - 1)
    }

    pub fn block(&mut self, block: &mut Block) {
        let statements = std::mem::take(&mut block.statements);
        for mut statement in statements {
            if has_blocks(&statement.op) {
                deep(|| blocks_mut(&mut statement.op, &mut |block| self.block(block)));
            }
            match &mut statement.op {
                Op::Tabulate { body, .. } => {
                    if let Some(plan) = self.plans.get(&statement.var).cloned() {
                        self.table(statement.var, &plan, body);
                    }
                }
                Op::Element(Atom::Var(array), indices) => {
                    let (array, index) = (*array, indices[0].clone());
                    if let Some(plan) = self.plans.get(&array).cloned() {
                        let known = FxHashMap::default();
                        self.read(&statement, &plan, Atom::Var(array), index, &known, &mut block.statements);
                        continue;
                    }
                    if let Some(View::Inner(opened)) = self.views.get(&array).cloned() {
                        let plan = &opened.table.plan;
                        self.read(&statement, plan, opened.array.clone(), index, &opened.map, &mut block.statements);
                        continue;
                    }
                }
                Op::Len(Atom::Var(array)) | Op::Axis(Atom::Var(array), _) => {
                    if let Some(View::Inner(opened)) = self.views.get(array) {
                        statement.op = Op::Len(opened.array.clone());
                    }
                }
                Op::Field(Atom::Var(whole), field) => {
                    let (whole, field) = (*whole, *field as usize);
                    if self.changed.contains(&whole)
                        && let Type::Struct(fields) = &self.vars[whole.0 as usize]
                    {
                        let part = fields.get(field).cloned();
                        // Of what is nothing by now nobody reads a part.
                        if part.is_none() {
                            statement.op = Op::Atom(Atom::Unit);
                        }
                        self.vars[statement.var.0 as usize] = part.unwrap_or_else(Type::unit);
                        self.changed.insert(statement.var);
                    }
                    if let Some(View::Struct(parts)) = self.views.get(&whole) {
                        let part = parts[field].clone();
                        self.views.insert(statement.var, part);
                    }
                }
                _ => {}
            }
            block.statements.push(statement);
        }
    }

    /// What makes an array stores in it what the plan says.
    fn table(&mut self, var: Var, plan: &Plan, body: &mut Block) {
        plan.again.parts.each_stored_inner(&mut |inner| {
            let made = body.statements.iter_mut().find(|statement| statement.var == inner.var);
            if let Some(Statement { op: Op::Tabulate { body, .. }, .. }) = made {
                deep(|| self.table(inner.var, &inner.plan, body));
            }
            body.statements.retain(|statement| !inner.holders.contains(&statement.var));
        });
        let element = plan.element();
        let atoms: Vec<Atom> = plan.stored.iter().map(|(atom, _)| atom.clone()).collect();
        self.vars[var.0 as usize] = Type::Array(element.clone().into(), 1);
        if atoms.is_empty() {
            body.end = End::Yield(Atom::Unit);
        } else if plan.is_alone() {
            body.end = End::Yield(atoms[0].clone());
        } else {
            let span = body.statements.last().map_or(base::Span::default(), |last| last.span);
            let yielded = self.fresh(element);
            body.statements.push(Statement { var: yielded, op: Op::Struct(atoms), span });
            body.end = End::Yield(Atom::Var(yielded));
        }
    }

    /// `statement` reads an element of an array whose elements are stored otherwise now. `known` stands for the variables around its body.
    fn read(
        &mut self,
        statement: &Statement,
        plan: &Plan,
        array: Atom,
        index: Atom,
        known: &FxHashMap<Var, Atom>,
        out: &mut Vec<Statement>,
    ) {
        let span = statement.span;
        let stored = self.fresh(plan.element());
        out.push(Statement { var: stored, op: Op::Element(array, vec![index.clone()]), span });
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
        copier.map.clone_from(known);
        copier.map.insert(plan.index, index);
        for ((atom, _), (part, _)) in plan.stored.iter().zip(&parts) {
            if let Atom::Var(var) = atom {
                copier.map.insert(*var, part.clone());
            }
        }
        let again = plan.at.get(&statement.var).unwrap_or(&plan.again);
        out.extend(again.slice.iter().map(|statement| copier.statement(statement)));
        let map = std::mem::take(&mut copier.map);
        let (value, ty, view) = self.rebuilt(&again.parts, &parts, &map, span, out);
        if ty != self.vars[statement.var.0 as usize] {
            self.vars[statement.var.0 as usize] = ty;
            self.changed.insert(statement.var);
        }
        self.views.insert(statement.var, view);
        out.push(Statement { var: statement.var, op: Op::Atom(value), span });
    }

    /// The parts of an element put together.
    fn rebuilt(
        &mut self,
        parts: &Parts,
        stored: &[(Atom, Type)],
        map: &FxHashMap<Var, Atom>,
        span: base::Span,
        out: &mut Vec<Statement>,
    ) -> Rebuilt {
        let nothing = (Atom::Unit, Type::Struct([].into()));
        let in_reader = |atom: &Atom| match atom {
            Atom::Var(var) => map.get(var).unwrap_or(atom).clone(),
            constant => constant.clone(),
        };
        match parts {
            Parts::Dropped => (nothing.0, nothing.1, View::Plain),
            Parts::Stored(at) => (stored[*at].0.clone(), stored[*at].1.clone(), View::Plain),
            Parts::Again(atom, ty) => (in_reader(atom), ty.clone(), View::Plain),
            Parts::Struct(fields) => {
                if fields.is_empty() {
                    return (nothing.0, nothing.1, View::Plain);
                }
                let (mut atoms, mut types, mut views) = (vec![], vec![], vec![]);
                for field in fields {
                    let (atom, ty, view) = deep(|| self.rebuilt(field, stored, map, span, out));
                    atoms.push(atom);
                    types.push(ty);
                    views.push(view);
                }
                let ty = Type::Struct(types.into());
                let var = self.fresh(ty.clone());
                out.push(Statement { var, op: Op::Struct(atoms), span });
                (Atom::Var(var), ty, View::Struct(views.into()))
            }
            Parts::Inner(table) => {
                let array = match table.stored {
                    Some(at) => stored[at].0.clone(),
                    None => self.nothings(in_reader(&table.length), span, out),
                };
                let opened = Opened { table: table.clone(), array, map: map.clone() };
                (nothing.0, nothing.1, View::Inner(Rc::new(opened)))
            }
        }
    }

    /// An array without contents that has this length.
    fn nothings(&mut self, n: Atom, span: base::Span, out: &mut Vec<Statement>) -> Atom {
        let index = self.fresh(Type::Int);
        let var = self.fresh(Type::Array(Type::unit().into(), 1));
        let body = Box::new(Block { statements: vec![], end: End::Yield(Atom::Unit) });
        out.push(Statement { var, op: Op::Tabulate { n, index, body }, span });
        Atom::Var(var)
    }
}
