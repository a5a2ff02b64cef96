//! A real of 512 bits. Arithmetic and elementary functions are astro-float's; the error and gamma functions are here. Nothing
//! is shared with `crates/numerics`.
//!
//! Results are good to a few units in the last of 512 bits. NaN and infinities behave as in IEEE arithmetic.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

use astro_float_num::{BigFloat, Consts, RoundingMode, Sign};

/// Third differences with steps of 2⁻⁶⁴ cancel 192 bits; what is left is far more than a double has.
pub const BITS: usize = 512;

const ROUNDING: RoundingMode = RoundingMode::None;

#[derive(Clone, Debug)]
pub struct Real(BigFloat);

thread_local!(static CONSTANTS: RefCell<Consts> = RefCell::new(Consts::new().expect("constants of astro-float")));

fn with_constants(f: impl FnOnce(&mut Consts) -> BigFloat) -> Real {
    CONSTANTS.with(|constants| Real(f(&mut constants.borrow_mut())))
}

macro_rules! operators {
    ($($trait:ident $method:ident)*) => {$(
        impl $trait<&Real> for &Real {
            type Output = Real;
            fn $method(self, other: &Real) -> Real {
                Real(self.0.$method(&other.0, BITS, ROUNDING))
            }
        }
        impl $trait for Real {
            type Output = Real;
            fn $method(self, other: Real) -> Real {
                (&self).$method(&other)
            }
        }
    )*};
}

operators! { Add add Sub sub Mul mul Div div }

impl Neg for Real {
    type Output = Real;
    fn neg(self) -> Real {
        Real(self.0.neg())
    }
}

macro_rules! elementary {
    ($($name:ident)*) => {$(
        pub fn $name(&self) -> Real {
            with_constants(|constants| self.0.$name(BITS, ROUNDING, constants))
        }
    )*};
}

impl Real {
    elementary! { exp ln log2 log10 sin cos tan asin acos atan sinh cosh asinh acosh atanh }

    pub fn from_f64(x: f64) -> Real {
        Real(BigFloat::from_f64(x, BITS))
    }

    pub fn from_int(i: i64) -> Real {
        Real(BigFloat::from_i64(i, BITS))
    }

    pub fn zero() -> Real {
        Real::from_int(0)
    }

    pub fn one() -> Real {
        Real::from_int(1)
    }

    /// 2 to the power of `exponent`.
    pub fn power_of_two(exponent: i32) -> Real {
        let mut one = BigFloat::from_i64(1, BITS);
        one.set_exponent(exponent + 1);
        Real(one)
    }

    pub fn pi() -> Real {
        with_constants(|constants| constants.pi(BITS, ROUNDING))
    }

    pub fn nan() -> Real {
        Real(BigFloat::nan(None))
    }

    pub fn is_nan(&self) -> bool {
        self.0.is_nan()
    }

