//! Functions of reals, element by element; an argument that nobody else sees becomes the result.

use calculus::Prim;

use super::{Call, Operand, Outcome, reals, unshared};
use crate::layout::ElementKind;
use crate::runtime::object::ArrayView;

impl Call<'_> {
    pub(super) fn unary(&mut self, prim: Prim, a: Operand) -> Outcome {
        let Operand::Array(ElementKind::Real, a) = a else { return None };
        let f = real_function(prim)?;
        let xs = reals(a).as_ptr();
        // SAFETY: the array has as many elements as `over` asks for.
        self.over(a, None, |i| unsafe { f(*xs.add(i)) })
    }

    pub(super) fn binary(&mut self, prim: Prim, a: Operand, b: Operand) -> Outcome {
        match prim {
            Prim::Add => self.each(a, b, |x, y| x + y),
            Prim::Sub => self.each(a, b, |x, y| x - y),
            Prim::Mul => self.each(a, b, |x, y| x * y),
            Prim::Div => self.each(a, b, |x, y| x / y),
            Prim::Pow => self.each(a, b, numerics::pow),
            Prim::Atan2 => self.each(a, b, numerics::atan2),
            // A tie goes to the first; NaN wins over everything.
            Prim::Minimum => self.each(a, b, |x, y| if y < x || y.is_nan() { y } else { x }),
            Prim::Maximum => self.each(a, b, |x, y| if y > x || y.is_nan() { y } else { x }),
            Prim::AtMost => self.each(a, b, |x, y| f64::from(u8::from(x <= y))),
            // A product is a number: −0.0 would be taken for a hole.
            Prim::Scale => self.each(a, b, |d, factor| if d * factor == 0.0 { 0.0 } else { d * factor }),
            Prim::Unbroadcast => match (a, b) {
                (Operand::Array(ElementKind::Real, _), Operand::Array(ElementKind::Real, d)) => {
                    self.argument(ElementKind::Real, d)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// `f` of two arrays of one shape, or of an array and a number.
    fn each(&mut self, a: Operand, b: Operand, f: impl Fn(f64, f64) -> f64) -> Outcome {
        use Operand::{Array, Int, Real};
        match (a, b) {
            (Array(ElementKind::Real, a), Array(ElementKind::Real, b)) if a.lengths() == b.lengths() => {
                let (xs, ys) = (reals(a).as_ptr(), reals(b).as_ptr());
                // SAFETY: both have as many elements as `over` asks for.
                self.over(a, Some(b), |i| unsafe { f(*xs.add(i), *ys.add(i)) })
            }
            (Array(ElementKind::Real, a), Real(_) | Int(_)) => {
                let (xs, y) = (reals(a).as_ptr(), number(b));
                // SAFETY: as above.
                self.over(a, None, |i| unsafe { f(*xs.add(i), y) })
            }
            (Real(_) | Int(_), Array(ElementKind::Real, b)) => {
                let (x, ys) = (number(a), reals(b).as_ptr());
                // SAFETY: as above.
                self.over(b, None, |i| unsafe { f(x, *ys.add(i)) })
            }
            _ => None,
        }
    }

    /// Ends the call with an array shaped like `a`, in which element i is `f(i)`; `f` reads no element but those at i.
    fn over(&mut self, a: ArrayView, b: Option<ArrayView>, f: impl Fn(usize) -> f64) -> Outcome {
        self.gives_array(ElementKind::Real, a.rank)?;
        if let Some(own) = [Some(a), b].into_iter().flatten().find(|array| unshared(*array)) {
            let out: *mut f64 = own.elements().cast();
            for i in 0..a.size() {
                // SAFETY: `own` has as many elements as `a`, and nobody else sees it.
                unsafe { out.add(i).write(f(i)) };
            }
            eval::work::add(a.size());
            return self.argument(ElementKind::Real, own);
        }
        let lengths = a.lengths().to_vec();
        self.array(ElementKind::Real, &lengths, |out| {
            out.iter_mut().enumerate().for_each(|(i, out)| *out = f(i).to_bits());
        })
    }
}

/// A scalar operand as a real.
fn number(operand: Operand) -> f64 {
    match operand {
        Operand::Real(x) => x,
        Operand::Int(i) => i as f64,
        Operand::Array(..) => unreachable!("an array is no number"),
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
