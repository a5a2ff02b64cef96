//! x^y and the cube root. Special cases of pow are those of IEEE 754-2019 9.2.1 and C99 F.9.4.4.

use crate::coefficients::{CBRT_2, CBRT_4, CBRT_START};
use crate::double_double::{Double, from_real, horner, two_prod};
use crate::exponential::exp_double;
use crate::logarithm::{log_accurate, log_of_ordinary};
use crate::ops::{Ops, choose};
use crate::scaling::{clamp, is_ordinary, scale, scale_normal, split_ordinary, to_real, two_to_the, wholeness};

/// x^y. Small whole powers are products (`small_power`), so that a compiler that knows the exponent may write them as products.
#[inline(always)]
pub fn pow<O: Ops>(o: &O, x: O::F, y: O::F) -> O::F {
    let is = |exponent: f64| o.eq(y, o.real(exponent));
    let by_products = [2.0, 3.0, 4.0, -1.0].into_iter().map(is).fold(is(1.0), |all, one| o.either(all, one));
    choose(
        o,
        by_products,
        #[inline(always)]
        || small_power(o, x, y),
        #[inline(always)]
        || any_power(o, x, y),
    )
}

/// x^y for y = 1, 2, 3, 4, −1: x, x·x, (x·x)·x, (x·x)·(x·x), 1/x. Worst error: that of one rounding for 2 and −1, 1.5 ulp for 3 and
/// 2.5 ulp for 4.
#[inline(always)]
fn small_power<O: Ops>(o: &O, x: O::F, y: O::F) -> O::F {
    let is = |exponent: f64| o.eq(y, o.real(exponent));
    let square = x * x;
    let higher = o.select(is(3.0), square * x, o.select(is(4.0), square * square, o.real(1.0) / x));
    o.select(is(2.0), square, o.select(is(1.0), x, higher))
}

/// x^y = e^(y·ln|x|), with the sign of x where y is an odd integer. Worst measured error: 0.53 ulp, 0.76 where the result is
/// subnormal; results that are exact reals, such as 10^5, come out exact. Most powers are of positive numbers and of no extreme size.
#[inline(always)]
fn any_power<O: Ops>(o: &O, x: O::F, y: O::F) -> O::F {
    const MOST: f64 = 1000.0; // 2^1000 and 2^-1000 are normal
    let split = split_ordinary(o, x);
    let doublings = o.abs(y) * (o.abs(to_real(o, split.exponent)) + o.real(1.0));
    choose(
        o,
        o.both(is_ordinary(o, x), o.lt(doublings, o.real(MOST))),
        #[inline(always)]
        || {
            let (mantissa, n) = exp_double(o, times(o, y, log_of_ordinary(o, split)));
            scale_normal(o, mantissa.hi, n)
        },
        #[inline(always)]
        || extreme_power(o, x, y),
    )
}

/// The same for all x and y.
#[inline(always)]
fn extreme_power<O: Ops>(o: &O, x: O::F, y: O::F) -> O::F {
    let (zero, one, nan) = (o.real(0.0), o.real(1.0), o.real(f64::NAN));
    let a = o.abs(x);
    let (y_is_whole, y_is_odd) = wholeness(o, o.abs(y));
    let magnitude = positive_power(o, a, y);
    let signed = o.select(y_is_odd, o.copysign(magnitude, x), magnitude);

    let is_negative = o.both(o.lt(x, zero), o.lt(a, o.real(f64::INFINITY)));
    let is_undefined = o.both(is_negative, o.not(y_is_whole));
    let is_undefined = o.either(is_undefined, o.either(o.is_nan(x), o.is_nan(y)));
    let result = o.select(is_undefined, nan, signed);
    o.select(o.either(o.eq(y, zero), o.eq(x, one)), one, result)
}

/// y·log, to about 2^-102.
#[inline(always)]
fn times<O: Ops>(o: &O, y: O::F, log: Double<O::F>) -> Double<O::F> {
    let hi = y * log.hi;
    Double { hi, lo: o.fma(y, log.lo, o.fma(y, log.hi, -hi)) }
}

/// a^y for a ≥ 0. An exponent beyond ±1100 is as good as ±1100: both overflow, or both vanish.
#[inline(always)]
fn positive_power<O: Ops>(o: &O, a: O::F, y: O::F) -> O::F {
    const BEYOND: f64 = 1100.0;
    let log = log_accurate(o, from_real(o, a));
    let infinity = o.real(f64::INFINITY);
    let log_hi = o.select(o.eq(a, infinity), infinity, log.hi);
    let log_hi = o.select(o.eq(a, o.real(0.0)), -infinity, log_hi);
    let exponent = times(o, y, Double { hi: log_hi, lo: log.lo });
    let rest = o.select(o.lt(o.abs(exponent.hi), o.real(BEYOND)), exponent.lo, o.real(0.0));
    let (mantissa, n) = exp_double(o, Double { hi: clamp(o, exponent.hi, -BEYOND, BEYOND), lo: rest });
    let result = scale(o, mantissa.hi, n);
    o.select(o.eq(a, o.real(1.0)), o.real(1.0), result)
}

/// The cube root, with the sign of x: a polynomial start to 16 bits, Halley's step to 48, Newton's in double-double to the end.
#[inline(always)]
pub fn cbrt<O: Ops>(o: &O, x: O::F) -> O::F {
    const UP: f64 = 18_014_398_509_481_984.0; // 2^54
    let a = o.abs(x);
    let is_small = o.lt(a, o.real(f64::MIN_POSITIVE));
    let (m, third) = thirds(o, o.select(is_small, a * o.real(UP), a));
    let correction = o.select_i(is_small, o.int(18), o.int(0));
    let y = cbrt_of_mantissa(o, m) * two_to_the(o, o.sub_i(third, correction));
    let is_regular = o.both(o.lt(o.real(0.0), a), o.lt(a, o.real(f64::INFINITY)));
    o.select(is_regular, o.copysign(y, x), x)
}

/// a = m·8^third with m in [1, 8).
#[inline(always)]
fn thirds<O: Ops>(o: &O, a: O::F) -> (O::F, O::I) {
    let bits = o.bits(a);
    let exponent = o.lshr(bits, o.int(52)); // biased by 1023 = 3·341
    let biased = o.lshr(o.mul_i(exponent, o.int(21_846)), o.int(16)); // exponent/3, rounded down: right below 2^15
    let third = o.sub_i(biased, o.int(341));
    let tripled = o.mul_i(third, o.int(3 << 52));
    (o.of_bits(o.sub_i(bits, tripled)), third)
}

#[inline(always)]
fn cbrt_of_mantissa<O: Ops>(o: &O, m: O::F) -> O::F {
    let (two, four) = (o.real(2.0), o.real(4.0));
    let [from_two, from_four] = [two, four].map(|limit| o.le(limit, m));
    let factor = o.select(from_two, o.real(0.5), o.real(1.0));
    let factor = o.select(from_four, o.real(0.25), factor);
    let back = o.select(from_two, o.real(CBRT_2), o.real(1.0));
    let back = o.select(from_four, o.real(CBRT_4), back);
    let t = horner(o, m * factor, &CBRT_START) * back;

    // Halley: t·(t³ + 2m)/(2t³ + m).
    let cube = t * t * t;
    let t = t * (o.fma(two, m, cube) / o.fma(two, cube, m));
    // Newton: t + (m − t³)/(3t²), the residue to twice the precision.
    let square = two_prod(o, t, t);
    let cube = two_prod(o, square.hi, t);
    let residue = (m - cube.hi) - o.fma(square.lo, t, cube.lo);
    t + residue / (square.hi * o.real(3.0))
}
