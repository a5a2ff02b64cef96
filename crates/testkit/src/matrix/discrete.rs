//! What carries no derivative: comparisons, rounding, kinds, text, randomness. A real result that doesn't depend
//! smoothly has a zero sensitivity; an argument that is discrete has the sensitivity `()`.

use calculus::Prim;

use super::row::{Class, Row, Values, degenerate, empty, int, mixed, scalar_array, smooth, structured};

const fn row(prim: Prim, values: Values) -> Row {
    Row::other(prim, &[], values)
}

const SMOOTH: (Class, &str) = (Class::Degenerate, "it has no singular points");

const DISCRETE: (Class, &str) = (Class::Degenerate, "its result is discrete: there is nothing to differentiate");

pub const ROWS: &[Row] = &[
    row(
        Prim::IntDiv,
        &[
            ("div(-7, 2)", "-4"),
            ("grad(x => x * div(7, 2))(2.0)", "3.0"),
            ("vjp(p => p.1 * div(p.0, 2), (7, 2.0)).1(1.0)", "((), 3.0)"),
        ],
    )
    .with(&[
        smooth("x => x^3 * div(7, 2)", &["0.7"]),
        int("x => x^3 * sum([div(n, 2) for n in [7, -7]])", &["0.7"]),
        mixed("p => p.1^3 * div(p.0, 2)", &["(7, 0.7)"]),
        empty("p => p.1^3 + sum(div(p.0, 2) * p.1)", &["(iota(0), 0.7)"]),
        scalar_array("x => div([7, 8], 2) * x^2", &["0.7"]),
        structured("r => r.b.0^2 * div(r.a, 2)", &["{a: 7, b: (0.7, 1)}"]),
    ])
    .without(&[DISCRETE]),
    row(Prim::IntMod, &[("mod(-7, 3)", "2"), ("grad(x => x * mod(7, 4))(2.0)", "3.0")])
        .with(&[
            smooth("x => x^3 * mod(7, 4)", &["0.7"]),
            int("x => x^3 * sum([mod(n, 4) for n in [7, -7]])", &["0.7"]),
            mixed("p => p.1^3 * mod(p.0, 2)", &["(7, 0.7)"]),
            empty("p => p.1^3 + sum(mod(p.0, 2) * p.1)", &["(iota(0), 0.7)"]),
            scalar_array("x => mod([7, 8], 3) * x^2", &["0.7"]),
            structured("r => r.b.0^2 * mod(r.a, 2)", &["{a: 7, b: (0.7, 1)}"]),
        ])
        .without(&[DISCRETE]),
    Row::unary(
        Prim::Sign,
        &[smooth("sign", &["1.5", "-2.0"]), smooth("x => x^2 * sign(x)", &["1.5", "-2.0"])],
        &[("sign(0.0)", "0.0"), ("sign(-3)", "-1"), ("grad(sign)(0.0)", "0.0"), ("sign(nan)", "nan")],
    )
    .with(&[degenerate("sign", &["0.0"]).like("x => 0.0 * x")]),
    row(
        Prim::Eq,
        &[
            ("grad(x => if eq(x, 2.0) { x^2 } else { x })(2.0)", "4.0"),
            ("nan == nan", "false"),
            ("0.0 == -0.0", "true"),
            ("[] == []", "true"),
        ],
    )
    .with(&[
        smooth("x => if eq(x, 0.5) { x^3 } else { x^2 }", &["0.7"]),
        int("x => if eq(3, 2) { x^3 } else { x^2 }", &["0.7"]),
        mixed("p => if eq(p.0, p.1) { p.1^3 } else { p.1^2 }", &["(2, 0.7)"]),
        empty("p => if eq(p.0, p.0) { p.1^3 } else { p.1^2 }", &["(zeros(0), 0.7)"]),
        scalar_array("v => if eq(v, v) { v^3 } else { v^2 }", &["[0.5, 0.7]"]),
        structured("r => if eq(r.a, r.b.0) { r.a^3 } else { r.a^2 }", &["{a: 0.5, b: (0.7, 1)}"]),
    ])
    .without(&[DISCRETE]),
    row(Prim::Ne, &[("grad(x => if ne(x, 2.0) { x^2 } else { x })(3.0)", "6.0"), ("nan != nan", "true")])
        .with(&[
            smooth("x => if ne(x, 0.5) { x^3 } else { x^2 }", &["0.7"]),
            int("x => if ne(3, 2) { x^3 } else { x^2 }", &["0.7"]),
            mixed("p => if ne(p.0, p.1) { p.1^3 } else { p.1^2 }", &["(2, 0.7)"]),
            empty("p => if ne(p.0, p.0) { p.1^3 } else { p.1^2 }", &["(zeros(0), 0.7)"]),
            scalar_array("v => if ne(v, v) { v^3 } else { v^2 }", &["[0.5, 0.7]"]),
            structured("r => if ne(r.a, r.b.0) { r.a^3 } else { r.a^2 }", &["{a: 0.5, b: (0.7, 1)}"]),
        ])
        .without(&[DISCRETE]),
    row(
        Prim::Lt,
        &[("grad(x => if lt(x, 2.0) { x^2 } else { x })(1.5)", "3.0"), ("nan < 1.0", "false"), ("-inf < inf", "true")],
    )
    .with(&[
        smooth("x => if lt(x, 0.5) { x^3 } else { x^2 }", &["0.7"]),
        int("x => if lt(3, 2) { x^3 } else { x^2 }", &["0.7"]),
        mixed("p => if lt(p.0, p.1) { p.1^3 } else { p.1^2 }", &["(2, 0.7)"]),
        empty("p => if any(lt(p.0, p.0)) { p.1^3 } else { p.1^2 }", &["(zeros(0), 0.7)"]),
        scalar_array("v => if any(lt(v, v[0] + 0.1)) { v^3 } else { v^2 }", &["[0.5, 0.7]"]),
        structured("r => if lt(r.a, r.b.0) { r.a^3 } else { r.a^2 }", &["{a: 0.5, b: (0.7, 1)}"]),
    ])
    .without(&[DISCRETE]),
    row(Prim::Le, &[("grad(x => if le(x, 2.0) { x^2 } else { x })(2.0)", "4.0"), ("nan <= nan", "false")])
        .with(&[
            smooth("x => if le(x, 0.5) { x^3 } else { x^2 }", &["0.7"]),
            int("x => if le(3, 2) { x^3 } else { x^2 }", &["0.7"]),
            mixed("p => if le(p.0, p.1) { p.1^3 } else { p.1^2 }", &["(2, 0.7)"]),
            empty("p => if any(le(p.0, p.0)) { p.1^3 } else { p.1^2 }", &["(zeros(0), 0.7)"]),
            scalar_array("v => if any(le(v, v[0] + 0.1)) { v^3 } else { v^2 }", &["[0.5, 0.7]"]),
            structured("r => if le(r.a, r.b.0) { r.a^3 } else { r.a^2 }", &["{a: 0.5, b: (0.7, 1)}"]),
        ])
        .without(&[DISCRETE]),
    row(Prim::Gt, &[("grad(x => if gt(x, 2.0) { x^2 } else { x })(3.0)", "6.0"), ("0.0 > -0.0", "false")])
        .with(&[
            smooth("x => if gt(x, 0.5) { x^3 } else { x^2 }", &["0.7"]),
            int("x => if gt(3, 2) { x^3 } else { x^2 }", &["0.7"]),
            mixed("p => if gt(p.0, p.1) { p.1^3 } else { p.1^2 }", &["(2, 0.7)"]),
            empty("p => if any(gt(p.0, p.0)) { p.1^3 } else { p.1^2 }", &["(zeros(0), 0.7)"]),
            scalar_array("v => if any(gt(v, v[0] + 0.1)) { v^3 } else { v^2 }", &["[0.5, 0.7]"]),
            structured("r => if gt(r.a, r.b.0) { r.a^3 } else { r.a^2 }", &["{a: 0.5, b: (0.7, 1)}"]),
        ])
        .without(&[DISCRETE]),
    row(Prim::Ge, &[("grad(x => if ge(x, 2.0) { x^2 } else { x })(2.0)", "4.0"), ("nan >= nan", "false")])
        .with(&[
            smooth("x => if ge(x, 0.5) { x^3 } else { x^2 }", &["0.7"]),
            int("x => if ge(3, 2) { x^3 } else { x^2 }", &["0.7"]),
            mixed("p => if ge(p.0, p.1) { p.1^3 } else { p.1^2 }", &["(2, 0.7)"]),
            empty("p => if any(ge(p.0, p.0)) { p.1^3 } else { p.1^2 }", &["(zeros(0), 0.7)"]),
            scalar_array("v => if any(ge(v, v[0] + 0.1)) { v^3 } else { v^2 }", &["[0.5, 0.7]"]),
            structured("r => if ge(r.a, r.b.0) { r.a^3 } else { r.a^2 }", &["{a: 0.5, b: (0.7, 1)}"]),
        ])
        .without(&[DISCRETE]),
    row(
        Prim::Not,
        &[
            ("grad(x => if !(x < 2.0) { x^2 } else { x })(3.0)", "6.0"),
            ("vjp(p => if !p.0 { p.1 } else { 0.0 }, (false, 2.0)).1(1.0)", "((), 1.0)"),
        ],
    )
    .with(&[
        smooth("x => if not(x > 0.5) { x^3 } else { x^2 }", &["0.7"]),
        int("x => if not(3 > 2) { x^3 } else { x^2 }", &["0.7"]),
        mixed("p => if not(p.0 > p.1) { p.1^3 } else { p.1^2 }", &["(2, 0.7)"]),
        empty("p => if any(not(p.0 > 0.0)) { p.1^3 } else { p.1^2 }", &["(zeros(0), 0.7)"]),
        scalar_array("v => if any(not(v > 0.6)) { v^3 } else { v^2 }", &["[0.5, 0.7]"]),
        structured("r => if not(r.a > 0.6) { r.a^3 } else { r.a^2 }", &["{a: 0.5, b: (0.7, 1)}"]),
    ])
    .without(&[DISCRETE]),
    Row::unary(
        Prim::Floor,
        &[smooth("floor", &["1.5", "-1.5"]), smooth("x => x^2 * floor(x)", &["2.5"])],
        &[("floor(-0.5)", "-1.0"), ("floor(-inf)", "-inf"), ("grad(floor)(2.0)", "0.0")],
    )
    .with(&[degenerate("floor", &["2.0"]).like("x => 0.0 * x")]),
    Row::unary(
        Prim::Ceil,
        &[smooth("ceil", &["1.5", "-1.5"]), smooth("x => x^2 * ceil(x)", &["2.5"])],
        &[("ceil(-0.5)", "0.0"), ("ceil(inf)", "inf")],
    )
    .with(&[degenerate("ceil", &["2.0"]).like("x => 0.0 * x")]),
    Row::unary(
        Prim::Round,
        &[smooth("round", &["1.4", "-1.4"]), smooth("x => x^2 * round(x)", &["2.2"])],
        &[("round(2.5)", "2.0"), ("round(3.5)", "4.0")],
    )
    .with(&[degenerate("round", &["2.5"]).like("x => 0.0 * x")]),
    Row::unary(
        Prim::Trunc,
        &[smooth("trunc", &["1.5", "-1.5"]), smooth("x => x^2 * trunc(x)", &["2.5"])],
        &[("trunc(-1.5)", "-1.0")],
    )
    .with(&[degenerate("trunc", &["2.0"]).like("x => 0.0 * x")]),
    Row::unary(
        Prim::Real,
        &[smooth("real", &["1.5"]), smooth("x => real(x)^3", &["1.5"])],
        &[
            ("real(3)", "3.0"),
            ("vjp(p => real(p.0) * p.1, (3, 2.0)).1(1.0)", "((), 3.0)"),
            ("real([1, 2])", "[1.0, 2.0]"),
        ],
    )
    .without(&[SMOOTH]),
    row(Prim::Int, &[("int(-1.5)", "-1"), ("grad(x => x * int(x))(2.5)", "2.0"), ("int([1.5, 2.5])", "[1, 2]")]).with(
        &[
            smooth("x => x^2 * int(3 * x)", &["0.7"]),
            int("x => x^2 * int(3)", &["0.7"]),
            mixed("p => p.1^2 * int(p.0) * int(5 * p.1)", &["(7, 0.7)"]),
            empty("p => p.1^3 + sum(int(p.0) * p.1)", &["(zeros(0), 0.7)"]),
            scalar_array("v => int(3 * v) * v^2", &["[0.7, 0.5]"]),
            structured("r => r.b.0^2 * int(3 * r.a)", &["{a: 0.5, b: (0.7, 1)}"]),
            degenerate("x => int(x) * x^2", &["2.0"]).like("x => 2 * x^2"),
        ],
    ),
    row(
        Prim::IsNan,
        &[
            ("is_nan(nan)", "true"),
            ("is_nan(1.0)", "false"),
            ("grad(x => if is_nan(x) { 1.0 } else { x^2 })(2.0)", "4.0"),
        ],
    )
    .with(&[
        smooth("x => if is_nan(x) { x^3 } else { x^2 }", &["0.7"]),
        int("x => if is_nan(3) { x^3 } else { x^2 }", &["0.7"]),
        mixed("p => if is_nan(p.0) { p.1^3 } else { p.1^2 }", &["(2, 0.7)"]),
        empty("p => if any(is_nan(p.0)) { p.1^3 } else { p.1^2 }", &["(zeros(0), 0.7)"]),
        scalar_array("v => if any(is_nan(v)) { v^3 } else { v^2 }", &["[0.5, 0.7]"]),
        structured("r => if is_nan(r.b.0) { r.a^3 } else { r.a^2 }", &["{a: 0.5, b: (0.7, 1)}"]),
    ])
    .without(&[DISCRETE]),
    row(
        Prim::IsFinite,
        &[
            ("is_finite(-inf)", "false"),
            ("is_finite(nan)", "false"),
            ("grad(x => if is_finite(x) { x^2 } else { x })(2.0)", "4.0"),
        ],
    )
    .with(&[
        smooth("x => if is_finite(x) { x^3 } else { x^2 }", &["0.7"]),
        int("x => if is_finite(3) { x^3 } else { x^2 }", &["0.7"]),
        mixed("p => if is_finite(p.0) { p.1^3 } else { p.1^2 }", &["(2, 0.7)"]),
        empty("p => if any(is_finite(p.0)) { p.1^3 } else { p.1^2 }", &["(zeros(0), 0.7)"]),
        scalar_array("v => if any(is_finite(v)) { v^3 } else { v^2 }", &["[0.5, 0.7]"]),
        structured("r => if is_finite(r.b.0) { r.a^3 } else { r.a^2 }", &["{a: 0.5, b: (0.7, 1)}"]),
    ])
    .without(&[DISCRETE]),
    row(Prim::IsInt, &[("is_int(3)", "true"), ("grad(x => if is_int(x) { x } else { x^2 })(2.0)", "4.0")])
        .with(&[
            smooth("x => if is_int(x) { x^3 } else { x^2 }", &["0.7"]),
            int("x => if is_int(3) { x^3 } else { x^2 }", &["0.7"]),
            mixed("p => if is_int(p.0) { p.1^3 } else { p.1^2 }", &["(2, 0.7)"]),
            empty("p => if is_int(p.0) { p.1^3 } else { p.1^2 }", &["(zeros(0), 0.7)"]),
            scalar_array("v => if is_int(v) { v^3 } else { v^2 }", &["[0.5, 0.7]"]),
            structured("r => if is_int(r.b.0) { r.a^3 } else { r.a^2 }", &["{a: 0.5, b: (0.7, 1)}"]),
        ])
        .without(&[DISCRETE]),
    row(Prim::IsReal, &[("is_real(3)", "false"), ("grad(x => if is_real(x) { x^2 } else { x })(2.0)", "4.0")])
        .with(&[
            smooth("x => if is_real(x) { x^3 } else { x^2 }", &["0.7"]),
            int("x => if is_real(3) { x^3 } else { x^2 }", &["0.7"]),
            mixed("p => if is_real(p.0) { p.1^3 } else { p.1^2 }", &["(2, 0.7)"]),
            empty("p => if is_real(p.0) { p.1^3 } else { p.1^2 }", &["(zeros(0), 0.7)"]),
            scalar_array("v => if is_real(v) { v^3 } else { v^2 }", &["[0.5, 0.7]"]),
            structured("r => if is_real(r.b.0) { r.a^3 } else { r.a^2 }", &["{a: 0.5, b: (0.7, 1)}"]),
        ])
        .without(&[DISCRETE]),
    row(Prim::IsArray, &[("is_array([])", "true"), ("grad(x => if is_array(x) { x } else { x^2 })(2.0)", "4.0")])
        .with(&[
            smooth("x => if is_array(x) { x^3 } else { x^2 }", &["0.7"]),
            int("x => if is_array(3) { x^3 } else { x^2 }", &["0.7"]),
            mixed("p => if is_array(p.0) { p.1^3 } else { p.1^2 }", &["(2, 0.7)"]),
            empty("p => if is_array(p.0) { p.1^3 } else { p.1^2 }", &["(zeros(0), 0.7)"]),
            scalar_array("v => if is_array(v) { v^3 } else { v^2 }", &["[0.5, 0.7]"]),
            structured("r => if is_array(r.b.0) { r.a^3 } else { r.a^2 }", &["{a: 0.5, b: (0.7, 1)}"]),
        ])
        .without(&[DISCRETE]),
    row(
        Prim::IsTuple,
        &[("is_tuple((1, 2))", "true"), ("grad(p => if is_tuple(p) { p.0^2 } else { p })(2.0, 1.0)", "(4.0, 0.0)")],
    )
    .with(&[
        smooth("x => if is_tuple(x) { x^3 } else { x^2 }", &["0.7"]),
        int("x => if is_tuple(3) { x^3 } else { x^2 }", &["0.7"]),
        mixed("p => if is_tuple(p.0) { p.1^3 } else { p.1^2 }", &["(2, 0.7)"]),
        empty("p => if is_tuple(p.0) { p.1^3 } else { p.1^2 }", &["(zeros(0), 0.7)"]),
        scalar_array("v => if is_tuple(v) { v^3 } else { v^2 }", &["[0.5, 0.7]"]),
        structured("r => if is_tuple(r.b.0) { r.a^3 } else { r.a^2 }", &["{a: 0.5, b: (0.7, 1)}"]),
    ])
    .without(&[DISCRETE]),
    row(
        Prim::IsFunction,
        &[
            ("is_function(sin)", "true"),
            ("grad(f => if is_function(f) { f(2.0) } else { f })(sin)", "{}"),
            ("grad(x => if is_function(x => x) { x^2 } else { x })(2.0)", "4.0"),
        ],
    )
    .with(&[
        smooth("x => if is_function(x) { x^3 } else { x^2 }", &["0.7"]),
        int("x => if is_function(3) { x^3 } else { x^2 }", &["0.7"]),
        mixed("p => if is_function(p.0) { p.1^3 } else { p.1^2 }", &["(2, 0.7)"]),
        empty("p => if is_function(p.0) { p.1^3 } else { p.1^2 }", &["(zeros(0), 0.7)"]),
        scalar_array("v => if is_function(v) { v^3 } else { v^2 }", &["[0.5, 0.7]"]),
        structured("r => if is_function(r.b.0) { r.a^3 } else { r.a^2 }", &["{a: 0.5, b: (0.7, 1)}"]),
    ])
    .without(&[DISCRETE]),
    row(Prim::Len, &[("len([])", "0"), ("len([[1, 2]])", "1"), ("grad(v => len(v) * v[0])([2.0, 3.0])", "[2.0, 0.0]")])
        .with(&[
            smooth("v => len(v) * v^2", &["[0.5, 0.7]"]),
            int("x => len([1, 2]) * x^2", &["0.7"]),
            mixed("p => len(p.0) * p.1^2", &["([1, 2], 0.7)"]),
            empty("p => len(p.0) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("m => len(m) * m^2", &["[[0.5, 0.7]]"]),
            structured("xs => len(xs) * xs[0].a^2", &["[{a: 0.5}, {a: 0.7}]"]),
        ])
        .without(&[DISCRETE]),
    row(
        Prim::Shape,
        &[
            ("shape([[1, 2]])", "[1, 2]"),
            ("shape([])", "[0]"),
            ("grad(v => shape(v)[0] * v[0])([2.0, 3.0])", "[2.0, 0.0]"),
        ],
    )
    .with(&[
        smooth("v => shape(v)[0] * v^2", &["[0.5, 0.7]"]),
        int("x => shape([[1, 2]]) * x^2", &["0.7"]),
        mixed("p => shape(p.0)[0] * p.1^2", &["([1, 2], 0.7)"]),
        empty("p => shape(p.0)[0] + p.1^3", &["(zeros(0), 0.7)"]),
        scalar_array("m => shape(m) * m[0]^2", &["[[0.5, 0.7]]"]),
        structured("xs => shape(xs)[0] * xs[0].a^2", &["[{a: 0.5}, {a: 0.7}]"]),
    ])
    .without(&[DISCRETE]),
    row(Prim::Iota, &[("iota(0)", "[]"), ("grad(x => sum(x * iota(4)))(2.0)", "6.0")])
        .with(&[
            smooth("x => iota(3) * x^2", &["0.7"]),
            int("x => {iota(3) with [0]: x^2}", &["0.7"]),
            mixed("p => iota(p.0) * p.1^2", &["(3, 0.7)"]),
            empty("p => sum(iota(0) * p) + p^3", &["0.7"]),
            scalar_array("x => (iota(3) + x)^2", &["0.7"]),
            structured("r => sum(iota(r.b.1) * r.b.0^2)", &["{a: 0.5, b: (0.7, 2)}"]),
        ])
        .without(&[DISCRETE]),
    row(
        Prim::ArgMin,
        &[("argmin([3.0, 1.0, 1.0])", "1"), ("grad(v => v[argmin(v)])([3.0, 1.0, 1.0])", "[0.0, 1.0, 0.0]")],
    )
    .with(&[
        smooth("v => v[argmin(v)]^3", &["[0.9, 0.5, 0.7]"]),
        int("x => argmin([3, 1, 2]) * x^2", &["0.7"]),
        mixed("x => argmin([1, x]) * x^2", &["0.7"]),
        empty("p => if len(p.0) == 0 { p.1^3 } else { argmin(p.0) * p.1 }", &["(zeros(0), 0.7)"]),
        scalar_array("x => argmin([x, 2 * x, 0.5 * x]) * x^2", &["0.7"]),
        structured("xs => xs[argmin([r.a for r in xs])].b^2", &["[{a: 0.5, b: 0.7}, {a: 0.3, b: 0.9}]"]),
        degenerate("v => v[argmin(v)]^2", &["[0.9, 0.5, 0.5]"]).like("v => v[1]^2"),
    ]),
    row(
        Prim::ArgMax,
        &[("argmax([3.0, 1.0, 3.0])", "0"), ("grad(v => v[argmax(v)]^2)([3.0, 1.0, 3.0])", "[6.0, 0.0, 0.0]")],
    )
    .with(&[
        smooth("v => v[argmax(v)]^3", &["[0.5, 0.9, 0.7]"]),
        int("x => argmax([1, 3, 2]) * x^2", &["0.7"]),
        mixed("x => argmax([0, x]) * x^2", &["0.7"]),
        empty("p => if len(p.0) == 0 { p.1^3 } else { argmax(p.0) * p.1 }", &["(zeros(0), 0.7)"]),
        scalar_array("x => argmax([x, 0.2 * x, 1.5 * x]) * x^2", &["0.7"]),
        structured("xs => xs[argmax([r.a for r in xs])].b^2", &["[{a: 0.5, b: 0.7}, {a: 0.8, b: 0.9}]"]),
        degenerate("v => v[argmax(v)]^2", &["[0.5, 0.9, 0.9]"]).like("v => v[1]^2"),
    ]),
    row(
        Prim::ArgSort,
        &[
            ("argsort([3.0, 1.0, 3.0, 2.0])", "[1, 3, 0, 2]"),
            ("argsort([])", "[]"),
            ("grad(v => sort(v)[0])([3.0, 1.0])", "[0.0, 1.0]"),
            ("argsort([nan, 1.0, -inf])", "[2, 1, 0]"),
        ],
    )
    .with(&[
        smooth("v => argsort(v) * v^2", &["[0.9, 0.5, 0.7]"]),
        int("x => argsort([3, 1, 2]) * x^2", &["0.7"]),
        mixed("x => argsort([1, x, 0]) * x^2", &["0.7"]),
        empty("p => sum(argsort(p.0) * p.1) + p.1^3", &["(zeros(0), 0.7)"]),
        scalar_array("x => argsort([x, 0.2 * x, 1.5 * x]) * x^2", &["0.7"]),
        structured(
            "xs => gather([r.b^2 for r in xs], argsort([r.a for r in xs]))",
            &["[{a: 0.5, b: 0.7}, {a: 0.3, b: 0.9}]"],
        ),
        degenerate("v => gather(v^2, argsort(v))", &["[0.9, 0.5, 0.5]"]).like("v => [v[1]^2, v[2]^2, v[0]^2]"),
    ]),
    row(
        Prim::Where,
        &[
            ("where([true, false, true])", "[0, 2]"),
            ("where([])", "[]"),
            ("grad(v => sum([x^2 for x in v if x > 1.5]))([1.0, 2.0, 3.0])", "[0.0, 4.0, 6.0]"),
        ],
    )
    .with(&[
        smooth("v => gather(v^2, where(v > 0.6))", &["[0.9, 0.5, 0.7]"]),
        int("x => where([1, 2, 3] > 1) * x^2", &["0.7"]),
        mixed("p => gather(p.1^2, where(p.0 > 1))", &["([1, 2], [0.5, 0.7])"]),
        empty("p => sum(where(p.0 > 0.0) * p.1) + p.1^3", &["(zeros(0), 0.7)"]),
        scalar_array("x => where([x, 0.2 * x] > 0.5 * x) * x^2 + x^3", &["0.7"]),
        structured(
            "xs => sum(xs[i].b^2 for i in where([r.a > 0.4 for r in xs]))",
            &["[{a: 0.5, b: 0.7}, {a: 0.3, b: 0.9}]"],
        ),
    ])
    .without(&[DISCRETE]),
    row(
        Prim::Show,
        &[
            ("show(1.5)", "\"1.5\""),
            ("grad(x => { let t = show(x); x^2 })(2.0)", "4.0"),
            ("grad(a => { let t = show(x => a * x); a^2 })(2.0)", "4.0"),
        ],
    )
    .with(&[
        smooth("x => { let t = show(x); x^3 + len(t) * 0 }", &["0.7"]),
        int("x => { let t = show(3); len(t) * x^2 }", &["0.7"]),
        mixed("p => { let t = show(p.0); len(t) * p.1^2 }", &["(2, 0.7)"]),
        empty("p => { let t = show(p.0); p.1^3 }", &["(zeros(0), 0.7)"]),
        scalar_array("v => { let t = show(v); v^3 }", &["[0.5, 0.7]"]),
        structured("r => { let t = show(r.b.1); len(t) * r.a^2 }", &["{a: 0.5, b: (0.7, 1)}"]),
    ])
    .without(&[DISCRETE]),
    row(
        Prim::Join,
        &[
            ("join(\"a\", \"b\")", "\"ab\""),
            ("grad(x => if join(\"a\", \"b\") == \"ab\" { x^2 } else { x })(2.0)", "4.0"),
        ],
    )
    .with(&[
        smooth("x => if join(\"a\", \"b\") == \"ab\" { x^3 } else { x }", &["0.7"]),
        int("x => len(join(\"a\", \"b\")) * x^3", &["0.7"]),
        mixed("p => len(join(\"a\", \"b\")) * p.0 * p.1^3", &["(2, 0.7)"]),
        empty("p => len(join(\"\", \"\")) * p.1 + p.1^3", &["(zeros(0), 0.7)"]),
        scalar_array("v => len(join(\"a\", \"b\")) * v^3", &["[0.5, 0.7]"]),
        structured("r => len(join(\"a\", \"b\")) * r.a^3", &["{a: 0.5, b: (0.7, 1)}"]),
    ])
    .without(&[DISCRETE]),
    row(
        Prim::Trim,
        &[("trim(\" a b\\n\")", "\"a b\""), ("grad(x => if trim(\" a\") == \"a\" { x^2 } else { x })(2.0)", "4.0")],
    )
    .with(&[
        smooth("x => len(trim(\" ab \")) * x^3", &["0.7"]),
        int("x => len(trim(\" ab \")) * x^2", &["0.7"]),
        mixed("p => len(trim(\" ab \")) * p.0 * p.1^3", &["(2, 0.7)"]),
        empty("p => len(trim(\" ab \")) * sum(p.0) + p.1^3", &["(zeros(0), 0.7)"]),
        scalar_array("v => len(trim(\" ab \")) * v^3", &["[0.5, 0.7]"]),
        structured("r => len(trim(\" ab \")) * r.a^3", &["{a: 0.5, b: (0.7, 1)}"]),
    ])
    .without(&[DISCRETE]),
    row(Prim::Find, &[("find(\"αβγ\", \"γ\")", "2"), ("find(\"abc\", \"d\")", "-1")])
        .with(&[
            smooth("x => find(\"abc\", \"c\") * x^3", &["0.7"]),
            int("x => find(\"abc\", \"c\") * x^2", &["0.7"]),
            mixed("p => find(\"abc\", \"c\") * p.0 * p.1^3", &["(2, 0.7)"]),
            empty("p => find(\"abc\", \"c\") * sum(p.0) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("v => find(\"abc\", \"c\") * v^3", &["[0.5, 0.7]"]),
            structured("r => find(\"abc\", \"c\") * r.a^3", &["{a: 0.5, b: (0.7, 1)}"]),
        ])
        .without(&[DISCRETE]),
    row(Prim::Replace, &[("replace(\"a-b-c\", \"-\", \"\")", "\"abc\"")])
        .with(&[
            smooth("x => len(replace(\"a-b\", \"-\", \"\")) * x^3", &["0.7"]),
            int("x => len(replace(\"a-b\", \"-\", \"\")) * x^2", &["0.7"]),
            mixed("p => len(replace(\"a-b\", \"-\", \"\")) * p.0 * p.1^3", &["(2, 0.7)"]),
            empty("p => len(replace(\"a-b\", \"-\", \"\")) * sum(p.0) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("v => len(replace(\"a-b\", \"-\", \"\")) * v^3", &["[0.5, 0.7]"]),
            structured("r => len(replace(\"a-b\", \"-\", \"\")) * r.a^3", &["{a: 0.5, b: (0.7, 1)}"]),
        ])
        .without(&[DISCRETE]),
    row(Prim::ToUpper, &[("to_upper(\"aß\")", "\"ASS\"")])
        .with(&[
            smooth("x => len(to_upper(\"aß\")) * x^3", &["0.7"]),
            int("x => len(to_upper(\"aß\")) * x^2", &["0.7"]),
            mixed("p => len(to_upper(\"aß\")) * p.0 * p.1^3", &["(2, 0.7)"]),
            empty("p => len(to_upper(\"aß\")) * sum(p.0) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("v => len(to_upper(\"aß\")) * v^3", &["[0.5, 0.7]"]),
            structured("r => len(to_upper(\"aß\")) * r.a^3", &["{a: 0.5, b: (0.7, 1)}"]),
        ])
        .without(&[DISCRETE]),
    row(Prim::ToLower, &[("to_lower(\"AΘ\")", "\"aθ\"")])
        .with(&[
            smooth("x => len(to_lower(\"AB\")) * x^3", &["0.7"]),
            int("x => len(to_lower(\"AB\")) * x^2", &["0.7"]),
            mixed("p => len(to_lower(\"AB\")) * p.0 * p.1^3", &["(2, 0.7)"]),
            empty("p => len(to_lower(\"AB\")) * sum(p.0) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("v => len(to_lower(\"AB\")) * v^3", &["[0.5, 0.7]"]),
            structured("r => len(to_lower(\"AB\")) * r.a^3", &["{a: 0.5, b: (0.7, 1)}"]),
        ])
        .without(&[DISCRETE]),
    row(Prim::ParseReal, &[("parse_real(\" -2.5e1 \")", "-25.0"), ("parse_real([\"1\", \"inf\"])", "[1.0, inf]")])
        .with(&[
            smooth("x => parse_real(\"2.5\") * x^3", &["0.7"]),
            int("x => parse_real(\"2.5\") * x^2", &["0.7"]),
            mixed("p => parse_real(\"2.5\") * p.0 * p.1^3", &["(2, 0.7)"]),
            empty("p => parse_real(\"2.5\") * sum(p.0) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("v => parse_real(\"2.5\") * v^3", &["[0.5, 0.7]"]),
            structured("r => parse_real(\"2.5\") * r.a^3", &["{a: 0.5, b: (0.7, 1)}"]),
        ])
        .without(&[DISCRETE]),
    row(Prim::ParseInt, &[("parse_int(\"-7\")", "-7"), ("parse_int([\"1\", \"2\"])", "[1, 2]")])
        .with(&[
            smooth("x => parse_int(\"3\") * x^3", &["0.7"]),
            int("x => parse_int(\"3\") * x^2", &["0.7"]),
            mixed("p => parse_int(\"3\") * p.0 * p.1^3", &["(2, 0.7)"]),
            empty("p => parse_int(\"3\") * sum(p.0) + p.1^3", &["(zeros(0), 0.7)"]),
            scalar_array("v => parse_int(\"3\") * v^3", &["[0.5, 0.7]"]),
            structured("r => parse_int(\"3\") * r.a^3", &["{a: 0.5, b: (0.7, 1)}"]),
        ])
        .without(&[DISCRETE]),
    row(
        Prim::Print,
        &[
            ("print(1.0)", "()"),
            ("grad(x => { print(x); x^2 })(2.0)", "4.0"),
            ("grad(grad(x => { print(x); x^3 }))(2.0)", "12.0"),
        ],
    )
    .with(&[
        smooth("x => { print(x); x^3 }", &["0.7"]),
        int("x => { print(3); x^3 }", &["0.7"]),
        mixed("p => { print(p); p.0 * p.1^3 }", &["(2, 0.7)"]),
        empty("p => { print(p.0); p.1^3 }", &["(zeros(0), 0.7)"]),
        scalar_array("v => { print(v); v^3 }", &["[0.5, 0.7]"]),
        structured("r => { print(r); r.a * r.b.0^3 }", &["{a: 0.5, b: (0.7, 1)}"]),
    ])
    .without(&[DISCRETE]),
    row(Prim::Error, &[("grad(x => if x > 5.0 { error(\"large\") } else { x^2 })(2.0)", "4.0")])
        .with(&[
            smooth("x => if x > 5.0 { error(\"large\") } else { x^3 }", &["0.7"]),
            int("x => if 3 > 5 { error(\"large\") } else { x^3 }", &["0.7"]),
            mixed("p => if p.0 > 5 { error(\"large\") } else { p.1^3 }", &["(2, 0.7)"]),
            empty("p => if len(p.0) > 5 { error(\"large\") } else { p.1^3 }", &["(zeros(0), 0.7)"]),
            scalar_array("v => if len(v) > 5 { error(\"large\") } else { v^3 }", &["[0.5, 0.7]"]),
            structured("r => if r.a > 5.0 { error(\"large\") } else { r.a^3 }", &["{a: 0.5, b: (0.7, 1)}"]),
        ])
        .without(&[DISCRETE]),
    row(Prim::Assert, &[("grad(x => { assert(x > 1.0); x^2 })(2.0)", "4.0")])
        .with(&[
            smooth("x => { assert(x > 0.1); x^3 }", &["0.7"]),
            int("x => { assert(3 > 1); x^3 }", &["0.7"]),
            mixed("p => { assert(p.0 > 1); p.0 * p.1^3 }", &["(2, 0.7)"]),
            empty("p => { assert(len(p.0) == 0); p.1^3 }", &["(zeros(0), 0.7)"]),
            scalar_array("v => { assert(len(v) == 2); v^3 }", &["[0.5, 0.7]"]),
            structured("r => { assert(r.a > 0.1); r.a * r.b.0^3 }", &["{a: 0.5, b: (0.7, 1)}"]),
        ])
        .without(&[DISCRETE]),
    row(
        Prim::Key,
        &[("key(1) == key(1)", "true"), ("grad(x => x * uniform(key(1), 1)[0])(2.0)", "uniform(key(1), 1)[0]")],
    )
    .with(&[
        smooth("x => x^2 * uniform(key(1), 1)[0]", &["0.7"]),
        int("x => x^2 * uniform(key(3), 1)[0]", &["0.7"]),
        mixed("p => p.1^2 * uniform(key(p.0), 1)[0]", &["(2, 0.7)"]),
        empty("p => p.1^2 * uniform(key(len(p.0)), 1)[0]", &["(zeros(0), 0.7)"]),
        scalar_array("v => v^2 * uniform(key(1), 2)", &["[0.5, 0.7]"]),
        structured("r => r.a^2 * uniform(key(r.b.1), 1)[0]", &["{a: 0.5, b: (0.7, 1)}"]),
    ])
    .without(&[DISCRETE]),
    row(
        Prim::Split,
        &[
            ("{ let (a, b) = split(key(1)); a == b }", "false"),
            ("grad(x => { let (k, l) = split(key(1)); x^2 })(2.0)", "4.0"),
        ],
    )
    .with(&[
        smooth("x => x^2 * uniform(split(key(1)).0, 1)[0]", &["0.7"]),
        int("x => x^2 * uniform(split(key(3)).1, 1)[0]", &["0.7"]),
        mixed("p => p.1^2 * uniform(split(key(p.0)).1, 1)[0]", &["(2, 0.7)"]),
        empty("p => p.1^2 * uniform(split(key(len(p.0))).0, 1)[0]", &["(zeros(0), 0.7)"]),
        scalar_array("v => v^2 * uniform(split(key(1)).0, 2)", &["[0.5, 0.7]"]),
        structured("r => r.a^2 * uniform(split(key(r.b.1)).0, 1)[0]", &["{a: 0.5, b: (0.7, 1)}"]),
    ])
    .without(&[DISCRETE]),
    row(
        Prim::FoldIn,
        &[
            ("fold_in(key(1), 1) == fold_in(key(1), 2)", "false"),
            ("grad(x => { let k = fold_in(key(1), 2); x^2 })(2.0)", "4.0"),
        ],
    )
    .with(&[
        smooth("x => x^2 * uniform(fold_in(key(1), 5), 1)[0]", &["0.7"]),
        int("x => x^2 * uniform(fold_in(key(3), 4), 1)[0]", &["0.7"]),
        mixed("p => p.1^2 * uniform(fold_in(key(1), p.0), 1)[0]", &["(2, 0.7)"]),
        empty("p => p.1^2 * uniform(fold_in(key(1), len(p.0)), 1)[0]", &["(zeros(0), 0.7)"]),
        scalar_array("v => v^2 * uniform(fold_in(key(1), 2), 2)", &["[0.5, 0.7]"]),
        structured("r => r.a^2 * uniform(fold_in(key(1), r.b.1), 1)[0]", &["{a: 0.5, b: (0.7, 1)}"]),
    ])
    .without(&[DISCRETE]),
    row(
        Prim::Uniform,
        &[
            ("uniform(key(1), 0)", "[]"),
            ("grad(x => sum(x * uniform(key(1), 3)))(2.0)", "sum(uniform(key(1), 3))"),
            ("all([u >= 0.0 && u < 1.0 for u in uniform(key(2), 100)])", "true"),
        ],
    )
    .with(&[
        smooth("x => x^2 * uniform(key(1), 3)", &["0.7"]),
        int("x => x^2 * sum(uniform(key(3), 2))", &["0.7"]),
        mixed("p => p.1^2 * uniform(key(1), p.0)", &["(2, 0.7)"]),
        empty("p => p.1^3 + sum(uniform(key(1), len(p.0)) * p.1)", &["(zeros(0), 0.7)"]),
        scalar_array("v => v^2 * uniform(key(1), 2)", &["[0.5, 0.7]"]),
        structured("r => r.a^2 * sum(uniform(key(1), r.b.1))", &["{a: 0.5, b: (0.7, 1)}"]),
    ])
    .without(&[DISCRETE]),
    row(
        Prim::Normal,
        &[
            ("normal(key(1), 0)", "[]"),
            ("grad(s => sum((1.0 + s * normal(key(1), 3))^2))(0.0)", "2 * sum(normal(key(1), 3))"),
        ],
    )
    .with(&[
        smooth("x => (1.0 + x * normal(key(1), 3))^2", &["0.7"]),
        int("x => x^2 * sum(normal(key(3), 2))", &["0.7"]),
        mixed("p => p.1^2 * normal(key(1), p.0)", &["(2, 0.7)"]),
        empty("p => p.1^3 + sum(normal(key(1), len(p.0)) * p.1)", &["(zeros(0), 0.7)"]),
        scalar_array("v => v^2 * normal(key(1), 2)", &["[0.5, 0.7]"]),
        structured("r => r.a^2 * sum(normal(key(1), r.b.1))", &["{a: 0.5, b: (0.7, 1)}"]),
    ])
    .without(&[DISCRETE]),
];
