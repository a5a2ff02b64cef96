//! asin and acos by a polynomial for sines up to 1/2, halving the angle beyond; atan and atan2 as the angle of a point (x, y) in the upper right
//! quarter, mirrored.
//! Outside [−1, 1] asin and acos are NaN; atan2 follows C99 F.9.1.4 at zeros and infinities.

use crate::coefficients::{ASIN_TAIL, ATAN_TAIL, HALF_PI, PI, QUARTER_PI, TAN_PI_8};
use crate::double_double::{
    Double, add, constant, div, fast_two_sum, from_real, horner, mul_real, scale, select, sqrt, sub,
};
use crate::ops::Ops;

const HALF_PI_PAIR: (f64, f64) = (HALF_PI.0, HALF_PI.1);

/// The angle in [−π/2, π/2] whose sine is x.
#[inline(always)]
pub fn asin<O: Ops>(o: &O, x: O::F) -> O::F {
    let zero = from_real(o, o.real(0.0));
    let half = half_sine(o, o.abs(x));
    // asin s, or π/2 − 2·asin s
    let base = select(o, half.is_whole, zero, constant(o, HALF_PI_PAIR));
    let factor = o.select(half.is_whole, o.real(1.0), o.real(-2.0));
    o.copysign(half.angle(o, base, factor), x)
}

/// The angle in [0, π] whose cosine is x.
#[inline(always)]
pub fn acos<O: Ops>(o: &O, x: O::F) -> O::F {
    let (zero, one) = (o.real(0.0), o.real(1.0));
    let half = half_sine(o, o.abs(x));
    let is_left = o.lt(x, zero);
    // π/2 ∓ asin s; or 2·asin s, on the left π − 2·asin s
    let far = select(o, is_left, constant(o, PI), from_real(o, zero));
    let base = select(o, half.is_whole, constant(o, HALF_PI_PAIR), far);
    let near = o.select(is_left, one, -one);
    let factor = o.select(half.is_whole, near, near * o.real(-2.0));
    half.angle(o, base, factor)
}

/// A sine s ≤ 1/2 in place of a: a itself, or that of half the angle whose cosine is a.
struct HalfSine<O: Ops> {
    is_whole: O::B,
    /// s, rounded.
    s: O::F,
    /// What it lacks to asin s.
    rest: O::F,
}

/// For 0 ≤ a ≤ 1; beyond, NaN.
#[inline(always)]
fn half_sine<O: Ops>(o: &O, a: O::F) -> HalfSine<O> {
    let half = o.real(0.5);
    let is_whole = o.lt(a, half);
    // sin²(θ/2) = (1 − cos θ)/2, exactly
    let square = o.select(is_whole, a * a, (o.real(1.0) - a) * half);
    let root = sqrt(o, from_real(o, square));
    let s = select(o, is_whole, from_real(o, a), root);
    HalfSine { is_whole, s: s.hi, rest: o.fma(s.hi, square * horner(o, square, &ASIN_TAIL), s.lo) }
}

impl<O: Ops> HalfSine<O> {
    /// base + factor·asin s, for base = 0 or base ≥ factor·s.
    #[inline(always)]
    fn angle(&self, o: &O, base: Double<O::F>, factor: O::F) -> O::F {
        let head = fast_two_sum(base.hi, factor * self.s);
        head.hi + (head.lo + o.fma(factor, self.rest, base.lo))
    }
}

/// The angle in [−π/2, π/2] whose tangent is x.
#[inline(always)]
pub fn atan<O: Ops>(o: &O, x: O::F) -> O::F {
    const HUGE: f64 = 1e150; // from here on the angle is π/2
    let a = o.abs(x);
    let a = o.select(o.lt(o.real(HUGE), a), o.real(HUGE), a);
    let y = angle(o, from_real(o, a), from_real(o, o.real(1.0)), never(o));
    o.copysign(y, x)
}

/// The angle in [−π, π] of the point (x, y).
#[inline(always)]
pub fn atan2<O: Ops>(o: &O, y: O::F, x: O::F) -> O::F {
    let (b, a) = ordinary_point(o, o.abs(y), o.abs(x));
    let is_left = o.lt_i(o.bits(x), o.int(0)); // the sign bit: −0 is left too
    let result = o.copysign(angle(o, from_real(o, b), from_real(o, a), is_left), y);
    o.select(o.either(o.is_nan(x), o.is_nan(y)), o.real(f64::NAN), result)
}

/// A point with the direction of (x, y), in which neither the larger coordinate nor its reciprocal is extreme: zeros become
/// (1, 0), infinities 1 beside 0. A smaller coordinate that loses bits here is too small to matter.
#[inline(always)]
fn ordinary_point<O: Ops>(o: &O, y: O::F, x: O::F) -> (O::F, O::F) {
    const HUGE: f64 = 1e150;
    const TINY: f64 = 1e-150;
    const DOWN: f64 = 1.0 / UP / UP; // 2^-120
    const UP: f64 = 1_152_921_504_606_846_976.0; // 2^60
    let (zero, one) = (o.real(0.0), o.real(1.0));
    let larger = o.select(o.lt(x, y), y, x);
    let factor = o.select(o.lt(o.real(HUGE), larger), o.real(DOWN), one);
    let up_four_times = o.real(UP * UP * UP * UP * UP * UP);
    let factor = o.select(o.lt(larger, o.real(TINY)), up_four_times, factor);
    let at_infinity = o.is_infinite(larger);
    let as_unit = |c: O::F| o.select(o.is_infinite(c), one, zero);
    let place = |c: O::F| o.select(at_infinity, as_unit(c), c * factor);
    let x = o.select(o.eq(larger, zero), one, x);
    (place(y), place(x))
}

/// The angle of the point (±x, y), x ≥ 0 and y ≥ 0: with t = tan of the angle to the nearest multiple of π/4, base + atan t.
#[inline(always)]
fn angle<O: Ops>(o: &O, y: Double<O::F>, x: Double<O::F>, is_left: O::B) -> O::F {
    let (one, two) = (o.real(1.0), o.real(2.0));
    let is_steep = o.lt(x.hi, y.hi);
    let (shorter, longer) = (select(o, is_steep, x, y), select(o, is_steep, y, x));
    let is_diagonal = o.lt(longer.hi * o.real(TAN_PI_8), shorter.hi);
    let numerator = select(o, is_diagonal, sub(shorter, longer), shorter);
    let denominator = select(o, is_diagonal, add(shorter, longer), longer);
    let t = div(o, numerator, denominator);

    let eighths = o.select(is_diagonal, one, o.real(0.0));
    let eighths = o.select(is_steep, two - eighths, eighths);
    let eighths = o.select(is_left, two + two - eighths, eighths);
    let turned = o.select(is_steep, -one, one);
    let turned = o.select(is_left, -turned, turned);
    plus_atan(o, mul_real(o, constant(o, QUARTER_PI), eighths), scale(t, turned))
}

/// base + atan t for |t| ≤ tan π/8, base zero or larger.
#[inline(always)]
fn plus_atan<O: Ops>(o: &O, base: Double<O::F>, t: Double<O::F>) -> O::F {
    let t2 = t.hi * t.hi;
    let cubic = t.hi * t2 * horner(o, t2, &ATAN_TAIL);
    let head = fast_two_sum(base.hi, t.hi);
    head.hi + (head.lo + (base.lo + (t.lo + cubic)))
}

#[inline(always)]
fn never<O: Ops>(o: &O) -> O::B {
    o.lt_i(o.int(0), o.int(0))
}
