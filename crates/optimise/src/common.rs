//! What was computed before is not computed again.
//!
//! An operation on scalars, a struct, an alternative, a field, a length or an element that a variable in scope already holds gives way to that
//! variable; so does a call with the same arguments of a function that doesn't print. Derived code is full of them: each
//! derivative computes its function anew. An operation that may fail or not end has done so the first time, so the second can go.

use first_order::{Atom, Block, Function, FunctionId, Op, Program, Scalar, Type, Var};
use rustc_hash::FxHashMap;

use crate::deep;
use crate::effects::{self, Effects};
use crate::rename::renumber;
use crate::walk::{atoms_mut, blocks_mut, end_atoms_mut, has_blocks};

pub fn run(program: &mut Program) {
    let effects = effects::of_functions(program);
    program.functions.iter_mut().for_each(|of| function(of, &effects));
}

fn function(function: &mut Function, effects: &[Effects]) {
    let instead = vec![None; function.vars.len()];
    let mut known = Known { vars: &function.vars, effects, seen: FxHashMap::default(), instead };
    known.block(&mut function.body);
    renumber(function);
}

/// What is computed, so that equal keys have equal values.
#[derive(PartialEq, Eq, Hash, Clone)]
enum Key {
    Scalar(Scalar, Vec<Operand>),
    Struct(Type, Vec<Operand>),
    Inject(Type, u32, Operand),
    Field(Operand, u32),
    Call(FunctionId, Vec<Operand>),
    Len(Operand),
    Require(Operand),
    Element(Operand, Vec<Operand>),
}

/// An atom; reals by their bits.
#[derive(PartialEq, Eq, Hash, Clone, Copy)]
enum Operand {
    Var(Var),
    Unit,
    Bool(bool),
    Int(i64),
    Real(u64),
}

fn operand(atom: &Atom) -> Operand {
    match atom {
        Atom::Var(var) => Operand::Var(*var),
        Atom::Unit => Operand::Unit,
        Atom::Bool(b) => Operand::Bool(*b),
        Atom::Int(n) => Operand::Int(*n),
        Atom::Real(x) => Operand::Real(x.to_bits()),
    }
}

struct Known<'a> {
    vars: &'a [Type],
    /// Of functions.
    effects: &'a [Effects],
    /// What the variables in scope hold.
    seen: FxHashMap<Key, Var>,
    /// What stands for a variable that is gone.
    instead: Vec<Option<Var>>,
}

impl Known<'_> {
    fn resolve(&self, atom: &mut Atom) {
        if let Atom::Var(var) = atom
            && let Some(other) = self.instead[var.0 as usize]
        {
            *var = other;
        }
    }

    fn block(&mut self, block: &mut Block) {
        let mut added = vec![];
        block.statements.retain_mut(|statement| {
            atoms_mut(&mut statement.op, &mut |atom| self.resolve(atom));
            if has_blocks(&statement.op) {
                deep(|| blocks_mut(&mut statement.op, &mut |block| self.block(block)));
                return true;
            }
            let Some(key) = self.key(statement.var, &statement.op) else { return true };
            if let Some(before) = self.seen.get(&key) {
                self.instead[statement.var.0 as usize] = Some(*before);
                return false;
            }
            added.push(key.clone());
            self.seen.insert(key, statement.var);
            true
        });
        end_atoms_mut(&mut block.end, &mut |atom| self.resolve(atom));
        for key in added {
            self.seen.remove(&key);
        }
    }

    fn key(&self, var: Var, op: &Op) -> Option<Key> {
        let of = || self.vars[var.0 as usize].clone();
        let operands = |atoms: &[Atom]| atoms.iter().map(operand).collect();
        match op {
            Op::Scalar(scalar, atoms) => Some(Key::Scalar(*scalar, operands(atoms))),
            Op::Struct(fields) => Some(Key::Struct(of(), operands(fields))),
            Op::Inject(tag, content) => Some(Key::Inject(of(), *tag, operand(content))),
            Op::Field(whole, at) => Some(Key::Field(operand(whole), *at)),
            Op::Len(array) => Some(Key::Len(operand(array))),
            Op::Require(condition, _) => Some(Key::Require(operand(condition))),
            // A row would be one array instead of two: an update of one of them couldn't happen in place.
            Op::Element(array, indices) if !matches!(of(), Type::Array(..)) => {
                Some(Key::Element(operand(array), operands(indices)))
            }
            Op::Call(callee, args) if !self.effects[callee.0 as usize].prints => {
                Some(Key::Call(*callee, operands(args)))
            }
            _ => None,
        }
    }
}
