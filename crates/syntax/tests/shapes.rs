//! What each construct is read as.

mod common;
use common::{check, check_errors, parse};
use syntax::ast::Statement;

#[test]
fn braces_are_records_updates_or_blocks_by_what_follows() {
    for (text, expected) in [
        ("{}", "(record)"),
        ("x => {}", "(lambda (x) (record))"),
        ("{x: 1, y: {z: 2},}", "(record x: 1 y: (record z: 2))"),
        ("{ x }", "(block x)"),
        ("{ let y = 1; y }", "(block (let y 1) y)"),
        ("{r with x: 3.0}", "(with r x: 3.0)"),
        ("{f(r).y with x: 1, y: 2}", "(with (.y (call f r)) x: 1 y: 2)"),
        ("{a with [i]: v}", "(with a [ i ]: v)"),
        ("{a with [i, ..]: v, [0..2]: w}", "(with a [ i (slice _ _) ]: v [ (slice 0 2) ]: w)"),
        ("{ {a: 1} }", "(block (record a: 1))"),
        ("{ f({a: 1}) }", "(block (call f (record a: 1)))"),
        ("{ let s = {r with x: 1}; s }", "(block (let s (with r x: 1)) s)"),
    ] {
        check(text, &[expected]);
    }
}

#[test]
fn braces_after_if_else_fn_and_test_are_blocks() {
    check("if c {} else {}", &["(if c (block) (block))"]);
    check("fn f() {}", &["(fn f () (block))"]);
    check("test \"t\" {}", &["(test \"t\" (block))"]);
    check("if x == y { a }", &["(if (== x y) (block a))"]);
    check("if f({a: 1}) == ({}) { a }", &["(if (== (call f (record a: 1)) (record)) (block a))"]);
    check("if match x { A => true } { b }", &["(if (match x (arm A true)) (block b))"]);
    check("match x { A => {}, B => {b: 1} }", &["(match x (arm A (record)) (arm B (record b: 1)))"]);
    check("match if a { b } else { c } { _ => d }", &["(match (if a (block b) (block c)) (arm _ d))"]);
}

#[test]
fn if_chains_nest_in_their_else() {
    check("if a { 1 } else if b { 2 } else if c { 3 }", &["(if a (block 1) (if b (block 2) (if c (block 3))))"]);
}

#[test]
fn match_arms_take_patterns_guards_and_bodies() {
    check(
        "match v { Nil => 0, Cons(x, (a, b)) if a < b => x, {p: -1, q} => q, \"s\" => 1, 2.5 => 2, true => 3, m.N => 4 }",
        &["(match v (arm Nil 0) (arm (Cons x (tuple a b)) (if (< a b)) x) (arm (record p: -1 q) q) \
         (arm \"s\" 1) (arm 2.5 2) (arm true 3) (arm (m.N ) 4))"],
    );
    check(
        "match v { x if g => y => z, _ if (a => a)(b) => c, }",
        &["(match v (arm x (if g) (lambda (y) z)) (arm _ (if (call (lambda (a) a) b)) c))"],
    );
    check("match v { x if (g) => a, y if h(y) => b }", &["(match v (arm x (if g) a) (arm y (if (call h y)) b))"]);
    check("match v {}", &["(match v)"]);
}

#[test]
fn tuples_units_and_parens() {
    check("()", &["(tuple)"]);
    check("(a)", &["a"]);
    check("(a, b,)", &["(tuple a b)"]);
    check("f()", &["(call f)"]);
    check("f((a, b))", &["(call f (tuple a b))"]);
    check("f(a,)", &["(call f a)"]);
}

#[test]
fn arrays_comprehensions_and_generators() {
    for (text, expected) in [
        ("[]", "(array)"),
        ("[[1, 2], [3, 4],]", "(array (array 1 2) (array 3 4))"),
        ("[e for i in 0..n]", "(comprehension e (in i (.. 0 n)))"),
        (
            "[(x, y) for x in xs, (y, _) in ys if x < y]",
            "(comprehension (tuple x y) (in x xs) (in (tuple y _) ys) (if (< x y)))",
        ),
        ("[x => x for i in 0..3]", "(comprehension (lambda (x) x) (in i (.. 0 3)))"),
        ("sum(x^2 for x in xs)", "(call sum (generator (^ x 2) (in x xs)))"),
        (
            "[if a { b } else { c } for a in if d { e } else { f } if g]",
            "(comprehension (if a (block b) (block c)) (in a (if d (block e) (block f))) (if g))",
        ),
    ] {
        check(text, &[expected]);
    }
}

