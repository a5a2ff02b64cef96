//! What the operations on scalars compute. Where it isn't one instruction, the evaluator's primitive is asked.

use base::{Code, codes};
use calculus::Prim;

use crate::term::Scalar;
use crate::value::Value;

pub(super) fn apply(op: Scalar, args: &[Value]) -> Result<Value, Code> {
    use Scalar as S;
    use Value::{Bool, Int, Real};
    let overflow = |result: Option<i64>| result.map(Int).ok_or(codes::INT_OVERFLOW);
    match (op, args) {
        (S::Add, [Real(x), Real(y)]) => Ok(Real(x + y)),
        (S::Sub, [Real(x), Real(y)]) => Ok(Real(x - y)),
        (S::Mul, [Real(x), Real(y)]) => Ok(Real(x * y)),
        (S::Div, [Real(x), Real(y)]) => Ok(Real(x / y)),
        (S::Neg, [Real(x)]) => Ok(Real(-x)),
        (S::Abs, [Real(x)]) => Ok(Real(x.abs())),
        (S::Floor, [Real(x)]) => Ok(Real(x.floor())),
        (S::Ceil, [Real(x)]) => Ok(Real(x.ceil())),
        (S::Round, [Real(x)]) => Ok(Real(x.round_ties_even())),
        (S::Trunc, [Real(x)]) => Ok(Real(x.trunc())),
        (S::Sqrt, [Real(x)]) => Ok(Real(numerics::sqrt(*x))),
        (S::Function(place), args) => {
            let reals: Vec<f64> = args.iter().map(real).collect();
            Ok(Real((numerics::FUNCTIONS[place as usize].direct)(&reals)))
        }
        (S::Eq, [Real(x), Real(y)]) => Ok(Bool(x == y)),
        (S::Ne, [Real(x), Real(y)]) => Ok(Bool(x != y)),
        (S::Lt, [Real(x), Real(y)]) => Ok(Bool(x < y)),
        (S::Le, [Real(x), Real(y)]) => Ok(Bool(x <= y)),
        (S::Gt, [Real(x), Real(y)]) => Ok(Bool(x > y)),
        (S::Ge, [Real(x), Real(y)]) => Ok(Bool(x >= y)),
        (S::IsNan, [Real(x)]) => Ok(Bool(x.is_nan())),
        (S::IsFinite, [Real(x)]) => Ok(Bool(x.is_finite())),
        (S::IsHole, [Real(x)]) => Ok(Bool(eval::array::is_hole(*x))),
        (S::IntAdd, [Int(x), Int(y)]) => overflow(x.checked_add(*y)),
        (S::IntSub, [Int(x), Int(y)]) => overflow(x.checked_sub(*y)),
        (S::IntMul, [Int(x), Int(y)]) => overflow(x.checked_mul(*y)),
        (S::IntNeg, [Int(x)]) => overflow(x.checked_neg()),
        (S::IntAbs, [Int(x)]) => overflow(x.checked_abs()),
        (S::IntSign, [Int(x)]) => Ok(Int(x.signum())),
        (S::IntMinimum, [Int(x), Int(y)]) => Ok(Int(*x.min(y))),
        (S::IntMaximum, [Int(x), Int(y)]) => Ok(Int(*x.max(y))),
        (S::IntEq, [Int(x), Int(y)]) => Ok(Bool(x == y)),
        (S::IntNe, [Int(x), Int(y)]) => Ok(Bool(x != y)),
        (S::IntLt, [Int(x), Int(y)]) => Ok(Bool(x < y)),
        (S::IntLe, [Int(x), Int(y)]) => Ok(Bool(x <= y)),
        (S::IntGt, [Int(x), Int(y)]) => Ok(Bool(x > y)),
        (S::IntGe, [Int(x), Int(y)]) => Ok(Bool(x >= y)),
        (S::Length, [Int(x)]) => Ok(Int(*x)),
        (S::ToReal, [Int(x)]) => Ok(Real(*x as f64)),
        (S::BoolToReal, [Bool(b)]) => Ok(Real(f64::from(u8::from(*b)))),
        (S::Not, [Bool(b)]) => Ok(Bool(!b)),
        (S::BoolEq, [Bool(a), Bool(b)]) => Ok(Bool(a == b)),
        (S::Select, [Bool(c), Real(a), Real(b)]) => Ok(Real(if *c { *a } else { *b })),
        (S::Sign, args) => ask(Prim::Sign, args),
        (S::Minimum, args) => ask(Prim::Minimum, args),
        (S::Maximum, args) => ask(Prim::Maximum, args),
        (S::Remainder, args) => ask(Prim::Rem, args),
        (S::PowerSlope, args) => ask(Prim::PowerSlope, args),
        (S::PowerLog, args) => ask(Prim::PowerLog, args),
        (S::IntDiv, args) => ask(Prim::IntDiv, args),
        (S::IntMod, args) => ask(Prim::IntMod, args),
        (S::IntPow, args) => ask(Prim::Pow, args),
        (S::ToInt, args) => ask(Prim::Int, args),
        (op, args) => unreachable!("interpret: {op:?} of {args:?}"),
    }
}

fn real(value: &Value) -> f64 {
    match value {
        Value::Real(x) => *x,
        other => unreachable!("interpret: {other:?} is no real"),
    }
}

fn ask(prim: Prim, args: &[Value]) -> Result<Value, Code> {
    let mut values = [const { eval::Value::Zero }; 3];
    for (value, arg) in values.iter_mut().zip(args) {
        *value = match arg {
            Value::Real(x) => eval::Value::Real(*x),
            Value::Int(i) => eval::Value::Int(*i),
            other => unreachable!("interpret: `{prim}` of {other:?}"),
        };
    }
    match eval::prims::compute_values(prim, values) {
        Ok(eval::Value::Real(x)) => Ok(Value::Real(x)),
        Ok(eval::Value::Int(i)) => Ok(Value::Int(i)),
        Ok(other) => unreachable!("interpret: `{prim}` gave {other:?}"),
        Err(fault) => Err(fault.code),
    }
}
