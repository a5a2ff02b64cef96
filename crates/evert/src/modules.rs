//! Imports: where a module's text comes from, and that none imports itself.

use std::rc::Rc;

use base::{Diagnostic, codes, suggest};
use elaborate::{Binding, Scope};
use rustc_hash::FxHashMap;
use syntax::ast::{Import, ImportSource};

use crate::library;

/// The modules of a session, by the path they were found at.
#[derive(Default)]
pub struct Modules {
    pub library: FxHashMap<&'static str, Rc<Scope>>,
    pub loaded: FxHashMap<String, Loaded>,
    /// Their paths, each after those that it imports.
    pub order: Vec<String>,
    /// What each file imports.
    pub imported: FxHashMap<String, Vec<String>>,
    /// The modules that are being loaded, outermost first.
    pub loading: Vec<String>,
}

/// A file that was imported.
pub struct Loaded {
    pub binding: Binding,
    /// What the world said of the file when it was read.
    pub stamp: Option<u128>,
    /// Who asked for it first.
    pub import: Import,
}

impl Modules {
    /// Remembers a file, or what it has become.
    pub fn insert(&mut self, path: &str, loaded: Loaded) {
        if self.loaded.insert(path.to_string(), loaded).is_none() {
            self.order.push(path.to_string());
        }
    }

    pub fn library_module(&self, import: &Import, name: &str) -> base::Result<Rc<Scope>> {
        if let Some(scope) = self.library.get(name) {
            return Ok(scope.clone());
        }
        let rules = [library::DERIVATIVES, library::TANGENTS];
        let known: Vec<&str> =
            library::FILES.iter().map(|(name, _)| *name).filter(|name| !rules.contains(name)).collect();
        let missing =
            Diagnostic::new(codes::IMPORT_NOT_FOUND, import.span, format!("the library has no module `{name}`"))
                .note(format!("its modules are {}", known.join(", ")));
        match suggest::nearest(name, known) {
            Some(near) => missing.did_you_mean(near).err(),
            None => missing.help(format!("for a file of yours write `import \"{name}.ev\"`")).err(),
        }
    }
}

/// What to say of an import of a file that is being loaded already, by the last of those that are.
pub fn circular(loading: &[String], import: &Import, importing: &str, path: &str) -> Diagnostic {
    let start = loading.iter().position(|loading| loading == path).unwrap_or(0);
    let circle = loading[start..].iter().map(String::as_str);
    let circle: Vec<&str> = circle.chain([importing, path]).collect();
    Diagnostic::new(codes::CIRCULAR_IMPORT, import.span, "these imports go in a circle")
        .note(circle.join(" imports "))
        .help("move what both need into a module of its own")
}

/// What to say of an import that can't be read.
pub fn unreadable(import: &Import, path: &str, reason: String) -> Diagnostic {
    Diagnostic::new(codes::IMPORT_NOT_FOUND, import.span, format!("the import {path} can't be read"))
        .note(reason)
        .help("the path is relative to the file that imports it")
}

/// The path of an imported file: relative to the file that imports it.
pub fn resolve(from: &str, path: &str) -> String {
    if path.starts_with('/') {
        return normalised(path);
    }
    match from.rsplit_once('/') {
        Some((folder, _)) => normalised(&format!("{folder}/{path}")),
        None => normalised(path),
    }
}

fn normalised(path: &str) -> String {
    let mut parts: Vec<&str> = vec![];
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|last| !last.is_empty() && *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// What an import asks for, as a key.
pub fn key(source: &ImportSource) -> String {
    match source {
        ImportSource::Path(path) => format!("\"{path}\""),
        ImportSource::Library(name) => name.to_string(),
    }
}
