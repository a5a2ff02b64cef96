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
    group.members.iter().any(|lambda| !lambda.rules.is_empty() || in_body(&lambda.body, attach))
}

fn in_body(body: &Block, attach: Option<Root>) -> bool {
    let mut attached = false;
    body.each_atom(&mut |atom| attached |= matches!(atom, Atom::Root(root, _) if Some(*root) == attach));
    attached || has_ruled_function(body, attach)
}

fn has_ruled_function(block: &Block, attach: Option<Root>) -> bool {
    let in_binding = |binding: &L1| match binding {
        L1::Functions { group, .. } => in_group(group, attach),
        L1::Let { expr: Expr::If(_, then, otherwise), .. } => {
            has_ruled_function(then, attach) || has_ruled_function(otherwise, attach)
        }
        L1::Let { .. } => false,
    };
    stacker::maybe_grow(64 << 10, 1 << 20, || block.bindings.iter().any(in_binding))
}
