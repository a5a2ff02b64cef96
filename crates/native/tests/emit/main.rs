//! Lowering and emission, from L3 to results: each program means on the native engine what the interpreter of L3 says, leaves an
//! empty heap, and satisfies the checker of L4 on the way. Without an LLVM the tests pass vacuously.

mod arrays;
mod checked;
mod data;
mod programs;
mod random;
mod scalars;
mod sums;
mod transcendentals;
