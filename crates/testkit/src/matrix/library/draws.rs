//! Random draws: smooth functions of their parameters, or discrete.

use crate::matrix::row::{Class, Row, empty, int, mixed, scalar_array, smooth, structured};

const SMOOTH: (Class, &str) = (Class::Degenerate, "it has no singular points of its own");
const DISCRETE: (Class, &str) = (Class::Degenerate, "its result is discrete: there is nothing to differentiate");
const NUMBERS: (Class, &str) = (Class::Structured, "it takes numbers");

pub const ROWS: &[Row] = &[
    Row::library(
        "categorical",
        &[
            smooth("w => categorical(key(1), w, 3) * w[0]^2", &["[0.5, 0.7]"]),
            int("x => categorical(key(1), [1, 2], 3) * x^2", &["0.7"]),
            mixed("x => categorical(key(1), [1, 2.0], 3) * x^2", &["0.7"]),
            empty("x => concat(categorical(key(1), [1.0], 0), [x^3])", &["0.7"]),
            scalar_array("x => categorical(key(1), [x, 1.0], [2, 2]) * x^2", &["0.7"]),
        ],
    )
    .without(&[DISCRETE, NUMBERS]),
    Row::library(
        "permutation",
        &[
            smooth("v => permutation(key(1), v^3)", &["[0.5, 0.7, 0.9]"]),
            int("x => permutation(key(1), 3) * x^2", &["0.7"]),
            mixed("x => permutation(key(1), [1, x^2])", &["0.7"]),
            empty("p => concat(permutation(key(1), p.0), [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("x => permutation(key(1), [[x, 2.0], [3.0, x^2]]) * x", &["0.7"]),
            structured("v => [s.a^2 for s in permutation(key(1), v)]", &["[{a: 0.5}, {a: 0.7}]"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "choice",
        &[
            smooth("v => choice(key(1), v^3, 2)", &["[0.5, 0.7, 0.9]"]),
            int("x => choice(key(1), [1, 2, 3], 2) * x^2", &["0.7"]),
            mixed("x => choice(key(1), [1, x^2], 2)", &["0.7"]),
            empty("p => concat(choice(key(1), [p.1], 0), [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("x => choice(key(1), [[x, 2.0], [3.0, x^2]], 2) * x", &["0.7"]),
            structured("v => [s.a^2 for s in choice(key(1), v, 3)]", &["[{a: 0.5}, {a: 0.7}]"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "poisson",
        &[
            smooth("x => poisson(key(1), x, 3) * x^2", &["2.3"]),
            int("x => poisson(key(1), 2, 3) * x^2", &["0.7"]),
            mixed("p => poisson(key(1), p.1, p.0) * p.1^2", &["(2, 1.7)"]),
            empty("x => concat(poisson(key(1), x, 0), [x^3])", &["0.7"]),
            scalar_array("x => poisson(key(1), 3.0, [2, 2]) * x^2", &["0.7"]),
        ],
    )
    .without(&[DISCRETE, NUMBERS]),
    Row::library(
        "multivariate_normal",
        &[
            smooth("p => multivariate_normal(key(1), p.0, p.1, 2)", &["([0.5, 0.7], [[2.0, 0.3], [0.3, 1.7]])"]),
            int("x => multivariate_normal(key(1), [1, 2], [[2, 1], [1, 2]], 2) * x^2", &["0.7"]),
            mixed("x => multivariate_normal(key(1), [1, x^2], [[2, 1], [1, 2]], 2)", &["0.7"]),
            empty("x => concat(multivariate_normal(key(1), [x], [[1.0]], 0), [[x^3]])", &["0.7"]),
            scalar_array("x => multivariate_normal(key(1), [x], [[x]], 2) * x", &["0.7"]),
        ],
    )
    .without(&[SMOOTH, NUMBERS]),
];
