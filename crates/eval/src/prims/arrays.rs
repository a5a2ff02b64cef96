//! Whole arrays: shapes, rearrangement, sums and orders.

use std::cmp::Ordering;
use std::rc::Rc;

use base::codes;
use calculus::Prim;
use numerics::order::{compare_reals, sorted};

use super::{array_of, has_room_for_shape, length, reals_of};
use crate::array::{Array, Elements};
use crate::fault::{Fault, Result, expected, interrupted};
use crate::lazy::{force, forced};
use crate::value::Value;
use crate::{probe, work};

pub(super) fn apply(prim: Prim, [a, b, _]: [Value; 3]) -> Result<Value> {
    if prim == Prim::Iota {
        let n = length(prim, &a)?;
        work::add(n);
        return Ok(Value::array(Array::ints((0..n as i64).collect())));
    }
    if prim == Prim::Concat {
        return concat(a, b);
    }
    if prim == Prim::Len
        && let Value::Text(text) = forced(a.clone())?
    {
        return Ok(Value::Int(text.chars().count() as i64));
    }
    let array = array_of(prim, a)?;
    match prim {
        Prim::Len => Ok(Value::Int(array.len() as i64)),
        Prim::Shape => Ok(Value::array(Array::ints(array.shape.iter().map(|&n| n as i64).collect()))),
        Prim::Reshape => reshape(&array, b),
        Prim::Transpose => transpose(&array),
        Prim::Reversed => Ok(reversed(&array)),
        Prim::Sum => sum(&array),
        Prim::ArgMin => extreme(prim, &array, Ordering::Less),
        Prim::ArgMax => extreme(prim, &array, Ordering::Greater),
        Prim::ArgSort => argsort(&array),
        Prim::Where => indices_that_hold(&array),
        other => unreachable!("arrays: {other}"),
    }
}

/// The shape may be that of a frame: rules remember it so.
fn reshape(array: &Array, shape: Value) -> Result<Value> {
    let lengths = match forced(shape)? {
        Value::Sparse(frame) => frame.shape.iter().map(|&n| n as i64).collect(),
        Value::Int(n) => vec![n],
        Value::Array(lengths) => match &lengths.elements {
            Elements::Int(ints) => ints.clone(),
            _ if lengths.is_empty() => vec![],
            _ => return expected(codes::BAD_INDEX, "ints as the shape", &Value::Array(lengths)),
        },
        other => return expected(codes::BAD_INDEX, "an array of ints as the shape", &other),
    };
    let fits = |lengths: &[i64]| {
        let product = lengths.iter().try_fold(1i64, |product, &n| if n < 0 { None } else { product.checked_mul(n) });
        product == Some(array.size() as i64)
    };
    if probe::is_active() && !lengths.is_empty() && !fits(&lengths) {
        let shape = lengths.iter().map(|n| usize::try_from(*n).unwrap_or(0).min(probe::MAX_LENGTH)).collect();
        let unseen = || Array::new(vec![0; lengths.len()], array.elements.none());
        return Ok(Value::array(array.stretched(shape).unwrap_or_else(unseen)));
    }
    if lengths.is_empty() || !fits(&lengths) {
        let shape = Array::describe_shape(&array.shape);
        return Fault::new(
            codes::SHAPE_MISMATCH,
            format!("an array of shape {shape} can't be reshaped to {lengths:?}"),
        )
        .note(format!("it has {} elements", array.size()))
        .err();
    }
    work::add(array.size());
    let shape: Vec<usize> = lengths.into_iter().map(|n| n as usize).collect();
    if array.is_empty() {
        has_room_for_shape(&shape)?;
    }
    Ok(Value::array(Array::new(shape, array.elements.clone()).with_holes(array.holes)))
}

fn transpose(array: &Array) -> Result<Value> {
    let [rows, columns, inner @ ..] = &array.shape[..] else {
        if array.is_empty() {
            return Ok(Value::array(array.clone()));
        }
        return Fault::new(codes::SHAPE_MISMATCH, "transpose of an array with one axis")
            .help("for a column write `reshape(a, [len(a), 1])`")
            .err();
    };
    work::add(array.size());
    let (rows, columns, block) = (*rows, *columns, inner.iter().product::<usize>());
    let starts = (0..columns).flat_map(|j| (0..rows).map(move |i| (i * columns + j) * block));
    let elements = array.elements.pick(starts.flat_map(|start| start..start + block));
    let shape = [columns, rows].into_iter().chain(inner.iter().copied()).collect();
    Ok(Value::array(Array::new(shape, elements).with_holes(array.holes)))
}

fn reversed(array: &Array) -> Value {
    work::add(array.size());
    let block: usize = array.shape[1..].iter().product();
    let starts = (0..array.len()).rev().map(|i| i * block);
    let elements = array.elements.pick(starts.flat_map(|start| start..start + block));
    Value::array(Array::new(array.shape.clone(), elements).with_holes(array.holes))
}

