//! Common subexpression elimination: what was computed before is not computed again.
//!
//! An operation on scalars, a struct, an alternative, a field, a length or an element that a variable in scope already holds gives way to that
//! variable; so does a call with the same arguments of a function that doesn't print. Derived code is full of them: each
//! derivative computes its function anew. So does a small `tabulate` or `sum`. An operation that may fail or not end has done so the first time, so the second can go.

use std::fmt::Write;

use calculus::Prim;
use first_order::{Atom, Block, Function, FunctionId, Op, Program, Scalar, Type, Var};
use rustc_hash::FxHashMap;

use crate::analyses::effects::{self, Effects};
use crate::deep;
use crate::rewriting::rename::renumber;
use crate::rewriting::walk::{
    atoms_mut, blocks_mut, bound_mut, count_uses, each_op, end_atoms_mut, has_blocks, size_up_to,
};

pub fn run(program: &mut Program) {
    let effects = effects::of_functions(program);
    program.functions.iter_mut().for_each(|of| function(of, &effects));
}

fn function(function: &mut Function, effects: &[Effects]) {
    let instead = vec![None; function.vars.len()];
    let uses = count_uses(function);
    let mut known = Known { vars: &function.vars, effects, uses, seen: FxHashMap::default(), instead };
    known.block(&mut function.body);
    renumber(function);
}

/// What is computed, so that equal keys have equal values.
#[derive(PartialEq, Eq, Hash, Clone)]
enum Expression {
    Scalar(Scalar, Vec<Operand>),
    Struct(Type, Vec<Operand>),
    Inject(Type, u32, Operand),
    Field(Operand, u32),
    Call(FunctionId, Vec<Operand>),
    Len(Operand),
    Axis(Operand, u32),
    Flat(Operand),
    Dense(Operand),
    Collected(Operand),
    Require(Operand),
    Table(Type, String),
    Element(Operand, Vec<Operand>),
}

/// Larger bodies of `tabulate` and `sum` aren't compared.
const SMALL_TABLE: usize = 24;

fn rename(atom: &mut Atom, names: &FxHashMap<Var, Var>) {
    if let Atom::Var(var) = atom
        && let Some(name) = names.get(var)
    {
        *var = *name;
    }
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
    /// How often each variable is read.
    uses: Vec<u32>,
    /// What the variables in scope hold.
    seen: FxHashMap<Expression, Var>,
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
            }
            let Some(key) = self.key(statement.var, &statement.op) else { return true };
            if let Some(before) = self.seen.get(&key) {
                // A row would be one array instead of two: an update of one of them couldn't happen in place.
                let row = matches!(&statement.op, Op::Element(..)) && self.is_array(statement.var);
                if row && self.uses[statement.var.0 as usize] > 0 {
                    return true;
                }
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

    fn is_array(&self, var: Var) -> bool {
        matches!(self.vars[var.0 as usize], Type::Array(..))
    }

    /// What a small `tabulate` or `sum` computes: its text, with the variables it binds numbered anew.
    fn table(&self, op: &Op) -> Option<String> {
        let (Op::Tabulate { body, .. } | Op::Sum { body, .. }) = op else { return None };
        if size_up_to(body, SMALL_TABLE) > SMALL_TABLE {
            return None;
        }
        let mut prints = false;
        each_op(body, &mut |_, op| {
            prints |= match op {
                Op::Call(callee, _) => self.effects[callee.0 as usize].prints,
                Op::Prim { prim, .. } => *prim == Prim::Print,
                Op::Quiet(_) => true,
                _ => false,
            };
        });
        if prints {
            return None;
        }
        let mut op = op.clone();
        let mut names = FxHashMap::default();
        let mut text = String::new();
        self.canonical(&mut op, &mut names, &mut text);
        let _ = write!(text, "{op:?}");
        Some(text)
    }

    /// Numbers the variables that are bound inside an operation by their order; their types go to the text.
    fn canonical(&self, op: &mut Op, names: &mut FxHashMap<Var, Var>, text: &mut String) {
        let mut bind = |var: &mut Var, names: &mut FxHashMap<Var, Var>| {
            let _ = write!(text, "{:?};", self.vars[var.0 as usize]);
            let name = Var(u32::MAX - names.len() as u32);
            names.insert(*var, name);
            *var = name;
        };
        bound_mut(op, &mut |var| bind(var, names));
        blocks_mut(op, &mut |block| {
            for statement in &mut block.statements {
                atoms_mut(&mut statement.op, &mut |atom| rename(atom, names));
                deep(|| self.canonical(&mut statement.op, names, text));
                let _ = write!(text, "{:?};", self.vars[statement.var.0 as usize]);
                let name = Var(u32::MAX - names.len() as u32);
                names.insert(statement.var, name);
                statement.var = name;
                statement.span = base::Span::default();
            }
            end_atoms_mut(&mut block.end, &mut |atom| rename(atom, names));
        });
    }

    fn key(&self, var: Var, op: &Op) -> Option<Expression> {
        let of = || self.vars[var.0 as usize].clone();
        let operands = |atoms: &[Atom]| atoms.iter().map(operand).collect();
        match op {
            Op::Scalar(scalar, atoms) => Some(Expression::Scalar(*scalar, operands(atoms))),
            Op::Struct(fields) => Some(Expression::Struct(of(), operands(fields))),
            Op::Inject(tag, content) => Some(Expression::Inject(of(), *tag, operand(content))),
            Op::Field(whole, at) => Some(Expression::Field(operand(whole), *at)),
            Op::Tabulate { .. } | Op::Sum { .. } => Some(Expression::Table(of(), self.table(op)?)),
            Op::Len(array) => Some(Expression::Len(operand(array))),
            Op::Axis(array, axis) => Some(Expression::Axis(operand(array), *axis)),
            Op::Flat(array) => Some(Expression::Flat(operand(array))),
            Op::Dense(handle) => Some(Expression::Dense(operand(handle))),
            Op::Collected(array) => Some(Expression::Collected(operand(array))),
            Op::Require(condition, _) => Some(Expression::Require(operand(condition))),
            Op::Element(array, indices) => Some(Expression::Element(operand(array), operands(indices))),
            Op::Call(callee, args) if !self.effects[callee.0 as usize].prints => {
                Some(Expression::Call(*callee, operands(args)))
            }
            _ => None,
        }
    }
}
