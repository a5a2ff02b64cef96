//! Arrays: a shape and its elements in row-major order.
//!
//! Elements that are arrays of one shape merge into an array of higher rank, so an array never holds arrays
//! directly. Ints and reals together become reals. In an array with `holes` (a raw sensitivity inside derived
//! code) the real −0.0 stands for the symbolic zero; numeric contributions there are never −0.0.
//!
//! An array without elements has the kind and the number of axes that it would have with them; of an array whose
//! kind nobody knows, as `[]`, that is kept too.

use std::cell::Cell;

use crate::probe;
use crate::value::{Holds, Value};

mod values;

pub use values::Values;

#[derive(Clone, Debug)]
pub struct Array {
    pub shape: Vec<usize>,
    /// Changed only through [`Array::elements_mut`].
    pub elements: Elements,
    /// Is −0.0 the symbolic zero here?
    pub holes: bool,
    /// What the elements hold, once somebody asked.
    holds: Cell<Option<Holds>>,
}

#[derive(Clone, Debug)]
pub enum Elements {
    Real(Vec<f64>),
    Int(Vec<i64>),
    Bool(Vec<bool>),
    Values(Values),
}

/// The symbolic zero as an element of a raw sensitivity.
pub const HOLE: f64 = -0.0;

pub fn is_hole(x: f64) -> bool {
    x == 0.0 && x.is_sign_negative()
}

/// Elements of different shapes can't form an array: the index of the first that differs, and both shapes.
#[derive(Debug)]
pub struct Ragged {
    pub index: usize,
    pub expected: String,
    pub found: String,
}

impl Array {
    pub fn new(shape: Vec<usize>, elements: Elements) -> Array {
        let mut array = Array { shape, elements, holes: false, holds: Cell::new(None) };
        // Where values don't matter lengths may not fit: then nobody saw them.
        if probe::is_active() && array.shape.iter().product::<usize>() != array.elements.len() {
            array.shape.fill(0);
            array.elements = array.elements.none();
        }
        array
    }

    pub fn with_holes(mut self, holes: bool) -> Array {
        self.holes = holes;
        self
    }

    pub fn elements_mut(&mut self) -> &mut Elements {
        self.holds.set(None);
        &mut self.elements
    }

    pub fn reals(shape: Vec<usize>, reals: Vec<f64>) -> Array {
        Array::new(shape, Elements::Real(reals))
    }

    pub fn vector(reals: Vec<f64>) -> Array {
        Array::reals(vec![reals.len()], reals)
    }

    pub fn ints(ints: Vec<i64>) -> Array {
        Array::new(vec![ints.len()], Elements::Int(ints))
    }

    pub fn len(&self) -> usize {
        self.shape[0]
    }

    pub fn is_empty(&self) -> bool {
        self.size() == 0
    }

    /// Has it no rows, and did nobody see how long they would be?
    pub fn is_unseen(&self) -> bool {
        self.shape.iter().all(|length| *length == 0)
    }

    /// The number of elements in all axes together.
    pub fn size(&self) -> usize {
        self.elements.len()
    }

    pub fn holds(&self) -> Holds {
        match &self.elements {
            Elements::Real(_) => Holds::REAL,
            // Nobody knows: reals, as everywhere else where they are needed.
            elements if !elements.is_known() => Holds::REAL,
            Elements::Int(_) | Elements::Bool(_) => Holds::DISCRETE,
            Elements::Values(values) => self.holds.get().unwrap_or_else(|| {
                let holds = values.sample().iter().fold(Holds::of_all(values), |all, sample| all.and(sample.holds()));
                self.holds.set(Some(holds));
                holds
            }),
        }
    }

    /// The array of these elements, which must be forced (no lazy heads).
    pub fn from_values(values: Vec<Value>) -> Result<Array, Ragged> {
        if values.iter().any(|value| matches!(value, Value::Array(_))) {
            return stack(&values);
        }
        let shape = vec![values.len()];
        Ok(Array::new(shape, Elements::from_scalars(values)))
    }

    /// The array without elements of which nobody knows what they would be.
    pub fn unknown() -> Array {
        Array::new(vec![0], Elements::Values(Values::default()))
    }

    /// The array without elements whose elements would be like this one. Axes inside have no length: nobody saw them.
    pub fn none_like(element: &Value) -> Array {
        match element {
            Value::Array(array) => {
                Array::new(vec![0; array.shape.len() + 1], array.elements.none()).with_holes(array.holes)
            }
            scalar => Array::new(vec![0], Elements::from_scalars(vec![scalar.clone()]).none()),
        }
    }

