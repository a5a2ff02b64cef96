//! Benchmarks: programs of `benches/programs` against the same in C and in JAX.
//!
//! In: `benches/`, and what the machine has of C compilers and Python. Out: ratios, measured in one run with the
//! competitors taking turns, in tables. Nobody's absence is an error: its column stays empty and a note says why.

pub mod arrays;
pub mod c;
pub mod chain;
pub mod cliffs;
pub mod clock;
pub mod evals;
pub mod jax;
pub mod kernels;
pub mod memory;
pub mod report;
pub mod start;

use std::path::{Path, PathBuf};

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What to measure.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Few repetitions, and nothing written.
    pub quick: bool,
    pub only: Option<String>,
    pub no_jax: bool,
    pub no_c: bool,
    /// The evals of GradBench alone, or with the other parts that are named; everything if none is.
    pub evals: bool,
    /// The array programs.
    pub arrays: bool,
    /// Rewrites of programs.
    pub cliffs: bool,
    /// How long a cell of those may take, in seconds.
    pub limit: Option<u64>,
}

impl Options {
    /// How often each competitor has its turn.
    pub fn rounds(&self) -> usize {
        if self.quick { 1 } else { 9 }
    }

    pub fn wants(&self, name: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only == name)
    }
}
