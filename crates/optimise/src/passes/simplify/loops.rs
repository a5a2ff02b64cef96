//! Loops: parameters that never change are no parameters, and a body that never runs again is no loop.

use first_order::{Atom, Block, Op, Statement, Var};

use super::{Flow, Simplifier};
use crate::passes::dead_parts::retain;
use crate::rewriting::constant_folding::identical;
use crate::rewriting::walk::{each_again, each_again_mut};

impl Simplifier<'_> {
    pub(super) fn repeat(
        &mut self,
        var: Var,
        mut params: Vec<(Var, Atom)>,
        mut body: Block,
        span: base::Span,
        out: &mut Vec<Statement>,
    ) -> Flow {
        let mut runs_again = false;
        let mut changes = vec![false; params.len()];
        each_again(&body, &mut |atoms| {
            runs_again = true;
            for ((changes, (param, first)), atom) in changes.iter_mut().zip(&params).zip(atoms) {
                let mut atom = atom.clone();
                self.resolve(&mut atom);
                *changes |= atom != Atom::Var(*param) && !identical(&atom, first);
            }
        });
        if !runs_again {
            params.into_iter().for_each(|(param, first)| self.forward(param, first));
            return self.splice(var, body, out);
        }
        if changes.contains(&false) {
            for ((param, first), changes) in params.iter().zip(&changes) {
                if !changes {
                    self.forward(*param, first.clone());
                }
            }
            retain(&mut params, &changes);
            each_again_mut(&mut body, &mut |atoms| retain(atoms, &changes));
        }
        let vars: Vec<Var> = params.iter().map(|(param, _)| *param).collect();
        let (body, inside) = self.within(&vars, body);
        let op = Op::Loop { params, body: Box::new(body) };
        let agreed = self.agree(var, &op);
        self.push(out, Statement { var, op, span }, inside);
        agreed.into_iter().for_each(|agreed| self.settle(var, agreed, span, out));
        Flow::Next
    }
}
