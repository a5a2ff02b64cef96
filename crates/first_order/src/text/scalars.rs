//! The names of operations on scalars.

use crate::term::Scalar;

/// Every scalar but the transcendentals, which have the names of the `numerics` crate.
const NAMES: &[(Scalar, &str)] = &[
    (Scalar::Add, "add"),
    (Scalar::Sub, "sub"),
    (Scalar::Mul, "mul"),
    (Scalar::Div, "div"),
    (Scalar::Neg, "neg"),
    (Scalar::Abs, "abs"),
    (Scalar::Sign, "sign"),
    (Scalar::Minimum, "minimum"),
    (Scalar::Maximum, "maximum"),
    (Scalar::Remainder, "remainder"),
    (Scalar::Floor, "floor"),
    (Scalar::Ceil, "ceil"),
    (Scalar::Round, "round"),
    (Scalar::Trunc, "trunc"),
    (Scalar::Sqrt, "sqrt"),
    (Scalar::PowerSlope, "power_slope"),
    (Scalar::PowerLog, "power_log"),
    (Scalar::Eq, "eq"),
    (Scalar::Ne, "ne"),
    (Scalar::Lt, "lt"),
    (Scalar::Le, "le"),
    (Scalar::Gt, "gt"),
    (Scalar::Ge, "ge"),
    (Scalar::IsNan, "is_nan"),
    (Scalar::IsFinite, "is_finite"),
    (Scalar::IsHole, "is_hole"),
    (Scalar::IntAdd, "int_add"),
    (Scalar::IntSub, "int_sub"),
    (Scalar::IntMul, "int_mul"),
    (Scalar::IntNeg, "int_neg"),
    (Scalar::IntAbs, "int_abs"),
    (Scalar::IntSign, "int_sign"),
    (Scalar::IntMinimum, "int_minimum"),
    (Scalar::IntMaximum, "int_maximum"),
    (Scalar::IntDiv, "int_div"),
    (Scalar::IntMod, "int_mod"),
    (Scalar::IntPow, "int_pow"),
    (Scalar::IntEq, "int_eq"),
    (Scalar::IntNe, "int_ne"),
    (Scalar::IntLt, "int_lt"),
    (Scalar::IntLe, "int_le"),
    (Scalar::IntGt, "int_gt"),
    (Scalar::IntGe, "int_ge"),
    (Scalar::Length, "length"),
    (Scalar::ToReal, "to_real"),
    (Scalar::ToInt, "to_int"),
    (Scalar::BoolToReal, "bool_to_real"),
    (Scalar::Not, "not"),
    (Scalar::BoolEq, "bool_eq"),
    (Scalar::Select, "select"),
];

impl Scalar {
    /// The name in text; none for a transcendental that doesn't exist.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Scalar::Function(place) => numerics::FUNCTIONS.get(place as usize).map(|function| function.name),
            scalar => NAMES.iter().find(|(known, _)| *known == scalar).map(|(_, name)| *name),
        }
    }

    pub fn by_name(name: &str) -> Option<Scalar> {
        if let Some(place) = numerics::FUNCTIONS.iter().position(|function| function.name == name) {
            return Some(Scalar::Function(place as u16));
        }
        NAMES.iter().find(|(_, known)| *known == name).map(|(scalar, _)| *scalar)
    }

    /// Every operation on scalars.
    pub fn all() -> impl Iterator<Item = Scalar> {
        let functions = (0..numerics::FUNCTIONS.len()).map(|place| Scalar::Function(place as u16));
        NAMES.iter().map(|(scalar, _)| *scalar).chain(functions)
    }
}
