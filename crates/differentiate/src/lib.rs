//! Differentiation of L1, for all engines: what derivatives are, without a word about how values are represented.
//!
//! In: L1 code, or the heads of values and of their sensitivities. Out: L1 code, or what an operation on sensitivities does there.
//! No values, shapes or engines here.
//!
//! Read [`reverse()`] (J on code) and [`sensitivities`] (⊕, full shapes) with the paper in hand, then [`forward()`] (T, forward mode).

pub mod boundary;
mod eta;
mod forward;
mod free;
pub mod links;
mod modes;
mod reverse;
pub mod sensitivities;

pub use eta::eta;
pub use forward::forward;
pub use modes::Mode;
pub use reverse::reverse;
