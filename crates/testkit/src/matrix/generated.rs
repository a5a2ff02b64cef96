//! Cases that follow from a row's shape: an elementwise function takes ints, arrays, empty arrays, and parts of structures.

use super::row::{Cell, Class, Row, Shape, Truth};

pub fn cells(row: &Row) -> Vec<Cell> {
    // Points of the bare function: those that the row gives for its own name.
    let own = row.cases.iter().filter(|case| case.f == row.name());
    let points: Vec<&str> = own.flat_map(|case| case.points.iter().copied()).collect();
    let Some(first) = points.first() else { return vec![] };
    let point = |i: usize| points[i % points.len()];
    match row.shape {
        Shape::Unary => unary(row.name(), row.int, [first, point(1), point(2)]),
        Shape::Binary => binary(row.name(), row.int, pair(first)),
        Shape::Other => vec![],
    }
}

fn cell(class: Class, f: String, point: String) -> Cell {
    Cell { class, f, point, truth: Truth::Itself }
}

fn unary(p: &str, int: &str, [a, b, c]: [&str; 3]) -> Vec<Cell> {
    vec![
        cell(Class::Int, format!("x => x^2 * {p}({int})"), "0.7".into()),
        cell(Class::Int, format!("x => {p}([{int}, {int}]) * x^2"), "0.7".into()),
        cell(Class::Mixed, format!("p => {p}(p.0) * {p}(p.1) * p.1"), format!("({int}, {a})")),
        cell(Class::Mixed, format!("p => {p}([p.0, p.1]) * p.1"), format!("({int}, {a})")),
        cell(Class::Empty, format!("p => concat({p}(p.0), [{p}(p.1)])"), format!("(zeros(0), {a})")),
        cell(Class::Empty, format!("p => sum({p}(p.0)) + {p}(p.1)"), format!("([], {a})")),
        cell(Class::ScalarArray, format!("v => {p}(v)^2"), format!("[{a}, {b}, {c}]")),
        cell(Class::ScalarArray, format!("v => {p}(v) * v[0, 1]"), format!("[[{a}, {b}], [{c}, {a}]]")),
        cell(
            Class::Structured,
            format!("r => {p}(r.a.0) * {p}(r.b[1].x) * r.b[0].x"),
            format!("{{a: ({a}, 1), b: [{{x: {b}}}, {{x: {c}}}]}}"),
        ),
        cell(
            Class::Structured,
            format!("xs => fold((t, x) => t * {p}(x) + x, 0.5, xs)"),
            format!("Cons({a}, Cons({b}, Nil))"),
        ),
    ]
}

/// `"(a, b)"` as two texts.
fn pair(point: &str) -> (String, String) {
    let inner = point.trim_start_matches('(').trim_end_matches(')');
    let (a, b) = inner.split_once(',').unwrap_or((inner, inner));
    (a.trim().into(), b.trim().into())
}

fn binary(p: &str, int: &str, (a, b): (String, String)) -> Vec<Cell> {
    let arrays = format!("([{a}, {a}], [{b}, {b}])");
    vec![
        cell(Class::Int, format!("x => x^2 * {p}(3, {int})"), "0.7".into()),
        cell(Class::Int, format!("x => {p}([3, 5], [{int}, {int}]) * x^2"), "0.7".into()),
        cell(Class::Int, format!("x => {p}([3, 5], {int}) * x^2"), "0.7".into()),
        cell(Class::Int, format!("x => {p}(3, [{int}, {int}]) * x^2"), "0.7".into()),
        cell(Class::Mixed, format!("x => {p}(x, {int})"), a.clone()),
        cell(Class::Mixed, format!("x => {p}({int}, x)"), b.clone()),
        cell(Class::Mixed, format!("x => {p}(x, [{int}, 1])"), a.clone()),
        cell(Class::Mixed, format!("x => {p}([{int}, 1], x)"), b.clone()),
        cell(Class::Mixed, format!("v => {p}(v, {int})"), format!("[{a}, {a}]")),
        cell(Class::Mixed, format!("v => {p}({int}, v)"), format!("[{b}, {b}]")),
        cell(Class::Mixed, format!("v => {p}(v, [{int}, 1])"), format!("[{a}, {a}]")),
        cell(Class::Mixed, format!("v => {p}([{int}, 1], v)"), format!("[{b}, {b}]")),
        cell(Class::Mixed, format!("p => {p}(p.0, p.1)"), format!("({int}, {b})")),
        cell(Class::Mixed, format!("p => {p}(p.0, p.1)"), format!("({a}, {int})")),
        cell(Class::Mixed, format!("p => {p}(p.0, p.1)"), format!("([{int}, 1], {b})")),
        cell(Class::Mixed, format!("p => {p}(p.0, p.1)"), format!("({a}, [{int}, 1])")),
        cell(Class::Empty, format!("p => concat({p}(p.0, p.1), [{p}(p.2, p.1)])"), format!("(zeros(0), {b}, {a})")),
        cell(Class::Empty, format!("p => concat({p}(p.1, p.0), [{p}(p.1, p.2)])"), format!("(zeros(0), {a}, {b})")),
        cell(Class::Empty, format!("p => sum({p}(p.0, p.0)) + {p}(p.1, p.2)"), format!("([], {a}, {b})")),
        cell(Class::Empty, format!("p => sum({p}(p.0, p.2)) + {p}(p.1, p.2)"), format!("(iota(0), {a}, {b})")),
        cell(Class::ScalarArray, format!("p => {p}(p.0, p.1)^2"), format!("({a}, [{b}, {b}, {b}])")),
        cell(Class::ScalarArray, format!("p => {p}(p.0, p.1)^2"), format!("([{a}, {a}, {a}], {b})")),
        cell(Class::ScalarArray, format!("p => {p}(p.0, p.1)^2"), format!("({a}, [[{b}, {b}], [{b}, {b}]])")),
        cell(Class::ScalarArray, format!("x => {p}(x, [{b}, {b}, {b}])"), a.clone()),
        cell(Class::ScalarArray, format!("x => {p}([{a}, {a}, {a}], x)"), b.clone()),
        cell(Class::ScalarArray, format!("p => {p}(p.0, p.1)^2"), arrays),
        cell(
            Class::Structured,
            format!("r => {p}(r.a.0, r.b[1].x) * r.b[0].x"),
            format!("{{a: ({a}, 1), b: [{{x: 0.3}}, {{x: {b}}}]}}"),
        ),
        cell(
            Class::Structured,
            format!("xs => match xs {{ Cons(x, Cons(y, _)) => {p}(x, y), _ => 0.0 }}"),
            format!("Cons({a}, Cons({b}, Nil))"),
        ),
    ]
}
