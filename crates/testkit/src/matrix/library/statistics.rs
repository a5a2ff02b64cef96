//! Statistics of samples, and the functions of arrays that rearrange them.

use crate::matrix::row::{Class, Row, degenerate, empty, int, mixed, scalar_array, smooth, structured};

const SMOOTH: (Class, &str) = (Class::Degenerate, "it has no singular points of its own");
const NUMBERS: (Class, &str) = (Class::Structured, "it takes arrays of numbers");
const SOME: (Class, &str) = (Class::Empty, "it needs elements: none is an error (E0321)");

pub const ROWS: &[Row] = &[
    Row::library(
        "full",
        &[
            smooth("x => full([2, 2], x^3)", &["0.7"]),
            int("x => full(2, 3) * x^2", &["0.7"]),
            mixed("p => full(p.0, p.1^2)", &["(2, 0.7)"]),
            empty("x => concat(full(0, x), [x^3])", &["0.7"]),
            scalar_array("v => full(2, v^2)", &["[0.5, 0.7]"]),
            structured("r => [s.a^2 for s in full(2, r)]", &["{a: 0.5, b: (0.7, 1)}"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "repeat",
        &[
            smooth("v => repeat(v, 2)^3", &["[0.5, 0.7]"]),
            smooth("m => repeat(m, 2, 1)^3", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            int("x => repeat([1, 2], 2) * x^2", &["0.7"]),
            mixed("p => repeat([p.1^2], p.0)", &["(2, 0.7)"]),
            empty("p => concat(repeat(p.0, 2), [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("x => repeat([x, 2.0], 2) * x", &["0.7"]),
            structured("v => [s.0 * s.1 for s in repeat(v, 2)]", &["[(0.5, 0.7), (0.9, 1.1)]"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "roll",
        &[
            smooth("v => roll(v, 1) * v^2", &["[0.5, 0.7, 0.9]"]),
            smooth("m => roll(m, 1, 1) * m^2", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            int("x => roll([1, 2], 1) * x^2", &["0.7"]),
            mixed("p => roll([p.1^2, 1.0, 2.0], p.0) * p.1", &["(2, 0.7)"]),
            empty("p => concat(roll(p.0, 1), [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("x => roll([x, 2.0], 1) * x", &["0.7"]),
            structured("v => [s.0 * s.1 for s in roll(v, 1)]", &["[(0.5, 0.7), (0.9, 1.1)]"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "pad",
        &[
            smooth("v => pad(v, 1, 2, v[0]^2)^2", &["[0.5, 0.7]"]),
            smooth("m => pad(pad(m, 0, 1, m[0, 1]^2, 1), 1, 0, m[1, 0])^2", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            int("x => pad([1, 2], 1, 1, 0) * x^2", &["0.7"]),
            mixed("p => pad([p.1^3], p.0, 1, 1.0) * p.1", &["(2, 0.7)"]),
            empty("p => pad(p.0, 1, 1, p.1^3)", &["(zeros(0), 0.7)"]),
            scalar_array("x => pad([1.0, 2.0], 1, 1, x) * x", &["0.7"]),
            structured("v => [s.0 * s.1 for s in pad(v, 1, 0, v[1])]", &["[(0.5, 0.7), (0.9, 1.1)]"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "split_at",
        &[
            smooth("v => { let (a, b) = split_at(v, 1); concat(b^2, a^3) }", &["[0.5, 0.7, 0.9]"]),
            smooth("m => { let (a, b) = split_at(m, 1, 1); a^2 * b^3 }", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            int("x => split_at([1, 2], 1).1 * x^2", &["0.7"]),
            mixed("p => split_at([1.0, 2.0, p.1^3], p.0).1", &["(2, 0.7)"]),
            empty("p => concat(split_at(p.0, 0).0, [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("x => split_at([x, 2.0], 1).0 * x", &["0.7"]),
            structured("v => [s.0 * s.1 for s in split_at(v, 1).1]", &["[(0.5, 0.7), (0.9, 1.1)]"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "unique",
        &[
            smooth("v => unique(v)^3", &["[0.9, 0.5, 0.7]"]).like("v => [v[1]^3, v[2]^3, v[0]^3]"),
            int("x => unique([2, 1, 2]) * x^2", &["0.7"]),
            mixed("x => unique([2, x^2])", &["0.7"]).like("x => [x^2, 2.0]"),
            empty("p => concat(unique(p.0), [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("x => unique([x, 2.0]) * x", &["0.7"]).like("x => [x^2, 2 * x]"),
            degenerate("v => unique(v)^3", &["[0.5, 0.5]"]).at_most("v => [v[0]^3]"),
        ],
    )
    .without(&[NUMBERS]),
    Row::library(
        "conv",
        &[
            smooth("p => conv(p.0, p.1)", &["([0.5, 0.7], [0.9, 1.1, 0.2])"]),
            int("x => conv([1, 2], [3, 4]) * x^2", &["0.7"]),
            mixed("p => conv([p.0, 1], [p.1^2, 2.0])", &["(2, 0.7)"]),
            scalar_array("x => conv([x], [x, 2.0])", &["0.7"]),
        ],
    )
    .without(&[SMOOTH, NUMBERS, SOME]),
    Row::library(
        "var",
        &[
            smooth("v => var(v)", &["[0.5, 0.7, 1.2]"]),
            int("x => var([1, 2, 4]) * x^2", &["0.7"]),
            mixed("p => var([p.1^2, 2.0]) * p.0", &["(2, 0.7)"]),
            scalar_array("m => var(m)", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            degenerate("v => var(v)", &["[0.5, 0.5]"]),
        ],
    )
    .without(&[NUMBERS, SOME]),
    Row::library(
        "std",
        &[
            smooth("v => std(v)", &["[0.5, 0.7, 1.2]"]),
            int("x => std([1, 2, 4]) * x^2", &["0.7"]),
            mixed("p => std([p.1^2, 2.0]) * p.0", &["(2, 0.7)"]),
            scalar_array("m => std(m)", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            degenerate("v => std(v)", &["[0.5, 0.5]"]).no_number(),
        ],
    )
    .without(&[NUMBERS, SOME]),
    Row::library(
        "cov",
        &[
            smooth("m => cov(m)", &["[[0.5, 0.7, 1.2], [0.9, 1.1, 0.2]]"]),
            int("x => cov([[1, 2, 4], [3, 1, 1]]) * x^2", &["0.7"]),
            mixed("p => cov([[p.1^2, 2.0], [1.0, p.1]]) * p.0", &["(2, 0.7)"]),
            scalar_array("x => cov([[x, 2.0], [1.0, x^2]])", &["0.7"]),
            degenerate("m => cov(m)", &["[[0.5, 0.5], [0.5, 0.5]]"]),
        ],
    )
    .without(&[NUMBERS, SOME]),
    Row::library(
        "quantile",
        &[
            smooth("v => quantile(v, 0.3)", &["[1.2, 0.5, 0.7]"]),
            smooth("q => quantile([1.2, 0.5, 0.7], q)^2", &["0.3"]),
            int("x => quantile([4, 1, 2], 0.3) * x^2", &["0.7"]),
            mixed("p => quantile([p.1^2, 2.0], 0.3) * p.0", &["(2, 0.7)"]),
            scalar_array("q => quantile([1.2, 0.5, 0.7], [q^2, q])", &["0.7"]),
            degenerate("v => quantile(v, 0.5)", &["[0.5]"]),
        ],
    )
    .without(&[NUMBERS, SOME]),
    Row::library(
        "median",
        &[
            smooth("v => median(v)^2", &["[1.2, 0.5, 0.7]", "[1.2, 0.5]"]),
            int("x => median([4, 1, 2]) * x^2", &["0.7"]),
            mixed("p => median([p.1^2, 2.0]) * p.0", &["(2, 0.7)"]),
            scalar_array("m => median(m)^2", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            degenerate("v => median(v)", &["[0.5]"]),
        ],
    )
    .without(&[NUMBERS, SOME]),
    Row::library(
        "searchsorted",
        &[
            smooth("x => x^3 * searchsorted([0.1, 0.5, 0.9], x)", &["0.7"]),
            int("x => searchsorted([1, 2, 4], 3) * x^2", &["0.7"]),
            mixed("p => searchsorted([1.0, 2.5, 4.0], p.0) * p.1^2", &["(3, 0.7)"]),
            empty("p => searchsorted(p.0, 0.5) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("v => searchsorted([0.1, 0.6], v) * v^2", &["[0.5, 0.7]"]),
        ],
    )
    .without(&[NUMBERS, (Class::Degenerate, "it is constant between the elements, and no number at them")]),
    Row::library(
        "interp",
        &[
            smooth("x => interp(x, [0.0, 1.0, 2.0], [0.5, 0.7, 3.0])^2", &["0.7", "1.3", "5.0"]),
            smooth("p => interp(0.7, p.0, p.1)", &["([0.0, 1.0, 2.0], [0.5, 0.7, 3.0])"]),
            int("x => interp(1, [0.5, 2.0], [1.0, 5.0]) * x^2", &["0.7"]),
            mixed("p => interp(p.1, [0, 1, 2], [0, p.0, 7])^2", &["(2, 0.7)"]),
            scalar_array("v => interp(v, [0.0, 1.0, 2.0], [0.5, 0.7, 3.0])^2", &["[0.5, 1.7]"]),
            degenerate("x => interp(x, [0.0, 1.0, 2.0], [0.0, 1.0, 5.0])", &["1.0"]).like("x => x"),
        ],
    )
    .without(&[NUMBERS, SOME]),
];
