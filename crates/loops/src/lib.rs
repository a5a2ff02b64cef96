//! L4: leaves and loops. Values are scalars and pointers; memory, its layout and its reference counts are explicit.
//!
//! In: an L3 program ([`lower()`]). Out: an L4 program that [`check`] accepts: every owned pointer is consumed exactly once on every
//! path.

pub mod check;
pub mod layout;
pub mod lower;
pub mod memory;
pub mod parallel;
mod recursion;
pub mod symbols;
pub mod term;
pub mod text;
mod unshared;

pub use layout::{Grown, Layouts, leaves};
pub use lower::{lower, lower_in_pieces, lower_surveyed};
pub use recursion::recursive;
pub use term::{
    Arm, Atom, Block, Cost, Descriptor, DescriptorId, End, Function, FunctionId, Kind, Leaf, Matrix, Op, Pieces, Place,
    Placed, PrimSite, Product, Program, Statement, Use, Var,
};
pub use text::parse;
