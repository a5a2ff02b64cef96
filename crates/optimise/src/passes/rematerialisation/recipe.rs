//! What of the elements of an array is stored, and how the rest is computed again.

use first_order::{Atom, Block, End, Op, Statement, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analyses::cost::{self, CHEAP};
use crate::deep;
use crate::passes::code_sinking::is_plain;
use crate::passes::fusion::{free_atoms, weight};

/// At most so many numbers stand for an array besides what is stored.
const MOST_CAPTURED: usize = 24;
/// Storing a number and reading it costs as much as so many additions.
const STORING: u32 = 3;

pub struct Recipe {
    pub index: Var,
    /// The value of the body.
    pub value: Atom,
    /// The parts that are stored, with their types.
    pub stored: Vec<(Atom, Type)>,
    /// The statements that compute the others, in their order.
    pub slice: Vec<Statement>,
    /// The numbers from outside that these need, the same for all elements.
    pub captured: Vec<Var>,
}

/// A body, whose statements can be looked at one by one.
struct Body<'a> {
    index: Var,
    vars: &'a [Type],
    ops: FxHashMap<Var, &'a Op>,
}

impl Recipe {
    /// Nothing if it isn't less than the array.
    pub fn of(index: Var, body: &Block, element: &Type, vars: &[Type]) -> Option<Recipe> {
        let End::Yield(value) = &body.end else { return None };
        let ops = body.statements.iter().map(|statement| (statement.var, &statement.op)).collect();
        let looked_at = Body { index, vars, ops };
        let mut stored = vec![];
        looked_at.split(value, element, &mut stored);
        let kept: usize = stored.iter().map(|(_, of)| weight(of)).sum();
        if kept >= weight(element) {
            return None;
        }
        let mut recipe = Recipe { index, value: value.clone(), stored, slice: vec![], captured: vec![] };
        recipe.find_slice(body);
        let is_number = |var: &Var| is_plain(&vars[var.0 as usize]);
        (recipe.captured.len() <= MOST_CAPTURED && recipe.captured.iter().all(is_number)).then_some(recipe)
    }

    /// What stands for an array: what is stored of its elements, or its length, and the numbers.
    pub fn of_type(&self, vars: &[Type]) -> Type {
        let first = match self.element() {
            Some(element) => Type::Array(element.into(), 1),
            None => Type::Int,
        };
        Type::Struct(
            std::iter::once(first).chain(self.captured.iter().map(|var| vars[var.0 as usize].clone())).collect(),
        )
    }

    /// The type of what is stored for an element.
    pub fn element(&self) -> Option<Type> {
        match &self.stored[..] {
            [] => None,
            [(_, of)] if !matches!(of, Type::Array(..)) => Some(of.clone()),
            several => Some(Type::Struct(several.iter().map(|(_, of)| of.clone()).collect())),
        }
    }

    /// Is what is stored a part by itself, without a struct around it?
    pub fn is_alone(&self) -> bool {
        matches!(&self.stored[..], [(_, of)] if !matches!(of, Type::Array(..)))
    }

    /// The statements that compute the value from the index and what is stored, and what they need from outside.
    fn find_slice(&mut self, body: &Block) {
        let mut wanted = FxHashSet::default();
        wanted.extend(variable(&self.value));
        let stored: FxHashSet<Var> = self.stored.iter().filter_map(|(atom, _)| variable(atom)).collect();
        for statement in body.statements.iter().rev() {
            if !wanted.remove(&statement.var) || stored.contains(&statement.var) {
                continue;
            }
            free_atoms(&statement.op, &mut |atom| {
                wanted.extend(if let Atom::Var(var) = atom { Some(*var) } else { None })
            });
            self.slice.push(statement.clone());
        }
        self.slice.reverse();
        wanted.remove(&self.index);
        self.captured = wanted.into_iter().filter(|var| !stored.contains(var)).collect();
        self.captured.sort_by_key(|var| var.0);
    }
}

impl Body<'_> {
    /// The parts that have to be stored.
    fn split(&self, atom: &Atom, of: &Type, stored: &mut Vec<(Atom, Type)>) {
        let Atom::Var(var) = atom else { return };
        if let (Some(Op::Struct(fields)), Type::Struct(types)) = (self.ops.get(var), of) {
            for (field, of) in fields.iter().zip(types.iter()) {
                deep(|| self.split(field, of, stored));
            }
            return;
        }
        if !self.is_cheap(atom, of) && stored.iter().all(|(known, _)| known != atom) {
            stored.push((atom.clone(), of.clone()));
        }
    }

    /// Does computing an atom again cost no more than storing it, and need nothing but numbers?
    fn is_cheap(&self, atom: &Atom, of: &Type) -> bool {
        let limit = CHEAP.max(u32::try_from(weight(of)).unwrap_or(u32::MAX).saturating_mul(STORING));
        let mut total = 0u32;
        let mut seen = FxHashSet::default();
        let mut waiting = vec![atom];
        while let Some(atom) = waiting.pop() {
            let Atom::Var(var) = atom else { continue };
            if *var == self.index || !seen.insert(*var) {
                continue;
            }
            match self.ops.get(var) {
                Some(op) => {
                    let Some(own) = cost::of(op) else { return false };
                    total = total.saturating_add(own);
                    free_atoms(op, &mut |atom| waiting.push(atom));
                }
                None if is_plain(&self.vars[var.0 as usize]) => {}
                None => return false,
            }
            if total > limit {
                return false;
            }
        }
        true
    }
}

fn variable(atom: &Atom) -> Option<Var> {
    match atom {
        Atom::Var(var) => Some(*var),
        _ => None,
    }
}
