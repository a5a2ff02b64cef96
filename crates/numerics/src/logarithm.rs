//! Logarithms. u = 2^k·m with m in [√½, √2]. For `log` itself, which loops compute several at a time, ln m = 2·atanh(s), s = (m−1)/(m+1), by a
//! polynomial in s²; for the others, which need more bits, ln m comes out of a table and a short polynomial.
//! Of 0: −∞; of a negative number: NaN; of ∞: ∞.

use crate::coefficients::{
    LN_2, LN_2_SHORT, LOG_HEADS, LOG_RECIPROCALS, LOG_TAIL, LOG_TAILS, LOG2_E_PAIR, LOG10_2, LOG10_E,
};
use crate::double_double::{
    Double, add, add_real, constant, div, fast_two_sum, from_real, horner, mul, mul_real, scale, two_prod, two_sum,
};
use crate::ops::{Ops, choose};
use crate::scaling::{SQRT_HALF_BITS, Split, is_ordinary, split, split_ordinary, to_real};

/// ln x.
#[inline(always)]
pub fn log<O: Ops>(o: &O, x: O::F) -> O::F {
    choose(
        o,
        is_ordinary(o, x),
        || log_of_split(o, split_ordinary(o, x)),
        || with_edges(o, x, log_of_split(o, split(o, from_real(o, x)))),
    )
}

/// ln(2^exponent·mantissa).
#[inline(always)]
fn log_of_split<O: Ops>(o: &O, Split { exponent, mantissa }: Split<O::F, O::I>) -> O::F {
    let (twice, cubic) = log_parts(o, from_real(o, mantissa.hi - o.real(1.0)));
    let k = to_real(o, exponent);
    let doublings = two_prod(o, k, o.real(LN_2.0));
    let head = fast_two_sum(doublings.hi, twice.hi);
    let tail = o.fma(k, o.real(LN_2.1), doublings.lo) + (twice.lo + cubic);
    head.hi + (head.lo + tail)
}

/// log₂ x; exact for powers of two.
#[inline(always)]
pub fn log2<O: Ops>(o: &O, x: O::F) -> O::F {
    let of_split = |Split { exponent, mantissa }: Split<O::F, O::I>| {
        let fraction = mul(o, log_of_mantissa(o, mantissa.hi), constant(o, LOG2_E_PAIR));
        add_real(fraction, to_real(o, exponent)).round()
    };
    choose(
        o,
        is_ordinary(o, x),
        || of_split(split_ordinary(o, x)),
        || with_edges(o, x, of_split(split(o, from_real(o, x)))),
    )
}

/// log₁₀ x; exact for powers of ten.
#[inline(always)]
pub fn log10<O: Ops>(o: &O, x: O::F) -> O::F {
    let of_split = |Split { exponent, mantissa }: Split<O::F, O::I>| {
        let fraction = mul(o, log_of_mantissa(o, mantissa.hi), constant(o, LOG10_E));
        add(mul_real(o, constant(o, LOG10_2), to_real(o, exponent)), fraction).round()
    };
    choose(
        o,
        is_ordinary(o, x),
        || of_split(split_ordinary(o, x)),
        || with_edges(o, x, of_split(split(o, from_real(o, x)))),
    )
}

/// ln(1 + x).
#[inline(always)]
pub fn log1p<O: Ops>(o: &O, x: O::F) -> O::F {
    let y = log1p_double(o, from_real(o, x)).round();
    let pole = o.eq(x, o.real(-1.0));
    let edge = o.select(pole, o.real(f64::NEG_INFINITY), infinity_or_nan(o, x));
    let regular = o.both(o.lt(o.real(-1.0), x), o.lt(x, o.real(f64::INFINITY)));
    o.copysign(o.select(regular, y, edge), x) // −0 stays −0
}

/// ln(1 + f) for finite f > −1, to about 2^-59 relatively.
#[inline(always)]
pub(crate) fn log1p_double<O: Ops>(o: &O, f: Double<O::F>) -> Double<O::F> {
    log_double(o, add_real(f, o.real(1.0)), f, o.int(0))
}

/// ln(2^doublings·u) for finite u > 0, to about 2^-68 relatively. Where u is near 1, f = u − 1 says it better.
#[inline(always)]
pub(crate) fn log_double<O: Ops>(o: &O, u: Double<O::F>, f: Double<O::F>, doublings: O::I) -> Double<O::F> {
    let Split { exponent, mantissa } = split(o, u);
    let part = part_of(o, mantissa.hi);
    let reciprocal = o.of_bits(o.lookup(&LOG_RECIPROCALS, part));
    let is_near = o.both(o.eq_i(exponent, o.int(0)), o.eq(reciprocal, o.real(1.0)));
    let r = o.select(is_near, f.hi, o.fma(mantissa.hi, reciprocal, o.real(-1.0)));
    let lo = o.select(is_near, f.lo, mantissa.lo * reciprocal);
    log_by_table(o, to_real(o, o.add_i(exponent, doublings)), part, r, Some(lo))
}

