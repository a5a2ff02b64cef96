//! What the fuzz targets claim, and how their inputs change.
//!
//! Inputs are program texts, so that every find can be read and run as it is. `outline` finds the parts of a text,
//! `pool` holds the parts of the seeds, `mutation` splices them, `repair` makes unbound names bound.

pub mod claims;
mod memory;
mod mutation;
mod outline;
mod pool;
mod repair;
pub mod seeds;
mod templates;

pub use mutation::{Care, mutate};
