//! What can be said about a text without running it: mistakes, warnings, the index of its names.
//!
//! In: a text and where imported files are read. Out: an [`Analysed`]. Nothing runs, not even what a file imports, and the session
//! stays as it is: an editor asks at every keystroke.

use std::rc::Rc;

use base::{Diagnostic, FileId, Name, Sources, Span, codes};
use calculus::{GlobalId, GlobalInfo, Globals};
use elaborate::index::Use;
use elaborate::{Analysis, Index, Input, Scope};
use rustc_hash::FxHashMap;
use syntax::Tree;
use syntax::ast::{Import, ImportSource, Statement};

use crate::Session;
use crate::modules;

/// A text, read. The blocks of a document are parts of their own, which see the names of those before them.
pub struct Analysed {
    pub parts: Vec<Part>,
    /// Mistakes of the syntax and of names.
    pub errors: Vec<Diagnostic>,
    pub warnings: Vec<Diagnostic>,
    /// The text, what it imports and the library: the files that spans refer to.
    pub sources: Sources,
    /// The names of imported modules, by the name that each has here.
    pub modules: Vec<(Name, Rc<Scope>)>,
    globals: Globals,
}

/// One program of a text.
pub struct Part {
    pub tree: Tree,
    pub index: Index,
    /// What is known of its own definitions.
    pub definitions: Vec<GlobalInfo>,
}

impl Analysed {
    /// Signature and documentation of what is defined at a place: in this text, in an import or in the library.
    pub fn definition(&self, at: Span) -> Option<&GlobalInfo> {
        let known = (0..self.globals.len() as u32).map(|id| self.globals.get(GlobalId(id)));
        self.parts.iter().flat_map(|part| &part.definitions).chain(known).find(|info| info.span == at)
    }

    /// Signature and documentation of a global of the library or of an import.
    pub fn global(&self, id: GlobalId) -> Option<&GlobalInfo> {
        ((id.0 as usize) < self.globals.len()).then(|| self.globals.get(id))
    }

    /// What stands at an offset of the text, and in which part.
    pub fn at(&self, offset: u32) -> Option<(&Part, &Use)> {
        self.parts.iter().find_map(|part| Some((part, part.index.at(offset)?)))
    }
}

/// How a file is found: by its path, relative to where the session runs.
pub type Read<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;

impl Session {
    /// Reads texts as the file of this name, one after the other, and what they import. For the blocks of a document each text is the
    /// whole document with all but the block left blank, so that places are those of the document.
    pub fn analyse(&self, name: &str, texts: &[String], read: Read) -> Analysed {
        let mut sources = Sources::default();
        for id in self.sources.ids().take(self.machine.first_user_file as usize) {
            let file = self.sources.get(id);
            sources.add(file.name.clone(), file.text.clone());
        }
        let globals = self.library_globals();
        let (loaded, loading) = (FxHashMap::default(), vec![]);
        let mut analyser = Analyser { session: self, read, sources, globals, loaded, loading };
        let mut scope = Scope::default();
        let (mut parts, mut errors, mut warnings, mut modules) = (vec![], vec![], vec![], vec![]);
        for text in texts {
            let file = analyser.sources.add(name, text.as_str());
            let tree = syntax::parse(file, text);
            let imports = analyser.imports(&tree);
            let analysis = analyser.analyse(&tree, &imports, &mut scope);
            errors.extend(tree.errors().iter().cloned().chain(analysis.errors));
            warnings.extend(analysis.warnings);
            modules.extend(named(&tree, &imports));
            parts.push(Part { tree, index: analysis.index, definitions: analysis.definitions });
        }
        let Analyser { sources, globals, .. } = analyser;
        Analysed { parts, errors, warnings, sources, modules, globals }
    }
}

type Imports = FxHashMap<String, base::Result<Rc<Scope>>>;

struct Analyser<'a> {
    session: &'a Session,
    read: Read<'a>,
    sources: Sources,
    globals: Globals,
    loaded: FxHashMap<String, Rc<Scope>>,
    /// The files that are being read, outermost first.
    loading: Vec<String>,
}

impl Analyser<'_> {
    /// The modules that a text imports, each by what it is asked for as.
    fn imports(&mut self, tree: &Tree) -> Imports {
        let statements = tree.statements().into_iter().map(|id| tree.statement(id));
        let imports = statements.filter_map(|statement| match statement {
            Statement::Import(import) => Some(import),
            _ => None,
        });
        imports.map(|import| (modules::key(&import.source), self.import(&import))).collect()
    }

    fn import(&mut self, import: &Import) -> base::Result<Rc<Scope>> {
        let path = match &import.source {
            ImportSource::Library(name) => return self.session.modules().library_module(import, name.as_str()),
            ImportSource::Path(path) => modules::resolve(&self.sources.get(import.span.file).name, path),
        };
        if let Some(scope) = self.loaded.get(&path) {
            return Ok(scope.clone());
        }
        let importing = self.sources.get(import.span.file).name.clone();
        if path == importing || self.loading.contains(&path) {
            return modules::circular(&self.loading, import, &importing, &path).err();
        }
        self.loading.push(importing);
        let scope = self.import_file(import, &path);
        self.loading.pop();
        let scope = Rc::new(scope?);
        self.loaded.insert(path, scope.clone());
        Ok(scope)
    }

    /// The names of an imported file. What is wrong inside of it is said there, in one line.
    fn import_file(&mut self, import: &Import, path: &str) -> base::Result<Scope> {
        let bytes = (self.read)(path).map_err(|reason| Box::new(modules::unreadable(import, path, reason)))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let file: FileId = self.sources.add(path, text.as_str());
        let tree = syntax::parse(file, &text);
        let imports = self.imports(&tree);
        let mut scope = Scope::default();
        let modules = |import: &Import| imports[&modules::key(&import.source)].clone();
        let prelude = self.session.prelude();
        let input = Input {
            tree: &tree,
            globals: &mut self.globals,
            prelude,
            scope: &mut scope,
            modules: &modules,
            internal: false,
            types_of: None,
        };
        let first = tree.errors().first().cloned();
        let wrong = first.or_else(|| elaborate::elaborate(input).err().map(|mut errors| errors.swap_remove(0)));
        match wrong {
            None => Ok(scope),
            Some(wrong) => {
                let message = format!("the import {path} has a mistake: {}", wrong.message);
                Diagnostic::new(codes::IMPORT_NOT_FOUND, import.span, message).label(wrong.span(), "here").err()
            }
        }
    }

    /// Reads a program; if there is no mistake in it, its names are added to the scope.
    fn analyse(&mut self, tree: &Tree, imports: &Imports, scope: &mut Scope) -> Analysis {
        let modules = |import: &Import| imports[&modules::key(&import.source)].clone();
        let (globals, prelude) = (&mut self.globals, self.session.prelude());
        elaborate::analyse(Input { tree, globals, prelude, scope, modules: &modules, internal: false, types_of: None })
    }
}

/// The imported modules under the names that they have in a text.
fn named(tree: &Tree, imports: &Imports) -> Vec<(Name, Rc<Scope>)> {
    let statements = tree.statements().into_iter().map(|id| tree.statement(id));
    let module = |statement| match statement {
        Statement::Import(import) => {
            let scope = imports.get(&modules::key(&import.source))?.as_ref().ok()?;
            Some((elaborate::module_name(&import), scope.clone()))
        }
        _ => None,
    };
    statements.filter_map(module).collect()
}
