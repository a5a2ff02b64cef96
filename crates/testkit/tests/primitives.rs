//! Every primitive, one row in a table: its derivatives of orders 1 to 3 agree with differences of the order below,
//! edge values are no accidents, arrays agree with their elements. A primitive without a row fails.

use std::collections::BTreeMap;

use calculus::{Prim, Push};
use testkit::matrix::{self, Case, Row, Shape, Subject};
use testkit::reals::{agree, reals, with_reals};
use testkit::{Lab, differences};

use evert_testkit as testkit;

/// What the rows' functions may use. `weigh` makes a scalar of a number or array.
const PRELUDE: &str = "
fn weigh(v) = if is_array(v) { let w = flatten(v); sum(w * sin(iota(len(w)) + 1.0)) } else { v }
";

const EDGES: [&str; 7] = ["0.0", "-0.0", "inf", "-inf", "nan", "1e300", "-1e-300"];

/// The rows of the primitives; those of the library are judged by the oracle alone.
fn table() -> impl Iterator<Item = &'static Row> {
    matrix::primitives()
}

fn prim(row: &Row) -> Prim {
    match row.subject {
        Subject::Prim(prim) => prim,
        Subject::Library(name) => unreachable!("primitives: a row of {name}"),
    }
}

fn lab() -> Lab {
    let mut lab = Lab::open();
    lab.value(PRELUDE);
    lab
}

#[test]
fn every_primitive_has_exactly_one_row() {
    let mut rows: BTreeMap<Prim, usize> = BTreeMap::new();
    table().for_each(|row| *rows.entry(prim(row)).or_default() += 1);
    for &prim in Prim::ALL {
        assert_eq!(rows.get(&prim), Some(&1), "rows of `{prim}`");
    }
}

#[test]
fn every_primitive_has_a_derivative() {
    let lab = lab();
    Prim::ALL.iter().for_each(|&prim| assert!(lab.session.machine.has_derivative(prim), "`{prim}`"));
}

#[test]
fn every_primitive_carries_tangents_in_exactly_one_way() {
    let lab = lab();
    for &prim in Prim::ALL {
        let has_rule = lab.session.machine.has_forward_rule(prim);
        assert_eq!(
            has_rule,
            prim.push() == Push::Rule,
            "`{prim}` is {:?}; has a forward rule: {has_rule}",
            prim.push()
        );
    }
}

#[test]
fn every_row_claims_something() {
    for row in table() {
        assert!(!row.cases.is_empty() || !row.values.is_empty(), "`{}`", row.subject);
    }
}

#[test]
fn derivatives_of_orders_one_to_three_agree_with_differences() {
    let mut lab = lab();
    let mut problems = Problems::default();
    for row in table() {
        for smooth in row.smooth() {
            for point in smooth.points {
                let outcome = derivatives_agree(&mut lab, row, smooth, point);
                problems.note(prim(row), outcome, || format!("{} at {point}", smooth.f));
            }
        }
    }
    problems.report();
}

/// `f1` is the derivative of f in a fixed direction, `f2` that of f1: each gradient against differences of its function.
fn derivatives_agree(lab: &mut Lab, row: &Row, smooth: &Case, point: &str) -> Result<(), String> {
    let text = format!(
        "let f = {f}
        fn f1(x) = product(direction, grad(f)(x))
        fn f2(x) = product(direction, grad(f1)(x))",
        f = smooth.f
    );
    let x = lab.evaluate(point)?;
    let zero = lab.evaluate(&format!("zero({point})"))?;
    let weights: Vec<f64> = (0..reals(&zero).len()).map(|i| ((i + 1) as f64 * 1.3).cos()).collect();
    lab.session.set("direction", with_reals(&zero, &weights));
    lab.evaluate(&text)?;
    for order in 1..=3 {
        let name = ["f", "f1", "f2"][order - 1];
        let f = lab.evaluate(name)?;
        let gradient = reals(&lab.evaluate(&format!("grad({name})({point})"))?);
        let at = reals(&x);
        let mut failed = None;
        let value = |moved: &[f64]| match lab.reals_at(&f, &x, moved) {
            Ok(values) if values.len() == 1 => values[0],
            Ok(values) => {
                failed = Some(format!("{} reals in the result", values.len()));
                f64::NAN
            }
            Err(error) => {
                failed = Some(error);
                f64::NAN
            }
        };
        let (slopes, error) = differences::gradient(value, &at, row.step);
        if let Some(words) = failed {
            return Err(format!("order {order}: {words}"));
        }
        let size = slopes.iter().fold(1f64, |size, slope| size.max(slope.abs()));
        if error > 1e-4 * size {
            return Err(format!("order {order}: the differences are too rough, error {error}"));
        }
        if !agree(&gradient, &slopes, 1e-6) {
            return Err(format!("order {order}: gradient {gradient:?}, differences {slopes:?} (error {error:e})"));
        }
    }
    Ok(())
}

