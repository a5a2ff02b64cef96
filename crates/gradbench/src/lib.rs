//! Evert as a tool of GradBench: the public benchmark of automatic differentiation (gradben.ch).
//!
//! In: the protocol's messages, one line of JSON each. Out: one line for each, with the same id. Whatever comes in, an answer goes out:
//! what can't be understood or done is answered with the reason. No I/O here but that of the streams which are handed in, and no
//! mathematics: the evals are programs in Evert (`gradbench/*.ev`), the same that `evert run` would take.

pub mod evals;
mod message;
mod module;
mod tool;
mod values;

pub use tool::{Tool, serve};
