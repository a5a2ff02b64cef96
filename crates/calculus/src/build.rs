//! Building the body of one function binding by binding.
//!
//! In: expressions in evaluation order. Out: A-normal blocks over freshly numbered variables.

use base::{Name, Span};

use crate::{Atom, Binding, Block, Expr, Var};

/// Numbers the variables of one function and collects its bindings; nested blocks open and close.
#[derive(Default, Debug)]
pub struct Builder {
    pub vars: Vec<Name>,
    blocks: Vec<Vec<Binding>>,
}

impl Builder {
    /// A function whose first variables (parameter, captures, members) have these names.
    pub fn new(vars: Vec<Name>) -> Builder {
        Builder { vars, blocks: vec![vec![]] }
    }

    pub fn fresh(&mut self, name: Name) -> Var {
        self.vars.push(name);
        Var(self.vars.len() as u32 - 1)
    }

    pub fn name(&self, var: Var) -> Name {
        self.vars[var.0 as usize]
    }

    pub fn push(&mut self, binding: Binding) {
        base::budget::spend(1);
        self.blocks.last_mut().expect("a block is open").push(binding);
    }

    /// Binds a new variable called `name` to the expression.
    pub fn bind(&mut self, name: Name, expr: Expr, span: Span) -> Atom {
        let var = self.fresh(name);
        self.bind_to(var, expr, span);
        Atom::Var(var)
    }

    pub fn bind_to(&mut self, var: Var, expr: Expr, span: Span) {
        self.push(Binding::Let { var, expr, span });
    }

    /// Starts a nested block (a branch).
    pub fn open(&mut self) {
        self.blocks.push(vec![]);
    }

    pub fn close(&mut self, result: Atom, span: Span) -> Block {
        Block { bindings: self.blocks.pop().expect("a block is open"), result, span }
    }
}
