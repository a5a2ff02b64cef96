//! Writes a function anew so that an accumulator goes through it, as planned.

use base::Span;
use calculus::Prim;
use first_order::{Atom, Block, End, Function, Op, Scalar, ShapeId, Statement, Type, Var};
use rustc_hash::FxHashMap;

use super::flow::{Definition, Flow, Source, as_var, is_additive, is_empty, leaves, maybe};
use super::plan::{Exit, Plan, addition};
use crate::deep;

/// What is added up.
#[derive(Clone)]
pub struct Sum {
    pub rank: u32,
    /// The shape of its sensitivities, for the primitive that adds them.
    pub shape: ShapeId,
    /// Does it begin with symbolic zeros, which say where nothing was added?
    pub keeps_zeros: bool,
}

impl Sum {
    pub fn array(&self) -> Type {
        Type::Array(Type::Real.into(), self.rank)
    }
}

pub struct Threader<'a, 'p> {
    pub flow: &'p Flow<'a>,
    pub plan: &'p Plan,
    pub vars: &'p mut Vec<Type>,
    pub sum: &'p Sum,
}

/// Statements that are being written, and the place in the source they are for.
pub struct Written {
    pub statements: Vec<Statement>,
    pub span: Span,
}

impl Written {
    pub fn new(span: Span) -> Written {
        Written { statements: vec![], span }
    }
}

