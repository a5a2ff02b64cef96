//! Which variables functions capture, under which labels, in which order; how adjacent functions form groups.

use crate::support::{captures, function, inner, inner_groups, inner_names, texts};

#[test]
fn captures_are_the_free_variables_in_the_order_of_first_use() {
    assert_eq!(captures("fn f(a, b, c) = x => c * x + a * c", "f"), ["c", "a"]);
}

#[test]
fn a_closed_function_captures_nothing() {
    assert_eq!(captures("fn f(a) = x => x * x", "f"), [""; 0]);
}

#[test]
fn a_parameter_shadows_an_outer_variable() {
    assert_eq!(captures("fn f(x, y) = x => x + y", "f"), ["y"]);
}

#[test]
fn a_constant_that_has_a_name_is_captured() {
    assert_eq!(captures("fn f() { let a = 2.0; x => a * x }", ""), ["a"]);
}

#[test]
fn an_alias_is_captured_under_its_own_name() {
    assert_eq!(captures("fn f(a) { let b = a; x => b * x + a }", ""), ["b", "a"]);
}

#[test]
fn a_variable_two_functions_out_is_captured_by_both() {
    let f = function("fn f(a) = b => c => a + b + c");
    let groups = inner_groups(&f);
    assert_eq!(texts(&groups[0].captures), ["a"]);
    assert_eq!(texts(&groups[1].captures), ["a", "b"]);
}

#[test]
fn top_level_names_and_primitives_are_mentioned_not_captured() {
    let f = function("let k = 2.0\nfn g(x) = x\nfn f(a) = x => k * g(sin(x)) + g(a)");
    let (group, member) = inner(&f, "f");
    assert_eq!(texts(&group.captures), ["a"]);
    assert_eq!(texts(&group.members[member].mentions), ["k", "g"]);
    assert_eq!(texts(&f.members[0].mentions), ["k", "g"]);
}

#[test]
fn a_let_names_its_function() {
    let f = function("fn f() { let g = (x => x); g }");
    assert_eq!(inner(&f, "g").0.members.len(), 1);
}

#[test]
fn a_function_that_is_the_whole_body_goes_by_the_same_name() {
    assert_eq!(inner_names("fn f(a) = b => (c => a + b + c)"), [["f"], ["f"]]);
    assert_eq!(inner_names("fn f() { fn g(k) = x => k * x; g }"), [["g"], ["g"]]);
    assert_eq!(inner_names("fn f() { let g = k => x => k * x; g }"), [["g"], ["g"]]);
}

#[test]
fn a_function_that_is_only_part_of_the_body_has_no_name() {
    assert_eq!(inner_names("fn f(a) { let b = a; x => b * x }"), [[""]]);
    assert_eq!(inner_names("fn f(a) = (x => a, y => a)"), [[""], [""]]);
    assert_eq!(inner_names("fn f(a) = if a { x => 1 } else { x => 2 }"), [[""], [""]]);
    assert_eq!(inner_names("fn f(a) = a(x => y => x)"), [[""], [""]]);
}

/// The name doesn't make it recursive: inside, `f` is the top-level function or whatever else is visible.
#[test]
fn a_function_that_is_the_whole_body_does_not_see_itself_by_that_name() {
    let f = function("fn f(a) = x => f(x)");
    let (group, member) = inner(&f, "f");
    assert_eq!(texts(&group.captures), [""; 0]);
    assert_eq!(texts(&group.members[member].mentions), ["f"]);
    assert_eq!(captures("fn f(f) = x => f(x)", "f"), ["f"]);
}

#[test]
fn a_local_let_is_not_recursive() {
    assert_eq!(captures("fn f(g) { let g = x => g(x); g }", "g"), ["g"]);
}

#[test]
fn a_recursive_function_does_not_capture_itself() {
    let f = function("fn f(a) { fn go(n) = if n == 0 { a } else { go(n - 1) }; go }");
    let (group, _) = inner(&f, "go");
    assert_eq!(texts(&group.captures), ["a"]);
}

