//! Which operation on scalars a primitive of L1 is: one table for code on scalars and for code on elements of arrays.

use calculus::Prim;

use crate::term::Scalar;

impl Scalar {
    /// What a primitive that keeps ints does with them.
    pub fn on_ints(prim: Prim) -> Option<Scalar> {
        Some(match prim {
            Prim::Add => Scalar::IntAdd,
            Prim::Sub => Scalar::IntSub,
            Prim::Mul => Scalar::IntMul,
            Prim::IntDiv => Scalar::IntDiv,
            Prim::IntMod | Prim::Rem => Scalar::IntMod,
            Prim::Pow => Scalar::IntPow,
            Prim::Minimum => Scalar::IntMinimum,
            Prim::Maximum => Scalar::IntMaximum,
            Prim::Neg => Scalar::IntNeg,
            Prim::Abs => Scalar::IntAbs,
            Prim::Sign => Scalar::IntSign,
            _ => return None,
        })
    }

    /// A comparison of order, on reals and on ints.
    pub fn comparison(prim: Prim) -> Option<(Scalar, Scalar)> {
        Some(match prim {
            Prim::Lt => (Scalar::Lt, Scalar::IntLt),
            Prim::Le => (Scalar::Le, Scalar::IntLe),
            Prim::Gt => (Scalar::Gt, Scalar::IntGt),
            Prim::Ge => (Scalar::Ge, Scalar::IntGe),
            _ => return None,
        })
    }

    /// What a primitive does with reals, and gives a real.
    pub fn on_reals(prim: Prim) -> Option<Scalar> {
        Some(match prim {
            Prim::Add => Scalar::Add,
            Prim::Sub => Scalar::Sub,
            Prim::Mul => Scalar::Mul,
            Prim::Div => Scalar::Div,
            Prim::Rem => Scalar::Remainder,
            Prim::Minimum => Scalar::Minimum,
            Prim::Maximum => Scalar::Maximum,
            Prim::Neg => Scalar::Neg,
            Prim::Abs => Scalar::Abs,
            Prim::Sign => Scalar::Sign,
            Prim::Sqrt => Scalar::Sqrt,
            Prim::Floor => Scalar::Floor,
            Prim::Ceil => Scalar::Ceil,
            Prim::Round => Scalar::Round,
            Prim::Trunc => Scalar::Trunc,
            Prim::Pow
            | Prim::Atan2
            | Prim::Cbrt
            | Prim::Exp
            | Prim::Expm1
            | Prim::Log
            | Prim::Log1p
            | Prim::Log2
            | Prim::Log10
            | Prim::Sin
            | Prim::Cos
            | Prim::Tan
            | Prim::Asin
            | Prim::Acos
            | Prim::Atan
            | Prim::Sinh
            | Prim::Cosh
            | Prim::Tanh
            | Prim::Asinh
            | Prim::Acosh
            | Prim::Atanh
            | Prim::Erf
            | Prim::Erfc
            | Prim::Lgamma
            | Prim::Digamma => Scalar::function(prim.name())?,
            _ => return None,
        })
    }
}
