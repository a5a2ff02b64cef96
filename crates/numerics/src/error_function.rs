//! erf and erfc. Below 1/2 an odd polynomial gives erf; above, erfc x = e^(−x²)·G(t)/(1 + 2x) with a nearly constant G, a
//! polynomial in t = (x − 3)/(x + 3) (after Shepherd and Laframboise, "Chebyshev approximation of (1+2x)exp(x²)erfc x", 1981).

use crate::coefficients::{ERF_TAIL, ERFC_MIDDLE, ERFC_TAIL, TWO_OVER_SQRT_PI};
use crate::double_double::{
    Double, add, add_real, constant, div, from_real, horner, mul, mul_real, neg, scale as scale_pair, select, two_prod,
    two_sum,
};
use crate::exponential::exp_double;
use crate::ops::{Ops, choose};
use crate::scaling::{clamp, scale, two_to_the};

/// Where the polynomial for erf gives way.
const MIDDLE: f64 = 0.5;

/// 2/√π·∫₀ˣ e^(−t²) dt.
#[inline(always)]
pub fn erf<O: Ops>(o: &O, x: O::F) -> O::F {
    let a = o.abs(x);
    let far = || {
        let (tail, n) = erfc_tail(o, clamp(o, a, MIDDLE, 7.0));
        one_minus(o, scale_pair(tail, two_to_the(o, n))).round()
    };
    let y = choose(o, o.lt(a, o.real(MIDDLE)), || erf_near_zero(o, a).round(), far);
    o.copysign(y, x)
}

/// 1 − erf x, underflowing gradually. Worst measured error: 0.79 ulp.
#[inline(always)]
pub fn erfc<O: Ops>(o: &O, x: O::F) -> O::F {
    let a = o.abs(x);
    let (tail, n) = erfc_tail(o, clamp(o, a, MIDDLE, 28.0));
    let near = one_minus(o, erf_near_zero(o, a));
    let is_near = o.lt(a, o.real(MIDDLE));
    let half = o.ashr(n, o.int(1)); // 2^n itself may be subnormal, and is then lost beside 2
    let scaled = scale_pair(scale_pair(tail, two_to_the(o, half)), two_to_the(o, o.sub_i(n, half)));
    let reflected = add_real(neg(select(o, is_near, near, scaled)), o.real(2.0)).round();
    let right = o.select(is_near, near.round(), scale(o, tail.round(), n));
    o.select(o.lt(x, o.real(0.0)), reflected, right)
}

/// erf a = a·(2/√π + a²·p(a²)), for 0 ≤ a ≤ 1/2.
#[inline(always)]
fn erf_near_zero<O: Ops>(o: &O, a: O::F) -> Double<O::F> {
    let a2 = a * a;
    let slope = add_real(constant(o, TWO_OVER_SQRT_PI), a2 * horner(o, a2, &ERF_TAIL));
    mul_real(o, slope, a)
}

/// erfc a for 1/2 ≤ a ≤ 28, without a power of two that is returned beside it.
#[inline(always)]
fn erfc_tail<O: Ops>(o: &O, a: O::F) -> (Double<O::F>, O::I) {
    let (exponential, n) = exp_double(o, neg(two_prod(o, a, a)));
    let three = o.real(3.0);
    let t = div(o, two_sum(a, -three), two_sum(a, three));
    let product = t.hi * horner(o, t.hi, &ERFC_TAIL);
    let correction = t.lo * o.real(ERFC_TAIL[0]);
    let nearly_constant = add_real(constant(o, ERFC_MIDDLE), product + correction);
    let denominator = two_sum(a + a, o.real(1.0));
    (div(o, mul(o, exponential, nearly_constant), denominator), n)
}

#[inline(always)]
fn one_minus<O: Ops>(o: &O, a: Double<O::F>) -> Double<O::F> {
    add(from_real(o, o.real(1.0)), neg(a))
}
