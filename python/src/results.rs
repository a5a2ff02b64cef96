//! Results of compiled code as Python's objects: arrays are copied once, into memory of NumPy's.

use base::Name;
use eval::array::{Elements, is_hole};
use eval::value::Form;
use evert::Value;
use evert::host::{Done, Item};
use numpy::{Element, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyString, PyTuple};

use crate::values;

/// The result of a call.
pub fn object<'py>(py: Python<'py>, done: &Done) -> PyResult<Bound<'py, PyAny>> {
    let mut builder = Builder { py, open: vec![], root: None };
    done.items(|item| builder.item(item))?;
    Ok(builder.root.unwrap_or_else(|| py.None().into_bound(py)))
}

/// Puts parts together: a tuple or dict is open until it has all of its.
struct Builder<'py> {
    py: Python<'py>,
    open: Vec<Open<'py>>,
    root: Option<Bound<'py, PyAny>>,
}

struct Open<'py> {
    labels: Option<Vec<Name>>,
    count: usize,
    parts: Vec<Bound<'py, PyAny>>,
}

impl<'py> Builder<'py> {
    fn item(&mut self, item: Item) -> PyResult<()> {
        let py = self.py;
        match item {
            Item::Tuple(0) => self.add(py.None().into_bound(py)),
            Item::Record(labels) if labels.is_empty() => self.add(PyDict::new(py).into_any()),
            Item::Tuple(count) => self.begin(None, count),
            Item::Record(labels) => self.begin(Some(labels.to_vec()), labels.len()),
            Item::Bool(b) => self.add(PyBool::new(py, b).to_owned().into_any()),
            Item::Int(i) => self.add(i.into_pyobject(py)?.into_any()),
            Item::Real(x) => self.add(PyFloat::new(py, x).into_any()),
            Item::Reals(shape, reals) => self.add(floats(py, &lengths(shape), reals)?),
            Item::Ints(shape, all) => self.add(ints(py, &lengths(shape), all)?),
            Item::Bools(shape, words) => self.add(truths(py, &lengths(shape), words.iter().map(|word| *word != 0))?),
            Item::Value(value) => self.add(values::object(py, value, &mut None)?),
        }
    }

    fn begin(&mut self, labels: Option<Vec<Name>>, count: usize) -> PyResult<()> {
        self.open.push(Open { labels, count, parts: Vec::with_capacity(count) });
        Ok(())
    }

    fn add(&mut self, mut object: Bound<'py, PyAny>) -> PyResult<()> {
        loop {
            let Some(open) = self.open.last_mut() else {
                self.root = Some(object);
                return Ok(());
            };
            open.parts.push(object);
            if open.parts.len() < open.count {
                return Ok(());
            }
            let Open { labels, parts, .. } = self.open.pop().expect("it was there");
            object = match labels {
                None => PyTuple::new(self.py, parts)?.into_any(),
                Some(labels) => {
                    let dict = PyDict::new(self.py);
                    for (label, part) in labels.iter().zip(parts) {
                        dict.set_item(PyString::intern(self.py, label.as_str()), part)?;
                    }
                    dict.into_any()
                }
            };
        }
    }
}

fn lengths(words: &[u64]) -> Vec<usize> {
    words.iter().map(|&n| n as usize).collect()
}

pub fn floats<'py>(py: Python<'py>, shape: &[usize], reals: &[f64]) -> PyResult<Bound<'py, PyAny>> {
    copied(py, shape, reals)
}

pub fn ints<'py>(py: Python<'py>, shape: &[usize], all: &[i64]) -> PyResult<Bound<'py, PyAny>> {
    copied(py, shape, all)
}

pub fn truths<'py>(py: Python<'py>, shape: &[usize], all: impl Iterator<Item = bool>) -> PyResult<Bound<'py, PyAny>> {
    copied(py, shape, &all.collect::<Vec<bool>>())
}

fn copied<'py, T: Element + Copy>(py: Python<'py>, shape: &[usize], elements: &[T]) -> PyResult<Bound<'py, PyAny>> {
    assert_eq!(shape.iter().product::<usize>(), elements.len(), "results: as many elements as the shape says");
    // SAFETY: all elements are written before anybody sees the array; it is new, so that it doesn't overlap.
    unsafe {
        let array = PyArrayDyn::<T>::new(py, shape, false);
        array.data().copy_from_nonoverlapping(elements.as_ptr(), elements.len());
        Ok(array.into_any())
    }
}

