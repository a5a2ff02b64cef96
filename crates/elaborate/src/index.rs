//! The index of names: where each name stands and what it means there. A by-product of elaboration, for editors.
//!
//! In: what elaboration notes while it resolves names, in any order and perhaps twice (some code is elaborated twice). Out: an
//! [`Index`] in the order of the text in which every place occurs once.

use base::{Name, Span};
use calculus::Prim;
use rustc_hash::FxHashSet;

/// Where names stand in a file, and which local variables are visible where.
#[derive(Clone, Default, Debug)]
pub struct Index {
    /// In the order of the text, no place twice.
    pub uses: Vec<Use>,
    /// In the order of the text.
    pub locals: Vec<LocalName>,
}

/// One place at which a name stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Use {
    pub span: Span,
    pub target: Target,
    pub role: UseRole,
}

/// What a name does where it stands. Where it does two things, the first of these counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum UseRole {
    Definition,
    /// `{x}` in a pattern: the label of a field and the definition of a variable at once.
    Shorthand,
    /// A label in what a rule returns: it names a capture.
    Label,
    Reference,
}

/// What a name means.
#[derive(Clone, PartialEq, Debug)]
pub struct Target {
    pub kind: TargetKind,
    pub name: Name,
    /// Where it is defined; nothing for what the language itself defines, and for fields.
    pub definition: Option<Span>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TargetKind {
    Local,
    /// A local function.
    LocalFunction,
    /// A top-level function.
    Function,
    /// A top-level `let`.
    Value,
    Constructor,
    Type,
    Module,
    Primitive(Prim),
    /// `pi`, `inf`, `nan`
    Constant,
    /// A field of a record: whose, isn't known before the program runs.
    Field,
}

/// A local variable.
#[derive(Clone, PartialEq, Debug)]
pub struct LocalName {
    pub name: Name,
    pub definition: Span,
    /// Where it can be mentioned.
    pub visible: Span,
    /// Is it a label of some function's captures? Then sensitivities have a field of its name.
    pub is_captured: bool,
    pub is_function: bool,
}

impl Index {
    pub(crate) fn note(&mut self, span: Span, target: Target, role: UseRole) {
        self.uses.push(Use { span, target, role });
    }

    /// Sorts what was noted and drops what was noted twice.
    pub(crate) fn finish(&mut self) {
        self.uses.sort_by_key(|one| (one.span, one.role));
        self.uses.dedup_by_key(|one| one.span);
        self.locals.sort_by_key(|local| (local.definition, !local.is_captured));
        self.locals.dedup_by_key(|local| local.definition);
        // The code of a top-level `let` binds its names as local ones too.
        let is_top = |one: &&Use| one.target.kind == TargetKind::Value && one.role != UseRole::Reference;
        let top: FxHashSet<Span> = self.uses.iter().filter(is_top).map(|one| one.span).collect();
        self.locals.retain(|local| !top.contains(&local.definition));
        let functions = self.locals.iter().filter(|local| local.is_function).map(|local| Some(local.definition));
        let functions: FxHashSet<Option<Span>> = functions.collect();
        for one in self.uses.iter_mut().filter(|one| functions.contains(&one.target.definition)) {
            one.target.kind = TargetKind::LocalFunction;
        }
    }

    /// What stands at a place: the name that it lies in, or right behind.
    pub fn at(&self, offset: u32) -> Option<&Use> {
        let after = self.uses.partition_point(|one| one.span.start <= offset);
        self.uses[..after].iter().rev().take(2).find(|one| offset <= one.span.end)
    }

    /// All places of what a name means, its definition among them.
    pub fn of<'a>(&'a self, target: &'a Target) -> impl Iterator<Item = &'a Use> {
        self.uses.iter().filter(move |one| one.target.is_same(target))
    }

    /// The local variables that can be mentioned at a place, the innermost first.
    pub fn visible_at(&self, offset: u32) -> impl Iterator<Item = &LocalName> {
        let sees = move |local: &&LocalName| {
            local.definition.end <= offset && local.visible.start <= offset && offset <= local.visible.end
        };
        self.locals.iter().rev().filter(sees)
    }
}

impl Target {
    /// Do two names mean the same?
    pub fn is_same(&self, other: &Target) -> bool {
        match (self.definition, other.definition) {
            (Some(left), Some(right)) => left == right && self.name == other.name,
            (None, None) => self.kind == other.kind && self.name == other.name,
            _ => false,
        }
    }
}
