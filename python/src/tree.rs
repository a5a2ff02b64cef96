//! Arguments as a key and leaves.
//!
//! The key says how the arguments are built, not which numbers they hold: code is made once for each. The leaves are the numbers and
//! arrays of numbers, in the order in which the code takes them: tuples from left to right, dicts by their sorted labels.

use evert::host::{Leaf, Number, View};
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::error;
use crate::function::Function;
use crate::values::{Callable, Variant};

/// Data that nests deeper is refused: it may contain itself.
pub const DEEPEST: usize = 200_000;

pub struct Flat<'py> {
    pub key: Vec<u8>,
    pub leaves: Vec<Held<'py>>,
    pub holds: Holds,
    depth: usize,
}

/// What arguments are made of, at most.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Holds {
    /// Numbers, arrays of numbers, tuples and records of these.
    Numbers,
    /// Also texts, variants, arrays of data.
    Data,
    Functions,
}

/// A leaf, and what keeps its memory.
pub enum Held<'py> {
    Bool(bool),
    Int(i64),
    Real(f64),
    Array(Bound<'py, PyUntypedArray>, Number),
}

impl<'py> Flat<'py> {
    /// One argument is the argument; several, or none, are a tuple.
    pub fn new(arguments: &Bound<'py, PyTuple>) -> PyResult<Flat<'py>> {
        let mut flat =
            Flat { key: Vec::with_capacity(48), leaves: Vec::with_capacity(4), holds: Holds::Numbers, depth: 0 };
        if arguments.len() == 1 {
            flat.add(&arguments.get_item(0)?)?;
        } else {
            flat.tuple(arguments)?;
        }
        Ok(flat)
    }

    fn add(&mut self, object: &Bound<'py, PyAny>) -> PyResult<()> {
        if let Ok(real) = object.cast_exact::<PyFloat>() {
            self.leaf(b'r', Held::Real(real.value()));
        } else if let Ok(array) = object.cast_exact::<PyUntypedArray>() {
            match number_of(array) {
                Some(number) => self.array(array.clone(), number)?,
                None => self.simplified(object)?,
            }
        } else if object.cast_exact::<PyInt>().is_ok() {
            self.leaf(b'i', Held::Int(int(object)?));
        } else if let Ok(truth) = object.cast_exact::<PyBool>() {
            self.leaf(b'b', Held::Bool(truth.is_true()));
        } else if let Ok(tuple) = object.cast_exact::<PyTuple>() {
            self.deeper(|flat| flat.tuple(tuple))?;
        } else if let Ok(dict) = object.cast_exact::<PyDict>() {
            self.deeper(|flat| flat.record(dict))?;
        } else if object.is_none() {
            self.key.push(b'u');
        } else {
            self.rarer(object)?;
        }
        Ok(())
    }

    fn rarer(&mut self, object: &Bound<'py, PyAny>) -> PyResult<()> {
        if let Ok(real) = object.cast::<PyFloat>() {
            // NumPy's scalars of double precision are floats too.
            self.leaf(b'r', Held::Real(real.value()));
        } else if object.cast_exact::<PyString>().is_ok() {
            self.data(b't');
        } else if let Ok(variant) = object.cast::<Variant>() {
            self.data(b'v');
            self.key.extend(variant.get().type_name(object.py())?.as_bytes());
            self.key.push(b';');
        } else if object.cast::<Function>().is_ok() || object.cast::<Callable>().is_ok() {
            self.key.push(b'f');
            self.holds = Holds::Functions;
        } else {
            self.simplified(object)?;
        }
        Ok(())
    }

    /// What Python's side makes of it: an array, a number, a dict; a list stays one if it is an array of data.
    fn simplified(&mut self, object: &Bound<'py, PyAny>) -> PyResult<()> {
        let simple = simplify(object)?;
        if let Ok(list) = simple.cast_exact::<PyList>() {
            self.data(b'l');
            if let Some(first) = list.iter().next() {
                // Elements have one shape together; the first one stands for them in the key.
                let count = self.leaves.len();
                self.deeper(|flat| flat.add(&first))?;
                self.leaves.truncate(count);
            }
            return Ok(());
        }
        self.deeper(|flat| flat.add(&simple))
    }

    fn leaf(&mut self, kind: u8, leaf: Held<'py>) {
        self.key.push(kind);
        self.leaves.push(leaf);
    }

    fn data(&mut self, kind: u8) {
        self.key.push(kind);
        self.holds = self.holds.max(Holds::Data);
    }

    fn array(&mut self, array: Bound<'py, PyUntypedArray>, number: Number) -> PyResult<()> {
        let rank = array.ndim();
        if rank == 0 {
            return self.add(&array.call_method0("item")?);
        }
        let kind = match number {
            Number::F64 | Number::F32 => b'R',
            Number::I64 | Number::I32 => b'I',
            Number::Bool => b'B',
        };
        self.key.extend([kind, rank as u8]);
        self.leaves.push(Held::Array(array, number));
        Ok(())
    }

    fn tuple(&mut self, tuple: &Bound<'py, PyTuple>) -> PyResult<()> {
        self.key.push(b'(');
        for part in tuple.iter_borrowed() {
            self.add(&part)?;
        }
        self.key.push(b')');
        Ok(())
    }

    fn record(&mut self, dict: &Bound<'py, PyDict>) -> PyResult<()> {
        self.key.push(b'{');
        for (label, value) in sorted(dict)? {
            self.key.extend(label.as_bytes());
            self.key.push(b':');
            self.add(&value)?;
        }
        self.key.push(b'}');
        Ok(())
    }

    fn deeper(&mut self, body: impl FnOnce(&mut Self) -> PyResult<()>) -> PyResult<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(too_deep());
        }
        let result = stacker::maybe_grow(64 << 10, 4 << 20, || body(self));
        self.depth -= 1;
        result
    }
}