/// A number or an array of a result.
pub enum Leaf<'a> {
    Bool(bool),
    Int(i64),
    Real(f64),
    Reals(&'a [u64], &'a [f64]),
    Ints(&'a [u64], &'a [i64]),
    Bools(&'a [u64], &'a [u64]),
}

impl Leaf<'_> {
    fn lengths(&self) -> &[u64] {
        match self {
            Leaf::Bool(_) | Leaf::Int(_) | Leaf::Real(_) => &[],
            Leaf::Reals(lengths, _) | Leaf::Ints(lengths, _) | Leaf::Bools(lengths, _) => lengths,
        }
    }

    /// Has it these lengths? An array without elements is one whatever its other lengths are: nobody may have seen them.
    pub fn has_shape(&self, dims: &[i64]) -> bool {
        let own = self.lengths();
        let same = own.len() == dims.len() && own.iter().zip(dims).all(|(own, dim)| *own as i64 == *dim);
        same || (own.contains(&0) && dims.contains(&0))
    }

    pub fn shape(&self) -> String {
        format!("{:?}", self.lengths())
    }

    pub fn kind(&self) -> &'static str {
        match self {
            Leaf::Bool(_) | Leaf::Bools(..) => "boolean",
            Leaf::Int(_) | Leaf::Ints(..) => "int",
            Leaf::Real(_) | Leaf::Reals(..) => "real",
        }
    }
}

/// Calls `each` with the numbers and arrays in a part of a result; what carries nothing (`()`) is left out.
pub fn leaves_of(item: Item, each: &mut dyn FnMut(Leaf) -> Result<(), String>) -> Result<(), String> {
    match item {
        Item::Tuple(_) | Item::Record(_) => Ok(()),
        Item::Bool(b) => each(Leaf::Bool(b)),
        Item::Int(i) => each(Leaf::Int(i)),
        Item::Real(x) => each(Leaf::Real(x)),
        Item::Reals(lengths, reals) => each(Leaf::Reals(lengths, reals)),
        Item::Ints(lengths, ints) => each(Leaf::Ints(lengths, ints)),
        Item::Bools(lengths, words) => each(Leaf::Bools(lengths, words)),
        Item::Value(value) => leaves_of_value(value, each),
    }
}

pub fn leaves_of_value(value: &Value, each: &mut dyn FnMut(Leaf) -> Result<(), String>) -> Result<(), String> {
    let value = eval::force(value).map_err(|fault| fault.message.clone())?;
    match &value {
        Value::Bool(b) => each(Leaf::Bool(*b)),
        Value::Int(i) => each(Leaf::Int(*i)),
        Value::Real(x) => each(Leaf::Real(*x)),
        Value::Zero => each(Leaf::Real(0.0)),
        Value::Data(data) if !matches!(data.form, Form::Part(..)) => {
            data.fields.iter().try_for_each(|field| leaves_of_value(field, each))
        }
        Value::Array(array) => {
            let lengths: Vec<u64> = array.shape.iter().map(|&n| n as u64).collect();
            match &array.elements {
                Elements::Real(reals) if array.holes => {
                    let reals: Vec<f64> = reals.iter().map(|x| if is_hole(*x) { 0.0 } else { *x }).collect();
                    each(Leaf::Reals(&lengths, &reals))
                }
                Elements::Real(reals) => each(Leaf::Reals(&lengths, reals)),
                Elements::Int(ints) => each(Leaf::Ints(&lengths, ints)),
                Elements::Bool(all) => {
                    each(Leaf::Bools(&lengths, &all.iter().map(|b| u64::from(*b)).collect::<Vec<_>>()))
                }
                Elements::Values(values) if values.is_empty() => each(Leaf::Reals(&lengths, &[])),
                Elements::Values(values) if values.iter().all(Value::is_unit) => Ok(()),
                Elements::Values(_) => Err("the result holds an array of data; give arrays of numbers".into()),
            }
        }
        other => Err(format!("the result holds {}; give numbers and arrays", eval::show::described(other))),
    }
}
