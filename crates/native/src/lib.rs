//! The native engine: L3 programs as machine code, and what that code needs while it runs.
//!
//! In: an L3 program, argument values. Out: a value, or an error with its code and span. What always holds: the heap of a run is
//! empty afterwards, no compiled or runtime frame unwinds, and a value that doesn't fit the program's shapes is refused, not guessed.
//!
//! Read [`emit`] (the code), [`layout`] (how a shape becomes leaf words), [`runtime`] (the context: memory, handles, failures,
//! primitives), [`stack`] (what compiled code runs on), [`interrupt`] (stopping it), [`profile`] (where its time goes), [`pool`] (runners that wait), [`threads`] (threads that help), [`values`] (the border to the evaluator's values), [`run`], [`engine`], [`host`] (calls from other programs).
//! `docs/dev/native.md` is the contract between them.
//!
//! Without the feature `llvm` there is only what code needs while it runs, for a host that brings the code and the stack: a page, whose code
//! is WebAssembly (crate `wasm`).

#[cfg(feature = "llvm")]
pub mod control;
#[cfg(feature = "llvm")]
pub mod emit;
#[cfg(feature = "llvm")]
pub mod engine;
#[cfg(feature = "llvm")]
pub mod host;
#[cfg(feature = "llvm")]
pub mod interrupt;
#[cfg(not(feature = "llvm"))]
#[path = "hosted/interrupt.rs"]
pub mod interrupt;
pub mod layout;
#[cfg(feature = "llvm")]
pub mod pool;
#[cfg(feature = "llvm")]
pub mod profile;
pub mod run;
pub mod runtime;
#[cfg(feature = "llvm")]
pub mod stack;
#[cfg(not(feature = "llvm"))]
#[path = "hosted/stack.rs"]
pub mod stack;
#[cfg(feature = "llvm")]
pub mod threads;
pub mod values;
