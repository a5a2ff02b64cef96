//! Linear algebra.

use calculus::Prim;

use super::row::{Row, degenerate, empty, int, mixed, scalar_array, smooth, structured};

pub const ROWS: &[Row] = &[
    Row::other(
        Prim::MatMul,
        &[
            smooth("p => weigh(p.0 @ p.1)^2", &["([[2.0, 3.0], [5.0, 7.0]], [[0.5, 1.0, 2.0], [1.5, 0.2, 0.1]])"]),
            smooth("p => weigh(p.0 @ p.1)^2", &["([[2.0, 3.0], [5.0, 7.0]], [0.5, 1.0])"]),
            smooth("p => weigh(p.0 @ p.1)^2", &["([0.5, 1.0], [[2.0, 3.0], [5.0, 7.0]])"]),
            smooth("p => (p.0 @ p.1)^2", &["([0.5, 1.0], [2.0, 3.0])"]),
            smooth("a => weigh(a @ a @ a)", &["[[0.2, 0.3], [0.5, 0.7]]"]),
        ],
        &[("[] @ []", "0.0"), ("grad(v => v @ v)([1.0, 2.0])", "[2.0, 4.0]")],
    ).with(&[
        int("x => ([[1, 2], [3, 4]] @ [5, 6]) * x^2", &["0.7"]),
        mixed("x => [[1, 2], [3, 4]] @ [x, x^2]", &["0.7"]),
        mixed("x => [x, x^2] @ [[1, 2], [3, 4]]", &["0.7"]),
        mixed("x => [1, 2] @ [x, x^2]", &["0.7"]),
        mixed("m => m @ [[1, 2], [3, 4]]", &["[[0.5, 0.7], [0.9, 1.1]]"]),
        mixed("p => p.0 @ p.1", &["([[1, 2], [3, 4]], [0.5, 0.7])", "([0.5, 0.7], [1, 2])"]),
        empty("p => p.0 @ p.0 + p.1^3", &["(zeros(0), 0.7)"]),
        empty("p => concat(p.0 @ [p.1, 1.0], [p.1^3])", &["(reshape(zeros(0), [0, 2]), 0.7)"]),
        scalar_array("x => [[x]] @ [[x, x^2]]", &["0.7"]),
        structured("r => [[r.a, 1.0], [2.0, r.b.0]] @ [r.a, r.b.0^2]", &["{a: 0.5, b: (0.7, 1)}"]),
        degenerate("p => p.0 @ p.1", &["([[0.0, 0.0], [0.0, 0.0]], [0.0, 0.0])"]),
    ]),
    Row::other(
        Prim::Cholesky,
        &[smooth("a => weigh(cholesky(a @ transpose(a)))", &["[[2.0, 0.3], [0.5, 1.7]]"])],
        &[("cholesky([[4.0]])", "[[2.0]]"), ("grad(a => sum(cholesky(a)))([[4.0]])", "[[0.25]]")],
    ).with(&[
        smooth("v => cholesky([[v[0], v[1]], [v[1], v[2]]])", &["[2.0, 0.3, 1.7]"]),
        smooth("cholesky", &["[[2.0, 0.9], [0.1, 1.0]]"]),
        int("x => cholesky([[2, 1], [1, 2]]) * x^2", &["0.7"]),
        mixed("x => cholesky([[2, 1], [1, 2 + x^2]])", &["0.7"]),
        empty("x => concat(flatten(cholesky(eye(0))), [x^3])", &["0.7"]),
        scalar_array("x => cholesky([[x]])", &["0.7"]),
        structured("r => cholesky([[r.a, 0.1], [0.1, r.b.0^2]])", &["{a: 1.5, b: (0.7, 1)}"]),
        degenerate("v => cholesky([[v[0], 0.0], [0.0, v[1]]])", &["[1.0, 1.0]"]).like("v => [[sqrt(v[0]), 0.0], [0.0, sqrt(v[1])]]"),
    ]),
    Row::other(
        Prim::Solve,
        &[
            smooth("p => weigh(solve(p.0, p.1))", &["([[2.0, 0.3], [0.5, 1.7]], [1.0, 2.0])"]),
            smooth("p => weigh(solve(p.0, p.1))", &["([[2.0, 0.3], [0.5, 1.7]], [[1.0, 2.0, 0.5], [0.3, 0.1, 0.2]])"]),
        ],
        &[("solve([[2.0]], [4.0])", "[2.0]")],
    ).with(&[
        int("x => solve([[2, 1], [1, 3]], [1, 2]) * x^2", &["0.7"]),
        mixed("x => solve([[2, 1], [1, 3]], [x^2, 2.0])", &["0.7"]),
        mixed("x => solve([[2.0, x], [1.0, 3.0]], [1, 2])", &["0.7"]),
        mixed("p => solve(p.0, p.1)", &["([[2, 1], [1, 3]], [0.5, 0.7])", "([[2.0, 0.3], [0.5, 1.7]], [1, 2])"]),
        empty("p => concat(solve(eye(0), p.0), [p.1^3])", &["(zeros(0), 0.7)"]),
        scalar_array("x => solve([[x]], [x^3])", &["0.7"]),
        structured("r => solve([[r.a, 0.1], [0.2, r.b.0^2]], [r.a, 1.0])", &["{a: 1.5, b: (0.7, 1)}"]),
        degenerate("v => solve([[0.0, v[0]], [v[1], 0.0]], v)", &["[1.0, 2.0]"]).like("v => [v[1] / v[1], v[0] / v[0]]"),
    ]),
    Row::other(
        Prim::SolveLower,
        &[
            smooth("p => weigh(solve_lower(p.0, p.1))", &["([[2.0, 0.3], [0.5, 1.7]], [1.0, 2.0])"]),
            smooth("p => weigh(solve_lower(p.0, p.1))", &["([[2.0, 0.0], [0.5, 1.7]], [[1.0, 2.0], [0.3, 0.1]])"]),
        ],
        &[("solve_lower([[2.0, 99.0], [0.0, 1.0]], [4.0, 1.0])", "[2.0, 1.0]")],
    ).with(&[
        int("x => solve_lower([[2, 0], [1, 3]], [1, 2]) * x^2", &["0.7"]),
        mixed("x => solve_lower([[2, 0], [1, 3]], [x^2, 2.0])", &["0.7"]),
        mixed("x => solve_lower([[2.0, 0.0], [x, 3.0]], [1, 2])", &["0.7"]),
        empty("p => concat(solve_lower(eye(0), p.0), [p.1^3])", &["(zeros(0), 0.7)"]),
        scalar_array("x => solve_lower([[x]], [x^3])", &["0.7"]),
        structured("r => solve_lower([[r.a, 0.1], [0.2, r.b.0^2]], [r.a, 1.0])", &["{a: 1.5, b: (0.7, 1)}"]),
        degenerate("p => solve_lower(p.0, p.1)", &["([[0.0, 0.0], [1.0, 1.0]], [1.0, 1.0])"]).no_number(),
    ]),
    Row::other(
        Prim::Det,
        &[
            smooth("det", &["[[2.0, 0.3], [0.5, 1.7]]"]),
            smooth("a => det(a)^2", &["[[2.0, 0.3, 0.1], [0.5, 1.7, 0.2], [0.4, 0.1, 0.9]]"]),
        ],
        &[
            ("grad(det)([[1.0, 2.0], [2.0, 4.0]])", "[[4.0, -2.0], [-2.0, 1.0]]"),
            ("grad(det)([[0.0]])", "[[1.0]]"),
            ("grad(a => grad(det)(a)[0, 0])([[1.0, 2.0], [2.0, 4.0]])", "[[0.0, 0.0], [0.0, 1.0]]"),
        ],
    ).with(&[
        int("x => det([[2, 1], [1, 3]]) * x^2", &["0.7"]),
        mixed("x => det([[2, 1], [1, x^2]])", &["0.7"]),
        empty("x => det(eye(0)) + x^3", &["0.7"]),
        scalar_array("x => det([[x]]) * det(eye(3) * x)", &["0.7"]),
        structured("r => det([[r.a, 0.1], [0.2, r.b.0^2]])", &["{a: 1.5, b: (0.7, 1)}"]),
        degenerate("det", &[
            "[[1.0, 2.0], [2.0, 4.0]]",
            "[[0.0, 0.0], [0.0, 0.0]]",
            "[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]",
            "[[1.0, 2.0], [2.0, 4.000000001]]",
            "[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]",
        ]),
    ]),
    Row::other(
        Prim::DetSlope,
        &[
            smooth("a => weigh(det_slope(a, [a]))", &["[[2.0, 0.3, 0.1], [0.5, 1.7, 0.2], [0.4, 0.1, 0.9]]"]),
            smooth("a => weigh(det_slope(a, []))^2", &["[[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 1.0, 1.0]]"]),
        ],
        &[
            ("det_slope([[1.0, 2.0], [3.0, 4.0]], [])", "[[4.0, -3.0], [-2.0, 1.0]]"),
            ("det_slope([[1.0, 2.0], [3.0, 4.0]], [[[1.0, 0.0], [0.0, 0.0]]])", "[[0.0, 0.0], [0.0, 1.0]]"),
            ("det_slope([[3.0]], [[[1.0]]])", "[[0.0]]"),
        ],
    ),
    Row::other(
        Prim::Inv,
        &[smooth("a => weigh(inv(a))", &["[[2.0, 0.3], [0.5, 1.7]]"])],
        &[("inv([[2.0]])", "[[0.5]]")],
    ).with(&[
        int("x => inv([[2, 1], [1, 3]]) * x^2", &["0.7"]),
        mixed("x => inv([[2, 1], [1, x^2]])", &["0.7"]),
        empty("x => concat(flatten(inv(eye(0))), [x^3])", &["0.7"]),
        scalar_array("x => inv([[x]])", &["0.7"]),
        structured("r => inv([[r.a, 0.1], [0.2, r.b.0^2]])", &["{a: 1.5, b: (0.7, 1)}"]),
        degenerate("inv", &["[[0.0, 1.0], [1.0, 0.0]]"]),
    ]),
    Row::other(
        Prim::Eigh,
        &[
            smooth("a => weigh(eigh(a + transpose(a)).0)", &["[[2.0, 0.3], [0.5, 1.0]]"]),
            smooth("a => weigh(eigh(a + transpose(a)).1^2)", &["[[2.0, 0.3], [0.5, 1.0]]"]),
        ],
        &[
            ("eigh([[2.0, 0.0], [0.0, 1.0]]).0", "[1.0, 2.0]"),
            ("grad(a => sum(eigh(a).0))([[1.0, 0.0], [0.0, 1.0]])", "[[1.0, 0.0], [0.0, 1.0]]"),
        ],
    ).with(&[
        smooth("v => eigh([[v[0], v[1]], [v[1], v[2]]]).0", &["[2.0, 0.3, 1.7]"]),
        int("x => eigh([[2, 1], [1, 3]]).0 * x^2", &["0.7"]),
        mixed("x => eigh([[2, 1], [1, x^2]]).0", &["0.7"]),
        empty("x => concat(eigh(eye(0)).0, [x^3])", &["0.7"]),
        scalar_array("x => eigh([[x]]).0", &["0.7"]),
        structured("r => eigh([[r.a, 0.1], [0.1, r.b.0^2]]).0", &["{a: 1.5, b: (0.7, 1)}"]),
        // Smooth functions of the matrix, where eigenvalues are equal: the right number, NaN or an error.
        degenerate("v => sum(eigh([[v[0], v[1]], [v[1], v[2]]]).0^2)", &["[1.0, 0.0, 1.0]"]).at_most("v => v[0]^2 + 2 * v[1]^2 + v[2]^2"),
        degenerate("v => sum(eigh([[v[0], v[1]], [v[1], v[2]]]).0)", &["[1.0, 0.0, 1.0]"]).at_most("v => v[0] + v[2]"),
        degenerate("v => { let (w, q) = eigh([[v[0], v[1]], [v[1], v[2]]]); (q @ diag(exp(w)) @ transpose(q))[0, 1] }", &["[1.0, 0.0, 1.0]"]).at_most(
            "v => { let (m, d) = ((v[0] + v[2]) / 2, ((v[0] - v[2]) / 2)^2 + v[1]^2); exp(m) * v[1] * (1 + d / 6 + d^2 / 120) }",
        ),
        // Of one of them: the documented choice, or no number.
        degenerate("v => eigh([[v[0], v[1]], [v[1], v[2]]]).0[0]", &["[1.0, 0.0, 1.0]"]).at_most("v => v[0]"),
        // Not symmetric: the symmetric part.
        smooth("m => eigh(m).0", &["[[2.0, 0.9], [0.1, 1.0]]"]),
        smooth("m => eigh(m).1^2", &["[[2.0, 0.9], [0.1, 1.0]]"]),
        degenerate("v => eigh([[v[0], v[1]], [v[1], v[2]]]).1[0, 0]", &["[1.0, 0.0, 1.0]"]).no_number(),
    ]),
];
