//! Solvers without matrices, integrals, differential equations, loops that remember less.

use crate::matrix::row::{Class, Row, empty, int, mixed, smooth, structured};

const SMOOTH: (Class, &str) = (Class::Degenerate, "it has no singular points of its own");
const ARRAYS: &str = "it solves for an array of reals";
const NUMBERS: &str = "it integrates functions of numbers";
const STATES: &str = "its state is a number or an array, which go the same way";

const OF_ARRAYS: &[(Class, &str)] = &[
    SMOOTH,
    (Class::Int, ARRAYS),
    (Class::Mixed, ARRAYS),
    (Class::Empty, ARRAYS),
    (Class::ScalarArray, ARRAYS),
    (Class::Structured, ARRAYS),
];
const OF_NUMBERS: &[(Class, &str)] = &[
    SMOOTH,
    (Class::Int, NUMBERS),
    (Class::Mixed, NUMBERS),
    (Class::Empty, NUMBERS),
    (Class::ScalarArray, NUMBERS),
    (Class::Structured, NUMBERS),
];
const OF_STATES: &[(Class, &str)] = &[
    SMOOTH,
    (Class::Int, STATES),
    (Class::Mixed, STATES),
    (Class::Empty, STATES),
    (Class::ScalarArray, STATES),
    (Class::Structured, STATES),
];

