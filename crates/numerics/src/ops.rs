//! The operations every transcendental is written in. A definition is generic over `Ops` and has no loop that depends on data and
//! no branch but [`Ops::choose`], so one text serves twice: `Direct` executes it, [`Recorder`](crate::listing::Recorder) writes it down for a
//! compiler. Every operation is exactly specified (IEEE 754 binary64, two's complement i64), hence both give the same bits,
//! up to the sign and payload of NaN.

use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A real: its operators round to nearest, once per operator, and are never contracted to an fma.
pub trait Real:
    Copy + Debug + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
}

/// Some reals and some integers.
pub type Several<F, I, const REALS: usize, const INTS: usize> = ([F; REALS], [I; INTS]);

/// Operations over reals `F`, 64-bit integers `I` and truth values `B`.
pub trait Ops {
    type F: Real;
    type I: Copy + Debug;
    type B: Copy + Debug;

    fn real(&self, value: f64) -> Self::F;
    fn int(&self, value: i64) -> Self::I;

    /// a·b + c, rounded once.
    fn fma(&self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    fn sqrt(&self, a: Self::F) -> Self::F;
    fn abs(&self, a: Self::F) -> Self::F;
    fn copysign(&self, magnitude: Self::F, sign: Self::F) -> Self::F;

    /// Comparisons with NaN are false.
    fn lt(&self, a: Self::F, b: Self::F) -> Self::B;
    fn le(&self, a: Self::F, b: Self::F) -> Self::B;
    fn eq(&self, a: Self::F, b: Self::F) -> Self::B;
    fn lt_i(&self, a: Self::I, b: Self::I) -> Self::B;
    fn eq_i(&self, a: Self::I, b: Self::I) -> Self::B;
    /// a < b, both read as u64.
    fn below(&self, a: Self::I, b: Self::I) -> Self::B;
    fn both(&self, a: Self::B, b: Self::B) -> Self::B;
    fn either(&self, a: Self::B, b: Self::B) -> Self::B;
    fn not(&self, a: Self::B) -> Self::B;
    fn select(&self, condition: Self::B, yes: Self::F, no: Self::F) -> Self::F;
    fn select_i(&self, condition: Self::B, yes: Self::I, no: Self::I) -> Self::I;

    /// The values of `yes` or of `no`. Only those are computed where that is possible, but both could be: neither may depend
    /// on the condition to stay inside a table.
    fn choose<const REALS: usize, const INTS: usize>(
        &self,
        condition: Self::B,
        yes: impl FnOnce() -> Several<Self::F, Self::I, REALS, INTS>,
        no: impl FnOnce() -> Several<Self::F, Self::I, REALS, INTS>,
    ) -> Several<Self::F, Self::I, REALS, INTS>;

    fn bits(&self, a: Self::F) -> Self::I;
    fn of_bits(&self, a: Self::I) -> Self::F;

    /// Integer arithmetic wraps.
    fn add_i(&self, a: Self::I, b: Self::I) -> Self::I;
    fn sub_i(&self, a: Self::I, b: Self::I) -> Self::I;
    fn mul_i(&self, a: Self::I, b: Self::I) -> Self::I;
    /// The high 64 bits of the 128-bit product of a and b, read as u64.
    fn umulh(&self, a: Self::I, b: Self::I) -> Self::I;
    fn and_i(&self, a: Self::I, b: Self::I) -> Self::I;
    fn or_i(&self, a: Self::I, b: Self::I) -> Self::I;
    fn xor_i(&self, a: Self::I, b: Self::I) -> Self::I;
    /// A definition shifts by 0 to 63 only.
    fn shl(&self, a: Self::I, by: Self::I) -> Self::I;
    fn lshr(&self, a: Self::I, by: Self::I) -> Self::I;
    fn ashr(&self, a: Self::I, by: Self::I) -> Self::I;
    /// `table[index]`; a definition keeps the index inside the table, whatever its input.
    fn lookup(&self, table: &'static [i64], index: Self::I) -> Self::I;

    fn is_nan(&self, a: Self::F) -> Self::B {
        self.not(self.eq(a, a))
    }
    fn is_infinite(&self, a: Self::F) -> Self::B {
        self.eq(self.abs(a), self.real(f64::INFINITY))
    }
}

/// [`Ops::choose`] for one real.
#[inline(always)]
pub fn choose<O: Ops>(o: &O, condition: O::B, yes: impl FnOnce() -> O::F, no: impl FnOnce() -> O::F) -> O::F {
    let ([y], []) = o.choose(
        condition,
        #[inline(always)]
        || ([yes()], []),
        #[inline(always)]
        || ([no()], []),
    );
    y
}

/// Executes each operation at once.
#[derive(Clone, Copy, Debug)]
pub struct Direct;

impl Real for f64 {}

impl Ops for Direct {
    type F = f64;
    type I = i64;
    type B = bool;

    #[inline(always)]
    fn real(&self, value: f64) -> f64 {
        value
    }
    #[inline(always)]
    fn int(&self, value: i64) -> i64 {
        value
    }
    #[inline(always)]
    fn fma(&self, a: f64, b: f64, c: f64) -> f64 {
        crate::fused::fma(a, b, c)
    }
    #[inline(always)]
    fn sqrt(&self, a: f64) -> f64 {
        a.sqrt()
    }
    #[inline(always)]
    fn abs(&self, a: f64) -> f64 {
        a.abs()
    }
    #[inline(always)]
    fn copysign(&self, magnitude: f64, sign: f64) -> f64 {
        magnitude.copysign(sign)
    }
    #[inline(always)]
    fn lt(&self, a: f64, b: f64) -> bool {
        a < b
    }
    #[inline(always)]
    fn le(&self, a: f64, b: f64) -> bool {
        a <= b
    }
    #[inline(always)]
    fn eq(&self, a: f64, b: f64) -> bool {
        a == b
    }
    #[inline(always)]
    fn lt_i(&self, a: i64, b: i64) -> bool {
        a < b
    }
    #[inline(always)]
    fn eq_i(&self, a: i64, b: i64) -> bool {
        a == b
    }
    #[inline(always)]
    fn below(&self, a: i64, b: i64) -> bool {
        (a as u64) < (b as u64)
    }
    #[inline(always)]
    fn both(&self, a: bool, b: bool) -> bool {
        a & b
    }
    #[inline(always)]
    fn either(&self, a: bool, b: bool) -> bool {
        a | b
    }
    #[inline(always)]
    fn not(&self, a: bool) -> bool {
        !a
    }
    #[inline(always)]
    fn select(&self, condition: bool, yes: f64, no: f64) -> f64 {
        if condition { yes } else { no }
    }
    #[inline(always)]
    fn select_i(&self, condition: bool, yes: i64, no: i64) -> i64 {
        if condition { yes } else { no }
    }
    #[inline(always)]
    fn choose<const REALS: usize, const INTS: usize>(
        &self,
        condition: bool,
        yes: impl FnOnce() -> Several<f64, i64, REALS, INTS>,
        no: impl FnOnce() -> Several<f64, i64, REALS, INTS>,
    ) -> Several<f64, i64, REALS, INTS> {
        if condition { yes() } else { no() }
    }
    #[inline(always)]
    fn bits(&self, a: f64) -> i64 {
        a.to_bits() as i64
    }
    #[inline(always)]
    fn of_bits(&self, a: i64) -> f64 {
        f64::from_bits(a as u64)
    }
    #[inline(always)]
    fn add_i(&self, a: i64, b: i64) -> i64 {
        a.wrapping_add(b)
    }
    #[inline(always)]
    fn sub_i(&self, a: i64, b: i64) -> i64 {
        a.wrapping_sub(b)
    }
    #[inline(always)]
    fn mul_i(&self, a: i64, b: i64) -> i64 {
        a.wrapping_mul(b)
    }
    #[inline(always)]
    fn umulh(&self, a: i64, b: i64) -> i64 {
        ((u128::from(a as u64) * u128::from(b as u64)) >> 64) as i64
    }
    #[inline(always)]
    fn and_i(&self, a: i64, b: i64) -> i64 {
        a & b
    }
    #[inline(always)]
    fn or_i(&self, a: i64, b: i64) -> i64 {
        a | b
    }
    #[inline(always)]
    fn xor_i(&self, a: i64, b: i64) -> i64 {
        a ^ b
    }
    #[inline(always)]
    fn shl(&self, a: i64, by: i64) -> i64 {
        debug_assert!((0..64).contains(&by), "shift by {by}");
        a.wrapping_shl(by as u32)
    }
    #[inline(always)]
    fn lshr(&self, a: i64, by: i64) -> i64 {
        debug_assert!((0..64).contains(&by), "shift by {by}");
        (a as u64).wrapping_shr(by as u32) as i64
    }
    #[inline(always)]
    fn ashr(&self, a: i64, by: i64) -> i64 {
        debug_assert!((0..64).contains(&by), "shift by {by}");
        a.wrapping_shr(by as u32)
    }
    #[inline(always)]
    fn lookup(&self, table: &'static [i64], index: i64) -> i64 {
        table[index as usize]
    }
}
