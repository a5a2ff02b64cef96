//! Arrays, and differentiation as functions of the language.

use calculus::Prim;

use crate::row::{Row, smooth};

pub const ROWS: &[Row] = &[
    Row::other(
        Prim::Tabulate,
        &[
            smooth("a => weigh(tabulate(3, i => sin(a * (i + 1.0))))", &["0.7"]),
            smooth("v => weigh(tabulate(3, i => v[i]^2 * v[2 - i]))", &["[0.5, 1.5, 2.5]"]),
            smooth("x => { let fs = tabulate(3, i => y => x * y * (i + 1.0)); fs[0](fs[1](fs[2](x))) }", &["0.7"]),
            smooth("x => weigh(tabulate(2, i => tabulate(2, j => x^(i + 2 * j + 1))))", &["0.7"]),
        ],
        &[
            ("tabulate(0, i => 1.0)", "[]"),
            ("grad(a => sum(tabulate(0, i => a)))(2.0)", "0.0"),
            ("grad(a => tabulate(2, i => (a^2, i))[1].0)(3.0)", "6.0"),
        ],
    ),
    Row::other(
        Prim::Index,
        &[
            smooth("a => a[0] * a[2]^2", &["[2.0, 3.0, 5.0]"]),
            smooth("a => a[0, 1]^2 * a[1, 0]", &["[[2.0, 3.0], [5.0, 7.0]]"]),
            smooth("a => weigh(a[1..3]^3)", &["[2.0, 3.0, 5.0, 7.0]"]),
            smooth("a => weigh(a[1, ..]^3) * a[0, 0]", &["[[2.0, 3.0], [5.0, 7.0]]"]),
            smooth("a => weigh(a[.., 1]^3) * a[0, 0]", &["[[2.0, 3.0], [5.0, 7.0]]"]),
            smooth("a => { let p = [(a, a^2), (a^3, a)]; p[0].1 * p[1].0 }", &["0.7"]),
        ],
        &[("[1.0, 2.0][0..0]", "[]"), ("grad(a => sum(a[1..1]))([2.0, 3.0])", "[0.0, 0.0]")],
    ),
    Row::other(
        Prim::Update,
        &[
            smooth("p => weigh({p.0 with [1]: p.1}^3)", &["([2.0, 3.0, 5.0], 7.0)"]),
            smooth("a => weigh({a with [1]: a[0] * a[2]}^2)", &["[2.0, 3.0, 5.0]"]),
            smooth("p => weigh({p.0 with [1, 0]: p.1}^3)", &["([[2.0, 3.0], [5.0, 7.0]], 1.5)"]),
            smooth("p => weigh({p.0 with [1]: p.1}^3)", &["([[2.0, 3.0], [5.0, 7.0]], [1.5, 2.5])"]),
            smooth("x => { let fs = {[y => y * x, y => y + x] with [1]: y => y * y * x}; fs[0](fs[1](x)) }", &["0.7"]),
        ],
        &[("grad(p => sum({p.0 with [0]: p.1}))([1.0, 2.0], 3.0)", "([0.0, 1.0], 1.0)")],
    ),
    Row::other(
        Prim::Reshape,
        &[smooth("a => weigh(reshape(a^3, [2, 2]) @ [1.0, 2.0])", &["[2.0, 3.0, 5.0, 7.0]"])],
        &[("reshape([], [0])", "[]"), ("shape(reshape(iota(6), [2, 3]))", "[2, 3]")],
    ),
    Row::other(
        Prim::Transpose,
        &[smooth("a => weigh(transpose(a)^3)", &["[[2.0, 3.0, 1.0], [5.0, 7.0, 4.0]]"])],
        &[("transpose([[1, 2], [3, 4]])", "[[1, 3], [2, 4]]")],
    ),
    Row::other(
        Prim::Concat,
        &[smooth(
            "p => weigh(concat(p.0, p.1)^3)",
            &["([2.0, 3.0], [5.0])", "([[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]])"],
        )],
        &[
            ("concat([], [1.0])", "[1.0]"),
            ("grad(v => sum(concat([], v)))([1.0, 2.0])", "[1.0, 1.0]"),
            ("grad(v => sum(concat(v, [])))([1.0, 2.0])", "[1.0, 1.0]"),
        ],
    ),
    Row::other(Prim::Reversed, &[smooth("a => weigh(reversed(a)^3)", &["[2.0, 3.0, 5.0]"])], &[("reversed([])", "[]")]),
    Row::other(
        Prim::Sum,
        &[smooth("a => sum(a)^3", &["[2.0, 3.0]", "[[2.0, 3.0], [0.5, 1.0]]"])],
        &[("sum([])", "0.0"), ("sum([1, 2])", "3"), ("grad(sum)([inf, nan])", "[1.0, 1.0]")],
    ),
    Row::other(
        Prim::ScatterAdd,
        &[smooth("p => weigh(scatter_add(p.0, [1, 1, 0], p.1)^3)", &["([2.0, 3.0], [0.5, 1.5, 2.5])"])],
        &[
            ("scatter_add([1.0, 2.0], [], [])", "[1.0, 2.0]"),
            ("grad(v => sum(scatter_add(v, [], [])))([1.0, 2.0])", "[1.0, 1.0]"),
        ],
    ),
    Row::other(
        Prim::J,
        &[
            smooth("x => J(y => x * sin(y))(x).1(1.0).1", &["0.7"]),
            smooth("x => J(y => x^2 * y)(x).1(x).0.x", &["0.7"]),
            smooth("x => J(J(y => sin(x * y)))(x).0.0", &["0.7"]),
        ],
        &[("J([1.0, 2.0])", "[1.0, 2.0]"), ("J([])", "[]"), ("J(())", "()")],
    ),
    Row::other(
        Prim::JInv,
        &[
            smooth("x => J_inv(J(y => x * sin(y)))(x)", &["0.7"]),
            smooth("x => grad(J_inv(J(y => x * sin(y))))(x)", &["0.7"]),
        ],
        &[("J_inv((1.0, [2.0]))", "(1.0, [2.0])")],
    ),
    Row::other(
        Prim::Zero,
        &[smooth("x => zero(x) + x^3", &["0.7"])],
        &[
            ("zero([1.0, 2.0])", "[0.0, 0.0]"),
            ("zero([])", "[]"),
            ("zero(3)", "()"),
            ("zero((1, 2.0))", "((), 0.0)"),
            ("{ let a = 2.0; zero(x => a * x) }", "{a: 0.0}"),
            ("zero(nan)", "0.0"),
            ("grad(x => zero(x))(2.0)", "0.0"),
        ],
    ),
    Row::other(
        Prim::Plus,
        &[
            smooth("p => plus(p.0, p.1)^3", &["(0.5, 0.7)"]),
            smooth("p => weigh(plus(p.0, p.1)^3)", &["([0.5, 0.7], [0.1, 0.2])"]),
            smooth("p => { let q = plus(p, p); q.0^2 * q.1 }", &["(0.5, 0.7)"]),
        ],
        &[("plus([], [])", "[]"), ("plus({a: 1.0}, {b: 2.0})", "{a: 1.0, b: 2.0}"), ("plus((), ())", "()")],
    ),
    Row::other(
        Prim::Perturbed,
        &[smooth("x => if perturbed(x) { x^3 } else { x }", &["0.7"])],
        &[("perturbed(3)", "false"), ("perturbed([1.0])", "true"), ("perturbed((1, \"a\"))", "false")],
    ),
];
