//! ln|Γ| and its derivative ψ. a = |x| is moved to z = a + 8 if below 8, where Stirling's series converges fast; what the move
//! costs is the logarithm (or logarithmic derivative) of P = a(a+1)…(a+7). Near the positive zeros, polynomials keep the
//! relative error small. Negative x by reflection; near the zeros on that side only the absolute error is small.

use crate::coefficients::{
    DIGAMMA_NEAR, DIGAMMA_ROOT, DIGAMMA_SLOPE, DIGAMMA_TAIL, EULER, LGAMMA_NEAR_1, LGAMMA_NEAR_2, LN_PI,
    ONE_MINUS_EULER, PI, STIRLING, STIRLING_TAIL, TWELFTH,
};
use crate::double_double::{
    Double, add, add_real, choose as choose_double, constant, div, from_real, horner, mul, mul_real, neg, scale,
    select, sub, two_sum,
};
use crate::logarithm::{infinity_or_nan, log_accurate};
use crate::ops::Ops;
use crate::scaling::fraction;
use crate::trigonometric::sin_cos_of_half_turn;

/// Stirling's series is used from here on.
const SHIFT: f64 = 8.0;
/// The radius of the polynomials around zeros.
const NEAR: f64 = 0.0625;
/// Below this, Γ(x) is 1/x to the last bit, on both sides of zero.
const TINY: f64 = 1e-18;
/// The largest x whose ln Γ is finite.
const LARGEST: f64 = 2.559_983_327_851_638_3e305;

/// ln|Γ(x)|; ∞ at 0, the negative integers and both infinities. Worst measured error: 0.59 ulp for x > 0; for x < 0 0.6 ulp of
/// max(1, |result|).
#[inline(always)]
pub fn lgamma<O: Ops>(o: &O, x: O::F) -> O::F {
    let (zero, infinity) = (o.real(0.0), o.real(f64::INFINITY));
    let a = o.abs(x);
    let is_left = o.lt(x, o.real(-TINY));
    let distance = o.abs(fraction(o, a));
    let (is_near, near) = lgamma_near_zeros(o, a);
    let (z, product) = shifted(o, a, is_near);

    // right: ln Γ(a) = base − ln P; left: ln|Γ(−a)| = ln π − base − ln(a·sin(πa)/P)
    let base = choose_double(o, is_near, || near, || stirling(o, z));
    let reflected = || {
        let (sine, _) = sin_cos_of_half_turn(o, distance);
        div(o, mul_real(o, sine, a), product)
    };
    let log = log_accurate(o, choose_double(o, is_left, reflected, || product));
    let signed = select(o, is_left, sub(constant(o, LN_PI), base), base);
    let y = sub(signed, log).round() + zero; // ln Γ(1) is +0

    let is_pole = o.both(o.le(x, zero), o.eq(distance, zero));
    let y = o.select(o.either(is_pole, o.lt(o.real(LARGEST), a)), infinity, y);
    o.select(o.is_nan(x), x, y)
}

/// ψ(x) = Γ′(x)/Γ(x); ∓∞ at ±0, NaN at the negative integers and −∞. Worst measured error: 0.53 ulp for x > 0; for x < 0 0.62
/// ulp of max(1, |result|).
#[inline(always)]
pub fn digamma<O: Ops>(o: &O, x: O::F) -> O::F {
    let (zero, one, infinity) = (o.real(0.0), o.real(1.0), o.real(f64::INFINITY));
    let a = o.abs(x);
    let offset = fraction(o, a);
    let distance = o.abs(offset);
    let right = digamma_right(o, a);

    // ψ(−a) = ψ(a) + 1/a + π·cot(πa)
    let left = || {
        let (sine, cosine) = sin_cos_of_half_turn(o, distance);
        let cotangent = mul(o, div(o, cosine, sine), constant(o, PI));
        let cotangent = scale(cotangent, o.copysign(one, offset));
        let reciprocal = div(o, from_real(o, one), from_real(o, a));
        add(add(right, reciprocal), cotangent)
    };

    let is_left = o.lt(x, zero);
    let y = choose_double(o, is_left, left, || right).round();
    let y = o.select(o.lt(a, o.real(TINY)), -(one / x), y);
    let is_pole = o.both(o.both(is_left, o.eq(distance, zero)), o.le(one, a));
    let y = o.select(is_pole, o.real(f64::NAN), y);
    o.select(o.lt(a, infinity), y, infinity_or_nan(o, x))
}

/// z ≥ 8 and the product P with Γ(z) = P·Γ(a); P = 1 where nothing is moved, or nothing needs to be.
#[inline(always)]
fn shifted<O: Ops>(o: &O, a: O::F, is_near: O::B) -> (Double<O::F>, Double<O::F>) {
    let is_low = o.lt(a, o.real(SHIFT));
    let z = two_sum(a, o.select(is_low, o.real(SHIFT), o.real(0.0)));
    let [outer, inner] = product_halves(o, a);
    let one = from_real(o, o.real(1.0));
    let moves = o.both(is_low, o.not(is_near));
    (z, select(o, moves, mul(o, outer, inner), one))
}

