//! Deep and long programs.

use base::FileId;
use elaborate::{Input, elaborate};

use crate::support::{Session, function, inner_groups, texts};

#[test]
fn a_hundred_thousand_operators_in_a_row() {
    let sum = format!("fn f(x) = x{}", " + x".repeat(100_000));
    assert_eq!(function(&sum).members[0].body.bindings.len(), 200_000);
    function(&format!("fn f(x) = x{}", " && x".repeat(100_000)));
    function(&format!("fn f(x) = x{}", " |> x".repeat(100_000)));
}

#[test]
fn long_chains_of_calls_and_fields() {
    function(&format!("fn f(x) = x{}", "(1)".repeat(20_000)));
    function(&format!("fn f(x) = x{}", ".y".repeat(20_000)));
}

#[test]
fn many_statements_and_functions() {
    let lets: String = (1..20_000).map(|n| format!("let x{n} = x{} + 1\n", n - 1)).collect();
    function(&format!("fn f(x0) {{ {lets} x19999 }}"));
    let chain: String = (0..2_000).map(|n| format!("fn f{n}(x) = f{}(x)\n", n + 1)).collect();
    let groups = inner_groups(&function(&format!("fn f(f2000) {{ {chain} f0 }}")));
    assert_eq!(groups.len(), 1);
    assert_eq!(groups[0].members.len(), 2_000);
    assert_eq!(texts(&groups[0].captures), ["f2000"]);
    let apart: String = (0..2_000).map(|n| format!("fn f{n}(x) = g(x)\n")).collect();
    let groups = inner_groups(&function(&format!("fn f(g) {{ {apart} f0 }}")));
    assert_eq!(groups.len(), 2_000);
    assert!(groups.iter().all(|group| group.members.len() == 1 && texts(&group.captures) == ["g"]));
}

#[test]
fn a_variable_is_handed_down_through_every_function() {
    let groups = inner_groups(&function(&format!("fn f(x) = {}x", "y => ".repeat(200))));
    assert_eq!(groups.len(), 200);
    assert!(groups.iter().all(|group| texts(&group.captures) == ["x"]));
}

/// The caller doesn't hand over trees with syntax errors; if it does, nothing breaks.
#[test]
fn no_prefix_of_a_program_does_harm() {
    let program = r#"
type List = Nil | Cons(head, tail)
import library as l
let (a, {b, c: [d, 1]}) = (1, {b: 2, c: [3, 1]})
fn f(x, y) = (z => x * z) reverse z => { let w = f(x, y)(z); (w, d => ({x: d}, d * x)) } approximate "no"
fn g(v) { fn h(n) = if n > 0 && true { h(n - 1) } else { -1..2 }; match v { Cons(p, Nil) if p => l.q(p), (0, _) => "a {p} b", _ => () } }
test "t" { assert a == {b with [1, ..]: [i for i in 0..3, j in i..4 if i < j]}; sum(k for k in d) |> show }
"#;
    for (end, _) in program.char_indices() {
        let tree = syntax::parse(FileId(0), &program[..end]);
        let Session { mut globals, prelude, mut scope, internal } = Session::default();
        let modules = |_: &syntax::ast::Import| Ok(Default::default());
        let input = Input {
            tree: &tree,
            globals: &mut globals,
            prelude: &prelude,
            scope: &mut scope,
            modules: &modules,
            internal,
            types_of: None,
        };
        let _ = elaborate(input);
    }
}

#[test]
fn long_chains_of_choices() {
    function(&format!("fn f(x) = {}{{ 0 }}", "if x { 1 } else ".repeat(2_000)));
    let arms: String = (0..2_000).map(|n| format!("{n} => 1, ")).collect();
    function(&format!("fn f(x) = match x {{ {arms} }}"));
}
