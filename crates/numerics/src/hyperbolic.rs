//! Hyperbolic functions and their inverses, from e^x − 1 and ln(1 + x) with extra bits, so that nothing cancels near zero.

use crate::double_double::{Double, add, add_real, div, fast_two_sum, from_real, select, sqrt, two_prod};
use crate::exponential::{Parts, expm1_parts, rejoin};
use crate::logarithm::{infinity_or_nan, log_double, log1p_double};
use crate::ops::Ops;
use crate::scaling::{clamp, scale};

/// From here on e^-x is below half an ulp of e^x.
const ONE_SIDED: f64 = 22.0;
/// From here on e^x/2 overflows.
const BEYOND: f64 = 712.0;
/// From here on √(x² ± 1) is x, and ln(x + √(x² ± 1)) is ln 2x.
const FAR: f64 = 1_073_741_824.0; // 2^30

/// (e^x − e^-x)/2.
#[inline(always)]
pub fn sinh<O: Ops>(o: &O, x: O::F) -> O::F {
    let a = o.abs(x);
    let parts = expm1_parts(o, clamp(o, a, 0.0, BEYOND));
    let p = rejoin(o, parts);
    let near = add(p, div(o, p, add_real(p, o.real(1.0)))).round() * o.real(0.5);
    o.copysign(o.select(o.lt(a, o.real(ONE_SIDED)), near, half_exp(o, parts)), x)
}

/// (e^x + e^-x)/2.
#[inline(always)]
pub fn cosh<O: Ops>(o: &O, x: O::F) -> O::F {
    let a = o.abs(x);
    let parts = expm1_parts(o, clamp(o, a, 0.0, BEYOND));
    let e = add_real(rejoin(o, parts), o.real(1.0));
    let near = add(e, div(o, from_real(o, o.real(1.0)), e)).round() * o.real(0.5);
    o.select(o.lt(a, o.real(ONE_SIDED)), near, half_exp(o, parts))
}

/// (e^2x − 1)/(e^2x + 1).
#[inline(always)]
pub fn tanh<O: Ops>(o: &O, x: O::F) -> O::F {
    let a = clamp(o, o.abs(x), 0.0, ONE_SIDED);
    let p = rejoin(o, expm1_parts(o, a + a));
    o.copysign(div(o, p, add_real(p, o.real(2.0))).round(), x)
}

/// The inverse of sinh: ln(x + √(x² + 1)) = ln(1 + x + x²/(1 + √(x² + 1))).
#[inline(always)]
pub fn asinh<O: Ops>(o: &O, x: O::F) -> O::F {
    let a = o.abs(x);
    let near = clamp(o, a, 0.0, FAR);
    let square = two_prod(o, near, near);
    let root = sqrt(o, add_real(square, o.real(1.0)));
    let excess = add_real(div(o, square, add_real(root, o.real(1.0))), near);
    let y = log_of_sum(o, a, excess);
    o.copysign(o.select(o.lt(a, o.real(f64::INFINITY)), y, a), x)
}

/// The inverse of cosh: ln(x + √(x² − 1)); NaN below 1.
#[inline(always)]
pub fn acosh<O: Ops>(o: &O, x: O::F) -> O::F {
    let t = clamp(o, x, 1.0, FAR) - o.real(1.0);
    let square = two_prod(o, t, t);
    let radicand = add_real(square, t + t); // x² − 1 = t² + 2t
    let excess = add_real(sqrt(o, radicand), t);
    let regular = o.both(o.le(o.real(1.0), x), o.lt(x, o.real(f64::INFINITY)));
    o.select(regular, log_of_sum(o, x, excess), infinity_or_nan(o, x))
}

/// The inverse of tanh: ln((1 + x)/(1 − x))/2 = ln(1 + 2x/(1 − x))/2; ±∞ at ±1, NaN beyond.
#[inline(always)]
pub fn atanh<O: Ops>(o: &O, x: O::F) -> O::F {
    let (one, a) = (o.real(1.0), o.abs(x));
    let excess = div(o, from_real(o, a + a), fast_two_sum(one, -a));
    let y = log1p_double(o, excess).round() * o.real(0.5);
    let edge = o.select(o.eq(a, one), o.real(f64::INFINITY), o.real(f64::NAN));
    o.copysign(o.select(o.lt(a, one), y, edge), x)
}

/// e^x/2, overflowing where that does.
#[inline(always)]
fn half_exp<O: Ops>(o: &O, parts: Parts<O::F, O::I>) -> O::F {
    scale(o, add_real(parts.p, o.real(1.0)).round(), o.sub_i(parts.n, o.int(1)))
}

/// ln(1 + excess), or ln 2a where a is far.
#[inline(always)]
fn log_of_sum<O: Ops>(o: &O, a: O::F, excess: Double<O::F>) -> O::F {
    let is_far = o.lt(o.real(FAR), a);
    let u = select(o, is_far, from_real(o, a), add_real(excess, o.real(1.0)));
    let doublings = o.select_i(is_far, o.int(1), o.int(0));
    log_double(o, u, excess, doublings).round()
}
