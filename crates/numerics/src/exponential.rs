//! e^x and e^x − 1. x = n·ln 2 + r with |r| ≤ ln 2/2, then a polynomial in r, then a scaling by 2^n.
//! Overflow gives ∞, underflow is gradual, NaN stays NaN.

use crate::coefficients::{EXP_STEP_TAILS, EXP_STEPS, EXP_TAIL, LN_2, LN_2_STEP, LOG2_E, STEPS_PER_E};
use crate::double_double::{Double, add, add_real, fast_two_sum, horner, scale as scale_pair, two_prod, two_sum};
use crate::ops::{Ops, choose};
use crate::scaling::{Whole, clamp, nearest, scale, scale_normal, two_to_the};

/// e^x.
#[inline(always)]
pub fn exp<O: Ops>(o: &O, x: O::F) -> O::F {
    const NORMAL: f64 = 708.0; // below this, e^x and e^-x are normal
    choose(
        o,
        o.lt(o.abs(x), o.real(NORMAL)),
        || {
            let (mantissa, n) = exp_parts(o, x);
            scale_normal(o, mantissa, n)
        },
        || {
            let (mantissa, n) = exp_parts(o, clamp(o, x, -746.0, 710.0));
            scale(o, mantissa, n)
        },
    )
}

/// e^x as a mantissa and a power of two.
#[inline(always)]
fn exp_parts<O: Ops>(o: &O, x: O::F) -> (O::F, O::I) {
    let (n, r) = reduce(o, x);
    let r2 = r.hi * r.hi;
    let quadratic = o.fma(horner(o, r.hi, &EXP_TAIL), r.hi, o.real(0.5));
    let tail = o.fma(quadratic, r2, r.lo);
    let one_plus_r = fast_two_sum(o.real(1.0), r.hi);
    (one_plus_r.hi + (one_plus_r.lo + tail), n)
}

/// e^x − 1.
#[inline(always)]
pub fn expm1<O: Ops>(o: &O, x: O::F) -> O::F {
    let parts = expm1_parts(o, clamp(o, x, -60.0, 710.0));
    let moderate = rejoin(o, parts).round();
    let large = scale(o, add_real(parts.p, o.real(1.0)).round(), parts.n);
    let y = o.select(o.lt(o.real(100.0), x), large, moderate);
    o.copysign(y, x) // −0 stays −0
}

/// e^(x.hi + x.lo), for |x| < 1400: the mantissa to about 2^-59, and the power of two it is to be scaled with. x = (n + j/64)·ln 2 + r with
/// |r| ≤ ln 2/128; 2^(j/64) comes out of a table.
#[inline(always)]
pub(crate) fn exp_double<O: Ops>(o: &O, x: Double<O::F>) -> (Double<O::F>, O::I) {
    const STEPS: i64 = 64;
    let Whole { real, int } = nearest(o, x.hi, STEPS_PER_E);
    // Exact, as in `reduce`.
    let r = o.fma(-real, o.real(LN_2_STEP.0), x.hi);
    let r_lo = o.fma(-real, o.real(LN_2_STEP.1), x.lo);
    // e^r − 1 = r + r²·(1/2 + r/6 + r²/24 + r³/120 + r⁴/720), and its slope is about 1 + r
    let r2 = r * r;
    let low = o.fma(r, o.real(1.0 / 6.0), o.real(0.5));
    let high = o.fma(r, o.real(1.0 / 120.0), o.real(1.0 / 24.0));
    let rest = o.fma(r2, o.fma(r2, o.fma(r2, o.real(1.0 / 720.0), high), low), o.fma(r, r_lo, r_lo));
    let step = o.and_i(int, o.int(STEPS - 1));
    let power = o.of_bits(o.lookup(&EXP_STEPS, step));
    let power_lo = o.of_bits(o.lookup(&EXP_STEP_TAILS, step));
    (fast_two_sum(power, o.fma(power, r + rest, power_lo)), o.ashr(int, o.int(6)))
}

/// e^x = 2^n·(1 + p).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts<F, I> {
    pub n: I,
    pub p: Double<F>,
}

/// The parts of e^x for |x| < 1400, p to about 2^-59 relatively.
#[inline(always)]
pub(crate) fn expm1_parts<O: Ops>(o: &O, x: O::F) -> Parts<O::F, O::I> {
    let (n, r) = reduce(o, x);
    Parts { n, p: expm1_near_zero(o, r) }
}

/// e^x − 1 = 2^n·p + (2^n − 1), for |n| ≤ 1023; beyond, some value.
#[inline(always)]
pub(crate) fn rejoin<O: Ops>(o: &O, parts: Parts<O::F, O::I>) -> Double<O::F> {
    let power = two_to_the(o, parts.n);
    add(scale_pair(parts.p, power), two_sum(power, o.real(-1.0)))
}

/// x − n·ln 2. The first fma is exact: its result is a multiple of the smaller ulp of ln 2 and x, and below 1/2.
#[inline(always)]
fn reduce<O: Ops>(o: &O, x: O::F) -> (O::I, Double<O::F>) {
    let Whole { real: n, int } = nearest(o, x, LOG2_E);
    let first = o.fma(-n, o.real(LN_2.0), x);
    (int, two_sum(first, -(n * o.real(LN_2.1))))
}

/// e^r − 1 for |r| ≤ ln 2/2: r + r²/2 exactly, the rest as one real.
#[inline(always)]
fn expm1_near_zero<O: Ops>(o: &O, r: Double<O::F>) -> Double<O::F> {
    let half = o.real(0.5);
    let r2 = two_prod(o, r.hi, r.hi);
    let cubic = horner(o, r.hi, &EXP_TAIL) * (r2.hi * r.hi);
    let head = fast_two_sum(r.hi, r2.hi * half);
    let tail = o.fma(r.lo, r.hi, o.fma(r2.lo, half, r.lo)) + cubic;
    fast_two_sum(head.hi, head.lo + tail)
}
