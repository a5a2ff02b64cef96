//! Loops that add up the sensitivity of an array which others go on with: the state of a loop under reverse mode, from one step back to the one before.
//!
//! Where a sum isn't spread out at once, its lengths aren't at hand and it may stay small. But where a block has just spread out another sensitivity
//! (`dense`), and a loop behind it adds up a new one of parts that all name the same lengths, known before the loop, that loop takes an accumulator too: an array of
//! symbolic zeros, as large as what was spread out in a program whose state keeps its size. It ends as a handle, in the leaf where the sum was.

use first_order::{Atom, Block, Function, Op, Statement, Type, Var};

use super::flow::{Definition, Flow, leaves, maybe};
use super::plan::{Plan, addition};
use super::thread::{Threader, Written};
use crate::deep;
use crate::rewriting::walk::has_blocks;

/// The loops, each with the path of a leaf of its value, outermost ones first.
pub fn candidates(function: &Function) -> Vec<(Var, Vec<u32>)> {
    fn visit(block: &Block, vars: &[Type], found: &mut Vec<(Var, Vec<u32>)>) {
        let mut spread = false;
        for Statement { var, op, .. } in &block.statements {
            spread |= matches!(op, Op::Dense(_));
            if spread && matches!(op, Op::Loop { .. }) {
                let of = &vars[var.0 as usize];
                found.extend(leaves(of).into_iter().filter(|path| can_fill(of, path)).map(|path| (*var, path)));
            }
            if has_blocks(op) {
                deep(|| op.blocks(&mut |_, block| visit(block, vars, found)));
            }
        }
    }
    let mut found = vec![];
    visit(&function.body, &function.vars, &mut found);
    found
}

/// A length: a constant, or a part of what a variable holds.
#[derive(Clone, PartialEq, Debug)]
pub enum Length {
    Constant(i64),
    Part(Var, Vec<u32>),
}

/// The lengths that all parts name which are added in the loop, if they name the same and the loop doesn't compute them.
pub fn lengths(flow: &Flow, plan: &Plan, of: Var) -> Option<Vec<Length>> {
    let mut known: Option<Vec<Length>> = None;
    for taking in plan.takes.values() {
        // What is added in another function is named there.
        if taking.callee.is_some() {
            return None;
        }
        for source in taking.exits.iter().flat_map(|exit| &exit.added) {
            let Some(frame) = addition(flow, source)?.frame else { continue };
            let own = match flow.type_of_atom(frame) {
                Type::Struct(parts) => (0..parts.len() as u32).map(|axis| length(flow, frame, vec![axis])).collect(),
                _ => vec![length(flow, frame, vec![])],
            };
            if known.as_ref().is_some_and(|known| *known != own) {
                return None;
            }
            known = Some(own);
        }
    }
    let is_before = |length: &Length| match length {
        Length::Constant(_) => true,
        Length::Part(var, _) => *var != of && flow.is_within(flow.block_of(of), flow.block_of(*var)),
    };
    known.filter(|known| known.iter().all(is_before))
}

/// What a part of an atom is a part of, through the structs it was put into.
fn length(flow: &Flow, atom: &Atom, mut path: Vec<u32>) -> Length {
    let mut atom = atom;
    loop {
        let var = match atom {
            Atom::Int(n) => return Length::Constant(*n),
            Atom::Var(var) => *var,
            other => unreachable!("accumulators: a length that is {other:?}"),
        };
        let Some(Definition::Made(statement)) = flow.definition(var) else { return Length::Part(var, path) };
        match &statement.op {
            Op::Atom(other) => atom = other,
            Op::Field(whole, at) => {
                path.insert(0, *at);
                atom = whole;
            }
            Op::Struct(fields) if !path.is_empty() => atom = &fields[path.remove(0) as usize],
            _ => return Length::Part(var, path),
        }
    }
}

/// May the leaf at a path be there though what is around it was nothing? What else is in there must be nothing, or have a zero.
fn can_fill(of: &Type, path: &[u32]) -> bool {
    match of {
        Type::Handle => path.is_empty(),
        Type::Struct(fields) => path.split_first().is_some_and(|(at, rest)| can_fill(&fields[*at as usize], rest)),
        of => maybe(of).is_some_and(|(_, content)| can_fill(content, path) && can_be_blank(content, path)),
    }
}

