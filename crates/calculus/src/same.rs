//! Is this the same code? Equality with reals compared by their bits: a NaN equals itself, 0.0 is not -0.0.
//!
//! Derived `Debug` forgets nothing of a term but the payload of a NaN, so two comparisons make the whole. For
//! tests: it writes both terms out.

use crate::{Atom, Binding, Block, Const, Expr, Group, Lambda, Module};

pub fn same_groups(a: &Group, b: &Group) -> bool {
    format!("{a:?}") == format!("{b:?}") && reals([a]) == reals([b])
}

pub fn same_modules(a: &Module, b: &Module) -> bool {
    format!("{a:?}") == format!("{b:?}") && reals(groups(a)) == reals(groups(b))
}

fn groups(module: &Module) -> impl Iterator<Item = &Group> {
    let functions = module.functions.iter().map(|(_, group)| &**group);
    functions.chain(module.steps.iter().map(|step| &*step.code))
}

/// The bits of all reals, in the order of the code.
fn reals<'a>(groups: impl IntoIterator<Item = &'a Group>) -> Vec<u64> {
    let mut bits = vec![];
    groups.into_iter().for_each(|group| reals_of_group(group, &mut bits));
    bits
}

fn reals_of_group(group: &Group, bits: &mut Vec<u64>) {
    for Lambda { body, rules, .. } in &group.members {
        body.each_atom(&mut |atom| {
            if let Atom::Const(Const::Real(real)) = atom {
                bits.push(real.to_bits());
            }
        });
        reals_of_inner_groups(body, bits);
        rules.iter().for_each(|rule| reals_of_group(&rule.code, bits));
    }
}

fn reals_of_inner_groups(block: &Block, bits: &mut Vec<u64>) {
    base::budget::deep(|| {
        for binding in &block.bindings {
            match binding {
                Binding::Functions { group, .. } => reals_of_group(group, bits),
                Binding::Let { expr: Expr::If(_, then, otherwise), .. } => {
                    reals_of_inner_groups(then, bits);
                    reals_of_inner_groups(otherwise, bits);
                }
                Binding::Let { .. } => {}
            }
        }
    })
}
