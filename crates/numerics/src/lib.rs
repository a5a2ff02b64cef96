//! Deterministic numbers, and no other source of them in the project: transcendental functions, sums, random numbers, dense
//! linear algebra. The same input gives the same bits on every machine, engine and lane width (the sign and payload of a NaN
//! excepted). No I/O, no threads, no platform mathematics library.
//!
//! Each transcendental is one straight-line definition, generic over [`ops::Ops`]. The plain functions here execute it;
//! [`FUNCTIONS`] also offers it as a [`listing::Listing`] for a compiler. The result is within 0.85 ulp of the exact one for every
//! function (`tests/accuracy.rs` states the bound of each), but for x³ and x⁴, which are products, and for lgamma and digamma near
//! their zeros left of 0, where the absolute error stays below 2^-52.

pub mod broadcast;
mod coefficients;
mod double_double;
mod eigen;
pub mod error_function;
pub mod exponential;
pub mod fourier;
mod fused;
pub mod gamma;
pub mod hyperbolic;
pub mod inverse_trigonometric;
pub mod linear_algebra;
pub mod listing;
pub mod logarithm;
pub mod ops;
pub mod order;
mod orthogonal;
pub mod power;
pub mod product;
pub mod random;
mod scaling;
mod singular;
pub mod stop;
pub mod summation;
pub mod trigonometric;

use listing::{Listing, record};
use ops::Direct;

pub use fused::fma;

/// One transcendental, ready to run and ready to compile.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    pub name: &'static str,
    pub arity: usize,
    /// Takes `arity` reals.
    pub direct: fn(&[f64]) -> f64,
    /// Writes the definition down.
    pub listing: fn() -> Listing,
}

/// Makes a plain function of each definition, and the table of all.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($($x:ident),+) = $family:ident;)*) => {
        $(
            $(#[$doc])*
            pub fn $name($($x: f64),+) -> f64 {
                fused::fused(#[inline(always)] || $family::$name(&Direct, $($x),+))
            }
        )*

        /// Every transcendental of this crate.
        pub const FUNCTIONS: &[Function] = &[$(Function {
            name: stringify!($name),
            arity: [$(stringify!($x)),+].len(),
            direct: |inputs| {
                let [$($x),+] = inputs.try_into().expect(concat!("the inputs of ", stringify!($name)));
                $name($($x),+)
            },
            listing: || record(|o, [$($x),+]| $family::$name(o, $($x),+)),
        }),*];
    };
}

functions! {
    /// e^x.
    exp(x) = exponential;
    /// e^x − 1.
    expm1(x) = exponential;
    /// ln x.
    log(x) = logarithm;
    /// ln(1 + x).
    log1p(x) = logarithm;
    /// log₂ x.
    log2(x) = logarithm;
    /// log₁₀ x.
    log10(x) = logarithm;
    /// sin x, x in radians and of any magnitude.
    sin(x) = trigonometric;
    /// cos x.
    cos(x) = trigonometric;
    /// tan x.
    tan(x) = trigonometric;
    /// The inverse sine, in [−π/2, π/2].
    asin(x) = inverse_trigonometric;
    /// The inverse cosine, in [0, π].
    acos(x) = inverse_trigonometric;
    /// The inverse tangent, in [−π/2, π/2].
    atan(x) = inverse_trigonometric;
    /// The angle of the point (x, y), in [−π, π].
    atan2(y, x) = inverse_trigonometric;
    /// The hyperbolic sine.
    sinh(x) = hyperbolic;
    /// The hyperbolic cosine.
    cosh(x) = hyperbolic;
    /// The hyperbolic tangent.
    tanh(x) = hyperbolic;
    /// The inverse hyperbolic sine.
    asinh(x) = hyperbolic;
    /// The inverse hyperbolic cosine.
    acosh(x) = hyperbolic;
    /// The inverse hyperbolic tangent.
    atanh(x) = hyperbolic;
    /// x^y.
    pow(x, y) = power;
    /// The cube root.
    cbrt(x) = power;
    /// The error function.
    erf(x) = error_function;
    /// 1 − erf x.
    erfc(x) = error_function;
    /// ln|Γ(x)|.
    lgamma(x) = gamma;
    /// ψ(x) = Γ′(x)/Γ(x).
    digamma(x) = gamma;
}

/// The square root, correctly rounded.
pub fn sqrt(x: f64) -> f64 {
    x.sqrt()
}

/// The largest integer ≤ x.
pub fn floor(x: f64) -> f64 {
    x.floor()
}

/// The smallest integer ≥ x.
pub fn ceil(x: f64) -> f64 {
    x.ceil()
}

/// The nearest integer, halves away from zero.
pub fn round(x: f64) -> f64 {
    x.round()
}