impl Held<'_> {
    /// The leaf as compiled code takes it.
    pub fn leaf(&self) -> Leaf<'_> {
        match self {
            Held::Bool(b) => Leaf::Bool(*b),
            Held::Int(i) => Leaf::Int(*i),
            Held::Real(x) => Leaf::Real(*x),
            Held::Array(array, number) => {
                // SAFETY: NumPy's description of an array that we hold, so that its memory stays. If another thread changes its elements
                // while they are copied, some are old and some are new, as in NumPy itself.
                let data = unsafe { (*array.as_array_ptr()).fields.data };
                // SAFETY: as above.
                Leaf::Array(unsafe { View::new(data.cast(), array.shape(), array.strides(), *number) })
            }
        }
    }
}

/// What the elements of an array are, if they can be read as they lie.
pub fn number_of(array: &Bound<'_, PyUntypedArray>) -> Option<Number> {
    let dtype = array.dtype();
    let number = match (dtype.kind(), dtype.itemsize()) {
        (b'f', 8) => Number::F64,
        (b'f', 4) => Number::F32,
        (b'i', 8) => Number::I64,
        (b'i', 4) => Number::I32,
        (b'b', 1) => return Some(Number::Bool),
        _ => return None,
    };
    (dtype.is_native_byteorder() != Some(false)).then_some(number)
}

/// The entries of a dict by their labels, which are texts.
pub fn sorted<'py>(dict: &Bound<'py, PyDict>) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
    let mut entries = Vec::with_capacity(dict.len());
    for (key, value) in dict.iter() {
        let Ok(label) = key.cast::<PyString>() else {
            let kind = key.get_type().name()?;
            let found = format!("a dict is a record, whose labels are texts; this one has a key of type {kind}");
            return Err(error::argument(dict.py(), found));
        };
        entries.push((label.to_cow()?.into_owned(), value));
    }
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(entries)
}

pub fn int(object: &Bound<'_, PyAny>) -> PyResult<i64> {
    object
        .extract()
        .map_err(|_| error::argument(object.py(), "this int doesn't fit in 64 bits; write a real, or a text"))
}

pub fn simplify<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    static SIMPLIFY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let simplify =
        SIMPLIFY.get_or_try_init(py, || Ok::<_, PyErr>(py.import("evert._convert")?.getattr("simplify")?.unbind()))?;
    simplify.bind(py).call1((object,))
}

pub fn too_deep() -> PyErr {
    Python::attach(|py| error::argument(py, "this is nested too deep, or contains itself"))
}
