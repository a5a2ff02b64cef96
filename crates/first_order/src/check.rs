//! The rules of L3. What makes or changes programs is checked by this after every pass.
//!
//! In: a program. Out: nothing, or every rule that it breaks. Never panics and never runs forever, whatever the program.

mod ops;
mod tables;
mod types;
mod views;
mod violation;

use base::Span;

use crate::shape::ShapeId;
use crate::term::{Atom, Block, End, Function, FunctionId, Op, Program, Type, Var};

use types::Types;
pub use violation::{Rule, Violation};

/// Is the program well-formed?
pub fn check(program: &Program) -> Result<(), Vec<Violation>> {
    let types = Types::new(program.types.len());
    let mut violations = tables::check(program, &types);
    if violations.is_empty() {
        let ids = 0..program.shapes.0.len() as u32;
        let of_shapes: Vec<Type> = ids.map(|id| program.shapes.type_of(ShapeId(id))).collect();
        for (id, function) in program.functions.iter().enumerate() {
            let mut checker = Checker::new(program, &types, &of_shapes, FunctionId(id as u32), function);
            checker.function();
            violations.extend(checker.violations);
        }
        violations.extend(entry(program, &types, &of_shapes));
    }
    if violations.is_empty() { Ok(()) } else { Err(violations) }
}

/// The entry takes and gives values of the program's shapes.
fn entry(program: &Program, types: &Types, of_shapes: &[Type]) -> Vec<Violation> {
    let mut violations = vec![];
    let mut report = |rule| {
        violations.push(Violation { function: Some(program.entry), span: Span::default(), rule });
    };
    let Some(function) = program.functions.get(program.entry.0 as usize) else {
        report(Rule::UnknownFunction(program.entry));
        return violations;
    };
    if function.params.len() != program.parameters.len() {
        report(Rule::Count { expected: program.parameters.len(), found: function.params.len() });
    }
    let params = function.params.iter().map(|var| function.vars.get(var.0 as usize).cloned());
    let border = program.parameters.iter().zip(params).chain([(&program.result, Some(function.result.clone()))]);
    for (shape, found) in border {
        let expected = &of_shapes[shape.0 as usize];
        if let Some(found) = found.filter(|found| !types.same(found, expected)) {
            report(Rule::Mismatch { expected: expected.clone(), found });
        }
    }
    violations
}

struct Checker<'a> {
    program: &'a Program,
    types: &'a Types,
    /// How values of each shape are represented.
    of_shapes: &'a [Type],
    id: FunctionId,
    function: &'a Function,
    violations: Vec<Violation>,
    bound: Vec<bool>,
    visible: Vec<bool>,
    /// What is visible, in the order it was bound.
    scope: Vec<Var>,
    /// The statement that is being checked.
    span: Span,
}

/// What the blocks around a block let it do.
#[derive(Clone, Copy)]
struct Around<'a> {
    /// The parameters of the innermost loop.
    again: Option<&'a [(Var, Atom)]>,
    /// Is the value of the block that of the loop's body?
    tail: bool,
}

const NOTHING: Around<'static> = Around { again: None, tail: false };

