//! Unevaluated sums hi + lo of two reals, for the steps of a definition that need more than 53 bits. A result is normalised:
//! hi is the sum rounded to nearest, up to the error stated. Nothing here handles infinities: callers select those afterwards.

use crate::ops::{Ops, Real};

/// hi + lo, with |lo| at most about an ulp of hi.
#[derive(Clone, Copy, Debug)]
pub struct Double<F> {
    pub hi: F,
    pub lo: F,
}

impl<F: Real> Double<F> {
    /// The value rounded to one real.
    #[inline(always)]
    pub fn round(self) -> F {
        self.hi + self.lo
    }
}

/// a + b, exactly.
#[inline(always)]
pub fn two_sum<F: Real>(a: F, b: F) -> Double<F> {
    let hi = a + b;
    let b_part = hi - a;
    let a_part = hi - b_part;
    Double { hi, lo: (a - a_part) + (b - b_part) }
}

/// a + b, exactly, for a = 0 or exponent(a) ≥ exponent(b).
#[inline(always)]
pub fn fast_two_sum<F: Real>(a: F, b: F) -> Double<F> {
    let hi = a + b;
    Double { hi, lo: b - (hi - a) }
}

/// a·b, exactly unless it underflows.
#[inline(always)]
pub fn two_prod<O: Ops>(o: &O, a: O::F, b: O::F) -> Double<O::F> {
    let hi = a * b;
    Double { hi, lo: o.fma(a, b, -hi) }
}

#[inline(always)]
pub fn constant<O: Ops>(o: &O, (hi, lo): (f64, f64)) -> Double<O::F> {
    Double { hi: o.real(hi), lo: o.real(lo) }
}

#[inline(always)]
pub fn from_real<O: Ops>(o: &O, hi: O::F) -> Double<O::F> {
    Double { hi, lo: o.real(0.0) }
}

/// a + b to about 2^-104 of |a| + |b|.
#[inline(always)]
pub fn add<F: Real>(a: Double<F>, b: Double<F>) -> Double<F> {
    let sum = two_sum(a.hi, b.hi);
    fast_two_sum(sum.hi, sum.lo + (a.lo + b.lo))
}

#[inline(always)]
pub fn sub<F: Real>(a: Double<F>, b: Double<F>) -> Double<F> {
    add(a, neg(b))
}

#[inline(always)]
pub fn neg<F: Real>(a: Double<F>) -> Double<F> {
    Double { hi: -a.hi, lo: -a.lo }
}

/// a + b for a plain real b.
#[inline(always)]
pub fn add_real<F: Real>(a: Double<F>, b: F) -> Double<F> {
    let sum = two_sum(a.hi, b);
    fast_two_sum(sum.hi, sum.lo + a.lo)
}

/// a·b to about 2^-102, relatively.
#[inline(always)]
pub fn mul<O: Ops>(o: &O, a: Double<O::F>, b: Double<O::F>) -> Double<O::F> {
    let product = two_prod(o, a.hi, b.hi);
    let cross = o.fma(a.hi, b.lo, a.lo * b.hi);
    fast_two_sum(product.hi, product.lo + cross)
}

/// a·b for a plain real b.
#[inline(always)]
pub fn mul_real<O: Ops>(o: &O, a: Double<O::F>, b: O::F) -> Double<O::F> {
    let product = two_prod(o, a.hi, b);
    fast_two_sum(product.hi, o.fma(a.lo, b, product.lo))
}

/// a·2^n, given 2^n.
#[inline(always)]
pub fn scale<F: Real>(a: Double<F>, power_of_two: F) -> Double<F> {
    Double { hi: a.hi * power_of_two, lo: a.lo * power_of_two }
}

/// a / b to about 2^-100, relatively; one division.
#[inline(always)]
pub fn div<O: Ops>(o: &O, a: Double<O::F>, b: Double<O::F>) -> Double<O::F> {
    let reciprocal = o.real(1.0) / b.hi;
    let quotient = a.hi * reciprocal;
    let rest = o.fma(-quotient, b.hi, a.hi) + o.fma(-quotient, b.lo, a.lo);
    fast_two_sum(quotient, rest * reciprocal)
}

/// √a to about 2^-100, relatively, for a = 0 or a > 2^-900. The smallest normal number only keeps √0 from dividing 0 by 0.
#[inline(always)]
pub fn sqrt<O: Ops>(o: &O, a: Double<O::F>) -> Double<O::F> {
    let root = o.sqrt(a.hi);
    let rest = o.fma(-root, root, a.hi) + a.lo;
    fast_two_sum(root, rest / (root + root + o.real(f64::MIN_POSITIVE)))
}

#[inline(always)]
pub fn select<O: Ops>(o: &O, condition: O::B, yes: Double<O::F>, no: Double<O::F>) -> Double<O::F> {
    Double { hi: o.select(condition, yes.hi, no.hi), lo: o.select(condition, yes.lo, no.lo) }
}

/// [`Ops::choose`] for one such sum.
#[inline(always)]
pub fn choose<O: Ops>(
    o: &O,
    condition: O::B,
    yes: impl FnOnce() -> Double<O::F>,
    no: impl FnOnce() -> Double<O::F>,
) -> Double<O::F> {
    let as_values = |double: Double<O::F>| ([double.hi, double.lo], []);
    let ([hi, lo], []) = o.choose(
        condition,
        #[inline(always)]
        || as_values(yes()),
        #[inline(always)]
        || as_values(no()),
    );
    Double { hi, lo }
}

/// c0 + x·(c1 + x·(c2 + …)), one fma a step.
#[inline(always)]
pub fn horner<O: Ops, const N: usize>(o: &O, x: O::F, coefficients: &[f64; N]) -> O::F {
    let (last, rest) = coefficients.split_last().expect("a polynomial has a coefficient");
    rest.iter().rev().fold(o.real(*last), |sum, c| o.fma(sum, x, o.real(*c)))
}
