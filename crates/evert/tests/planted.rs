//! Wrong rules of every kind that people make, planted in programs: `evert check` names the part that is wrong and what the mistake is, `evert test`
//! finds it too. Right rules beside them aren't accused.

use evert::rule_checks::findings::{RuleReport, Verdict, of_file};
use evert::{Engine, Session, testing};

/// What was planted, the program, the part that is wrong, and words of the suggestion, if the mistake is of a kind that is known.
type Planted = (&'static str, &'static str, &'static str, &'static str);

const PLANTED: &[Planted] = &[
    (
        "a sign",
        "fn f(x) = cos(x)
  reverse x => (f(x), d => ({}, d * sin(x)))
fn main(x) = f(x) * x
grad(main)(0.7)",
        "its argument",
        "the sign is wrong",
    ),
    (
        "a sign of a capture",
        "fn mk(a) = (x => a - x^2)
  reverse x => (a - x^2, d => ({a: -d}, -2 * x * d))
grad(a => mk(a)(2.0))(3.0)",
        "the captured `a`",
        "the sign is wrong",
    ),
    (
        "a sign, of tiny numbers",
        "fn f(x) = 1e-9 * sin(x)
  reverse x => (f(x), d => ({}, -1e-9 * d * cos(x)))
grad(f)(0.3)",
        "its argument",
        "the sign is wrong",
    ),
    (
        "a factor",
        "fn f(x) = x^2
  reverse x => (x^2, d => ({}, d * x))
grad(f)(3.0)",
        "its argument",
        "0.5 times",
    ),
    (
        "a factor that is no fraction, at one input",
        "fn f(x) = sin(pi * x)
  reverse x => (f(x), d => ({}, d * cos(pi * x)))
grad(f)(0.3)",
        "its argument",
        "0.3183 times",
    ),
    (
        "a factor of almost 1",
        "fn f(x) = exp(x)
  reverse x => (f(x), d => ({}, d * f(x) * 1.0001))
grad(f)(1.0)",
        "its argument",
        "1.0001 times",
    ),
    (
        "a factor in one element",
        "fn f(v) = prod(v)
  reverse v => (f(v), d => ({}, [d * f(v) / v[i] * (if i == 3 { 0.5 } else { 1.0 }) for i in 0..len(v)]))
grad(f)([1.0, 2.0, 3.0, 4.0])",
        "its argument at [3]",
        "0.5 times",
    ),
    (
        "a missing capture",
        "fn mk(a, b) = (x => a * x + b)
  reverse x => (a * x + b, d => ({a: d * x}, d * a))
grad(b => mk(2.0, b)(1.5))(3.0)",
        "the captured `b`",
        "it is missing",
    ),
    (
        "one of two uses of a captured function",
        "fn twice(f) = (x => f(f(x)))
  reverse x => {
    let (y, p) = J(f)(J(x))
    let (z, q) = J(f)(y)
    (J_inv(z), d => { let (df, dy) = q(d); let (_, dx) = p(dy); ({f: df}, dx) })
  }
grad(a => twice(x => a * sin(x))(0.5))(1.2)",
        "the captured `f`",
        "",
    ),
    (
        "captures that are swapped",
        "fn mk(a, b) = (x => a * x + b)
  reverse x => (a * x + b, d => ({a: d, b: d * x}, d * a))
grad((a, b) => mk(a, b)(2.5))(1.0, 2.0)",
        "the captured `a`",
        "",
    ),
    (
        "a function argument whose sensitivity isn't iterated",
        "fn root(f) = (x => { let y = f(x); if abs(x - y) < 1e-13 { x } else { root(f)(y) } })
  reverse x => {
    let r = root(f)(x)
    (r, d => { let (_, p) = J(f)(J(r)); ({f: p(d).0}, 0.0) })
  }
grad(a => root(x => cos(a * x))(0.5))(0.8)",
        "the captured `f`",
        "",
    ),
    (
        "a square of the seed",
        "fn f(x) = x^3
  reverse x => (x^3, d => ({}, 3 * x^2 * d * abs(d)))
grad(f)(2.0)",
        "linearity",
        "must be linear",
    ),
    (
        "a seed that is clipped",
        "fn f(x) = x * 5
  reverse x => (5 * x, d => ({}, 5 * min(max(d, -1.0), 1.0)))
grad(x => f(x) * 3)(2.0)",
        "linearity",
        "must be linear",
    ),
    (
        "a seed that is forgotten",
        "fn f(x) = sin(x)
  reverse x => (f(x), d => ({}, cos(x)))
grad(f)(0.3)",
        "linearity",
        "must be linear",
    ),
    (
        "a summand beside the seed",
        "fn f(x) = exp(x)
  reverse x => (f(x), d => ({}, d * f(x) + 1e-3))
grad(f)(0.2)",
        "linearity",
        "must be linear",
    ),
    (
        "a map that forgets the seeds of a list",
        "fn squares(xs) = list_map(x => x^2, xs)
  reverse xs => (squares(xs), d => ({}, list_map(x => 2 * x, xs)))
grad(xs => fold((t, x) => t + x, 0.0, squares(xs)))(to_list([1.0, 2.0, 3.0]))",
        "linearity",
        "must be linear",
    ),
    (
        "another primal",
        "fn f(x) = log(1 + exp(x))
  reverse x => (log(exp(x)), d => ({}, d * sigmoid(x)))
grad(f)(0.5)",
        "its value",
        "another function",
    ),
    (
        "a constant at second order",
        "fn f(x) = sin(x)
  reverse x => { let c = stop_gradient(cos(x)); (f(x), d => ({}, d * c)) }
grad(grad(f))(0.5)",
        "its argument",
        "right at order 1",
    ),
    (
        "a capture that is constant at second order",
        "fn mk(a) = (x => a^2 * x)
  reverse x => (a^2 * x, d => ({a: 2 * stop_gradient(a) * x * d}, a^2 * d))
grad(a => mk(a)(1.5))(0.7)",
        "the captured `a`",
        "right at order 1",
    ),
    (
        "wrong by the rule of another function",
        "fn f(x) = x^4
  reverse x => (f(x), d => ({}, d * 4 * h(x)))
fn h(x) = x^3
  reverse x => (h(x), d => ({}, d * 2 * x^2))
grad(f)(1.5)",
        "its argument",
        "right at order 1",
    ),
    (
        "wrong at third order",
        "fn f(x) = sin(x)
  reverse x => (f(x), d => ({}, d * g(x)))
fn g(x) = cos(x)
  reverse x => (g(x), d => ({}, -d * stop_gradient(sin(x))))
grad(f)(0.5)",
        "its argument",
        "right at order 2",
    ),
    (
        "one branch",
        "fn f(x) = if x < 0 { x^2 } else { x^3 }
  reverse x => (f(x), d => ({}, if x < 0 { 2 * x * d } else { 2 * x^2 * d }))
[grad(f)(real(i) - 5.5) for i in 0..11]",
        "its argument",
        "only in some cases",
    ),
    (
        "one branch of three",
        "fn f(x) = if x < 0 { -x } else if x < 10 { x^2 } else { sqrt(x) }
  reverse x => (f(x), d => ({}, d * (if x < 0 { -1.0 } else if x < 10 { 2 * x } else { 1 / sqrt(x) })))
sum(grad(f)(real(i)) for i in -3..40)",
        "its argument",
        "2.0 times",
    ),
    (
        "one input of two hundred, in the rule alone",
        "fn f(x) = sin(x)
  reverse x => (f(x), d => ({}, d * (if x == 17.0 { 0.0 } else { cos(x) })))
sum(grad(f)(real(i)) for i in 0..200)",
        "its argument",
        "only in some cases",
    ),
    (
        "one int of twelve, in the rule alone",
        "fn p(x, n) = x^n
  reverse (x, n) => (p(x, n), d => ({}, (d * n * (if n == 7 { x^n } else { x^(n - 1) }), ())))
sum(grad(x => p(x, n))(1.3) for n in 0..12)",
        "its argument at .0",
        "only in some cases",
    ),
    (
        "a tenth of all inputs",
        "fn f(x) = sin(x)
  reverse x => (f(x), d => ({}, d * (if x > 0.9 { 0.9 * cos(x) } else { cos(x) })))
sum(grad(f)(real(i) / 1000) for i in 0..1000)",
        "its argument",
        "0.9 times",
    ),
    (
        "elements that are shifted",
        "fn diff(v) = v[1..] - v[..len(v) - 1]
  reverse v => (diff(v), d => ({}, concat([0.0], d) + concat(d, [0.0])))
grad(v => sum(diff(v)^2))([1.0, 4.0, 2.0, 7.0])",
        "its argument at [0]",
        "",
    ),
    (
        "a summand that is missing",
        "fn norm2(v) = sum(v * v) + v[0] * v[1]
  reverse v => (norm2(v), d => ({}, d * 2 * v))
grad(norm2)([1.0, 2.0, 3.0])",
        "its argument at [0]",
        "",
    ),
    (
        "fields that are swapped",
        "fn polar(p) = {r: sqrt(p.x^2 + p.y^2), t: atan2(p.y, p.x)}
  reverse p => {
    let q = polar(p)
    (q, d => ({}, {y: d.r * p.x / q.r - d.t * p.y / q.r^2, x: d.r * p.y / q.r + d.t * p.x / q.r^2}))
  }
grad(p => polar(p).r + polar(p).t)({x: 3.0, y: 1.0})",
        "its argument at .x",
        "",
    ),
    (
        "an argument without a sensitivity",
        "fn f(a, b) = a * sin(b)
  reverse (a, b) => (f(a, b), d => ({}, (d * sin(b), 0.0)))
grad(f)(1.5, 0.4)",
        "its argument at .1",
        "it is missing",
    ),
    (
        "a matrix that isn't transposed",
        "fn mv(m, v) = m @ v
  reverse (m, v) => (m @ v, d => ({}, (outer(d, v), m @ d)))
grad((m, v) => sum(mv(m, v) * [1.0, 2.0]))([[1.0, 2.0], [3.0, 4.0]], [1.0, -1.0])",
        "its argument at .1[0]",
        "",
    ),
    (
        "a tree whose branches are swapped",
        "type T = Leaf(v) | Node(l, r)
fn s(t) = match t { Leaf(v) => v^2, Node(l, r) => s(l) * s(r) }
  reverse t => match t {
    Leaf(v) => (v^2, d => ({}, Leaf(2 * v * d))),
    Node(l, r) => (s(l) * s(r), d => ({}, Node(J(s)(l).1(d * s(l)).1, J(s)(r).1(d * s(r)).1))),
  }
grad(s)(Node(Leaf(2.0), Leaf(3.0)))",
        "its argument at .l.v",
        "only in some cases",
    ),
    (
        "a sign of a forward rule",
        "fn f(x) = cos(x)
  forward x => (f(x), (dx, _) => dx * sin(x))
jvp(f, 0.4, 1.0)",
        "its argument",
        "the sign is wrong",
    ),
    (
        "a capture that a forward rule misses",
        "fn mk(k) = (x => k * sin(x))
  forward x => (k * sin(x), (dx, dc) => k * cos(x) * dx)
grad(k => mk(k)(1.0))(2.0)",
        "the captured `k`",
        "it is missing",
    ),
    (
        "a forward rule that isn't linear",
        "fn f(x) = x^2
  forward x => (f(x), (dx, _) => 2 * x * dx + dx^2)
jvp(f, 2.0, 1.0)",
        "linearity",
        "must be linear",
    ),
    (
        "of two rules the reverse one",
        "fn f(x) = exp(2 * x)
  reverse x => (f(x), d => ({}, d * f(x)))
  forward x => (f(x), (dx, _) => 2 * f(x) * dx)
grad(f)(0.3)",
        "the dot test",
        "it is the reverse rule",
    ),
    (
        "of two rules the forward one",
        "fn f(x) = exp(2 * x)
  reverse x => (f(x), d => ({}, 2 * d * f(x)))
  forward x => (f(x), (dx, _) => -2 * f(x) * dx)
grad(f)(0.3)",
        "the dot test",
        "it is the forward rule",
    ),
    (
        "a rotation that is transposed the wrong way",
        "fn shift(n) = (v => concat(v[n..], v[..n]))
  transpose d => concat(d[n..], d[..n])
grad(v => sum(shift(1)(v) * [1.0, 10.0, 100.0]))([0.0, 0.0, 0.0])",
        "its argument at [0]",
        "it is the transpose rule",
    ),
    (
        "a rule for transposing what isn't linear",
        "fn f(k) = (x => k * x + 1.0)
  transpose d => k * d
grad(f(2.0))(1.0)",
        "the function's linearity",
        "must be linear in its argument",
    ),
    (
        "a rule that no derivative uses",
        "fn f(x) = tan(x)
  reverse x => (f(x), d => ({}, d / cos(x)))
f(0.4)",
        "its argument",
        "",
    ),
    (
        "a rule of a function that nothing calls",
        "fn f(x) = atan(x)
  reverse x => (f(x), d => ({}, d / (1 + x)))
1.0",
        "its argument",
        "",
    ),
    (
        "an element of a sum",
        "fn acc(v) = { fn go(i, t) = if i == len(v) { t } else { go(i + 1, t + v[i]^2) }; go(0, 0.0) }
  reverse v => (acc(v), d => ({}, [2 * x * d * real(i) / real(max(i, 1)) for (i, x) in zip(iota(len(v)), v)]))
grad(acc)([1.0, 2.0, 3.0])",
        "its argument at [0]",
        "it is missing",
    ),
];

