//! Making arrays, and reading and replacing parts of them.

use std::rc::Rc;

use base::{Code, codes};
use calculus::Prim;

use super::code::Kind;
use crate::value::{Array, Elements, Value};

/// The rows of a table that is being filled.
pub(super) struct Table {
    pub n: i64,
    pub next: i64,
    rows: Elements,
}

impl Table {
    /// A table of `n` rows, at least one.
    pub fn new(n: i64, kind: Kind) -> Result<Table, Code> {
        let bytes = usize::try_from(n).unwrap_or(0).saturating_mul(size_of::<eval::Value>());
        if !eval::memory::has_room_for(bytes) {
            return Err(codes::ARRAY_TOO_LARGE);
        }
        let rows = if kind.real && kind.rank == 1 { Elements::Real(vec![]) } else { Elements::Values(vec![]) };
        Ok(Table { n, next: 0, rows })
    }

    pub fn push(&mut self, value: Value) {
        self.next += 1;
        match (&mut self.rows, value) {
            (Elements::Real(rows), Value::Real(x)) => rows.push(x),
            (Elements::Values(rows), value) => rows.push(value),
            (Elements::Real(_), other) => unreachable!("interpret: {other:?} is no real"),
        }
    }

    pub fn finish(self, kind: Kind) -> Result<Value, Code> {
        match self.rows {
            Elements::Values(rows) => of_values(kind, rows),
            Elements::Real(reals) if kind.summed => Ok(Value::Real(numerics::summation::sum(&reals))),
            reals => Ok(Value::array(vec![reals.len()], reals)),
        }
    }
}

/// The array of these elements or rows.
pub(super) fn of_values(kind: Kind, values: Vec<Value>) -> Result<Value, Code> {
    if kind.summed {
        return Ok(Value::Real(0.0));
    }
    let mut all = if kind.real { Elements::Real(vec![]) } else { Elements::Values(vec![]) };
    if values.is_empty() {
        return Ok(Value::array(vec![0; kind.rank], all));
    }
    let mut shape = vec![values.len()];
    if kind.rank > 1 {
        shape.extend(&array(&values[0]).shape);
        eval::work::add(shape.iter().product());
        for row in &values {
            if array(row).shape != shape[1..] {
                return Err(codes::RAGGED_ARRAY);
            }
            all.extend(&array(row).elements);
        }
        return Ok(Value::array(shape, all));
    }
    let elements = match all {
        Elements::Real(_) => Elements::Real(values.iter().map(real).collect()),
        Elements::Values(_) => Elements::Values(values),
    };
    Ok(Value::array(shape, elements))
}

/// The same elements under other lengths.
pub(super) fn reshaped(array: Rc<Array>, shape: Vec<usize>) -> Value {
    let array = Rc::unwrap_or_clone(array);
    assert_eq!(shape.iter().product::<usize>(), array.shape.iter().product(), "interpret: lengths that don't fit");
    Value::array(shape, array.elements)
}

pub(super) fn lengths(values: &[Value]) -> Vec<usize> {
    let length = |value: &Value| match value {
        Value::Int(n) => usize::try_from(*n).expect("interpret: a length isn't negative"),
        other => unreachable!("interpret: {other:?} is no length"),
    };
    values.iter().map(length).collect()
}

pub(super) fn element(array: &Array, indices: &[Value]) -> Result<Value, Code> {
    let (start, size) = place(&array.shape, indices)?;
    if indices.len() == array.shape.len() {
        return Ok(array.elements.at(start));
    }
    eval::work::add(size);
    Ok(Value::array(array.shape[indices.len()..].to_vec(), array.elements.slice(start, size)))
}