impl<'a> Checker<'a> {
    fn new(
        program: &'a Program,
        types: &'a Types,
        of_shapes: &'a [Type],
        id: FunctionId,
        function: &'a Function,
    ) -> Checker<'a> {
        let vars = function.vars.len();
        let (bound, visible) = (vec![false; vars], vec![false; vars]);
        let span = function.span;
        Checker { program, types, of_shapes, id, function, violations: vec![], bound, visible, scope: vec![], span }
    }

    fn function(&mut self) {
        for of in self.function.vars.iter().chain([&self.function.result]) {
            if let Some(rule) = self.types.broken(of) {
                self.report(rule);
            }
        }
        self.function.params.iter().for_each(|var| self.bind(*var));
        self.block(&self.function.body, &self.function.result, NOTHING);
    }

    fn report(&mut self, rule: Rule) {
        self.violations.push(Violation { function: Some(self.id), span: self.span, rule });
    }

    fn block(&mut self, block: &'a Block, result: &Type, around: Around<'a>) {
        let (outer, span) = (self.scope.len(), self.span);
        let mut quiet = 0i64;
        for (i, statement) in block.statements.iter().enumerate() {
            self.span = statement.span;
            let yielded = matches!(&block.end, End::Yield(Atom::Var(var)) if *var == statement.var);
            let last = i + 1 == block.statements.len() && yielded;
            let around = Around { tail: around.tail && last, ..around };
            if let Op::Quiet(on) = statement.op {
                quiet += if on { 1 } else { -1 };
            }
            if quiet < 0 {
                self.report(Rule::Quiet);
                quiet = 0;
            }
            // Checked for its own sake even where the variable isn't in the table.
            let of = self.function.vars.get(statement.var.0 as usize).cloned();
            crate::deep(|| self.op(&statement.op, of.as_ref(), around));
            self.bind(statement.var);
        }
        if quiet > 0 && !matches!(block.end, End::Never) {
            self.report(Rule::Quiet);
        }
        self.end(block, result, around);
        for var in self.scope.drain(outer..) {
            self.visible[var.0 as usize] = false;
        }
        self.span = span;
    }

    fn end(&mut self, block: &Block, result: &Type, around: Around) {
        match &block.end {
            End::Yield(atom) => self.expect(atom, result),
            End::Again(atoms) => match around.again {
                None => self.report(Rule::AgainOutsideLoop),
                Some(_) if !around.tail => self.report(Rule::AgainNotLast),
                Some(params) => {
                    self.count(params.len(), atoms.len());
                    for ((var, _), atom) in params.iter().zip(atoms) {
                        self.expect_like(atom, *var);
                    }
                }
            },
            End::Never => {
                let fails = block.statements.last().is_some_and(|statement| matches!(statement.op, Op::Fail(_)));
                if !fails {
                    self.report(Rule::NeverWithoutFail);
                }
            }
        }
    }

    fn bind(&mut self, var: Var) {
        let at = var.0 as usize;
        match self.bound.get(at) {
            None => self.report(Rule::UnknownVariable(var)),
            Some(true) => self.report(Rule::BoundTwice(var)),
            Some(false) => {
                self.bound[at] = true;
                self.visible[at] = true;
                self.scope.push(var);
            }
        }
    }

    /// The type of an atom, if it has one here.
    fn type_of(&mut self, atom: &Atom) -> Option<Type> {
        let var = match atom {
            Atom::Var(var) => *var,
            Atom::Unit => return Some(Type::unit()),
            Atom::Bool(_) => return Some(Type::Bool),
            Atom::Int(_) => return Some(Type::Int),
            Atom::Real(_) => return Some(Type::Real),
        };
        match self.visible.get(var.0 as usize) {
            Some(true) => return Some(self.function.vars[var.0 as usize].clone()),
            Some(false) => self.report(Rule::NotBound(var)),
            None => self.report(Rule::UnknownVariable(var)),
        }
        None
    }

    fn expect(&mut self, atom: &Atom, expected: &Type) {
        if let Some(found) = self.type_of(atom) {
            self.same(expected, &found);
        }
    }

    /// The atom has the type of a variable.
    fn expect_like(&mut self, atom: &Atom, var: Var) {
        if let Some(expected) = self.function.vars.get(var.0 as usize) {
            self.expect(atom, expected);
        }
    }

    fn same(&mut self, expected: &Type, found: &Type) {
        if !self.types.same(expected, found) {
            self.report(Rule::Mismatch { expected: expected.clone(), found: found.clone() });
        }
    }

    fn count(&mut self, expected: usize, found: usize) {
        if expected != found {
            self.report(Rule::Count { expected, found });
        }
    }
}
