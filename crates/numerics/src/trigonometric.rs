//! sin, cos and tan of any magnitude. |x| = n·π/2 + r, |r| ≤ π/4, with r to about 2^-64 relatively or better: by Cody and Waite's
//! subtraction with fma below 2^31, by Payne and Hanek's multiplication with the bits of 2/π above. Then polynomials in r².
//! Of ±∞: NaN.

use crate::coefficients::{COS_TAIL, HALF_PI, MINUS_SIXTH, PI, SIN_TAIL, TWO_OVER_PI, TWO_OVER_PI_BITS};
use crate::double_double::{
    Double, add_real, constant, div, fast_two_sum, horner, mul, mul_real, select, two_prod, two_sum,
};
use crate::ops::{Ops, choose};
use crate::scaling::{Whole, nearest, to_real};

/// sin x.
#[inline(always)]
pub fn sin<O: Ops>(o: &O, x: O::F) -> O::F {
    let (n, r) = reduce(o, o.abs(x));
    let y = choose(o, is_odd(o, n), || cos_near_zero(o, r).round(), || sin_near_zero(o, r));
    let sign = o.xor_i(second_bit_as_sign(o, n), o.bits(x));
    flip(o, y, sign)
}

/// cos x.
#[inline(always)]
pub fn cos<O: Ops>(o: &O, x: O::F) -> O::F {
    let (n, r) = reduce(o, o.abs(x));
    let y = choose(o, is_odd(o, n), || sin_near_zero(o, r), || cos_near_zero(o, r).round());
    let sign = second_bit_as_sign(o, o.add_i(n, o.int(1)));
    flip(o, y, sign)
}

/// tan x: sin r/cos r, or −cos r/sin r in odd quadrants.
#[inline(always)]
pub fn tan<O: Ops>(o: &O, x: O::F) -> O::F {
    let (n, r) = reduce(o, o.abs(x));
    let (sine, cosine) = (sin_double(o, r), cos_near_zero(o, r));
    let odd = is_odd(o, n);
    let y = div(o, select(o, odd, cosine, sine), select(o, odd, sine, cosine)).round();
    let sign = o.xor_i(o.shl(n, o.int(63)), o.bits(x));
    flip(o, y, sign)
}

/// sin(π·d) and cos(π·d) for 0 ≤ d ≤ 1/2, to about 2^-57 relatively.
#[inline(always)]
pub(crate) fn sin_cos_of_half_turn<O: Ops>(o: &O, d: O::F) -> (Double<O::F>, Double<O::F>) {
    let beyond = o.lt(o.real(0.25), d);
    let near = o.select(beyond, o.real(0.5) - d, d);
    let head = two_prod(o, near, o.real(PI.0));
    let r = fast_two_sum(head.hi, o.fma(near, o.real(PI.1), head.lo));
    let (sine, cosine) = (sin_double(o, r), cos_near_zero(o, r));
    (select(o, beyond, cosine, sine), select(o, beyond, sine, cosine))
}

/// The quadrant n (its two low bits count) and r of a ≥ 0; r is NaN where a is infinite.
#[inline(always)]
fn reduce<O: Ops>(o: &O, a: O::F) -> (O::I, Double<O::F>) {
    const LARGE: f64 = 2_147_483_648.0; // 2^31
    let as_values = |(n, r): (O::I, Double<O::F>)| ([r.hi, r.lo], [n]);
    let ([hi, lo], [n]) = o.choose(
        o.le(o.real(LARGE), a),
        #[inline(always)]
        || {
            let (n, r) = multiply_by_two_over_pi(o, a);
            as_values((n, Double { hi: o.select(o.is_infinite(a), o.real(f64::NAN), r.hi), lo: r.lo }))
        },
        #[inline(always)]
        || as_values(subtract_quadrants(o, a)),
    );
    (n, Double { hi, lo })
}

/// a − n·π/2 with π/2 in three parts. The first fma is exact: its result is a multiple of 2^-53 and below 1.
#[inline(always)]
fn subtract_quadrants<O: Ops>(o: &O, a: O::F) -> (O::I, Double<O::F>) {
    let Whole { real: n, int } = nearest(o, a, TWO_OVER_PI);
    let first = o.fma(-n, o.real(HALF_PI.0), a);
    let second = two_prod(o, n, o.real(HALF_PI.1));
    let difference = two_sum(first, -second.hi);
    let low = o.fma(-n, o.real(HALF_PI.2), difference.lo - second.lo);
    (int, fast_two_sum(difference.hi, low))
}

/// Payne and Hanek, "Radian reduction for trigonometric functions" (1983). a = m·2^e with a 53-bit integer m; multiples of 4 in
/// 2^e·2/π do not matter, so 192 bits of 2/π from bit e − 1 on are multiplied with m, modulo 2^192.
#[inline(always)]
fn multiply_by_two_over_pi<O: Ops>(o: &O, a: O::F) -> (O::I, Double<O::F>) {
    let bits = o.bits(a);
    let fraction = o.and_i(bits, o.int((1 << 52) - 1));
    let m = o.or_i(fraction, o.int(1 << 52));
    let [high, middle, low] = two_over_pi_window(o, o.lshr(bits, o.int(52)));
    let bottom = o.umulh(m, low);
    let second = o.add_i(o.mul_i(m, middle), bottom);
    let carry = o.select_i(o.below(second, bottom), o.int(1), o.int(0));
    let first = o.add_i(o.add_i(o.mul_i(m, high), o.umulh(m, middle)), carry);
    quadrant_of_turn(o, first, second)
}

