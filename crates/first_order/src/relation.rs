//! A relation between numbers of a program, ints and variables, that is learnt block by block: what an inner block added is forgotten
//! when it ends. Asking takes no longer if much else is known.

use rustc_hash::FxHashMap;

use crate::term::{Atom, Var};

#[derive(Default)]
pub struct Relation {
    order: Vec<(Key, Key)>,
    right: FxHashMap<Key, Vec<Key>>,
    left: FxHashMap<Key, Vec<Key>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Var(Var),
    Int(i64),
}

impl Key {
    fn of(atom: &Atom) -> Option<Key> {
        match atom {
            Atom::Var(var) => Some(Key::Var(*var)),
            Atom::Int(n) => Some(Key::Int(*n)),
            Atom::Unit | Atom::Bool(_) | Atom::Real(_) => None,
        }
    }

    fn atom(self) -> Atom {
        match self {
            Key::Var(var) => Atom::Var(var),
            Key::Int(n) => Atom::Int(n),
        }
    }
}

impl Relation {
    /// `a` is related to `b`. What isn't a number is ignored.
    pub fn add(&mut self, a: &Atom, b: &Atom) {
        let (Some(a), Some(b)) = (Key::of(a), Key::of(b)) else { return };
        self.order.push((a, b));
        self.right.entry(a).or_default().push(b);
        self.left.entry(b).or_default().push(a);
    }

    pub fn mark(&self) -> usize {
        self.order.len()
    }

    /// Forgets what was added since the mark.
    pub fn forget(&mut self, mark: usize) {
        for (a, b) in self.order.drain(mark..).rev() {
            self.right.get_mut(&a).and_then(Vec::pop);
            self.left.get_mut(&b).and_then(Vec::pop);
        }
    }

    /// All that `a` is related to, the latest first.
    pub fn right_of(&self, a: &Atom) -> impl Iterator<Item = Atom> {
        around(&self.right, a)
    }

    /// All that are related to `b`, the latest first.
    pub fn left_of(&self, b: &Atom) -> impl Iterator<Item = Atom> {
        around(&self.left, b)
    }
}

fn around(side: &FxHashMap<Key, Vec<Key>>, atom: &Atom) -> impl Iterator<Item = Atom> {
    let found = Key::of(atom).and_then(|key| side.get(&key));
    found.into_iter().flatten().rev().map(|key| key.atom())
}

/// A way from one number to others.
#[derive(Clone, Copy)]
pub enum Way<'a> {
    /// To what it is related to.
    Right(&'a Relation),
    /// To what is related to it.
    Left(&'a Relation),
}

/// What can be reached from a number on these ways, step by step: itself first, and no more than `most`.
pub fn reached(from: &Atom, most: usize, ways: &[Way]) -> Vec<Atom> {
    let mut all = vec![from.clone()];
    let mut at = 0;
    while at < all.len() && all.len() < most {
        for way in ways {
            let side = match way {
                Way::Right(relation) => &relation.right,
                Way::Left(relation) => &relation.left,
            };
            let next: Vec<Atom> =
                around(side, &all[at]).take(most - all.len()).filter(|atom| !all.contains(atom)).collect();
            all.extend(next);
        }
        at += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_block_added_is_forgotten_with_it() {
        let var = |number| Atom::Var(Var(number));
        let mut less = Relation::default();
        less.add(&var(0), &var(1));
        let mark = less.mark();
        less.add(&var(0), &Atom::Int(7));
        less.add(&var(2), &var(1));
        assert_eq!(less.right_of(&var(0)).collect::<Vec<_>>(), [Atom::Int(7), var(1)]);
        assert_eq!(reached(&var(1), 9, &[Way::Left(&less)]), [var(1), var(2), var(0)]);
        less.forget(mark);
        assert_eq!(less.right_of(&var(0)).collect::<Vec<_>>(), [var(1)]);
        assert_eq!(reached(&var(1), 9, &[Way::Left(&less)]), [var(1), var(0)]);
    }
}