    /// An array of this shape whose elements are like those that this array has or would have, if that is known.
    pub fn stretched(&self, shape: Vec<usize>) -> Option<Array> {
        const AT_MOST: usize = 1 << 12;
        let size = shape.iter().try_fold(1usize, |size, n| size.checked_mul(*n)).filter(|size| *size <= AT_MOST)?;
        if size == 0 {
            return Some(Array::new(shape, self.elements.none()));
        }
        let elements = Elements::from_scalars(vec![self.elements.sample()?; size]);
        Some(Array::new(shape, elements))
    }

    /// Element `offset` in row-major order.
    pub fn at(&self, offset: usize) -> Value {
        match &self.elements {
            Elements::Real(reals) => Value::Real(reals[offset]),
            Elements::Int(ints) => Value::Int(ints[offset]),
            Elements::Bool(bools) => Value::Bool(bools[offset]),
            Elements::Values(values) => values[offset].clone(),
        }
    }

    /// What stands at position `i` of the first axis: an element, or an array of lower rank.
    pub fn row(&self, i: usize) -> Value {
        if self.shape.len() == 1 {
            return self.at(i);
        }
        let shape = self.shape[1..].to_vec();
        let size: usize = shape.iter().product();
        Value::array(Array::new(shape, self.elements.slice(i * size, size)).with_holes(self.holes))
    }

    /// What stands along the first axis, also where nothing does; `None`: nobody knows.
    pub fn sample_row(&self) -> Option<Value> {
        if self.shape.len() == 1 {
            return self.elements.sample();
        }
        let rows = self.shape[1..].to_vec();
        let row =
            self.stretched(rows).unwrap_or_else(|| Array::new(vec![0; self.shape.len() - 1], self.elements.none()));
        Some(Value::array(row))
    }

    /// The elements as they stand in an array with holes: a numeric −0.0 is no hole.
    pub fn holed_elements(&self) -> Elements {
        match &self.elements {
            Elements::Real(reals) if !self.holes => Elements::Real(reals.iter().map(|x| x + 0.0).collect()),
            other => other.clone(),
        }
    }

    /// Is one of the reals the symbolic zero?
    pub fn has_hole(&self) -> bool {
        self.holes && matches!(&self.elements, Elements::Real(reals) if reals.iter().any(|x| is_hole(*x)))
    }

    /// Like [`Array::at`], for a sensitivity: a hole is the symbolic zero.
    pub fn sensitivity_at(&self, offset: usize) -> Value {
        match self.at(offset) {
            Value::Real(x) if self.holes && is_hole(x) => Value::Zero,
            other => other,
        }
    }

    /// Like [`Array::row`], for a sensitivity: a hole is the symbolic zero.
    pub fn sensitivity_row(&self, i: usize) -> Value {
        if self.shape.len() == 1 { self.sensitivity_at(i) } else { self.row(i) }
    }

    /// All elements in row-major order.
    pub fn values(&self) -> Vec<Value> {
        (0..self.size()).map(|offset| self.at(offset)).collect()
    }

    /// The elements as reals, if they are numbers.
    pub fn to_reals(&self) -> Option<Vec<f64>> {
        match &self.elements {
            Elements::Real(reals) => Some(reals.clone()),
            Elements::Int(ints) => Some(ints.iter().map(|&i| i as f64).collect()),
            Elements::Values(values) if values.is_empty() => Some(vec![]),
            Elements::Bool(_) | Elements::Values(_) => None,
        }
    }

    /// Two arrays without elements have the same shape for all purposes.
    pub fn same_shape(&self, other: &Array) -> bool {
        self.shape == other.shape || (self.is_empty() && other.is_empty())
    }

    pub fn describe_shape(shape: &[usize]) -> String {
        let lengths: Vec<String> = shape.iter().map(usize::to_string).collect();
        format!("[{}]", lengths.join(", "))
    }
}

