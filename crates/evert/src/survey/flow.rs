//! Which variables of an L3 program may hold what a statement makes.
//!
//! In: a program, a statement. Out: variables, those of other functions included. It goes by types: a part of something that
//! holds the object may hold it if its type has room for it. Nothing is said about what primitives do with it.

use std::collections::BTreeSet;

use super::Place;
use first_order::{Atom, Block, End, FunctionId, Op, Program, Statement, Type, Var, deep};

pub type Holders = BTreeSet<(FunctionId, Var)>;

pub fn holders(program: &Program, place: Place) -> Holders {
    let what = &program.functions[place.function.0 as usize].vars[place.var.0 as usize];
    let mut flow = Flow {
        program,
        what,
        held: Holders::from([(place.function, place.var)]),
        results: BTreeSet::new(),
        function: place.function,
    };
    loop {
        let before = (flow.held.len(), flow.results.len());
        for (id, function) in (0..).zip(&program.functions) {
            flow.function = FunctionId(id);
            flow.block(&function.body, None, &[]);
        }
        if before == (flow.held.len(), flow.results.len()) {
            return flow.held;
        }
    }
}

struct Flow<'p> {
    program: &'p Program,
    what: &'p Type,
    held: Holders,
    /// Functions whose result may hold it.
    results: BTreeSet<FunctionId>,
    /// The one that is looked at.
    function: FunctionId,
}

impl Flow<'_> {
    fn holds(&self, atom: &Atom) -> bool {
        matches!(atom, Atom::Var(var) if self.held.contains(&(self.function, *var)))
    }

    /// What is in the atom may be in the variable.
    fn to(&mut self, atom: &Atom, var: Var) {
        if self.holds(atom) {
            self.reach(self.function, var);
        }
    }

    fn reach(&mut self, function: FunctionId, var: Var) {
        let ty = &self.program.functions[function.0 as usize].vars[var.0 as usize];
        if has_room(self.program, ty, self.what, &mut vec![]) {
            self.held.insert((function, var));
        }
    }

    /// `value`: who gets the value of the block; `None`: the function's caller. `again`: the parameters of the innermost loop.
    fn block(&mut self, block: &Block, value: Option<Var>, again: &[Var]) {
        deep(|| {
            for statement in &block.statements {
                self.statement(statement, again);
            }
            match (&block.end, value) {
                (End::Yield(atom), Some(var)) => self.to(atom, var),
                (End::Yield(atom), None) if self.holds(atom) => {
                    self.results.insert(self.function);
                }
                (End::Again(atoms), _) => atoms.iter().zip(again).for_each(|(atom, var)| self.to(atom, *var)),
                (End::Yield(_) | End::Never, _) => {}
            }
        });
    }

    fn statement(&mut self, Statement { var, op, .. }: &Statement, again: &[Var]) {
        match op {
            Op::If(_, then, otherwise) => {
                self.block(then, Some(*var), again);
                self.block(otherwise, Some(*var), again);
            }
            Op::Switch(sum, arms) => {
                for (content, arm) in arms {
                    self.to(sum, *content);
                    self.block(arm, Some(*var), again);
                }
            }
            Op::Loop { params, body } => {
                params.iter().for_each(|(param, first)| self.to(first, *param));
                let params: Vec<Var> = params.iter().map(|(param, _)| *param).collect();
                self.block(body, Some(*var), &params);
            }
            Op::Tabulate { body, .. } => self.block(body, Some(*var), &[]),
            Op::Call(callee, args) => {
                let params = &self.program.functions[callee.0 as usize].params;
                for (arg, param) in args.iter().zip(params) {
                    if self.holds(arg) {
                        self.reach(*callee, *param);
                    }
                }
                if self.results.contains(callee) {
                    self.reach(self.function, *var);
                }
            }
            // Something else comes out of these.
            Op::Prim { .. } | Op::Scalar(..) | Op::Len(_) | Op::Axis(..) => {}
            other => {
                other.atoms(&mut |atom| self.to(atom, *var));
                other.blocks(&mut |_, block| self.block(block, Some(*var), &[]));
            }
        }
    }
}

fn has_room(program: &Program, ty: &Type, what: &Type, seen: &mut Vec<Type>) -> bool {
    if ty == what {
        return true;
    }
    match ty {
        Type::Struct(parts) | Type::Sum(parts) => parts.iter().any(|part| has_room(program, part, what, seen)),
        Type::Array(element, _) => has_room(program, element, what, seen),
        Type::Named(id) if !seen.contains(ty) => {
            seen.push(ty.clone());
            has_room(program, &program.types[id.0 as usize].content, what, seen)
        }
        Type::Named(_) | Type::Bool | Type::Int | Type::Real | Type::Text | Type::Handle => false,
    }
}
