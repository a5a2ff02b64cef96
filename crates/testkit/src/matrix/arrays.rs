//! Arrays, and differentiation as functions of the language.

use calculus::Prim;

use super::row::{Class, Row, degenerate, empty, int, mixed, scalar_array, smooth, structured};

const DISCRETE: (Class, &str) = (Class::Degenerate, "its result is discrete: there is nothing to differentiate");

const LINEAR: (Class, &str) = (Class::Degenerate, "it is linear");

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
    )
    .with(&[
        int("x => tabulate(3, i => i) * x^2", &["0.7"]),
        mixed("x => tabulate(3, i => if i == 1 { x^2 } else { i })", &["0.7"]),
        mixed("p => tabulate(p.0, i => i * p.1^2)", &["(3, 0.7)"]),
        mixed("x => tabulate(2, i => {[0, 0] with [i]: x^2})", &["0.7"]),
        empty("x => concat(tabulate(0, i => x * i), [x^3])", &["0.7"]),
        scalar_array("x => tabulate(2, i => [x, x^2] * (i + x))", &["0.7"]),
        structured(
            "r => sum(s.u * s.v for s in tabulate(2, i => {u: r.a * i, v: r.b.0^2}))",
            &["{a: 0.5, b: (0.7, 1)}"],
        ),
        degenerate("x => concat(tabulate(-1, i => x), [x^3])", &["0.7"]),
    ]),
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
    )
    .with(&[
        int("x => [1, 2, 3][1] * x^2", &["0.7"]),
        int("x => {[1, 2, 3] with [1]: x^2}[0..2]", &["0.7"]),
        mixed("p => p.0[p.1]^2", &["([0.5, 0.7], 1)"]),
        mixed("p => [p.0, p.1][1]^2 * [p.0, p.1][0]", &["(3, 0.7)"]),
        empty("p => concat(p.0[0..0], [p.1^3])", &["(zeros(0), 0.7)"]),
        empty("v => concat(v[1..1], [v[0]^3])", &["[0.5, 0.7]"]),
        scalar_array("c => c[0]^2", &["[[[0.5, 0.7]], [[0.9, 1.1]]]"]),
        scalar_array("c => c[1, .., 0]^2", &["[[[0.5, 0.7]], [[0.9, 1.1]]]"]),
        structured("xs => xs[1].a * xs[0].b.0^2", &["[{a: 0.5, b: (0.7, 1)}, {a: 0.9, b: (1.1, 2)}]"]),
        structured("x => { let fs = [y => y * x, y => y + x]; fs[0](fs[1](x^2)) }", &["0.7"]),
        degenerate("v => v[0] * v[0]", &["[0.0]"]),
    ]),
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
    )
    .with(&[
        int("x => {[1, 2] with [1]: 5} * x^2", &["0.7"]),
        mixed("x => {[1, 2, 3] with [1]: x^2}", &["0.7"]),
        mixed("x => {{[1, 2, 3] with [1]: x^2} with [0]: 7}", &["0.7"]),
        mixed("p => {p.0 with [0]: p.1^2}", &["([1, 2], 0.7)"]),
        mixed("v => {v with [0]: 2}^2", &["[0.5, 0.7]"]),
        mixed("x => {[[1, 2], [3, 4]] with [1]: [x, x^2]}", &["0.7"]),
        mixed("x => match ({[Nil, Nil] with [1]: Cons(x^2, Nil)})[1] { Cons(y, _) => y, _ => 0.0 }", &["0.7"]),
        mixed("x => { let t = {[(), ()] with [1]: x^2}; t[1] * x }", &["0.7"]),
        empty("x => { let a = {[1.0, 2.0] with [1..1]: []}; concat(a, [x^3]) }", &["0.7"]),
        scalar_array("p => {p.0 with [.., 0]: p.1}^2", &["([[0.5, 0.7], [0.9, 1.1]], [0.2, 0.3])"]),
        structured("p => { let xs = {p.0 with [1]: {a: p.1^2}}; xs[1].a * xs[0].a }", &["([{a: 0.5}, {a: 0.7}], 0.9)"]),
        degenerate("v => {v with [0]: v[0]}^2", &["[0.0, 0.7]"]),
    ]),
    Row::other(
        Prim::Reshape,
        &[smooth("a => weigh(reshape(a^3, [2, 2]) @ [1.0, 2.0])", &["[2.0, 3.0, 5.0, 7.0]"])],
        &[("reshape([], [0])", "[]"), ("shape(reshape(iota(6), [2, 3]))", "[2, 3]")],
    )
    .with(&[
        int("x => reshape([1, 2, 3, 4], [2, 2]) * x^2", &["0.7"]),
        int("x => reshape(iota(4), [2, 2]) @ [x, x^2]", &["0.7"]),
        mixed("x => reshape([1, x, x^2, 2], [2, 2])", &["0.7"]),
        mixed("p => reshape(p.0, [2, 1]) * p.1", &["([1, 2], 0.7)"]),
        empty("p => concat(flatten(reshape(p.0, [0, 2])), [p.1^3])", &["(zeros(0), 0.7)"]),
        scalar_array("m => reshape(m, [4])^2", &["[[0.5, 0.7], [0.9, 1.1]]"]),
        structured("xs => { let m = reshape(xs, [2, 1]); m[1, 0].a^2 * m[0, 0].a }", &["[{a: 0.5}, {a: 0.7}]"]),
    ])
    .without(&[LINEAR]),
    Row::other(
        Prim::Transpose,
        &[smooth("a => weigh(transpose(a)^3)", &["[[2.0, 3.0, 1.0], [5.0, 7.0, 4.0]]"])],
        &[("transpose([[1, 2], [3, 4]])", "[[1, 3], [2, 4]]")],
    )
    .with(&[
        int("x => transpose([[1, 2], [3, 4]]) * x^2", &["0.7"]),
        mixed("x => transpose([[1, x], [x^2, 2]])", &["0.7"]),
        empty("p => concat(flatten(transpose(p.0)), [p.1^3])", &["(reshape(zeros(0), [0, 2]), 0.7)"]),
        scalar_array("c => transpose(c)^2", &["[[[0.5, 0.7]], [[0.9, 1.1]]]"]),
        structured("xs => { let m = transpose(xs); m[0, 1].a^2 * m[0, 0].a }", &["[[{a: 0.5}], [{a: 0.7}]]"]),
    ])
    .without(&[LINEAR]),
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
    )
    .with(&[
        int("x => concat([1, 2], [3]) * x^2", &["0.7"]),
        mixed("x => concat([1, 2], [x^2])", &["0.7"]),
        mixed("x => concat([x^2], [1, 2])", &["0.7"]),
        mixed("p => concat(p.0, p.1)", &["([1, 2], [0.5])"]),
        empty("p => concat(concat(p.0, [p.1^3]), p.0)", &["(zeros(0), 0.7)", "([], 0.7)", "(iota(0), 0.7)"]),
        scalar_array("x => concat([x], [x^2, 2.0])", &["0.7"]),
        structured("p => { let xs = concat(p.0, p.1); xs[1].a^2 * xs[0].a }", &["([{a: 0.5}], [{a: 0.7}])"]),
    ])
    .without(&[LINEAR]),
    Row::other(Prim::Reversed, &[smooth("a => weigh(reversed(a)^3)", &["[2.0, 3.0, 5.0]"])], &[("reversed([])", "[]")])
        .with(&[
            int("x => reversed([1, 2]) * x^2", &["0.7"]),
            mixed("x => reversed([1, x^2])", &["0.7"]),
            empty("p => concat(reversed(p.0), [p.1^3])", &["(zeros(0), 0.7)"]),
            scalar_array("m => reversed(m)^2", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            structured("xs => { let ys = reversed(xs); ys[1].a^2 * ys[0].a }", &["[{a: 0.5}, {a: 0.7}]"]),
        ])
        .without(&[LINEAR]),
    Row::other(
        Prim::Sum,
        &[smooth("a => sum(a)^3", &["[2.0, 3.0]", "[[2.0, 3.0], [0.5, 1.0]]"])],
        &[("sum([])", "0.0"), ("sum([1, 2])", "3"), ("grad(sum)([inf, nan])", "[1.0, 1.0]")],
    )
    .with(&[
        int("x => sum([1, 2]) * x^2", &["0.7"]),
        mixed("x => sum([1, x^2])", &["0.7"]),
        mixed("x => sum({[1, 2] with [0]: x^2})^2", &["0.7"]),
        empty("p => sum(p.0) + p.1^3", &["(zeros(0), 0.7)", "([], 0.7)", "(iota(0), 0.7)"]),
        scalar_array("c => sum(c)^2", &["[[[0.5, 0.7]], [[0.9, 1.1]]]"]),
        structured("r => sum([s.c^2 for s in r.b]) * r.a", &["{a: 0.5, b: [{c: 0.7}, {c: 0.9}]}"]),
    ])
    .without(&[LINEAR]),
    Row::other(
        Prim::ScatterAdd,
        &[smooth("p => weigh(scatter_add(p.0, [1, 1, 0], p.1)^3)", &["([2.0, 3.0], [0.5, 1.5, 2.5])"])],
        &[
            ("scatter_add([1.0, 2.0], [], [])", "[1.0, 2.0]"),
            ("grad(v => sum(scatter_add(v, [], [])))([1.0, 2.0])", "[1.0, 1.0]"),
        ],
    )
    .with(&[
        int("x => scatter_add([1, 2], [0, 0], [3, 4]) * x^2", &["0.7"]),
        mixed("v => scatter_add([0, 0], [0, 1], v)^2", &["[0.3, 0.4]"]),
        mixed("v => scatter_add(v, [0, 0], [3, 4])^2", &["[0.3, 0.4]"]),
        mixed("p => scatter_add(p.0, p.1, p.2)^2", &["([1, 2], [1, 1], [0.5, 0.7])"]),
        empty("p => scatter_add([p.1^3], [], p.0)", &["(zeros(0), 0.7)"]),
        scalar_array("p => scatter_add(p.0, [1, 1], p.1)^2", &["([[0.5, 0.7], [0.9, 1.1]], [[0.1, 0.2], [0.3, 0.4]])"]),
        structured(
            "r => scatter_add([r.a, r.a^2], [s.n for s in r.b], [s.c for s in r.b])",
            &["{a: 0.5, b: [{c: 0.7, n: 1}, {c: 0.9, n: 1}]}"],
        ),
    ])
    .without(&[LINEAR]),
    Row::other(
        Prim::J,
        &[
            smooth("x => J(y => x * sin(y))(x).1(1.0).1", &["0.7"]),
            smooth("x => J(y => x^2 * y)(x).1(x).0.x", &["0.7"]),
            smooth("x => J(J(y => sin(x * y)))(x).0.0", &["0.7"]),
        ],
        &[("J([1.0, 2.0])", "[1.0, 2.0]"), ("J([])", "[]"), ("J(())", "()")],
    )
    .with(&[
        int("x => J(n => n * x^2)(3).0", &["0.7"]),
        mixed("p => J(q => q.0 * q.1^3)(p).1(p.1).1.1", &["(2, 0.7)"]),
        empty("p => J(q => sum(q.0) + q.1^3)(p).1(1.0).1.1", &["(zeros(0), 0.7)"]),
        scalar_array("p => J(q => q.0 * q.1^2)(p).1(p.1).1.1", &["(0.5, [0.7, 0.9])"]),
        structured("r => J(s => s.a * s.b.0^2)(r).1(r.a).1.b.0", &["{a: 0.5, b: (0.7, 1)}"]),
    ])
    .without(&[LINEAR]),
    Row::other(
        Prim::JInv,
        &[
            smooth("x => J_inv(J(y => x * sin(y)))(x)", &["0.7"]),
            smooth("x => grad(J_inv(J(y => x * sin(y))))(x)", &["0.7"]),
        ],
        &[("J_inv((1.0, [2.0]))", "(1.0, [2.0])")],
    )
    .with(&[
        int("x => J_inv(3) * x^2", &["0.7"]),
        mixed("p => { let q = J_inv(p); q.0 * q.1^2 }", &["(2, 0.7)"]),
        empty("p => sum(J_inv(p.0)) + p.1^3", &["(zeros(0), 0.7)"]),
        scalar_array("v => J_inv(v)^2", &["[0.5, 0.7]"]),
        structured("r => J_inv(J(r)).a * r.b.0^2", &["{a: 0.5, b: (0.7, 1)}"]),
    ])
    .without(&[LINEAR]),
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
    )
    .with(&[
        int("x => match zero(3) { () => x^3, _ => x }", &["0.7"]),
        mixed("p => zero(p).1 + p.0 * p.1^2", &["(2, 0.7)"]),
        empty("p => sum(zero(p.0)) + p.1^3", &["(zeros(0), 0.7)"]),
        scalar_array("v => zero(v) + v^3", &["[0.5, 0.7]"]),
        structured("r => zero(r).a + r.a * r.b.0^2", &["{a: 0.5, b: (0.7, 1)}"]),
    ])
    .without(&[LINEAR]),
    Row::other(
        Prim::Plus,
        &[
            smooth("p => plus(p.0, p.1)^3", &["(0.5, 0.7)"]),
            smooth("p => weigh(plus(p.0, p.1)^3)", &["([0.5, 0.7], [0.1, 0.2])"]),
            smooth("p => { let q = plus(p, p); q.0^2 * q.1 }", &["(0.5, 0.7)"]),
        ],
        &[("plus([], [])", "[]"), ("plus({a: 1.0}, {b: 2.0})", "{a: 1.0, b: 2.0}"), ("plus((), ())", "()")],
    )
    .with(&[
        int("x => match plus((), ()) { () => x^3, _ => x }", &["0.7"]),
        mixed("p => plus(((), p.1), ((), p.1^2)).1", &["(2, 0.7)"]),
        empty("p => concat(plus(p.0, p.0), [p.1^3])", &["(zeros(0), 0.7)"]),
        scalar_array("m => plus(m, m^2)", &["[[0.5, 0.7]]"]),
        structured("r => { let s = plus(r, r); s.a * s.b.0^2 }", &["{a: 0.5, b: (0.7, 0.9)}"]),
    ])
    .without(&[LINEAR]),
    Row::other(
        Prim::Perturbed,
        &[smooth("x => if perturbed(x) { x^3 } else { x }", &["0.7"])],
        &[("perturbed(3)", "false"), ("perturbed([1.0])", "true"), ("perturbed((1, \"a\"))", "false")],
    )
    .with(&[
        int("x => if perturbed(3) { x } else { x^3 }", &["0.7"]),
        mixed("p => if perturbed(p.0) { p.1 } else { p.1^3 }", &["(2, 0.7)"]),
        empty("p => if perturbed(p.0) { p.1^3 } else { p.1^3 }", &["(zeros(0), 0.7)"]),
        scalar_array("v => if perturbed(v) { v^3 } else { v }", &["[0.5, 0.7]"]),
        structured("r => if perturbed(r.b) { r.a^3 } else { r.a }", &["{a: 0.5, b: (0.7, 1)}"]),
    ])
    .without(&[DISCRETE]),
];