/// Forward mode, forward over forward, and both over and under reverse mode, against reverse mode (which is judged by
/// differences above).
#[test]
fn forward_rules_agree_with_reverse_rules_at_orders_one_to_three() {
    let mut lab = lab();
    let mut problems = Problems::default();
    for row in table() {
        for smooth in row.smooth() {
            for point in smooth.points {
                let outcome = modes_agree(&mut lab, smooth, point);
                problems.note(prim(row), outcome, || format!("{} at {point}", smooth.f));
            }
        }
    }
    problems.report();
}

fn modes_agree(lab: &mut Lab, smooth: &Case, point: &str) -> Result<(), String> {
    let zero = lab.evaluate(&format!("zero({point})"))?;
    let weights = |scale: f64| (0..reals(&zero).len()).map(|i| ((i + 1) as f64 * scale).cos()).collect::<Vec<f64>>();
    lab.session.set("u", with_reals(&zero, &weights(1.3)));
    lab.session.set("w", with_reals(&zero, &weights(0.7)));
    lab.evaluate(&format!(
        "let f = {f}
        let at = {point}
        fn along(f, u) = x => jvp(f, x, u).1
        fn slope(f, u) = x => product(u, grad(f)(x))",
        f = smooth.f
    ))?;
    let claims = [
        ("jvp(f, at, u).0", "f(at)"),
        ("along(f, u)(at)", "slope(f, u)(at)"),
        ("along(along(f, u), w)(at)", "slope(slope(f, u), w)(at)"),
        ("along(slope(f, u), w)(at)", "slope(slope(f, u), w)(at)"),
        ("slope(along(f, u), w)(at)", "slope(slope(f, u), w)(at)"),
        ("along(along(along(f, u), w), u)(at)", "slope(slope(slope(f, u), w), u)(at)"),
        ("along(slope(along(f, u), w), u)(at)", "slope(slope(slope(f, u), w), u)(at)"),
    ];
    for (forward, reverse) in claims {
        let (found, expected) = (reals(&lab.evaluate(forward)?), reals(&lab.evaluate(reverse)?));
        if !agree(&found, &expected, 1e-9) {
            return Err(format!("{forward} is {found:?}, but {reverse} is {expected:?}"));
        }
    }
    Ok(())
}

#[test]
fn values_and_gradients_are_as_stated() {
    let mut lab = lab();
    let mut problems = Problems::default();
    for row in table() {
        for (text, expected) in row.values {
            problems.note(prim(row), lab.agrees(text, expected), || text.to_string());
        }
    }
    problems.report();
}

#[test]
fn edge_values_give_values_and_derivatives_without_errors() {
    let mut lab = lab();
    let mut problems = Problems::default();
    for row in table() {
        let points: Vec<String> = match row.shape {
            Shape::Unary => EDGES.map(String::from).to_vec(),
            Shape::Binary => EDGES.iter().flat_map(|a| EDGES.map(|b| format!("({a}, {b})"))).collect(),
            Shape::Other => continue,
        };
        for point in points {
            for derived in ["", "grad", "second", "third", "forward", "twice forward"] {
                let text = edge_program(row, derived, &point);
                problems.note(prim(row), lab.evaluate(&text).map(drop), || text.clone());
            }
        }
    }
    problems.report();
}

/// What doesn't hold, by primitive.
#[derive(Default)]
struct Problems(BTreeMap<Prim, Vec<String>>);

impl Problems {
    fn note(&mut self, prim: Prim, outcome: Result<(), String>, program: impl FnOnce() -> String) {
        if let Err(words) = outcome {
            self.0.entry(prim).or_default().push(format!("{}\n    {words}", program()));
        }
    }

    /// Fails with a few problems of each primitive, if there are any.
    #[track_caller]
    fn report(self) {
        let shown = self.0.iter().map(|(prim, problems)| {
            let few: Vec<&str> = problems.iter().take(3).map(String::as_str).collect();
            format!("`{prim}`, {} problems:\n  {}", problems.len(), few.join("\n  "))
        });
        let shown: Vec<String> = shown.collect();
        assert!(shown.is_empty(), "{}", shown.join("\n"));
    }
}

/// What only `check_rule` uses says so instead of giving a wrong derivative.
#[test]
fn checking_cannot_be_differentiated_and_says_so() {
    let error = lab().failure("grad(x => { check_rule(sigmoid, x); x })(0.3)");
    assert!(error.message.contains("check_rule"), "{}", error.message);
}

fn edge_program(row: &Row, derived: &str, point: &str) -> String {
    let name = row.name();
    let first = if row.shape == Shape::Unary { "" } else { ".0" };
    match derived {
        "second" => format!("grad(p => grad({name})(p){first})({point})"),
        "third" => format!("grad(p => grad(p => grad({name})(p){first})(p){first})({point})"),
        "forward" => format!("jvp({name}, {point}, random_like({point}, 1))"),
        "twice forward" => {
            format!("jvp(p => jvp({name}, p, random_like(p, 1)).1, {point}, random_like({point}, 2))")
        }
        derived => format!("{derived}({name})({point})"),
    }
}

