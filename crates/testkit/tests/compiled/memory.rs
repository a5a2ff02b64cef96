//! Loops with a state of constant size run in constant memory, and nothing is left behind.

use evert::Engine;

use crate::Test;
use crate::steps::{Steps, has_native};

pub const TESTS: &[Test] = &[
    ("a hundred million steps take no memory", a_hundred_million_steps),
    ("states with arrays and lists take constant memory", states_with_objects),
    ("chains on matrices take no memory", matrices_in_chains),
    ("products and their derivatives copy no transposes", products_without_copies),
    ("rows become flat and longer in their own room", rows_in_their_room),
    ("fix and its rule take constant memory", fix_takes_constant_memory),
    ("a hundred thousand calls leave nothing behind", calls_leave_nothing),
    ("sums on several threads hold a bounded number of values", sums_on_threads),
];

/// Bytes that a program may allocate whatever n is.
const CONSTANT: usize = 16 << 10;

fn allocated(definitions: &str, text: &str) -> usize {
    let mut steps = Steps::new(Engine::Native, definitions);
    let cost = steps.run(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    println!("  {:9} bytes, {text}", cost.compiled.allocated_bytes);
    cost.compiled.allocated_bytes
}

fn a_hundred_million_steps() {
    if !has_native() {
        return;
    }
    const N: usize = 100_000_000;
    for text in [
        format!("iterate({N}, x => 0.999 * x + 0.5, 1.0)"),
        format!("while_loop(s => s.0 < {N}, s => (s.0 + 1, 0.5 * s.1 + 0.25), (0, 1.0)).1"),
        format!("{{ fn go(i, a, b) = if i == {N} {{ a }} else {{ go(i + 1, b, 0.5 * a + 0.25) }}; go(0, 1.0, 2.0) }}"),
        format!("jvp(a => iterate({N}, x => a * x + 0.5, 1.0), 0.9, 1.0).1"),
    ] {
        assert!(allocated("", &text) <= CONSTANT, "{text}");
    }
}

/// Bytes of the values that a sum on several threads holds at once.
const HELD: usize = 8 << 18;

fn sums_on_threads() {
    if !has_native() {
        return;
    }
    let bytes = |threads: usize, count: usize| {
        evert::threads::allow(threads);
        let bytes = allocated("", &format!("sum([sin(0.5 * i) for i in 0..{count}])"));
        evert::threads::allow(1);
        bytes
    };
    assert!(bytes(1, 4_000_000) <= CONSTANT);
    let [once, often] = [bytes(2, 1_000_000), bytes(2, 4_000_000)];
    assert!(once > CONSTANT && often == once && once <= HELD + CONSTANT, "{once} bytes, then {often}");
}

const OBJECTS: &str = "
fn turn(v) = {v with [0]: 0.5 * v[1], [1]: v[2] + 0.1, [2]: 0.9 * v[0]}
fn round(xs) = match xs { Cons(a, Cons(b, Nil)) => Cons(0.5 * b, Cons(a + 0.1, Nil)), _ => xs }
fn again(f) = (x => 0.5 * f(x))
";

fn states_with_objects() {
    if !has_native() {
        return;
    }
    for text in [
        "iterate(COUNT, turn, [1.0, 2.0, 3.0])",
        "iterate(COUNT, v => map(x => 0.5 * x + 0.25, v), [1.0, 2.0, 3.0])",
        "iterate(COUNT, v => 0.5 * v + [1.0, 2.0, 3.0], [1.0, 2.0, 3.0])",
        "iterate(COUNT, round, Cons(1.0, Cons(2.0, Nil)))",
        "iterate(COUNT, s => (s.1, {x: s.0.x + 1.0, f: x => s.1.f(0.5)}), ({x: 1.0, f: sin}, {x: 2.0, f: cos})).0.x",
        "iterate(COUNT, x => grad(y => sum(map(z => z * y^2, [y, 0.5])))(x) / 100.0, 1.0)",
        "iterate(COUNT, x => match grad(l => match l { Cons(a, Cons(b, _)) => a * b, _ => 0.0 })(Cons(x, Cons(0.5, Nil))) { \
           Cons(d, _) => d + 0.1, Nil => 0.0 }, 1.0)",
    ] {
        let at = |n: usize| allocated(OBJECTS, &text.replace("COUNT", &n.to_string()));
        let (small, large) = (at(1_000), at(100_000));
        assert!(large <= small + CONSTANT, "{text}: {small}, then {large}");
    }
}

/// Matrices of 40 kB each; whoever names one takes as much for its argument.
const MATRICES: &str = "
let a = [[sin(real(i + 2 * j)) for j in 0..100] for i in 0..50]
let b = [[cos(real(i * j)) for j in 0..100] for i in 0..50]
let v = [real(i) for i in 0..50]
";
const MATRIX: usize = 8 * 50 * 100;

fn matrices_in_chains() {
    if !has_native() {
        return;
    }
    let arguments = allocated(MATRICES, "a[0, 0] + b[0, 0]");
    for text in [
        "sum(a * b + 2.0)",
        "sum((a - b)^2) / sum(sin(a))",
        "transpose(a)[3, 2] + sum(b)",
        "sum(transpose(a)[3] * b[.., 7])",
        "sum(transpose(a)[3..5, 1] + b[0, 1..3])",
        "a[.., 5] @ b[.., 6]",
        "sum(transpose(a)[1] @ b[.., 3..9])",
    ] {
        let bytes = allocated(MATRICES, text);
        assert!(bytes <= arguments + CONSTANT, "{text}: {bytes}, of them {arguments} for arguments");
    }
}

/// What giving a gradient its full shape copies of a matrix since zeros in it have no sign. Once the copies are gone this is 0.
const COPY: usize = MATRIX;

fn products_without_copies() {
    if !has_native() {
        return;
    }
    let arguments = allocated(MATRICES, "a[0, 0] + b[0, 0]");
    for (text, made) in [
        ("sum(a @ transpose(b))", 8 * 50 * 50),
        ("sum(transpose(a) @ b)", 8 * 100 * 100),
        ("sum(transpose(a) @ v) + b[0, 0]", 0),
        // The matrix, its sensitivity, and those of a and b.
        (
            "{ let (x, y) = grad((a, b) => sum(a @ transpose(b)))(a, b); x[0, 0] + y[0, 0] }",
            2 * 8 * 50 * 50 + 2 * MATRIX + 3 * COPY,
        ),
        (
            "{ let (x, y) = grad((a, b) => sum(transpose(a) @ b))(a, b); x[0, 0] + y[0, 0] }",
            2 * 8 * 100 * 100 + 2 * MATRIX + 3 * COPY,
        ),
        ("{ let (x, y) = grad((a, v) => sum(transpose(a) @ v))(a, v); x[0, 0] + y[0] + b[0, 0] }", MATRIX + 2 * COPY),
        // The second derivative makes the same, and tangents of them.
        ("{ let x = hvp(a => sum((transpose(a) @ b)^2), a, b); x[0, 0] }", 6 * 8 * 100 * 100 + 4 * MATRIX),
    ] {
        let bytes = allocated(MATRICES, text);
        assert!(
            bytes <= arguments + made + CONSTANT,
            "{text}: {bytes}, of them {arguments} for arguments, {made} expected"
        );
    }
}

/// The iteration x ← x + h (c sin a - x) takes about 20/h steps, forwards and backwards.
fn rows_in_their_room() {
    if !has_native() {
        return;
    }
    const N: usize = 100_000;
    for text in [
        format!("flatten([[sin(i), cos(i)] for i in 0..{N}])"),
        format!("reshape(flatten([[sin(i), cos(i)] for i in 0..{N}]), [2, {N}])"),
        format!("concat(flatten([[sin(i), cos(i)] for i in 0..{N}]), [1.0, 2.0])"),
    ] {
        assert!(allocated("", &text) <= 16 * N + CONSTANT, "{text}");
    }
    let kept = format!("{{ let a = [[sin(i), cos(i)] for i in 0..{N}]; let b = concat(flatten(a), [1.0]); (a, b) }}");
    assert!(allocated("", &kept) >= 32 * N, "{kept}: what is still used is copied");
}

const FIX: &str = "
fn near(a, b) = abs(a - b) < 1e-12
fn all_near(a, b) = max(abs(a - b)) < 1e-12
fn scalar(h) = grad(a => fix(near, x => x + h * (2.0 * sin(a) - x))(0.0))(0.7)
fn vector(h) = grad(a => sum(fix(all_near, v => v + h * ([1.0, 2.0, 3.0] * a - v))([0.0, 0.0, 0.0])))(0.7)
fn twice(h) = grad(grad(a => fix(near, x => x + h * (2.0 * sin(a) - x))(0.0)))(0.7)
fn pushed(h) = jvp(a => fix(near, x => x + h * (2.0 * sin(a) - x))(0.0), 0.7, 1.0).1
";

fn fix_takes_constant_memory() {
    if !has_native() {
        return;
    }
    for (f, expected) in [
        ("scalar", 2.0 * 0.7f64.cos()),
        ("vector", 6.0),
        ("twice", -2.0 * 0.7f64.sin()),
        ("pushed", 2.0 * 0.7f64.cos()),
    ] {
        let mut last = None;
        for h in ["0.1", "0.001", "0.0001"] {
            let text = format!("{f}({h})");
            let mut steps = Steps::new(Engine::Native, FIX);
            let cost = steps.run(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let bytes = cost.compiled.allocated_bytes;
            println!("  {bytes:9} bytes, {text}");
            let eval::Value::Real(value) = cost.value else { panic!("{text} is no real") };
            assert!((value - expected).abs() < 1e-5, "{text}: {value}, expected {expected}");
            let first = *last.get_or_insert(bytes);
            assert!(bytes <= first + CONSTANT, "{text}: {first}, then {bytes}");
        }
    }
}

/// A function that uses everything that is on the heap: closures in lists and arrays, tapes, sensitivities of arrays, sealed
/// backpropagators kept for later, rules with captures, texts.
const CALLS: &str = "
fn total(xs) = match xs { Nil => 0.0, Cons(x, rest) => x + total(rest) }
fn closures(x) = fold((s, f) => f(s), x, Cons(y => x * y, Cons(y => y + [x, 2.0][1], Nil)))
fn arrays(x) = { let v = tabulate(5, i => x * i); sum({v with [1]: x}) + v[2] * sum(reversed(v) * v) }
fn lists(x) = total(map(y => sin(x * y), to_list([1.0, 2.0, x])))
fn ruled(a) = (x => a[0] * sin(x)) reverse x => (a[0] * sin(x), d => ({a: [d * sin(x), 0.0]}, d * a[0] * cos(x)))
fn kept(x) = {
  let pulls = map(y => vjp(z => sum([z, y] * [x, z]), x).1, to_list([0.5, 1.5]))
  total(map(pull => pull(1.0) + pull(2.0), pulls))
}
fn loss(x) = closures(x) + arrays(x) + lists(x) + ruled([x, 2.0])(x) + kept(x)
fn one(x) = 1e-3 * (loss(x) + grad(loss)(x) + jvp(loss, x, 1.0).1 + len(show(int(x))))
fn all(n) = { fn go(i, s) = if i == n { s } else { go(i + 1, one(0.5 + 0.001 * sin(s))) }; go(0, 0.25) }
";

fn calls_leave_nothing() {
    if !has_native() {
        return;
    }
    let (small, large) = (allocated(CALLS, "all(100)"), allocated(CALLS, "all(100000)"));
    assert!(large <= small + CONSTANT, "{small}, then {large}");
}
