//! Real functions of a real.

use calculus::Prim;

use super::row::{Class, Row, degenerate, smooth};

const SMOOTH: (Class, &str) = (Class::Degenerate, "it has no singular points");

pub const ROWS: &[Row] = &[
    Row::unary(
        Prim::Sqrt,
        &[smooth("sqrt", &["0.7", "9.0"])],
        &[
            ("grad(sqrt)(0.0)", "inf"),
            ("grad(sqrt)(inf)", "0.0"),
            ("sqrt(-1.0)", "nan"),
            ("grad(x => { let y = sqrt(x); x })(0.0)", "1.0"),
        ],
    )
    .with(&[degenerate("sqrt", &["0.0", "-1.0"]).no_number()]),
    Row::unary(Prim::Cbrt, &[smooth("cbrt", &["0.7", "-8.0"])], &[("cbrt(-8.0)", "-2.0"), ("grad(cbrt)(0.0)", "inf")])
        .with(&[degenerate("cbrt", &["0.0"]).no_number()]),
    Row::unary(Prim::Exp, &[smooth("exp", &["0.5", "-3.0"])], &[("grad(exp)(-inf)", "0.0"), ("grad(exp)(inf)", "inf")])
        .without(&[SMOOTH]),
    Row::unary(Prim::Expm1, &[smooth("expm1", &["0.5", "0.0"])], &[("grad(expm1)(1e-20)", "1.0")]).without(&[SMOOTH]),
    Row::unary(
        Prim::Log,
        &[smooth("log", &["0.5", "4.0"])],
        &[("log(0.0)", "-inf"), ("log(-1.0)", "nan"), ("grad(log)(0.0)", "inf"), ("grad(log)(inf)", "0.0")],
    )
    .with(&[degenerate("log", &["0.0"]).no_number()]),
    Row::unary(Prim::Log1p, &[smooth("log1p", &["0.5", "-0.5", "0.0"])], &[("grad(log1p)(-1.0)", "inf")])
        .with(&[degenerate("log1p", &["-1.0"]).no_number()]),
    Row::unary(Prim::Log2, &[smooth("log2", &["0.5", "4.0"])], &[("log2(8.0)", "3.0")]).with(&[degenerate(
        "log2",
        &["0.0"],
    )
    .no_number()]),
    Row::unary(Prim::Log10, &[smooth("log10", &["0.5", "4.0"])], &[("log10(1000.0)", "3.0")]).with(&[degenerate(
        "log10",
        &["0.0"],
    )
    .no_number()]),
    Row::unary(Prim::Sin, &[smooth("sin", &["1.0", "0.0", "-9.0"])], &[("grad(sin)(inf)", "nan")]).without(&[SMOOTH]),
    Row::unary(Prim::Cos, &[smooth("cos", &["1.0", "0.0", "-9.0"])], &[("grad(cos)(0.0)", "0.0")]).without(&[SMOOTH]),
    Row::unary(Prim::Tan, &[smooth("tan", &["1.0", "0.0", "-0.4"])], &[("grad(tan)(0.0)", "1.0")]).without(&[SMOOTH]),
    Row::unary(
        Prim::Asin,
        &[smooth("asin", &["0.3", "-0.6", "0.0"])],
        &[("grad(asin)(1.0)", "inf"), ("asin(2.0)", "nan")],
    )
    .at_int("0")
    .with(&[degenerate("asin", &["1.0", "-1.0"]).no_number()]),
    Row::unary(Prim::Acos, &[smooth("acos", &["0.3", "-0.6", "0.0"])], &[("grad(acos)(1.0)", "-inf")])
        .at_int("0")
        .with(&[degenerate("acos", &["1.0", "-1.0"]).no_number()]),
    Row::unary(
        Prim::Atan,
        &[smooth("atan", &["2.0", "-0.3"])],
        &[("grad(atan)(inf)", "0.0"), ("grad(atan)(2.0)", "0.2")],
    )
    .without(&[SMOOTH]),
    Row::binary(
        Prim::Atan2,
        &[smooth("atan2", &["(1.0, 2.0)", "(-1.0, 0.5)", "(1.0, -2.0)", "(1.5, 0.0)"])],
        &[("grad(atan2)(1.0, 2.0)", "(0.4, -0.2)"), ("atan2(0.0, -1.0)", "pi"), ("atan2(-0.0, -1.0)", "-pi")],
    )
    .with(&[degenerate("atan2", &["(0.0, 0.0)"]).no_number()]),
    Row::unary(Prim::Sinh, &[smooth("sinh", &["0.7", "-2.0"])], &[("grad(sinh)(0.0)", "1.0")]).without(&[SMOOTH]),
    Row::unary(Prim::Cosh, &[smooth("cosh", &["0.7", "-2.0"])], &[("grad(cosh)(0.0)", "0.0")]).without(&[SMOOTH]),
    Row::unary(
        Prim::Tanh,
        &[smooth("tanh", &["0.3", "-2.0"])],
        &[("grad(tanh)(inf)", "0.0"), ("grad(tanh)(1000.0)", "0.0"), ("grad(grad(tanh))(1000.0)", "0.0")],
    )
    .without(&[SMOOTH]),
    Row::unary(
        Prim::Asinh,
        &[smooth("asinh", &["0.3", "-2.0"])],
        &[("grad(asinh)(inf)", "0.0"), ("grad(asinh)(1e200) * 1e200", "1.0")],
    )
    .without(&[SMOOTH]),
    Row::unary(Prim::Acosh, &[smooth("acosh", &["1.5", "4.0"])], &[("grad(acosh)(1.0)", "inf"), ("acosh(0.5)", "nan")])
        .with(&[degenerate("acosh", &["1.0"]).no_number()]),
    Row::unary(
        Prim::Atanh,
        &[smooth("atanh", &["0.3", "-0.6"])],
        &[("atanh(1.0)", "inf"), ("grad(atanh)(1.0)", "inf")],
    )
    .at_int("0")
    .with(&[degenerate("atanh", &["1.0", "-1.0"]).no_number()]),
    Row::unary(
        Prim::Erf,
        &[smooth("erf", &["0.3", "-1.2"])],
        &[("grad(erf)(inf)", "0.0"), ("grad(grad(erf))(inf)", "nan")],
    )
    .without(&[SMOOTH]),
    Row::unary(Prim::Erfc, &[smooth("erfc", &["0.3", "2.2"])], &[("grad(erfc)(-inf)", "0.0")]).without(&[SMOOTH]),
    Row::unary(
        Prim::Lgamma,
        &[smooth("lgamma", &["0.7", "3.5", "-1.5"])],
        &[("lgamma(1.0)", "0.0"), ("lgamma(0.0)", "inf"), ("grad(lgamma)(1.0)", "~-0.5772156649")],
    )
    .with(&[degenerate("lgamma", &["0.0", "-1.0"]).no_number()]),
    Row::unary(
        Prim::Digamma,
        &[smooth("digamma", &["0.7", "3.5", "-1.5"])],
        &[("grad(digamma)(1.0)", "pi^2 / 6"), ("grad(digamma)(-0.5)", "pi^2 / 2 + 4"), ("digamma(nan)", "nan")],
    )
    .with(&[degenerate("digamma", &["0.0", "-1.0"]).no_number()]),
];
