//! Differentiation: functions of functions, differentiated themselves.

use crate::matrix::row::{Class, Row, degenerate, empty, int, mixed, scalar_array, smooth, structured};

const SMOOTH: (Class, &str) = (Class::Degenerate, "it has no singular points of its own");

pub const ROWS: &[Row] = &[
    Row::library(
        "grad",
        &[
            smooth("x => grad(y => x * sin(y)^2)(x)", &["0.7"]),
            smooth("v => grad(w => sum(w^3) * v[0])(v)", &["[0.5, 0.7]"]),
            int("x => grad(y => 3)(x) + x^3", &["0.7"]),
            int("x => grad(y => y^2 * 3)(x) * 2", &["0.7"]),
            mixed("p => grad(q => q.0 * q.1^3)(p).1", &["(2, 0.7)"]),
            mixed("x => grad(y => fold((a, i) => {a with [i]: y * x}, [0, 0], iota(2))[1]^2)(x)", &["0.7"]),
            empty("p => sum(grad(v => sum(v^2) + sum(v) * p.1)(p.0)) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("x => grad(v => sum(v * x)^2)([x, 2.0])", &["0.7"]),
            structured("r => grad(s => s.a * s.b[0].c^2)(r).b[0].c", &["{a: 0.5, b: [{c: 0.7}]}"]),
            structured(
                "xs => match grad(ys => fold((t, y) => t * y, 1.0, ys))(xs) { Cons(d, _) => d, _ => 0.0 }",
                &["Cons(0.5, Cons(0.7, Cons(0.9, Nil)))"],
            ),
            degenerate("x => grad(y => abs(y) * y)(x)", &["0.0"]).like("x => 0.0 * x"),
        ],
    ),
    Row::library(
        "value_and_grad",
        &[
            smooth("x => { let (y, g) = value_and_grad(z => x * sin(z))(x^2); y * g }", &["0.7"]),
            int("x => value_and_grad(y => 3 * y)(x).1 * x^3", &["0.7"]),
            mixed("p => value_and_grad(q => q.0 * q.1^3)(p).1.1", &["(2, 0.7)"]),
            empty("p => value_and_grad(q => sum(q.0) + q.1^3)(p).1.1", &["(zeros(0), 0.7)"]),
            scalar_array("x => value_and_grad(v => sum(v * x)^2)([x, 2.0]).1", &["0.7"]),
            structured(
                "r => { let (y, g) = value_and_grad(s => s.a * s.b.0^2)(r); y * g.b.0 }",
                &["{a: 0.5, b: (0.7, 1)}"],
            ),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "vjp",
        &[
            smooth("x => { let (y, pull) = vjp(z => [x * sin(z), z^3], x); pull(y) }", &["0.7"]),
            smooth("v => vjp(w => w^3 * v[1], v).1(v)", &["[0.5, 0.7]"]),
            int("x => vjp(z => 3 * z, x).1(x^2)", &["0.7"]),
            int("x => vjp(z => [z, z^2] * [2, 3], x).1([x, 2.0])", &["0.7"]),
            mixed("p => vjp(q => q.0 * q.1^3, p).1(p.1).1", &["(2, 0.7)"]),
            mixed("x => vjp(z => (2, z^3), x).1(((), x)) * x", &["0.7"]),
            empty("p => vjp(q => (q.0 * q.1, q.1^3), p).1((p.0, p.1)).1", &["(zeros(0), 0.7)"]),
            scalar_array("x => vjp(z => z^2 * [x, 1.0, 2.0], x).1([x, x^2, 0.5])", &["0.7"]),
            structured(
                "r => vjp(s => {u: s.a * s.b.0, w: s.a^2}, r).1({u: r.a, w: 2.0}).b.0",
                &["{a: 0.5, b: (0.7, 1)}"],
            ),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "jvp",
        &[
            smooth("x => { let (y, d) = jvp(z => x * sin(z), x, x^2); y * d }", &["0.7"]),
            smooth("v => jvp(w => w^3 * v[1], v, reversed(v)).1", &["[0.5, 0.7]"]),
            int("x => jvp(z => 3 * z^2, x, x).1 * 2", &["0.7"]),
            int("x => jvp(z => fold((a, i) => {a with [i]: z^2}, [0, 0, 0], iota(3)), x, 1.0).1", &["0.7"]),
            mixed("p => jvp(q => q.0 * q.1^3, p, ((), p.1)).1", &["(2, 0.7)"]),
            empty("p => jvp(q => sum(q.0) * q.1 + q.1^3, p, (p.0, p.1)).1", &["(zeros(0), 0.7)"]),
            scalar_array("x => jvp(z => z^2 * [x, 1.0, 2.0], x, x).1", &["0.7"]),
            structured("r => jvp(s => s.a * s.b.0^2, r, {a: r.b.0, b: (r.a, ())}).1", &["{a: 0.5, b: (0.7, 1)}"]),
            degenerate("x => jvp(y => abs(y) * y, x, 1.0).1", &["0.0"]).like("x => 0.0 * x"),
        ],
    ),
    Row::library(
        "linearize",
        &[
            smooth("x => { let (y, push) = linearize(z => x * sin(z))(x); push(x^2, {x: x}) * y }", &["0.7"]),
            smooth("v => linearize(w => w^3)(v).1(reversed(v), {})", &["[0.5, 0.7]"]),
            int("x => linearize(z => 3 * z^2)(x).1(x, {}) * 2", &["0.7"]),
            mixed("p => linearize(q => q.0 * q.1^3)(p).1(((), p.1), {})", &["(2, 0.7)"]),
            empty("p => linearize(q => sum(q.0) * q.1 + q.1^3)(p).1((p.0, p.1), {})", &["(zeros(0), 0.7)"]),
            scalar_array("x => linearize(z => z^2 * [x, 1.0, 2.0])(x).1(x, {x: 1.0})", &["0.7"]),
            structured(
                "r => linearize(s => s.a * s.b.0^2)(r).1({a: r.b.0, b: (r.a, ())}, {})",
                &["{a: 0.5, b: (0.7, 1)}"],
            ),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "jacobian",
        &[
            smooth("x => jacobian(z => [x * sin(z), z^3])(x)", &["0.7"]),
            smooth("v => jacobian(w => [w[0] * w[1]^2, w[0]^3])(v)", &["[0.5, 0.7]"]),
            smooth("v => jacobian(w => sum(w^3))(v)", &["[0.5, 0.7]"]),
            int("x => jacobian(z => [3 * z, z^2 * 2])(x) * x", &["0.7"]),
            mixed("p => jacobian(q => q.0 * q.1^3)(p).1", &["(2, 0.7)"]),
            mixed("x => jacobian(z => {[0, 0] with [1]: z^3})(x)", &["0.7"]),
            empty("p => sum(jacobian(v => v^2 * p.1)(p.0)) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("x => jacobian(z => z^2 * [[x, 1.0], [2.0, x^2]])(x)", &["0.7"]),
            structured(
                "r => { let j = jacobian(s => {u: s.a * s.b.0^2, w: s.a^3})(r); j.u.b.0 * j.w.a }",
                &["{a: 0.5, b: (0.7, 1.5)}"],
            ),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "hessian",
        &[
            smooth("x => hessian(z => x * sin(z))(x)", &["0.7"]),
            smooth("v => hessian(w => w[0]^3 * w[1]^2 * v[0])(v)", &["[0.5, 0.7]"]),
            int("v => hessian(w => sum(scatter_add([0, 0], [0, 1], w)^2) * 3)(v) * v[0]", &["[0.3, 0.4]"]),
            mixed("x => hessian(z => fold((a, i) => {a with [i]: z^2}, [0, 0], iota(2))[1]^2)(x)", &["0.7"]),
            empty("p => sum(hessian(v => sum(v^2) * p.1)(p.0)) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("x => hessian(v => sum((v * x)^3))([x, 2.0])", &["0.7"]),
            structured(
                "r => { let h = hessian(s => s.a^3 * s.b.0^2)(r); h.a.b.0 * h.a.a }",
                &["{a: 0.5, b: (0.7, 1.5)}"],
            ),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "hvp",
        &[
            smooth("x => hvp(z => x * sin(z), x, x^2)", &["0.7"]),
            smooth("v => hvp(w => w[0]^3 * w[1]^2, v, reversed(v))", &["[0.5, 0.7]"]),
            int("v => hvp(w => 3 * sum(scatter_add([0, 0], [0, 1], w)^2) * w[0], v, [1, 2] * v)", &["[0.3, 0.4]"]),
            mixed("p => hvp(q => q.0 * q.1^3, p, ((), 1.0)).1", &["(2, 0.7)"]),
            empty("p => sum(hvp(v => sum(v^2) * p.1, p.0, p.0)) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("x => hvp(v => sum((v * x)^3), [x, 2.0], [1.0, x])", &["0.7"]),
            structured("r => hvp(s => s.a^3 * s.b.0^2, r, {a: r.b.0, b: (1.0, ())}).b.0", &["{a: 0.5, b: (0.7, 1)}"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "linear_transpose",
        &[
            smooth("x => linear_transpose(z => sin(x) * z, x)(x^2)", &["0.7"]),
            smooth("v => linear_transpose(w => reversed(w) * v, v)(v^2)", &["[0.5, 0.7]"]),
            int("x => linear_transpose(z => 3 * z * x, x)(x)", &["0.7"]),
            mixed("p => linear_transpose(q => p.1 * q.1, p)(p.1).1", &["(2, 0.7)"]),
            empty("p => sum(linear_transpose(v => v * p.1, p.0)(p.0)) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("x => linear_transpose(z => z * [x, x^2, 2.0], x)([x, 1.0, x])", &["0.7"]),
            structured(
                "r => linear_transpose(s => (2 * s.a, s.b.0 * r.a), r)((r.a, r.b.0)).b.0",
                &["{a: 0.5, b: (0.7, 1)}"],
            ),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "stop_gradient",
        &[
            smooth("x => x * stop_gradient(x)^2", &["3.0"]),
            smooth("x => stop_gradient(x * sin(x)) * x^3 + stop_gradient(x)", &["0.7"]),
            smooth("v => sum(v * stop_gradient(v^2)) * v[0]", &["[0.5, 0.7]"]),
            int("x => stop_gradient(2) * x^3", &["0.7"]),
            mixed("p => stop_gradient(p).1 * p.1^2 * p.0", &["(2, 0.7)"]),
            empty("p => sum(stop_gradient(p.0)) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("x => x^2 * stop_gradient([x, x^3])", &["0.7"]),
            structured(
                "r => stop_gradient(r).a * r.b[0].c^2 + stop_gradient(r.b)[0].c * r.a",
                &["{a: 0.5, b: [{c: 0.7}]}"],
            ),
            structured("xs => fold((t, x) => t * x + stop_gradient(x) * x^2, 0.5, xs)", &["Cons(0.5, Cons(0.7, Nil))"]),
            structured("x => { let f = stop_gradient(y => y * x); f(x^2) }", &["0.7"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "spy",
        &[
            smooth("x => spy(\"x\", x)^3 * sin(x)", &["0.7"]),
            smooth("v => sum(spy(\"v\", v^2) * v)", &["[0.5, 0.7]"]),
            int("x => spy(\"n\", 3) * x^2", &["0.7"]),
            mixed("p => spy(\"p\", p).0 * p.1^3", &["(2, 0.7)"]),
            empty("p => sum(spy(\"v\", p.0)) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("x => spy(\"x\", x)^2 * [x, 2.0]", &["0.7"]),
            structured("r => spy(\"r\", r).a * spy(\"b\", r.b)[0].c^2", &["{a: 0.5, b: [{c: 0.7}]}"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "clip_gradient",
        &[
            smooth("x => clip_gradient(1e9, x)^3 * sin(x)", &["0.7"]),
            smooth("v => sum(clip_gradient(1e9, v^2) * v)", &["[0.5, 0.7]"]),
            int("x => clip_gradient(1e9, 3) * x^2", &["0.7"]),
            mixed("p => clip_gradient(1e9, p).0 * p.1^3", &["(2, 0.7)"]),
            empty("p => sum(clip_gradient(1e9, p.0)) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("x => clip_gradient(1e9, x)^2 * [x, 2.0]", &["0.7"]),
            structured("r => clip_gradient(1e9, r).a * r.b[0].c^2", &["{a: 0.5, b: [{c: 0.7}]}"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "straight_through",
        &[
            smooth("x => straight_through(y => y + 2)(x)^3 * sin(x)", &["0.7"]),
            smooth("v => sum(straight_through(w => w + 2)(v^2) * v)", &["[0.5, 0.7]"]),
            int("x => straight_through(n => n + 1)(3) * x^2", &["0.7"]),
            mixed("p => straight_through(q => q)(p).0 * p.1^3", &["(2, 0.7)"]),
            empty("p => sum(straight_through(w => w)(p.0)) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("x => straight_through(y => y - 1)(x)^2 * [x, 2.0]", &["0.7"]),
            structured("r => straight_through(s => s)(r).a * r.b[0].c^2", &["{a: 0.5, b: [{c: 0.7}]}"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "with_slope",
        &[
            smooth("x => with_slope(sin, cos)(x^2) * x", &["0.7"]),
            smooth("x => with_slope(y => x * sin(y), y => x * cos(y))(x^2)", &["0.7"]),
            smooth("v => sum(with_slope(sin, cos)(v) * v[0])", &["[0.5, 0.7]"]),
            int("x => with_slope(y => 3 * y, y => 3)(x) * x^2", &["0.7"]),
            empty("p => sum(with_slope(sin, cos)(p.0)) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("x => with_slope(sin, cos)(x)^2 * [x, 2.0]", &["0.7"]),
            structured("r => with_slope(sin, cos)(r.a) * r.b[0].c^2", &["{a: 0.5, b: [{c: 0.7}]}"]),
        ],
    )
    .without(&[SMOOTH, (Class::Mixed, "its argument is a number or an array of reals")]),
    Row::library(
        "checkpoint",
        &[
            smooth("x => checkpoint(y => sin(x * y^2))(x)", &["0.7"]),
            smooth("checkpoint(v => sin(v)^2 * v[0])", &["[0.5, 0.7]"]),
            int("x => checkpoint(n => n * x^2)(3)", &["0.7"]),
            mixed("checkpoint(p => p.0 * p.1^3)", &["(2, 0.7)"]),
            mixed("checkpoint(x => fold((a, i) => {a with [i]: x^2}, [0, 0], iota(2)))", &["0.7"]),
            empty("checkpoint(p => concat(p.0 * p.1, [p.1^3]))", &["(zeros(0), 0.7)"]),
            scalar_array("checkpoint(p => p.0 * p.1^2)", &["(0.5, [0.7, 0.9])"]),
            structured("checkpoint(r => r.a * r.b[0].c^2)", &["{a: 0.5, b: [{c: 0.7}]}"]),
            degenerate("checkpoint(x => abs(x) * x)", &["0.0"]).like("x => 0.0 * x"),
        ],
    ),
    Row::library(
        "attach",
        &[
            smooth("x => attach(y => sin(y)^2, J(y => sin(y)^2))(x)", &["0.7"]),
            smooth("x => { let f = y => x * sin(y)^2; (f <~ J(f))(x) }", &["0.7"]),
            int("x => (n => n * x^2)(3) + ((y => 2 * y^2) <~ J(y => 2 * y^2))(x)", &["0.7"]),
            mixed("p => ((q => q.0 * q.1^3) <~ J(q => q.0 * q.1^3))(p)", &["(2, 0.7)"]),
            empty("p => ((q => sum(q.0) + q.1^3) <~ J(q => sum(q.0) + q.1^3))(p)", &["(zeros(0), 0.7)"]),
            scalar_array("p => ((q => q.0 * q.1^2) <~ J(q => q.0 * q.1^2))(p)", &["(0.5, [0.7, 0.9])"]),
            structured("r => ((s => s.a * s.b[0].c^2) <~ J(s => s.a * s.b[0].c^2))(r)", &["{a: 0.5, b: [{c: 0.7}]}"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "assert_close",
        &[
            smooth("x => { assert_close(x, x); x^3 }", &["0.7"]),
            smooth("x => { assert_close(x, 1.01 * x, x); x^3 }", &["0.7"]),
            int("x => { assert_close(2, 2); x^3 }", &["0.7"]),
            mixed("p => { assert_close(p, p); p.0 * p.1^3 }", &["(2, 0.7)"]),
            empty("p => { assert_close(p.0, []); p.1^3 }", &["(zeros(0), 0.7)"]),
            scalar_array("v => { assert_close(v, v); v^3 }", &["[0.5, 0.7]"]),
            structured("r => { assert_close(r, r); r.a * r.b[0].c^2 }", &["{a: 0.5, b: [{c: 0.7}]}"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library("check_rule", &[]).without(&[
        (Class::Real, CONSTANT),
        (Class::Int, CONSTANT),
        (Class::Mixed, CONSTANT),
        (Class::Empty, CONSTANT),
        (Class::ScalarArray, CONSTANT),
        (Class::Structured, CONSTANT),
        (Class::Degenerate, CONSTANT),
    ]),
];

const CONSTANT: &str = "it can't be differentiated, and says so (see the test of primitives)";