impl Elements {
    pub fn len(&self) -> usize {
        match self {
            Elements::Real(reals) => reals.len(),
            Elements::Int(ints) => ints.len(),
            Elements::Bool(bools) => bools.len(),
            Elements::Values(values) => values.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn from_scalars(values: Vec<Value>) -> Elements {
        if values.is_empty() {
            return Elements::Values(Values::default());
        }
        if values.iter().all(|value| matches!(value, Value::Int(_))) {
            return Elements::Int(values.iter().map(|v| if let Value::Int(i) = v { *i } else { 0 }).collect());
        }
        if values.iter().all(|value| matches!(value, Value::Bool(_))) {
            return Elements::Bool(values.iter().map(|v| matches!(v, Value::Bool(true))).collect());
        }
        match values.iter().map(as_real).collect() {
            Some(reals) => Elements::Real(reals),
            None => Elements::Values(values.into()),
        }
    }

    pub fn slice(&self, start: usize, len: usize) -> Elements {
        match self {
            Elements::Real(reals) => Elements::Real(reals[start..start + len].to_vec()),
            Elements::Int(ints) => Elements::Int(ints[start..start + len].to_vec()),
            Elements::Bool(bools) => Elements::Bool(bools[start..start + len].to_vec()),
            Elements::Values(values) => Elements::Values(values.like_these(values[start..start + len].to_vec())),
        }
    }

    /// No elements of this kind.
    pub fn none(&self) -> Elements {
        self.slice(0, 0)
    }

    /// What an element is like, also where there is none; `None`: nobody knows.
    pub fn sample(&self) -> Option<Value> {
        match self {
            Elements::Real(reals) => Some(Value::Real(reals.first().copied().unwrap_or(1.0))),
            Elements::Int(ints) => Some(Value::Int(ints.first().copied().unwrap_or(1))),
            Elements::Bool(bools) => Some(Value::Bool(bools.first().copied().unwrap_or(false))),
            Elements::Values(values) => values.first().or(values.sample()).cloned(),
        }
    }

    /// Are there elements, or is known what they would be?
    pub fn is_known(&self) -> bool {
        !matches!(self, Elements::Values(values) if values.is_empty() && values.sample().is_none())
    }

    /// The elements at these offsets, in this order.
    pub fn pick(&self, offsets: impl Iterator<Item = usize>) -> Elements {
        match self {
            Elements::Real(reals) => Elements::Real(offsets.map(|at| reals[at]).collect()),
            Elements::Int(ints) => Elements::Int(offsets.map(|at| ints[at]).collect()),
            Elements::Bool(bools) => Elements::Bool(offsets.map(|at| bools[at]).collect()),
            Elements::Values(values) => {
                Elements::Values(values.like_these(offsets.map(|at| values[at].clone()).collect()))
            }
        }
    }

    fn into_values(self) -> Vec<Value> {
        match self {
            Elements::Real(reals) => reals.into_iter().map(Value::Real).collect(),
            Elements::Int(ints) => ints.into_iter().map(Value::Int).collect(),
            Elements::Bool(bools) => bools.into_iter().map(Value::Bool).collect(),
            Elements::Values(values) => values.into_vec(),
        }
    }

    /// Several runs of elements, one after the other, in the widest of their kinds.
    pub fn joined(runs: Vec<Elements>) -> Elements {
        if runs.iter().all(Elements::is_empty) {
            return none_of_all(&runs);
        }
        let mut runs = runs.into_iter().filter(|run| !run.is_empty());
        let Some(mut all) = runs.next() else { unreachable!("array: there are elements") };
        for run in runs {
            all = match (all, run) {
                (Elements::Real(mut a), Elements::Real(b)) => {
                    a.extend(b);
                    Elements::Real(a)
                }
                (Elements::Int(mut a), Elements::Int(b)) => {
                    a.extend(b);
                    Elements::Int(a)
                }
                (Elements::Bool(mut a), Elements::Bool(b)) => {
                    a.extend(b);
                    Elements::Bool(a)
                }
                (a, b) => {
                    let mut values = a.into_values();
                    values.extend(b.into_values());
                    Elements::from_scalars(values)
                }
            };
        }
        all
    }
}

/// No elements of the widest kind of these, which have none.
fn none_of_all(runs: &[Elements]) -> Elements {
    let samples: Vec<Value> = runs.iter().filter_map(Elements::sample).collect();
    Elements::from_scalars(samples).none()
}

fn as_real(value: &Value) -> Option<f64> {
    match value {
        Value::Real(x) => Some(*x),
        Value::Int(i) => Some(*i as f64),
        _ => None,
    }
}

/// Arrays of one shape become an array of one more axis; among raw sensitivities, zeros take that shape.
fn stack(values: &[Value]) -> Result<Array, Ragged> {
    let first = values.iter().find_map(|value| if let Value::Array(array) = value { Some(array) } else { None });
    let inner = first.expect("stack: an array is among the values").shape.clone();
    let has_holes = |value: &Value| matches!(value, Value::Zero) || matches!(value, Value::Array(array) if array.holes);
    let holes = values.iter().any(has_holes);
    let mut runs = Vec::with_capacity(values.len());
    for (index, value) in values.iter().enumerate() {
        match value {
            Value::Array(array) if array.shape == inner && holes => runs.push(array.holed_elements()),
            Value::Array(array) if array.shape == inner => runs.push(array.elements.clone()),
            Value::Zero => runs.push(Elements::Real(vec![HOLE; inner.iter().product()])),
            other => return Err(Ragged { index, expected: Array::describe_shape(&inner), found: describe(other) }),
        }
    }
    let shape = [values.len()].into_iter().chain(inner).collect();
    Ok(Array::new(shape, Elements::joined(runs)).with_holes(holes))
}

fn describe(value: &Value) -> String {
    match value {
        Value::Array(array) => Array::describe_shape(&array.shape),
        _ => "no array".into(),
    }
}
