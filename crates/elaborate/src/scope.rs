//! What names mean outside of functions: a module's scope, the library beneath it, the primitives beneath that.

use std::rc::Rc;
use std::sync::LazyLock;

use base::{Name, Span};
use calculus::{Const, Constructor, GlobalId, GlobalInfo, GlobalKind, Globals, Prim, Root};
use rustc_hash::FxHashMap;

use crate::Input;
use crate::index::{Target, TargetKind};

/// The names that the top level of a module defines.
#[derive(Clone, Default, Debug)]
pub struct Scope {
    names: FxHashMap<Name, Binding>,
    /// Where they are defined, as far as a text does.
    definitions: FxHashMap<Name, Span>,
}

/// What a name of a scope stands for.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A definition, or a primitive under this name.
    Root(Root),
    Constructor(Rc<Constructor>),
    /// An imported module.
    Module(Rc<Scope>),
    /// Imported data: a value. The fields of a record are values of their own, so that code takes only those that it mentions.
    Data {
        whole: Root,
        fields: Rc<Scope>,
    },
}

impl Scope {
    pub fn get(&self, name: Name) -> Option<&Binding> {
        self.names.get(&name)
    }

    pub fn insert(&mut self, name: Name, binding: Binding) {
        self.names.insert(name, binding);
        self.definitions.remove(&name);
    }

    /// Takes over names of another scope.
    pub fn extend(&mut self, other: &Scope, which: impl Fn(Name) -> bool) {
        let names = other.names.iter().filter(|(name, _)| which(**name));
        self.names.extend(names.map(|(name, binding)| (*name, binding.clone())));
        self.definitions.extend(other.definitions.iter().filter(|(name, _)| which(**name)));
    }

    /// Forgets names that stand for something else than wanted.
    pub fn retain(&mut self, wanted: impl Fn(&Binding) -> bool) {
        self.names.retain(|_, binding| wanted(binding));
        self.definitions.retain(|name, _| self.names.contains_key(name));
    }

    /// Where a name is defined, if a text defines it.
    pub fn definition(&self, name: Name) -> Option<Span> {
        self.definitions.get(&name).copied()
    }

