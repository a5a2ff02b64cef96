//! The table of top-level definitions of a session: what the numbers in terms stand for.

use std::rc::Rc;

use base::{Name, Span};

use crate::GlobalId;

#[derive(Clone, Debug)]
pub struct GlobalInfo {
    pub name: Name,
    pub kind: GlobalKind,
    pub span: Span,
    /// The text of its `///` comments.
    pub doc: Option<Rc<str>>,
    /// How it is called, for instance `vjp(f, x)`: for help and completion.
    pub signature: Option<Rc<str>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GlobalKind {
    Function,
    Value,
}

#[derive(Clone, Debug, Default)]
pub struct Globals {
    infos: Vec<GlobalInfo>,
}

impl Globals {
    pub fn add(&mut self, info: GlobalInfo) -> GlobalId {
        self.infos.push(info);
        GlobalId(self.infos.len() as u32 - 1)
    }

    /// The first so many, for whoever adds others to them.
    pub fn first(&self, count: usize) -> Globals {
        Globals { infos: self.infos[..count].to_vec() }
    }

    pub fn get(&self, id: GlobalId) -> &GlobalInfo {
        &self.infos[id.0 as usize]
    }

    pub fn get_mut(&mut self, id: GlobalId) -> &mut GlobalInfo {
        &mut self.infos[id.0 as usize]
    }

    pub fn len(&self) -> usize {
        self.infos.len()
    }

    pub fn is_empty(&self) -> bool {
        self.infos.is_empty()
    }
}
