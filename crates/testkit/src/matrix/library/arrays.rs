//! Arrays.

use crate::matrix::row::{Class, Row, degenerate, empty, int, mixed, scalar_array, smooth, structured};

const SMOOTH: (Class, &str) = (Class::Degenerate, "it has no singular points of its own");
const NUMBERS: &str = "its elements are numbers";

pub const ROWS: &[Row] = &[
    Row::library(
        "zip",
        &[
            smooth("p => [a * b^2 for (a, b) in zip(p.0, p.1)]", &["([0.5, 0.7], [0.9, 1.1])"]),
            int("x => sum(a * b for (a, b) in zip([1, 2], [3, 4])) * x^2", &["0.7"]),
            mixed("v => sum(a * b^2 for (a, b) in zip([1, 2], v))", &["[0.5, 0.7]"]),
            empty("p => concat([a * b for (a, b) in zip(p.0, p.0)], [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("p => [a * b for (a, b) in zip(p.0, p.1)]", &["([[0.5, 0.7], [0.2, 0.3]], [0.9, 1.1])"]),
            structured(
                "p => sum(a.u * b.0^2 for (a, b) in zip(p.0, p.1))",
                &["([{u: 0.5}, {u: 0.7}], [(0.9, 1), (1.1, 2)])"],
            ),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "flatten",
        &[
            smooth("m => flatten(m)^2 * m[0, 1]", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            smooth("c => flatten(c)^2", &["[[[0.5, 0.7]], [[0.9, 1.1]]]"]),
            int("x => flatten([[1, 2], [3, 4]]) * x^2", &["0.7"]),
            int("x => reshape(flatten([[1, 2], [3, 4]]), [2, 2]) @ [x, x^2]", &["0.7"]),
            mixed("x => flatten([[1, x], [2, x^2]])", &["0.7"]),
            mixed("x => flatten({[[1, 2], [3, 4]] with [0, 1]: x^2})", &["0.7"]),
            empty("p => concat(flatten(p.0), [p.1^3])", &["(reshape(zeros(0), [0, 2]), 0.7)"]),
            scalar_array("v => flatten(v)^2", &["[0.5, 0.7]"]),
            structured("m => sum(r.a^2 for r in flatten(m))", &["[[{a: 0.5}, {a: 0.7}], [{a: 0.9}, {a: 1.1}]]"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "prod",
        &[
            smooth("prod", &["[0.5, 0.7, 0.9]"]),
            smooth("v => prod(v^2) * v[0]", &["[0.5, 0.7]"]),
            int("x => prod([2, 3]) * x^2", &["0.7"]),
            mixed("x => prod([2, x, x^2])", &["0.7"]),
            empty("p => prod(p.0) * p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("m => prod(m)", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            structured("r => prod([s.c for s in r.b]) * r.a", &["{a: 0.5, b: [{c: 0.7}, {c: 0.9}]}"]),
            degenerate("prod", &["[0.0, 0.7, 0.0, 0.9]", "[0.0, 0.7]"]),
        ],
    ),
    Row::library(
        "mean",
        &[
            smooth("v => mean(v)^2", &["[0.5, 0.7, 0.9]"]),
            int("x => mean([2, 3]) * x^2", &["0.7"]),
            mixed("x => mean([2, x, x^2])", &["0.7"]),
            empty("p => if len(p.0) == 0 { p.1^3 } else { mean(p.0) }", &["(zeros(0), 0.7)"]),
            scalar_array("m => mean(m^2) * m[0, 0]", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            structured("r => mean([s.c^2 for s in r.b]) * r.a", &["{a: 0.5, b: [{c: 0.7}, {c: 0.9}]}"]),
            degenerate("v => mean(v)^2", &["[0.0, 0.0]"]),
        ],
    ),
    Row::library(
        "min",
        &[
            smooth("v => min(v^2) * v[0]", &["[0.5, 0.7, 0.4]"]),
            smooth("p => min(p.0^2, p.1)", &["(0.5, 0.7)"]),
            int("x => min([3, 2]) * x^2 * min(2, 5)", &["0.7"]),
            mixed("x => min([2, x, x^2])", &["0.7"]),
            mixed("x => min(2, x^2) * min(x, 5)", &["0.7"]),
            empty("p => if len(p.0) == 0 { p.1^3 } else { min(p.0) }", &["(zeros(0), 0.7)"]),
            scalar_array("m => min(m)^2", &["[[0.5, 0.7], [0.4, 1.1]]"]),
            scalar_array("p => min(p.0, p.1^2)", &["(0.5, [0.7, 0.9])"]),
            structured("r => min([s.c^2 for s in r.b]) * r.a", &["{a: 0.5, b: [{c: 0.7}, {c: 0.9}]}"]),
            degenerate("min", &["[0.7, 0.5, 0.5]"]).like("v => v[1]"),
            degenerate("p => min(p.0, p.1)", &["(0.5, 0.5)"]).like("p => p.0"),
        ],
    ),
    Row::library(
        "max",
        &[
            smooth("v => max(v^2) * v[0]", &["[0.5, 0.7, 0.4]"]),
            smooth("p => max(p.0^2, p.1)", &["(0.5, 0.7)"]),
            int("x => max([3, 2]) * x^2 * max(2, 5)", &["0.7"]),
            mixed("x => max([0, x, x^2])", &["0.7"]),
            mixed("x => max(0, x^2) * max(x, -5)", &["0.7"]),
            empty("p => if len(p.0) == 0 { p.1^3 } else { max(p.0) }", &["(zeros(0), 0.7)"]),
            scalar_array("m => max(m)^2", &["[[0.5, 0.7], [0.4, 1.1]]"]),
            scalar_array("p => max(p.0, p.1^2)", &["(0.5, [0.7, 0.9])"]),
            structured("r => max([s.c^2 for s in r.b]) * r.a", &["{a: 0.5, b: [{c: 0.7}, {c: 0.9}]}"]),
            degenerate("max", &["[0.7, 0.9, 0.9]"]).like("v => v[1]"),
            degenerate("p => max(p.0, p.1)", &["(0.5, 0.5)"]).like("p => p.0"),
        ],
    ),
    Row::library(
        "any",
        &[
            smooth("v => if any(v > 0.6) { sum(v^3) } else { sum(v) }", &["[0.5, 0.7]"]),
            int("x => if any([1, 2] > 1) { x^3 } else { x }", &["0.7"]),
            mixed("v => if any(v > 1) { sum(v) } else { sum(v^3) }", &["[0.5, 0.7]"]),
            empty("p => if any(p.0 > 0.0) { p.1 } else { p.1^3 }", &["(zeros(0), 0.7)"]),
            scalar_array("x => if any([x, x^2] > x - 1.0) { x^3 } else { x }", &["0.7"]),
            structured(
                "r => if any([s.c > 0.8 for s in r.b]) { r.a^3 } else { r.a }",
                &["{a: 0.5, b: [{c: 0.7}, {c: 0.9}]}"],
            ),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "all",
        &[
            smooth("v => if all(v > 0.6) { sum(v) } else { sum(v^3) }", &["[0.5, 0.7]"]),
            int("x => if all([1, 2] > 0) { x^3 } else { x }", &["0.7"]),
            mixed("v => if all(v > 1) { sum(v) } else { sum(v^3) }", &["[0.5, 0.7]"]),
            empty("p => if all(p.0 > 0.0) { p.1^3 } else { p.1 }", &["(zeros(0), 0.7)"]),
            scalar_array("x => if all([x, x^2] > x - 1.0) { x^3 } else { x }", &["0.7"]),
            structured(
                "r => if all([s.c > 0.6 for s in r.b]) { r.a^3 } else { r.a }",
                &["{a: 0.5, b: [{c: 0.7}, {c: 0.9}]}"],
            ),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "logsumexp",
        &[
            smooth("logsumexp", &["[0.5, 0.7, -0.9]"]),
            smooth("v => logsumexp(v^2) * v[0]", &["[0.5, 0.7]"]),
            int("x => logsumexp([1, 2]) * x^2", &["0.7"]),
            mixed("x => logsumexp([1, x, x^2])", &["0.7"]),
            mixed("x => logsumexp({[1, 2] with [0]: x^2})", &["0.7"]),
            empty("p => if len(p.0) == 0 { p.1^3 } else { logsumexp(p.0) }", &["(zeros(0), 0.7)"]),
            scalar_array("logsumexp", &["[[0.5, 0.7], [0.4, 1.1]]"]),
            structured("r => logsumexp([s.c^2 for s in r.b]) * r.a", &["{a: 0.5, b: [{c: 0.7}, {c: 0.9}]}"]),
            degenerate("logsumexp", &["[0.5, 0.5]", "[0.5]"]).like("v => log(sum(exp(v)))"),
            degenerate("logsumexp", &["[-inf, 0.5]"]).like("v => v[1]"),
        ],
    ),
    Row::library(
        "softmax",
        &[
            smooth("softmax", &["[0.5, 0.7, -0.9]"]),
            smooth("v => softmax(v^2) * v[0]", &["[0.5, 0.7]"]),
            int("x => softmax([1, 2]) * x^2", &["0.7"]),
            mixed("x => softmax([1, x, x^2])", &["0.7"]),
            empty("p => if len(p.0) == 0 { p.1^3 } else { sum(softmax(p.0)) }", &["(zeros(0), 0.7)"]),
            scalar_array("softmax", &["[[0.5, 0.7], [0.4, 1.1]]"]),
            structured("r => softmax([s.c^2 for s in r.b]) * r.a", &["{a: 0.5, b: [{c: 0.7}, {c: 0.9}]}"]),
            degenerate("softmax", &["[0.5, 0.5]"]).like("v => exp(v) / sum(exp(v))"),
        ],
    ),
    Row::library(
        "gather",
        &[
            smooth("v => gather(v^2, [2, 0, 2])", &["[0.5, 0.7, 0.9]"]),
            int("x => gather([1, 2, 3], [2, 0]) * x^2", &["0.7"]),
            mixed("x => gather({[1, 2, 3] with [2]: x^2}, [2, 0])", &["0.7"]),
            mixed("p => gather(p.0, p.1)^2", &["([0.5, 0.7], [1, 1, 0])"]),
            empty("v => concat(gather(v, []), [v[0]^3])", &["[0.5, 0.7]"]),
            scalar_array("m => gather(m, [1, 1, 0])^2", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            structured("xs => sum(r.a^2 for r in gather(xs, [1, 1, 0]))", &["[{a: 0.5}, {a: 0.7}]"]),
            degenerate("v => gather(v, [0, 0])^2", &["[0.5]"]),
        ],
    ),
    Row::library(
        "sort",
        &[
            smooth("v => sort(v)^2", &["[0.9, 0.5, 0.7]"]),
            int("x => sort([3, 1, 2]) * x^2", &["0.7"]),
            mixed("x => sort([1, x, x^2])", &["0.7"]),
            empty("p => concat(sort(p.0), [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("x => sort([x, 0.5 * x, x^2])", &["0.7"]),
            structured("r => sort([s.c^2 for s in r.b]) * r.a", &["{a: 0.5, b: [{c: 0.9}, {c: 0.7}]}"]),
            degenerate("sort", &["[0.7, 0.5, 0.5]"]).like("v => [v[1], v[2], v[0]]"),
        ],
    ),
    Row::library(
        "sort_by",
        &[
            smooth("v => sort_by(x => -x^2, v)^2", &["[0.9, 0.5, 0.7]"]),
            int("x => sort_by(n => -n, [3, 1, 2]) * x^2", &["0.7"]),
            mixed("x => sort_by(y => -y, [1, x, x^2])", &["0.7"]),
            empty("p => concat(sort_by(x => -x, p.0), [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("m => sort_by(row => -row[0], m)^2", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            structured("xs => sort_by(r => -r.a, xs)[0].b^2", &["[{a: 0.5, b: 0.7}, {a: 0.9, b: 1.1}]"]),
            degenerate("v => sort_by(x => 0.0, v)^2", &["[0.7, 0.5]"]),
        ],
    ),
    Row::library(
        "dot",
        &[
            smooth("p => dot(p.0, p.1)^2", &["([0.5, 0.7], [0.9, 1.1])"]),
            int("x => dot([1, 2], [3, 4]) * x^2", &["0.7"]),
            mixed("v => dot([1, 2], v^2)", &["[0.5, 0.7]"]),
            empty("p => dot(p.0, p.0) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("p => dot(p.0, p.1)", &["([[0.5, 0.7], [0.2, 0.1]], [[0.9, 1.1], [0.3, 0.4]])"]),
            structured("r => dot([s.c for s in r.b], [r.a, r.a^2])", &["{a: 0.5, b: [{c: 0.9}, {c: 0.7}]}"]),
            degenerate("v => dot(v, v)", &["[0.0, 0.0]"]),
        ],
    ),
    Row::library(
        "outer",
        &[
            smooth("p => outer(p.0, p.1)^2", &["([0.5, 0.7], [0.9, 1.1, 0.3])"]),
            int("x => outer([1, 2], [3, 4]) * x^2", &["0.7"]),
            mixed("v => outer([1, 2], v^2)", &["[0.5, 0.7]"]),
            mixed("v => outer(v^2, [1, 2])", &["[0.5, 0.7]"]),
            mixed("p => outer(p.0, p.1)", &["([1, 2], [0.5, 0.7])"]),
            empty("p => concat(flatten(outer(p.0, [p.1])), [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("x => outer([x], [x, x^2])", &["0.7"]),
            structured("r => outer([s.c for s in r.b], [r.a, r.a^2])", &["{a: 0.5, b: [{c: 0.9}, {c: 0.7}]}"]),
            degenerate("v => outer(v, v)", &["[0.0, 0.0]"]),
        ],
    ),
    Row::library(
        "norm",
        &[
            smooth("norm", &["[0.5, -0.7, 0.9]", "[3.0]"]),
            smooth("v => norm(v^2) * v[0]", &["[0.5, 0.7]"]),
            int("x => norm([3, 4]) * x^2", &["0.7"]),
            mixed("x => norm([1, x, x^2])", &["0.7"]),
            mixed("x => norm({[3, 4] with [0]: x^2})", &["0.7"]),
            empty("p => norm(p.0) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("norm", &["[[0.5, 0.7], [0.4, 1.1]]"]),
            structured("r => norm([s.c^2 for s in r.b]) * r.a", &["{a: 0.5, b: [{c: 0.7}, {c: 0.9}]}"]),
            degenerate("norm", &["[0.5, 0.5]", "[0.5, 0.0]"]).like("v => sqrt(sum(v^2))"),
            degenerate("norm", &["[0.0, 0.0]"]).at_most("v => 0.0 * sum(v)"),
            degenerate("v => norm(v)^2", &["[0.0, 0.0]"]).at_most("v => sum(v^2)"),
        ],
    ),
    Row::library(
        "diag",
        &[
            smooth("v => diag(v^2)", &["[0.5, 0.7]"]),
            smooth("m => diag(m)^2", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            int("x => diag([1, 2]) * x^2", &["0.7"]),
            int("x => diag([[1, 2], [3, 4]]) * x^2", &["0.7"]),
            mixed("x => diag([1, x^2])", &["0.7"]),
            mixed("x => diag({[[1, 2], [3, 4]] with [1, 1]: x^2})", &["0.7"]),
            empty("p => concat(flatten(diag(p.0)), [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("m => diag(m)^2", &["[[0.5, 0.7, 0.2], [0.9, 1.1, 0.1]]"]),
            structured("r => diag([s.c^2 for s in r.b]) * r.a", &["{a: 0.5, b: [{c: 0.7}, {c: 0.9}]}"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "cumsum",
        &[
            smooth("v => cumsum(v^2)", &["[0.5, 0.7, 0.9]"]),
            int("x => cumsum([1, 2]) * x^2", &["0.7"]),
            mixed("x => cumsum([1, x, x^2])", &["0.7"]),
            empty("p => concat(cumsum(p.0), [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("x => cumsum([x, x^2])", &["0.7"]),
            structured("r => cumsum([s.c^2 for s in r.b]) * r.a", &["{a: 0.5, b: [{c: 0.7}, {c: 0.9}]}"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "linspace",
        &[
            smooth("p => linspace(p.0^2, p.1, 3)", &["(0.5, 0.7)"]),
            int("x => linspace(1, 3, 3) * x^2", &["0.7"]),
            mixed("x => linspace(1, x^2, 3)", &["0.7"]),
            mixed("x => linspace(x^2, 2, 1)", &["0.7"]),
            empty("x => concat(linspace(x, 2.0, 0), [x^3])", &["0.7"]),
            scalar_array("x => linspace(x, x^2, 4) * x", &["0.7"]),
            structured("r => linspace(r.a, r.b.0^2, 3)", &["{a: 0.5, b: (0.7, 1)}"]),
            degenerate("x => linspace(x, x, 2)", &["0.7"]),
        ],
    ),
    Row::library(
        "zeros",
        &[
            smooth("x => {zeros(2) with [1]: x^3}", &["0.7"]),
            int("x => (zeros(2) + [1, 2]) * x^2", &["0.7"]),
            mixed("p => (zeros(p.0) + p.1)^2", &["(2, 0.7)"]),
            empty("x => concat(zeros(0), [x^3])", &["0.7"]),
            scalar_array("x => (zeros(2) + x)^2", &["0.7"]),
            degenerate("x => x^2 * zeros(2)", &["0.0"]),
        ],
    )
    .without(&[(Class::Structured, NUMBERS)]),
    Row::library(
        "ones",
        &[
            smooth("x => {ones(2) with [1]: x^3}", &["0.7"]),
            int("x => (ones(2) + [1, 2]) * x^2", &["0.7"]),
            mixed("p => (ones(p.0) + p.1)^2", &["(2, 0.7)"]),
            empty("x => concat(ones(0), [x^3])", &["0.7"]),
            scalar_array("x => (ones(2) * x)^2", &["0.7"]),
            degenerate("x => x^2 * ones(2)", &["0.0"]),
        ],
    )
    .without(&[(Class::Structured, NUMBERS)]),
];
