//! What every stage shares: source files and spans, interned names, diagnostics and their codes, what the compiler may use.
//!
//! No I/O here: files arrive as text, diagnostics leave as data.

pub mod budget;
pub mod checks;
pub mod clock;
pub mod codes;
pub mod diagnostic;
pub mod interrupt;
pub mod memory;
pub mod name;
pub mod profile;
pub mod progress;
pub mod source;
pub mod suggest;

pub use codes::Code;
pub use diagnostic::{Diagnostic, Fix, Label, Result, Trace};
pub use name::Name;
pub use source::{File, FileId, Part, Sources, Span};
