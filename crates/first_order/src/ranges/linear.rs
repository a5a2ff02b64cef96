//! Sums of ints, and proofs that one isn't negative.

use base::budget;
use rustc_hash::FxHashMap;

use crate::term::Var;

/// A sum with more terms than this isn't looked at.
const MOST_TERMS: usize = 8;
/// Factors and constants beyond this aren't looked at: sums of some of them are far from the largest.
const MOST: i128 = 1 << 80;
/// How many facts a proof may add up, and how many are tried for one.
const DEPTH: u32 = 10;
const STEPS: u32 = 256;

/// `constant + Σ factor · variable`; variables in ascending order, no factor is zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Linear {
    pub constant: i128,
    pub terms: Vec<(Var, i128)>,
}

impl Linear {
    pub fn constant(constant: i128) -> Linear {
        Linear { constant, terms: vec![] }
    }

    pub fn var(var: Var) -> Linear {
        Linear { constant: 0, terms: vec![(var, 1)] }
    }

    /// `self + factor · other`, if it is simple enough.
    pub fn plus(&self, other: &Linear, factor: i128) -> Option<Linear> {
        let constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let (var, by) = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some((a, x)), Some((b, y))) if a == b => {
                    let both = (*a, x.checked_add(y.checked_mul(factor)?)?);
                    left.next();
                    right.next();
                    both
                }
                (Some((a, x)), other) if other.is_none_or(|(b, _)| a < b) => {
                    let one = (*a, *x);
                    left.next();
                    one
                }
                (_, Some((b, y))) => {
                    let one = (*b, y.checked_mul(factor)?);
                    right.next();
                    one
                }
                (Some(_), None) => unreachable!("ranges: the left one comes first"),
            };
            if by != 0 {
                terms.push((var, by));
            }
        }
        let is_simple =
            terms.len() <= MOST_TERMS && terms.iter().map(|(_, by)| *by).chain([constant]).all(|x| x.abs() < MOST);
        is_simple.then_some(Linear { constant, terms })
    }

    pub fn plus_constant(&self, constant: i128) -> Linear {
        Linear { constant: self.constant + constant, terms: self.terms.clone() }
    }

    /// The sum with another one instead of a variable.
    pub fn with(&self, var: Var, value: &Linear) -> Option<Linear> {
        let factor = self.factor(var);
        self.plus(&Linear::var(var), -factor)?.plus(value, factor)
    }

    pub fn factor(&self, var: Var) -> i128 {
        self.terms.binary_search_by_key(&var, |(var, _)| *var).map_or(0, |at| self.terms[at].1)
    }
}

/// Sums that aren't negative, learnt block by block: those of an inner block are forgotten when it ends, but for those that hold always.
#[derive(Default)]
pub struct Facts {
    all: Vec<(Linear, bool)>,
    by_var: FxHashMap<Var, Vec<u32>>,
}

impl Facts {
    pub fn add(&mut self, fact: Linear) {
        self.push(fact, false);
    }

    pub fn add_always(&mut self, fact: Linear) {
        self.push(fact, true);
    }

    fn push(&mut self, fact: Linear, always: bool) {
        if fact.terms.is_empty() {
            return;
        }
        for (var, _) in &fact.terms {
            self.by_var.entry(*var).or_default().push(self.all.len() as u32);
        }
        self.all.push((fact, always));
    }

    pub fn mark(&self) -> usize {
        self.all.len()
    }

    /// What was added since the mark, but for what holds always.
    pub fn since(&self, mark: usize) -> impl Iterator<Item = &Linear> {
        self.all[mark.min(self.all.len())..].iter().filter(|(_, always)| !always).map(|(fact, _)| fact)
    }

    pub fn forget(&mut self, mark: usize) {
        let mut stay = vec![];
        while self.all.len() > mark {
            let (fact, always) = self.all.pop().expect("ranges: as many as were counted");
            for (var, _) in &fact.terms {
                self.by_var.get_mut(var).and_then(Vec::pop);
            }
            if always {
                stay.push(fact);
            }
        }
        stay.into_iter().rev().for_each(|fact| self.push(fact, true));
    }

    /// What is known of a variable, the latest first.
    pub fn about(&self, var: Var) -> impl Iterator<Item = &Linear> {
        self.by_var.get(&var).into_iter().flatten().rev().map(|at| &self.all[*at as usize].0)
    }

    /// Is the sum surely not negative: is it a sum of facts and a constant?
    pub fn prove(&self, sum: &Linear) -> bool {
        self.search(sum, DEPTH, &mut STEPS.clone())
    }

    fn search(&self, sum: &Linear, depth: u32, steps: &mut u32) -> bool {
        if sum.terms.is_empty() {
            return sum.constant >= 0;
        }
        if depth == 0 || *steps == 0 {
            return false;
        }
        *steps -= 1;
        budget::spend(1);
        // Each term has to go; the one that few facts are about leaves least to try.
        let helps = |var: Var, by: i128| {
            self.about(var).filter(move |fact| {
                let factor = fact.factor(var);
                factor.signum() == by.signum() && by % factor == 0
            })
        };
        let fewest = sum.terms.iter().min_by_key(|(var, by)| helps(*var, *by).take(16).count());
        let Some((var, by)) = fewest else { return false };
        helps(*var, *by).any(|fact| {
            let rest = sum.plus(fact, -(by / fact.factor(*var)));
            rest.is_some_and(|rest| self.search(&rest, depth - 1, steps))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(constant: i128, terms: &[(u32, i128)]) -> Linear {
        let all = terms.iter().map(|(var, by)| Linear { constant: 0, terms: vec![(Var(*var), *by)] });
        all.fold(Linear::constant(constant), |sum, term| sum.plus(&term, 1).expect("a simple sum"))
    }

    #[test]
    fn facts_add_up() {
        // i ≤ x - w, p ≤ w - 1: i + p ≤ x - 1
        let [i, p, w, x] = [0, 1, 2, 3];
        let mut facts = Facts::default();
        facts.add(sum(0, &[(x, 1), (w, -1), (i, -1)]));
        facts.add(sum(-1, &[(w, 1), (p, -1)]));
        assert!(facts.prove(&sum(-1, &[(x, 1), (i, -1), (p, -1)])));
        assert!(!facts.prove(&sum(-2, &[(x, 1), (i, -1), (p, -1)])));
        assert!(!facts.prove(&sum(0, &[(i, 1)])));
    }

    #[test]
    fn what_a_block_added_is_forgotten_but_for_what_holds_always() {
        let mut facts = Facts::default();
        let mark = facts.mark();
        facts.add(sum(0, &[(0, 1)]));
        facts.add_always(sum(0, &[(1, 1)]));
        assert!(facts.prove(&sum(0, &[(0, 1), (1, 2)])));
        facts.forget(mark);
        assert!(!facts.prove(&sum(0, &[(0, 1)])));
        assert!(facts.prove(&sum(3, &[(1, 2)])));
    }
}
