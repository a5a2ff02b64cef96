//! Functions of L3 built by hand: fresh variables, and blocks as closures.
//!
//! What is built is as good as what is asked for; [`crate::check()`] says whether it is well-formed.

use std::rc::Rc;

use base::Span;

use crate::term::{Atom, Block, End, Function, FunctionId, Op, Scalar, Statement, Type, Var};

/// A function under construction. Operations bind fresh variables in the innermost open block.
pub struct FunctionBuilder {
    name: Rc<str>,
    params: Vec<Var>,
    result: Type,
    vars: Vec<Type>,
    open: Vec<Vec<Statement>>,
    /// Where the statements that follow stand in the source.
    pub span: Span,
}

impl FunctionBuilder {
    pub fn new(name: &str, result: Type) -> FunctionBuilder {
        FunctionBuilder {
            name: name.into(),
            params: vec![],
            result,
            vars: vec![],
            open: vec![vec![]],
            span: Span::default(),
        }
    }

    /// One more parameter.
    pub fn param(&mut self, of: Type) -> Atom {
        let var = self.fresh(of);
        self.params.push(var);
        Atom::Var(var)
    }

    /// A variable that nothing binds yet.
    pub fn fresh(&mut self, of: Type) -> Var {
        self.vars.push(of);
        Var(self.vars.len() as u32 - 1)
    }

    /// `fresh = op`
    pub fn bind(&mut self, of: Type, op: Op) -> Atom {
        let var = self.fresh(of);
        self.state(var, op);
        Atom::Var(var)
    }

    /// `var = op`, for a variable made by [`FunctionBuilder::fresh`].
    pub fn state(&mut self, var: Var, op: Op) {
        let span = self.span;
        self.open.last_mut().expect("build: a block is open").push(Statement { var, op, span });
    }

    pub fn scalar<const N: usize>(&mut self, of: Type, op: Scalar, args: [Atom; N]) -> Atom {
        self.bind(of, Op::Scalar(op, args.to_vec()))
    }

    pub fn call(&mut self, of: Type, function: FunctionId, args: Vec<Atom>) -> Atom {
        self.bind(of, Op::Call(function, args))
    }

    /// A block of its own.
    pub fn block(&mut self, body: impl FnOnce(&mut FunctionBuilder) -> End) -> Block {
        self.open.push(vec![]);
        let end = body(self);
        let statements = self.open.pop().expect("build: the block is open");
        Block { statements, end }
    }

    pub fn choose(
        &mut self,
        of: Type,
        condition: Atom,
        then: impl FnOnce(&mut FunctionBuilder) -> End,
        otherwise: impl FnOnce(&mut FunctionBuilder) -> End,
    ) -> Atom {
        let then = Box::new(self.block(then));
        let otherwise = Box::new(self.block(otherwise));
        self.bind(of, Op::If(condition, then, otherwise))
    }

    /// One arm for each alternative: `arm(builder, which, content)`.
    pub fn switch(
        &mut self,
        of: Type,
        on: Atom,
        alternatives: &[Type],
        mut arm: impl FnMut(&mut FunctionBuilder, usize, Atom) -> End,
    ) -> Atom {
        let mut arms = vec![];
        for (tag, alternative) in alternatives.iter().enumerate() {
            let var = self.fresh(alternative.clone());
            arms.push((var, self.block(|builder| arm(builder, tag, Atom::Var(var)))));
        }
        self.bind(of, Op::Switch(on, arms))
    }

    pub fn repeat(
        &mut self,
        of: Type,
        first: Vec<(Type, Atom)>,
        body: impl FnOnce(&mut FunctionBuilder, &[Atom]) -> End,
    ) -> Atom {
        let params: Vec<(Var, Atom)> = first.into_iter().map(|(of, atom)| (self.fresh(of), atom)).collect();
        let atoms: Vec<Atom> = params.iter().map(|(var, _)| Atom::Var(*var)).collect();
        let body = Box::new(self.block(|builder| body(builder, &atoms)));
        self.bind(of, Op::Loop { params, body })
    }

    pub fn tabulate(&mut self, of: Type, n: Atom, body: impl FnOnce(&mut FunctionBuilder, Atom) -> End) -> Atom {
        let index = self.fresh(Type::Int);
        let body = Box::new(self.block(|builder| body(builder, Atom::Var(index))));
        self.bind(of, Op::Tabulate { n, index, body })
    }

    /// The sum of the values of the body.
    pub fn sum(&mut self, n: Atom, body: impl FnOnce(&mut FunctionBuilder, Atom) -> End) -> Atom {
        let index = self.fresh(Type::Int);
        let body = Box::new(self.block(|builder| body(builder, Atom::Var(index))));
        self.bind(Type::Real, Op::Sum { n, index, body })
    }

    /// The function, with this as the value of its body.
    pub fn finish(mut self, end: End) -> Function {
        assert_eq!(self.open.len(), 1, "build: no inner block is open");
        let statements = self.open.pop().expect("build: the body is open");
        let body = Block { statements, end };
        let FunctionBuilder { name, params, result, vars, span, .. } = self;
        Function { name, params, result, body, vars, span }
    }
}

impl Type {
    pub fn fields(fields: impl Into<Rc<[Type]>>) -> Type {
        Type::Struct(fields.into())
    }

    pub fn sum(alternatives: impl Into<Rc<[Type]>>) -> Type {
        Type::Sum(alternatives.into())
    }

    pub fn array(element: Type, rank: u32) -> Type {
        Type::Array(Rc::new(element), rank)
    }

    pub fn unit() -> Type {
        Type::Struct(Rc::from([]))
    }
}
