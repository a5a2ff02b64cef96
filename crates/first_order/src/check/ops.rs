//! The rules of each operation: what its operands are, and what it gives.

use calculus::Prim;

use super::{Around, Checker, NOTHING, Rule, views};
use crate::shape::ShapeId;
use crate::term::{Atom, Block, FunctionId, Op, Scalar, Type, Var};

impl<'a> Checker<'a> {
    /// Checks an operation whose result is bound to a variable of type `of`.
    pub(super) fn op(&mut self, op: &'a Op, of: Option<&Type>, around: Around<'a>) {
        // A variable that isn't in the table is reported where it is bound.
        let Some(of) = of else { return };
        match op {
            Op::Atom(atom) => self.expect(atom, of),
            Op::Text(_) => self.same(of, &Type::Text),
            Op::Scalar(op, args) => self.scalar(*op, args, of),
            Op::Struct(fields) => self.structure(fields, of),
            Op::Field(atom, i) => self.field(atom, *i, of),
            Op::Inject(tag, content) => self.inject(*tag, content, of),
            Op::Switch(on, arms) => self.switch(on, arms, of, around),
            Op::If(condition, then, otherwise) => {
                self.expect(condition, &Type::Bool);
                self.block(then, of, around);
                self.block(otherwise, of, around);
            }
            Op::Box(content) => match of {
                // A type that isn't defined is reported where the variable's type stands.
                Type::Named(id) => {
                    if let Some(definition) = self.program.types.get(id.0 as usize) {
                        self.expect(content, &definition.content);
                    }
                }
                _ => self.kind("a named type", of),
            },
            Op::Unbox(atom) => match self.type_of(atom) {
                Some(Type::Named(id)) => {
                    if let Some(definition) = self.program.types.get(id.0 as usize) {
                        self.same(&definition.content, of);
                    }
                }
                Some(found) => self.kind("a named type", &found),
                None => {}
            },
            Op::View(atom) => match self.type_of(atom) {
                Some(from) if !views::agree(self.program, &from, of) => {
                    self.report(Rule::View { from, to: of.clone() })
                }
                _ => {}
            },
            Op::Call(function, args) => self.call(*function, args, of),
            Op::Loop { params, body } => self.repeat(params, body, of),
            Op::Tabulate { n, index, body } => {
                let row = self.row(of, 1);
                self.indexed_block(n, *index, body, row);
            }
            Op::Sum { n, index, body } => {
                self.same(of, &Type::Real);
                self.indexed_block(n, *index, body, Some(Type::Real));
            }
            Op::Require(condition, _) => {
                self.expect(condition, &Type::Bool);
                self.same(of, &Type::unit());
            }
            Op::Array(elements) => {
                if let Some(row) = self.row(of, 1) {
                    elements.iter().for_each(|element| self.expect(element, &row));
                }
            }
            Op::Len(array) => {
                self.same(of, &Type::Int);
                self.part(array, 0);
            }
            Op::Axis(array, axis) => {
                self.same(of, &Type::Int);
                self.part(array, *axis as usize + 1);
            }
            Op::Flat(array) => match (self.type_of(array), of) {
                (Some(Type::Array(element, 2..)), Type::Array(elements, 1)) => self.same(&element, elements),
                (Some(found), _) => self.kind("an array of rank 2 or more", &found),
                (None, _) => {}
            },
            Op::Dense(handle) => {
                self.expect(handle, &Type::Handle);
                self.reals(of);
            }
            Op::Collected(array) => {
                self.same(of, &Type::Handle);
                if let Some(found) = self.type_of(array) {
                    self.reals(&found);
                }
            }
            Op::Shaped(array, lengths) => {
                lengths.iter().for_each(|length| self.expect(length, &Type::Int));
                match of {
                    Type::Array(element, rank @ 2..) if *rank as usize == lengths.len() => {
                        self.expect(array, &Type::Array(element.clone(), 1));
                    }
                    _ => self.kind("an array of as many axes as there are lengths", of),
                }
            }
            Op::Element(array, indices) => {
                indices.iter().for_each(|index| self.expect(index, &Type::Int));
                if let Some(part) = self.indexed(array, indices) {
                    self.same(&part, of);
                }
            }
            Op::Replace(array, indices, new) => {
                self.expect(array, of);
                indices.iter().for_each(|index| self.expect(index, &Type::Int));
                if let Some(part) = self.indexed(array, indices) {
                    self.expect(new, &part);
                }
            }
            Op::Append(array, element) => {
                self.expect(array, of);
                match of {
                    Type::Array(elements, 1) => self.expect(element, elements),
                    _ => self.kind("an array of rank 1", of),
                }
            }
            Op::Prim { prim, args, shapes, result } => self.primitive(*prim, args, shapes, *result, of),
            Op::Quiet(_) => self.same(of, &Type::unit()),
            Op::Fail(_) => {}
        }
    }

    /// The type of sensitivities in which −0.0 is the symbolic zero.
    fn reals(&mut self, found: &Type) {
        if !matches!(found, Type::Array(element, _) if **element == Type::Real) {
            self.kind("an array of reals", found);
        }
    }

    fn kind(&mut self, expected: &'static str, found: &Type) {
        self.report(Rule::Kind { expected, found: found.clone() });
    }

    fn scalar(&mut self, op: Scalar, args: &[Atom], of: &Type) {
        let Some((params, result)) = op.signature() else {
            let Scalar::Function(place) = op else { unreachable!("check: every other scalar has a signature") };
            return self.report(Rule::NoSuchTranscendental(place));
        };
        self.operands(args, &params);
        self.same(&result, of);
    }

