//! Passes: each takes a program to an equivalent one. [`crate::PASSES`] is the order in which they run.

pub mod accumulators;
pub mod bounds;
pub mod code_sinking;
pub mod common_subexpressions;
pub mod constant_calls;
pub mod constructor_specialisation;
pub mod dead_functions;
pub mod dead_parts;
pub mod elementwise;
pub mod fusion;
pub mod hoist;
pub mod inline;
pub mod redundant_elements;
pub mod redundant_parts;
pub mod rematerialisation;
pub mod scalar_replacement;
pub mod simplify;
pub mod tail_calls;
pub mod tail_duplication;
pub mod tapes;
pub mod unboxing;
pub mod unroll_recursion;
