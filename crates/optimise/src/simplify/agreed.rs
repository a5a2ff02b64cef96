//! What all ways through a choice or loop agree on: a part of its result that is the same constant, or the same variable from outside,
//! wherever the result is made, is that constant or variable.

use first_order::{Atom, Block, End, Op, Type, Var};

use super::{Known, Simplifier};
use crate::deep;
use crate::fold::identical;
use crate::walk::each_again;

/// How many parts of a result are looked at.
const MAX_PARTS: usize = 256;

/// What is known of a value that is made in several places.
#[derive(Clone, Debug)]
pub(super) enum Agreed {
    Nothing,
    Atom(Atom),
    Struct(Vec<Agreed>),
}

impl Simplifier<'_> {
    /// Notes what the ways agree on. What they all are, if that is one atom.
    pub(super) fn agree(&mut self, var: Var, op: &Op) -> Option<Atom> {
        if !matches!(self.vars[var.0 as usize], Type::Struct(_)) && !matches!(op, Op::Loop { .. }) {
            return None;
        }
        let mut agreed: Option<Agreed> = None;
        op.blocks(&mut |_, block| self.ways(block, &mut agreed));
        match agreed {
            // A choice where a loop goes on stays the value of its block.
            Some(Agreed::Atom(_)) if !matches!(op, Op::Loop { .. }) && goes_on(op) => None,
            Some(Agreed::Atom(atom)) => Some(atom),
            Some(parts @ Agreed::Struct(_)) => {
                self.agreed[var.0 as usize] = Some(parts);
                None
            }
            Some(Agreed::Nothing) | None => None,
        }
    }

    /// Notes what is known of a part. The atom that it is, if that is known.
    pub(super) fn agreed_part(&mut self, var: Var, whole: &Atom, i: u32) -> Option<Atom> {
        let Atom::Var(whole) = whole else { return None };
        let Some(Agreed::Struct(parts)) = &self.agreed[whole.0 as usize] else { return None };
        match &parts[i as usize] {
            Agreed::Nothing => None,
            Agreed::Atom(atom) => Some(atom.clone()),
            parts @ Agreed::Struct(_) => {
                self.agreed[var.0 as usize] = Some(parts.clone());
                None
            }
        }
    }

    fn ways(&self, block: &Block, agreed: &mut Option<Agreed>) {
        let End::Yield(atom) = &block.end else { return };
        if let Some(op) = super::joins::nested(block) {
            return deep(|| op.blocks(&mut |_, block| self.ways(block, agreed)));
        }
        let mut budget = MAX_PARTS;
        let way = self.made(atom, &mut budget);
        *agreed = Some(match agreed.take() {
            None => way,
            Some(others) => both(others, way),
        });
    }

    fn made(&self, atom: &Atom, budget: &mut usize) -> Agreed {
        let Atom::Var(var) = atom else { return Agreed::Atom(atom.clone()) };
        if self.in_scope[var.0 as usize] {
            return Agreed::Atom(atom.clone());
        }
        match (self.known(atom), &self.agreed[var.0 as usize]) {
            (Known::Struct(fields), _) if fields.len() <= *budget => {
                *budget -= fields.len();
                Agreed::Struct(fields.iter().map(|field| deep(|| self.made(field, budget))).collect())
            }
            (_, Some(parts)) => parts.clone(),
            _ => Agreed::Nothing,
        }
    }
}

/// Does the loop around the choice go on in it?
fn goes_on(choice: &Op) -> bool {
    let mut found = false;
    choice.blocks(&mut |_, block| each_again(block, &mut |_| found = true));
    found
}

fn both(a: Agreed, b: Agreed) -> Agreed {
    match (a, b) {
        (Agreed::Atom(a), Agreed::Atom(b)) if identical(&a, &b) => Agreed::Atom(a),
        (Agreed::Struct(a), Agreed::Struct(b)) => {
            let parts: Vec<Agreed> = a.into_iter().zip(b).map(|(a, b)| both(a, b)).collect();
            if parts.iter().all(|part| matches!(part, Agreed::Nothing)) {
                Agreed::Nothing
            } else {
                Agreed::Struct(parts)
            }
        }
        _ => Agreed::Nothing,
    }
}
