//! Which function a rule clause belongs to.

mod common;
use common::{check, check_errors, check_help};

#[test]
fn a_clause_belongs_to_the_fn_it_follows() {
    check(
        "fn f(x) = x * x\n  reverse x => (y, dy => ({}, dy))",
        &["(fn f (x) (* x x) (reverse (x) (tuple y (lambda (dy) (tuple (record) dy)))))"],
    );
    check(
        "fn f(x) { x }\n  forward (x, y) => x\n  transpose dy => dy",
        &["(fn f (x) (block x) (forward (x y) x) (transpose (dy) dy))"],
    );
}

#[test]
fn a_clause_belongs_to_the_innermost_function_before_it() {
    let inner = "(fn fix (p f) (lambda (x) x (reverse (x) x)))";
    check("fn fix(p, f) = x => x\n  reverse x => x", &[inner]);
    check("fn fix(p, f) = (x => x)\n  reverse x => x", &[inner]);
    check("fn fix(p, f) = ((x => x)) reverse x => x", &[inner]);
    check("let g = a => b => c\n  reverse x => x", &["(let g (lambda (a) (lambda (b) c (reverse (x) x))))"]);
    check("let g = a => (b => c)\n  reverse x => x", &["(let g (lambda (a) (lambda (b) c (reverse (x) x))))"]);
    check(
        "let g = a => (b => c)(d)\n  reverse x => x",
        &["(let g (lambda (a) (call (lambda (b) c) d) (reverse (x) x)))"],
    );
    check("f(a => b reverse x => x, c)", &["(call f (lambda (a) b (reverse (x) x)) c)"]);
    check("f <~ a => b\n reverse x => x", &["(<~ f (lambda (a) b (reverse (x) x)))"]);
}

#[test]
fn consecutive_clauses_share_one_owner() {
    check(
        "fn f(x) = x\n  reverse x => y => y\n  forward x => (z => z)\n  transpose x => x",
        &["(fn f (x) x (reverse (x) (lambda (y) y)) (forward (x) (lambda (z) z)) (transpose (x) x))"],
    );
    check(
        "(x => x)\n  reverse x => (y => y)\n  forward x => x",
        &["(lambda (x) x (reverse (x) (lambda (y) y)) (forward (x) x))"],
    );
}

#[test]
fn brackets_in_a_clause_hold_clauses_of_their_own() {
    check(
        "fn f(x) = x\n  reverse x => { fn g(y) = y\n    transpose y => y\n    g }",
        &["(fn f (x) x (reverse (x) (block (fn g (y) y (transpose (y) y)) g)))"],
    );
    check(
        "fn f(x) = x\n  reverse x => (y => y transpose y => y)",
        &["(fn f (x) x (reverse (x) (lambda (y) y (transpose (y) y))))"],
    );
}

#[test]
fn rules_inside_and_after_the_parentheses_add_up() {
    check("(x => x reverse x => a)\n  forward x => b", &["(lambda (x) x (reverse (x) a) (forward (x) b))"]);
}

#[test]
fn a_reason_exempts_a_clause() {
    check(
        "fn f(x) = x\n  reverse x => x approximate \"cut\"\n  forward x => x\n    approximate \"off\"\ng",
        &["(fn f (x) x (reverse (x) x \"cut\") (forward (x) x \"off\"))", "g"],
    );
}

#[test]
fn the_words_are_names_elsewhere() {
    check("transpose(a)", &["(call transpose a)"]);
    check("let reverse = forward + transpose", &["(let reverse (+ forward transpose))"]);
    check("reverse => reverse", &["(lambda (reverse) reverse)"]);
    check("x => reverse\n(y) => y", &["(lambda (x) reverse)", "(lambda (y) y)"]);
    check("f(reverse, approximate)", &["(call f reverse approximate)"]);
    check("{reverse: 1}.reverse", &["(.reverse (record reverse: 1))"]);
}

#[test]
fn a_clause_after_anything_else_is_an_error() {
    check_errors("let y = f(x)\n  reverse x => x\nz", &[("E0108", "reverse x => x")]);
    check_errors("[1]\nforward x => x\ntranspose y => y", &[("E0108", "forward x => x\ntranspose y => y")]);
    check_errors("{ reverse x => x }", &[("E0108", "reverse x => x")]);
    check_errors("f(a, b reverse x => x)", &[("E0108", "reverse x => x")]);
    check_help("g(1)\n  reverse x => x", "expected a function before `reverse`", "f <~ g");
}
