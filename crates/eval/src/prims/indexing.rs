//! Parts of arrays: reading, replacing, and the sensitivities of both.

use std::rc::Rc;

use base::codes;
use calculus::Prim;

use super::{array_of, length};
use crate::array::{Array, Elements, HOLE, Values, is_hole};
use crate::fault::{Fault, Result, expected};
use crate::lazy::{force, forced};
use crate::region::{BadIndex, Region};
use crate::sparse::Sparse;
use crate::value::{Holds, Value};
use crate::{parts, probe, show, work};

pub(super) fn apply(prim: Prim, [a, b, c]: [Value; 3]) -> Result<Value> {
    match prim {
        Prim::Index => index(a, &b),
        Prim::Update => update(a, &b, c),
        Prim::ScatterAdd => scatter_add(a, b, c),
        Prim::Frame => frame(&a),
        Prim::Place => place(&a, &b, c),
        Prim::Part => part(a, &b),
        Prim::Erase => erase(a, &b),
        Prim::Spread => spread(length(prim, &a)?, &b),
        Prim::Unspread => unspread(a),
        other => unreachable!("indexing: {other}"),
    }
}

fn region(spec: &Value, shape: &[usize]) -> Result<Region> {
    let spec = force(spec)?;
    let bad = match Region::read(&spec, shape) {
        Ok(region) => return Ok(region),
        Err(bad) => bad,
    };
    let described = Array::describe_shape(shape);
    match bad {
        BadIndex::OutOfRange(axis, i, length) => {
            let place = if shape.len() > 1 { format!(" of axis {axis}") } else { String::new() };
            let fault =
                Fault::new(codes::INDEX_OUT_OF_RANGE, format!("index {i}{place} is out of range")).note(match length {
                    0 => format!("the array has shape {described}; there is no element"),
                    length => format!("the array has shape {described}; indices go from 0 to {}", length - 1),
                });
            if i < 0 { fault.help("to count from the end write `a[len(a) - 1]`").err() } else { fault.err() }
        }
        BadIndex::NotAnInt(value) => {
            let fault =
                Fault::new(codes::BAD_INDEX, format!("expected an int as index, found {}", show::described(&value)));
            match value {
                Value::Real(_) => fault.help("convert it with `int(x)`").err(),
                _ => fault.err(),
            }
        }
        BadIndex::TooMany(n) => {
            Fault::new(codes::INDEX_OUT_OF_RANGE, format!("{n} indices for an array of shape {described}")).err()
        }
    }
}

fn index(array: Value, spec: &Value) -> Result<Value> {
    let array = match forced(array)? {
        Value::Zero => return Ok(Value::Zero),
        Value::Array(array) => array,
        value @ Value::Sparse(_) => array_of(Prim::Index, value)?,
        Value::Text(text) => return super::text::index(&text, spec),
        other => return not_an_array(&other),
    };
    let part = match region(spec, &array.shape) {
        Ok(region) => region.of(&array),
        Err(fault) => sample_part(&array, spec).ok_or(fault)?,
    };
    if let Value::Array(part) = &part {
        work::add(part.size());
    }
    Ok(part)
}

/// While we probe, only the kind of a part matters: what it is where the array doesn't reach.
fn sample_part(array: &Array, spec: &Value) -> Option<Value> {
    if !probe::is_active() {
        return None;
    }
    let reach: Vec<usize> = array.shape.iter().map(|length| (*length).max(1)).collect();
    let region = Region::clamped(&force(spec).ok()?, &reach)?;
    if region.is_element(&reach) {
        return array.elements.sample();
    }
    // Lengths that nobody saw stay so.
    let shape = region.unseen_shape(&array.shape);
    let part =
        array.stretched(shape.clone()).unwrap_or_else(|| Array::new(vec![0; shape.len()], array.elements.none()));
    Some(Value::array(part))
}

fn not_an_array<T>(value: &Value) -> Result<T> {
    let fault = Fault::new(codes::WRONG_KIND, format!("expected an array to index, found {}", show::described(value)));
    match value {
        Value::Data(_) => fault.help("a tuple's parts are `.0`, `.1`, …; a list becomes an array by `to_array`").err(),
        _ => fault.err(),
    }
}

