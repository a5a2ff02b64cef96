//! Scalar replacement of parameters: those of functions and loops that are structs become a parameter for each part.
//!
//! Afterwards parts that aren't used or never change are seen as such. The entry keeps its parameters.

use base::Span;
use first_order::{Atom, Block, End, Op, Program, Statement, Type, Var};

use crate::deep;
use crate::rewriting::rename::renumber;
use crate::rewriting::walk::{blocks_mut, has_blocks};

/// A struct of more parts than this stays whole.
const MAX_PARTS: usize = 1000;

pub fn run(program: &mut Program) {
    let split: Vec<Vec<bool>> = program
        .functions
        .iter()
        .enumerate()
        .map(|(id, function)| {
            let entry = id == program.entry.0 as usize;
            function.params.iter().map(|var| !entry && is_split(&function.vars[var.0 as usize])).collect()
        })
        .collect();
    for (function, own) in program.functions.iter_mut().zip(&split) {
        let body = std::mem::replace(&mut function.body, crate::rewriting::walk::empty());
        let mut splitter = Splitter { vars: &mut function.vars, split: &split };
        let body = splitter.body(&mut function.params, own, body, function.span);
        function.body = body;
        renumber(function);
    }
}

/// Is a parameter of this type passed by its parts?
fn is_split(of: &Type) -> bool {
    matches!(of, Type::Struct(_)) && parts(of, MAX_PARTS + 1) <= MAX_PARTS
}

/// How many parts a type has, up to a limit.
fn parts(of: &Type, limit: usize) -> usize {
    match of {
        Type::Struct(fields) => {
            let mut count = 0;
            for field in fields.iter() {
                if count >= limit {
                    break;
                }
                count += parts(field, limit - count);
            }
            count
        }
        _ => 1,
    }
}

struct Splitter<'a> {
    vars: &'a mut Vec<Type>,
    /// Which parameters of each function are split.
    split: &'a [Vec<bool>],
}

impl Splitter<'_> {
    fn body(&mut self, params: &mut Vec<Var>, split: &[bool], body: Block, span: Span) -> Block {
        let mut new = vec![];
        let mut out = vec![];
        for (param, split) in params.iter().zip(split) {
            if *split {
                let of = self.vars[param.0 as usize].clone();
                self.joined(*param, &of, span, &mut new, &mut out);
            } else {
                new.push(*param);
            }
        }
        *params = new;
        self.block(body, None, out, span)
    }

    fn fresh(&mut self, of: Type) -> Var {
        self.vars.push(of);
        Var(self.vars.len() as u32 - 1)
    }

    /// Binds the struct to what new parameters hold.
    fn joined(&mut self, var: Var, of: &Type, span: Span, params: &mut Vec<Var>, out: &mut Vec<Statement>) {
        let Type::Struct(fields) = of else { return params.push(var) };
        let mut atoms = vec![];
        for field in fields.iter() {
            let part = self.fresh(field.clone());
            self.joined(part, field, span, params, out);
            atoms.push(Atom::Var(part));
        }
        out.push(Statement { var, op: Op::Struct(atoms), span });
    }

    /// The parts of an atom.
    fn taken(&mut self, atom: Atom, of: &Type, span: Span, atoms: &mut Vec<Atom>, out: &mut Vec<Statement>) {
        let Type::Struct(fields) = of else { return atoms.push(atom) };
        for (i, field) in fields.iter().enumerate() {
            let part = self.fresh(field.clone());
            out.push(Statement { var: part, op: Op::Field(atom.clone(), i as u32), span });
            self.taken(Atom::Var(part), field, span, atoms, out);
        }
    }

    fn arguments(&mut self, args: Vec<Atom>, split: &[bool], span: Span, out: &mut Vec<Statement>) -> Vec<Atom> {
        let mut atoms = vec![];
        for (arg, split) in args.into_iter().zip(split) {
            match &arg {
                Atom::Var(var) if *split => {
                    let of = self.vars[var.0 as usize].clone();
                    self.taken(arg, &of, span, &mut atoms, out);
                }
                Atom::Unit if *split => {}
                _ => atoms.push(arg),
            }
        }
        atoms
    }

    /// `again`: which parameters of the loop around are split.
    fn block(&mut self, block: Block, again: Option<&[bool]>, mut out: Vec<Statement>, mut span: Span) -> Block {
        let mut end = block.end;
        for mut statement in block.statements {
            span = statement.span;
            statement.op = match statement.op {
                Op::Call(callee, args) => {
                    let split = self.split;
                    Op::Call(callee, self.arguments(args, &split[callee.0 as usize], span, &mut out))
                }
                Op::Loop { params, body } => deep(|| self.repeat(params, *body, span, &mut out)),
                mut op => {
                    if has_blocks(&op) {
                        let again = if matches!(op, Op::Tabulate { .. } | Op::Sum { .. }) { None } else { again };
                        deep(|| {
                            blocks_mut(&mut op, &mut |block| {
                                let inner = std::mem::replace(block, crate::rewriting::walk::empty());
                                *block = self.block(inner, again, vec![], span);
                            });
                        });
                    }
                    op
                }
            };
            out.push(statement);
        }
        if let (End::Again(atoms), Some(split)) = (&mut end, again) {
            *atoms = self.arguments(std::mem::take(atoms), split, span, &mut out);
        }
        Block { statements: out, end }
    }

    fn repeat(&mut self, params: Vec<(Var, Atom)>, body: Block, span: Span, out: &mut Vec<Statement>) -> Op {
        let split: Vec<bool> = params.iter().map(|(var, _)| is_split(&self.vars[var.0 as usize])).collect();
        let (vars, first): (Vec<Var>, Vec<Atom>) = params.into_iter().unzip();
        let first = self.arguments(first, &split, span, out);
        let (mut new, mut start) = (vec![], vec![]);
        for (var, split) in vars.into_iter().zip(&split) {
            if *split {
                let of = self.vars[var.0 as usize].clone();
                self.joined(var, &of, span, &mut new, &mut start);
            } else {
                new.push(var);
            }
        }
        let body = self.block(body, Some(&split), start, span);
        Op::Loop { params: new.into_iter().zip(first).collect(), body: Box::new(body) }
    }
}
