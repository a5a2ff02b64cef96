//! Loops.

use crate::matrix::row::{Class, Row, degenerate, empty, int, mixed, scalar_array, smooth, structured};

const SMOOTH: (Class, &str) = (Class::Degenerate, "it has no singular points of its own");

pub const ROWS: &[Row] = &[
    Row::library(
        "iterate",
        &[
            smooth("x => iterate(3, y => sin(x * y), x)", &["0.7"]),
            smooth("x => iterate(2, t => (t, x), x).1", &["0.7"]),
            int("x => x^2 * iterate(3, n => 2 * n, 1)", &["0.7"]),
            int("x => iterate(4, s => {n: s.n + 1, y: s.y * x + s.n}, {n: 0, y: 1}).y", &["0.7"]),
            mixed("x => iterate(3, y => y * x, 1)", &["0.7"]),
            mixed("x => iterate(3, a => {a with [1]: x * a[0] + a[1]}, [1, 2])", &["0.7"]),
            empty("x => concat(iterate(3, v => v * x, zeros(0)), [x^3])", &["0.7"]),
            empty("x => iterate(3, v => concat(v, [x^2]), [])", &["0.7"]),
            scalar_array("x => iterate(2, y => y * [x, x^2], x)", &["0.7"]),
            scalar_array("x => iterate(2, t => [t, t * x], x)", &["0.7"]),
            structured("r => iterate(3, s => {s with a: s.a * s.b[0].c, b: [{c: s.a}]}, r).a", &["{a: 0.5, b: [{c: 0.7}]}"]),
            structured("x => fold((t, y) => t + y^2, 0.0, iterate(3, xs => Cons(x * len(show(1)), xs), Nil))", &["0.7"]),
            degenerate("x => iterate(0, y => y * x, x)", &["0.7"]),
            degenerate("x => iterate(-1, y => y * x, x)", &["0.7"]),
        ],
    ),
    Row::library(
        "while_loop",
        &[
            smooth("x => while_loop(y => y < 100, y => y * x, x)", &["2.0"]),
            int("x => x^2 * while_loop(n => n < 10, n => 2 * n, 1)", &["0.7"]),
            mixed("x => while_loop(y => y < 5, y => y + x, 0)", &["2.0"]),
            mixed("x => while_loop(s => s.n < 3, s => {n: s.n + 1, t: {s.t with [s.n]: x^(s.n + 1)}}, {n: 0, t: [0, 0, 0]}).t", &[
                "0.7",
            ]),
            empty("x => while_loop(v => len(v) < 3, v => concat(v, [x^(len(v) + 1)]), [])", &["0.7"]),
            scalar_array("x => while_loop(v => sum(v) < 10.0, v => v * x, [x, 1.0])", &["2.0"]),
            structured("r => while_loop(s => s.n < 3, s => {s with n: s.n + 1, y: s.y * s.z.0}, r).y", &[
                "{n: 0, y: 0.5, z: (0.7, 1)}",
            ]),
            degenerate("x => while_loop(y => false, y => y * x, x^2)", &["0.7"]),
        ],
    ),
    Row::library(
        "fold",
        &[
            smooth("v => fold((a, b) => a * sin(b), 1.0, v)", &["[0.5, 0.7, 0.9]"]),
            smooth("x => fold((a, b) => a * x + b^2, x, [1.0, x, 2.0])", &["0.7"]),
            int("x => x^2 * fold((a, b) => a + b, 0, [1, 2, 3])", &["0.7"]),
            mixed("x => fold((a, i) => {a with [i]: x^(i + 1)}, [0, 0, 0], iota(3))", &["0.7"]),
            mixed("v => fold((a, b) => a * b, 1, v)", &["[0.5, 0.7, 0.9]"]),
            mixed("x => fold((a, i) => a + i * x^2, 0, [1, 2])", &["0.7"]),
            mixed("x => sum(fold((a, i) => scatter_add(a, [i, 0], [x^2, x]), [0, 0], iota(2)))", &["0.7"]),
            mixed("x => fold((t, i) => {t with [i]: Cons(x^(i + 1), t[i])}, [Nil, Nil], iota(2))[1] |> xs => match xs { Cons(y, _) => y, _ => 0.0 }", &["0.7"]),
            empty("p => fold((a, b) => a * b, p.1^3, p.0)", &["(zeros(0), 0.7)"]),
            empty("x => fold((a, b) => concat(a, [b * x]), [], [x, 2.0])", &["0.7"]),
            scalar_array("x => fold((a, b) => a * [b, x], [1.0, x], [x, 2.0])", &["0.7"]),
            scalar_array("m => fold((a, row) => a * row, [1.0, 1.0], m)", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            scalar_array("x => fold((t, i) => [t, t * x], x, iota(2))", &["0.7"]),
            structured("xs => fold((a, b) => a * b.v + b.v^2, 1.0, xs)", &["[{v: 0.5}, {v: 0.7}]"]),
            structured("xs => fold((a, b) => (a.0 * b, a.1 + a.0), (1.0, 0.0), xs).1", &["Cons(0.5, Cons(0.7, Nil))"]),
            structured("x => fold((t, i) => if i == 0 { Cons(x^2, t) } else { t }, Nil, iota(3)) |> xs => match xs { Cons(y, _) => y, _ => 0.0 }", &["0.7"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "scan",
        &[
            smooth("v => scan((a, b) => a * sin(b), 1.0, v)", &["[0.5, 0.7, 0.9]"]),
            smooth("x => scan((a, b) => a * x + b, x, [1.0, x, 2.0])", &["0.7"]),
            int("x => x^2 * scan((a, b) => a + b, 0, [1, 2, 3])", &["0.7"]),
            mixed("v => scan((a, b) => a * b, 1, v)", &["[0.5, 0.7, 0.9]"]),
            mixed("x => scan((a, i) => a + i * x^2, 0, [1, 2])", &["0.7"]),
            empty("p => concat(scan((a, b) => a * b, p.1, p.0), [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("x => scan((a, b) => a * b, [x, 1.0], [x, 2.0])", &["0.7"]),
            scalar_array("m => scan((a, row) => a * row, [1.0, 1.0], m)", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            structured("xs => sum(r.u for r in scan((a, b) => {u: a.u * b.v}, {u: 1.0}, xs))", &["[{v: 0.5}, {v: 0.7}]"]),
            structured("xs => fold((t, y) => t + y^2, 0.0, scan((a, b) => a * b, 1.0, xs))", &["Cons(0.5, Cons(0.7, Nil))"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "reduce",
        &[
            smooth("v => reduce((a, b) => a * b, 1.0, v)", &["[0.5, 0.7, 0.9]"]),
            int("x => x^2 * reduce(add, 0, [1, 2, 3])", &["0.7"]),
            mixed("v => reduce(mul, 1, v)", &["[0.5, 0.7, 0.9]"]),
            empty("p => reduce(mul, p.1^3, p.0)", &["(zeros(0), 0.7)"]),
            scalar_array("m => reduce(mul, [1.0, 1.0], m)", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            structured("xs => reduce((a, b) => (a.0 * b.0, a.1 + b.0), (1.0, 0.0), xs).1", &["[(0.5, 1), (0.7, 2)]"]),
            structured("xs => reduce(mul, 1.0, xs)", &["Cons(0.5, Cons(0.7, Nil))"]),
            degenerate("v => reduce(maximum, 0.0, v)", &["[0.5, 0.7, 0.7]"]).like("v => v[1]"),
        ],
    ),
    Row::library(
        "map",
        &[
            smooth("v => map(x => sin(x)^2 * v[0], v)", &["[0.5, 0.7]"]),
            int("x => map(n => n * x^2, [1, 2])", &["0.7"]),
            mixed("x => map(i => if i == 0 { 1 } else { x^2 }, [0, 1])", &["0.7"]),
            empty("p => concat(map(x => x^2 * p.1, p.0), [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("m => map(row => row * row[0], m)", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            scalar_array("v => map(x => [x, x^2], v)", &["[0.5, 0.7]"]),
            structured("xs => sum(map(r => r.a * r.b.0, xs))", &["[{a: 0.5, b: (0.7, 1)}, {a: 0.9, b: (1.1, 2)}]"]),
            structured("xs => fold((t, y) => t * y, 1.0, map(x => sin(x)^2, xs))", &["Cons(0.5, Cons(0.7, Nil))"]),
            structured("x => { let fs = map(i => (y => y * x * (i + 1)), iota(2)); fs[1](fs[0](x)) }", &["0.7"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "filter",
        &[
            smooth("v => filter(x => x > 0.6, v)^2", &["[0.5, 0.7, 0.9]"]),
            int("x => filter(n => n > 1, [1, 2, 3]) * x^2", &["0.7"]),
            mixed("p => filter(x => x > p.0, p.1)^2", &["(0, [0.5, -0.7, 0.9])"]),
            empty("p => concat(filter(x => x > 0.0, p.0), [p.1^3])", &["(zeros(0), 0.7)"]),
            empty("v => concat(filter(x => x > 5.0, v), [v[0]^3])", &["[0.5, 0.7]"]),
            scalar_array("m => filter(row => row[0] > 0.6, m)^2", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            structured("xs => sum(r.a^2 for r in filter(r => r.n > 0, xs))", &["[{a: 0.5, n: 0}, {a: 0.9, n: 1}]"]),
            structured("xs => fold((t, y) => t * y, 1.0, filter(x => x > 0.6, xs))", &["Cons(0.5, Cons(0.7, Nil))"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "fix",
        &[
            smooth("a => fix((x, y) => abs(x - y) < 1e-13, x => (x + a / x) / 2)(1.0)", &["2.0"]).like("a => sqrt(a)"),
            smooth("a => fix((x, y) => abs(x - y) < 1e-13, x => cos(a * x) / 2)(0.5)", &["0.8"]),
            smooth("v => fix((x, y) => norm(x - y) < 1e-13, x => [cos(v[0] * x[1]) / 3, v[1] * x[0] / 2])([0.1, 0.1])", &["[0.8, 0.9]"]),
            int("a => fix((x, y) => abs(x - y) < 1e-13, x => x / 2 + a)(1)", &["0.7"]).like("a => 2 * a"),
            int("a => a^2 * fix((x, y) => x == y, n => div(n + 4, 2))(10)", &["0.7"]),
            mixed("p => fix((x, y) => abs(x - y) < 1e-13, x => (x + p.1 / x) / p.0)(1.0)", &["(2, 2.0)"]).like("p => sqrt(p.1)"),
            mixed("a => fix((s, t) => abs(s.x - t.x) < 1e-13, s => {x: (s.x + a / s.x) / 2, n: s.n + 1})({x: 1.0, n: 0}).x", &["2.0"]).like("a => sqrt(a)"),
            empty("a => concat(fix((x, y) => true, v => v * a)(zeros(0)), [a^3])", &["0.7"]),
            scalar_array("a => fix((x, y) => max(abs(x - y)) < 1e-13, x => (x + a / x) / 2)([1.0, 2.0])", &["2.0"]).like("a => [sqrt(a), sqrt(a)]"),
            structured("r => fix((s, t) => abs(s.x - t.x) < 1e-13, s => {x: cos(r.a * s.x) / 2, y: s.x * r.b.0})({x: 0.1, y: 0.0}).y", &["{a: 0.8, b: (0.7, 1)}"]),
            degenerate("a => fix((x, y) => abs(x - y) < 1e-13, x => x * 0.5)(a)", &["0.7"]).like("a => 0.0 * a"),
        ],
    ),
];