    pub fn is_finite(&self) -> bool {
        !self.0.is_nan() && !self.0.is_inf()
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// Below zero; −0 and NaN are not.
    pub fn is_negative(&self) -> bool {
        self.0.is_negative() && !self.is_zero() && !self.is_nan()
    }

    pub fn compare(&self, other: &Real) -> Option<Ordering> {
        self.0.cmp(&other.0).map(|sign| sign.cmp(&0))
    }

    pub fn abs(&self) -> Real {
        Real(self.0.abs())
    }

    pub fn sqrt(&self) -> Real {
        Real(self.0.sqrt(BITS, ROUNDING))
    }

    pub fn cbrt(&self) -> Real {
        Real(self.0.cbrt(BITS, ROUNDING))
    }

    pub fn floor(&self) -> Real {
        if self.is_finite() { Real(self.0.floor()) } else { self.clone() }
    }

    pub fn ceil(&self) -> Real {
        if self.is_finite() { Real(self.0.ceil()) } else { self.clone() }
    }

    pub fn trunc(&self) -> Real {
        if self.is_negative() { self.ceil() } else { self.floor() }
    }

    /// To the nearest whole number, halves to even.
    pub fn round(&self) -> Real {
        let low = self.floor();
        let rest = self - &low;
        let half = Real::power_of_two(-1);
        let is_odd = !(&low * &half).is_whole();
        match rest.compare(&half) {
            Some(Ordering::Greater) => low + Real::one(),
            Some(Ordering::Equal) if is_odd => low + Real::one(),
            _ => low,
        }
    }

    pub fn is_whole(&self) -> bool {
        self.is_finite() && self.compare(&self.floor()) == Some(Ordering::Equal)
    }

    /// As an int, if it is whole and fits.
    pub fn to_int(&self) -> Option<i64> {
        let x = self.trunc().to_f64();
        (x.abs() < 9e15).then_some(x as i64)
    }

    pub fn expm1(&self) -> Real {
        // So small that 1 + x would lose bits: the series.
        if self.to_f64().abs() < 1e-3 {
            let (mut term, mut total, mut k) = (self.clone(), Real::zero(), 1);
            while !term.is_zero() && !is_negligible(&term, &total) {
                total = &total + &term;
                k += 1;
                term = &(&term * self) / &Real::from_int(k);
            }
            return total;
        }
        self.exp() - Real::one()
    }

    pub fn ln_1p(&self) -> Real {
        // log(1 + x) = 2 atanh(x / (2 + x))
        if self.to_f64().abs() < 1e-3 {
            let two = Real::from_int(2);
            return &two * &(self / &(&two + self)).atanh();
        }
        (self + &Real::one()).ln()
    }

    pub fn tanh(&self) -> Real {
        with_constants(|constants| self.0.tanh(BITS, ROUNDING, constants))
    }

    /// The angle of the point (x, y).
    pub fn atan2(y: &Real, x: &Real) -> Real {
        if x.is_zero() {
            let half = &Real::pi() / &Real::from_int(2);
            return if y.is_zero() {
                Real::zero()
            } else if y.is_negative() {
                -half
            } else {
                half
            };
        }
        let angle = (y / x).atan();
        match (x.is_negative(), y.is_negative()) {
            (true, false) => angle + Real::pi(),
            (true, true) => angle - Real::pi(),
            _ => angle,
        }
    }

    /// `a ^ b`: of a negative number only to a whole power.
    pub fn power(&self, exponent: &Real) -> Real {
        if exponent.is_whole()
            && let Some(n) = exponent.to_int()
            && n.unsigned_abs() < 1 << 16
        {
            let power = Real(self.0.powi(n.unsigned_abs() as usize, BITS, ROUNDING));
            return if n < 0 { &Real::one() / &power } else { power };
        }
        if self.is_zero() {
            return if exponent.is_negative() { Real::one() / Real::zero() } else { Real::zero() };
        }
        if self.is_negative() {
            return Real::nan();
        }
        (&self.ln() * exponent).exp()
    }

    /// x − y·⌊x/y⌋
    pub fn remainder(&self, other: &Real) -> Real {
        self - &(other * &(self / other).floor())
    }

    /// The nearest double, up to an ulp.
    pub fn to_f64(&self) -> f64 {
        if self.0.is_nan() {
            return f64::NAN;
        }
        if self.0.is_inf() {
            return if self.0.is_negative() { f64::NEG_INFINITY } else { f64::INFINITY };
        }
        let Some((words, _, sign, exponent, _)) = self.0.as_raw_parts() else { return 0.0 };
        let top = words.last().copied().unwrap_or(0);
        let size = top as f64 * 2f64.powi(-64);
        // In two steps, so that powers of two that are no doubles are never needed.
        let half = (exponent / 2).clamp(-1200, 1200);
        let rest = (exponent - half).clamp(-1200, 1200);
        let size = size * 2f64.powi(half) * 2f64.powi(rest);
        if sign == Sign::Neg { -size } else { size }
    }

    /// erf x = 2/√π e^(−x²) Σ 2ⁿ x^(2n+1) / (2n+1)!!: terms of one sign.
    pub fn erf(&self) -> Real {
        if !self.is_finite() || self.is_zero() {
            return if self.is_nan() { self.clone() } else { Real::from_f64(self.to_f64().signum()) };
        }
        // erfc is below 2⁻⁵¹² from here on.
        if self.to_f64().abs() > 19.0 {
            return Real::from_f64(self.to_f64().signum());
        }
        let square = self * self;
        let twice = &square + &square;
        let (mut term, mut total, mut n) = (self.clone(), Real::zero(), 1);
        while !is_negligible(&term, &total) {
            total = &total + &term;
            n += 2;
            term = &(&term * &twice) / &Real::from_int(n);
        }
        let factor = &Real::from_int(2) / &Real::pi().sqrt();
        &(&total * &factor) * &(-square).exp()
    }

    /// 1 − erf x: of 512 bits at most 140 cancel below 7, where the tests end.
    pub fn erfc(&self) -> Real {
        Real::one() - self.erf()
    }

    /// log |Γ(x)|
    pub fn lgamma(&self) -> Real {
        if self.is_negative() {
            // Γ(x) Γ(1 − x) = π / sin πx
            let sine = (&Real::pi() * self).sin().abs();
            return (&Real::pi() / &sine).ln() - (Real::one() - self.clone()).lgamma();
        }
        let (sum, _) = self.gamma_series();
        let n = Real::from_int(GAMMA_LIMIT);
        self * &n.ln() - n + sum.ln()
    }

    /// The derivative of lgamma.
    pub fn digamma(&self) -> Real {
        if self.is_negative() {
            let angle = &Real::pi() * self;
            return (Real::one() - self.clone()).digamma() - &Real::pi() / &angle.tan();
        }
        let (sum, slope) = self.gamma_series();
        Real::from_int(GAMMA_LIMIT).ln() + &slope / &sum
    }

    /// Γ(x) = N^x e^(−N) S(x), up to what lies beyond N, where S(x) = Σ N^k / (x (x+1) … (x+k)); S and its derivative.
    fn gamma_series(&self) -> (Real, Real) {
        let n = Real::from_int(GAMMA_LIMIT);
        let (mut sum, mut slope) = (Real::zero(), Real::zero());
        let mut at = self.clone();
        let mut term = &Real::one() / &at;
        let mut harmonic = term.clone();
        while !is_negligible(&term, &sum) {
            sum = &sum + &term;
            slope = &slope - &(&term * &harmonic);
            at = at + Real::one();
            let inverse = &Real::one() / &at;
            term = &(&term * &n) * &inverse;
            harmonic = harmonic + inverse;
        }
        (sum, slope)
    }
}

/// e^(−N) is below 2⁻⁵¹² by far.
const GAMMA_LIMIT: i64 = 420;

/// Does the term no longer change the total?
fn is_negligible(term: &Real, total: &Real) -> bool {
    match (term.0.exponent(), total.0.exponent()) {
        (Some(term_exponent), Some(total_exponent)) if !total.is_zero() && !term.is_zero() => {
            i64::from(term_exponent) < i64::from(total_exponent) - BITS as i64 - 8
        }
        _ => term.is_zero() || !term.is_finite(),
    }
}

#[cfg(test)]
mod tests {
    use super::Real;

