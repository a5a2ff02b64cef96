//! Whoever wants to see what a computation does: the calls of the program's functions, and the value of every operation in them.
//!
//! In: what the machine meets in code of the program, derived code included; what the library does inside is one operation. Out: nothing, or
//! a fault that ends the computation. [`Finite`] is the watch of `--check-nan`, [`Shapes`] that of editors. Without a watch nothing of this costs more than a test.

mod finite;
mod shapes;

use std::cell::RefCell;
use std::rc::Rc;

use base::{Name, Span};
use calculus::{Lambda, Prim, Role};

use crate::fault::Result;
use crate::value::Value;

pub use finite::Finite;
pub use shapes::{Seen, Shapes};

/// Sees a computation.
pub trait Watch {
    /// A function of the program is called, or one that was derived from such.
    fn entered(&mut self, function: &Lambda, x: &Value);
    /// Does it look at operands? Whoever holds on to an array keeps it from being updated in place.
    fn wants_operands(&self) -> bool {
        true
    }
    /// An operation has made a value.
    fn made(&mut self, operation: &Operation, value: &Value) -> Result<()>;
}

/// A watch that is read while the machine has it.
impl<W: Watch> Watch for Rc<RefCell<W>> {
    fn entered(&mut self, function: &Lambda, x: &Value) {
        self.borrow_mut().entered(function, x);
    }

    fn wants_operands(&self) -> bool {
        self.borrow().wants_operands()
    }

    fn made(&mut self, operation: &Operation, value: &Value) -> Result<()> {
        self.borrow_mut().made(operation, value)
    }
}

/// What made a value.
pub struct Operation {
    pub span: Span,
    pub what: What,
    /// What it was made of; what a called function captures is part of it.
    pub operands: Vec<Value>,
    /// The variable that its value is bound to, in code of which role; nothing for the last call of a function.
    pub bound: Option<(Name, Role)>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum What {
    /// A primitive, or `⊕` of two sensitivities.
    Prim(Prim),
    /// A function of the library.
    Library(String),
    /// A backpropagator of the library's, of an operation of the program.
    Backpropagator,
    /// A function of the program: what it does was seen before.
    Function,
    /// Data put together or taken apart.
    Data,
}

/// An operation whose value the machine waits for.
pub(crate) struct Waiting {
    /// So many frames lie below the value.
    pub depth: usize,
    pub operation: Operation,
}
