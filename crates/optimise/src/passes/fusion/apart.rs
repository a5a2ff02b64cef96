//! Choices that yield the elements of an array, taken apart: what only tells which way was gone is a choice of its own.
//!
//! `v = if c { … {x, inject 0 ()} } else { … {y, inject 1 ()} }` becomes `w = if c { … {x} } else { … {y} }`, `k = if c { {inject 0 ()} } else { {inject 1 ()} }` and
//! `v = {w.0, k.0}`. A plan may then compute `k` again in one place and move `w` to another. (A branch in a comprehension yields a number and a backpropagator of its
//! own on each side.)

use base::Span;
use first_order::{Atom, Block, End, Function, Op, Statement, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::deep;
use crate::rewriting::copy::Copier;
use crate::rewriting::walk::{blocks_mut, each_op, has_blocks};

/// Is there an array whose elements are structs that a choice yields?
pub fn applies(function: &Function) -> bool {
    let mut found = false;
    each_op(&function.body, &mut |_, op| {
        if let Op::Tabulate { body, .. } = op
            && let (End::Yield(Atom::Var(value)), Some(last)) = (&body.end, body.statements.last())
        {
            let is_struct = matches!(&function.vars[value.0 as usize], Type::Struct(types) if types.len() > 1);
            found |= last.var == *value && is_struct && arms(&last.op).is_some();
        }
    });
    found
}

/// Takes the choices of these arrays' elements apart; was there one?
pub fn apart(function: &mut Function, tables: &FxHashSet<Var>) -> bool {
    let Function { vars, body, .. } = function;
    let mut apart = Apart { vars, tables, found: false };
    apart.block(body);
    apart.found
}

struct Apart<'a> {
    vars: &'a mut Vec<Type>,
    tables: &'a FxHashSet<Var>,
    found: bool,
}

impl Apart<'_> {
    fn block(&mut self, block: &mut Block) {
        for Statement { var, op, .. } in &mut block.statements {
            if has_blocks(op) {
                deep(|| blocks_mut(op, &mut |block| self.block(block)));
            }
            if let Op::Tabulate { body, .. } = op
                && self.tables.contains(var)
            {
                self.body(body);
            }
        }
    }

    fn body(&mut self, body: &mut Block) {
        let (End::Yield(Atom::Var(value)), Some(last)) = (&body.end, body.statements.last()) else { return };
        let Type::Struct(types) = self.vars[value.0 as usize].clone() else { return };
        if last.var != *value {
            return;
        }
        let Some(arms) = arms(&last.op) else { return };
        let Some(fields) = arms.iter().map(|arm| fields(arm)).collect::<Option<Vec<&[Atom]>>>() else { return };
        let is_known = |at: usize| arms.iter().zip(&fields).all(|(arm, fields)| is_known(&fields[at], arm));
        let (known, computed): (Vec<usize>, Vec<usize>) = (0..types.len()).partition(|at| is_known(*at));
        // Where a field holds nothing there is nothing to take apart.
        if computed.is_empty() || known.iter().all(|at| types[*at] == Type::unit()) {
            return;
        }
        let Some(Statement { var, op, span }) = body.statements.pop() else { return };
        let out = &mut body.statements;
        let parts = [computed, known].map(|parts| (self.choice(&op, &types, &parts, span, out), parts));
        let mut all = vec![Atom::Unit; types.len()];
        for (choice, parts) in parts {
            if let [part] = parts[..] {
                all[part] = Atom::Var(choice);
                continue;
            }
            for (at, part) in (0..).zip(parts) {
                let field = self.fresh(types[part].clone());
                out.push(Statement { var: field, op: Op::Field(Atom::Var(choice), at), span });
                all[part] = Atom::Var(field);
            }
        }
        out.push(Statement { var, op: Op::Struct(all), span });
        self.found = true;
    }

    fn fresh(&mut self, of: Type) -> Var {
        self.vars.push(of);
        Var(self.vars.len() as u32 - 1)
    }

    /// The choice with these fields alone.
    fn choice(&mut self, op: &Op, types: &[Type], parts: &[usize], span: Span, out: &mut Vec<Statement>) -> Var {
        let of = match parts {
            [part] => types[*part].clone(),
            parts => Type::Struct(parts.iter().map(|at| types[*at].clone()).collect()),
        };
        let var = self.fresh(of.clone());
        let mut copier = Copier::within(self.vars);
        let Statement { op: mut copy, .. } = copier.statement(&Statement { var, op: op.clone(), span });
        blocks_mut(&mut copy, &mut |arm| {
            let Some(all) = fields(arm).map(<[Atom]>::to_vec) else { return };
            if let [part] = parts {
                arm.end = End::Yield(all[*part].clone());
                *arm = super::plan::pruned(arm);
                return;
            }
            self.vars.push(of.clone());
            let value = Var(self.vars.len() as u32 - 1);
            let kept = parts.iter().map(|at| all[*at].clone()).collect();
            arm.statements.push(Statement { var: value, op: Op::Struct(kept), span });
            arm.end = End::Yield(Atom::Var(value));
            *arm = super::plan::pruned(arm);
        });
        out.push(Statement { var, op: copy, span });
        var
    }
}

/// The arms of a choice.
fn arms(op: &Op) -> Option<Vec<&Block>> {
    match op {
        Op::If(_, then, otherwise) => Some(vec![then, otherwise]),
        Op::Switch(_, arms) => Some(arms.iter().map(|(_, arm)| arm).collect()),
        _ => None,
    }
}

/// The fields of the struct that a block yields.
fn fields(block: &Block) -> Option<&[Atom]> {
    let (End::Yield(Atom::Var(value)), Some(last)) = (&block.end, block.statements.last()) else { return None };
    match &last.op {
        Op::Struct(fields) if last.var == *value => Some(fields),
        _ => None,
    }
}

/// Is it put together from constants alone?
fn is_known(atom: &Atom, arm: &Block) -> bool {
    let made: FxHashMap<Var, &Op> = arm.statements.iter().map(|statement| (statement.var, &statement.op)).collect();
    let mut waiting = vec![atom];
    while let Some(atom) = waiting.pop() {
        let Atom::Var(var) = atom else { continue };
        match made.get(var) {
            Some(op @ (Op::Struct(_) | Op::Inject(..))) => op.atoms(&mut |atom| waiting.push(atom)),
            _ => return false,
        }
    }
    true
}