/// The array with a new element or row, updated in place when nobody else sees it.
pub(super) fn replace(mut array: Rc<Array>, indices: &[Value], new: Value) -> Result<Value, Code> {
    let (start, _) = place(&array.shape, indices)?;
    if Rc::strong_count(&array) > 1 {
        eval::work::add(array.shape.iter().product());
    }
    if indices.len() == array.shape.len() {
        match (&mut Rc::make_mut(&mut array).elements, new) {
            (Elements::Real(reals), Value::Real(x)) => reals[start] = x,
            (Elements::Values(values), new) => values[start] = new,
            (Elements::Real(_), other) => unreachable!("interpret: {other:?} is no real"),
        }
        return Ok(Value::Array(array));
    }
    let Value::Array(row) = &new else { unreachable!("interpret: {new:?} is no array") };
    if row.shape != array.shape[indices.len()..] {
        return Err(codes::SHAPE_MISMATCH);
    }
    eval::work::add(row.shape.iter().product());
    Rc::make_mut(&mut array).elements.overwrite(start, &row.elements);
    Ok(Value::Array(array))
}

/// The array with one more element, made in place when nobody else sees it.
pub(super) fn append(mut array: Rc<Array>, element: Value) -> Result<Value, Code> {
    if !eval::memory::has_room_for(0) {
        return Err(codes::RECURSION_TOO_DEEP);
    }
    let longer = Rc::make_mut(&mut array);
    longer.shape[0] += 1;
    match (&mut longer.elements, element) {
        (Elements::Real(reals), Value::Real(x)) => reals.push(x),
        (Elements::Values(values), element) => values.push(element),
        (Elements::Real(_), other) => unreachable!("interpret: {other:?} is no real"),
    }
    Ok(Value::Array(array))
}

/// Where the part at these indices starts, and its size.
fn place(shape: &[usize], indices: &[Value]) -> Result<(usize, usize), Code> {
    let mut start = 0;
    for (index, &length) in indices.iter().zip(shape) {
        let Value::Int(i) = index else { unreachable!("interpret: {index:?} is no int") };
        let i = usize::try_from(*i).ok().filter(|i| *i < length).ok_or(codes::INDEX_OUT_OF_RANGE)?;
        start = start * length + i;
    }
    let size = shape[indices.len()..].iter().product();
    Ok((start * size, size))
}

fn array(value: &Value) -> &Array {
    match value {
        Value::Array(array) => array,
        other => unreachable!("interpret: {other:?} is no array"),
    }
}

fn real(value: &Value) -> f64 {
    match value {
        Value::Real(x) => *x,
        other => unreachable!("interpret: {other:?} is no real"),
    }
}

/// The sensitivity of an array of reals as an array in which −0.0 is the symbolic zero.
pub(super) fn dense(sensitivity: eval::Value) -> Result<Array, Code> {
    // Times one it is the same, and no sum any more.
    let one = [sensitivity, eval::Value::Real(1.0), eval::Value::Zero];
    match eval::prims::compute_values(Prim::Scale, one) {
        Ok(eval::Value::Array(array)) => match array.holed_elements() {
            eval::array::Elements::Real(reals) => {
                Ok(Array { shape: array.shape.clone(), elements: Elements::Real(reals) })
            }
            other => unreachable!("interpret: a sensitivity of {other:?}"),
        },
        Ok(other) => unreachable!("interpret: a sensitivity that is {other:?}"),
        Err(fault) => Err(fault.code),
    }
}

impl Array {
    /// The array as one of this rank; only an empty one changes for that.
    pub(super) fn with_rank(mut self, rank: usize) -> Option<Value> {
        if self.shape.len() != rank {
            if !self.elements.is_empty() {
                return None;
            }
            self.shape.resize(rank, 0);
            self.shape[rank - 1] = 0;
        }
        Some(Value::Array(Rc::new(self)))
    }
}

/// Such an array as the evaluator has it.
pub(super) fn collected(array: Rc<Array>) -> Value {
    match Rc::unwrap_or_clone(array) {
        Array { shape, elements: Elements::Real(reals) } => {
            Value::Handle(eval::Value::array(eval::array::Array::reals(shape, reals).with_holes(true)))
        }
        other => unreachable!("interpret: a sensitivity of {other:?}"),
    }
}
