//! The types that operations on scalars take and give.

use crate::term::{Scalar, Type};

impl Scalar {
    /// The transcendental of this name.
    pub fn function(name: &str) -> Option<Scalar> {
        let place = numerics::FUNCTIONS.iter().position(|function| function.name == name)?;
        Some(Scalar::Function(place as u16))
    }

    /// The types of the operands and of the result; none for a transcendental that doesn't exist.
    pub fn signature(self) -> Option<(Vec<Type>, Type)> {
        use Type::{Bool, Int, Real};
        Some(match self {
            Scalar::Add
            | Scalar::Sub
            | Scalar::Mul
            | Scalar::Div
            | Scalar::Minimum
            | Scalar::Maximum
            | Scalar::Remainder => (vec![Real, Real], Real),
            Scalar::Neg
            | Scalar::Abs
            | Scalar::Sign
            | Scalar::Floor
            | Scalar::Ceil
            | Scalar::Round
            | Scalar::Trunc
            | Scalar::Sqrt => (vec![Real], Real),
            Scalar::Function(place) => (vec![Real; numerics::FUNCTIONS.get(place as usize)?.arity], Real),
            Scalar::PowerSlope | Scalar::PowerLog => (vec![Real, Real, Int], Real),
            Scalar::Eq | Scalar::Ne | Scalar::Lt | Scalar::Le | Scalar::Gt | Scalar::Ge => (vec![Real, Real], Bool),
            Scalar::IsNan | Scalar::IsFinite | Scalar::IsHole => (vec![Real], Bool),
            Scalar::IntAdd
            | Scalar::IntSub
            | Scalar::IntMul
            | Scalar::IntMinimum
            | Scalar::IntMaximum
            | Scalar::IntDiv
            | Scalar::IntMod
            | Scalar::IntPow => (vec![Int, Int], Int),
            Scalar::IntNeg | Scalar::IntAbs | Scalar::IntSign | Scalar::Length => (vec![Int], Int),
            Scalar::IntEq | Scalar::IntNe | Scalar::IntLt | Scalar::IntLe | Scalar::IntGt | Scalar::IntGe => {
                (vec![Int, Int], Bool)
            }
            Scalar::ToReal => (vec![Int], Real),
            Scalar::ToInt => (vec![Real], Int),
            Scalar::BoolToReal => (vec![Bool], Real),
            Scalar::Not => (vec![Bool], Bool),
            Scalar::BoolEq => (vec![Bool, Bool], Bool),
            Scalar::Select => (vec![Bool, Real, Real], Real),
        })
    }
}
