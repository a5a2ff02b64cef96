//! Functions along an axis, and conditions.

use crate::matrix::row::{Class, Row, degenerate, empty, int, mixed, scalar_array, smooth, structured};

const SMOOTH: (Class, &str) = (Class::Degenerate, "it has no singular points of its own");
const DISCRETE: (Class, &str) = (Class::Degenerate, "its result is discrete: there is nothing to differentiate");
const NUMBERS: (Class, &str) = (Class::Structured, "it takes arrays of numbers");

pub const ROWS: &[Row] = &[
    Row::library(
        "along",
        &[
            smooth("m => along(v => v[0] * sum(v)^2, m, 0)", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            smooth("m => along(v => v^2 * v[0], m, 1)", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            smooth("m => sum(m, 0)^2 * m[0]", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            smooth("c => sum(c^2, 1)^2 * sum(c, -1)", &["[[[0.5, 0.7], [0.9, 1.1]], [[0.1, 0.2], [0.3, 0.4]]]"]),
            smooth("m => mean(m^2, 1) * var(m, 1)", &["[[0.5, 0.7], [0.9, 1.2]]"]),
            smooth("m => concat(softmax(m, 0), cumsum(m^2, 1))", &["[[0.5, 0.7], [0.9, 1.2]]"]),
            smooth("m => concat(sort(m^2, 0)[0], logsumexp(m, 1) * prod(m, 1))", &["[[0.5, 0.7], [0.9, 1.2]]"]),
            int("x => sum([[1, 2], [3, 4]], 0) * x^2", &["0.7"]),
            mixed("x => sum([[1, x], [x^2, 4]], 1)", &["0.7"]),
            empty("p => concat(sum(p.0, 1), [p.1^3])", &["(zeros([0, 2]), 0.7)"]),
            scalar_array("x => along(v => x * v[0]^2, [[x, 2.0], [3.0, x^2]], 0)", &["0.7"]),
            structured("v => along(rows => rows[0].a^2, v, 0)", &["[{a: 0.5}, {a: 0.7}]"]),
            degenerate("m => max_along(m, 1)", &["[[0.7, 0.7], [0.5, 0.5]]"]).like("m => [m[0, 0], m[1, 0]]"),
        ],
    ),
    Row::library(
        "min_along",
        &[
            smooth("m => min_along(m^2, 0) * m[1]", &["[[0.5, 1.7], [0.9, 1.1]]"]),
            int("x => min_along([[1, 2], [3, 0]], 0) * x^2", &["0.7"]),
            mixed("x => min_along([[2, x], [x^2, 4]], 1)", &["0.7"]),
            empty("p => concat(min_along(p.0, 1), [p.1^3])", &["(zeros([0, 2]), 0.7)"]),
            scalar_array("x => min_along([[x, 2.0], [3.0, x^2]], 0) * x", &["0.7"]),
            degenerate("m => min_along(m, 1)", &["[[0.7, 0.7], [0.5, 0.5]]"]).like("m => [m[0, 0], m[1, 0]]"),
        ],
    )
    .without(&[NUMBERS]),
    Row::library(
        "max_along",
        &[
            smooth("m => max_along(m^2, 0) * m[1]", &["[[0.5, 1.7], [0.9, 1.1]]"]),
            int("x => max_along([[1, 2], [3, 0]], 0) * x^2", &["0.7"]),
            mixed("x => max_along([[0, x], [x^2, 4]], 1)", &["0.7"]),
            empty("p => concat(max_along(p.0, 1), [p.1^3])", &["(zeros([0, 2]), 0.7)"]),
            scalar_array("x => max_along([[x, 0.0], [3.0, x^2]], 0) * x", &["0.7"]),
            degenerate("m => max_along(m, 1)", &["[[0.7, 0.7], [0.5, 0.5]]"]).like("m => [m[0, 0], m[1, 0]]"),
        ],
    )
    .without(&[NUMBERS]),
    Row::library(
        "equal",
        &[
            smooth("v => v^3 * real(equal(v, 0.5))", &["[0.7, 0.9]"]),
            int("x => real(equal([1, 2], 2)) * x^2", &["0.7"]),
            mixed("x => real(equal([1, 2], 2.0)) * x^2", &["0.7"]),
            empty("p => concat(real(equal(p.0, 1.0)), [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("x => where(equal([1.0, 2.0], 2), x^3, x)", &["0.7"]),
        ],
    )
    .without(&[DISCRETE, NUMBERS]),
    Row::library(
        "not_equal",
        &[
            smooth("v => v^3 * real(not_equal(v, 0.5))", &["[0.7, 0.9]"]),
            int("x => real(not_equal([1, 2], 2)) * x^2", &["0.7"]),
            mixed("x => real(not_equal([1, 2], 2.0)) * x^2", &["0.7"]),
            empty("p => concat(real(not_equal(p.0, 1.0)), [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("x => where(not_equal([1.0, 2.0], 2), x^3, x)", &["0.7"]),
        ],
    )
    .without(&[DISCRETE, NUMBERS]),
    Row::library(
        "logical_and",
        &[
            smooth("v => where(logical_and(v > 0.6, v < 1.0), v^3, v)", &["[0.5, 0.7]"]),
            int("x => where(logical_and([1, 2] > 1, true), x^3, x)", &["0.7"]),
            mixed("v => where(logical_and(v > 0, v < 0.6), v^3, v^2)", &["[0.5, 0.7]"]),
            empty("p => concat(where(logical_and(p.0 > 0, p.0 < 1), p.0, 0.0), [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("x => where(logical_and([true, false], x > 0.0), x^3, x)", &["0.7"]),
        ],
    )
    .without(&[DISCRETE, NUMBERS]),
    Row::library(
        "logical_or",
        &[
            smooth("v => where(logical_or(v > 0.6, v < 0.1), v^3, v)", &["[0.5, 0.7]"]),
            int("x => where(logical_or([1, 2] > 1, false), x^3, x)", &["0.7"]),
            mixed("v => where(logical_or(v < 0, v < 0.6), v^3, v^2)", &["[0.5, 0.7]"]),
            empty("p => concat(where(logical_or(p.0 > 0, p.0 < 1), p.0, 0.0), [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("x => where(logical_or([true, false], x < 0.0), x^3, x)", &["0.7"]),
        ],
    )
    .without(&[DISCRETE, NUMBERS]),
    Row::library(
        "count",
        &[
            smooth("v => v^3 * count(v > 0.6)", &["[0.5, 0.7]"]),
            int("x => count([1, 2] > 0) * x^2", &["0.7"]),
            mixed("v => count(v > 0) * v^2", &["[0.5, 0.7]"]),
            empty("p => count(p.0 > 0.0) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("x => count([[1, 2], [3, 4]] > 2, 0) * x^2", &["0.7"]),
        ],
    )
    .without(&[DISCRETE, NUMBERS]),
    Row::library(
        "flip",
        &[
            smooth("m => flip(m, 1) * m^2", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            int("x => flip([1, 2]) * x^2", &["0.7"]),
            mixed("x => flip([1, x^2])", &["0.7"]),
            empty("p => concat(flip(p.0), [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("x => flip([[x, 2.0], [3.0, x^2]], 0) * x", &["0.7"]),
            structured("v => [s.a^2 for s in flip(v)]", &["[{a: 0.5}, {a: 0.7}]"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "stack",
        &[
            smooth("v => stack([v, v^2], 1)", &["[0.5, 0.7, 0.9]"]),
            smooth("c => stack(c^2, 2)", &["[[[0.5, 0.7]], [[0.9, 1.1]]]"]),
            int("x => stack([[1, 2], [3, 4]], 1) * x^2", &["0.7"]),
            mixed("x => stack([[1, x], [x^2, 4]], -1)", &["0.7"]),
            empty("p => concat(stack([p.0, p.0], 1), [[p.1^3, 1.0]])", &["(zeros(0), 0.7)"]),
            scalar_array("x => stack([[x, 2.0], [3.0, x^2]]) * x", &["0.7"]),
            structured("v => [s.a^2 for s in stack(v)]", &["[{a: 0.5}, {a: 0.7}]"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "histogram",
        &[
            smooth("v => v^3 * histogram(v, [0.0, 0.6, 1.0]).0", &["[0.5, 0.7]"]),
            smooth("v => histogram(v^2, 2).1", &["[0.5, 0.7, 0.9]"]),
            int("x => histogram([1, 2, 2], 2).0 * x^2", &["0.7"]),
            mixed("v => histogram(v, [0, 1]).0 * v^2", &["[0.5, 0.7]"]),
            empty("p => histogram(p.0, [0.0, 1.0]).0 + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("x => histogram([[x, 2.0], [3.0, x^2]], [0.0, x + 1, 9.0]).1 * x", &["0.7"]),
        ],
    )
    .without(&[(Class::Degenerate, "how many there are is discrete"), NUMBERS]),
];
