//! Mutation testing of the library's derivatives: breaks one rule at a time, and asks which named check notices.
//!
//! Mutants of `library/*.ev` are made from its text and given to a session at run time; nothing is compiled. Only what defines
//! derivatives is mutated: the rules of primitives, the tangents, the rule clauses of library functions, and the operators of
//! `core.ev`. What a mutant that nobody notices means is written in [`EQUIVALENT`], or leads to a new check.

mod checks;
mod run;
mod sites;

pub use checks::{Verdict, check};
pub use run::main;
pub use sites::{Mutant, mutants};

/// Mutants that are no mistakes: the function, what was there, what stands there instead, and why nothing changes.
pub const EQUIVALENT: &str = include_str!("mutation/equivalent.txt");
