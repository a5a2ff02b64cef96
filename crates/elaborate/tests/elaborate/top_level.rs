//! Steps, and what stays from one input of a REPL to the next.

use calculus::text::{Style, print_module_in};
use calculus::{GlobalKind, StepKind};

use crate::support::{Session, defined, global, module};

#[test]
fn statements_become_functions_and_steps_in_order() {
    let module = module("let (a, b) = (1, 2)\nfn f(x) = x\nf(a)\ntest \"t\" { assert b == 2 }");
    assert_eq!(module.functions.len(), 1);
    let kinds: Vec<_> = module.steps.iter().map(|step| &step.kind).collect();
    assert!(matches!(kinds[..], [StepKind::Define(ids), StepKind::Show, StepKind::Test(name)]
        if ids.len() == 2 && &**name == "t"));
}

#[test]
fn a_definition_gives_the_tuple_of_its_values() {
    let printed = print_module_in(Style::PLAIN, &module("let {x, y: (z, _)} = {x: 1, y: (2, 3)}\nlet w = 4"));
    assert!(printed.contains("(x_4, z_7)"), "{printed}");
    assert!(printed.contains("(w_2,)"), "{printed}");
}

#[test]
fn top_level_functions_see_each_other() {
    let module = module("fn even(n) = n == 0 || odd(n - 1)\nfn odd(n) = n != 0 && even(n - 1)");
    assert!(module.functions.iter().all(|(_, group)| group.captures.is_empty() && group.members.len() == 1));
}

#[test]
fn what_is_known_about_a_definition() {
    let mut session = Session::default();
    session.run("/// Twice.\nfn double((x, _), {y}) = x\nlet k = 1");
    let info = session.globals.get(global(&session.scope, "double"));
    assert_eq!((info.kind, info.signature.as_deref()), (GlobalKind::Function, Some("double((x, _), {y})")));
    assert!(info.doc.as_deref().is_some_and(|doc| doc.contains("Twice.")));
    assert_eq!(session.globals.get(global(&session.scope, "k")).kind, GlobalKind::Value);
}

#[test]
fn a_redefinition_keeps_its_number() {
    let mut session = Session::default();
    session.run("fn f(x) = g(x)\nfn g(x) = x");
    let g = global(&session.scope, "g");
    session.run("let g = x => 2 * x");
    assert_eq!(global(&session.scope, "g"), g);
    assert_eq!(session.globals.get(g).kind, GlobalKind::Value);
    assert_eq!(session.globals.len(), 2);
}

#[test]
fn a_redefinition_may_read_what_it_replaces() {
    let mut session = Session::default();
    session.run("let a = 1");
    session.run("let a = a + 1");
}

#[test]
fn a_mistake_leaves_everything_as_it_was() {
    let mut session = Session::default();
    session.run("let a = 1");
    assert!(session.try_run("type T = A\nfn f(x) = x\nlet a = (x => x)\nlet b = missing").is_err());
    assert_eq!(defined(&session.scope), ["a"]);
    assert_eq!(session.globals.len(), 1);
    assert_eq!(session.globals.get(global(&session.scope, "a")).span.start, 4);
}

#[test]
fn the_file_shadows_the_library_and_the_library_the_primitives() {
    let mut session = Session::with_library("fn sin(x) = 1\nfn double(x) = 2");
    let (sin, double) = (global(&session.prelude, "sin"), global(&session.prelude, "double"));
    let printed = print_module_in(Style::PLAIN, &session.run("fn double(x) = sin(cos(x))\ndouble(1)"));
    assert_ne!(global(&session.scope, "double"), double);
    assert!(printed.contains(&format!("g{}(", sin.0)), "{printed}");
    assert!(printed.contains("cos(x_0)"), "{printed}");
}

#[test]
fn the_same_constructor_declared_again_stays_the_same() {
    let mut session = Session::default();
    session.run("type T = A | B");
    let before = format!("{:?}", session.scope.get("A".into()));
    session.run("type T = A | B");
    assert_eq!(format!("{:?}", session.scope.get("A".into())), before);
}