#[test]
fn indices_and_slices() {
    for (text, expected) in [
        ("a[i]", "(index a i)"),
        ("a[i, j + 1]", "(index a i (+ j 1))"),
        ("a[i..j]", "(index a (slice i j))"),
        ("a[..]", "(index a (slice _ _))"),
        ("a[i, ..]", "(index a i (slice _ _))"),
        ("a[..j, i..]", "(index a (slice _ j) (slice i _))"),
        ("a[i + 1..j * 2][0]", "(index (index a (slice (+ i 1) (* j 2))) 0)"),
        ("a[(i..j)]", "(index a (.. i j))"),
    ] {
        check(text, &[expected]);
    }
}

#[test]
fn strings_hold_expressions_and_escapes() {
    check(r#""""#, &["(text)"]);
    check(r#""a {x} b{y}""#, &[r#"(text "a " x " b" y)"#]);
    check(r#""{f("{1}", {a: 2}.a)}""#, &[r#"(text (call f (text 1) (.a (record a: 2))))"#]);
    check(r#""\{ \} \n \t \\ \" \u{3b8} }""#, &[r#"(text "{ } \n \t \\ \" θ }")"#]);
    check(r#""http://x""#, &[r#"(text "http://x")"#]);
}

#[test]
fn definitions_and_items() {
    check("let (a, _) = p\nlet {x, y: (b, c)} = r", &["(let (tuple a _) p)", "(let (record x y: (tuple b c)) r)"]);
    check("fn f((a, b), {x: c}) = a", &["(fn f ((tuple a b) (record x: c)) a)"]);
    check("type List = Nil | Cons(head, tail)", &["(type List (Nil) (Cons head tail))"]);
    check("type T =\n  | A\n  | B(x)", &["(type T (A) (B x))"]);
    check(
        "import \"a/b.ev\"\nimport linalg\nimport linalg as l",
        &["(import \"a/b.ev\")", "(import linalg)", "(import linalg l)"],
    );
}

#[test]
fn assert_takes_an_expression_and_is_a_function_too() {
    check(
        "assert a == b\nassert(c)\nassert (d) == e; assert !f",
        &["(call assert (== a b))", "(call assert c)", "(call assert (== d e))", "(call assert (! f))"],
    );
    check("assert (a)\n  == b", &["(call assert (== a b))"]);
    check("assert (a)\n-b", &["(call assert a)", "(- b)"]);
    check("assert\nx", &["assert", "x"]);
    check("map(assert, xs)", &["(call map assert xs)"]);
}

#[test]
fn contextual_words_are_names_elsewhere() {
    check("let test = type + import * as", &["(let test (+ type (* import as)))"]);
    check("type\nT", &["type", "T"]);
    check("test(x)", &["(call test x)"]);
    check("import linalg\nas", &["(import linalg)", "as"]);
}

#[test]
fn docs_are_the_lines_directly_above() {
    let tree = parse("/// lost\n\n/// One.\n///  Two.\nfn f(x) = x\n//// no\nfn g(x) = x");
    let docs: Vec<Option<String>> = tree
        .statements()
        .into_iter()
        .map(|id| match tree.statement(id) {
            Statement::Fn(function) => function.doc,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(docs, [Some("One.\n Two.".to_string()), None]);
}

#[test]
fn spans_leave_out_trivia() {
    let text = "  f( x ) // c\n";
    let tree = parse(text);
    assert_eq!(common::at(text, tree.span(tree.statements()[0])), "f( x )");
}

#[test]
fn a_single_expression_is_a_whole_text() {
    let tree = syntax::parse_expression(base::FileId(0), " (1, [2.0,\n 3])\n");
    assert!(tree.errors().is_empty());
    assert_eq!(syntax::sexpr::expr(&tree, tree.root_expr()), "(tuple 1 (array 2.0 3))");
    let tree = syntax::parse_expression(base::FileId(0), "1 2");
    assert_eq!(tree.errors().len(), 1);
    let tree = syntax::parse_expression(base::FileId(0), "");
    assert_eq!(tree.errors().len(), 1);
    check_errors("", &[]);
}