fn concat(a: Value, b: Value) -> Result<Value> {
    let (a, b) = (array_of(Prim::Concat, a)?, array_of(Prim::Concat, b)?);
    let both = a.is_empty() && b.is_empty() && a.shape.len() == b.shape.len();
    if both && a.is_unseen() && b.is_unseen() {
        return Ok(Value::Array(if b.elements.is_known() { b } else { a }));
    }
    let is_dropped = |one: &Array, other: &Array| {
        one.is_empty() && (one.shape.len() == 1 || one.is_unseen() && one.shape.len() == other.shape.len())
    };
    if is_dropped(&a, &b) {
        return Ok(Value::Array(b));
    }
    if is_dropped(&b, &a) {
        return Ok(Value::Array(a));
    }
    if a.shape[1..] != b.shape[1..] && a.shape.len() == b.shape.len() && probe::is_active() {
        return Ok(Value::Array(a));
    }
    if a.shape[1..] != b.shape[1..] {
        return Fault::new(codes::SHAPE_MISMATCH, "concat of arrays whose rows differ in shape")
            .note(format!("the first has shape {}", Array::describe_shape(&a.shape)))
            .note(format!("the second has shape {}", Array::describe_shape(&b.shape)))
            .err();
    }
    work::add(a.size() + b.size());
    let mut shape = a.shape.clone();
    shape[0] += b.shape[0];
    Ok(Value::array(Array::new(shape, Elements::joined(vec![a.elements.clone(), b.elements.clone()]))))
}

fn sum(array: &Array) -> Result<Value> {
    work::add(array.size());
    if let Elements::Int(ints) = &array.elements {
        let total = ints.iter().try_fold(0i64, |total, i| total.checked_add(*i));
        return match total {
            Some(total) => Ok(Value::Int(total)),
            None => Fault::new(codes::INT_OVERFLOW, "the sum is outside the range of ints").err(),
        };
    }
    Ok(Value::Real(numerics::summation::sum(&reals_of(Prim::Sum, array)?)))
}

/// The index of the first element that no other beats; NaN beats everything.
fn extreme(prim: Prim, array: &Array, wanted: Ordering) -> Result<Value> {
    work::add(array.size());
    if let Elements::Int(ints) = &array.elements
        && !ints.is_empty()
    {
        return Ok(Value::Int(first_extreme(ints, |x, best| x.cmp(best) == wanted)));
    }
    let reals = reals_of(prim, array)?;
    if reals.is_empty() && probe::is_active() {
        return Ok(Value::Int(0));
    }
    if reals.is_empty() {
        let name = if prim == Prim::ArgMin { "smallest" } else { "largest" };
        return Fault::new(codes::EMPTY_REDUCTION, format!("an empty array has no {name} element"))
            .help("test `len(a) > 0` first")
            .err();
    }
    let beats = |x: &f64, best: &f64| (x.partial_cmp(best) == Some(wanted) || x.is_nan()) && !best.is_nan();
    Ok(Value::Int(first_extreme(&reals, beats)))
}

fn first_extreme<T>(elements: &[T], beats: impl Fn(&T, &T) -> bool) -> i64 {
    let later = |best: usize, i: usize| if beats(&elements[i], &elements[best]) { i } else { best };
    (0..elements.len()).fold(0, later) as i64
}

/// A stable order; NaN comes last. Ints are compared as ints: not all of them are reals.
fn argsort(array: &Array) -> Result<Value> {
    work::add(array.size());
    let go_on = || !base::interrupt::is_requested();
    let order = if let Elements::Int(ints) = &array.elements {
        sorted(ints.len(), |i, j| ints[i].cmp(&ints[j]), go_on)
    } else if let Some(texts) = texts_of(array)? {
        sorted(texts.len(), |i, j| texts[i].cmp(&texts[j]), go_on)
    } else {
        let reals = reals_of(Prim::ArgSort, array)?;
        sorted(reals.len(), |i, j| compare_reals(reals[i], reals[j]), go_on)
    };
    match order {
        Some(order) => Ok(Value::array(Array::ints(order))),
        None => interrupted().err(),
    }
}

/// The texts of an array that has only such, and some.
fn texts_of(array: &Array) -> Result<Option<Vec<Rc<String>>>> {
    let Elements::Values(values) = &array.elements else { return Ok(None) };
    let mut texts = Vec::with_capacity(values.len());
    for value in values.iter() {
        match force(value)? {
            Value::Text(text) => texts.push(text),
            _ => return Ok(None),
        }
    }
    Ok(Some(texts).filter(|texts| !texts.is_empty()))
}

fn indices_that_hold(array: &Array) -> Result<Value> {
    work::add(array.size());
    match &array.elements {
        Elements::Bool(bools) => {
            let held = bools.iter().enumerate().filter(|(_, held)| **held);
            Ok(Value::array(Array::ints(held.map(|(i, _)| i as i64).collect())))
        }
        _ if array.is_empty() => Ok(Value::array(Array::ints(vec![]))),
        _ => expected(codes::NOT_A_BOOLEAN, "an array of booleans", &Value::array(array.clone())),
    }
}
