//! Whoever wants to see what a computation does: the calls of the program's functions, and the value of every operation in them.
//!
//! In: what the machine meets in code of the program, derived code included; what the library does inside is one operation. Out: nothing, or
//! a fault that ends the computation. [`Finite`] is the watch of `--check-nan`. Without a watch nothing of this costs more than a test.

mod finite;

use base::Span;
use calculus::{Lambda, Prim};

use crate::fault::Result;
use crate::value::Value;

pub use finite::Finite;

/// Sees a computation.
pub trait Watch {
    /// A function of the program is called, or one that was derived from such.
    fn entered(&mut self, function: &Lambda, x: &Value);
    /// An operation has made a value.
    fn made(&mut self, operation: &Operation, value: &Value) -> Result<()>;
}

/// What made a value.
pub struct Operation {
    pub span: Span,
    pub what: What,
    /// What it was made of; what a called function captures is part of it.
    pub operands: Vec<Value>,
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
