//! L3: the first-order level. Programs here are monomorphic and pure; every type is known.
//!
//! In: what specialisation made. Out: the same program, printed, parsed, checked, interpreted.

pub mod build;
pub mod check;
pub mod convert;
pub mod fold;
pub mod interpret;
mod primitives;
pub mod ranges;
pub mod shape;
mod signature;
pub mod term;
pub mod text;
pub mod value;
mod walk;

pub use check::{Violation, check};
pub use convert::{Codes, Mismatch, from_value, to_value};
pub use interpret::{Interpreter, Stop, run};
pub use shape::{Alternative, CodeId, Head, Shape, ShapeId, Shapes};
pub use term::{
    Atom, Block, Definition, End, Function, FunctionId, NamedId, Op, Program, Scalar, Statement, Type, Var,
};
pub use text::{ParseError, parse, print};

/// Runs a step of a recursion over terms or data, however deep.
pub fn deep<T>(step: impl FnOnce() -> T) -> T {
    base::budget::deep(step)
}