impl<'a> Threader<'a, '_> {
    pub fn fresh(&mut self, of: Type) -> Var {
        self.vars.push(of);
        Var(self.vars.len() as u32 - 1)
    }

    pub fn write(&mut self, out: &mut Written, of: Type, op: Op) -> Atom {
        let var = self.fresh(of);
        out.statements.push(Statement { var, op, span: out.span });
        Atom::Var(var)
    }

    pub fn type_of(&self, atom: &Atom) -> Type {
        type_of(self.vars, atom)
    }

    /// An array of one number with these lengths.
    pub fn array_of(&mut self, number: f64, lengths: Vec<Atom>, out: &mut Written) -> Atom {
        let index = self.fresh(Type::Int);
        let body = Box::new(Block { statements: vec![], end: End::Yield(Atom::Real(number)) });
        let vector = Type::Array(Type::Real.into(), 1);
        if let [n] = &lengths[..] {
            return self.write(out, vector, Op::Tabulate { n: n.clone(), index, body });
        }
        let mut n = lengths[0].clone();
        for length in &lengths[1..] {
            n = self.write(out, Type::Int, Op::Scalar(Scalar::IntMul, vec![n, length.clone()]));
        }
        let n = self.write(out, Type::Int, Op::Scalar(Scalar::Length, vec![n]));
        let numbers = self.write(out, vector, Op::Tabulate { n, index, body });
        let of = self.sum.array();
        self.write(out, of, Op::Shaped(numbers, lengths))
    }

    fn with_sum(&self, of: &Type) -> Type {
        Type::Struct([of.clone(), self.sum.array()].into())
    }

    /// The function, which takes the accumulator as its last parameter and gives it back beside its result.
    pub fn function(mut self, exits: &[Exit]) -> Function {
        let function = self.flow.function;
        let accumulator = self.fresh(self.sum.array());
        let exits = by_block(exits);
        let body = self.region(&function.body, Atom::Var(accumulator), &exits);
        Function {
            name: function.name.clone(),
            params: function.params.iter().copied().chain([accumulator]).collect(),
            result: self.with_sum(&function.result),
            body,
            vars: self.vars.clone(),
            span: function.span,
        }
    }

    /// A block of a region: its value is a pair with the accumulator.
    fn region(&mut self, block: &Block, mut accumulator: Atom, exits: &FxHashMap<u32, &Exit>) -> Block {
        let id = self.flow.id(block);
        let mut out = Written::new(Span::default());
        let (last, others) = match block.statements.split_last() {
            Some((last, others)) if self.plan.ways.contains(&last.var) => (Some(last), others),
            _ => (None, &block.statements[..]),
        };
        for statement in others {
            accumulator = self.statement(statement, accumulator, &mut out);
        }
        if let Some(last) = last {
            out.span = last.span;
            let op = self.ways(&last.op, &accumulator, exits);
            let of = self.with_sum(&self.flow.type_of(last.var).clone());
            let value = self.write(&mut out, of, op);
            return Block { statements: out.statements, end: End::Yield(value) };
        }
        out.span = block.statements.last().map_or(Span::default(), |last| last.span);
        let end = match (&block.end, exits.get(&id)) {
            (End::Never, _) => End::Never,
            (end, Some(exit)) => {
                for source in &exit.added {
                    accumulator = self.add(source, accumulator, &mut out);
                }
                self.end(end, exit, accumulator, &mut out)
            }
            (end, None) => unreachable!("accumulators: an end that isn't planned: {end:?}"),
        };
        Block { statements: out.statements, end }
    }

    fn end(&mut self, end: &End, exit: &Exit, accumulator: Atom, out: &mut Written) -> End {
        let emptied = |this: &mut Self, at: usize, atom: &Atom, out: &mut Written| {
            let paths: Vec<Vec<u32>> =
                exit.emptied.iter().filter(|(other, _)| *other == at).map(|(_, path)| path.clone()).collect();
            this.emptied(atom, &paths, out)
        };
        match end {
            End::Yield(atom) => {
                let value = emptied(self, 0, atom, out);
                let of = self.with_sum(&type_of(self.vars, &value));
                End::Yield(self.write(out, of, Op::Struct(vec![value, accumulator])))
            }
            End::Again(atoms) => {
                let mut next = vec![];
                for (at, atom) in atoms.iter().enumerate() {
                    next.push(emptied(self, at, atom, out));
                }
                next.push(accumulator);
                End::Again(next)
            }
            End::Never => End::Never,
        }
    }

    fn ways(&mut self, op: &Op, accumulator: &Atom, exits: &FxHashMap<u32, &Exit>) -> Op {
        match op {
            Op::If(condition, then, otherwise) => {
                let then = deep(|| self.region(then, accumulator.clone(), exits));
                let otherwise = deep(|| self.region(otherwise, accumulator.clone(), exits));
                Op::If(condition.clone(), Box::new(then), Box::new(otherwise))
            }
            Op::Switch(on, arms) => {
                let mut written = vec![];
                for (var, arm) in arms {
                    written.push((*var, deep(|| self.region(arm, accumulator.clone(), exits))));
                }
                Op::Switch(on.clone(), written)
            }
            other => unreachable!("accumulators: no choice: {other:?}"),
        }
    }

    /// A statement, and what the accumulator is after it.
    pub fn statement(&mut self, statement: &Statement, accumulator: Atom, out: &mut Written) -> Atom {
        let Some(taking) = self.plan.takes.get(&statement.var) else {
            out.statements.push(statement.clone());
            return accumulator;
        };
        // Blocks are known by where they are: this is the same statement where the plan was made.
        let Some(Definition::Made(statement)) = self.flow.definition(statement.var) else {
            unreachable!("accumulators: a statement of the function")
        };
        out.span = statement.span;
        let exits = by_block(&taking.exits);
        let emptied_of = |at: usize| -> Vec<Vec<u32>> {
            taking.emptied.iter().filter(|(other, _)| *other == at).map(|(_, path)| path.clone()).collect()
        };
        let op = match &statement.op {
            Op::Loop { params, body } => {
                let mut first = vec![];
                for (at, (var, atom)) in params.iter().enumerate() {
                    first.push((*var, self.emptied(atom, &emptied_of(at), out)));
                }
                let own = self.fresh(self.sum.array());
                first.push((own, accumulator));
                Op::Loop { params: first, body: Box::new(deep(|| self.region(body, Atom::Var(own), &exits))) }
            }
            Op::Call(_, args) => {
                let mut given = vec![];
                for (at, atom) in args.iter().enumerate() {
                    given.push(self.emptied(atom, &emptied_of(at), out));
                }
                given.push(accumulator);
                Op::Call(taking.callee.expect("accumulators: a version of what is called"), given)
            }
            choice => self.ways(choice, &accumulator, &exits),
        };
        let of = self.with_sum(&self.flow.type_of(statement.var).clone());
        let both = self.write(out, of, op);
        out.statements.push(Statement { var: statement.var, op: Op::Field(both.clone(), 0), span: statement.span });
        self.write(out, self.sum.array(), Op::Field(both, 1))
    }

    /// The accumulator with a source added to it.
    pub fn add(&mut self, source: &Source, accumulator: Atom, out: &mut Written) -> Atom {
        if let Some(addition) = addition(self.flow, source) {
            return self.add_in_place(&addition, accumulator, out);
        }
        let atom = self.part(&Atom::Var(source.var), &source.path, out);
        self.add_value(atom, accumulator, out)
    }

    /// The leaf at a path.
    fn part(&mut self, atom: &Atom, path: &[u32], out: &mut Written) -> Atom {
        let of = type_of(self.vars, atom);
        let Some((first, rest)) = path.split_first() else { return atom.clone() };
        if let Type::Struct(fields) = &of {
            let field = self.write(out, fields[*first as usize].clone(), Op::Field(atom.clone(), *first));
            return deep(|| self.part(&field, rest, out));
        }
        let (something, content) = maybe(&of).expect("accumulators: a leaf's path goes through structs and choices");
        let result = Type::Sum([Type::unit(), Type::Handle].into());
        let arms = self.arms(something, content, |this, given, out| match given {
            None => this.write(out, result.clone(), Op::Inject(0, Atom::Unit)),
            Some(given) => {
                let leaf = deep(|| this.part(&given, path, out));
                match type_of(this.vars, &leaf) {
                    Type::Handle => this.write(out, result.clone(), Op::Inject(1, leaf)),
                    of if of == result => leaf,
                    of => this.turned(leaf, &of, &result, out),
                }
            }
        });
        self.write(out, result, Op::Switch(atom.clone(), arms))
    }

    /// A choice between the symbolic zero and a sensitivity, in the other order.
    fn turned(&mut self, atom: Atom, of: &Type, result: &Type, out: &mut Written) -> Atom {
        let (something, content) = maybe(of).expect("accumulators: a leaf");
        let arms = self.arms(something, content, |this, given, out| {
            let (which, content) = given.map_or((0, Atom::Unit), |given| (1, given));
            this.write(out, result.clone(), Op::Inject(which, content))
        });
        self.write(out, result.clone(), Op::Switch(atom, arms))
    }

    /// The two arms of a switch on something or nothing.
    fn arms(
        &mut self,
        something: u32,
        content: &Type,
        mut make: impl FnMut(&mut Self, Option<Atom>, &mut Written) -> Atom,
    ) -> Vec<(Var, Block)> {
        (0..2)
            .map(|which| {
                let is_something = which == something;
                let var = self.fresh(if is_something { content.clone() } else { Type::unit() });
                let mut out = Written::new(Span::default());
                let value = make(self, is_something.then_some(Atom::Var(var)), &mut out);
                (var, Block { statements: out.statements, end: End::Yield(value) })
            })
            .collect()
    }

    /// Adds a handle, a handle or nothing, or an array of numbers.
    fn add_value(&mut self, atom: Atom, accumulator: Atom, out: &mut Written) -> Atom {
        let of = type_of(self.vars, &atom);
        if let Some((something, content)) = maybe(&of) {
            let span = out.span;
            let arms = self.arms(something, content, |this, given, out| {
                out.span = span;
                match given {
                    None => accumulator.clone(),
                    Some(given) => deep(|| this.add_value(given, accumulator.clone(), out)),
                }
            });
            return self.write(out, self.sum.array(), Op::Switch(atom, arms));
        }
        let atom = match of {
            Type::Handle => atom,
            _ => self.write(out, Type::Handle, Op::Collected(atom)),
        };
        let collected = self.write(out, Type::Handle, Op::Collected(accumulator));
        let shape = self.sum.shape;
        let op = Op::Prim { prim: Prim::Plus, args: vec![collected, atom], shapes: vec![shape, shape], result: shape };
        let sum = self.write(out, Type::Handle, op);
        self.write(out, self.sum.array(), Op::Dense(sum))
    }

    /// The value with the leaves at these paths zero.
    fn emptied(&mut self, atom: &Atom, paths: &[Vec<u32>], out: &mut Written) -> Atom {
        if paths.is_empty() {
            return atom.clone();
        }
        let of = type_of(self.vars, atom);
        if is_additive(&of) && as_var(atom).is_some_and(|var| (var.0 as usize) < self.flow.function.vars.len()) {
            let rest = leaves(&of).into_iter().filter(|path| !paths.contains(path));
            let is_zero = |path: Vec<u32>| self.flow.is_zero(atom, &path, &|source| self.is_emptied(source));
            let rest: Vec<Vec<u32>> = rest.collect();
            if rest.into_iter().all(is_zero) {
                return self.zero(atom, &of, out);
            }
        }
        if paths.iter().any(Vec::is_empty) {
            return self.zero(atom, &of, out);
        }
        if let Type::Struct(fields) = &of {
            return self.rebuilt(atom, fields, out, |this, at, field, out| {
                let inner: Vec<Vec<u32>> =
                    paths.iter().filter(|path| path[0] == at).map(|path| path[1..].to_vec()).collect();
                deep(|| this.emptied(&field, &inner, out))
            });
        }
        let (something, content) = maybe(&of).expect("accumulators: a leaf's path goes through structs and choices");
        let arms = self.arms(something, content, |this, given, out| {
            let content = match given {
                None => Atom::Unit,
                Some(given) => deep(|| this.emptied(&given, paths, out)),
            };
            let which = if content == Atom::Unit { 1 - something } else { something };
            this.write(out, of.clone(), Op::Inject(which, content))
        });
        self.write(out, of.clone(), Op::Switch(atom.clone(), arms))
    }

    fn is_emptied(&self, source: &Source) -> bool {
        self.plan.takes.get(&source.var).is_some_and(|taking| taking.path == source.path)
    }

    fn rebuilt(
        &mut self,
        atom: &Atom,
        fields: &[Type],
        out: &mut Written,
        mut make: impl FnMut(&mut Self, u32, Atom, &mut Written) -> Atom,
    ) -> Atom {
        let mut parts = vec![];
        for (at, field) in (0..).zip(fields) {
            let part = self.write(out, field.clone(), Op::Field(atom.clone(), at));
            parts.push(make(self, at, part, out));
        }
        self.write(out, Type::Struct(fields.into()), Op::Struct(parts))
    }

    /// The value of this type in which all leaves are zero, otherwise as it is.
    fn zero(&mut self, atom: &Atom, of: &Type, out: &mut Written) -> Atom {
        if is_empty(of) || leaves(of).is_empty() {
            return atom.clone();
        }
        if let Some((something, _)) = maybe(of) {
            return self.write(out, of.clone(), Op::Inject(1 - something, Atom::Unit));
        }
        match of {
            Type::Struct(fields) => self.rebuilt(atom, fields, out, |this, at, field, out| {
                deep(|| this.zero(&field, &fields[at as usize], out))
            }),
            // Nobody looks at it.
            _ => {
                let empty = self.write(out, Type::Array(Type::Real.into(), self.sum.rank), Op::Array(vec![]));
                self.write(out, Type::Handle, Op::Collected(empty))
            }
        }
    }
}

fn by_block(exits: &[Exit]) -> FxHashMap<u32, &Exit> {
    exits.iter().map(|exit| (exit.block, exit)).collect()
}

fn type_of(vars: &[Type], atom: &Atom) -> Type {
    match atom {
        Atom::Var(var) => vars[var.0 as usize].clone(),
        Atom::Unit => Type::unit(),
        Atom::Bool(_) => Type::Bool,
        Atom::Int(_) => Type::Int,
        Atom::Real(_) => Type::Real,
    }
}
