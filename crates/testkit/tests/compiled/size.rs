//! The compiled gradient is as large as its source, up to a constant factor: statements of L3 and bytes of IR.

use std::fmt::Write;

use evert::Engine;

use crate::Test;
use crate::steps::{Steps, has_native};

pub const TESTS: &[Test] = &[
    ("a chain of operations has a gradient of linear size", || stays_linear("chain", chain)),
    ("nested lets have a gradient of linear size", || stays_linear("nested lets", nested_lets)),
    ("branches one after the other have a gradient of linear size", || stays_linear("branches", branches)),
    ("many functions have a gradient of linear size", || stays_linear("functions", functions)),
    ("nested closures have a gradient of linear size", || stays_linear("closures", closures)),
    ("a wide record has a gradient of linear size", || stays_linear("record", record)),
    ("many loops have a gradient of linear size", || stays_linear("loops", loops)),
];

const SIZES: [usize; 4] = [10, 20, 40, 80];

/// The last size over the first may be this much more than the sizes themselves.
const SLACK: f64 = 1.5;

/// Bytes of program text, statements and bytes of IR, at each size.
fn stays_linear(name: &str, make: fn(usize) -> String) {
    if !has_native() {
        return;
    }
    let measured = SIZES.map(|n| {
        // The argument is read from an array, so that it isn't known when the step is compiled.
        let source = format!("{}let at = [0.3]\n", make(n));
        let mut steps = Steps::new(Engine::Native, &source);
        let cost = steps.run("grad(main)(at[0])").unwrap_or_else(|error| panic!("{name} of {n}: {error}"));
        [source.len(), cost.compiled.statements, cost.compiled.stats.ir_bytes].map(|count| count as f64)
    });
    for [text, statements, bytes] in measured {
        println!("  {name:12} {text:6} bytes of text, {statements:6} statements, {bytes:8} bytes of IR");
    }
    // Growth from the second size on: the first still has the cost of what every program has.
    for of in 1..3 {
        let per_text = |at: usize| measured[at][of] / measured[at][0];
        assert!(per_text(3) <= SLACK * per_text(1), "{name}: {measured:?}");
    }
}

fn repeated(n: usize, mut line: impl FnMut(usize) -> String) -> String {
    (0..n).fold(String::new(), |mut text, i| {
        writeln!(text, "{}", line(i)).expect("writing to a string");
        text
    })
}

fn chain(n: usize) -> String {
    let lines = repeated(n, |i| format!("  let x{} = sin(x{i}) * x{}", i + 1, i / 2));
    format!("fn main(x0) {{\n{lines}  x{n}\n}}\n")
}

fn nested_lets(n: usize) -> String {
    let open = repeated(n, |i| format!("{{ let y{i} = {{ let z = x * {i}.5; z * z }}"));
    let close: String = (0..n).map(|i| format!(" + y{i} }}")).rev().collect();
    format!("fn main(x) = {open}x{close}\n")
}

fn branches(n: usize) -> String {
    let lines =
        repeated(n, |i| format!("  let x{} = if x{i} < 0.{i} {{ sin(x{i}) }} else {{ x{i} * cos(x{i}) }}", i + 1));
    format!("fn main(x0) {{\n{lines}  x{n}\n}}\n")
}

fn functions(n: usize) -> String {
    let lines = repeated(n, |i| format!("fn f{}(x, k) = if k > {i} {{ x }} else {{ sin(f{i}(x, k)) * x }}", i + 1));
    format!("fn f0(x, k) = x * k\n{lines}fn main(x) = f{n}(x, int(x))\n")
}

fn closures(n: usize) -> String {
    let open: String = (0..n).map(|i| format!("(x{} => x{i} * x{} + ", i + 1, i + 1)).collect();
    let close: String = (0..n).rev().map(|i| format!(")(x{i})")).collect();
    format!("fn main(x0) = {open}x{n}{close}\n")
}

fn record(n: usize) -> String {
    let fields: Vec<String> = (0..n).map(|i| format!("a{i}: sin(x + {i}.0)")).collect();
    let uses: Vec<String> = (0..n).map(|i| format!("r.a{i}^2")).collect();
    format!("fn main(x) = {{ let r = {{{}}}; {} }}\n", fields.join(", "), uses.join(" + "))
}

fn loops(n: usize) -> String {
    let lines = repeated(n, |i| format!("  let x{} = fold((a, y) => sin(a * y), x{i}, [0.5, x{i}, 1.5])", i + 1));
    format!("fn main(x0) {{\n{lines}  x{n}\n}}\n")
}
