//! The program: the instances that the entry needs, put together.
//!
//! In: instances that have settled and are written. Out: an L3 program in which functions are numbered from the entry on, every
//! function is given the globals that it or what it calls reads, and only the shapes that are mentioned are left.

use std::collections::BTreeSet;
use std::rc::Rc;

use calculus::GlobalId;
use first_order::{Atom, Block, Definition, Function, FunctionId, Head, Op, Program, Shape, ShapeId, Statement, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Specialised;
use crate::draft::Written;
use crate::instances::{Kind, Specialiser};

impl Specialiser<'_> {
    /// Puts together the instances that the entry needs.
    pub fn program(mut self, entry: usize) -> Specialised {
        let order = self.needed(entry);
        let place: FxHashMap<usize, u32> = order.iter().copied().zip(0..).collect();
        let needs = self.thread_globals(&order);
        let used: Vec<usize> = {
            let entry = self.instances[entry].written.as_ref().expect("specialise: the entry is written");
            entry.globals.keys().copied().collect()
        };
        let globals: Vec<GlobalId> = used.iter().map(|slot| self.globals[*slot]).collect();
        let parameters = globals.iter().map(|id| self.global_shapes[id]).collect();
        let mut functions = vec![];
        for id in &order {
            let mut written = self.instances[*id].written.take().expect("specialise: every instance is written");
            let globals = written.globals.clone();
            each_call_mut(&mut written.body, &mut |callee, args| {
                let needed = needs[&(callee.0 as usize)].iter().map(|slot| Atom::Var(globals[slot]));
                *args = needed.chain(args.drain(..)).collect();
                *callee = FunctionId(place[&(callee.0 as usize)]);
            });
            let mut params: Vec<Var> = written.globals.values().copied().collect();
            // The argument of the entry is the unit that every step is applied to.
            if *id != entry {
                params.extend(written.params);
            } else {
                let unit = Statement { var: written.params[0], op: Op::Atom(Atom::Unit), span: written.span };
                written.body.statements.insert(0, unit);
            }
            let Written { name, vars, result, body, span, .. } = written;
            functions.push(Function { name, params, result, body, vars, span });
        }
        let types = (0..self.graph.named_count()).map(|_| None).collect();
        let types = self.definitions(types);
        let result = self.instances[entry].result;
        let instances = functions.len();
        let shapes = self.graph.shapes;
        let mut program = Program { types, shapes, functions, entry: FunctionId(0), parameters, result };
        keep_used_shapes(&mut program);
        Specialised { program, globals, codes: self.codes, instances }
    }

    /// The instances that the entry needs, itself first.
    pub fn needed(&self, entry: usize) -> Vec<usize> {
        let mut order = vec![];
        let mut seen: FxHashSet<usize> = FxHashSet::default();
        let mut waiting = vec![entry];
        while let Some(id) = waiting.pop() {
            if !seen.insert(id) {
                continue;
            }
            order.push(id);
            let written = self.instances[id].written.as_ref().expect("specialise: every instance is written");
            each_call(&written.body, &mut |callee| waiting.push(callee.0 as usize));
        }
        order
    }

    fn definitions(&self, mut types: Vec<Option<Definition>>) -> Vec<Definition> {
        for (i, shape) in self.graph.shapes.0.iter().enumerate() {
            if let Some(named) = shape.named {
                let content = self.graph.shapes.content_of(ShapeId(i as u32));
                types[named.0 as usize] = Some(Definition { name: Rc::from(self.name_of(shape, named.0)), content });
            }
        }
        types.into_iter().map(|definition| definition.expect("specialise: every name is defined")).collect()
    }

    /// Hands every function the globals that it or what it calls reads.
    fn thread_globals(&mut self, order: &[usize]) -> FxHashMap<usize, BTreeSet<usize>> {
        let mut needs: FxHashMap<usize, BTreeSet<usize>> = FxHashMap::default();
        let mut calls: FxHashMap<usize, BTreeSet<usize>> = FxHashMap::default();
        for id in order {
            let written = self.instances[*id].written.as_ref().expect("specialise: every instance is written");
            needs.insert(*id, written.globals.keys().copied().collect());
            let callees = calls.entry(*id).or_default();
            each_call(&written.body, &mut |callee| {
                callees.insert(callee.0 as usize);
            });
        }
        let mut changed = true;
        while changed {
            changed = false;
            for id in order.iter().rev() {
                let more: BTreeSet<usize> = calls[id].iter().flat_map(|callee| needs[callee].iter().copied()).collect();
                let own = needs.entry(*id).or_default();
                let before = own.len();
                own.extend(more);
                changed |= own.len() != before;
            }
        }
        for id in order {
            for slot in &needs[id] {
                let shape = self.global_shapes[&self.globals[*slot]];
                let ty = self.type_of(shape);
                let written = self.instances[*id].written.as_mut().expect("specialise: every instance is written");
                written.globals.entry(*slot).or_insert_with(|| {
                    written.vars.push(ty);
                    Var(written.vars.len() as u32 - 1)
                });
            }
        }
        needs
    }

    /// A name for people, from what the shape may be.
    fn name_of(&self, shape: &Shape, number: u32) -> String {
        let name = shape.alternatives.iter().find_map(|alternative| match &alternative.head {
            Head::Variant(constructor) => Some(constructor.type_name.to_string()),
            Head::Part(Some(constructor), _) => Some(format!("d{}", constructor.type_name)),
            Head::Closure { code, member } => {
                Some(self.described(&Kind::Call { code: *code, member: *member }).0.replace('\'', "_j"))
            }
            _ => None,
        });
        let name: String =
            name.unwrap_or("node".into()).chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        format!("{name}_{number}")
    }
}