fn update(array: Value, spec: &Value, value: Value) -> Result<Value> {
    let mut array = match forced(array)? {
        Value::Array(array) => array,
        other => return not_an_array(&other),
    };
    let region = match region(spec, &array.shape) {
        Ok(region) => region,
        Err(_) if probe::is_active() => return Ok(Value::Array(array)),
        Err(fault) => return Err(fault),
    };
    let value = forced(value)?;
    if region.is_element(&array.shape) {
        let at = region.offsets(&array.shape).next().unwrap_or(0);
        return set_element(array, at, value);
    }
    let expected_shape = region.shape(&array.shape);
    let Value::Array(new) = &value else {
        return shape_of_update(&expected_shape, &show::described(&value));
    };
    let fits = new.shape == expected_shape || (probe::is_active() && new.shape.len() == expected_shape.len());
    if !fits {
        return shape_of_update(&expected_shape, &format!("shape {}", Array::describe_shape(&new.shape)));
    }
    let shape = array.shape.clone();
    for (offset, i) in region.offsets(&shape).zip(0..new.size()) {
        let Value::Array(updated) = set_element(array, offset, new.at(i))? else { unreachable!("an array") };
        array = updated;
    }
    Ok(Value::Array(array))
}

fn shape_of_update<T>(expected: &[usize], found: &str) -> Result<T> {
    Fault::new(codes::SHAPE_MISMATCH, "the new part of an array has another shape")
        .note(format!("the part has shape {}", Array::describe_shape(expected)))
        .note(format!("the new value is {found}"))
        .err()
}

/// Replaces one element, in place when nobody else sees the array.
fn set_element(mut array: Rc<Array>, at: usize, value: Value) -> Result<Value> {
    if Rc::strong_count(&array) > 1 {
        work::add(array.size());
    }
    let unshared = Rc::make_mut(&mut array);
    match (unshared.elements_mut(), value) {
        (Elements::Real(reals), Value::Real(x)) => reals[at] = x,
        (Elements::Real(reals), Value::Int(i)) => reals[at] = i as f64,
        (Elements::Int(ints), Value::Int(i)) => ints[at] = i,
        (Elements::Bool(bools), Value::Bool(b)) => bools[at] = b,
        (Elements::Int(ints), Value::Real(x)) => {
            let mut reals: Vec<f64> = ints.iter().map(|&i| i as f64).collect();
            reals[at] = x;
            *unshared.elements_mut() = Elements::Real(reals);
        }
        (_, Value::Array(_)) => return shape_of_update(&[], "an array"),
        (_, value) => {
            let mut values = unshared.values();
            values[at] = value;
            *unshared.elements_mut() = Elements::Values(values.into());
        }
    }
    Ok(Value::Array(array))
}

/// `a` with each value added at its index; later ones add to earlier ones.
fn scatter_add(array: Value, indices: Value, values: Value) -> Result<Value> {
    let mut array = array_of(Prim::ScatterAdd, array)?;
    let indices = array_of(Prim::ScatterAdd, indices)?;
    let values = array_of(Prim::ScatterAdd, values)?;
    if indices.len() != values.len() {
        return Fault::new(codes::SHAPE_MISMATCH, "scatter_add needs as many values as indices")
            .note(format!("there are {} indices and {} values", indices.len(), values.len()))
            .err();
    }
    work::add(values.size());
    let shape = array.shape.clone();
    let unshared = Rc::make_mut(&mut array);
    if let (Elements::Int(ints), Elements::Real(_)) = (&unshared.elements, &values.elements) {
        *unshared.elements_mut() = Elements::Real(ints.iter().map(|&i| i as f64).collect());
    }
    for k in 0..indices.len() {
        let index = indices.row(k);
        if probe::is_active() && region(&index, &shape).is_err() {
            break;
        }
        let region = region(&index, &shape)?;
        let old = region.of(unshared);
        let sum = super::arithmetic::binary(Prim::Add, [old, values.row(k), Value::Zero])?;
        *unshared = match update(Value::array(std::mem::replace(unshared, Array::vector(vec![]))), &index, sum)? {
            Value::Array(array) => Rc::unwrap_or_clone(array),
            _ => unreachable!("an array"),
        };
    }
    Ok(Value::Array(array))
}

/// The zero sensitivity of an operand: it has the shape and doesn't hold on to the elements.
fn frame(operand: &Value) -> Result<Value> {
    Ok(match force(operand)? {
        Value::Real(_) => Value::Real(0.0),
        Value::Array(array) if is_discrete(&array) => Value::unit(),
        Value::Array(array) => Sparse::zero(array.shape.clone()),
        Value::Sparse(sparse) => Sparse::zero(sparse.shape.clone()),
        Value::Zero => Value::Zero,
        _ => Value::unit(),
    })
}

fn is_discrete(array: &Array) -> bool {
    !array.holds().has(Holds::REAL.and(Holds::FUNCTION)) && !has_zero(array)
}

/// The sensitivity of an array that is `d` in a part and zero elsewhere.
fn place(array: &Value, spec: &Value, d: Value) -> Result<Value> {
    if matches!(d, Value::Zero) {
        return Ok(Value::Zero);
    }
    let shape = match force(array)? {
        Value::Array(array) if is_discrete(&array) => return Ok(Value::Zero),
        Value::Array(array) => array.shape.clone(),
        Value::Sparse(sparse) => sparse.shape.clone(),
        Value::Zero => return Ok(Value::Zero),
        unit if unit.is_unit() => return Ok(Value::Zero),
        other => return not_an_array(&other),
    };
    match region(spec, &shape) {
        Ok(region) => Ok(Sparse::place(shape, region, d)),
        Err(_) if probe::is_active() => Ok(Sparse::zero(shape)),
        Err(fault) => Err(fault),
    }
}

