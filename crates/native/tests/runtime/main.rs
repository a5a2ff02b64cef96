//! The runtime without a compiler: entries are Rust functions that behave as compiled code does.
//!
//! SAFETY of all entries here: they are run with the tables they were written for, own their arguments, and give each up once.

mod border;
mod collector;
mod fast;
mod memory;
mod prims;
mod program;
mod stack;
