//! Local variables: which are visible, and where each one lives.

use base::{Name, Span};
use calculus::Var;
use rustc_hash::FxHashMap;

/// A local variable of the file, whichever function it belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct LocalId(u32);

#[derive(Clone, Copy, Debug)]
pub(crate) struct Local {
    pub name: Name,
    /// How many functions enclose it, its own included.
    pub depth: usize,
    pub var: Var,
    /// Where it is bound; nothing for what no program can name.
    pub span: Option<Span>,
}

#[derive(Default, Debug)]
pub(crate) struct Locals {
    all: Vec<Local>,
    /// The innermost one last.
    visible: FxHashMap<Name, Vec<LocalId>>,
    /// What became visible, in order, so that leaving a scope undoes it.
    entered: Vec<Name>,
}

/// Where a scope began.
#[derive(Clone, Copy)]
pub(crate) struct Mark(usize);

impl Locals {
    pub fn get(&self, id: LocalId) -> Local {
        self.all[id.0 as usize]
    }

    pub fn find(&self, name: Name) -> Option<LocalId> {
        self.visible.get(&name)?.last().copied()
    }

    /// A variable that no program can name.
    pub fn add_hidden(&mut self, local: Local) -> LocalId {
        self.all.push(local);
        LocalId(self.all.len() as u32 - 1)
    }

    pub fn add(&mut self, local: Local) -> LocalId {
        let id = self.add_hidden(local);
        self.visible.entry(local.name).or_default().push(id);
        self.entered.push(local.name);
        id
    }

    pub fn enter(&self) -> Mark {
        Mark(self.entered.len())
    }

    /// Forgets what was declared since the mark, and says what that was.
    pub fn leave(&mut self, mark: Mark) -> Vec<LocalId> {
        let names: Vec<Name> = self.entered.drain(mark.0..).collect();
        let visible = &mut self.visible;
        let mut forget = |name: &Name| visible.get_mut(name).and_then(Vec::pop);
        names.iter().rev().map(|name| forget(name).expect("elaborate: a name that was entered is visible")).collect()
    }

    pub fn names(&self) -> impl Iterator<Item = Name> {
        self.entered.iter().copied()
    }
}
