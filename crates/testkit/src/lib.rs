//! What the tests of whole claims share: a laboratory that runs programs, differences to judge derivatives by,
//! random programs to try every claim on, and the coverage that those programs reach.
//!
//! Everything is deterministic: a failing case is named by its seed.

pub mod coverage;
pub mod differences;
pub mod generate;
pub mod lab;
pub mod random;
pub mod reals;

pub use lab::Lab;
pub use random::Random;
