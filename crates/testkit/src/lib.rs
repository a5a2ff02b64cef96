//! What the tests of whole claims share: a laboratory that runs programs, differences to judge derivatives by,
//! random programs to try every claim on, the coverage that those programs reach, and the hunt for programs on which
//! engines disagree.
//!
//! Everything is deterministic: a failing case is named by its seed.

pub mod attached;
pub mod coverage;
pub mod differences;
pub mod differential;
pub mod generate;
pub mod growth;
pub mod hostile;
pub mod hunt;
pub mod judged;
pub mod lab;
pub mod matrix;
pub mod mutation;
pub mod oracle;
pub mod ordinary;
pub mod oversized;
pub mod random;
pub mod reals;
pub mod shrink;

pub use lab::Lab;
pub use random::Random;