    fn operands(&mut self, args: &[Atom], params: &[Type]) {
        self.count(params.len(), args.len());
        args.iter().zip(params).for_each(|(arg, param)| self.expect(arg, param));
    }

    fn structure(&mut self, fields: &[Atom], of: &Type) {
        match of {
            Type::Struct(types) => self.operands(fields, types),
            _ => self.kind("a struct", of),
        }
    }

    fn field(&mut self, atom: &Atom, i: u32, of: &Type) {
        match self.type_of(atom) {
            Some(Type::Struct(types)) => match types.get(i as usize) {
                Some(field) => self.same(field, of),
                None => self.report(Rule::NoSuchPart(i)),
            },
            Some(found) => self.kind("a struct", &found),
            None => {}
        }
    }

    fn inject(&mut self, tag: u32, content: &Atom, of: &Type) {
        match of {
            Type::Sum(alternatives) => match alternatives.get(tag as usize) {
                Some(alternative) => self.expect(content, alternative),
                None => self.report(Rule::NoSuchPart(tag)),
            },
            _ => self.kind("a sum", of),
        }
    }

    fn switch(&mut self, on: &Atom, arms: &'a [(Var, Block)], of: &Type, around: Around<'a>) {
        let alternatives = match self.type_of(on) {
            Some(Type::Sum(alternatives)) => alternatives,
            Some(found) => return self.kind("a sum", &found),
            None => return,
        };
        self.count(alternatives.len(), arms.len());
        for ((var, block), alternative) in arms.iter().zip(alternatives.iter()) {
            self.inside(&[*var], |checker| {
                checker.is_of(*var, alternative);
                checker.block(block, of, around);
            });
        }
    }

    fn call(&mut self, id: FunctionId, args: &[Atom], of: &Type) {
        let Some(function) = self.program.functions.get(id.0 as usize) else {
            return self.report(Rule::UnknownFunction(id));
        };
        let params: Option<Vec<Type>> =
            function.params.iter().map(|var| function.vars.get(var.0 as usize).cloned()).collect();
        // Parameters that aren't in the table are reported in that function.
        if let Some(params) = params {
            self.operands(args, &params);
        }
        self.same(&function.result, of);
    }

    fn repeat(&mut self, params: &'a [(Var, Atom)], body: &'a Block, of: &Type) {
        params.iter().for_each(|(var, first)| self.expect_like(first, *var));
        let vars: Vec<Var> = params.iter().map(|(var, _)| *var).collect();
        self.inside(&vars, |checker| checker.block(body, of, Around { again: Some(params), tail: true }));
    }

    /// A block that is run for each of the indices below n.
    fn indexed_block(&mut self, n: &Atom, index: Var, body: &'a Block, yielded: Option<Type>) {
        self.expect(n, &Type::Int);
        self.inside(&[index], |checker| {
            checker.is_of(index, &Type::Int);
            if let Some(yielded) = yielded {
                checker.block(body, &yielded, NOTHING);
            }
        });
    }

    /// What stands behind so many indices in an array of this type.
    fn row(&mut self, of: &Type, indices: usize) -> Option<Type> {
        match of {
            Type::Array(element, rank) if *rank as usize == indices => Some((**element).clone()),
            Type::Array(element, rank) if *rank as usize > indices => {
                Some(Type::Array(element.clone(), rank - indices as u32))
            }
            Type::Array(..) => {
                self.report(Rule::TooManyIndices);
                None
            }
            _ => {
                self.kind("an array", of);
                None
            }
        }
    }

    fn part(&mut self, array: &Atom, indices: usize) -> Option<Type> {
        let of = self.type_of(array)?;
        self.row(&of, indices)
    }

    fn indexed(&mut self, array: &Atom, indices: &[Atom]) -> Option<Type> {
        if indices.is_empty() {
            self.report(Rule::NoIndices);
        }
        self.part(array, indices.len())
    }

    fn primitive(&mut self, prim: Prim, args: &[Atom], shapes: &[ShapeId], result: ShapeId, of: &Type) {
        if matches!(prim, Prim::Tabulate | Prim::Accumulate | Prim::Quietly) {
            self.report(Rule::NotFirstOrder(prim));
        }
        self.count(prim.arity(), args.len());
        self.count(args.len(), shapes.len());
        for (arg, shape) in args.iter().zip(shapes) {
            if let Some(expected) = self.represented(*shape) {
                self.expect(arg, expected);
            }
        }
        if let Some(given) = self.represented(result) {
            self.same(given, of);
        }
    }

    fn represented(&mut self, shape: ShapeId) -> Option<&'a Type> {
        let found = self.of_shapes.get(shape.0 as usize);
        if found.is_none() {
            self.report(Rule::UnknownShape(shape));
        }
        found
    }

    fn is_of(&mut self, var: Var, expected: &Type) {
        if let Some(found) = self.function.vars.get(var.0 as usize) {
            self.same(expected, found);
        }
    }

    /// Checks a part in which these variables are bound.
    fn inside(&mut self, vars: &[Var], check: impl FnOnce(&mut Checker<'a>)) {
        let outer = self.scope.len();
        vars.iter().for_each(|var| self.bind(*var));
        check(self);
        for var in self.scope.drain(outer..) {
            self.visible[var.0 as usize] = false;
        }
    }
}
