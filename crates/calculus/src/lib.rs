//! L1, the A-normal calculus: functions of one argument, data, recursive groups, custom rules.
//!
//! What always holds (and [`check`] verifies): every operand is an atom; a variable is bound once in its
//! function and before its use; a function reaches outside only through its captures, whose labels are the
//! names in the source; top-level names and primitives are constants under a number of Js.

pub mod build;
pub mod check;
pub mod globals;
pub mod layout;
pub mod prim;
pub mod same;
pub mod term;
pub mod text;

pub use build::Builder;
pub use globals::{GlobalInfo, GlobalKind, Globals};
pub use layout::Layout;
pub use prim::{Prim, Push};
pub use term::*;
