//! Rules that visibly aren't linear lead to a warning; all others to none.

use crate::support::Session;

/// The pieces of text that warnings are about.
fn bent(source: &str) -> Vec<String> {
    let elaborated = Session::default().elaborated(source).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let linear = elaborated.warnings.iter().filter(|warning| warning.code == base::codes::NOT_LINEAR);
    linear.map(|warning| source[warning.span().start as usize..warning.span().end as usize].to_string()).collect()
}

#[test]
fn products_powers_functions_and_constants_are_found_in_both_kinds_of_rules() {
    let forward = |part: &str| bent(&format!("fn f(x) = x^3\n  forward x => (f(x), (dx, _) => {part})"));
    let reverse = |part: &str| bent(&format!("fn f(x) = x^3\n  reverse x => (f(x), d => ({{}}, {part}))"));
    assert_eq!(forward("3 * x^2 * dx + dx^2"), ["dx^2"]);
    assert_eq!(forward("x * abs(dx)"), ["abs(dx)"]);
    assert_eq!(forward("{ let y = 2 * dx; y * dx }"), ["y * dx"]);
    assert_eq!(forward("{ fn g(u) = sin(u); g(x * dx) }"), ["sin(u)"]);
    assert_eq!(reverse("3 * x^2 * d + 1"), ["3 * x^2 * d + 1"]);
    assert_eq!(reverse("x / d"), ["x / d"]);
    assert_eq!(reverse("if x > 0 { d } else { exp(d) }"), ["exp(d)"]);
    assert_eq!(reverse("minimum(d, 1.0)"), ["minimum(d, 1.0)"]);
}

#[test]
fn what_is_linear_or_unknown_or_approximate_is_left_alone() {
    let none = [
        "fn f(x) = x^3\n  forward x => (f(x), (dx, _) => 3 * x^2 * dx)",
        "fn f(x) = x^3\n  reverse x => (f(x), d => ({}, if d == 0.0 { 0.0 } else { 3 * x^2 * d }))",
        "fn f(v) = sum(v^2)\n  reverse v => (f(v), d => ({}, 2 * v * d))",
        "fn f(a, b) = a * b\n  forward (a, b) => (a * b, ((da, db), _) => a * db + b * da)",
        "fn f(k) = (x => k * x)\n  forward x => (k * x, (dx, dc) => k * dx + x * dc.k)",
        "fn f(x) = x^3\n  reverse x => (f(x), d => ({}, abs(d))) approximate \"on purpose\"",
        "fn g(d) = d^2\nfn f(x) = x^3\n  reverse x => (f(x), d => ({}, g(d)))",
        "fn f(x) = {a: x, b: x^2}\n  reverse x => (f(x), d => ({}, d.a + 2 * x * d.b + 0.0))",
    ];
    none.iter().for_each(|source| assert_eq!(bent(source), Vec::<String>::new(), "{source}"));
}