/// Has all but what is on the path a value that is zero?
fn can_be_blank(of: &Type, path: &[u32]) -> bool {
    match (of, path.split_first()) {
        (Type::Struct(fields), Some((at, rest))) => {
            fields.iter().enumerate().all(|(i, field)| match i == *at as usize {
                true => can_be_blank(field, rest),
                false => *field == Type::unit() || maybe(field).is_some_and(|(_, content)| !leaves(content).is_empty()),
            })
        }
        _ => true,
    }
}

impl Threader<'_, '_> {
    /// An array of symbolic zeros with these lengths.
    pub fn blank_array(&mut self, lengths: &[Length], out: &mut Written) -> Atom {
        let mut atoms = vec![];
        for length in lengths {
            atoms.push(match length {
                Length::Constant(n) => Atom::Int(*n),
                Length::Part(var, path) => path.iter().fold(Atom::Var(*var), |whole, at| {
                    let of = match self.type_of(&whole) {
                        Type::Struct(fields) => fields[*at as usize].clone(),
                        other => unreachable!("accumulators: a part of {other:?}"),
                    };
                    self.write(out, of, Op::Field(whole, *at))
                }),
            });
        }
        self.array_of(-0.0, atoms, out)
    }

    /// The value with this handle as its leaf at a path.
    pub fn filled(&mut self, atom: Option<&Atom>, of: &Type, path: &[u32], handle: &Atom, out: &mut Written) -> Atom {
        if *of == Type::Handle {
            return handle.clone();
        }
        if let Type::Struct(fields) = of {
            let mut parts = vec![];
            for (at, field) in (0..).zip(fields.iter()) {
                let old = atom.map(|atom| self.write(out, field.clone(), Op::Field(atom.clone(), at)));
                parts.push(match (path.first() == Some(&at), old) {
                    (true, old) => deep(|| self.filled(old.as_ref(), field, &path[1..], handle, out)),
                    (false, Some(old)) => old,
                    (false, None) => self.blank(field, out),
                });
            }
            return self.write(out, of.clone(), Op::Struct(parts));
        }
        let (something, content) = maybe(of).expect("accumulators: a leaf's path goes through structs and choices");
        let Some(atom) = atom.filter(|_| *content != Type::Handle) else {
            let content = deep(|| self.filled(None, content, path, handle, out));
            return self.write(out, of.clone(), Op::Inject(something, content));
        };
        let mut arms = vec![];
        for which in 0..2 {
            let is_something = which == something;
            let var = self.fresh(if is_something { content.clone() } else { Type::unit() });
            let mut inner = Written::new(out.span);
            let old = Atom::Var(var);
            let content = deep(|| self.filled(is_something.then_some(&old), content, path, handle, &mut inner));
            let value = self.write(&mut inner, of.clone(), Op::Inject(something, content));
            arms.push((var, Block { statements: inner.statements, end: first_order::End::Yield(value) }));
        }
        self.write(out, of.clone(), Op::Switch(atom.clone(), arms))
    }

    fn blank(&mut self, of: &Type, out: &mut Written) -> Atom {
        match maybe(of) {
            Some((something, _)) => self.write(out, of.clone(), Op::Inject(1 - something, Atom::Unit)),
            None => Atom::Unit,
        }
    }

    /// The loop with the accumulator going through, and its value with what was added up in the leaf.
    pub fn looped(&mut self, statement: &Statement, path: &[u32], accumulator: Atom, out: &mut Written) {
        let begin = out.statements.len();
        let accumulator = self.statement(statement, accumulator, out);
        let of = self.type_of(&Atom::Var(statement.var));
        let emptied = self.fresh(of.clone());
        for written in &mut out.statements[begin..] {
            if written.var == statement.var {
                written.var = emptied;
            }
        }
        out.span = statement.span;
        let handle = self.write(out, Type::Handle, Op::Collected(accumulator));
        let value = self.filled(Some(&Atom::Var(emptied)), &of, path, &handle, out);
        out.statements.push(Statement { var: statement.var, op: Op::Atom(value), span: statement.span });
    }
}
