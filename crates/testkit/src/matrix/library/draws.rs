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
    // The truth is Newton's method from close by; the oracle's search would take minutes.
    Row::library(
        "gamma_draws",
        &[
            smooth("a => gamma_draws(key(1), a, 1)", &["2.5"])
                .like("a => [gamma_inverse(a, 0.5635198988440491, 2.4169730663978712)]"),
            int("x => gamma_draws(key(1), 2, 1) * x^2", &["0.7"])
                .like("x => [x^2 * gamma_inverse(2.0, 0.5635198988440491, 1.8904113035936485)]"),
            mixed("p => gamma_draws(key(2), p.1, p.0) * p.1", &["(1, 0.7)"])
                .like("p => [p.1 * gamma_inverse(p.1, 0.05894144514385824, 0.01541518159290174)]"),
            empty("x => concat(gamma_draws(key(1), x, 0), [x^3])", &["0.7"]).like("x => [x^3]"),
            scalar_array("x => gamma_draws(key(3), x, [1, 1]) * x", &["1.5"])
                .like("x => [[x * gamma_inverse(x, 0.9783588732855717, 4.83240751920311)]]"),
        ],
    )
    .without(&[SMOOTH, NUMBERS]),
    Row::library(
        "beta_draws",
        &[
            smooth("p => beta_draws(key(1), p.0, p.1, 1)", &["(2.5, 1.5)"]).like(
                "p => { let x = gamma_inverse(p.0, 0.5454750626160222, 2.346337722775846)
                  [x / (x + gamma_inverse(p.1, 0.05459029800364301, 0.18737008649987746))] }",
            ),
            int("x => beta_draws(key(1), 2, 3, 1) * x^2", &["0.7"]).like(
                "x => { let y = gamma_inverse(2.0, 0.5454750626160222, 1.8281117684876724)
                  [x^2 * y / (y + gamma_inverse(3.0, 0.05459029800364301, 0.8481295823896141))] }",
            ),
            mixed("x => beta_draws(key(1), 2, x^2, 1)", &["1.3"]).like(
                "x => { let y = gamma_inverse(2.0, 0.5454750626160222, 1.8281117684876724)
                  [y / (y + gamma_inverse(x^2, 0.05459029800364301, 0.252762538352629))] }",
            ),
            empty("x => concat(beta_draws(key(1), x, 2.0, 0), [x^3])", &["0.7"]).like("x => [x^3]"),
            scalar_array("x => beta_draws(key(3), x, 2.0, [1, 1]) * x", &["1.5"]).like(
                "x => { let y = gamma_inverse(x, 0.24236168581952178, 0.590346999750535)
                  [[x * y / (y + gamma_inverse(2.0, 0.3813438905548159, 1.3231144318914632))]] }",
            ),
        ],
    )
    .without(&[SMOOTH, NUMBERS]),
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
