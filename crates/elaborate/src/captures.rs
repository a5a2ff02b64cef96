//! The capture record of a group: which variables, under which labels, at which numbers.

use base::Name;
use calculus::Var;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::groups::Member;
use crate::locals::{LocalId, Locals};

pub(crate) struct Captures {
    /// In the order of their first use.
    pub ids: Vec<LocalId>,
    /// The name of each in the source, made unique.
    pub labels: Vec<Name>,
    /// The final number of each capture and of each member.
    vars: FxHashMap<LocalId, Var>,
}

impl Captures {
    pub fn of(members: &[Member], locals: &Locals) -> Captures {
        let own: FxHashSet<LocalId> = members.iter().filter_map(|member| member.id).collect();
        let mut captures = Captures { ids: vec![], labels: vec![], vars: FxHashMap::default() };
        let mut taken = FxHashSet::default();
        for id in members.iter().flat_map(|member| member.function.codes()).flat_map(|code| &code.outside) {
            if own.contains(id) || captures.vars.contains_key(id) {
                continue;
            }
            captures.ids.push(*id);
            captures.vars.insert(*id, Var(captures.ids.len() as u32));
            captures.labels.push(unique(locals.get(*id).name, &mut taken));
        }
        let first = 1 + captures.ids.len() as u32;
        let numbered = (first..).zip(members).filter_map(|(number, member)| Some((member.id?, Var(number))));
        captures.vars.extend(numbered);
        captures
    }

    pub fn var(&self, id: LocalId) -> Var {
        self.vars[&id]
    }

    /// The labels of a rule's captures: those of the function, then its group's members.
    pub fn with_members(&self, members: &[Name]) -> Vec<Name> {
        let mut taken: FxHashSet<Name> = self.labels.iter().copied().collect();
        let members = members.iter().map(|name| unique(*name, &mut taken));
        self.labels.iter().copied().chain(members.collect::<Vec<_>>()).collect()
    }
}

/// The name, with primes if it is taken.
fn unique(name: Name, taken: &mut FxHashSet<Name>) -> Name {
    let mut label = name;
    while !taken.insert(label) {
        label = Name::new(&format!("{label}'"));
    }
    label
}
