//! Does a module give functions derivatives of its own, by clauses or by `<~`?

use calculus::{Atom, Binding as L1, Block, Expr, Group, Module, Root};
use elaborate::Binding;

/// `attach` is what `<~` stands for.
pub fn found_in(module: &Module, attach: Option<&Binding>) -> bool {
    let attach = match attach {
        Some(Binding::Root(root)) => Some(*root),
        _ => None,
    };
    let functions = module.functions.iter().map(|(_, group)| group);
    functions.chain(module.steps.iter().map(|step| &step.code)).any(|group| in_group(group, attach))
}

fn in_group(group: &Group, attach: Option<Root>) -> bool {
    group.members.iter().any(|lambda| !lambda.rules.is_empty() || in_block(&lambda.body, attach))
}

fn in_block(block: &Block, attach: Option<Root>) -> bool {
    stacker::maybe_grow(64 << 10, 1 << 20, || {
        let mut attached = false;
        block.each_atom(&mut |atom| attached |= matches!(atom, Atom::Root(root, _) if Some(*root) == attach));
        attached || block.bindings.iter().any(|binding| in_binding(binding, attach))
    })
}

fn in_binding(binding: &L1, attach: Option<Root>) -> bool {
    match binding {
        L1::Functions { group, .. } => in_group(group, attach),
        L1::Let { expr: Expr::If(_, then, otherwise), .. } => in_block(then, attach) || in_block(otherwise, attach),
        L1::Let { .. } => false,
    }
}
