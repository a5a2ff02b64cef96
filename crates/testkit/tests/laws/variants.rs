//! Law 14: rewriting a program without changing its meaning doesn't change gradients. Law 15: rules.

use crate::testkit::Lab;

/// Two ways to write a function, and a point.
const PAIRS: &[(&str, &str, &str)] = &[
    // A let and its value in place
    ("x => { let y = sin(x); y * y }", "x => sin(x) * sin(x)", "0.7"),
    ("x => { let f = y => x * y; f(x) + f(2.0) }", "x => (y => x * y)(x) + (y => x * y)(2.0)", "0.7"),
    ("x => { let p = (x, x^2); p.0 * p.1 }", "x => x * x^2", "0.7"),
    // A recursion and its unrolling
    (
        "x => { fn go(n, y) = if n == 0 { y } else { go(n - 1, sin(x * y)) }; go(3, x) }",
        "x => sin(x * sin(x * sin(x * x)))",
        "0.7",
    ),
    ("v => fold((s, x) => s * x, 1.0, v)", "v => v[0] * v[1] * v[2]", "[0.5, 0.6, 0.7]"),
    ("v => sum(map(x => x^2, v))", "v => v[0]^2 + v[1]^2 + v[2]^2", "[0.5, 0.6, 0.7]"),
    ("x => iterate(3, y => x * y, 1.0)", "x => x * (x * (x * 1.0))", "0.7"),
    // Currying, eta, order of arguments
    ("(x, y) => x^2 * y", "p => p.0^2 * p.1", "(0.5, 0.6)"),
    ("x => (y => z => x * y * z)(x)(x)", "x => x * x * x", "0.7"),
    ("x => sin(x)", "sin", "0.7"),
    // Data and Church pairs
    (
        "x => { let pair = (a, b) => f => f(a, b); pair(x, x^2)((a, b) => a * b) }",
        "x => { let (a, b) = (x, x^2); a * b }",
        "0.7",
    ),
    // A rule that is right changes nothing
    (
        "x => ((y => x * y^2) reverse y => (x * y^2, d => ({x: d * y^2}, 2 * d * x * y)))(x)",
        "x => (y => x * y^2)(x)",
        "0.7",
    ),
    ("x => checkpoint(y => x * sin(y))(x)", "x => (y => x * sin(y))(x)", "0.7"),
];

#[test]
fn rewriting_a_program_keeps_its_gradients() {
    let mut lab = Lab::open();
    lab.value("fn weight(g) = if is_real(g) { g } else { product(g, g) }");
    for (a, b, point) in PAIRS {
        for derived in
            ["(@)", "grad(@)", "grad(x => weight(grad(@)(x)))", "grad(x => weight(grad(x => weight(grad(@)(x)))(x)))"]
        {
            let [a, b] = [a, b].map(|f| format!("({})({point})", derived.replace('@', f)));
            lab.agrees(&a, &b).unwrap_or_else(|words| panic!("{a}\n{b}\n{words}"));
        }
    }
}

/// The same definitions at top level and in a block; with a rule whose labels name them.
#[test]
fn a_rule_may_name_what_is_local_here_and_global_there() {
    let rule = "fn scaled(x) = a * x reverse x => (a * x, d => ({a: d * x}, d * a))";
    let mut lab = Lab::new();
    lab.value(&format!("let a = 3.0\n{rule}"));
    lab.agrees("grad(scaled)(2.0)", "3.0").unwrap();
    lab.agrees(&format!("{{ let a = 3.0; {rule}; grad(scaled)(2.0) }}"), "3.0").unwrap();
    lab.agrees(&format!("grad(a => {{ {rule}; scaled(2.0) }})(3.0)"), "2.0").unwrap();
}

/// Law 15: the first part of a rule's answer is the function's value, and its backpropagator is linear.
#[test]
fn rules_of_the_library_keep_the_value_and_are_linear() {
    let ruled = [
        ("sigmoid", "0.7", "0.3", "1.1"),
        ("log1pexp", "0.7", "0.3", "1.1"),
        ("logsumexp", "[0.5, 0.6]", "0.3", "1.1"),
        ("norm", "[0.5, 0.6]", "0.3", "1.1"),
        ("checkpoint(x => (sin(x), x))", "0.7", "(0.3, 0.4)", "(1.1, 0.2)"),
        ("solve_symmetric", "([[2.0, 0.1], [0.1, 1.0]], [1.0, 2.0])", "[0.3, 0.4]", "[1.1, 0.2]"),
        ("fix((x, y) => abs(x - y) < 1e-14, x => cos(x))", "0.7", "0.3", "1.1"),
        ("attached", "0.7", "0.3", "1.1"),
    ];
    let mut lab = Lab::open();
    lab.value("let attached = sin <~ J(sin)");
    for (f, x, d, e) in ruled {
        lab.agrees(&format!("J({f})(J({x})).0"), &format!("{f}({x})")).unwrap_or_else(|words| panic!("{f}: {words}"));
        lab.value(&format!("let pull = J({f})(J({x})).1"));
        let sum = format!("plus(pull({d}).1, pull({e}).1)");
        lab.agrees(&format!("pull(plus({d}, {e})).1"), &sum).unwrap_or_else(|words| panic!("{f}: {words}"));
        lab.agrees(&format!("pull(times({d}, -2.0)).1"), &format!("times(pull({d}).1, -2.0)"))
            .unwrap_or_else(|words| panic!("{f}: {words}"));
    }
}