/// 192 bits of 2/π for a biased exponent: from bit e + 62 of the table, where e = exponent − 1075.
#[inline(always)]
fn two_over_pi_window<O: Ops>(o: &O, exponent: O::I) -> [O::I; 3] {
    let start = o.sub_i(exponent, o.int(1075 - 62));
    let start = o.select_i(o.lt_i(start, o.int(0)), o.int(0), start); // a small a is not ours, but must stay in the table
    let (index, by) = (o.lshr(start, o.int(6)), o.and_i(start, o.int(63)));
    let words = [0, 1, 2, 3].map(|i| o.lookup(&TWO_OVER_PI_BITS, o.add_i(index, o.int(i))));
    let counter = o.sub_i(o.int(63), by);
    [0, 1, 2].map(|i| {
        let carried = o.lshr(o.lshr(words[i + 1], o.int(1)), counter);
        o.or_i(o.shl(words[i], by), carried)
    })
}

/// first:second counts 2^-128 of a full turn. Out: the nearest quadrant, and the rest in radians.
#[inline(always)]
fn quadrant_of_turn<O: Ops>(o: &O, first: O::I, second: O::I) -> (O::I, Double<O::F>) {
    const UNIT: f64 = 1.0 / 4_294_967_296.0; // 2^-32
    let n = o.lshr(o.add_i(first, o.int(1 << 61)), o.int(62));
    // Dropping the two quadrant bits leaves the rest as a signed count of 2^-128 of a quadrant.
    let high = o.or_i(o.shl(first, o.int(2)), o.lshr(second, o.int(62)));
    let low = o.shl(second, o.int(2));
    let (by, mask) = (o.int(32), o.int(0xffff_ffff));
    let part = |count: O::I, unit: f64| to_real(o, count) * o.real(unit);
    let a = part(o.ashr(high, by), UNIT);
    let b = part(o.and_i(high, mask), UNIT * UNIT);
    let c = part(o.lshr(low, by), UNIT * UNIT * UNIT);
    let d = part(o.and_i(low, mask), UNIT * UNIT * UNIT * UNIT);
    let top = fast_two_sum(a, b);
    let sum = two_sum(top.hi, c);
    let quadrants = two_sum(sum.hi, (sum.lo + top.lo) + d);
    (n, mul(o, quadrants, constant(o, (HALF_PI.0, HALF_PI.1))))
}

/// sin r for |r| ≤ π/4, to about 2^-54 relatively: r + r³·(−1/6 + r²·p(r²)), and cos r ≈ 1 − r²/2 times the low part.
#[inline(always)]
fn sin_near_zero<O: Ops>(o: &O, r: Double<O::F>) -> O::F {
    let r2 = r.hi * r.hi;
    let factor = o.fma(horner(o, r2, &SIN_TAIL), r2, o.real(MINUS_SIXTH.0));
    let slope = o.fma(r2, o.real(-0.5), o.real(1.0));
    r.hi + o.fma(r.lo, slope, r2 * r.hi * factor)
}

/// The same to about 2^-59.
#[inline(always)]
fn sin_double<O: Ops>(o: &O, r: Double<O::F>) -> Double<O::F> {
    let r2 = two_prod(o, r.hi, r.hi);
    let factor = add_real(constant(o, MINUS_SIXTH), horner(o, r2.hi, &SIN_TAIL) * r2.hi);
    let cubic = mul(o, mul_real(o, r2, r.hi), factor);
    let slope = o.fma(r2.hi, o.real(-0.5), o.real(1.0));
    let head = fast_two_sum(r.hi, cubic.hi);
    fast_two_sum(head.hi, o.fma(r.lo, slope, head.lo + cubic.lo))
}

/// cos r for |r| ≤ π/4, to about 2^-57 relatively: 1 − r²/2 exactly, + r⁴·p(r²) − r·low part.
#[inline(always)]
fn cos_near_zero<O: Ops>(o: &O, r: Double<O::F>) -> Double<O::F> {
    let r2 = two_prod(o, r.hi, r.hi);
    let minus_half = o.real(-0.5);
    let head = fast_two_sum(o.real(1.0), r2.hi * minus_half);
    let quartic = r2.hi * r2.hi * horner(o, r2.hi, &COS_TAIL);
    let tail = o.fma(r2.lo, minus_half, o.fma(-r.hi, r.lo, quartic));
    fast_two_sum(head.hi, head.lo + tail)
}

#[inline(always)]
fn is_odd<O: Ops>(o: &O, n: O::I) -> O::B {
    o.eq_i(o.and_i(n, o.int(1)), o.int(1))
}

/// Bit 1 of n, moved to the place of the sign.
#[inline(always)]
fn second_bit_as_sign<O: Ops>(o: &O, n: O::I) -> O::I {
    o.shl(n, o.int(62))
}

/// y, negated where the sign bit of `sign` is set.
#[inline(always)]
fn flip<O: Ops>(o: &O, y: O::F, sign: O::I) -> O::F {
    o.of_bits(o.xor_i(o.bits(y), o.and_i(sign, o.int(i64::MIN))))
}