#[test]
fn elementwise_primitives_on_arrays_are_maps() {
    let mut lab = lab();
    let mut problems = Problems::default();
    for row in table().filter(|row| row.shape != Shape::Other) {
        for (array, scalars) in array_claims(row) {
            problems.note(prim(row), lab.agrees(&array, &scalars), || format!("{array} against {scalars}"));
        }
    }
    problems.report();
}

#[test]
fn elementwise_primitives_take_empty_arrays() {
    let mut lab = lab();
    let mut problems = Problems::default();
    for row in table().filter(|row| row.shape != Shape::Other) {
        for (text, expected) in empty_claims(row) {
            problems.note(prim(row), lab.agrees(&text, &expected), || text.clone());
        }
    }
    problems.report();
}

/// Pairs of expressions: the primitive on arrays, and on their elements.
fn array_claims(row: &Row) -> Vec<(String, String)> {
    let p = row.name();
    let (x, y) = ("[0.25, 0.5, 0.75]", "[0.5, 0.25, 2.0]");
    let gradient = |f: String, at: &str| format!("grad(v => weigh({f}))({at})");
    let pushed = |f: String, at: &str| format!("jvp(v => {f}, {at}, random_like({at}, 1)).1");
    match row.shape {
        Shape::Unary => vec![
            (format!("{p}({x})"), format!("map({p}, {x})")),
            (gradient(format!("{p}(v)"), x), gradient(format!("map({p}, v)"), x)),
            (pushed(format!("{p}(v)"), x), pushed(format!("map({p}, v)"), x)),
            (format!("shape({p}([{x}, {y}]))"), "[2, 3]".into()),
        ],
        Shape::Binary => vec![
            (format!("{p}({x}, {y})"), format!("tabulate(3, i => {p}({x}[i], {y}[i]))")),
            (format!("{p}({x}, 0.4)"), format!("map(x => {p}(x, 0.4), {x})")),
            (format!("{p}(0.4, {x})"), format!("map(x => {p}(0.4, x), {x})")),
            (
                gradient(format!("{p}(v)"), &format!("({x}, {y})")),
                gradient(format!("tabulate(3, i => {p}(v.0[i], v.1[i]))"), &format!("({x}, {y})")),
            ),
            (
                pushed(format!("{p}(v)"), &format!("({x}, {y})")),
                pushed(format!("tabulate(3, i => {p}(v.0[i], v.1[i]))"), &format!("({x}, {y})")),
            ),
            (
                gradient(format!("{p}(v)"), &format!("({x}, 0.4)")),
                gradient(format!("tabulate(3, i => {p}(v.0[i], v.1))"), &format!("({x}, 0.4)")),
            ),
            (
                pushed(format!("{p}(v)"), &format!("({x}, 0.4)")),
                pushed(format!("tabulate(3, i => {p}(v.0[i], v.1))"), &format!("({x}, 0.4)")),
            ),
            (
                gradient(format!("{p}(v)"), &format!("(0.4, {x})")),
                gradient(format!("tabulate(3, i => {p}(v.0, v.1[i]))"), &format!("(0.4, {x})")),
            ),
            (
                pushed(format!("{p}(v)"), &format!("(0.4, {x})")),
                pushed(format!("tabulate(3, i => {p}(v.0, v.1[i]))"), &format!("(0.4, {x})")),
            ),
            (format!("shape({p}([{x}, {y}], [{y}, {x}]))"), "[2, 3]".into()),
            (format!("shape({p}([{x}, {y}], 0.4))"), "[2, 3]".into()),
        ],
        Shape::Other => vec![],
    }
}

/// The same for arrays without elements.
fn empty_claims(row: &Row) -> Vec<(String, String)> {
    let p = row.name();
    let claim = |text: String, expected: &str| (text, expected.to_string());
    match row.shape {
        Shape::Unary => vec![
            claim(format!("{p}([])"), "[]"),
            claim(format!("grad(x => sum({p}([])) + x)(2.0)"), "1.0"),
            claim(format!("vjp(p => {p}(p.0), ([], 1.0)).1([])"), "([], 0.0)"),
            claim(format!("jvp({p}, [], []).1"), "[]"),
        ],
        Shape::Binary => vec![
            claim(format!("{p}([], [])"), "[]"),
            claim(format!("{p}([], 1.0)"), "[]"),
            claim(format!("{p}(1.0, [])"), "[]"),
            claim(format!("vjp({p}, ([], 1.0)).1([])"), "([], 0.0)"),
            claim(format!("vjp({p}, (1.0, [])).1([])"), "(0.0, [])"),
            claim(format!("jvp({p}, (1.0, []), (1.0, [])).1"), "[]"),
        ],
        Shape::Other => vec![],
    }
}
