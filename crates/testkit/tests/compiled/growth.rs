//! A gradient or tangent costs a constant multiple of the function as n grows.
//!
//! On L3 the measure is the statements that are run, relative to those of the function and the size of the input; of native code the bytes it
//! allocates and its primitives look at, for each element.

use evert::Engine;
use evert_testkit::growth::{CLAIMS, Claim};

use crate::Test;
use crate::steps::{Cost, Steps, has_native, none};

pub const TESTS: &[Test] = &[
    ("statements of gradients are a bounded multiple", statements_of_gradients),
    ("statements of tangents are a bounded multiple", statements_of_tangents),
    ("bytes of gradients grow with the input", bytes_of_gradients),
    ("bytes of functions grow with the input", bytes_of_functions),
];

/// Claims whose gradients are left to the reference evaluator: no shape settles for them yet.
const DYNAMIC: &[&str] = &[];

const SLACK: f64 = 1.3;

/// Sizes on the interpreter and of native code; without optimisation the tests would take too long at larger ones.
const INTERPRETED: [usize; 3] = if cfg!(debug_assertions) { [100, 1_000, 10_000] } else { [1_000, 10_000, 100_000] };
const COMPILED: [usize; 2] = if cfg!(debug_assertions) { [5_000, 50_000] } else { [100_000, 1_000_000] };

fn cost(claim: &Claim, engine: Engine, n: usize, text: &str) -> Result<Cost, String> {
    let Claim { definitions, f, input, .. } = claim;
    let mut steps = Steps::new(engine, &format!("{definitions}\nlet n = {n}\nlet f = {f}\nlet input = {input}\n"));
    steps.run(text).map_err(|error| format!("{text} at {n}: {error}"))
}

fn each(mut measure: impl FnMut(&Claim) -> Result<(), String>) {
    let mut problems = vec![];
    for claim in CLAIMS {
        match (measure(claim), DYNAMIC.contains(&claim.name)) {
            (Err(words), false) => problems.push(format!("{}: {words}", claim.name)),
            (Ok(()), true) => problems.push(format!("{}: it is compiled now", claim.name)),
            _ => {}
        }
    }
    none(&problems);
}

fn statements_of_gradients() {
    statements_of("grad(f)(input)");
}

fn statements_of_tangents() {
    statements_of("jvp(f, input, input).1");
}

fn statements_of(derivative: &str) {
    each(|claim| {
        let ratio = |n: usize| {
            let primal = cost(claim, Engine::FirstOrder, n, "f(input)")?.work;
            let derived = cost(claim, Engine::FirstOrder, n, derivative)?.work;
            Ok::<f64, String>(derived as f64 / (primal as f64 + n as f64))
        };
        let [small, middle, large] = INTERPRETED;
        let ratios = [ratio(small)?, ratio(middle)?, ratio(large)?];
        println!("  {:60} {ratios:.2?}", claim.name);
        flat(ratios[1], ratios[2])
    });
}

fn bytes_of_gradients() {
    bytes_of("grad(f)(input)");
}

fn bytes_of_functions() {
    bytes_of("f(input)");
}

fn bytes_of(text: &str) {
    if !has_native() {
        return;
    }
    each(|claim| {
        let bytes = |n: usize| Ok::<f64, String>(cost(claim, Engine::Native, n, text)?.bytes() as f64 / n as f64);
        let bytes = [bytes(COMPILED[0])?, bytes(COMPILED[1])?];
        println!("  {:60} {bytes:.1?}", claim.name);
        flat(bytes[0], bytes[1])
    });
}

fn flat(small: f64, large: f64) -> Result<(), String> {
    if large <= SLACK * small { Ok(()) } else { Err(format!("{small:.2}, then {large:.2} at ten times the size")) }
}
