//! The checker: it accepts well-formed code and rejects each broken invariant, by name.

mod generate;

use std::rc::Rc;

use calculus::check::{Broken, Violation, check_group, check_module};
use calculus::text::{parse_group, parse_module, print_group};
use calculus::*;

#[test]
fn well_formed_code_is_accepted() {
    for seed in 0..2000 {
        let group = generate::group(seed);
        check_group(&group).unwrap_or_else(|found| panic!("seed {seed}: {}\n{}", found[0], print_group(&group)));
    }
    for seed in 0..500 {
        check_module(&generate::module(seed)).unwrap_or_else(|found| panic!("seed {seed}: {}", found[0]));
    }
}

#[test]
fn a_violation_names_function_variable_and_what_is_wrong() {
    let text = "group { fn f(x_0) members [f_1] {
        g_2 = group { backpropagator fn g(x_0) members [g_1] { y_2 = y_2.0 return y_2 } }
        return ()
    } }";
    let [violation] = &violations(text)[..] else { panic!() };
    assert_eq!(violation.to_string(), "in `f`, the backpropagator of `g`: y_2 is used before it is bound");
}

#[test]
fn all_violations_are_reported() {
    assert_eq!(in_body("a_2 = check x_0: tuple 1 b_3 = check x_0: tuple 1 return c_4 } }", "unbound [c_4]").len(), 3);
}

#[test]
fn a_use_before_the_binding_is_rejected() {
    rejects_body("a_2 = b_3 b_3 = 1 return a_2", Broken::UsedBeforeBound);
}

#[test]
fn a_use_of_what_is_never_bound_is_rejected() {
    let found = in_body("return a_2 } }", "unbound [a_2]");
    assert_eq!(found[0].broken, Broken::UsedBeforeBound);
}

#[test]
fn a_group_that_captures_its_own_member_is_rejected() {
    let text =
        "g_2 = group captures [g] from [g_2] { fn g(x_0) captures [g_1] members [g_2] { return x_0 } } return g_2";
    rejects_body(text, Broken::UsedBeforeBound);
}

#[test]
fn a_use_outside_its_branch_is_rejected() {
    rejects_body("a_2 = if true { b_3 = 1 yield b_3 } else { yield b_3 } return a_2", Broken::UsedOutsideBranch);
    rejects_body("a_2 = if true { b_3 = 1 yield b_3 } else { yield 2 } return b_3", Broken::UsedOutsideBranch);
}

#[test]
fn a_second_binding_is_rejected() {
    rejects_body("a_2 = 1 a_2 = 2 return a_2", Broken::BoundTwice);
    rejects_body("a_2 = if true { b_3 = 1 yield 0 } else { b_3 = 2 yield 0 } return a_2", Broken::BoundTwice);
}

#[test]
fn a_body_that_binds_its_parameter_or_a_member_is_rejected() {
    rejects_body("x_0 = 1 return x_0", Broken::BindsReserved);
    rejects_body("f_1 = 1 return x_0", Broken::BindsReserved);
}

#[test]
fn a_variable_beyond_the_table_is_rejected() {
    rejects_body("return _9", Broken::NotInTable { length: 2 });
    let mut group = body("a_2 = 1 return ()");
    group.members[0].vars.pop();
    assert_eq!(broken(check_group(&group)), [Broken::NotInTable { length: 2 }]);
}

#[test]
fn a_table_without_room_for_the_layout_is_rejected() {
    let mut group = body("return ()");
    group.members[0].vars.pop();
    assert_eq!(broken(check_group(&group)), [Broken::TableTooShort { length: 1, least: 2 }]);
}

#[test]
fn captured_values_that_are_too_few_are_rejected() {
    let text = "g_2 = group captures [a, b] from [x_0] { fn g(x_0) captures [a_1, b_2] members [g_3] { return () } } return g_2";
    rejects_body(text, Broken::CapturedCount { captures: 2, captured: 1 });
}

#[test]
fn variables_that_differ_in_number_from_members_are_rejected() {
    let text = "g_2, h_3 = group { fn g(x_0) members [g_1] { return () } } return g_2";
    rejects_body(text, Broken::MemberCount { members: 1, vars: 2 });
}

#[test]
fn two_captures_under_one_label_are_rejected() {
    rejects(
        "group captures [a, a] { fn f(x_0) captures [a_1, a_2] members [f_3] { return () } }",
        Broken::CaptureTwice("a".into()),
    );
}

#[test]
fn two_fields_under_one_label_are_rejected() {
    rejects_body("r_2 = {a: 1, b: 2, a: 3} return r_2", Broken::FieldTwice("a".into()));
}

#[test]
fn an_order_above_that_of_the_group_is_rejected() {
    for node in ["f_1(x_0) order 1", "pull f_1(x_0) order 1"] {
        rejects_body(&format!("a_2 = {node} return a_2"), Broken::OrderAboveGroup { node: 1, group: 0 });
    }
}

#[test]
fn a_group_lifted_more_often_than_the_code_around_it_is_rejected() {
    let text = "g_2 = group lifted 1 { fn g(x_0) members [g_1] { return () } } return g_2";
    rejects_body(text, Broken::LiftedAboveGroup { lifted: 1, order: 0 });
}

