//! What `check_rule` is made of. Most of it is never differentiated.

use calculus::Prim;

use super::row::{Row, Values, smooth};

const fn row(prim: Prim, values: Values) -> Row {
    Row::other(prim, &[], values)
}

pub const ROWS: &[Row] = &[
    Row::other(
        Prim::HoldsFunction,
        &[smooth("x => if holds_function((x, sin)) { x^3 } else { x }", &["0.7"])],
        &[("holds_function([sin])", "true"), ("holds_function((1, [2.0]))", "false"), ("holds_function([])", "false")],
    ),
    // forward mode through a reverse rule
    Row::other(
        Prim::RandomLike,
        &[smooth("x => x^3 + 0.0 * random_like(x, 1)", &["0.7"]), smooth("x => jvp(y => x * y^3, x, 1.0).1", &["0.7"])],
        &[
            ("random_like(2.0, 1) == random_like(3.0, 1)", "true"),
            ("random_like(2.0, 1) == random_like(2.0, 2)", "false"),
            ("shape(random_like([[1.0, 2.0]], 1))", "[1, 2]"),
            ("random_like(3, 1)", "()"),
            ("random_like([], 1)", "[]"),
        ],
    ),
    // There is no host here.
    row(Prim::Foreign, &[("is_function(x => foreign(1, x))", "true")]),
    row(
        Prim::RelativeLike,
        &[
            ("relative_like(8.0, 1) == 4 * relative_like(2.0, 1)", "true"),
            ("relative_like(0.0, 1) == random_like(5.0, 1)", "true"),
            ("shape(relative_like([[1.0, 2.0]], 1))", "[1, 2]"),
            ("relative_like(3, 1)", "()"),
        ],
    ),
    row(
        Prim::Moved,
        &[
            ("moved((1.0, [2.0]), (3.0, [4.0]), 0.5)", "(2.5, [4.0])"),
            ("{ let a = 2.0; moved(x => a * x, {a: 1.0}, 0.5)(3.0) }", "7.5"),
            ("moved((1, 2.0), ((), 1.0), 1.0)", "(1, 3.0)"),
            ("moved([], [], 1.0)", "[]"),
        ],
    ),
    row(
        Prim::Directions,
        &[("{ let a = 2.0; directions(x => a * x, 1)[0].name }", "\"a\""), ("directions(x => x, 1)", "[]")],
    ),
    Row::other(
        Prim::Inner,
        &[smooth("p => raw_inner(p, (p.1, p.0^2))^2", &["(0.5, 0.7)"])],
        &[
            ("raw_inner((1.0, [2.0, 3.0]), (4.0, [5.0, 6.0]))", "32.0"),
            ("raw_inner({}, {})", "0.0"),
            ("raw_inner([], [])", "0.0"),
        ],
    ),
    Row::other(
        Prim::Difference,
        &[smooth("x => raw_inner(difference((x^2, [x]), (1.0, [x^3])), (2.0, [3.0]))^2", &["0.7"])],
        &[("difference((3.0, [5.0]), (1.0, [1.0]))", "(2.0, [4.0])"), ("difference([], [])", "[]")],
    ),
    row(
        Prim::IsApproximate,
        &[
            ("is_approximate(stop_gradient)", "true"),
            ("is_approximate(sigmoid)", "false"),
            ("is_approximate(sin)", "false"),
        ],
    ),
    row(
        Prim::HasRule,
        &[
            ("has_rule(sigmoid, \"forward\")", "true"),
            ("has_rule(sigmoid, \"transpose\")", "false"),
            ("has_rule(sin, \"reverse\")", "false"),
        ],
    ),
    row(Prim::FunctionName, &[("function_name(sigmoid)", "\"sigmoid\""), ("function_name(sin)", "\"sin\"")]),
    row(Prim::RuleError, &[("check_rule(sigmoid, 0.3)", "()"), ("check_rule(logsumexp, [0.1, 0.2])", "()")]),
];