    fn digits(x: &Real, expected: f64) {
        let found = x.to_f64();
        assert!((found - expected).abs() <= 4e-16 * expected.abs(), "{found} {expected}");
    }

    #[test]
    fn known_values() {
        let half = Real::from_f64(0.5);
        digits(&Real::one().exp(), std::f64::consts::E);
        digits(&half.erf(), 0.5204998778130465);
        digits(&Real::from_f64(3.0).erfc(), 2.209049699858544e-5);
        digits(&half.lgamma(), 0.5723649429247001);
        digits(&Real::one().digamma(), -0.5772156649015329);
        digits(&Real::from_f64(-1.5).lgamma(), 0.860_047_015_376_481);
        digits(&Real::from_f64(-1.5).digamma(), 0.7031566406452432);
        digits(&Real::from_f64(1e-20).expm1(), 1e-20);
        digits(&Real::from_f64(1e-20).ln_1p(), 1e-20);
        digits(&Real::atan2(&Real::one(), &-Real::one()), 3.0 * std::f64::consts::FRAC_PI_4);
        digits(&Real::from_f64(2.5).round(), 2.0);
        digits(&Real::from_f64(-7.5).remainder(&Real::from_f64(2.0)), 0.5);
        digits(&Real::power_of_two(-3), 0.125);
        digits(&Real::from_f64(-1234.0625), -1234.0625);
    }

    /// Γ(x + 1) = x Γ(x), ψ(x + 1) = ψ(x) + 1/x and erf' by differences, to far more digits than a double has.
    #[test]
    fn functional_equations_hold_to_a_hundred_digits() {
        let x = Real::from_f64(2.3);
        let next = &x + &Real::one();
        let tiny = Real::power_of_two(-340);
        let gamma = next.lgamma() - x.lgamma() - x.ln();
        assert!(gamma.abs().compare(&tiny).is_some_and(|order| order.is_lt()), "{}", gamma.to_f64());
        let digamma = next.digamma() - x.digamma() - &Real::one() / &x;
        assert!(digamma.abs().compare(&tiny).is_some_and(|order| order.is_lt()), "{}", digamma.to_f64());
        let h = Real::power_of_two(-80);
        let slope = &((&x + &h).erf() - (&x - &h).erf()) / &(&h + &h);
        let expected = &(&Real::from_int(2) / &Real::pi().sqrt()) * &(-(&x * &x)).exp();
        let difference = (slope - expected).abs();
        assert!(difference.compare(&Real::power_of_two(-140)).is_some_and(|order| order.is_lt()));
    }
}
