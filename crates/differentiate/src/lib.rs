//! Differentiation of L1, for all engines.
//!
//! In: L1 code. Out: L1 code.
//! No values, shapes or engines here.
//!
//! Read [`reverse()`] (J on code) with the paper in hand, then [`forward()`] (T, forward mode).

mod eta;
mod forward;
mod free;
mod modes;
mod reverse;

pub use eta::eta;
pub use forward::forward;
pub use modes::{Mode, lift_modes};
pub use reverse::reverse;
