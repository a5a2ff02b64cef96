//! Sensitivities of elementwise operations. A symbolic zero stays zero whatever it is multiplied with.

use base::codes;
use calculus::Prim;

use super::{array_of, reals_of};
use crate::array::{Array, Elements, HOLE, is_hole};
use crate::fault::{Result, expected};
use crate::lazy::forced;
use crate::value::Value;
use crate::work;

pub(super) fn apply(prim: Prim, [a, b, _]: [Value; 3]) -> Result<Value> {
    let (a, b) = (forced(a)?, forced(b)?);
    match prim {
        Prim::Fill => fill(&a, b),
        Prim::Scale => combine(prim, a, b, |d, factor| d * factor),
        Prim::Keep => combine(prim, b, a, |d, mask| if mask == 0.0 { HOLE } else { d }),
        Prim::Unbroadcast => unbroadcast(&a, b),
        other => unreachable!("elementwise: {other}"),
    }
}

/// An array shaped like `like`, every element `d`.
fn fill(like: &Value, d: Value) -> Result<Value> {
    match like {
        Value::Array(array) if matches!(array.elements, Elements::Int(_) | Elements::Bool(_)) => Ok(Value::Zero),
        Value::Array(array) => {
            work::add(array.size());
            let elements = match d {
                Value::Zero => return Ok(Value::Zero),
                Value::Real(x) => Elements::Real(vec![x + 0.0; array.size()]),
                other => Elements::Values(vec![other; array.size()]),
            };
            Ok(Value::array(Array { shape: array.shape.clone(), elements }))
        }
        other => expected(codes::WRONG_KIND, "an array", other),
    }
}

/// A sensitivity combined with a factor or mask; holes of the sensitivity stay holes.
fn combine(prim: Prim, d: Value, other: Value, f: impl Fn(f64, f64) -> f64) -> Result<Value> {
    let number = |value: &Value| match value {
        Value::Real(x) => Some(*x),
        Value::Int(i) => Some(*i as f64),
        _ => None,
    };
    let element = |d: f64, other: f64| {
        if is_hole(d) {
            return HOLE;
        }
        let result = f(d, other);
        if prim == Prim::Scale { result + 0.0 } else { result }
    };
    match (number(&d), number(&other)) {
        _ if matches!(d, Value::Zero) => Ok(Value::Zero),
        // A scalar sensitivity that is here is no symbolic zero.
        (Some(d), Some(other)) => {
            let result = f(d, other);
            Ok(if prim == Prim::Keep && is_hole(result) && other == 0.0 { Value::Zero } else { Value::Real(result) })
        }
        (Some(d), None) => {
            let array = array_of(prim, other)?;
            let reals = reals_of(prim, &array)?.into_iter().map(|other| element(d + 0.0, other)).collect();
            Ok(Value::array(Array::reals(array.shape.clone(), reals)))
        }
        (None, Some(other)) => {
            let array = array_of(prim, d)?;
            let reals = reals_of(prim, &array)?.into_iter().map(|d| element(d, other)).collect();
            Ok(Value::array(Array::reals(array.shape.clone(), reals)))
        }
        (None, None) => {
            let (d, other) = (array_of(prim, d)?, array_of(prim, other)?);
            let pairs = reals_of(prim, &d)?.into_iter().zip(reals_of(prim, &other)?);
            work::add(d.size());
            Ok(Value::array(Array::reals(d.shape.clone(), pairs.map(|(d, other)| element(d, other)).collect())))
        }
    }
}

/// What an operand receives from the sensitivity of an elementwise result: its share, if it was a scalar the sum.
fn unbroadcast(operand: &Value, d: Value) -> Result<Value> {
    match operand {
        Value::Real(_) => match d {
            Value::Array(_) | Value::Sparse(_) => {
                let array = array_of(Prim::Unbroadcast, d)?;
                work::add(array.size());
                Ok(Value::Real(numerics::summation::sum(&reals_of(Prim::Unbroadcast, &array)?)))
            }
            scalar => Ok(scalar),
        },
        Value::Array(array) if matches!(array.elements, Elements::Int(_) | Elements::Bool(_)) => Ok(Value::Zero),
        Value::Array(_) => Ok(d),
        // Sensitivities are operands too, at higher orders.
        Value::Zero | Value::Sparse(_) => Ok(d),
        _ => Ok(Value::Zero),
    }
}
