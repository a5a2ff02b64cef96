//! The error of every function against tables of multi-precision results (`reference/generate.py`), in ulps of the correctly
//! rounded result. `EVERT_REFERENCE=folder` takes larger tables from elsewhere.

use std::path::PathBuf;

use numerics::FUNCTIONS;

/// The largest error we promise, in ulps: a little above the worst of a million points (`generate.py --scale 25 --seed 2` and
/// `--scale 60 --seed 3`). That of the committed tables is printed: `cargo test -- --nocapture`.
const BOUNDS: &[(&str, f64)] = &[
    ("exp", 0.8),
    ("expm1", 0.55),
    ("log", 0.55),
    ("log1p", 0.55),
    ("log2", 0.55),
    ("log10", 0.55),
    ("sin", 0.75),
    ("cos", 0.75),
    ("tan", 0.6),
    ("asin", 0.65),
    ("acos", 0.65),
    ("atan", 0.7),
    ("atan2", 0.7),
    ("sinh", 0.55),
    ("cosh", 0.55),
    ("tanh", 0.55),
    ("asinh", 0.55),
    ("acosh", 0.55),
    ("atanh", 0.55),
    ("pow", 0.8),
    ("cbrt", 0.51),
    ("erf", 0.7),
    ("erfc", 0.85),
    ("lgamma", 0.65),
    ("digamma", 0.55),
];

#[test]
fn every_function_keeps_its_bound() {
    for function in FUNCTIONS {
        let bound = BOUNDS.iter().find(|(name, _)| *name == function.name).expect("a bound for every function").1;
        check(function.name, bound, "ulp", |point| point.ulps(function.direct));
    }
}

/// On the left both have zeros that no formula of ours knows, so the error is measured in ulps of 1 where the result is smaller.
#[test]
fn left_of_zero_gamma_keeps_its_absolute_bound() {
    check("lgamma_negative", 0.65, "ulp, at least 2^-52", |point| point.ulps_of_one(|x| numerics::lgamma(x[0])));
    check("digamma_negative", 0.75, "ulp, at least 2^-52", |point| point.ulps_of_one(|x| numerics::digamma(x[0])));
}

/// x^y is a product where y is small and whole, to the bit; its error is that of as many roundings.
#[test]
fn small_whole_powers_are_products() {
    let mut x = 1.0_f64;
    let (mut worst_cube, mut worst_fourth) = (0.0_f64, 0.0_f64);
    for _ in 0..200_000 {
        x = 1.0 + (x * 1.318_281_828_459_045) % 1.0;
        let square = x * x;
        let products = [(1.0, x), (2.0, square), (3.0, square * x), (4.0, square * square), (-1.0, 1.0 / x)];
        for (y, product) in products {
            assert_eq!(numerics::pow(x, y).to_bits(), product.to_bits(), "{x}^{y}");
            assert_eq!(numerics::pow(-x, y), product * (-1.0_f64).powi(y as i32), "-{x}^{y}");
        }
        // x² = square + lost, to the bit.
        let lost = x.mul_add(x, -square);
        let error =
            |result: f64, factor: f64, rest: f64| ((square.mul_add(factor, -result) + rest) / ulp(result)).abs();
        worst_cube = worst_cube.max(error(square * x, x, lost * x));
        worst_fourth = worst_fourth.max(error(square * square, square, 2.0 * square * lost));
    }
    println!("x^3: {worst_cube:.3} ulp, x^4: {worst_fourth:.3} ulp");
    assert!(worst_cube < 1.5 && worst_fourth < 2.5);
}

/// Prints the worst error in a table, and compares it with the bound.
fn check(name: &str, bound: f64, unit: &str, error: impl Fn(&Point) -> f64) {
    let mut points = read_table(name);
    // These are products, with an error of their own.
    points.retain(|point| !(name == "pow" && [3.0, 4.0].contains(&point.inputs[1])));
    let (worst, point) = points.iter().map(|p| (error(p), p)).max_by(|a, b| a.0.total_cmp(&b.0)).expect("a point");
    println!("{name:16} {worst:.3} {unit}, at {:?} ({} points)", point.inputs, points.len());
    assert!(worst <= bound, "{name}: {worst} {unit} at {point:?}");
}

/// One line of a table.
#[derive(Debug)]
struct Point {
    inputs: Vec<f64>,
    rounded: f64,
    /// exact − rounded, in ulps of `rounded`.
    residue: f64,
}

impl Point {
    /// |f(inputs) − exact|, in ulps; infinite where a sign, an infinity or a NaN is wrong.
    fn ulps(&self, f: fn(&[f64]) -> f64) -> f64 {
        let result = f(&self.inputs);
        if !result.is_finite() || result.is_sign_negative() != self.rounded.is_sign_negative() {
            return f64::INFINITY;
        }
        ((result - self.rounded) / ulp(self.rounded) - self.residue).abs()
    }

    /// The same in ulps of max(1, |result|).
    fn ulps_of_one(&self, f: fn(&[f64]) -> f64) -> f64 {
        let unit = ulp(self.rounded);
        let error = (f(&self.inputs) - self.rounded) / unit - self.residue;
        error.abs() * (unit / ulp(self.rounded.abs().max(1.0)))
    }
}

fn ulp(x: f64) -> f64 {
    let x = x.abs();
    f64::from_bits(x.max(f64::MIN_POSITIVE).to_bits() & (0x7ff << 52)) * f64::EPSILON
}

fn read_table(name: &str) -> Vec<Point> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reference").into();
    let folder = std::env::var_os("EVERT_REFERENCE").map_or(default, PathBuf::from);
    let path = folder.join(format!("{name}.txt"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(parse).collect()
}

fn parse(line: &str) -> Point {
    let words: Vec<&str> = line.split(' ').collect();
    let (residue, bits) = words.split_last().expect("a residue");
    let mut reals: Vec<f64> = bits.iter().map(|word| f64::from_bits(u64::from_str_radix(word, 16).unwrap())).collect();
    let rounded = reals.pop().expect("a result");
    Point { inputs: reals, rounded, residue: residue.parse().unwrap() }
}
