//! The names that a generated expression may use.

use crate::Random;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Real,
    /// From a real to a real
    Function,
    /// Of three reals
    Array,
    /// Of reals
    List,
}

impl Kind {
    pub const ALL: [Kind; 4] = [Kind::Real, Kind::Function, Kind::Array, Kind::List];
}

#[derive(Clone, Default)]
pub struct Scope(Vec<(String, Kind)>);

impl Scope {
    pub fn with(&self, name: &str, kind: Kind) -> Scope {
        let mut names = self.0.clone();
        names.push((name.into(), kind));
        Scope(names)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Some name; what was bound last is the most likely.
    pub fn recent(&self, random: &mut Random) -> (String, Kind) {
        let mut at = self.0.len() - 1;
        while at > 0 && random.chance(50) {
            at -= 1;
        }
        self.0[at].clone()
    }

    pub fn some(&self, kind: Kind, random: &mut Random) -> Option<String> {
        let names: Vec<&String> = self.0.iter().filter(|(_, other)| *other == kind).map(|(name, _)| name).collect();
        if names.is_empty() { None } else { Some((*random.pick(&names)).clone()) }
    }
}
