//! From syntax to the calculus: names find their meaning, functions their captures, patterns become projections,
//! comprehensions become `tabulate`.
//!
//! In: a tree without syntax errors and the names around it. Out: a [`Module`] and warnings, or all mistakes of the file; after
//! a mistake nothing outside has changed. No I/O here: the caller finds imported modules.

mod assertions;
mod blocks;
mod captures;
mod components;
mod comprehensions;
mod context;
mod elements;
mod emit;
mod expressions;
mod foreign;
mod functions;
mod groups;
mod items;
mod locals;
mod matching;
mod names;
mod operators;
mod patterns;
mod renumber;
mod rules;
mod scope;
mod strings;
mod unused;

use std::rc::Rc;

use base::Diagnostic;
use calculus::{Globals, Module};
use syntax::{Tree, ast};

pub use scope::{Binding, Scope};

/// A file and what surrounds it.
pub struct Input<'a> {
    pub tree: &'a Tree,
    pub globals: &'a mut Globals,
    /// The names of the library. The file's own names shadow them.
    pub prelude: &'a Scope,
    /// The module's own names; in a REPL they stay from one input to the next.
    pub scope: &'a mut Scope,
    /// Finds the names of an imported module.
    pub modules: &'a dyn Fn(&ast::Import) -> base::Result<Rc<Scope>>,
    /// May the file mention internal primitives (`__place`)? Only the library's derivative rules do.
    pub internal: bool,
}

/// A file without mistakes.
#[derive(Debug)]
pub struct Elaborated {
    pub module: Module,
    /// What is likely to be meant otherwise, in the order of the file.
    pub warnings: Vec<Diagnostic>,
}

/// Elaborates a file. Its names are added to `scope` and `globals` only if there is no mistake in it.
pub fn elaborate(input: Input) -> Result<Elaborated, Vec<Diagnostic>> {
    let (elaborated, definitions) = items::file(&input)?;
    definitions.commit(input.globals, input.scope);
    Ok(elaborated)
}

/// Runs `f` with room on the stack: recursion over deep trees can't overflow.
fn deep<R>(f: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, f)
}
