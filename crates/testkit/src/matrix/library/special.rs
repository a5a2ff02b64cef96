//! Special functions.

use crate::matrix::row::{Class, Row, degenerate, empty, int, mixed, scalar_array, smooth, structured};

pub const ROWS: &[Row] = &[
    Row::elementwise(
        "sigmoid",
        &[smooth("sigmoid", &["0.7", "-2.0", "3.0"]), degenerate("sigmoid", &["0.0"]).like("x => 1 / (1 + exp(-x))")],
    ),
    Row::elementwise(
        "log1pexp",
        &[smooth("log1pexp", &["0.7", "-2.0", "3.0"]), degenerate("log1pexp", &["0.0"]).like("x => log(1 + exp(x))")],
    ),
    Row::elementwise(
        "relu",
        &[
            smooth("relu", &["0.7", "-2.0", "3.0"]),
            smooth("x => relu(x)^3", &["0.7", "-2.0"]),
            // A tie of `maximum` goes to the first.
            degenerate("relu", &["0.0"]).like("x => x"),
        ],
    ),
    Row::elementwise(
        "trigamma",
        &[smooth("trigamma", &["0.7", "3.5", "-1.5"]), degenerate("trigamma", &["0.0", "-1.0"]).no_number()],
    ),
    Row::library(
        "gamma",
        &[
            smooth("gamma", &["0.7", "3.5", "-1.5"]),
            int("x => gamma(4) * x^2", &["0.7"]),
            mixed("p => gamma(p.0) * gamma(p.1)", &["(3, 0.7)"]),
            structured("r => gamma(r.a) * gamma(r.b.0)", &["{a: 0.5, b: (0.7, 1)}"]),
            degenerate("gamma", &["0.0", "-1.0"]).no_number(),
        ],
    )
    .without(&[(Class::Empty, NUMBER), (Class::ScalarArray, NUMBER)]),
    Row::library(
        "lbeta",
        &[
            smooth("lbeta", &["(0.7, 1.5)"]),
            int("x => lbeta(2, 3) * x^2", &["0.7"]),
            mixed("x => lbeta(2, x) * lbeta(x, 3)", &["0.7"]),
            mixed("p => lbeta(p.0, p.1)", &["(2, 0.7)"]),
            empty("p => sum(lbeta(p.0, p.1)) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("p => lbeta(p.0, p.1)", &["(0.7, [1.5, 2.5])", "([1.5, 2.5], 0.7)"]),
            structured("r => lbeta(r.a, r.b.0)", &["{a: 0.5, b: (0.7, 1)}"]),
            degenerate("p => lbeta(p.0, p.1)", &["(0.0, 1.0)"]).no_number(),
        ],
    ),
    Row::library(
        "clamp",
        &[
            smooth("p => clamp(p.0^2, p.1, p.2)", &["(0.7, 0.1, 0.9)", "(0.7, 0.6, 0.9)", "(0.7, 0.1, 0.2)"]),
            int("x => clamp(5, 0, 3) * x^2", &["0.7"]),
            mixed("x => clamp(x^2, 0, 1)", &["0.7", "2.0", "-0.5"]),
            mixed("x => clamp(5, 0, x^2) + clamp(-5, x^3, 7)", &["0.7"]),
            mixed("v => clamp(v^2, 0, 1)", &["[0.7, 2.0]"]),
            empty("p => sum(clamp(p.0, p.1, 2.0)) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("v => clamp(v^2, 0.1, 0.6)", &["[0.7, 0.2, 0.9]"]),
            scalar_array(
                "p => clamp(p.0, p.1, p.2)^2",
                &["([0.7, 0.2, 0.9], 0.3, 0.8)", "(0.5, [0.1, 0.6], 0.9)", "(0.5, 0.1, [0.6, 0.3])"],
            ),
            structured("r => clamp(r.a^2, r.b.0, 2.0)", &["{a: 0.5, b: (0.1, 1)}"]),
            // Ties go to the first: to x.
            degenerate("p => clamp(p.0, p.1, p.2)", &["(0.5, 0.5, 0.9)", "(0.5, 0.1, 0.5)"]).like("p => p.0"),
        ],
    ),
];

const NUMBER: &str = "it takes one number";
