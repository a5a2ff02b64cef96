//! Structures of reals as vectors.

use crate::matrix::row::{Class, Row, empty, int, mixed, scalar_array, smooth, structured};

const SMOOTH: (Class, &str) = (Class::Degenerate, "it has no singular points of its own");

pub const ROWS: &[Row] = &[
    Row::library(
        "map_reals",
        &[
            smooth("v => map_reals(x => x^3, v)", &["[0.5, 0.7]"]),
            int("x => map_reals(y => y^2, (x, 3)).0", &["0.7"]),
            mixed("p => map_reals(x => x^3, p).1 * p.0", &["(2, 0.7)"]),
            empty("p => sum(map_reals(x => x^3, p.0)) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("x => map_reals(y => y * x, [x, 2.0])", &["0.7"]),
            structured("r => ravel(map_reals(x => x^3, r))", &["{a: 0.5, b: (0.7, 1)}", "[(0.5, 0.7), (0.9, 1.1)]"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "zip_reals",
        &[
            smooth("v => zip_reals((x, y) => x * y^2, v, exp(v))", &["[0.5, 0.7]"]),
            int("x => zip_reals((x, y) => x * y, (x, 3), (x^2, 3)).0", &["0.7"]),
            mixed("p => zip_reals((x, y) => x * y^2, p, p).1 * p.0", &["(2, 0.7)"]),
            empty("p => sum(zip_reals((x, y) => x * y, p.0, p.0)) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("x => zip_reals((a, b) => a * b * x, [x, 2.0], [1.0, x])", &["0.7"]),
            structured(
                "r => ravel(zip_reals((x, y) => x * y^2, r, r))",
                &["{a: 0.5, b: (0.7, 1)}", "[(0.5, 0.7), (0.9, 1.1)]"],
            ),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "fold_reals",
        &[
            smooth("v => fold_reals((a, x) => a * x + x^2, 1.0, v)", &["[0.5, 0.7]"]),
            int("x => fold_reals((a, y) => a + y^3, 0, (x, 3))", &["0.7"]),
            mixed("p => fold_reals((a, x) => a * p.0 + x^3, 1.0, p)", &["(2, 0.7)"]),
            empty("p => fold_reals((a, x) => a * x, p.1^3, p.0)", &["(zeros(0), 0.7)"]),
            scalar_array("x => fold_reals((a, y) => a * y, x, [x, 2.0])", &["0.7"]),
            structured("r => fold_reals((a, x) => a * x + x^2, 1.0, r)", &["{a: 0.5, b: (0.7, 1)}"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "scale",
        &[
            smooth("p => scale(p.0, p.1)", &["(0.7, [0.5, 0.7])"]),
            int("x => scale(2, (x^3, 3)).0", &["0.7"]),
            mixed("p => scale(p.0, p.1^3)", &["(2, 0.7)"]),
            empty("p => sum(scale(p.1, p.0)) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("x => scale(x, [x, 2.0])", &["0.7"]),
            structured("r => ravel(scale(r.a, r))", &["{a: 0.5, b: (0.7, 1)}"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "inner",
        &[
            smooth("v => inner(v, exp(v))", &["[0.5, 0.7]"]),
            int("x => inner((x, 3), (x^2, 3))", &["0.7"]),
            mixed("p => inner(p, p) * p.1", &["(2, 0.7)"]),
            empty("p => inner(p.0, p.0) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("x => inner([x, 2.0], [1.0, x])", &["0.7"]),
            structured("r => inner(r, r) * r.a", &["{a: 0.5, b: (0.7, 1)}"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "ravel",
        &[
            smooth("m => ravel(m)^3", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            int("x => ravel((x, 3))^3", &["0.7"]),
            mixed("p => ravel(p)^3 * p.0", &["(2, 0.7)"]),
            empty("p => concat(ravel(p.0), [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("x => ravel((x, [x^2, 2.0]))", &["0.7"]),
            structured("r => ravel(r)^3", &["{a: 0.5, b: (0.7, 1)}", "[(0.5, 0.7), (0.9, 1.1)]"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "unravel",
        &[
            smooth("v => unravel([[1.0, 2.0], [3.0, 4.0]], v^3)", &["[0.5, 0.7, 0.9, 1.1]"]),
            int("x => unravel((x, 3), [x^3]).0", &["0.7"]),
            mixed("p => unravel(p, [p.1^3]).1 * p.0", &["(2, 0.7)"]),
            empty("p => sum(unravel(p.0, p.0)) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("x => unravel([1.0, 2.0], [x^2, x^3])", &["0.7"]),
            structured("r => ravel(unravel(r, [r.a^2, r.a * r.b.0]))", &["{a: 0.5, b: (0.7, 1)}"]),
        ],
    )
    .without(&[SMOOTH]),
];
