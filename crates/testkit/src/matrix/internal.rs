//! The primitives of derived code, here under names of their own, and programs whose derivatives use them.

use calculus::Prim;

use super::row::{Row, smooth};

pub const ROWS: &[Row] = &[
    // The derivative of an element's derivative places twice.
    Row::other(
        Prim::Place,
        &[
            smooth("d => weigh(materialise([1.0, 2.0], place([1.0, 2.0], 1, d^3)))", &["0.7"]),
            smooth("a => weigh(grad(b => b[1]^3 * b[0])(a))", &["[0.5, 0.7, 0.9]"]),
        ],
        &[("grad(a => a[1])([1.0, 2.0])", "[0.0, 1.0]")],
    ),
    // grad of `place` and `update`
    Row::other(
        Prim::Part,
        &[
            smooth("d => part(d, 1)^3", &["[0.5, 0.7]"]),
            smooth("a => grad(v => ({a with [1]: v})[1]^3 * a[0])(a[1])", &["[0.5, 0.7]"]),
        ],
        &[("part([1.0, 2.0], 1)", "2.0")],
    ),
    Row::other(
        Prim::Erase,
        &[
            smooth("d => weigh(erase(d, 1)^3)", &["[0.5, 0.7]"]),
            smooth("x => weigh(grad(a => weigh({a with [1]: x}^3))([x, x, x]))", &["0.7"]),
        ],
        &[("grad(a => sum({a with [0]: 1.0}))([1.0, 2.0])", "[0.0, 1.0]")],
    ),
    // grad of `tabulate`
    Row::other(
        Prim::Spread,
        &[
            smooth("d => weigh(spread(2, d)^3)", &["[0.5, 0.7]"]),
            smooth("x => grad(a => weigh(tabulate(3, i => (a + i)^3)))(x)", &["0.7"]),
        ],
        &[("spread(0, [])", "[]")],
    ),
    Row::other(
        Prim::Unspread,
        &[
            smooth("d => weigh(unspread(d)^3)", &["[0.5, 0.7]"]),
            smooth("x => grad(a => grad(b => weigh(tabulate(3, i => (b + i)^3)))(a))(x)", &["0.7"]),
        ],
        &[("grad(a => grad(b => sum(tabulate(2, i => b^3)))(a))(2.0)", "24.0")],
    ),
    Row::other(
        Prim::Accumulate,
        &[
            smooth("x => accumulate(3, i => x^(i + 1))", &["0.7"]),
            smooth("a => weigh(grad(b => weigh(tabulate(3, i => b[i]^2 * b[0])))(a))", &["[0.5, 0.7, 0.9]"]),
        ],
        &[("grad(a => sum(tabulate(3, i => a)))(2.0)", "3.0")],
    ),
    // grad of `sum`
    Row::other(
        Prim::Fill,
        &[
            smooth("d => weigh(fill([1.0, 2.0], d^3))", &["0.7"]),
            smooth("x => weigh(grad(a => sum(a)^3)([x, x^2]))", &["0.7"]),
        ],
        &[("fill([], 2.0)", "[]"), ("fill([[1.0, 2.0]], 3.0)", "[[3.0, 3.0]]")],
    ),
    Row::binary(
        Prim::Scale,
        &[
            smooth("p => raw_scale(p.0, p.1)^2", &["(0.5, 0.7)"]),
            smooth("p => weigh(raw_scale(p.0, p.1)^2)", &["([0.5, 0.7], [0.2, 0.3])", "([0.5, 0.7], 0.3)"]),
        ],
        &[("raw_scale(2.0, 3.0)", "6.0"), ("grad(x => { let y = sqrt(x); x + stop_gradient(y) })(0.0)", "1.0")],
    ),
    // grad of `minimum` and `maximum`
    Row::binary(
        Prim::AtMost,
        &[smooth("p => at_most(p.0, p.1) * p.0^2", &["(0.5, 0.7)", "(0.7, 0.5)"])],
        &[("at_most(1.0, 1.0)", "1.0"), ("at_most([1.0, 3.0], 2.0)", "[1.0, 0.0]")],
    ),
    Row::other(
        Prim::Keep,
        &[
            smooth("d => weigh(keep([1.0, 0.0], d)^3)", &["[0.5, 0.7]"]),
            smooth("a => weigh(grad(b => weigh(minimum(b^3, 0.2)))(a))", &["[0.5, 0.7]"]),
        ],
        &[
            ("keep(0.0, nan)", "0.0"),
            ("keep([0.0, 1.0], [inf, 2.0])", "[0.0, 2.0]"),
            ("grad(x => minimum(x, 1.0) + 0.0 * maximum(x, 1.0))(0.5)", "1.0"),
        ],
    ),
    // grad of `^`
    Row::other(
        Prim::PowerSlope,
        &[
            smooth("p => power_slope(p.0, p.1, 1)", &["(2.0, 3.0)", "(0.7, -1.3)"]),
            smooth("p => power_slope(p.0, p.1, 2)", &["(2.0, 3.0)", "(0.7, -1.3)"]),
            smooth("x => power_slope(x, 3, 1)", &["2.0", "0.0", "-2.0"]),
            smooth("x => weigh(power_slope(x, [1.5, 2.5], 1))", &["2.0", "[0.5, 0.7]"]),
        ],
        &[
            ("power_slope(0.0, 0.0, 1)", "0.0"),
            ("power_slope(0.0, 1.0, 1)", "1.0"),
            ("power_slope(0.0, 1.0, 2)", "0.0"),
            ("power_slope(3.0, 2, 1)", "6.0"),
            ("power_slope([], 2.0, 1)", "[]"),
        ],
    ),
    Row::other(
        Prim::PowerLog,
        &[
            smooth("p => power_log(p.0, p.1, 1)", &["(2.0, 3.0)", "(0.7, -1.3)"]),
            smooth("p => power_log(p.0, p.1, 2)", &["(2.0, 3.0)", "(0.7, -1.3)"]),
            smooth("x => weigh(power_log(x, [1.5, 2.5], 1))", &["2.0", "[0.5, 0.7]"]),
        ],
        &[("power_log(0.0, 2.0, 1)", "0.0"), ("power_log(1.0, 5.0, 1)", "0.0"), ("power_log([], 2.0, 1)", "[]")],
    ),
    // grad of mixed arithmetic
    Row::other(
        Prim::Unbroadcast,
        &[
            smooth("d => unbroadcast(1.0, d)^3", &["[0.5, 0.7]", "0.7"]),
            smooth("d => weigh(unbroadcast([1.0, 2.0], d)^3)", &["[0.5, 0.7]"]),
            smooth("x => grad(a => weigh(a^2 * [x, 1.0]))(x)", &["0.7"]),
        ],
        &[("unbroadcast(1.0, [2.0, 3.0])", "5.0"), ("unbroadcast(1.0, [])", "0.0")],
    ),
    Row::other(
        Prim::Broadcast,
        &[
            smooth("a => weigh(broadcast(a, [[1.0, 2.0], [3.0, 4.0]])^3)", &["[0.5, 0.7]", "[[0.5], [0.7]]"]),
            smooth("x => grad(a => weigh(a^3 * [[x, 1.0], [2.0, x]]))([x, 0.3])[0]", &["0.7"]),
            smooth("x => jvp(a => a + [[x, 1.0], [2.0, x]] * a, [x, 0.3], [x^2, 1.0]).1[1, 0]", &["0.7"]),
        ],
        &[
            ("broadcast([1.0, 2.0], [[0.0, 0.0], [0.0, 0.0]])", "[[1.0, 2.0], [1.0, 2.0]]"),
            ("broadcast([[1], [2]], [0.0, 0.0])", "[[1, 1], [2, 2]]"),
            ("broadcast([], [])", "[]"),
        ],
    ),
    // behind `qr`, `lstsq`, `slogdet`, `svd` and `fft`
    Row::other(
        Prim::TallQr,
        &[
            smooth("a => weigh(tall_qr(a).0) + weigh(tall_qr(a).1)^2", &["[[2.0, 0.3], [0.5, 1.7]]"]),
            smooth("a => weigh(tall_qr(a).0)", &["[[2.0, 0.3], [0.5, 1.7], [-0.4, 0.9]]"]),
        ],
        &[("tall_qr([[2.0]])", "([[1.0]], [[2.0]])"), ("tall_qr([[-2.0]])", "([[-1.0]], [[2.0]])")],
    ),
    Row::other(
        Prim::ThinSvd,
        &[
            smooth("a => weigh(thin_svd(a).0) + weigh(thin_svd(a).2)", &["[[2.0, 0.3], [0.5, 1.7]]"]),
            smooth("a => weigh(thin_svd(a).1)", &["[[2.0, 0.3], [0.5, 1.7]]"]),
            smooth("a => weigh(thin_svd(a).0)", &["[[2.0, 0.3], [0.5, 1.7], [-0.4, 0.9]]"]),
        ],
        &[("thin_svd([[-2.0]])", "([[-1.0]], [2.0], [[1.0]])")],
    ),
    Row::other(
        Prim::Fourier,
        &[smooth(
            "p => { let (x, y) = fourier(p.0, p.1); weigh(x^2) + weigh(y^3) }",
            &["([0.5, 0.7, 0.3], [0.1, 0.2, 0.9])"],
        )],
        &[
            ("fourier([1.0], [2.0])", "([1.0], [2.0])"),
            ("fourier([1.0, 2.0], [0.0, 0.0])", "([3.0, -1.0], [0.0, 0.0])"),
        ],
    ),
    Row::other(
        Prim::Frame,
        &[smooth("v => weigh(v^3) + weigh(materialise(v, frame(v)))", &["[0.5, 0.7]"])],
        &[("grad(x => 3.0 + unbroadcast(frame(x), 0.0))(2.0)", "0.0"), ("materialise([1.0], frame([1.0]))", "[0.0]")],
    ),
    // J of a function with a rule
    Row::other(
        Prim::Materialise,
        &[
            smooth("d => { let m = materialise((1.0, 2.0), d); m.0^2 * m.1 }", &["(0.5, 0.7)"]),
            smooth(
                "x => { let f = (p => (p.0 * p.1, p.0)) reverse p => ((p.0 * p.1, p.0), d => ({}, (d.0 * p.1 + d.1, d.0 * p.0))); f(x, x^2).0 }",
                &["0.7"],
            ),
        ],
        &[("materialise([1.0, 2.0], [3.0, 4.0])", "[3.0, 4.0]"), ("materialise([], [])", "[]")],
    ),
    // a tangent that a program gives
    Row::other(
        Prim::Accept,
        &[smooth("d => accept(1.0, d)^3", &["0.7"]), smooth("d => jvp(x => x^3, d, d).1", &["0.7"])],
        &[("accept(1.0, 2)", "2.0"), ("accept([], [])", "[]")],
    ),
    Row::other(
        Prim::RulePair,
        &[smooth("x => ((y => y^2 * x) reverse y => (y^2 * x, d => ({x: d * y^2}, 2 * y * x * d)))(x^2)", &["0.7"])],
        &[("rule_pair(sin, (1.0, sin)).0", "1.0")],
    ),
    Row::other(
        Prim::RuleResult,
        &[smooth(
            "x => grad((y => y^3 * x) reverse y => (y^3 * x, d => ({x: d * y^3}, 3 * y^2 * x * d)))(x^2)",
            &["0.7"],
        )],
        &[("grad((y => y^3) reverse y => (y^3, d => ({}, 3 * y^2 * d)))(2.0)", "12.0")],
    ),
    // T of a function with a forward rule
    Row::other(
        Prim::RuleTangent,
        &[
            smooth("x => rule_tangent(sin, x, (x, x^3))", &["0.7"]),
            smooth(
                "x => jvp((y => y^3 * x) forward y => (y^3 * x, (dy, dc) => 3 * y^2 * x * dy + y^3 * dc.x), x^2, x).1",
                &["0.7"],
            ),
        ],
        &[("materialise(1, rule_tangent(sin, 0.0, (1, ())))", "()"), ("rule_tangent(sin, 0.0, (1.0, 2.0))", "2.0")],
    ),
    // `jacobian` of a structured result
    Row::other(
        Prim::Children,
        &[
            smooth("p => { let c = children(p); c[0].v^2 * c[1].v }", &["(0.5, 0.7)"]),
            smooth("x => { let j = jacobian(y => (y^3 * x, y^2))(x); j.0 * j.1 }", &["0.7"]),
        ],
        &[("children(())", "[]"), ("children((1, 2.0))", "[{v: 1}, {v: 2.0}]")],
    ),
    // `map_reals` and its relatives
    Row::other(
        Prim::Parts,
        &[
            smooth("p => { let (a, (b, ())) = parts(p); a^2 * b }", &["(0.5, 0.7)"]),
            smooth("x => sum(ravel(map_reals(y => y^3, {a: x, b: [x, 2.0], n: 3})))", &["0.7"]),
        ],
        &[("parts(())", "()"), ("parts((1, 2.0))", "(1, (2.0, ()))")],
    ),
    Row::other(
        Prim::OfParts,
        &[
            smooth("p => { let q = of_parts((1.0, 1.0), (p.0^2, (p.1^2, ()))); q.0 * q.1 }", &["(0.5, 0.7)"]),
            smooth("x => inner({a: {b: x^2}, c: x}, {a: {b: x}, c: 3.0})", &["0.7"]),
        ],
        &[("of_parts((1, 2), (3, (4, ())))", "(3, 4)")],
    ),
    // `zip_reals`
    Row::other(
        Prim::Aligned,
        &[
            smooth("p => { let q = aligned({a: 1, b: 2}, {b: p.0^3, a: p.1 * p.0}); q.a * q.b }", &["(0.5, 0.7)"]),
            smooth("x => inner({a: x, b: x^2}, {b: x^3, a: 2.0})", &["0.7"]),
        ],
        &[("parts(aligned({a: 1, b: 2}, {b: 3, a: 4}))", "(4, (3, ()))"), ("aligned((1, 2), (3, 4))", "(3, 4)")],
    ),
    Row::other(
        Prim::Bare,
        &[smooth("p => { let q = bare(p, (p.0^2, p.1 * p.0)); q.0 * q.1 }", &["(0.5, 0.7)"])],
        &[
            ("materialise(1.0, bare((2, 3.0), ((), 5.0)).0)", "0.0"),
            ("materialise([1.0, 2.0], bare([2, 3], [(), ()]))", "[0.0, 0.0]"),
            ("bare(3.0, 5.0)", "5.0"),
        ],
    ),
    Row::other(
        Prim::Rebuild,
        &[
            smooth("p => { let q = rebuild((1.0, 1.0), [{v: p.0^2}, {v: p.1^2}]); q.0 * q.1 }", &["(0.5, 0.7)"]),
            smooth("x => { let j = jacobian(y => (y^3 * x, (y^2, 1.0)))(x); j.0 * j.1.0 }", &["0.7"]),
        ],
        &[("rebuild((1, 2), [{v: 3}, {v: 4}])", "(3, 4)")],
    ),
    Row::other(
        Prim::IsData,
        &[smooth("x => if is_data((x, x)) { x^3 } else { x }", &["0.7"])],
        &[("is_data((1, 2))", "true"), ("is_data(())", "false"), ("is_data([1.0])", "false")],
    ),
    Row::other(
        Prim::Format,
        &[smooth("x => { let t = format(x, \".1\"); if t == \"0.7\" { x^3 } else { x } }", &["0.7"])],
        &[("format([1.0 / 3, 2.0], \".3\")", "\"[0.333, 2.000]\""), ("format(\"a\", \">3\")", "\"  a\"")],
    ),
    Row::other(Prim::Expected, &[smooth("x => if x > 5.0 { expected(\"a number\", x) } else { x^3 }", &["0.7"])], &[]),
    // the adjoint of `fix`
    Row::other(
        Prim::Largest,
        &[smooth("x => x^2 * largest((3.0, -5.0))", &["0.7"])],
        &[("largest((1.0, [-3.0, 2.0]))", "3.0"), ("largest(())", "0.0"), ("largest([])", "0.0")],
    ),
    Row::other(
        Prim::Close,
        &[smooth("x => if close(x, x, ()) { x^3 } else { x }", &["0.7"])],
        &[("close(1.0, 1.0 + 1e-13, ())", "true"), ("close([], [], ())", "true"), ("close(1.0, 1.1, 0.05)", "false")],
    ),
    Row::other(
        Prim::Times,
        &[smooth("p => { let q = times(p, 3.0); q.0^2 * q.1 }", &["(0.5, 0.7)"])],
        &[
            ("times((1.0, 2, [3.0]), 2.0)", "(2.0, 2, [6.0])"),
            ("times([], 2.0)", "[]"),
            ("grad(k => times((2.0, [3.0]), k).1[0])(5.0)", "3.0"),
        ],
    ),
    // `grad` itself
    Row::other(
        Prim::Differentiable,
        &[smooth("x => differentiable(x)^3", &["0.7"]), smooth("x => grad(y => x * y^3)(x)", &["0.7"])],
        &[("differentiable([1.0])", "[1.0]")],
    ),
    Row::other(
        Prim::Answer,
        &[
            smooth("x => answer(zero(x)) + answer(x)^3", &["0.7"]),
            smooth("x => sum(grad(v => sum(v^4))([x, 2 * x])^2)", &["0.7"]),
        ],
        &[("answer(zero((1.0, [2.0], {a: 3})))", "(0.0, [0.0], {a: ()})"), ("answer(2.0)", "2.0")],
    ),
    Row::other(
        Prim::Seed,
        &[smooth("x => seed(x) * x^3", &["0.7"])],
        &[("seed(5.0)", "1.0"), ("grad(seed)(2.0)", "0.0")],
    ),
    // `checkpoint`
    Row::other(
        Prim::Quietly,
        &[smooth("x => quietly(y => x * y^3, x)", &["0.7"]), smooth("x => checkpoint(y => x * sin(y^2))(x)", &["0.7"])],
        &[("quietly(sin, 0.0)", "0.0")],
    ),
];
