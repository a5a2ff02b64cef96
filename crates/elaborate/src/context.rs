//! The state of elaboration: the functions that are open, the names that are visible, the mistakes so far.

use std::sync::LazyLock;

use base::{Diagnostic, Name, Span};
use calculus::{Atom, Builder, Const, Root, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::{Tree, ast};

use crate::Input;
use crate::index::{Index, LocalName, Target, TargetKind, UseRole};
use crate::locals::{Local, LocalId, Locals};
use crate::scope::Names;

pub(crate) struct Elaborator<'a> {
    pub tree: &'a Tree,
    pub names: Names<'a>,
    pub locals: Locals,
    /// The functions around the current place, the innermost last.
    pub frames: Vec<Frame>,
    /// The names of local `let`s whose values are being elaborated: not visible yet.
    pub coming: Vec<Name>,
    pub errors: Vec<Diagnostic>,
    pub warnings: Vec<Diagnostic>,
    pub index: Index,
    /// The local variables that some function captures.
    pub captured: FxHashSet<LocalId>,
    /// The names in record patterns that are label and variable at once.
    pub shorthands: FxHashSet<Span>,
    /// The local functions.
    pub functions: FxHashSet<LocalId>,
    /// Are we in a function whose unknown names another input may define?
    pub names_may_come: bool,
}

/// A function whose body is being elaborated. Its variables are numbered provisionally: 0 the parameter, then
/// what the body binds; from [`OUTSIDE`] on, what it uses of the functions around it.
pub(crate) struct Frame {
    pub builder: Builder,
    pub timing: Timing,
    /// Variables of enclosing functions, in the order of their first use.
    pub outside: Vec<LocalId>,
    outside_index: FxHashMap<LocalId, Var>,
    /// Which of this function's variables have an identity that inner functions can refer to.
    known: FxHashMap<Var, LocalId>,
    /// Variables that hold tuples made in this function, with their lengths.
    pub tuples: FxHashMap<Var, usize>,
    /// Top-level names, in the order of their first use.
    pub mentions: Vec<Name>,
    mentioned: FxHashSet<Name>,
}

/// The provisional number of the first variable from outside.
pub(crate) const OUTSIDE: u32 = 1 << 31;

/// When does code run, compared with the top-level steps around it?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Timing {
    /// In its turn: reading a later definition is a mistake.
    AtOnce,
    /// When something calls it.
    Later,
}

/// A value for use in inner functions.
#[derive(Clone, Debug)]
pub(crate) enum Shared {
    Constant(Atom),
    Local(LocalId),
}

/// The name of variables that elaboration makes: no program can refer to it.
pub(crate) static UNNAMED: LazyLock<Name> = LazyLock::new(|| Name::new("_"));

/// Is it a label of a variable that elaboration made?
pub(crate) fn is_unnamed(label: Name) -> bool {
    label.as_str().trim_end_matches('\'') == UNNAMED.as_str()
}

impl Frame {
    pub fn new(parameter: Name, timing: Timing) -> Frame {
        Frame {
            builder: Builder::new(vec![parameter]),
            timing,
            outside: vec![],
            outside_index: FxHashMap::default(),
            known: FxHashMap::default(),
            tuples: FxHashMap::default(),
            mentions: vec![],
            mentioned: FxHashSet::default(),
        }
    }

    pub fn mention(&mut self, name: Name) {
        if self.mentioned.insert(name) {
            self.mentions.push(name);
        }
    }

    fn outside_var(&mut self, id: LocalId) -> Var {
        let next = Var(OUTSIDE + self.outside.len() as u32);
        let var = *self.outside_index.entry(id).or_insert(next);
        if var == next {
            self.outside.push(id);
        }
        var
    }
}

impl<'a> Elaborator<'a> {
    pub fn new(input: &'a Input) -> Elaborator<'a> {
        let (names, locals) = (Names::new(input), Locals::default());
        Elaborator {
            tree: input.tree,
            names,
            locals,
            frames: vec![],
            coming: vec![],
            errors: vec![],
            warnings: vec![],
            index: Index::default(),
            captured: FxHashSet::default(),
            shorthands: FxHashSet::default(),
            functions: FxHashSet::default(),
            names_may_come: false,
        }
    }

    pub fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("elaborate: code stands in a function")
    }

    /// Runs `f` in a scope of its own, which the text at `span` is: what it declares is forgotten afterwards.
    pub fn scoped<R>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> R) -> R {
        let mark = self.locals.enter();
        let result = f(self);
        for id in self.locals.leave(mark) {
            let local = self.locals.get(id);
            let Some(definition) = local.span else { continue };
            let (is_captured, is_function) = (self.captured.contains(&id), self.functions.contains(&id));
            let (name, visible) = (local.name, span);
            self.index.locals.push(LocalName { name, definition, visible, is_captured, is_function });
        }
        result
    }

    /// Makes a variable of the current function visible under a name.
    pub fn declare(&mut self, name: Name, var: Var, span: Span) -> LocalId {
        let id = self.locals.add(Local { name, depth: self.frames.len(), var, span: Some(span) });
        self.frame().known.insert(var, id);
        let role = if self.shorthands.contains(&span) { UseRole::Shorthand } else { UseRole::Definition };
        self.note_local(id, span, role);
        id
    }

    /// The local variable, as the current function sees it.
    pub fn reference(&mut self, id: LocalId) -> Atom {
        let local = self.locals.get(id);
        if local.depth == self.frames.len() {
            return Atom::Var(local.var);
        }
        Atom::Var(self.frame().outside_var(id))
    }

    /// Prepares a value of the current function for use in inner ones.
    pub fn share(&mut self, atom: Atom) -> Shared {
        let Atom::Var(var) = atom else { return Shared::Constant(atom) };
        if var.0 >= OUTSIDE {
            return Shared::Local(self.frame().outside[(var.0 - OUTSIDE) as usize]);
        }
        if let Some(id) = self.frame().known.get(&var) {
            return Shared::Local(*id);
        }
        let (name, depth) = (self.frame().builder.name(var), self.frames.len());
        let id = self.locals.add_hidden(Local { name, depth, var, span: None });
        self.frame().known.insert(var, id);
        Shared::Local(id)
    }

    /// A shared value, as the current function sees it.
    pub fn shared(&mut self, shared: &Shared) -> Atom {
        match shared {
            Shared::Constant(atom) => atom.clone(),
            Shared::Local(id) => self.reference(*id),
        }
    }

    /// Notes for the index that a field of a record is mentioned.
    pub fn note_field(&mut self, label: ast::Ident) {
        let target = Target { kind: TargetKind::Field, name: label.name, definition: None };
        self.index.note(label.span, target, UseRole::Reference);
    }

    /// Notes for the index that a local variable is mentioned.
    pub fn note_local(&mut self, id: LocalId, span: Span, role: UseRole) {
        let Local { name, span: definition, .. } = self.locals.get(id);
        if definition.is_some() {
            self.index.note(span, Target { kind: TargetKind::Local, name, definition }, role);
        }
    }

    pub fn error(&mut self, diagnostic: Diagnostic) {
        self.errors.push(diagnostic);
    }

    /// Notes a mistake; the value stands in so that elaboration goes on to find the others.
    pub fn mistake(&mut self, diagnostic: Diagnostic) -> Atom {
        self.error(diagnostic);
        Atom::Const(Const::Unit)
    }
}

pub(crate) fn root(root: Root) -> Atom {
    Atom::Root(root, 0)
}