/// With u = a(a+7): P = u(u+6) · (u+10)(u+12), because (a+1)(a+6) = u+6, (a+2)(a+5) = u+10, (a+3)(a+4) = u+12.
#[inline(always)]
fn product_halves<O: Ops>(o: &O, a: O::F) -> [Double<O::F>; 2] {
    let u = pairs(o, a);
    let times = |p: f64, q: f64| mul(o, add_real(u, o.real(p)), add_real(u, o.real(q)));
    [times(0.0, 6.0), times(10.0, 12.0)]
}

/// a(a+7).
#[inline(always)]
fn pairs<O: Ops>(o: &O, a: O::F) -> Double<O::F> {
    mul_real(o, two_sum(a, o.real(7.0)), a)
}

/// ln Γ(z) = (z − 1/2)(ln z − 1) + (ln 2π − 1)/2 + 1/(12z) + p(1/z²)/z³, to about 2^-68, for z ≥ 8.
#[inline(always)]
fn stirling<O: Ops>(o: &O, z: Double<O::F>) -> Double<O::F> {
    let log = add_real(log_accurate(o, z), o.real(-1.0));
    let main = mul(o, add_real(z, o.real(-0.5)), log);
    let first = div(o, constant(o, TWELFTH), z);
    let w = o.real(1.0) / z.hi;
    let w2 = w * w;
    let rest = w * w2 * horner(o, w2, &STIRLING_TAIL);
    add(main, add_real(add(constant(o, STIRLING), first), rest))
}

/// Whether a is near 1 or 2, and then ln Γ(a).
#[inline(always)]
fn lgamma_near_zeros<O: Ops>(o: &O, a: O::F) -> (O::B, Double<O::F>) {
    let [t1, t2] = [1.0, 2.0].map(|zero| a - o.real(zero));
    let [near1, near2] = [t1, t2].map(|t| o.lt(o.abs(t), o.real(NEAR)));
    let slope1 = add_real(neg(constant(o, EULER)), t1 * horner(o, t1, &LGAMMA_NEAR_1));
    let slope2 = add_real(constant(o, ONE_MINUS_EULER), t2 * horner(o, t2, &LGAMMA_NEAR_2));
    let slope = select(o, near1, slope1, slope2);
    (o.either(near1, near2), mul_real(o, slope, o.select(near1, t1, t2)))
}

/// ψ(a) for a > 0.
#[inline(always)]
fn digamma_right<O: Ops>(o: &O, a: O::F) -> Double<O::F> {
    let (is_near, near) = digamma_near_zero(o, a);
    let is_low = o.lt(a, o.real(SHIFT));
    let z = two_sum(a, o.select(is_low, o.real(SHIFT), o.real(0.0)));
    let zero = from_real(o, o.real(0.0));
    let far = || {
        let moved = choose_double(o, is_low, || product_slope(o, a), || zero);
        sub(digamma_series(o, z), moved)
    };
    choose_double(o, is_near, || near, far)
}

/// P′/P = 1/a + … + 1/(a+7).
#[inline(always)]
fn product_slope<O: Ops>(o: &O, a: O::F) -> Double<O::F> {
    let u = pairs(o, a);
    let [outer, inner] = product_halves(o, a);
    let twice = scale(u, o.real(2.0));
    // P = outer·inner, dP/du = (2u+6)·inner + outer·(2u+22), du/da = 2a+7
    let outer_slope = mul(o, add_real(twice, o.real(6.0)), inner);
    let inner_slope = mul(o, outer, add_real(twice, o.real(22.0)));
    let slope = mul(o, add(outer_slope, inner_slope), two_sum(a + a, o.real(7.0)));
    div(o, slope, mul(o, outer, inner))
}

/// ψ(z) = ln z − 1/(2z) − 1/(12z²) + p(1/z²)/z⁴, for z ≥ 8.
#[inline(always)]
fn digamma_series<O: Ops>(o: &O, z: Double<O::F>) -> Double<O::F> {
    let half = div(o, from_real(o, o.real(-0.5)), z);
    let w = half.hi + half.hi;
    let w2 = w * w;
    let rest = w2 * (w2 * horner(o, w2, &DIGAMMA_TAIL) - o.real(TWELFTH.0));
    add(log_accurate(o, z), add_real(half, rest))
}

/// Whether a is near the positive zero of ψ, and then ψ(a).
#[inline(always)]
fn digamma_near_zero<O: Ops>(o: &O, a: O::F) -> (O::B, Double<O::F>) {
    let head = two_sum(a - o.real(DIGAMMA_ROOT.0), o.real(-DIGAMMA_ROOT.1));
    let t = two_sum(head.hi, head.lo - o.real(DIGAMMA_ROOT.2));
    let slope = add_real(constant(o, DIGAMMA_SLOPE), t.hi * horner(o, t.hi, &DIGAMMA_NEAR));
    (o.lt(o.abs(t.hi), o.real(NEAR)), mul(o, slope, t))
}
