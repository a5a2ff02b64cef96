//! Evert as a library: the pipeline from text to value.
//!
//! ```text
//! text ──syntax──▶ tree ──elaborate──▶ L1 ──eval──▶ value
//! ```
//!
//! A [`Session`] holds everything that lives from one input to the next: sources, definitions, the machine. All
//! I/O goes through a [`World`], so that the same session serves the command line, tests and a browser.
//!
//! ```
//! let mut session = evert::Session::offline();
//! let value = session.evaluate("grad(x => x^3)(2.0)").unwrap();
//! assert_eq!(evert::show(&value), "12.0");
//! ```

pub mod analysis;
mod callable;
mod carried;
pub mod deriving;
mod drawing;
pub mod effort;
pub mod engine;
pub mod expectation;
mod finding;
mod folders;
#[cfg(all(feature = "wasm", not(feature = "native")))]
mod in_page;
mod library;
mod modules;
mod problem;
pub mod report;
pub mod rule_checks;
mod rules;
mod session;
pub mod survey;
pub mod testing;
mod trial;
pub mod why_zero;
// Some of it isn't used where there is another engine.
#[cfg(not(feature = "native"))]
#[cfg_attr(feature = "wasm", allow(dead_code))]
mod without_native;
mod world;

#[cfg(all(feature = "wasm", not(feature = "native")))]
use in_page::{llvm, native};
#[cfg(not(any(feature = "native", feature = "wasm")))]
use without_native::{llvm, native};
#[cfg(feature = "native")]
use {::llvm, ::native};

pub use callable::{Callable, argument};
pub use data::{Format, json_text, write as write_data};
pub use drawing::Slider;
pub use elaborate::Reading;
pub use engine::{Engine, Ran};
pub use eval::show::show;
pub use eval::{Value, work};
pub use finding::Finding;
pub use folders::{Folders, reason};
pub use library::FILES as LIBRARY;
pub use modules::resolve as imported_path;
pub use native::emit::Checks;
pub use native::run::Again;
#[cfg(feature = "native")]
pub use native::{control, host, pool, threads};
pub use optimise::Additions;
pub use session::{Failure, Outcome, Session, application};
pub use trial::STEPS as TRIAL_STEPS;
pub use world::{Offline, World};

/// The endings of files of data, for messages.
pub const FORMAT_ENDINGS: &str = Format::ENDINGS;

/// The version of the language and its tools.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
