//! What carries no derivative: comparisons, rounding, kinds, text, randomness. A real result that doesn't depend
//! smoothly has a zero sensitivity; an argument that is discrete has the sensitivity `()`.

use calculus::Prim;

use crate::row::{Row, Values, smooth};

const fn row(prim: Prim, values: Values) -> Row {
    Row::other(prim, &[], values)
}

pub const ROWS: &[Row] = &[
    row(
        Prim::IntDiv,
        &[
            ("div(-7, 2)", "-4"),
            ("grad(x => x * div(7, 2))(2.0)", "3.0"),
            ("vjp(p => p.1 * div(p.0, 2), (7, 2.0)).1(1.0)", "((), 3.0)"),
        ],
    ),
    row(Prim::IntMod, &[("mod(-7, 3)", "2"), ("grad(x => x * mod(7, 4))(2.0)", "3.0")]),
    Row::unary(
        Prim::Sign,
        &[smooth("sign", &["1.5", "-2.0"]), smooth("x => x^2 * sign(x)", &["1.5", "-2.0"])],
        &[("sign(0.0)", "0.0"), ("sign(-3)", "-1"), ("grad(sign)(0.0)", "0.0"), ("sign(nan)", "nan")],
    ),
    row(
        Prim::Eq,
        &[
            ("grad(x => if eq(x, 2.0) { x^2 } else { x })(2.0)", "4.0"),
            ("nan == nan", "false"),
            ("0.0 == -0.0", "true"),
            ("[] == []", "true"),
        ],
    ),
    row(Prim::Ne, &[("grad(x => if ne(x, 2.0) { x^2 } else { x })(3.0)", "6.0"), ("nan != nan", "true")]),
    row(
        Prim::Lt,
        &[("grad(x => if lt(x, 2.0) { x^2 } else { x })(1.5)", "3.0"), ("nan < 1.0", "false"), ("-inf < inf", "true")],
    ),
    row(Prim::Le, &[("grad(x => if le(x, 2.0) { x^2 } else { x })(2.0)", "4.0"), ("nan <= nan", "false")]),
    row(Prim::Gt, &[("grad(x => if gt(x, 2.0) { x^2 } else { x })(3.0)", "6.0"), ("0.0 > -0.0", "false")]),
    row(Prim::Ge, &[("grad(x => if ge(x, 2.0) { x^2 } else { x })(2.0)", "4.0"), ("nan >= nan", "false")]),
    row(
        Prim::Not,
        &[
            ("grad(x => if !(x < 2.0) { x^2 } else { x })(3.0)", "6.0"),
            ("vjp(p => if !p.0 { p.1 } else { 0.0 }, (false, 2.0)).1(1.0)", "((), 1.0)"),
        ],
    ),
    Row::unary(
        Prim::Floor,
        &[smooth("floor", &["1.5", "-1.5"]), smooth("x => x^2 * floor(x)", &["2.5"])],
        &[("floor(-0.5)", "-1.0"), ("floor(-inf)", "-inf"), ("grad(floor)(2.0)", "0.0")],
    ),
    Row::unary(
        Prim::Ceil,
        &[smooth("ceil", &["1.5", "-1.5"]), smooth("x => x^2 * ceil(x)", &["2.5"])],
        &[("ceil(-0.5)", "0.0"), ("ceil(inf)", "inf")],
    ),
    Row::unary(
        Prim::Round,
        &[smooth("round", &["1.4", "-1.4"]), smooth("x => x^2 * round(x)", &["2.2"])],
        &[("round(2.5)", "2.0"), ("round(3.5)", "4.0")],
    ),
    Row::unary(
        Prim::Trunc,
        &[smooth("trunc", &["1.5", "-1.5"]), smooth("x => x^2 * trunc(x)", &["2.5"])],
        &[("trunc(-1.5)", "-1.0")],
    ),
    Row::unary(
        Prim::Real,
        &[smooth("real", &["1.5"]), smooth("x => real(x)^3", &["1.5"])],
        &[
            ("real(3)", "3.0"),
            ("vjp(p => real(p.0) * p.1, (3, 2.0)).1(1.0)", "((), 3.0)"),
            ("real([1, 2])", "[1.0, 2.0]"),
        ],
    ),
    row(Prim::Int, &[("int(-1.5)", "-1"), ("grad(x => x * int(x))(2.5)", "2.0"), ("int([1.5, 2.5])", "[1, 2]")]),
    row(
        Prim::IsNan,
        &[
            ("is_nan(nan)", "true"),
            ("is_nan(1.0)", "false"),
            ("grad(x => if is_nan(x) { 1.0 } else { x^2 })(2.0)", "4.0"),
        ],
    ),
    row(
        Prim::IsFinite,
        &[
            ("is_finite(-inf)", "false"),
            ("is_finite(nan)", "false"),
            ("grad(x => if is_finite(x) { x^2 } else { x })(2.0)", "4.0"),
        ],
    ),
    row(Prim::IsInt, &[("is_int(3)", "true"), ("grad(x => if is_int(x) { x } else { x^2 })(2.0)", "4.0")]),
    row(Prim::IsReal, &[("is_real(3)", "false"), ("grad(x => if is_real(x) { x^2 } else { x })(2.0)", "4.0")]),
    row(Prim::IsArray, &[("is_array([])", "true"), ("grad(x => if is_array(x) { x } else { x^2 })(2.0)", "4.0")]),
    row(
        Prim::IsTuple,
        &[("is_tuple((1, 2))", "true"), ("grad(p => if is_tuple(p) { p.0^2 } else { p })(2.0, 1.0)", "(4.0, 0.0)")],
    ),
    row(
        Prim::IsFunction,
        &[
            ("is_function(sin)", "true"),
            ("grad(f => if is_function(f) { f(2.0) } else { f })(sin)", "{}"),
            ("grad(x => if is_function(x => x) { x^2 } else { x })(2.0)", "4.0"),
        ],
    ),
    row(Prim::Len, &[("len([])", "0"), ("len([[1, 2]])", "1"), ("grad(v => len(v) * v[0])([2.0, 3.0])", "[2.0, 0.0]")]),
    row(
        Prim::Shape,
        &[
            ("shape([[1, 2]])", "[1, 2]"),
            ("shape([])", "[0]"),
            ("grad(v => shape(v)[0] * v[0])([2.0, 3.0])", "[2.0, 0.0]"),
        ],
    ),
    row(Prim::Iota, &[("iota(0)", "[]"), ("grad(x => sum(x * iota(4)))(2.0)", "6.0")]),
    row(
        Prim::ArgMin,
        &[("argmin([3.0, 1.0, 1.0])", "1"), ("grad(v => v[argmin(v)])([3.0, 1.0, 1.0])", "[0.0, 1.0, 0.0]")],
    ),
    row(
        Prim::ArgMax,
        &[("argmax([3.0, 1.0, 3.0])", "0"), ("grad(v => v[argmax(v)]^2)([3.0, 1.0, 3.0])", "[6.0, 0.0, 0.0]")],
    ),
    row(
        Prim::ArgSort,
        &[
            ("argsort([3.0, 1.0, 3.0, 2.0])", "[1, 3, 0, 2]"),
            ("argsort([])", "[]"),
            ("grad(v => sort(v)[0])([3.0, 1.0])", "[0.0, 1.0]"),
            ("argsort([nan, 1.0, -inf])", "[2, 1, 0]"),
        ],
    ),
    row(
        Prim::Where,
        &[
            ("where([true, false, true])", "[0, 2]"),
            ("where([])", "[]"),
            ("grad(v => sum([x^2 for x in v if x > 1.5]))([1.0, 2.0, 3.0])", "[0.0, 4.0, 6.0]"),
        ],
    ),
    row(
        Prim::Show,
        &[
            ("show(1.5)", "\"1.5\""),
            ("grad(x => { let t = show(x); x^2 })(2.0)", "4.0"),
            ("grad(a => { let t = show(x => a * x); a^2 })(2.0)", "4.0"),
        ],
    ),
    row(
        Prim::Join,
        &[
            ("join(\"a\", \"b\")", "\"ab\""),
            ("grad(x => if join(\"a\", \"b\") == \"ab\" { x^2 } else { x })(2.0)", "4.0"),
        ],
    ),
    row(
        Prim::Print,
        &[
            ("print(1.0)", "()"),
            ("grad(x => { print(x); x^2 })(2.0)", "4.0"),
            ("grad(grad(x => { print(x); x^3 }))(2.0)", "12.0"),
        ],
    ),
    row(Prim::Error, &[("grad(x => if x > 5.0 { error(\"large\") } else { x^2 })(2.0)", "4.0")]),
    row(Prim::Assert, &[("grad(x => { assert(x > 1.0); x^2 })(2.0)", "4.0")]),
    row(
        Prim::Key,
        &[("key(1) == key(1)", "true"), ("grad(x => x * uniform(key(1), 1)[0])(2.0)", "uniform(key(1), 1)[0]")],
    ),
    row(
        Prim::Split,
        &[
            ("{ let (a, b) = split(key(1)); a == b }", "false"),
            ("grad(x => { let (k, l) = split(key(1)); x^2 })(2.0)", "4.0"),
        ],
    ),
    row(
        Prim::FoldIn,
        &[
            ("fold_in(key(1), 1) == fold_in(key(1), 2)", "false"),
            ("grad(x => { let k = fold_in(key(1), 2); x^2 })(2.0)", "4.0"),
        ],
    ),
    row(
        Prim::Uniform,
        &[
            ("uniform(key(1), 0)", "[]"),
            ("grad(x => sum(x * uniform(key(1), 3)))(2.0)", "sum(uniform(key(1), 3))"),
            ("all([u >= 0.0 && u < 1.0 for u in uniform(key(2), 100)])", "true"),
        ],
    ),
    row(
        Prim::Normal,
        &[
            ("normal(key(1), 0)", "[]"),
            ("grad(s => sum((1.0 + s * normal(key(1), 3))^2))(0.0)", "2 * sum(normal(key(1), 3))"),
        ],
    ),
];
