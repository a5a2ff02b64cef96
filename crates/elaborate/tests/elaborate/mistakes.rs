//! Mistakes in names: each code, its place and what it suggests.

use crate::support::{check_error, errors};

#[test]
fn e0201_a_misspelt_name() {
    check_error("fn f(value) = valeu + 1", "E0201", "valeu", "`value`");
    check_error("fn f(x) = sqtr(x)", "E0201", "sqtr", "`sqrt`");
}

#[test]
fn e0201_a_name_from_another_language() {
    check_error("fn f(x) = np.sin(x)", "E0201", "np", "no prefix");
    check_error("fn f(x) = length(x)", "E0201", "length", "`len(a)`");
    check_error("fn f(x) = None", "E0201", "None", "no null");
}

#[test]
fn e0201_a_name_out_of_its_block() {
    check_error("fn f(x) { if x { let inner = 1; inner }; inner }", "E0201", "inner", "");
}

#[test]
fn e0201_a_local_let_in_its_own_value() {
    check_error("fn f() { let go = n => go(n - 1); go }", "E0201", "go", "`fn go(…) = …`");
}

#[test]
fn e0202_an_undeclared_constructor() {
    let source = "type List = Nil | Cons(head, tail)\nfn f(v) = match v { Nill => 0, _ => 1 }";
    check_error(source, "E0202", "Nill", "`Nil`");
    check_error("fn f(Pair(a, b)) = a", "E0202", "Pair", "declare it");
}

#[test]
fn a_capitalised_name_binds_in_a_parameter() {
    assert!(errors("fn f(A) { let B = A; B }").is_empty());
}

#[test]
fn e0203_a_name_defined_twice() {
    check_error("fn f(x) = x\nlet f = 1", "E0203", "f", "rename");
    check_error("type T = A | B\nfn A(x) = x", "E0203", "A", "rename");
    check_error("fn f() { fn g(x) = x; fn g(y) = y; g }", "E0203", "g", "rename");
    let first = errors("let a = 1\nlet a = 2")[0].labels[1].span;
    assert_eq!((first.start, first.end), (4, 5));
}

#[test]
fn e0204_a_name_bound_twice_in_one_pattern() {
    check_error("fn f(a, (b, a)) = b", "E0204", "a", "another name");
    check_error("fn f(v) { let {x, y: x} = v; x }", "E0204", "x", "another name");
    check_error("let (a, a) = (1, 2)", "E0204", "a", "another name");
}

#[test]
fn e0205_the_wrong_number_of_fields() {
    check_error("type T = C(a, b)\nfn f(v) = C(v)", "E0205", "C(v)", "`C(a, b)`");
    check_error("type T = C(a, b)\nfn f(v) = match v { C(x) => x }", "E0205", "C(x)", "`C(a, b)`");
    check_error("type T = C(a, b)\nfn f(v) = match v { C => 1 }", "E0205", "C", "`C(a, b)`");
}

#[test]
fn e0210_a_definition_read_before_it_has_run() {
    check_error("b + 1\nlet b = 2", "E0210", "b", "move the definition up");
    check_error("let b = b", "E0210", "b", "move the definition up");
    check_error("let a = [b for i in 0..3]\nlet b = 2", "E0210", "b", "move the definition up");
}

#[test]
fn a_function_may_read_what_is_defined_after_it() {
    assert!(errors("let f = x => later * x\nfn g(x) = later\nlet later = 2.0\nf(later)").is_empty());
}

#[test]
fn e0211_a_field_written_twice() {
    check_error("fn f(x) = {a: x, b: x, a: 1}", "E0211", "a", "");
    check_error("fn f(r) = {r with a: 1, a: 2}", "E0211", "a", "");
}

#[test]
fn all_mistakes_are_reported_in_the_order_of_the_text() {
    let found: Vec<String> =
        errors("fn f(a, a) = unknown1\nlet f = unknown2\n[unknown3 for x in unknown4 if unknown5]")
            .iter()
            .map(|error| error.code.to_string())
            .collect();
    assert_eq!(found, ["E0204", "E0201", "E0203", "E0201", "E0201", "E0201", "E0201"]);
}