/// A raw sensitivity may hold nothing but symbolic zeros.
fn has_zero(array: &Array) -> bool {
    matches!(&array.elements, Elements::Values(values) if values.iter().any(|value| matches!(value, Value::Zero | Value::Lazy(_))))
}

/// The part of a raw sensitivity; holes are symbolic zeros.
fn part(d: Value, spec: &Value) -> Result<Value> {
    if let Value::Sparse(sparse) = &d
        && let Some((place, value)) = sparse.as_place()
        && place == region(spec, &sparse.shape)?
    {
        return Ok(value);
    }
    let d = forced(d)?;
    let holes = matches!(&d, Value::Sparse(_)) || matches!(&d, Value::Array(array) if array.holes);
    Ok(match index(d, spec)? {
        Value::Real(x) if holes && is_hole(x) => Value::Zero,
        other => other,
    })
}

/// A raw sensitivity with zero in a part.
fn erase(d: Value, spec: &Value) -> Result<Value> {
    let d = forced(d)?;
    if matches!(d, Value::Zero) {
        return Ok(d);
    }
    let mut array = array_of(Prim::Erase, d)?;
    let region = region(spec, &array.shape)?;
    if Rc::strong_count(&array) > 1 {
        work::add(array.size());
    }
    let unshared = Rc::make_mut(&mut array);
    if !unshared.holes {
        *unshared.elements_mut() = unshared.holed_elements();
        unshared.holes = true;
    }
    for at in region.offsets(&unshared.shape.clone()) {
        match unshared.elements_mut() {
            Elements::Real(reals) => reals[at] = HOLE,
            Elements::Values(values) => values[at] = Value::Zero,
            Elements::Int(_) | Elements::Bool(_) => {}
        }
    }
    Ok(Value::Array(array))
}

/// The sensitivities of the elements along the first axis.
fn spread(n: usize, d: &Value) -> Result<Value> {
    let d = force(d)?;
    work::add(n);
    let values = match &d {
        Value::Zero => Values::from(vec![Value::Zero]).like_these(vec![Value::Zero; n]),
        Value::Array(_) | Value::Sparse(_) => {
            let array = array_of(Prim::Spread, d)?;
            let none = array.sample_row().map_or(Values::default(), Values::none_like);
            let dense = Value::Array(array);
            none.like_these((0..n).map(|i| parts::element(&dense, i)).collect::<Result<_>>()?)
        }
        other => return expected(codes::NOT_CONFORMING, "a sensitivity of an array", other),
    };
    Ok(Value::array(Array::new(vec![n], Elements::Values(values))))
}

/// Reals with symbolic zeros among them as an array with holes.
fn holed_reals(e: &Array) -> Option<Value> {
    let Elements::Values(values) = &e.elements else { return None };
    if !values.is_empty() && values.iter().all(|value| matches!(value, Value::Zero)) {
        return Some(Value::Zero);
    }
    let hole = |value: &Value| match value {
        Value::Zero => Some(HOLE),
        other => other.number().map(|x| x + 0.0),
    };
    let reals: Option<Vec<f64>> = values.iter().map(hole).collect();
    Some(Value::array(Array::reals(e.shape.clone(), reals?).with_holes(true)))
}

/// Rows, structs or symbolic zeros, of which there are none, together: always an array. Whether the element that nobody saw would be the symbolic
/// zero depends on a branch or an index that nobody took, so that it decides nothing: the sum is the number 0.
fn none_together(e: &Rc<Array>) -> Result<Option<Value>> {
    let Elements::Values(values) = &e.elements else { return Ok(None) };
    let Some(sample) = values.sample().filter(|_| values.is_empty()) else { return Ok(None) };
    Ok(match force(sample)? {
        Value::Array(row) => {
            Some(Value::array(Array::new(vec![0; e.shape.len() + row.shape.len()], row.elements.none())))
        }
        Value::Data(_) | Value::Zero => Some(Value::Array(e.clone())),
        _ => None,
    })
}

fn unspread(e: Value) -> Result<Value> {
    match forced(e)? {
        Value::Zero => Ok(Value::Zero),
        e => {
            let e = array_of(Prim::Unspread, e)?;
            if let Some(none) = none_together(&e)? {
                return Ok(none);
            }
            if let Some(reals) = holed_reals(&e) {
                return Ok(reals);
            }
            if e.shape.len() == 1 { parts::array(e.values()) } else { Ok(Value::Array(e)) }
        }
    }
}
