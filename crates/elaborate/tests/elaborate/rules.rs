//! Rule clauses: one record of captures for a function and its rules, and labels that must be in it (C2).

use calculus::RuleKind;

use crate::support::{check_error, errors, function, inner, module, texts};

#[test]
fn a_rule_captures_what_its_function_captures_then_the_group() {
    let source = "fn f(a, b) = (x => a * x) reverse x => (a * x, d => ({a: d * x * b}, d * a))";
    let (group, _) = inner(&function(source), "f");
    assert_eq!(texts(&group.captures), ["a", "b"]);
    let rule = group.members[0].rule(RuleKind::Reverse).unwrap();
    assert_eq!(texts(&rule.code.captures), ["a", "b", "f"]);
    let unnamed = "fn f(a) { let b = a; (x => b * x) reverse x => (a * x, d => ({b: d * x}, d * b)) }";
    let (group, _) = inner(&function(unnamed), "");
    assert_eq!(texts(&group.members[0].rules[0].code.captures), ["b", "a", "_"]);
}

#[test]
fn inside_a_rule_the_name_of_a_local_function_is_its_group_member() {
    let source = "fn f(a) { fn g(x) = a * x  reverse x => (g(x), d => ({}, d)); g }";
    let (group, _) = inner(&function(source), "g");
    assert_eq!(texts(&group.captures), ["a"]);
    let code = &group.members[0].rules[0].code;
    assert_eq!(texts(&code.captures), ["a", "g"]);
    assert_eq!(code.members.len(), 1);
}

#[test]
fn functions_that_need_each_other_through_a_rule_are_one_group() {
    let source = "fn f() { fn g(x) = x  reverse x => (h(x), d => ({}, d))
        fn h(x) = g(x)
        g }";
    let (group, _) = inner(&function(source), "g");
    assert_eq!(group.members.len(), 2);
    assert_eq!(texts(&group.members[0].rules[0].code.captures), ["g", "h"]);
}

#[test]
fn a_function_that_only_a_rule_uses_is_in_the_group() {
    let source = "fn f(a, b) { fn g(x) = a * x  reverse x => (g(x), d => ({a: d, b: d}, h(d)))
        fn h(x) = b * x
        g }";
    let (group, _) = inner(&function(source), "h");
    assert_eq!(group.members.len(), 2);
    assert_eq!(texts(&group.captures), ["a", "b"]);
    assert_eq!(texts(&group.members[0].rules[0].code.captures), ["a", "b", "g", "h"]);
}

#[test]
fn e0209_a_capture_of_another_group() {
    let source = "fn f(a, b) { fn g(x) = a * x  reverse x => (g(x), d => ({b: d}, d))
        fn h(x) = b * x
        (g, h) }";
    check_error(source, "E0209", "b", "");
    assert_eq!(errors(source)[0].notes, ["it captures `a`"]);
}

#[test]
fn a_top_level_function_is_a_global_in_its_own_rule() {
    let f = function("fn f(x) = sin(x)  reverse x => (f(x), d => ({}, d * cos(x)))");
    assert_eq!(texts(&f.captures), [""; 0]);
    assert_eq!(texts(&f.members[0].rules[0].code.captures), ["f"]);
    assert_eq!(texts(&f.members[0].rules[0].code.members[0].mentions), ["f"]);
    assert_eq!(texts(&f.members[0].mentions), ["f"]);
}

#[test]
fn all_kinds_and_the_reason_of_an_approximation_arrive() {
    let source = r#"fn f(x) = x
        reverse x => (x, d => ({}, d)) approximate "rough"
        forward x => (x, (dx, _) => dx)
        transpose d => d"#;
    let f = function(source);
    let kinds: Vec<_> = f.members[0].rules.iter().map(|rule| rule.kind).collect();
    assert_eq!(kinds, [RuleKind::Reverse, RuleKind::Forward, RuleKind::Transpose]);
    assert_eq!(f.members[0].rules[0].approximate.as_deref(), Some("rough"));
}

#[test]
fn e0212_two_rules_of_one_kind() {
    let source = "fn f(x) = x  transpose d => d  transpose e => e";
    check_error(source, "E0212", "transpose e => e", "parentheses");
}

#[test]
fn e0209_a_misspelt_label() {
    let source = "fn f(scale) = (x => scale * x) reverse x => (scale * x, d => ({scael: d * x}, d * scale))";
    check_error(source, "E0209", "scael", "`scale`");
    assert_eq!(errors(source)[0].notes, ["it captures `scale`"]);
}

#[test]
fn e0209_is_found_through_blocks_and_choices() {
    let source = "fn f(x) = x  reverse x => { let y = x; if y > 0 { (y, d => { let e = d; ({w: e}, e) }) } else { (y, d => ({}, d)) } }";
    check_error(source, "E0209", "w", "leave it out");
}

#[test]
fn a_label_may_name_a_mentioned_top_level_definition_or_the_group() {
    module("let k = 2.0\nfn f(x) = k * x  reverse x => (k * x, d => ({k: d * x, f: ()}, d * k))");
    module("fn f() { fn g(x) = h(x)  reverse x => (x, d => ({h: (), g: ()}, d))\n fn h(x) = g(x)\n g }");
}

#[test]
fn e0209_a_top_level_definition_that_the_function_does_not_mention() {
    let source = "let k = 2.0\nfn f(x) = x  reverse x => (x, d => ({k: d}, d))";
    check_error(source, "E0209", "k", "leave it out");
}