#[test]
fn an_element_outside_its_array_is_rejected() {
    rejects_body("a_2 = x_0[3 of 3] return a_2", Broken::ElementOutside { index: 3, length: 3 });
    rejects_body("a_2 = inject x_0 at [0 of 0] return a_2", Broken::ElementOutside { index: 0, length: 0 });
}

#[test]
fn a_field_that_the_constructor_lacks_is_rejected() {
    let broken = Broken::PayloadOutside { constructor: "Cons".into(), index: 2, fields: 2 };
    rejects_body("a_2 = x_0.2 of List.Cons#1(head, tail) return a_2", broken);
}

#[test]
fn a_constructor_with_the_wrong_number_of_values_is_rejected() {
    let broken = Broken::ConstructorArity { constructor: "Cons".into(), fields: 2, given: 1 };
    rejects_body("a_2 = make List.Cons#1(head, tail)(x_0) return a_2", broken);
}

#[test]
fn a_tuple_of_one_value_is_rejected() {
    rejects_body("a_2 = check x_0: tuple 1 return a_2", Broken::TupleOfOne);
}

#[test]
fn a_check_for_one_argument_is_rejected() {
    rejects_body("a_2 = check x_0: arguments 1 return a_2", Broken::ArgumentsOfOne);
}

#[test]
fn two_rules_of_one_kind_are_rejected() {
    let mut group = ruled("fn (x_0) captures [a_1, f_2] members [r_3] { return () }");
    let again = group.members[0].rules[0].clone();
    group.members[0].rules.push(again);
    assert_eq!(broken(check_group(&group)), [Broken::RuleTwice(RuleKind::Reverse)]);
}

#[test]
fn a_rule_of_two_functions_is_rejected() {
    let one = "fn (x_0) captures [a_1, f_2] members [r_3, s_4] { return () }";
    assert_eq!(broken(check_group(&ruled(&format!("{one} {one}")))), [Broken::RuleMembers(2)]);
}

#[test]
fn a_rule_captures_what_its_function_captures_and_the_members() {
    let group = ruled("fn (x_0) captures [a_1, f_2] members [r_3] { return () }");
    check_group(&group).unwrap();
    let expected = vec![Some("a".into()), Some("f".into())];
    for wrong in [vec!["f".into(), "a".into()], vec!["a".into()]] {
        let mut group = group.clone();
        Rc::make_mut(&mut group.members[0].rules[0].code).captures = wrong.clone();
        let found = broken(check_group(&group));
        assert_eq!(found[0], Broken::RuleCaptures { expected: expected.clone(), found: wrong });
    }
}

#[test]
fn top_level_code_of_two_functions_is_rejected() {
    let one = "fn f(x_0) members [f_1, g_2] { return () }";
    for item in ["function g0", "step show"] {
        rejects_module(&format!("{item} = group {{ {one} {one} }}"), Broken::TopLevelMembers(2));
    }
}

#[test]
fn top_level_code_with_captures_is_rejected() {
    for item in ["function g0", "step test \"t\""] {
        let text = format!("{item} = group captures [a] {{ fn f(x_0) captures [a_1] members [f_2] {{ return () }} }}");
        rejects_module(&text, Broken::TopLevelCaptures(vec!["a".into()]));
    }
}

#[test]
fn a_definition_gives_a_tuple_with_a_value_for_each_global() {
    let define = |globals: &str, tuple: &str| {
        format!("step define [{globals}] = group {{ fn (x_0) members [_1] {{ t_2 = {tuple} return t_2 }} }}")
    };
    for (globals, tuple) in [("", "(,)"), ("g0", "(1,)"), ("g0, g1", "(1, 2)")] {
        check_module(&parse_module(&define(globals, tuple)).unwrap()).unwrap();
    }
    rejects_module(&define("g0, g1", "(1, 2, 3)"), Broken::DefineCount { globals: 2, values: 3 });
}

/// The group of `f(x_0)` without captures whose body is given.
fn body(body: &str) -> Group {
    parse_group(&format!("group {{ fn f(x_0) members [f_1] {{ {body} }} }}")).unwrap()
}

/// A function `f` that captures `a` and has a reverse rule with this code.
fn ruled(rule: &str) -> Group {
    let function = "fn f(x_0) captures [a_1] members [f_2] { return () }";
    let rule = format!("rule reverse = group captures [a, f] {{ {rule} }}");
    parse_group(&format!("group captures [a] {{ {function} {rule} }}")).unwrap()
}

fn violations(text: &str) -> Vec<Violation> {
    check_group(&parse_group(text).unwrap()).unwrap_err()
}

/// The violations of a body, from its first binding to the end of the text, after this part of the header.
fn in_body(rest: &str, header: &str) -> Vec<Violation> {
    violations(&format!("group {{ fn f(x_0) members [f_1] {header} {{ {rest}"))
}

fn rejects_body(text: &str, expected: Broken) {
    assert_eq!(broken(check_group(&body(text))), [expected], "{text}");
}

fn rejects(text: &str, expected: Broken) {
    assert_eq!(broken(check_group(&parse_group(text).unwrap())), [expected], "{text}");
}

fn rejects_module(text: &str, expected: Broken) {
    assert_eq!(broken(check_module(&parse_module(text).unwrap())), [expected], "{text}");
}

fn broken(result: Result<(), Vec<Violation>>) -> Vec<Broken> {
    result.unwrap_err().into_iter().map(|violation| violation.broken).collect()
}
