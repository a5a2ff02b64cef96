//! Primitives as functions with a body, for what transforms bodies.

use base::Span;
use calculus::{Atom, Block, Builder, Expr, Group, Lambda, Prim, Role, Root, Var};

/// `x => p(x)`
pub fn eta(prim: Prim) -> Group {
    let mut out = Builder::new(vec!["x".into(), prim.name().into()]);
    let span = Span::default();
    let f = Atom::Root(Root::Prim(prim), 0);
    let y = out.bind("y".into(), Expr::Apply { f, x: Atom::Var(Var(0)), order: 0 }, span);
    let body: Block = out.close(y, span);
    let name = Some(prim.name().trim_start_matches('.').into());
    let lambda = Lambda { name, role: Role::Source, span, vars: out.vars, body, rules: vec![], mentions: vec![] };
    Group { captures: vec![], members: vec![lambda], order: 0 }
}