/// What is attached with `<~` can't be marked approximate, so `evert test` leaves it alone.
const ATTACHED: &[Planted] = &[
    (
        "a factor of an attached derivative",
        "let f = sin <~ (x => (J(sin)(x).0, d => ({}, cos(J_inv(x)) * d * 2)))
grad(f)(0.3)",
        "its argument",
        "2.0 times",
    ),
    (
        "a capture of an attached derivative",
        "fn mk(a) = { let g = x => a * x; g <~ (x => (J(g)(x).0, d => ({a: 2 * d * J_inv(x)}, d * a))) }
grad(a => mk(a)(3.0))(2.0)",
        "the captured `primal`",
        "2.0 times",
    ),
];

fn session() -> Session {
    let mut session = Session::offline();
    session.engines.engine = Engine::Reference;
    session
}

fn checked(text: &str) -> Vec<RuleReport> {
    of_file(&mut session(), "a.ev", text, None).unwrap_or_else(|failure| panic!("{failure:#?}"))
}

/// What `evert check` misses of a mistake, if anything.
fn missed((what, text, wrong, suggestion): &Planted) -> Option<String> {
    let reports = checked(text);
    let Some(report) = reports.iter().find(|report| report.verdict() == Verdict::Wrong) else {
        return Some(format!("{what}: not found"));
    };
    let first = report.findings.iter().find(|finding| finding.verdict == Verdict::Wrong);
    let part = first.map_or("", |finding| finding.what.as_str());
    if part != *wrong {
        return Some(format!("{what}: found in {part}"));
    }
    let words = report.suggestion().unwrap_or_default();
    (!words.contains(suggestion)).then(|| format!("{what}: it suggests `{words}`"))
}

