//! Arithmetic: elementwise functions of two numbers.

use calculus::Prim;

use super::row::{Class, Row, degenerate, smooth};

const SMOOTH: (Class, &str) = (Class::Degenerate, "it has no singular points");

pub const ROWS: &[Row] = &[
    Row::binary(
        Prim::Add,
        &[smooth("add", &["(1.5, -2.5)"]), smooth("p => (p.0 + p.1)^3", &["(0.5, 0.75)"])],
        &[
            ("grad(add)(inf, -inf)", "(1.0, 1.0)"),
            ("grad(x => x + 1)(2.0)", "1.0"),
            ("vjp((a, b) => a + b, (1, 2.0)).1(1.0)", "((), 1.0)"),
        ],
    )
    .without(&[SMOOTH]),
    Row::binary(
        Prim::Sub,
        &[smooth("sub", &["(1.5, -2.5)"]), smooth("p => exp(p.0 - p.1)", &["(0.5, 0.75)"])],
        &[("grad(sub)(inf, inf)", "(1.0, -1.0)")],
    )
    .without(&[SMOOTH]),
    Row::binary(
        Prim::Mul,
        &[smooth("mul", &["(1.5, -2.5)", "(0.0, 2.0)"]), smooth("p => p.0 * p.0 * p.1 * p.1", &["(0.5, 0.75)"])],
        &[
            ("grad(mul)(0.0, inf)", "(inf, 0.0)"),
            ("grad(mul)(0.0, nan)", "(nan, 0.0)"),
            ("grad(x => 0.0 * stop_gradient(x))(inf)", "0.0"),
        ],
    )
    .without(&[SMOOTH]),
    Row::binary(
        Prim::Div,
        &[smooth("divide", &["(1.5, -2.5)", "(0.0, 2.0)", "(3.0, 0.7)"])],
        &[("7 / 2", "3.5"), ("grad(divide)(1.0, 0.0)", "(inf, -inf)"), ("grad(divide)(1.0, inf)", "(0.0, 0.0)")],
    )
    .with(&[degenerate("divide", &["(1.0, 0.0)", "(0.0, 0.0)"]).no_number()]),
    Row::binary(
        Prim::Rem,
        &[
            smooth("rem", &["(7.3, 2.2)", "(-7.3, 2.2)", "(7.3, -2.2)"]),
            smooth("p => rem(p.0^2, p.1^3)", &["(2.5, 1.2)"]),
        ],
        &[("-7 % 3", "2"), ("7.5 % -2.0", "-0.5"), ("grad(x => x % 3)(7.0)", "1.0")],
    )
    .without(&[(Class::Degenerate, "at a jump the value from the right counts, with its slopes: see its values")]),
    Row::binary(
        Prim::Pow,
        &[
            smooth("pow", &["(2.0, 3.0)", "(0.7, -1.3)", "(3.0, 0.5)"]),
            smooth("x => x^3", &["2.0", "-2.0", "0.0"]),
            smooth("x => x^2", &["0.0"]),
            smooth("x => x^1", &["0.0", "-3.0"]),
            smooth("x => x^0", &["0.0", "2.0"]),
            smooth("x => x^(-2)", &["-2.0"]),
            smooth("x => 2^x", &["1.5", "0.0"]),
            smooth("x => x^2.0", &["-1.5"]),
        ],
        &[
            ("2^10", "1024"),
            ("grad(x => x^0)(0.0)", "0.0"),
            ("grad(x => x^0.0)(0.0)", "0.0"),
            ("grad(x => x^0)(inf)", "0.0"),
            ("grad(x => x^0)(nan)", "0.0"),
            ("grad(x => x^1)(0.0)", "1.0"),
            ("grad(x => x^2)(0.0)", "0.0"),
            ("grad(grad(x => x^2))(0.0)", "2.0"),
            ("grad(grad(grad(x => x^2)))(0.0)", "0.0"),
            ("grad(grad(x => x^1))(0.0)", "0.0"),
            ("grad(x => 0.0^x)(2.0)", "0.0"),
            ("grad(grad(x => 0.0^x))(2.0)", "0.0"),
            ("grad(pow)(0.0, 0.0).0", "0.0"),
            ("grad(pow)(0.0, 2.0)", "(0.0, 0.0)"),
            ("grad(pow)(-2.0, 3.0).0", "12.0"),
        ],
    )
    .with(&[
        degenerate("x => x^2", &["0.0"]),
        degenerate("x => x^3", &["0.0"]),
        degenerate("x => x^0", &["0.0"]).like("x => 0.0 * x"),
        degenerate("x => 0.0^x", &["2.0"]).like("x => 0.0 * x"),
        degenerate("x => pow(x, 0.5)", &["0.0"]).no_number(),
    ]),
    Row::unary(
        Prim::Neg,
        &[smooth("neg", &["1.5"]), smooth("x => (-x)^3", &["1.5"])],
        &[("grad(neg)(-inf)", "-1.0"), ("-3", "-3")],
    )
    .without(&[SMOOTH]),
    Row::unary(
        Prim::Abs,
        &[smooth("abs", &["1.5", "-1.5"]), smooth("x => abs(x)^3", &["-1.5"])],
        &[
            ("grad(abs)(0.0)", "0.0"),
            ("grad(abs)(-0.0)", "0.0"),
            ("grad(abs)(-inf)", "-1.0"),
            ("grad(grad(abs))(0.0)", "0.0"),
            ("abs(-3)", "3"),
        ],
    )
    .with(&[degenerate("abs", &["0.0", "-0.0"]).like("x => 0.0 * x")]),
    Row::binary(
        Prim::Minimum,
        &[smooth("minimum", &["(1.5, 2.5)", "(2.0, 1.0)"]), smooth("p => minimum(p.0^3, p.1^3)", &["(1.0, 2.0)"])],
        &[
            ("grad(minimum)(3.0, 3.0)", "(1.0, 0.0)"),
            ("grad(minimum)(0.0, -0.0)", "(1.0, 0.0)"),
            ("grad(minimum)(inf, inf)", "(1.0, 0.0)"),
            ("grad(minimum)(inf, 1.0)", "(0.0, 1.0)"),
            ("minimum(nan, 1.0)", "nan"),
            ("minimum(1.0, nan)", "nan"),
            ("grad(p => sum(minimum(p.0, p.1)))([1.0, 2.0], [1.0, 1.0])", "([1.0, 0.0], [0.0, 1.0])"),
            ("grad(p => min(p.0, p.1))(3.0, 3.0)", "(1.0, 0.0)"),
            ("grad(min)([3.0, 1.0, 1.0])", "[0.0, 1.0, 0.0]"),
        ],
    )
    .with(&[
        degenerate("p => minimum(p.0, p.1)", &["(3.0, 3.0)", "([3.0, 1.0], [3.0, 1.0])"]).like("p => p.0"),
        degenerate("p => minimum(p.0, p.1)", &["([3.0, 3.0], 3.0)"]).like("p => p.0"),
        degenerate("p => minimum(p.0, p.1)", &["(3.0, [3.0, 3.0])"]).like("p => p.0 + zeros(2)"),
    ]),
    Row::binary(
        Prim::Maximum,
        &[smooth("maximum", &["(1.5, 2.5)", "(2.0, 1.0)"]), smooth("p => maximum(p.0^3, p.1^3)", &["(1.0, 2.0)"])],
        &[
            ("grad(maximum)(3.0, 3.0)", "(1.0, 0.0)"),
            ("grad(maximum)(-inf, -inf)", "(1.0, 0.0)"),
            ("maximum(nan, 1.0)", "nan"),
            ("maximum(1.0, nan)", "nan"),
            ("grad(max)([3.0, 1.0, 3.0])", "[1.0, 0.0, 0.0]"),
        ],
    )
    .with(&[
        degenerate("p => maximum(p.0, p.1)", &["(3.0, 3.0)", "([3.0, 1.0], [3.0, 1.0])"]).like("p => p.0"),
        degenerate("p => maximum(p.0, p.1)", &["([3.0, 3.0], 3.0)"]).like("p => p.0"),
        degenerate("p => maximum(p.0, p.1)", &["(3.0, [3.0, 3.0])"]).like("p => p.0 + zeros(2)"),
    ]),
];
