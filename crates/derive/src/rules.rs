//! How primitives and well-known functions of the library differentiate, one line each, under the equation if it isn't obvious.

use crate::simplify::{add, div, mul, neg, pow, sub};
use crate::term::{Term, call};

/// Functions that work element by element.
pub const ELEMENTWISE: &[&str] = &[
    "sqrt", "cbrt", "exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan",
    "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "lgamma", "digamma", "abs", "sigmoid",
    "log1pexp", "real",
];

/// The sensitivity of x, if that of y = f(x) is d.
pub fn elementwise(f: &str, d: Term, x: &Term, y: &Term) -> Option<Term> {
    let int = Term::Int;
    let (x, y) = (x.clone(), y.clone());
    let root_of_pi = || call("sqrt", vec![crate::term::name("pi")]);
    Some(match f {
        "sqrt" => div(d, mul(int(2), y)),
        "cbrt" => div(d, mul(int(3), pow(y, 2.0))),
        "exp" => mul(d, y),
        "expm1" => mul(d, call("exp", vec![x])),
        "log" => div(d, x),
        "log1p" => div(d, add(int(1), x)),
        "log2" => div(d, mul(x, call("log", vec![Term::Real(2.0)]))),
        "log10" => div(d, mul(x, call("log", vec![Term::Real(10.0)]))),
        "sin" => mul(d, call("cos", vec![x])),
        "cos" => neg(mul(d, call("sin", vec![x]))),
        // tan' = 1 + tan^2
        "tan" => mul(d, add(int(1), pow(y, 2.0))),
        "asin" => div(d, call("sqrt", vec![sub(int(1), pow(x, 2.0))])),
        "acos" => neg(div(d, call("sqrt", vec![sub(int(1), pow(x, 2.0))]))),
        "atan" => div(d, add(int(1), pow(x, 2.0))),
        "sinh" => mul(d, call("cosh", vec![x])),
        "cosh" => mul(d, call("sinh", vec![x])),
        "tanh" => mul(d, sub(int(1), pow(y, 2.0))),
        "asinh" => div(d, call("sqrt", vec![add(pow(x, 2.0), int(1))])),
        "acosh" => div(d, call("sqrt", vec![sub(pow(x, 2.0), int(1))])),
        "atanh" => div(d, sub(int(1), pow(x, 2.0))),
        "erf" => mul(d, mul(div(int(2), root_of_pi()), call("exp", vec![neg(pow(x, 2.0))]))),
        "erfc" => neg(mul(d, mul(div(int(2), root_of_pi()), call("exp", vec![neg(pow(x, 2.0))])))),
        "lgamma" => mul(d, call("digamma", vec![x])),
        "digamma" => mul(d, call("trigamma", vec![x])),
        "abs" => mul(d, call("sign", vec![x])),
        "sigmoid" => mul(d, mul(y.clone(), sub(int(1), y))),
        "log1pexp" => mul(d, call("sigmoid", vec![x])),
        "real" => d,
        _ => return None,
    })
}
