//! A function of L3 under construction.

use std::collections::BTreeMap;
use std::rc::Rc;

use base::{Part, Span, budget};
use first_order::{Atom, Block, End, Op, Statement, Type, Var};
use rustc_hash::FxHashMap;

/// The work of writing a statement.
const WRITING: usize = 4;

#[derive(Default)]
pub struct Draft {
    pub vars: Vec<Type>,
    /// The statements of the open blocks, the innermost last.
    open: Vec<Vec<Statement>>,
    /// The globals that the function reads, by their number, and the parameters that hold them.
    pub globals: BTreeMap<usize, Var>,
    /// How much was written, for the budget.
    pub written: usize,
    /// What variables are made of: structs, injections and boxes are taken apart again without code.
    pub made: FxHashMap<Var, Made>,
    /// The lengths of arrays that were written as literals.
    pub lengths: FxHashMap<Var, u32>,
    /// Code of files below this number belongs to its caller,
    pub first_own_file: u32,
    /// who calls from here, if that is known.
    caller: Option<Span>,
    /// Do places say which part of the computation code is,
    pub marks_parts: bool,
    /// and which part is the function whose body is written?
    pub part: Part,
}

#[derive(Clone)]
pub enum Made {
    Struct(Vec<Atom>),
    Inject(u32, Atom),
    Box(Atom),
}

/// A function whose body is complete.
pub struct Written {
    pub name: Rc<str>,
    pub params: Vec<Var>,
    pub vars: Vec<Type>,
    pub globals: BTreeMap<usize, Var>,
    pub result: Type,
    pub body: Block,
    pub span: Span,
}

impl Draft {
    pub fn fresh(&mut self, ty: Type) -> Var {
        self.vars.push(ty);
        Var(self.vars.len() as u32 - 1)
    }

    pub fn open(&mut self, statements: Vec<Statement>) {
        self.open.push(statements);
    }

    pub fn close(&mut self) -> Vec<Statement> {
        self.open.pop().expect("draft: a block is open")
    }

    pub fn made(&self, atom: &Atom) -> Option<&Made> {
        if let Atom::Var(var) = atom { self.made.get(var) } else { None }
    }

    pub fn write(&mut self, ty: Type, op: Op, span: Span) -> Atom {
        let var = self.fresh(ty);
        self.write_to(var, op, span);
        Atom::Var(var)
    }

    pub fn write_to(&mut self, var: Var, op: Op, span: Span) {
        self.written += 1;
        budget::spend(WRITING);
        match &op {
            Op::Struct(atoms) => {
                self.made.insert(var, Made::Struct(atoms.clone()));
            }
            Op::Inject(at, content) => {
                self.made.insert(var, Made::Inject(*at, content.clone()));
            }
            Op::Box(content) => {
                self.made.insert(var, Made::Box(content.clone()));
            }
            _ => {}
        }
        let span = self.place(span);
        self.open.last_mut().expect("draft: a block is open").push(Statement { var, op, span });
    }

    /// A function that is called from here is written in place. Gives what [`Draft::leave`] wants at its end.
    pub fn enter(&mut self, span: Span) -> Option<Span> {
        let outer = self.caller;
        if span.file.0 >= self.first_own_file {
            self.caller = Some(self.place(span));
        }
        outer
    }

    pub fn leave(&mut self, outer: Option<Span>) {
        self.caller = outer;
    }

    fn place(&self, span: Span) -> Span {
        let place = if span.file.0 >= self.first_own_file { span } else { self.caller.unwrap_or(Span::OF_CALLER) };
        if self.marks_parts { place.in_part(self.part) } else { place }
    }
}

pub fn ended(statements: Vec<Statement>, end: End) -> Block {
    Block { statements, end }
}
