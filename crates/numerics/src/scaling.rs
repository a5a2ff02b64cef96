//! Exponents and whole numbers, by their bits: in go reals, out come integers and powers of two. All results are exact.

use crate::double_double::Double;
use crate::ops::Ops;

/// 1.5·2^52: adding it to |x| < 2^51 rounds x to an integer, found in the low bits of the sum.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
const ROUNDER_BITS: i64 = ROUNDER.to_bits() as i64;
/// 2^52: every real from here on is an integer.
const WHOLE: f64 = 4_503_599_627_370_496.0;
const MANTISSA_BITS: i64 = 52;
const BIAS: i64 = 1023;
pub const SQRT_HALF_BITS: i64 = std::f64::consts::FRAC_1_SQRT_2.to_bits() as i64;

/// A whole number twice: as a real and as an integer.
#[derive(Clone, Copy, Debug)]
pub struct Whole<F, I> {
    pub real: F,
    pub int: I,
}

/// The nearest integer to x·factor, for |x·factor| < 2^51.
#[inline(always)]
pub fn nearest<O: Ops>(o: &O, x: O::F, factor: f64) -> Whole<O::F, O::I> {
    let shifted = o.fma(x, o.real(factor), o.real(ROUNDER));
    Whole { real: shifted - o.real(ROUNDER), int: o.sub_i(o.bits(shifted), o.int(ROUNDER_BITS)) }
}

/// An integer of magnitude below 2^51, as a real.
#[inline(always)]
pub fn to_real<O: Ops>(o: &O, n: O::I) -> O::F {
    o.of_bits(o.add_i(n, o.int(ROUNDER_BITS))) - o.real(ROUNDER)
}

/// Whether a ≥ 0 is an integer, and whether an odd one.
#[inline(always)]
pub fn wholeness<O: Ops>(o: &O, a: O::F) -> (O::B, O::B) {
    let large = o.le(o.real(WHOLE), a);
    let shifted = o.select(large, a, a + o.real(WHOLE));
    let is_whole = o.either(large, o.eq(shifted - o.real(WHOLE), a));
    let low_bit = o.eq_i(o.and_i(o.bits(shifted), o.int(1)), o.int(1));
    let has_units = o.lt(a, o.real(2.0 * WHOLE));
    (is_whole, o.both(o.both(is_whole, has_units), low_bit))
}

/// The distance of a ≥ 0 from the nearest integer, with its sign; 0 from 2^52 on.
#[inline(always)]
pub fn fraction<O: Ops>(o: &O, a: O::F) -> O::F {
    let nearest = (a + o.real(WHOLE)) - o.real(WHOLE);
    o.select(o.lt(a, o.real(WHOLE)), a - nearest, o.real(0.0))
}

/// 2^n for −1022 ≤ n ≤ 1023.
#[inline(always)]
pub fn two_to_the<O: Ops>(o: &O, n: O::I) -> O::F {
    o.of_bits(o.shl(o.add_i(n, o.int(BIAS)), o.int(MANTISSA_BITS)))
}

/// x·2^n for |n| ≤ 2044 and 1/2 ≤ |x| ≤ 2, rounded once, also where it is subnormal.
#[inline(always)]
pub fn scale<O: Ops>(o: &O, x: O::F, n: O::I) -> O::F {
    let half = o.ashr(n, o.int(1));
    x * two_to_the(o, half) * two_to_the(o, o.sub_i(n, half))
}

/// x·2^n where both are normal.
#[inline(always)]
pub fn scale_normal<O: Ops>(o: &O, x: O::F, n: O::I) -> O::F {
    o.of_bits(o.add_i(o.bits(x), o.shl(n, o.int(MANTISSA_BITS))))
}

/// u = 2^exponent·mantissa, with the mantissa in [√½, √2].
#[derive(Clone, Copy, Debug)]
pub struct Split<F, I> {
    pub exponent: I,
    pub mantissa: Double<F>,
}

/// Splits finite u > 0, subnormal or not.
#[inline(always)]
pub fn split<O: Ops>(o: &O, u: Double<O::F>) -> Split<O::F, O::I> {
    const TO_NORMAL: f64 = 18_014_398_509_481_984.0; // 2^54
    let small = o.lt(u.hi, o.real(f64::MIN_POSITIVE));
    let factor = o.select(small, o.real(TO_NORMAL), o.real(1.0));
    let bits = o.bits(u.hi * factor);
    let shift = o.int(MANTISSA_BITS);
    let exponent = o.ashr(o.sub_i(bits, o.int(SQRT_HALF_BITS)), shift);
    let hi = o.of_bits(o.sub_i(bits, o.shl(exponent, shift)));
    // 2^(1−exponent)/2: 2^−exponent itself may lie outside the range.
    let inverse = two_to_the(o, o.sub_i(o.int(1), exponent));
    let lo = u.lo * factor * o.real(0.5) * inverse;
    let correction = o.select_i(small, o.int(54), o.int(0));
    Split { exponent: o.sub_i(exponent, correction), mantissa: Double { hi, lo } }
}

/// Is x positive, normal and finite?
#[inline(always)]
pub fn is_ordinary<O: Ops>(o: &O, x: O::F) -> O::B {
    const FIRST: i64 = f64::MIN_POSITIVE.to_bits() as i64;
    const END: i64 = f64::INFINITY.to_bits() as i64;
    o.below(o.sub_i(o.bits(x), o.int(FIRST)), o.int(END - FIRST))
}

/// [`split`] of an ordinary x that is one real.
#[inline(always)]
pub fn split_ordinary<O: Ops>(o: &O, x: O::F) -> Split<O::F, O::I> {
    let bits = o.bits(x);
    let exponent = o.ashr(o.sub_i(bits, o.int(SQRT_HALF_BITS)), o.int(MANTISSA_BITS));
    let hi = o.of_bits(o.sub_i(bits, o.shl(exponent, o.int(MANTISSA_BITS))));
    Split { exponent, mantissa: Double { hi, lo: o.real(0.0) } }
}

/// x kept inside [low, high]; NaN stays.
#[inline(always)]
pub fn clamp<O: Ops>(o: &O, x: O::F, low: f64, high: f64) -> O::F {
    let x = o.select(o.lt(x, o.real(low)), o.real(low), x);
    o.select(o.lt(o.real(high), x), o.real(high), x)
}