#[test]
fn functions_that_need_each_other_share_one_record() {
    let source = "fn f(a, b) { fn even(n) = if n == 0 { a } else { odd(n - 1) }
        fn odd(n) = if n == 0 { b } else { even(n - 1) }
        even }";
    let (group, _) = inner(&function(source), "even");
    assert_eq!(group.members.len(), 2);
    assert_eq!(texts(&group.captures), ["a", "b"]);
}

#[test]
fn a_function_shares_one_record_with_the_sibling_it_uses() {
    let uses_the_next = "fn f(a, b) { fn first(x) = second(x) + a
        fn second(x) = x + b
        first }";
    assert_eq!(inner_names(uses_the_next), [["first", "second"]]);
    assert_eq!(captures(uses_the_next, "first"), ["a", "b"]);
    let uses_the_previous = "fn f(a, b) { fn first(x) = x + a
        fn second(x) = first(x) + b
        second }";
    assert_eq!(inner_names(uses_the_previous), [["first", "second"]]);
    assert_eq!(captures(uses_the_previous, "first"), ["a", "b"]);
}

#[test]
fn functions_with_a_sibling_in_common_are_one_group() {
    let both_use_it = "fn f(a, b, c) { fn left(x) = shared(x) + a
        fn right(x) = shared(x) + b
        fn shared(x) = x + c
        (left, right) }";
    assert_eq!(inner_names(both_use_it), [["left", "right", "shared"]]);
    assert_eq!(captures(both_use_it, "shared"), ["a", "b", "c"]);
    let it_uses_both = "fn f(a, b) { fn left(x) = x + a
        fn shared(x) = left(x) + right(x)
        fn right(x) = x + b
        shared }";
    assert_eq!(inner_names(it_uses_both), [["left", "shared", "right"]]);
}

#[test]
fn a_use_inside_an_inner_function_connects_too() {
    let source = "fn f() { fn first(x) { let go = y => second(y); go(x) }
        fn second(x) = x
        first }";
    assert_eq!(inner_names(source), [vec!["first", "second"], vec!["go"]]);
    assert_eq!(captures(source, "go"), ["second"]);
}

/// `first` and `second` belong together, `other` doesn't: it captures only what it uses itself.
const INTERLEAVED: &str = "fn f(a, b, c) = () => { fn first(x) = second(x) + a
    fn other(x) = x + c
    fn second(x) = x + b
    (first, other) }";

#[test]
fn adjacent_functions_without_a_connection_are_groups_of_their_own() {
    assert_eq!(inner_names(INTERLEAVED), [vec!["f"], vec!["first", "second"], vec!["other"]]);
    assert_eq!(captures(INTERLEAVED, "first"), ["a", "b"]);
    assert_eq!(captures(INTERLEAVED, "other"), ["c"]);
}

#[test]
fn the_split_does_not_change_the_order_of_the_outer_captures() {
    assert_eq!(captures(INTERLEAVED, "f"), ["a", "c", "b"]);
}

#[test]
fn a_statement_between_functions_separates_them() {
    let source = "fn f(h) { fn g(x) = h(x); let a = 1.0; fn h(x) = a; g }";
    assert_eq!(captures(source, "g"), ["h"]);
    assert_eq!(inner_groups(&function(source)).len(), 2);
}

#[test]
fn two_captures_of_one_label_are_told_apart_by_primes() {
    let source = "fn f(g) = [x * y for x in g(1), y in g(2)]";
    let groups = inner_groups(&function(source));
    assert_eq!(texts(&groups[1].captures), ["_", "x"]);
    let nested = "fn f(g) = [x for x in g(1) if x > 0]";
    assert_eq!(texts(&inner_groups(&function(nested))[1].captures), ["_", "_'"]);
}
