//! Optimisers, whose steps are differentiated as they are taken; minima and roots, of which the place is.

use crate::matrix::row::{Class, Row, empty, int, mixed, scalar_array, smooth, structured};

const SMOOTH: (Class, &str) =
    (Class::Degenerate, "where the method stops is up to its tolerance, not to its derivative");
const STARTED: (Class, &str) = (Class::Int, "it starts at reals: an int is refused (E0403)");

const LIKE_LBFGS: &[(Class, &str)] = &[
    SMOOTH,
    STARTED,
    (Class::Mixed, AS_LBFGS),
    (Class::Empty, AS_LBFGS),
    (Class::ScalarArray, AS_LBFGS),
    (Class::Structured, AS_LBFGS),
];
const AS_LBFGS: &str = "it takes structures apart as `lbfgs` does";
const LIKE_ROOT: &[(Class, &str)] = &[
    SMOOTH,
    (Class::Int, AS_ROOT),
    (Class::Mixed, AS_ROOT),
    (Class::Empty, AS_ROOT),
    (Class::ScalarArray, AS_ROOT),
    (Class::Structured, AS_ROOT),
];
const AS_ROOT: &str = "`root` is the same with another solver";

/// An optimiser that is given as this expression, of x: a few steps, before it decides to stop.
macro_rules! by_steps {
    ($name:literal, $optimiser:literal) => {
        Row::library(
            $name,
            &[
                smooth(concat!("x => optimise(", $optimiser, ", 3, y => (y - x)^2 + y^4, 0.1)"), &["0.7"]),
                mixed(
                    concat!("p => optimise({ let x = p.1; ", $optimiser, " }, p.0, y => (y - p.1)^2, 0.1)"),
                    &["(2, 0.7)"],
                ),
                empty(
                    concat!("p => optimise({ let x = p.1; ", $optimiser, " }, 2, r => (r.0 - p.1)^2, (0.1, p.0)).0"),
                    &["(zeros(0), 0.7)"],
                ),
                scalar_array(concat!("x => optimise(", $optimiser, ", 2, v => sum((v - x)^2), [0.1, 0.3])"), &["0.7"]),
                structured(
                    concat!(
                        "s => ravel(optimise({ let x = s.a; ",
                        $optimiser,
                        " }, 2, r => (r.u - s.a)^2 + r.v.0^2 * s.b.0, {u: 0.1, v: (0.2, 1)}))"
                    ),
                    &["{a: 0.5, b: (0.7, 1)}"],
                ),
            ],
        )
        .without(&[SMOOTH, STARTED])
    };
}

pub const ROWS: &[Row] = &[
    by_steps!("gradient_descent", "gradient_descent(0.1 * x)"),
    by_steps!("momentum", "momentum(0.1 * x, 0.5)"),
    by_steps!("adam", "adam(0.1 * x)"),
    by_steps!("adam_with", "adam_with({rate: 0.1 * x, kept: 0.9, kept_squares: 0.99, epsilon: 1e-8})"),
    by_steps!("lbfgs", "lbfgs(3)"),
    by_steps!("optimise", "gradient_descent(0.2)"),
    Row::library(
        "line_search",
        &[smooth("x => line_search(y => (y - x)^2, {x: 0.0, value: x^2, gradient: -2 * x}, 2 * x).x", &["0.7"])],
    )
    .without(LIKE_LBFGS),
    Row::library(
        "newton",
        &[smooth("x => minimise_by(newton, {steps: 2, tolerance: 0.0}, y => exp(y) - x * y, 0.3).x", &["0.7"])],
    )
    .without(LIKE_LBFGS),
    Row::library(
        "levenberg_marquardt",
        &[smooth(
            "x => minimise_by(levenberg_marquardt, {steps: 2, tolerance: 0.0}, y => (exp(y) - x, y), 0.3).x",
            &["0.7"],
        )],
    )
    .without(LIKE_LBFGS),
    Row::library(
        "minimise_by",
        &[smooth(
            "x => minimise_by(gradient_descent(0.1 * x), {steps: 3, tolerance: 0.0}, y => y^4 - x * y, 0.3).x",
            &["0.7"],
        )],
    )
    .without(LIKE_LBFGS),
    Row::library(
        "minimum_at",
        &[
            smooth("a => minimum_at(x => exp(x) - a * x)(0.0)", &["1.7"]).like("a => log(a)"),
            int("a => minimum_at(x => exp(x) - 2 * a * x)(0.0)", &["1.7"]).like("a => log(2 * a)"),
            mixed("p => minimum_at(x => (x - p.0 * p.1^2)^2)(0.0)", &["(2, 0.7)"]).like("p => p.0 * p.1^2"),
            empty("p => minimum_at(x => (x - p.1^3)^2 + sum(p.0))(0.0)", &["(zeros(0), 0.7)"]).like("p => p.1^3"),
            scalar_array("a => minimum_at(v => sum(exp(v) - a * v))([0.0, 0.1])", &["1.7"])
                .like("a => [log(a), log(a)]"),
            structured(
                "s => ravel(minimum_at(r => (r.u - s.a^2)^2 + (r.v.0 - s.b.0)^2)({u: 0.0, v: (0.0, 1)}))",
                &["{a: 0.5, b: (0.7, 1)}"],
            )
            .like("s => [s.a^2, s.b.0]"),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "root",
        &[
            smooth("a => root(x => x^3 - a)(1.0)", &["1.7"]).like("a => cbrt(a)"),
            int("a => root(x => x^3 - 8 * a)(1.0)", &["1.7"]).like("a => 2 * cbrt(a)"),
            mixed("p => root(x => x - p.0 * p.1^2)(0.0)", &["(2, 0.7)"]).like("p => p.0 * p.1^2"),
            empty("p => root(x => x - p.1^3 + sum(p.0))(0.0)", &["(zeros(0), 0.7)"]).like("p => p.1^3"),
            scalar_array("a => root(v => v^3 - a)([1.0, 1.1])", &["1.7"]).like("a => [cbrt(a), cbrt(a)]"),
            structured(
                "s => ravel(root(r => {u: r.u - s.a^2, v: (r.v.0 * r.u - s.b.0, 1)})({u: 0.3, v: (0.3, 1)}))",
                &["{a: 0.5, b: (0.7, 1)}"],
            )
            .like("s => [s.a^2, s.b.0 / s.a^2]"),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "root_by",
        &[smooth("a => root_by((f, x0) => iterate(60, x => x - f(x) / 4, x0), x => x^2 - a)(1.0)", &["4.0"])
            .like("a => sqrt(a)")],
    )
    .without(LIKE_ROOT),
];
