//! Copies of blocks in which every variable bound inside is fresh.

use first_order::{Atom, Block, End, Op, Statement, Type, Var};
use rustc_hash::FxHashMap;

use crate::deep;
use crate::rewriting::walk::{atoms_mut, end_atoms_mut};

/// Copies blocks into the function whose variables are `vars`.
pub struct Copier<'a> {
    /// The variables of the function that is copied into.
    pub vars: &'a mut Vec<Type>,
    /// The variables of the function that is copied from, if it is another.
    pub from: Option<&'a [Type]>,
    /// What stands for the variables of the original; those not here stay.
    pub map: FxHashMap<Var, Atom>,
}

impl<'a> Copier<'a> {
    pub fn within(vars: &'a mut Vec<Type>) -> Copier<'a> {
        Copier { vars, from: None, map: FxHashMap::default() }
    }

    pub fn bind(&mut self, var: Var) -> Var {
        let of = match self.from {
            Some(types) => types[var.0 as usize].clone(),
            None => self.vars[var.0 as usize].clone(),
        };
        let fresh = Var(self.vars.len() as u32);
        self.vars.push(of);
        self.map.insert(var, Atom::Var(fresh));
        fresh
    }

    pub fn atom(&self, atom: &Atom) -> Atom {
        match atom {
            Atom::Var(var) => self.map.get(var).unwrap_or(atom).clone(),
            constant => constant.clone(),
        }
    }

    pub fn block(&mut self, block: &Block) -> Block {
        let statements = block.statements.iter().map(|statement| self.statement(statement)).collect();
        Block { statements, end: self.end(&block.end) }
    }

    pub fn end(&self, end: &End) -> End {
        let mut end = end.clone();
        end_atoms_mut(&mut end, &mut |atom| *atom = self.atom(atom));
        end
    }

    pub fn statement(&mut self, statement: &Statement) -> Statement {
        let op = match &statement.op {
            Op::If(condition, then, otherwise) => {
                let condition = self.atom(condition);
                deep(|| Op::If(condition, Box::new(self.block(then)), Box::new(self.block(otherwise))))
            }
            Op::Switch(on, arms) => {
                let on = self.atom(on);
                let arms = arms.iter().map(|(var, block)| (self.bind(*var), deep(|| self.block(block)))).collect();
                Op::Switch(on, arms)
            }
            Op::Loop { params, body } => {
                let first: Vec<Atom> = params.iter().map(|(_, first)| self.atom(first)).collect();
                let params = params.iter().zip(first).map(|((var, _), first)| (self.bind(*var), first)).collect();
                Op::Loop { params, body: Box::new(deep(|| self.block(body))) }
            }
            Op::Tabulate { n, index, body } => {
                let (n, index) = (self.atom(n), self.bind(*index));
                Op::Tabulate { n, index, body: Box::new(deep(|| self.block(body))) }
            }
            Op::Sum { n, index, body } => {
                let (n, index) = (self.atom(n), self.bind(*index));
                Op::Sum { n, index, body: Box::new(deep(|| self.block(body))) }
            }
            simple => {
                let mut op = simple.clone();
                atoms_mut(&mut op, &mut |atom| *atom = self.atom(atom));
                op
            }
        };
        Statement { var: self.bind(statement.var), op, span: statement.span }
    }
}