/// ln u for finite u > 0, to about 2^-68 relatively (absolutely near 1 unless u is one real).
#[inline(always)]
pub(crate) fn log_accurate<O: Ops>(o: &O, u: Double<O::F>) -> Double<O::F> {
    let Split { exponent, mantissa } = split(o, u);
    let part = part_of(o, mantissa.hi);
    let reciprocal = o.of_bits(o.lookup(&LOG_RECIPROCALS, part));
    let r = o.fma(mantissa.hi, reciprocal, o.real(-1.0));
    log_by_table(o, to_real(o, exponent), part, r, Some(mantissa.lo * reciprocal))
}

/// ln x of an ordinary x, given its split; as accurately.
#[inline(always)]
pub(crate) fn log_of_ordinary<O: Ops>(o: &O, Split { exponent, mantissa }: Split<O::F, O::I>) -> Double<O::F> {
    let part = part_of(o, mantissa.hi);
    let r = o.fma(mantissa.hi, o.of_bits(o.lookup(&LOG_RECIPROCALS, part)), o.real(-1.0));
    log_by_table(o, to_real(o, exponent), part, r, None)
}

/// ln m for a mantissa m.
#[inline(always)]
fn log_of_mantissa<O: Ops>(o: &O, m: O::F) -> Double<O::F> {
    log_of_ordinary(o, Split { exponent: o.int(0), mantissa: from_real(o, m) })
}

/// ln(2^k·m). The part of [√½, √2] in which m lies has a short number c near its reciprocal in a table, so that r = m·c − 1 is exact and below
/// 2^-6.8; then ln m = −ln c + ln(1 + r). `lo` is what r lacks, if m isn't one real.
#[inline(always)]
fn log_by_table<O: Ops>(o: &O, k: O::F, part: O::I, r: O::F, lo: Option<O::F>) -> Double<O::F> {
    // Exact: both are multiples of 2^-42.
    let head = o.fma(k, o.real(LN_2_SHORT.0), o.of_bits(o.lookup(&LOG_HEADS, part)));
    let tail = o.fma(k, o.real(LN_2_SHORT.1), o.of_bits(o.lookup(&LOG_TAILS, part)));
    // ln(1 + r) = r − r²/2 + r³·p(r), and its slope is about 1 − r
    let tail = lo.map_or(tail, |lo| tail + o.fma(-r, lo, lo));
    let square = two_prod(o, r, r);
    let cubic = square.hi * r * log1p_tail(o, r, square.hi);
    let linear = two_sum(head, r);
    let half = o.real(0.5);
    let quadratic = fast_two_sum(linear.hi, -(square.hi * half));
    let rest = (linear.lo + quadratic.lo) + (tail + o.fma(-half, square.lo, cubic));
    fast_two_sum(quadratic.hi, rest)
}

/// Into how many parts [√½, √2] is cut.
const PARTS: usize = 128;

/// The part in which a mantissa lies; for what is none, some part.
#[inline(always)]
fn part_of<O: Ops>(o: &O, mantissa: O::F) -> O::I {
    const BITS_OF_A_PART: i64 = 52 - 7;
    let above = o.sub_i(o.bits(mantissa), o.int(SQRT_HALF_BITS));
    o.and_i(o.lshr(above, o.int(BITS_OF_A_PART)), o.int(PARTS as i64 - 1))
}

/// (ln(1 + r) − r + r²/2)/r³ for |r| < 2^-6.8, given r²: 1/3 − r/4 + r²/5 − …, in few steps.
#[inline(always)]
fn log1p_tail<O: Ops>(o: &O, r: O::F, r2: O::F) -> O::F {
    let pair = |n: f64| o.fma(r, o.real(-1.0 / (n + 1.0)), o.real(1.0 / n));
    let low = o.fma(r2, pair(5.0), pair(3.0));
    let high = o.fma(r2, pair(9.0), pair(7.0));
    o.fma(r2 * r2, high, low)
}

/// 2s = 2f/(2 + f), so that ln(1 + f) = 2·atanh(s). Not s itself: half of a subnormal f would lose a bit.
#[inline(always)]
fn twice_s<O: Ops>(o: &O, f: Double<O::F>) -> Double<O::F> {
    let two = o.real(2.0);
    let sum = fast_two_sum(two, f.hi);
    div(o, scale(f, two), Double { hi: sum.hi, lo: sum.lo + f.lo })
}

/// ln(1 + f) for √½ ≤ 1 + f ≤ √2 as two summands: 2s to full precision, the rest as one real.
#[inline(always)]
fn log_parts<O: Ops>(o: &O, f: Double<O::F>) -> (Double<O::F>, O::F) {
    let twice = twice_s(o, f);
    let s = twice.hi * o.real(0.5);
    let s2 = s * s;
    (twice, s * s2 * horner(o, s2, &LOG_TAIL))
}

/// The value of a logarithm at any x, given that at finite x > 0.
#[inline(always)]
fn with_edges<O: Ops>(o: &O, x: O::F, y: O::F) -> O::F {
    let zero = o.real(0.0);
    let edge = o.select(o.eq(x, zero), o.real(f64::NEG_INFINITY), infinity_or_nan(o, x));
    o.select(o.both(o.lt(zero, x), o.lt(x, o.real(f64::INFINITY))), y, edge)
}

/// ∞ at ∞, elsewhere NaN.
#[inline(always)]
pub(crate) fn infinity_or_nan<O: Ops>(o: &O, x: O::F) -> O::F {
    o.select(o.eq(x, o.real(f64::INFINITY)), x, o.real(f64::NAN))
}
