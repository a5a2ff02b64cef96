//! How expressions group: `=>`, `<~`, `|>`, `||`, `&&`, `!`, comparisons, `..`, `+`, `*`, unary `-`, `^`, postfix.

mod common;
use common::check;

#[test]
fn operators_group_by_the_table() {
    for (text, expected) in [
        ("1 + 2 * 3", "(+ 1 (* 2 3))"),
        ("1 - 2 - 3", "(- (- 1 2) 3)"),
        ("1 / 2 * 3 % 4 @ a", "(@ (% (* (/ 1 2) 3) 4) a)"),
        ("a ⊕ b + c", "(+ (⊕ a b) c)"),
        ("-x^2", "(- (^ x 2))"),
        ("2^-1", "(^ 2 (- 1))"),
        ("2^-1^3", "(^ 2 (- (^ 1 3)))"),
        ("2^3^4", "(^ 2 (^ 3 4))"),
        ("2^-x * 3", "(* (^ 2 (- x)) 3)"),
        ("-a * b", "(* (- a) b)"),
        ("a * -b", "(* a (- b))"),
        ("a - -b", "(- a (- b))"),
        ("--a", "(- (- a))"),
        ("-f(x).y", "(- (.y (call f x)))"),
        ("f(x)^2", "(^ (call f x) 2)"),
        ("a < b + 1", "(< a (+ b 1))"),
        ("!a == b", "(! (== a b))"),
        ("a == !b", "(== a (! b))"),
        ("!a && b", "(&& (! a) b)"),
        ("!!a", "(! (! a))"),
        ("a && b || c && d", "(|| (&& a b) (&& c d))"),
        ("a || b |> f", "(|> (|| a b) f)"),
        ("a |> f |> g", "(|> (|> a f) g)"),
        ("f <~ g |> h", "(<~ f (|> g h))"),
        ("f <~ g <~ h", "(<~ (<~ f g) h)"),
        ("0..n + 1", "(.. 0 (+ n 1))"),
        ("a..b == c", "(== (.. a b) c)"),
        ("a < b && b < c", "(&& (< a b) (< b c))"),
        ("f(p)(x)[i].0.y", "(.y (.0 (index (call (call f p) x) i)))"),
        ("p.0.1", "(.1 (.0 p))"),
        ("if c { f } else { g }(x)", "(call (if c (block f) (block g)) x)"),
        ("1 + if c { 2 } else { 3 } + 4", "(+ (+ 1 (if c (block 2) (block 3))) 4)"),
    ] {
        check(text, &[expected]);
    }
}

#[test]
fn a_function_reaches_as_far_as_it_can() {
    for (text, expected) in [
        ("x => x + 1", "(lambda (x) (+ x 1))"),
        ("x => y => x |> y", "(lambda (x) (lambda (y) (|> x y)))"),
        ("(x, y) => x", "(lambda (x y) x)"),
        ("() => 1", "(lambda () 1)"),
        ("(x) => x", "(lambda (x) x)"),
        ("((x, y), z) => x", "(lambda ((tuple x y) z) x)"),
        ("_ => 1", "(lambda (_) 1)"),
        ("{x: a, y} => a", "(lambda ((record x: a y)) a)"),
        ("[a, b] => a", "(lambda ((array a b)) a)"),
        ("Cons(h, t) => h", "(lambda ((Cons h t)) h)"),
        ("lib.Cons(h, _) => h", "(lambda ((lib.Cons h _)) h)"),
        ("xs |> x => x + 1 |> f", "(|> xs (lambda (x) (|> (+ x 1) f)))"),
        ("f <~ x => g(x)", "(<~ f (lambda (x) (call g x)))"),
        ("f <~ (x, y) => x |> g", "(<~ f (lambda (x y) (|> x g)))"),
        ("map(x => x, xs)", "(call map (lambda (x) x) xs)"),
        ("(x => x)(1)", "(call (lambda (x) x) 1)"),
    ] {
        check(text, &[expected]);
    }
}

#[test]
fn lambda_is_a_sign_before_a_function_and_a_name_elsewhere() {
    check("λx => x", &["(lambda (x) x)"]);
    check("λ(x, y) => x", &["(lambda (x y) x)"]);
    check("λ x => λ * x", &["(lambda (x) (* λ x))"]);
    check("λ => λ + λ1 * λ_max", &["(lambda (λ) (+ λ (* λ1 λ_max)))"]);
    check("let λ = 0.5", &["(let λ 0.5)"]);
}

#[test]
fn numbers_points_and_ranges_are_told_apart() {
    for (text, expected) in [
        ("0..n", "(.. 0 n)"),
        ("1.5..2.5", "(.. 1.5 2.5)"),
        ("1e-6", "1e-6"),
        ("1.5E+3", "1500.0"),
        ("1_000", "1000"),
        ("p.0..n", "(.. (.0 p) n)"),
        ("a.0.x.1", "(.1 (.x (.0 a)))"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("9223372036854775807", "9223372036854775807"),
    ] {
        check(text, &[expected]);
    }
}

#[test]
fn names_are_unicode_with_primes() {
    check("θ + x' * fix''(π)", &["(+ θ (* x' (call fix'' π)))"]);
}