pub const ROWS: &[Row] = &[
    Row::library(
        "conjugate_gradients",
        &[
            smooth("a => conjugate_gradients(x => [a * x[0] + x[1], x[0] + 3 * x[1]])([1.0, 2.0])", &["4.0"]),
            smooth("b => conjugate_gradients(x => [2.0, 4.0] * x)(b^2)", &["[0.5, 0.7]"]),
        ],
    )
    .without(OF_ARRAYS),
    Row::library(
        "gmres",
        &[
            smooth("a => gmres(x => [a * x[0] + x[1], 2 * x[1]])([4.0, 2.0])", &["3.0"]),
            smooth("b => gmres(x => [3 * x[0] + x[1], 2 * x[1]])(b^2)", &["[0.5, 0.7]"]),
        ],
    )
    .without(OF_ARRAYS),
    Row::library(
        "quad",
        &[
            smooth("a => quad(x => sin(a * x), 0.0, 1.0)", &["0.7"]),
            smooth("p => quad(x => x^3, p.0, p.1)", &["(0.5, 0.7)"]),
        ],
    )
    .without(OF_NUMBERS),
    // The method is exact for these polynomials.
    Row::library(
        "odeint",
        &[smooth("k => odeint((t, x) => k^2 * t^3 + 0 * x, 0.0, 0.2)(1.0)", &["0.7"]).like("k => 1 + k^2 * 0.0004")],
    )
    .without(OF_STATES),
    Row::library(
        "odeint_by",
        &[smooth("p => odeint_by(1e-4, (t, x) => p.0^2 * [t, 1.0], 0.0, 0.5)([p.1^2, 1.0])", &["(0.5, 0.7)"])
            .like("p => [p.1^2 + p.0^2 * 0.125, 1.0 + p.0^2 * 0.5]")],
    )
    .without(OF_STATES),
    Row::library("odeint_fixed", &[smooth("p => odeint_fixed(6, (t, x) => p.0 * x, 0.0, p.1)(p.0)", &["(0.5, 0.7)"])])
        .without(OF_STATES),
    Row::library(
        "odeint_adjoint",
        &[smooth("k => odeint_adjoint((t, x) => k^2 * t^3 + 0 * x, 0.0, 0.2)(1.0)", &["0.7"])
            .like("k => 1 + k^2 * 0.0004")],
    )
    .without(OF_STATES),
    Row::library(
        "odeint_until",
        &[smooth("h => odeint_until((t, x) => x[0], (t, x) => [x[1], -9.81], 0.0, 4.0)([h, 0.0]).0", &["0.7"])
            .like("h => sqrt(2 * h / 9.81)")],
    )
    .without(OF_STATES),
    Row::library(
        "checkpointed_fold",
        &[
            smooth("a => checkpointed_fold((s, x) => sin(s * a) + x, a, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])", &["0.7"]),
            smooth("xs => checkpointed_fold((s, x) => sin(s) * x, 0.5, xs)", &["[0.5, 0.7, 0.2, 0.3, 0.9]"]),
            int("a => checkpointed_fold((s, n) => s * a + n, a, [1, 2, 3, 4, 5])", &["0.7"]),
            mixed("a => checkpointed_fold((s, n) => (s.0 + n, s.1 * a), (0, a), [1, 2, 3, 4, 5]).1", &["0.7"]),
            empty("p => checkpointed_fold((s, x) => s * x, p.1^2, p.0)", &["(zeros(0), 0.7)"]),
            structured(
                "r => checkpointed_fold((s, x) => {a: s.a * x, b: s.a}, r, [0.5, 0.6, 0.7, 0.8, 0.9]).a",
                &["{a: 0.5, b: 0.7}"],
            ),
        ],
    )
    .without(&[SMOOTH, (Class::ScalarArray, STATES)]),
    Row::library(
        "checkpointed_fold_by_blocks",
        &[
            smooth(
                "a => checkpointed_fold_by_blocks((s, x) => sin(s * a) + x, a, [0.1, 0.2, 0.3, 0.4, 0.5])",
                &["0.7"],
            ),
            smooth("xs => checkpointed_fold_by_blocks((s, x) => sin(s) * x, 0.5, xs)", &["[0.5, 0.7, 0.2, 0.3, 0.9]"]),
            int("a => checkpointed_fold_by_blocks((s, n) => s * a + n, a, [1, 2, 3, 4, 5])", &["0.7"]),
            mixed("a => checkpointed_fold_by_blocks((s, n) => (s.0 + n, s.1 * a), (0, a), [1, 2, 3]).1", &["0.7"]),
            empty("p => checkpointed_fold_by_blocks((s, x) => s * x, p.1^2, p.0)", &["(zeros(0), 0.7)"]),
            structured(
                "r => checkpointed_fold_by_blocks((s, x) => {a: s.a * x, b: s.a}, r, [0.5, 0.6, 0.7]).a",
                &["{a: 0.5, b: 0.7}"],
            ),
        ],
    )
    .without(&[SMOOTH, (Class::ScalarArray, STATES)]),
    Row::library(
        "checkpointed_iterate_by_halves",
        &[
            smooth("a => checkpointed_iterate_by_halves(6, x => sin(a * x), a)", &["0.7"]),
            mixed("p => checkpointed_iterate_by_halves(p.0, x => x * p.1, p.1)", &["(5, 0.7)"]),
            structured(
                "r => checkpointed_iterate_by_halves(5, s => {a: s.a * s.b, b: s.b}, r).a",
                &["{a: 0.5, b: 0.7}"],
            ),
        ],
    )
    .without(&[SMOOTH, (Class::Int, STATES), (Class::Empty, STATES), (Class::ScalarArray, STATES)]),
    Row::library(
        "checkpointed_iterate",
        &[
            smooth("a => checkpointed_iterate(5, x => sin(a * x), a)", &["0.7"]),
            mixed("p => checkpointed_iterate(p.0, x => x * p.1, p.1)", &["(5, 0.7)"]),
            structured("r => checkpointed_iterate(5, s => {a: s.a * s.b, b: s.b}, r).a", &["{a: 0.5, b: 0.7}"]),
        ],
    )
    .without(&[SMOOTH, (Class::Int, STATES), (Class::Empty, STATES), (Class::ScalarArray, STATES)]),
    Row::library(
        "reversible_iterate",
        &[
            smooth("a => reversible_iterate(4, x => a * x, x => x / a)(a)", &["0.7"]),
            mixed("p => reversible_iterate(p.0, x => x * p.1, x => x / p.1)(p.1)", &["(5, 0.7)"]),
            structured(
                "r => reversible_iterate(3, s => (s.0 + r.a * s.1, s.1), s => (s.0 - r.a * s.1, s.1))((r.b, r.a)).0",
                &["{a: 0.5, b: 0.7}"],
            ),
        ],
    )
    .without(&[SMOOTH, (Class::Int, STATES), (Class::Empty, STATES), (Class::ScalarArray, STATES)]),
    Row::library(
        "minimum_on",
        &[smooth("s => minimum_on(x => x[0]^2 + 2 * x[1]^2, x => sum(x) - s^2)([0.0, 1.0])", &["0.7"])
            .like("s => [2 * s^2 / 3, s^2 / 3]")],
    )
    .without(OF_ARRAYS),
];
