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
pub mod index;
mod items;
mod linearity;
mod locals;
mod matching;
mod names;
mod operators;
mod patterns;
mod renumber;
mod rules;
mod scope;
mod strings;
mod traps;
mod unused;

use base::{Diagnostic, Name, codes};
use calculus::{GlobalInfo, Globals, Module};
use syntax::{Tree, ast};

pub use index::Index;
pub use items::module_name;
pub use scope::{Binding, Scope};

/// A file and what surrounds it.
pub struct Input<'a> {
    pub tree: &'a Tree,
    pub globals: &'a mut Globals,
    /// The names of the library. The file's own names shadow them.
    pub prelude: &'a Scope,
    /// The module's own names; in a REPL they stay from one input to the next.
    pub scope: &'a mut Scope,
    /// Finds what an import stands for: a module or data.
    pub modules: &'a dyn Fn(&ast::Import) -> base::Result<Binding>,
    /// May the file mention internal primitives (`__place`)? Only the library's derivative rules do.
    pub internal: bool,
    /// The path of an imported file: its types are others than those of the same name elsewhere.
    pub path: Option<&'a str>,
    /// May functions mention names that a later input will define?
    pub reading: Reading,
}

/// Where a file comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reading {
    /// It is all there: a name that it doesn't define is a mistake.
    #[default]
    Whole,
    /// A person types it, one function after the other: those that refer to each other can't all come first.
    Typed,
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
    let items::File { module, definitions, errors, warnings, .. } = items::file(&input);
    if !errors.is_empty() {
        return Err(errors);
    }
    definitions.commit(input.globals, input.scope);
    Ok(Elaborated { module, warnings })
}

/// What an editor wants to know of a text, right or wrong.
#[derive(Debug)]
pub struct Analysis {
    pub index: Index,
    pub errors: Vec<Diagnostic>,
    pub warnings: Vec<Diagnostic>,
    /// The signatures and documentation of the file's own definitions.
    pub definitions: Vec<GlobalInfo>,
}

/// Elaborates a file for what can be said about it; the tree may have syntax errors. A name that stands in a part which couldn't be read is
/// taken to be defined there. The file's names are added to `scope` and `globals`, as far as they are right.
pub fn analyse(input: Input) -> Analysis {
    let items::File { definitions, mut errors, warnings, index, .. } = items::file(&input);
    if !input.tree.errors().is_empty() {
        let unread = input.tree.unread_names();
        let may_be_defined = |error: &Diagnostic| {
            let span = error.span();
            let name = input.tree.text().get(span.start as usize..span.end as usize).unwrap_or_default();
            [codes::UNBOUND_NAME, codes::UNKNOWN_CONSTRUCTOR].contains(&error.code) && unread.contains(&Name::new(name))
        };
        errors.retain(|error| !may_be_defined(error));
    }
    let infos = definitions.infos();
    definitions.commit(input.globals, input.scope);
    Analysis { index, errors, warnings, definitions: infos }
}

/// Runs `f` with room on the stack: recursion over deep trees can't overflow.
fn deep<R>(f: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, f)
}
