//! What all ways through a choice or loop agree on: a part of its result that is the same constant, or the same variable from outside,
//! wherever the result is made, is that constant or variable. If all of the result is known so, it is made once, behind the choice.

use base::Span;
use first_order::{Atom, Block, End, Op, Statement, Type, Var};

use super::{Known, Simplifier};
use crate::deep;
use crate::rewriting::constant_folding::identical;
use crate::rewriting::walk::each_again;

/// How many parts of a result are looked at.
const MAX_PARTS: usize = 256;

/// What is known of a value that is made in several places.
#[derive(Clone, Debug)]
pub(super) enum Agreed {
    Nothing,
    Atom(Atom),
    Struct(Vec<Agreed>),
    Inject(u32, Box<Agreed>),
}

impl Agreed {
    fn is_complete(&self) -> bool {
        match self {
            Agreed::Nothing => false,
            Agreed::Atom(_) => true,
            Agreed::Struct(parts) => parts.iter().all(Agreed::is_complete),
            Agreed::Inject(_, content) => content.is_complete(),
        }
    }
}

impl Simplifier<'_> {
    /// Notes what the ways agree on. All of it, if all of it is known.
    pub(super) fn agree(&mut self, var: Var, op: &Op) -> Option<Agreed> {
        let mut agreed: Option<Agreed> = None;
        op.blocks(&mut |_, block| self.ways(block, &mut agreed));
        let agreed = agreed?;
        // A choice where a loop goes on stays the value of its block.
        if agreed.is_complete() && (matches!(op, Op::Loop { .. }) || !goes_on(op)) {
            return Some(agreed);
        }
        if !matches!(agreed, Agreed::Nothing) {
            self.agreed[var.0 as usize] = Some(agreed);
        }
        None
    }

    /// From now on what was agreed on stands for the variable.
    pub(super) fn settle(&mut self, var: Var, agreed: Agreed, span: Span, out: &mut Vec<Statement>) {
        let of = self.vars[var.0 as usize].clone();
        let uses = self.uses[var.0 as usize] + 1;
        let atom = self.make(agreed, &of, uses, span, out);
        self.forward(var, atom);
    }

    fn make(&mut self, agreed: Agreed, of: &Type, uses: u32, span: Span, out: &mut Vec<Statement>) -> Atom {
        let op = match (agreed, of) {
            (Agreed::Atom(atom), _) => {
                if let Atom::Var(var) = atom {
                    self.uses[var.0 as usize] += uses;
                }
                return atom;
            }
            (Agreed::Struct(parts), Type::Struct(types)) => {
                let pairs = parts.into_iter().zip(types.iter());
                Op::Struct(pairs.map(|(part, of)| deep(|| self.make(part, of, uses, span, out))).collect())
            }
            (Agreed::Inject(tag, content), Type::Sum(types)) => {
                Op::Inject(tag, deep(|| self.make(*content, &types[tag as usize], uses, span, out)))
            }
            (agreed, of) => unreachable!("agreed: {agreed:?} of type {of:?}"),
        };
        let mut atom = Atom::Var(self.fresh(of.clone(), uses));
        if let Atom::Var(var) = atom {
            self.statement(Statement { var, op, span }, out);
        }
        self.resolve(&mut atom);
        atom
    }

    /// Notes what is known of a part. The atom that it is, if that is known.
    pub(super) fn agreed_part(&mut self, var: Var, whole: &Atom, i: u32) -> Option<Atom> {
        let Atom::Var(whole) = whole else { return None };
        let Some(Agreed::Struct(parts)) = &self.agreed[whole.0 as usize] else { return None };
        match &parts[i as usize] {
            Agreed::Nothing => None,
            Agreed::Atom(atom) => Some(atom.clone()),
            Agreed::Inject(..) => None,
            parts @ Agreed::Struct(_) => {
                self.agreed[var.0 as usize] = Some(parts.clone());
                None
            }
        }
    }

    /// Of a choice inside it is known already what its ways agree on.
    fn ways(&self, block: &Block, agreed: &mut Option<Agreed>) {
        let (End::Yield(atom), false) = (&block.end, matches!(agreed, Some(Agreed::Nothing))) else { return };
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
            (Known::Inject(tag, content), _) if *budget > 0 => {
                *budget -= 1;
                Agreed::Inject(*tag, Box::new(deep(|| self.made(content, budget))))
            }
            (_, Some(agreed)) => self.seen_from_here(agreed, budget),
            _ => Agreed::Nothing,
        }
    }

    /// What was agreed on in a block that is closed by now.
    fn seen_from_here(&self, agreed: &Agreed, budget: &mut usize) -> Agreed {
        match agreed {
            Agreed::Nothing => Agreed::Nothing,
            Agreed::Atom(atom) => self.made(atom, budget),
            Agreed::Struct(parts) => {
                Agreed::Struct(parts.iter().map(|part| deep(|| self.seen_from_here(part, budget))).collect())
            }
            Agreed::Inject(tag, content) => match deep(|| self.seen_from_here(content, budget)) {
                Agreed::Nothing => Agreed::Nothing,
                content => Agreed::Inject(*tag, Box::new(content)),
            },
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
        (Agreed::Inject(a, left), Agreed::Inject(b, right)) if a == b => {
            let content = both(*left, *right);
            if content.is_complete() { Agreed::Inject(a, Box::new(content)) } else { Agreed::Nothing }
        }
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
