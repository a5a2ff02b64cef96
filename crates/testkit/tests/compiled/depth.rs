//! Recursion a million deep and its derivatives; recursion without end is the same error everywhere.

use evert::Engine;

use crate::Test;
use crate::steps::{Steps, has_native};

pub const TESTS: &[Test] = &[
    ("a million nested calls work and differentiate", a_million_calls),
    ("recursion without end is one error on every engine", endless_recursion),
];

const DEEP: &str = "
fn down(n, x) = if n == 0 { x } else { 1.0 * down(n - 1, x) }
fn even(n, x) = if n == 0 { x } else { 1.0 * odd(n - 1, x) }
fn odd(n, x) = if n == 0 { x } else { 1.0 * even(n - 1, x) }
fn total(xs) = match xs { Nil => 0.0, Cons(x, rest) => x + total(rest) }
fn chain(n, f) = if n == 0 { f } else { chain(n - 1, x => 1.0 * f(x)) }
let xs = to_list(tabulate(1000000, i => 1.0))
";

fn engines() -> Vec<Engine> {
    let native = [Engine::Native].into_iter().filter(|_| has_native());
    [Engine::FirstOrder].into_iter().chain(native).collect()
}

fn a_million_calls() {
    for engine in engines() {
        for (text, expected) in [
            ("down(1000000, 2.0)", 2.0),
            ("grad(x => down(1000000, x))(2.0)", 1.0),
            ("jvp(x => down(1000000, x), 2.0, 3.0).1", 3.0),
            ("grad(x => even(1000000, x))(2.0)", 1.0),
            ("total(xs)", 1e6),
            ("total(grad(total)(xs))", 1e6),
            ("chain(1000000, x => x)(1.0)", 1.0),
            ("grad(x => chain(300000, y => x * y)(1.0))(1.0)", 1.0),
        ] {
            let cost = Steps::new(engine, DEEP).run(text).unwrap_or_else(|error| panic!("{engine:?} {text}: {error}"));
            let eval::Value::Real(value) = cost.value else { panic!("{text} is no real") };
            assert_eq!(value, expected, "{engine:?} {text}");
        }
    }
}

const ENDLESS: &str = "
fn forever(x) = 1.0 + forever(x)
fn tick(x) = 1.0 + tock(x)
fn tock(x) = 2.0 * tick(x)
fn long(xs) = 1.0 + long(Cons(1.0, xs))
";

fn endless_recursion() {
    for text in ["forever(1.0)", "grad(forever)(1.0)", "jvp(tick, 1.0, 1.0)", "long(Nil)"] {
        let expected = Steps::new(Engine::Reference, ENDLESS).fails(text);
        for engine in engines() {
            let found = Steps::new(engine, ENDLESS).fails(text);
            assert_eq!((found.code, found.span()), (expected.code, expected.span()), "{engine:?} {text}");
            assert_eq!(found.message, expected.message, "{engine:?} {text}");
        }
    }
}
