//! What passes write programs with: walks, copies, renumbering, constants folded.

pub mod constant_folding;
pub mod copy;
pub mod rename;
pub mod retype;
pub mod walk;
