//! Linear algebra beyond the primitives.

use crate::matrix::row::{Class, Row, degenerate, empty, int, mixed, scalar_array, smooth, structured};

const SMOOTH: (Class, &str) = (Class::Degenerate, "it has no singular points of its own");

pub const ROWS: &[Row] = &[
    Row::library(
        "eye",
        &[
            smooth("x => eye(2) * x^3", &["0.7"]),
            int("x => (eye(2) + [[1, 2], [3, 4]]) * x^2", &["0.7"]),
            mixed("p => eye(p.0) * p.1^2", &["(2, 0.7)"]),
            empty("x => concat(flatten(eye(0)), [x^3])", &["0.7"]),
            scalar_array("x => (eye(2) + x)^2", &["0.7"]),
            structured("r => (eye(2) @ [r.a, r.b.0])^2", &["{a: 0.5, b: (0.7, 1)}"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "trace",
        &[
            smooth("m => trace(m @ m)", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            int("x => trace([[1, 2], [3, 4]]) * x^2", &["0.7"]),
            mixed("x => trace([[1, 2], [3, x^2]])", &["0.7"]),
            empty("x => trace(eye(0)) + x^3", &["0.7"]),
            scalar_array("m => trace(m)^2", &["[[0.5, 0.7, 0.1], [0.9, 1.1, 0.2]]"]),
            structured("r => trace([[r.a, 1.0], [2.0, r.b.0^2]])", &["{a: 0.5, b: (0.7, 1)}"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "lower",
        &[
            smooth("m => lower(m)^2", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            int("x => lower([[1, 2], [3, 4]]) * x^2", &["0.7"]),
            mixed("x => lower([[1, 2], [x^2, 4]])", &["0.7"]),
            empty("x => concat(flatten(lower(eye(0))), [x^3])", &["0.7"]),
            scalar_array("m => lower(m) * m[0, 1]", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            structured("r => lower([[r.a, 1.0], [2.0, r.b.0^2]])", &["{a: 0.5, b: (0.7, 1)}"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "symmetric",
        &[
            smooth("m => symmetric(m)^2", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            int("x => symmetric([[1, 2], [3, 4]]) * x^2", &["0.7"]),
            mixed("x => symmetric([[1, 2], [x^2, 4]])", &["0.7"]),
            empty("x => concat(flatten(symmetric(eye(0))), [x^3])", &["0.7"]),
            scalar_array("m => symmetric(m) * m[0, 1]", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            structured("r => symmetric([[r.a, 1.0], [2.0, r.b.0^2]])", &["{a: 0.5, b: (0.7, 1)}"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "logdet",
        &[
            smooth("v => logdet([[v[0], v[1]], [v[1], v[2]]])", &["[2.0, 0.3, 1.7]"])
                .like("v => log(v[0] * v[2] - v[1]^2)"),
            smooth("m => logdet(m @ transpose(m))", &["[[2.0, 0.3], [0.5, 1.7]]"])
                .like("m => 2 * log(abs(m[0, 0] * m[1, 1] - m[0, 1] * m[1, 0]))"),
            int("x => logdet([[2, 1], [1, 2]]) * x^2", &["0.7"]),
            mixed("x => logdet([[2, 1], [1, 2 + x^2]])", &["0.7"]),
            empty("x => logdet(eye(0)) + x^3", &["0.7"]),
            scalar_array("x => logdet(eye(2) * x)", &["0.7"]).like("x => 2 * log(x)"),
            structured("r => logdet([[r.a, 0.1], [0.1, r.b.0^2]])", &["{a: 1.5, b: (0.7, 1)}"]),
            degenerate("v => logdet([[v[0], 0.0], [0.0, v[1]]])", &["[1.0, 1.0]"]).like("v => log(v[0]) + log(v[1])"),
        ],
    ),
    Row::library(
        "cofactors",
        &[
            smooth("m => cofactors(m)", &["[[0.5, 0.7], [0.9, 1.1]]"])
                .like("m => [[m[1, 1], -m[1, 0]], [-m[0, 1], m[0, 0]]]"),
            int("x => cofactors([[1, 2], [3, 4]]) * x^2", &["0.7"]),
            mixed("x => cofactors([[1, 2], [3, x^2]])", &["0.7"]).like("x => [[x^2, -3.0], [-2.0, 1.0]]"),
            empty("x => concat(flatten(cofactors(eye(0))), [x^3])", &["0.7"]),
            scalar_array("x => cofactors([[x^2]]) * x", &["0.7"]).like("x => [[x]]"),
            structured("r => cofactors([[r.a, 1.0], [2.0, r.b.0^2]])", &["{a: 0.5, b: (0.7, 1)}"])
                .like("r => [[r.b.0^2, -2.0], [-1.0, r.a]]"),
            degenerate("m => sum(cofactors(m))", &["[[1.0, 2.0], [2.0, 4.0]]", "[[0.0, 0.0], [0.0, 0.0]]"])
                .like("m => m[0, 0] + m[1, 1] - m[0, 1] - m[1, 0]"),
        ],
    ),
    Row::library(
        "matrix_function",
        &[
            smooth("m => matrix_function(exp, m)", &["[[0.5, 0.3], [0.1, 1.1]]"])
                .like("m => { let (w, v) = eigh(m); v @ diag(exp(w)) @ transpose(v) }"),
            smooth("v => matrix_function(x => v[0] / x, [[v[1], 0.3], [0.3, 2.0]])", &["[0.7, 1.5]"])
                .like("v => inv([[v[1], 0.3], [0.3, 2.0]]) * v[0]"),
            int("x => matrix_function(sqrt, [[5, 4], [4, 5]]) * x^2", &["0.7"])
                .like("x => [[2.0, 1.0], [1.0, 2.0]] * x^2"),
            mixed("x => matrix_function(y => y^2, [[1, 2], [2, x]])", &["0.7"])
                .like("x => [[1, 2], [2, x]] @ [[1, 2], [2, x]]"),
            empty("x => concat(flatten(matrix_function(exp, eye(0))), [x^3])", &["0.7"]).like("x => [x^3]"),
            scalar_array("x => matrix_function(sin, [[x]])", &["0.7"]).like("x => [[sin(x)]]"),
            structured("r => matrix_function(x => x^3, [[r.a, 0.1], [0.1, r.b.0^2]])", &["{a: 1.5, b: (0.7, 1)}"])
                .like("r => { let a = [[r.a, 0.1], [0.1, r.b.0^2]]; a @ a @ a }"),
            degenerate(
                "v => matrix_function(x => x^4, [[v[0], v[1]], [v[1], v[2]]])",
                &["[1.0, 0.0, 1.0]", "[2.0, 1e-9, 2.0]"],
            )
            .like("v => { let a = [[v[0], v[1]], [v[1], v[2]]]; a @ a @ a @ a }"),
        ],
    ),
    Row::library(
        "solve_symmetric",
        &[
            smooth("p => solve_symmetric(p.0, p.1)", &["([[2.0, 0.3], [0.3, 1.7]], [1.0, 2.0])"])
                .like("p => solve(symmetric(p.0), p.1)"),
            smooth("p => solve_symmetric(p.0, p.1)", &["([[2.0, 0.3], [0.1, 1.7]], [[1.0, 2.0], [0.5, 0.1]])"])
                .like("p => solve(symmetric(p.0), p.1)"),
            int("x => solve_symmetric([[2, 1], [1, 3]], [1, 2]) * x^2", &["0.7"]),
            mixed("x => solve_symmetric([[2, 1], [1, 3]], [x^2, 2.0])", &["0.7"]),
            mixed("x => solve_symmetric([[2.0, x], [x, 3.0]], [1, 2])", &["0.7"]),
            empty("p => concat(solve_symmetric(eye(0), p.0), [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("x => solve_symmetric(eye(2) * x^2, [x, 1.0])", &["0.7"]).like("x => [1 / x, 1 / x^2]"),
            structured("r => solve_symmetric([[r.a, 0.1], [0.1, r.b.0^2]], [r.a, 1.0])", &["{a: 1.5, b: (0.7, 1)}"]),
            degenerate("v => solve_symmetric([[v[0], 0.0], [0.0, v[1]]], v)", &["[1.0, 1.0]"]).like("v => v / v"),
        ],
    ),
    Row::library(
        "lstsq",
        &[
            smooth("p => lstsq(p.0, p.1)", &["([[2.0, 0.3], [0.5, 1.7], [0.1, 0.4]], [1.0, 2.0, 3.0])"]),
            int("x => lstsq([[2, 1], [1, 3]], [1, 2]) * x^2", &["0.7"]),
            mixed("x => lstsq([[2, 1], [1, 3]], [x^2, 2.0])", &["0.7"]),
            mixed("x => lstsq([[2.0, x], [1.0, 3.0]], [1, 2])", &["0.7"]),
            empty("p => concat(lstsq(eye(0), p.0), [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("p => lstsq(p.0, p.1)", &["([[2.0, 0.3], [0.5, 1.7]], [[1.0, 2.0], [0.1, 0.2]])"]),
            structured("r => lstsq([[r.a, 0.1], [0.1, r.b.0^2]], [r.a, 1.0])", &["{a: 1.5, b: (0.7, 1)}"]),
        ],
    )
    .with(&[degenerate("m => lstsq(m, [5.0, 10.0])", &["[[1.0, 2.0], [2.0, 4.0]]"]).no_number()]),
    Row::library(
        "qr",
        &[
            smooth("m => { let (q, r) = qr(m); [sum(q^3), sum(r^3)] }", &["[[2.0, 0.3], [0.5, 1.7], [0.1, 0.4]]"]),
            smooth("m => qr(m).1", &["[[2.0, 0.3, 0.4], [0.5, 1.7, 0.2]]"]),
            int("x => qr([[2, 1], [1, 3]]).1 * x^2", &["0.7"]),
            mixed("x => qr([[2, 1], [1, x]]).1", &["0.7"]),
            empty("x => concat(flatten(qr(eye(0)).0), [x^3])", &["0.7"]),
            scalar_array("x => qr([[x^2]]).1 * x", &["0.7"]),
            structured("r => qr([[r.a, 0.1], [0.1, r.b.0^2]]).0", &["{a: 1.5, b: (0.7, 1)}"]),
            degenerate("m => qr(m).0", &["[[1.0, 2.0], [2.0, 4.0]]"]).no_number(),
        ],
    ),
    Row::library(
        "svd",
        &[
            smooth(
                "m => { let (u, s, vt) = svd(m); [sum(u^3), sum(s^3), sum(vt^3)] }",
                &["[[2.0, 0.3], [0.5, 1.7], [0.1, 0.4]]"],
            ),
            smooth(
                "m => { let (u, s, vt) = svd(m); [sum(u^3), sum(s^3), sum(vt^3)] }",
                &["[[2.0, 0.3], [0.5, 1.1]]", "[[2.0, 0.3, -0.4], [0.5, 1.1, 0.9]]"],
            ),
            int("x => svd([[2, 1], [1, 3]]).1 * x^2", &["0.7"]),
            mixed("x => svd([[2, 1], [1, x]]).1", &["0.7"]),
            empty("x => concat(svd(eye(0)).1, [x^3])", &["0.7"]),
            scalar_array("x => svd([[x^2]]).1 * x", &["0.7"]),
            structured("r => svd([[r.a, 0.1], [0.3, r.b.0^2]]).1", &["{a: 1.5, b: (0.7, 1)}"]),
            degenerate("m => svd(m).0", &["[[1.0, 0.0], [0.0, 1.0]]"]).no_number(),
        ],
    ),
    Row::library(
        "slogdet",
        &[
            smooth("m => slogdet(m).1", &["[[2.0, 0.3], [0.5, 1.7]]", "[[0.3, 2.0], [0.5, 0.7]]"]),
            int("x => slogdet([[2, 1], [1, 3]]).1 * x^2", &["0.7"]),
            mixed("x => slogdet([[2, 1], [1, x]]).1", &["0.7"]),
            empty("x => slogdet(eye(0)).1 + x^3", &["0.7"]),
            scalar_array("x => slogdet([[x^2]]).1 * x", &["0.7"]),
            structured("r => slogdet([[r.a, 0.1], [0.3, r.b.0^2]]).1", &["{a: 1.5, b: (0.7, 1)}"]),
            degenerate("m => slogdet(m).1", &["[[1.0, 2.0], [0.0, 0.0]]"]).no_number(),
        ],
    ),
    Row::library(
        "pinv",
        &[
            smooth("m => pinv(m)", &["[[2.0, 0.3], [0.5, 1.7], [0.1, 0.4]]", "[[2.0, 0.3, 0.2], [0.5, 1.7, 0.1]]"]),
            int("x => pinv([[2, 1], [1, 3]]) * x^2", &["0.7"]),
            mixed("x => pinv([[2, 1], [1, x]])", &["0.7"]),
            empty("x => concat(flatten(pinv(eye(0))), [x^3])", &["0.7"]),
            scalar_array("x => pinv([[x^2]]) * x", &["0.7"]),
            structured("r => pinv([[r.a, 0.1], [0.3, r.b.0^2]])", &["{a: 1.5, b: (0.7, 1)}"]),
            degenerate("m => pinv(m)", &["[[1.0, 2.0], [2.0, 4.0]]"]).no_number(),
        ],
    ),
    Row::library(
        "expm",
        &[
            smooth("m => expm(m)", &["[[0.5, 0.3], [-0.2, 1.1]]"]),
            smooth("x => expm([[0.0, -x], [x, 0.0]])", &["7.0"]).like("x => [[cos(x), -sin(x)], [sin(x), cos(x)]]"),
            int("x => expm([[0, 0], [0, 0]]) * x^2", &["0.7"]),
            mixed("x => expm([[0, 1], [0, x]])[1]", &["0.7"]).like("x => [0.0, exp(x)]"),
            empty("x => concat(flatten(expm(eye(0))), [x^3])", &["0.7"]),
            scalar_array("x => expm([[x^2]])", &["0.7"]).like("x => [[exp(x^2)]]"),
            structured("r => expm([[r.a, 0.1], [0.3, r.b.0^2]])", &["{a: 1.5, b: (0.7, 1)}"]),
            degenerate("v => expm(diag(v))", &["[0.0, 0.0]"]).like("v => diag(exp(v))"),
        ],
    ),
    Row::library(
        "fft",
        &[
            smooth("v => { let (x, y) = fft(v); concat(x^2, y^3) }", &["[0.5, 0.7, 0.9]"]),
            smooth("m => { let (x, y) = fft(m, 0); x^2 * y^3 }", &["[[0.5, 0.7], [0.9, 1.1], [0.2, 0.1]]"]),
            smooth("p => { let (x, y) = fft(p); concat(x^2, y^3) }", &["([0.5, 0.7], [0.9, 1.1])"]),
            int("x => fft([1, 2, 4]).1 * x^2", &["0.7"]),
            mixed("x => fft([1, x^2]).0", &["0.7"]),
            empty("p => concat(fft(p.0).0, [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("x => fft([x, 2.0]).0 * x", &["0.7"]),
            degenerate("v => fft(v).1", &["[0.0, 0.0, 0.0]"]),
        ],
    )
    .without(&[(Class::Structured, "it takes arrays of numbers")]),
    Row::library(
        "ifft",
        &[
            smooth("v => { let (x, y) = ifft(v); concat(x^2, y^3) }", &["[0.5, 0.7, 0.9]"]),
            smooth("m => { let (x, y) = ifft(m, 0); x^2 * y^3 }", &["[[0.5, 0.7], [0.9, 1.1], [0.2, 0.1]]"]),
            smooth("p => { let (x, y) = ifft(p); concat(x^2, y^3) }", &["([0.5, 0.7], [0.9, 1.1])"]),
            int("x => ifft([1, 2, 4]).1 * x^2", &["0.7"]),
            mixed("x => ifft([1, x^2]).0", &["0.7"]),
            empty("p => concat(ifft(p.0).0, [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("x => ifft([x, 2.0]).0 * x", &["0.7"]),
            degenerate("v => ifft(v).1", &["[0.0, 0.0, 0.0]"]),
        ],
    )
    .without(&[(Class::Structured, "it takes arrays of numbers")]),
];
