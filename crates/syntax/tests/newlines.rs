//! Where statements end.

mod common;
use common::check;

#[test]
fn a_newline_or_semicolon_ends_a_statement() {
    check("a\nb; c;\n;d", &["a", "b", "c", "d"]);
}

#[test]
fn minus_parens_brackets_and_not_start_a_statement() {
    check("a\n-b", &["a", "(- b)"]);
    check("f\n(x)", &["f", "x"]);
    check("a\n[0]", &["a", "(array 0)"]);
    check("a\n!b", &["a", "(! b)"]);
    check("f\n(x) => x", &["f", "(lambda (x) x)"]);
}

#[test]
fn operators_at_the_end_of_a_line_go_on() {
    check("a -\nb", &["(- a b)"]);
    check("let x =\n  1", &["(let x 1)"]);
    check("x =>\n  x", &["(lambda (x) x)"]);
    check("a && // why\n\n  b", &["(&& a b)"]);
}

#[test]
fn operators_that_start_nothing_go_on() {
    check("a\n+ b\n|> c\n<~ d", &["(<~ (|> (+ a b) c) d)"]);
    check("a\n  .x\n  .0", &["(.0 (.x a))"]);
    check("if c { 1 }\nelse { 2 }", &["(if c (block 1) (block 2))"]);
    check("type T = A\n  | B(x)\n", &["(type T (A) (B x))"]);
    check("fn f(x) = x\n\n// a comment\n  reverse x => x", &["(fn f (x) x (reverse (x) x))"]);
}

#[test]
fn brackets_suspend_newlines() {
    check("(a\n-b)", &["(- a b)"]);
    check("f(a\n(x),\n  b\n)", &["(call f (call a x) b)"]);
    check("[1\n-2]", &["(array (- 1 2))"]);
    check("{x: a\n-b}", &["(record x: (- a b))"]);
    check("{r with\nx: a\n-b}", &["(with r x: (- a b))"]);
}

#[test]
fn blocks_bring_them_back() {
    check("(x => {\na\n-b\n})", &["(lambda (x) (block a (- b)))"]);
    check("[{ a\n(b) }]", &["(array (block a b))"]);
}

#[test]
fn arms_end_at_commas_or_newlines() {
    check("match v { 0 => a, 1 => b }", &["(match v (arm 0 a) (arm 1 b))"]);
    check("match v {\n0 => a\n1 => b\n}", &["(match v (arm 0 a) (arm 1 b))"]);
    check(
        "match v {\n0 => f\n(x, y) => b\n[z] => c\n-1 => d,\n}",
        &["(match v (arm 0 f) (arm (tuple x y) b) (arm (array z) c) (arm -1 d))"],
    );
    check("match v {\n0 => a\n(x) if x > 0 => b }", &["(match v (arm 0 a) (arm x (if (> x 0)) b))"]);
    check("match v {\n0 => a\n- b\n+ c\n_ => f\n(x)\n}", &["(match v (arm 0 (+ (- a b) c)) (arm _ (call f x)))"]);
    check("match v {\nA => x => x\nB => y }", &["(match v (arm A (lambda (x) x)) (arm B y))"]);
}

#[test]
fn crlf_and_tabs_are_space() {
    check("a\r\n\t+ b\r\n-c\r\n", &["(+ a b)", "(- c)"]);
}