/// Drops the shapes that only the analysis needed.
fn keep_used_shapes(program: &mut Program) {
    let mut kept: Vec<Shape> = vec![];
    let mut place: FxHashMap<ShapeId, ShapeId> = FxHashMap::default();
    let all = std::mem::take(&mut program.shapes.0);
    let mut keep = |id: &mut ShapeId| {
        let mut waiting = vec![*id];
        while let Some(id) = waiting.pop() {
            if let std::collections::hash_map::Entry::Vacant(entry) = place.entry(id) {
                entry.insert(ShapeId(kept.len() as u32));
                let shape = &all[id.0 as usize];
                waiting.extend(shape.alternatives.iter().flat_map(|one| one.parts.iter().copied()));
                kept.push(shape.clone());
            }
        }
        *id = place[id];
    };
    program.parameters.iter_mut().for_each(&mut keep);
    keep(&mut program.result);
    for function in &mut program.functions {
        each_shape(&mut function.body, &mut keep);
    }
    for shape in &mut kept {
        for part in shape.alternatives.iter_mut().flat_map(|one| &mut one.parts) {
            *part = place[part];
        }
    }
    program.shapes = kept.into();
}

fn each_shape(block: &mut Block, see: &mut dyn FnMut(&mut ShapeId)) {
    base::budget::deep(|| {
        for statement in &mut block.statements {
            match &mut statement.op {
                Op::Prim { shapes, result, .. } => {
                    shapes.iter_mut().for_each(&mut *see);
                    see(result);
                }
                Op::If(_, then, otherwise) => {
                    each_shape(then, see);
                    each_shape(otherwise, see);
                }
                Op::Switch(_, arms) => arms.iter_mut().for_each(|(_, arm)| each_shape(arm, see)),
                Op::Loop { body, .. } | Op::Tabulate { body, .. } => each_shape(body, see),
                _ => {}
            }
        }
    });
}

/// Calls `see` on every call in a block.
pub fn each_call(block: &Block, see: &mut dyn FnMut(FunctionId)) {
    base::budget::deep(|| {
        for statement in &block.statements {
            match &statement.op {
                Op::Call(callee, _) => see(*callee),
                Op::If(_, then, otherwise) => {
                    each_call(then, see);
                    each_call(otherwise, see);
                }
                Op::Switch(_, arms) => arms.iter().for_each(|(_, arm)| each_call(arm, see)),
                Op::Loop { body, .. } | Op::Tabulate { body, .. } => each_call(body, see),
                _ => {}
            }
        }
    });
}

fn each_call_mut(block: &mut Block, change: &mut dyn FnMut(&mut FunctionId, &mut Vec<Atom>)) {
    base::budget::deep(|| {
        for statement in &mut block.statements {
            match &mut statement.op {
                Op::Call(callee, args) => change(callee, args),
                Op::If(_, then, otherwise) => {
                    each_call_mut(then, change);
                    each_call_mut(otherwise, change);
                }
                Op::Switch(_, arms) => arms.iter_mut().for_each(|(_, arm)| each_call_mut(arm, change)),
                Op::Loop { body, .. } | Op::Tabulate { body, .. } => each_call_mut(body, change),
                _ => {}
            }
        }
    });
}
