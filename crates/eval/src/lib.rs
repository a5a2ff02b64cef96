//! The reference evaluator: slow, obvious and complete. It executes L1 as the paper's calculus says and does J by
//! rewriting code; every other engine is judged against it.
//!
//! In: L1 groups and values. Out: values, or diagnostics with the chain of calls. No I/O, threads or clocks.
//!
//! Read [`differentiate`] (J and T on code), [`lift`] (J on values) and [`sensitivity`] (zero, ⊕) with the paper in hand, then
//! [`machine`], which runs the results.

pub mod array;
pub mod code;
mod conformance;
mod fault;
pub mod foreign;
mod lazy;
pub mod lift;
pub mod machine;
pub mod memory;
pub mod observe;
mod parts;
pub mod plot;
pub mod prims;
pub mod probe;
mod region;
mod seal;
pub mod sensitivity;
pub mod show;
pub mod sparse;
pub mod tangent;
mod trace;
pub mod value;
pub mod watch;
pub mod work;

pub use code::Code;
pub use fault::Fault;
pub use lazy::{deep, force};
pub use machine::{MAX_CALLS, Machine};
pub use value::Value;
