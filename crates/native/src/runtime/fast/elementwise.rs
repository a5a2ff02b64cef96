//! Functions of reals, element by element; an argument that nobody else sees becomes the result.

use calculus::Prim;

use super::{Call, Operand, Outcome, Target, number_zeros, reals, unshared};
use crate::layout::ElementKind;
use crate::runtime::object::ArrayView;
use crate::runtime::symbols::{rt_power_log, rt_power_slope};

impl Call<'_> {
    pub(super) fn unary(&mut self, prim: Prim, a: Operand) -> Outcome {
        let (a, _) = a.reals()?;
        let f = real_function(prim)?;
        let xs = reals(a).as_ptr();
        // SAFETY: the array has as many elements as `over` asks for.
        self.over(a, None, false, |i| unsafe { f(*xs.add(i)) })
    }

    pub(super) fn binary(&mut self, prim: Prim, a: Operand, b: Operand) -> Outcome {
        match prim {
            Prim::Add => self.each(a, b, |x, y| x + y),
            Prim::Sub => self.each(a, b, |x, y| x - y),
            Prim::Mul => self.each(a, b, |x, y| x * y),
            Prim::Div => self.each(a, b, |x, y| x / y),
            Prim::Pow => self.powers(a, b),
            Prim::Atan2 => self.each(a, b, numerics::atan2),
            // A tie goes to the first; NaN wins over everything.
            Prim::Minimum => self.each(a, b, |x, y| if y < x || y.is_nan() { y } else { x }),
            Prim::Maximum => self.each(a, b, |x, y| if y > x || y.is_nan() { y } else { x }),
            Prim::AtMost => self.each(a, b, |x, y| f64::from(u8::from(x <= y))),
            _ => None,
        }
    }

    /// Derivatives of powers.
    ///
    /// # Safety
    /// As for `apply`.
    pub(super) unsafe fn power(&mut self) -> Outcome {
        // SAFETY: by this function's contract.
        let (a, b, k) = unsafe { (self.operand(0)?, self.operand(1)?, self.operand(2)?) };
        let Operand::Int(k) = k else { return None };
        match self.site.prim {
            Prim::PowerSlope => self.slopes(a, b, k),
            _ => self.each(a, b, |a, b| rt_power_log(a, b, k)),
        }
    }

    /// Powers; an exponent for which they are products is asked for once, not for each element.
    fn powers(&mut self, a: Operand, b: Operand) -> Outcome {
        match b.number() {
            Some(2.0) => self.each(a, b, |x, _| x * x),
            Some(3.0) => self.each(a, b, |x, _| x * x * x),
            _ => self.each(a, b, numerics::pow),
        }
    }

    /// The k-th derivatives of powers.
    fn slopes(&mut self, a: Operand, b: Operand, k: i64) -> Outcome {
        match (b.number(), k) {
            (Some(2.0), 1) => self.each(a, b, |x, _| 2.0 * x),
            (Some(3.0), 1) => self.each(a, b, |x, _| 3.0 * (x * x)),
            _ => self.each(a, b, |x, y| rt_power_slope(x, y, k)),
        }
    }

    /// `f` of two arrays of one shape, or of an array and a number.
    fn each(&mut self, a: Operand, b: Operand, f: impl Fn(f64, f64) -> f64) -> Outcome {
        match (a.reals(), b.reals()) {
            (Some((a, _)), Some((b, _))) if a.lengths() == b.lengths() => {
                let (xs, ys) = (reals(a).as_ptr(), reals(b).as_ptr());
                // SAFETY: both have as many elements as `over` asks for.
                self.over(a, Some(b), false, |i| unsafe { f(*xs.add(i), *ys.add(i)) })
            }
            (Some((a, _)), None) => {
                let (xs, y) = (reals(a).as_ptr(), b.number()?);
                // SAFETY: as above.
                self.over(a, None, false, |i| unsafe { f(*xs.add(i), y) })
            }
            (None, Some((b, _))) => {
                let (x, ys) = (a.number()?, reals(b).as_ptr());
                // SAFETY: as above.
                self.over(b, None, false, |i| unsafe { f(x, *ys.add(i)) })
            }
            _ => None,
        }
    }

    /// Ends the call with an array shaped like `a`, in which element i is `f(i)`; `f` reads no element but those at i. Says `f` which
    /// elements are symbolic zeros: `holes`.
    pub(super) fn over(
        &mut self,
        a: ArrayView,
        b: Option<ArrayView>,
        holes: bool,
        f: impl Fn(usize) -> f64,
    ) -> Outcome {
        let target = self.target(ElementKind::Real, a.rank, holes)?;
        if let Some(own) = [Some(a), b].into_iter().flatten().find(|array| unshared(*array)) {
            let out: *mut f64 = own.elements().cast();
            for i in 0..a.size() {
                // SAFETY: `own` has as many elements as `a`, and nobody else sees it.
                unsafe { out.add(i).write(f(i)) };
            }
            if target == Target::Handle && !holes {
                // SAFETY: as above.
                number_zeros(unsafe { std::slice::from_raw_parts_mut(own.elements(), a.size()) });
            }
            eval::work::add(a.size());
            self.give_array(own.object, target)?;
            self.release_arguments(Some(own));
            return Some(Ok(()));
        }
        let lengths = a.lengths();
        self.array(ElementKind::Real, lengths, holes, |out| {
            out.iter_mut().enumerate().for_each(|(i, out)| *out = f(i).to_bits());
        })
    }
}

/// The functions of one real that give reals.
fn real_function(prim: Prim) -> Option<fn(f64) -> f64> {
    Some(match prim {
        Prim::Neg => |x| -x,
        Prim::Abs => f64::abs,
        Prim::Sign => sign,
        Prim::Sqrt => numerics::sqrt,
        Prim::Cbrt => numerics::cbrt,
        Prim::Exp => numerics::exp,
        Prim::Expm1 => numerics::expm1,
        Prim::Log => numerics::log,
        Prim::Log1p => numerics::log1p,
        Prim::Log2 => numerics::log2,
        Prim::Log10 => numerics::log10,
        Prim::Sin => numerics::sin,
        Prim::Cos => numerics::cos,
        Prim::Tan => numerics::tan,
        Prim::Asin => numerics::asin,
        Prim::Acos => numerics::acos,
        Prim::Atan => numerics::atan,
        Prim::Sinh => numerics::sinh,
        Prim::Cosh => numerics::cosh,
        Prim::Tanh => numerics::tanh,
        Prim::Asinh => numerics::asinh,
        Prim::Acosh => numerics::acosh,
        Prim::Atanh => numerics::atanh,
        Prim::Erf => numerics::erf,
        Prim::Erfc => numerics::erfc,
        Prim::Lgamma => numerics::lgamma,
        Prim::Digamma => numerics::digamma,
        Prim::Floor => f64::floor,
        Prim::Ceil => f64::ceil,
        Prim::Round => f64::round_ties_even,
        Prim::Trunc => f64::trunc,
        Prim::Real => |x| x,
        _ => return None,
    })
}

/// −1 or 1 with the sign; NaN and zeros stay themselves.
fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        x
    }
}