#[test]
fn planted_rules_are_found_and_described() {
    let missed: Vec<String> = PLANTED.iter().chain(ATTACHED).filter_map(missed).collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn the_test_command_finds_them_too() {
    let finds = |text: &str| {
        let report = testing::run(&mut session(), "a.ev", text).unwrap_or_else(|failure| panic!("{failure:#?}"));
        report.cases.iter().any(|case| case.result.is_err())
    };
    // What is wrong at the third order only is the business of `evert check`.
    let missed: Vec<&str> = PLANTED
        .iter()
        .filter(|(what, text, ..)| *what != "wrong at third order" && !finds(text))
        .map(|(what, ..)| *what)
        .collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn right_rules_are_not_accused() {
    for text in [
        "fn f(x) = if x == 17.0 { 0.0 } else { sin(x) }\n  reverse x => (f(x), d => ({}, d * cos(x)))\nsum(grad(f)(real(i) + 0.5) for i in 0..200)",
        "let f = sin <~ J(sin)\nlet g = exp <~ (x => (J(exp)(x).0, d => ({}, exp(J_inv(x)) * d)))\n(grad(f)(0.3), grad(g)(0.3))",
        "fn shift(n) = (v => concat(v[n..], v[..n]))\n  transpose d => concat(d[len(d) - n..], d[..len(d) - n])\ngrad(v => sum(shift(1)(v) * [1.0, 10.0, 100.0]))([0.0, 0.0, 0.0])",
    ] {
        let wrong: Vec<String> = checked(text)
            .into_iter()
            .filter(|report| report.verdict() == Verdict::Wrong)
            .map(|report| report.name)
            .collect();
        assert!(wrong.is_empty(), "{wrong:?} of {text}");
    }
}
