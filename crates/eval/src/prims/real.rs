//! Functions of one real, elementwise on arrays, and conversions. Ints count as reals.

use base::codes;
use calculus::Prim;

use super::{array_of, reals_of, wrong_arity};
use crate::array::{Array, Elements};
use crate::fault::{Fault, Result};
use crate::lazy::forced;
use crate::show;
use crate::value::{Form, Value};
use crate::work;

pub(super) fn apply(prim: Prim, [x, ..]: [Value; 3]) -> Result<Value> {
    let x = forced(x)?;
    match (prim, &x) {
        (Prim::Int, Value::Int(_)) => Ok(x),
        (_, Value::Real(x)) => scalar(prim, *x),
        (_, Value::Int(i)) => scalar(prim, *i as f64),
        (_, Value::Zero) => scalar(prim, 0.0),
        (Prim::Real | Prim::Int, Value::Bool(truth)) => scalar(prim, f64::from(u8::from(*truth))),
        (_, Value::Array(_) | Value::Sparse(_)) => {
            let array = array_of(prim, x)?;
            work::add(array.size());
            // Not all ints are reals.
            if let (Prim::Int, Elements::Int(_)) = (prim, &array.elements) {
                return Ok(Value::Array(array));
            }
            let values = match (prim, &array.elements) {
                (Prim::Real | Prim::Int, Elements::Bool(truths)) => {
                    truths.iter().map(|truth| f64::from(u8::from(*truth))).collect()
                }
                _ => reals_of(prim, &array)?,
            };
            let values = values.into_iter().map(|x| scalar(prim, x)).collect::<Result<Vec<_>>>()?;
            let elements = match values.is_empty() {
                true => Array::none_like(&scalar(prim, 1.0)?).elements,
                false => Elements::from_scalars(values),
            };
            Ok(Value::array(Array::new(array.shape.clone(), elements)))
        }
        (_, Value::Data(data)) if matches!(data.form, Form::Tuple) => wrong_arity(prim, &x),
        (_, other) => {
            let found = show::described(other);
            Fault::new(codes::WRONG_KIND, format!("expected a number for `{prim}`, found {found}")).err()
        }
    }
}

fn scalar(prim: Prim, x: f64) -> Result<Value> {
    let y = match prim {
        Prim::Sqrt => numerics::sqrt(x),
        Prim::Cbrt => numerics::cbrt(x),
        Prim::Exp => numerics::exp(x),
        Prim::Expm1 => numerics::expm1(x),
        Prim::Log => numerics::log(x),
        Prim::Log1p => numerics::log1p(x),
        Prim::Log2 => numerics::log2(x),
        Prim::Log10 => numerics::log10(x),
        Prim::Sin => numerics::sin(x),
        Prim::Cos => numerics::cos(x),
        Prim::Tan => numerics::tan(x),
        Prim::Asin => numerics::asin(x),
        Prim::Acos => numerics::acos(x),
        Prim::Atan => numerics::atan(x),
        Prim::Sinh => numerics::sinh(x),
        Prim::Cosh => numerics::cosh(x),
        Prim::Tanh => numerics::tanh(x),
        Prim::Asinh => numerics::asinh(x),
        Prim::Acosh => numerics::acosh(x),
        Prim::Atanh => numerics::atanh(x),
        Prim::Erf => numerics::erf(x),
        Prim::Erfc => numerics::erfc(x),
        Prim::Lgamma => numerics::lgamma(x),
        Prim::Digamma => numerics::digamma(x),
        Prim::Floor => x.floor(),
        Prim::Ceil => x.ceil(),
        Prim::Round => x.round_ties_even(),
        Prim::Trunc => x.trunc(),
        Prim::Real => x,
        Prim::IsNan => return Ok(Value::Bool(x.is_nan())),
        Prim::IsFinite => return Ok(Value::Bool(x.is_finite())),
        Prim::Int => return to_int(x),
        other => unreachable!("real: {other}"),
    };
    Ok(Value::Real(y))
}

fn to_int(x: f64) -> Result<Value> {
    let whole = x.trunc();
    const LIMIT: f64 = (1u64 << 63) as f64;
    if (-LIMIT..LIMIT).contains(&whole) {
        return Ok(Value::Int(whole as i64));
    }
    Fault::new(codes::INT_OVERFLOW, format!("`{}` has no int", show::real(x))).err()
}
