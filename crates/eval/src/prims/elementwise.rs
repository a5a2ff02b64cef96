//! Sensitivities of elementwise operations. A symbolic zero stays zero whatever it is multiplied with.

use base::codes;
use calculus::Prim;

use numerics::broadcast::{common, sums};

use super::arithmetic::{aligned, raised, stretched};
use super::{array_of, reals_of};
use crate::array::{Array, Elements, HOLE, Values, is_hole};
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
        Prim::Broadcast => broadcast(a, &b),
        other => unreachable!("elementwise: {other}"),
    }
}

/// An array shaped like `like`, every element `d`.
fn fill(like: &Value, d: Value) -> Result<Value> {
    if let Value::Array(_) | Value::Sparse(_) = d {
        return expected(codes::WRONG_KIND, "a scalar", &d);
    }
    match like {
        Value::Array(array) if matches!(array.elements, Elements::Int(_) | Elements::Bool(_)) => Ok(Value::Zero),
        Value::Array(array) => Ok(filled(&array.shape, d)),
        Value::Sparse(sparse) => Ok(filled(&sparse.shape, d)),
        Value::Zero => Ok(Value::Zero),
        unit if unit.is_unit() => Ok(Value::Zero),
        other => expected(codes::WRONG_KIND, "an array", other),
    }
}

fn filled(shape: &[usize], d: Value) -> Value {
    let size = shape.iter().product();
    work::add(size);
    let elements = match d {
        Value::Zero => return Value::Zero,
        Value::Real(x) => Elements::Real(vec![x + 0.0; size]),
        other => Elements::Values(Values::from(vec![other.clone()]).like_these(vec![other; size])),
    };
    Value::array(Array::new(shape.to_vec(), elements))
}

/// A sensitivity combined with a factor or mask; holes of the sensitivity stay holes.
fn combine(prim: Prim, d: Value, other: Value, f: impl Fn(f64, f64) -> f64) -> Result<Value> {
    let number = |value: &Value| match value {
        Value::Real(x) => Some(*x),
        Value::Int(i) => Some(*i as f64),
        _ => None,
    };
    match (number(&d), number(&other)) {
        // Sensitivities are factors too, at higher orders; that of an int is ().
        _ if [&d, &other].into_iter().any(|part| matches!(part, Value::Zero) || part.is_unit()) => Ok(Value::Zero),
        (Some(_), Some(mask)) if prim == Prim::Keep && mask == 0.0 => Ok(Value::Zero),
        (Some(d), Some(other)) => Ok(Value::Real(f(d, other))),
        (Some(d), None) => {
            let other = array_of(prim, other)?;
            let ds = Array::reals(other.shape.clone(), vec![d; other.size()]);
            combine_arrays(prim, &ds, (reals_of(prim, &other)?, other.holes), f)
        }
        (None, Some(other)) => {
            let d = array_of(prim, d)?;
            let others = vec![other; d.size()];
            combine_arrays(prim, &d, (others, false), f)
        }
        (None, None) => {
            let (d, other) = aligned(prim, array_of(prim, d)?, array_of(prim, other)?)?;
            combine_arrays(prim, &d, (reals_of(prim, &other)?, other.holes), f)
        }
    }
}

/// Are there holes among the others? A factor that is one makes one: sensitivities are factors too.
fn combine_arrays(
    prim: Prim,
    d: &Array,
    (others, holed): (Vec<f64>, bool),
    f: impl Fn(f64, f64) -> f64,
) -> Result<Value> {
    work::add(d.size());
    let holed = holed && prim == Prim::Scale;
    let holes = d.holes || matches!(d.elements, Elements::Values(_));
    let element = |(d, other): (f64, f64)| {
        if holes && is_hole(d) || holed && is_hole(other) {
            return HOLE;
        }
        let result = f(d, other);
        // A mask makes holes; a product is a number, and −0.0 would be taken for a hole.
        if is_hole(result) && !(prim == Prim::Keep && other == 0.0) { 0.0 } else { result }
    };
    let reals = reals_of(prim, d)?.into_iter().zip(others).map(element).collect();
    Ok(Value::array(Array::reals(d.shape.clone(), reals).with_holes(holes || holed || prim == Prim::Keep)))
}

/// What an operand receives from the sensitivity of an elementwise result: its share, if it was repeated the sum.
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
        Value::Array(array) => summed(&array.shape, d),
        // Sensitivities are operands too, at higher orders.
        Value::Sparse(sparse) => summed(&sparse.shape, d),
        // A symbolic zero is a constant of unknown shape: no sensitivity matters.
        _ => Ok(Value::Zero),
    }
}

fn shape_of(value: &Value) -> Option<&[usize]> {
    match value {
        Value::Array(array) => Some(&array.shape),
        Value::Sparse(sparse) => Some(&sparse.shape),
        _ => None,
    }
}

/// A sensitivity added up along the axes that were repeated; where there are only holes there is one.
fn summed(shape: &[usize], d: Value) -> Result<Value> {
    let fits = |of: &[usize]| of != shape && common(shape, of).is_some_and(|common| common == of);
    if !shape_of(&d).is_some_and(fits) {
        return Ok(d);
    }
    let d = array_of(Prim::Unbroadcast, d)?;
    work::add(d.size());
    let holes = d.holes || matches!(d.elements, Elements::Values(_));
    let reals = reals_of(Prim::Unbroadcast, &d)?;
    let sums = sums(&reals, &d.shape, shape, |x| holes && is_hole(x));
    let reals = sums.into_iter().map(|sum| sum.unwrap_or(HOLE)).collect();
    Ok(Value::array(Array::reals(shape.to_vec(), reals).with_holes(holes)))
}

/// What an operand of an elementwise operation with `like` is, repeated to their common shape. If they have none it only gets the axes.
fn broadcast(a: Value, like: &Value) -> Result<Value> {
    let (Some(own), Some(other)) = (shape_of(&a), shape_of(like)) else { return Ok(a) };
    if own == other {
        return Ok(a);
    }
    match common(own, other) {
        Some(shape) if shape == own => Ok(a),
        Some(shape) => Ok(Value::Array(stretched(array_of(Prim::Broadcast, a)?, &shape)?)),
        None if own.len() < other.len() => {
            let like = Array::reals(other.to_vec(), vec![0.0; other.iter().product()]);
            Ok(Value::Array(raised(array_of(Prim::Broadcast, a)?, &like)?))
        }
        None => Ok(a),
    }
}
