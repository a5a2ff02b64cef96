//! Lists.

use crate::matrix::row::{Class, Row, empty, int, mixed, scalar_array, smooth, structured};

const SMOOTH: (Class, &str) = (Class::Degenerate, "it has no singular points of its own");
const LIST: &str = "Cons(0.5, Cons(0.7, Nil))";

pub const ROWS: &[Row] = &[
    Row::library(
        "is_list",
        &[
            smooth("xs => if is_list(xs) { fold(mul, 1.0, xs) } else { 0.0 }", &[LIST]),
            int("x => if is_list(Cons(1, Nil)) { x^3 } else { x }", &["0.7"]),
            mixed("p => if is_list(p.1) { fold(mul, p.0, p.1) } else { 0.0 }", &["(2, Cons(0.5, Nil))"]),
            empty("x => if is_list(Nil) { x^3 } else { x }", &["0.7"]),
            scalar_array("v => if is_list(v) { v } else { v^3 }", &["[0.5, 0.7]"]),
            structured("r => if is_list(r.a) { r.b^3 } else { r.b }", &["{a: Nil, b: 0.7}"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "to_list",
        &[
            smooth("v => fold((a, b) => a * sin(b), 1.0, to_list(v))", &["[0.5, 0.7]"]),
            int("x => fold(add, 0, to_list([1, 2])) * x^2", &["0.7"]),
            mixed("x => fold(mul, 1, to_list({[1, 2] with [0]: x^2}))", &["0.7"]),
            empty("p => fold(mul, p.1^3, to_list(p.0))", &["(zeros(0), 0.7)"]),
            scalar_array("m => fold(mul, 1.0, to_list(m))", &["[[0.5, 0.7], [0.9, 1.1]]"]),
            structured("xs => fold((a, r) => a * r.u, 1.0, to_list(xs))", &["[{u: 0.5}, {u: 0.7}]"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "to_array",
        &[
            smooth("xs => to_array(xs)^2", &[LIST]),
            int("x => to_array(Cons(1, Cons(2, Nil))) * x^2", &["0.7"]),
            mixed("x => to_array(Cons(1, Cons(x^2, Nil)))", &["0.7"]),
            mixed("x => to_array(Cons(x^2, Cons(1, Nil)))", &["0.7"]),
            empty("x => concat(to_array(Nil), [x^3])", &["0.7"]),
            scalar_array("v => to_array(Cons(v^2, Cons(v, Nil)))", &["[0.5, 0.7]"]),
            structured("xs => sum(r.u^2 for r in to_array(xs))", &["Cons({u: 0.5}, Cons({u: 0.7}, Nil))"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "list_length",
        &[
            smooth("xs => list_length(xs) * fold(mul, 1.0, xs)", &[LIST]),
            int("x => list_length(Cons(1, Nil)) * x^2", &["0.7"]),
            mixed("p => list_length(p.1) * fold(mul, p.0, p.1)", &["(2, Cons(0.5, Nil))"]),
            empty("x => list_length(Nil) + x^3", &["0.7"]),
            scalar_array("v => list_length(Cons(v, Nil)) * v^2", &["[0.5, 0.7]"]),
            structured("xs => match xs { Cons(r, _) => list_length(xs) * r.u^2, _ => 0.0 }", &["Cons({u: 0.5}, Nil)"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "list_reverse",
        &[
            smooth("xs => fold((a, b) => a * b + b^2, 0.3, list_reverse(xs))", &[LIST]),
            int("x => fold((a, b) => 2 * a + b, 0, list_reverse(Cons(1, Cons(2, Nil)))) * x^2", &["0.7"]),
            mixed("x => to_array(list_reverse(Cons(1, Cons(x^2, Nil))))", &["0.7"]),
            empty("x => fold(mul, x^3, list_reverse(Nil))", &["0.7"]),
            scalar_array("v => to_array(list_reverse(Cons(v^2, Cons(v, Nil))))", &["[0.5, 0.7]"]),
            structured(
                "xs => match list_reverse(xs) { Cons(r, _) => r.u^2, _ => 0.0 }",
                &["Cons({u: 0.5}, Cons({u: 0.7}, Nil))"],
            ),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "append",
        &[
            smooth("xs => fold((a, b) => a * b + b^2, 0.3, append(xs, xs))", &[LIST]),
            int("x => fold(add, 0, append(Cons(1, Nil), Cons(2, Nil))) * x^2", &["0.7"]),
            mixed("x => to_array(append(Cons(1, Nil), Cons(x^2, Nil)))", &["0.7"]),
            empty("x => fold(mul, 1.0, append(Nil, Cons(x^3, Nil)))", &["0.7"]),
            scalar_array("v => to_array(append(Cons(v^2, Nil), Cons(v, Nil)))", &["[0.5, 0.7]"]),
            structured("xs => match append(xs, xs) { Cons(r, _) => r.u^2, _ => 0.0 }", &["Cons({u: 0.5}, Nil)"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "list_map",
        &[
            smooth("xs => fold(mul, 1.0, list_map(x => sin(x)^2, xs))", &[LIST]),
            int("x => fold(add, 0.0, list_map(n => n * x^2, Cons(1, Cons(2, Nil))))", &["0.7"]),
            mixed("x => to_array(list_map(n => if n == 1 { n } else { n * x^2 }, Cons(1, Cons(2, Nil))))", &["0.7"]),
            empty("x => fold(mul, x^3, list_map(y => y * x, Nil))", &["0.7"]),
            scalar_array("v => to_array(list_map(w => w * v, Cons(v^2, Cons(v, Nil))))", &["[0.5, 0.7]"]),
            structured(
                "xs => match list_map(r => {w: r.u^2}, xs) { Cons(r, _) => r.w, _ => 0.0 }",
                &["Cons({u: 0.5}, Nil)"],
            ),
        ],
    )
    .without(&[SMOOTH]),
];