    /// All names, alphabetically.
    pub fn iter(&self) -> impl Iterator<Item = (Name, &Binding)> {
        let mut names: Vec<_> = self.names.iter().map(|(name, binding)| (*name, binding)).collect();
        names.sort_by_key(|(name, _)| *name);
        names.into_iter()
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Meaning {
    Bound(Binding),
    Const(Const),
    /// Its definition is wrong, which has been said: no further complaint.
    Broken,
}

/// A definition of the file at hand.
#[derive(Debug)]
pub(crate) struct Definition {
    meaning: Meaning,
    pub span: Span,
    /// A `let` that the steps so far haven't run, and no earlier input has: reading it now is an error.
    pub pending: bool,
}

/// The definitions of the file at hand, kept apart until the whole file is known to be right.
#[derive(Default, Debug)]
pub(crate) struct Definitions {
    names: FxHashMap<Name, Definition>,
    /// In the order of definition.
    infos: Vec<(GlobalId, GlobalInfo)>,
    next: u32,
}

impl Definitions {
    pub fn get(&self, name: Name) -> Option<&Definition> {
        self.names.get(&name)
    }

    fn insert(&mut self, name: Name, meaning: Meaning, span: Span) {
        self.names.insert(name, Definition { meaning, span, pending: false });
    }

    /// The step that gives the name its value has been elaborated.
    pub fn has_run(&mut self, name: Name) {
        if let Some(definition) = self.names.get_mut(&name) {
            definition.pending = false;
        }
    }

    /// What is known of the definitions that are globals.
    pub fn infos(&self) -> Vec<GlobalInfo> {
        self.infos.iter().map(|(_, info)| info.clone()).collect()
    }

    pub fn commit(self, globals: &mut Globals, scope: &mut Scope) {
        for (id, info) in self.infos {
            if id.0 as usize == globals.len() {
                globals.add(info);
            } else {
                *globals.get_mut(id) = info;
            }
        }
        for (name, definition) in self.names {
            if let Meaning::Bound(binding) = definition.meaning {
                scope.insert(name, binding);
                scope.definitions.insert(name, definition.span);
            }
        }
    }
}

/// All names outside of functions, from the nearest layer to the farthest.
pub(crate) struct Names<'a> {
    pub file: Definitions,
    scope: &'a Scope,
    prelude: &'a Scope,
    globals: &'a Globals,
    internal: bool,
    path: Option<&'a str>,
}

impl<'a> Names<'a> {
    pub fn new(input: &'a Input) -> Names<'a> {
        let file = Definitions { next: input.globals.len() as u32, ..Definitions::default() };
        let Input { scope, prelude, globals, internal, path, .. } = input;
        Names { file, scope, prelude, globals, internal: *internal, path: *path }
    }

    /// The full name of a type that the file declares. Types of one name in different modules are different types, so those of
    /// imported files say where they are from, and one that hides a type of the library says so too.
    pub fn type_name(&self, own: Name) -> Name {
        let hides_another = || {
            let of_library = |binding: &Binding| matches!(binding, Binding::Constructor(made) if made.type_name == own);
            self.prelude.names.values().any(of_library)
        };
        match self.path {
            Some(path) => Name::new(&format!("{own} of {path}")),
            None if !self.internal && hides_another() => Name::new(&format!("{own} of this program")),
            None => own,
        }
    }

    pub fn find(&self, name: Name) -> Option<Meaning> {
        if let Some(definition) = self.file.get(name) {
            return Some(definition.meaning.clone());
        }
        let binding = self.scope.get(name).or_else(|| self.prelude.get(name));
        binding.cloned().map(Meaning::Bound).or_else(|| self.given(name))
    }

    /// Where a name outside of functions is defined.
    pub fn definition(&self, name: Name) -> Option<Span> {
        let in_scope = || {
            let scope = if self.scope.get(name).is_some() { self.scope } else { self.prelude };
            scope.definition(name)
        };
        self.file.get(name).map_or_else(in_scope, |definition| Some(definition.span))
    }

    /// What a name outside of functions is, for the index.
    pub fn target(&self, name: Name, meaning: &Meaning) -> Option<Target> {
        let kind = match meaning {
            Meaning::Broken => return None,
            Meaning::Const(_) => TargetKind::Constant,
            Meaning::Bound(binding) => self.kind_of(binding),
        };
        let definition = if matches!(kind, TargetKind::Primitive(_)) { None } else { self.definition(name) };
        Some(Target { kind, name, definition })
    }

    fn kind_of(&self, binding: &Binding) -> TargetKind {
        match binding {
            Binding::Root(Root::Global(id)) if self.is_function(*id) => TargetKind::Function,
            Binding::Root(Root::Global(_)) | Binding::Data { .. } => TargetKind::Value,
            Binding::Root(Root::Prim(prim) | Root::Reverse(prim) | Root::Forward(prim)) => TargetKind::Primitive(*prim),
            Binding::Constructor(_) => TargetKind::Constructor,
            Binding::Module(_) => TargetKind::Module,
        }
    }

    fn is_function(&self, id: GlobalId) -> bool {
        let own = self.file.infos.iter().rev().find(|(known, _)| *known == id).map(|(_, info)| info);
        let known = || self.globals.get(id);
        own.map_or_else(|| known().kind, |info| info.kind) == GlobalKind::Function
    }

    /// What a member of a module is, for the index.
    pub fn member_target(&self, module: &Scope, name: Name) -> Option<Target> {
        let kind = self.kind_of(module.get(name)?);
        Some(Target { kind, name, definition: module.definition(name) })
    }

    /// What the language itself defines.
    fn given(&self, name: Name) -> Option<Meaning> {
        if let Some(prim) = PUBLIC.get(&name) {
            return Some(primitive(*prim));
        }
        let text = name.as_str();
        if let Some(internal) = text.strip_prefix("__").filter(|_| self.internal) {
            return match internal {
                "nothing" => Some(Meaning::Const(Const::Zero)),
                // Also what the library hides under its own function of the same name.
                _ => Prim::by_name(&format!(".{internal}")).or_else(|| Prim::by_name(internal)).map(primitive),
            };
        }
        constant(text).map(|value| Meaning::Const(Const::Real(value)))
    }

    /// The constructor of this name, if the name means one.
    pub fn constructor(&self, name: Name) -> Option<Rc<Constructor>> {
        match self.find(name) {
            Some(Meaning::Bound(Binding::Constructor(constructor))) => Some(constructor),
            _ => None,
        }
    }

    /// The function behind the operator `<~`: the library's own, unless there is no library yet.
    pub fn attach(&self) -> Option<Binding> {
        let name = Name::new("attach");
        self.prelude.get(name).cloned().or_else(|| match self.find(name) {
            Some(Meaning::Bound(binding)) => Some(binding),
            _ => None,
        })
    }

    /// May the file mention internal primitives?
    pub fn is_internal(&self) -> bool {
        self.internal
    }

    /// Every name that can be written, for suggestions: the nearest first, and each layer in alphabetical order.
    pub fn visible(&self) -> impl Iterator<Item = Name> {
        let constants = CONSTANTS.iter().map(|(name, _)| Name::new(name)).collect();
        let layers: [Vec<Name>; 5] = [
            self.file.names.keys().copied().collect(),
            self.scope.names.keys().copied().collect(),
            self.prelude.names.keys().copied().collect(),
            PUBLIC.keys().copied().collect(),
            constants,
        ];
        layers.into_iter().flat_map(|mut layer| {
            layer.sort_by_key(|name| name.as_str());
            layer
        })
    }

    /// The modules and data that are imported here, by their names, with what is in them.
    pub fn imported(&self) -> Vec<(Name, Rc<Scope>)> {
        let meaning = |name: Name| match self.find(name) {
            Some(Meaning::Bound(Binding::Module(scope) | Binding::Data { fields: scope, .. })) => Some((name, scope)),
            _ => None,
        };
        let names: Vec<Name> = self.file.names.keys().chain(self.scope.names.keys()).copied().collect();
        let mut imported: Vec<_> = names.into_iter().filter_map(meaning).collect();
        imported.sort_by_key(|(name, _)| name.as_str());
        imported.dedup_by_key(|(name, _)| *name);
        imported
    }

    /// Every constructor that can be written, for suggestions.
    pub fn constructors(&self) -> impl Iterator<Item = Name> {
        self.visible().filter(|name| self.constructor(*name).is_some())
    }

    pub fn define(&mut self, name: Name, binding: Binding, span: Span) {
        self.file.insert(name, Meaning::Bound(binding), span);
    }

    pub fn define_broken(&mut self, name: Name, span: Span) {
        self.file.insert(name, Meaning::Broken, span);
    }

    /// Gives a definition its number; a name that an earlier input defined keeps the one it has.
    pub fn define_global(&mut self, info: GlobalInfo) -> GlobalId {
        let (name, span) = (info.name, info.span);
        let known = match self.scope.get(name) {
            Some(Binding::Root(Root::Global(id))) => Some(*id),
            _ => None,
        };
        let id = known.unwrap_or_else(|| {
            self.file.next += 1;
            GlobalId(self.file.next - 1)
        });
        let pending = known.is_none() && info.kind == GlobalKind::Value;
        self.file.infos.push((id, info));
        let meaning = Meaning::Bound(Binding::Root(Root::Global(id)));
        self.file.names.insert(name, Definition { meaning, span, pending });
        id
    }

    /// The same constructor declared again in a REPL stays the same.
    pub fn define_constructor(&mut self, constructor: Constructor, span: Span) {
        let constructor = match self.scope.get(constructor.name) {
            Some(Binding::Constructor(known)) if **known == constructor => known.clone(),
            _ => Rc::new(constructor),
        };
        self.define(constructor.name, Binding::Constructor(constructor), span);
    }
}

/// The primitives that programs may mention.
static PUBLIC: LazyLock<FxHashMap<Name, Prim>> = LazyLock::new(|| {
    let public = Prim::ALL.iter().filter(|prim| prim.is_public());
    public.map(|prim| (Name::new(prim.name()), *prim)).collect()
});

const CONSTANTS: [(&str, f64); 3] = [("pi", std::f64::consts::PI), ("inf", f64::INFINITY), ("nan", f64::NAN)];

fn constant(text: &str) -> Option<f64> {
    CONSTANTS.iter().find(|(name, _)| *name == text).map(|(_, value)| *value)
}

fn primitive(prim: Prim) -> Meaning {
    Meaning::Bound(Binding::Root(Root::Prim(prim)))
}
