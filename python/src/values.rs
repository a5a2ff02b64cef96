//! Python's objects as values of the evaluator, and back: what compiled code doesn't take as leaves.
//!
//! Values are made on the thread that uses them and are gone when the call ends, but for those that stay in a session.

use std::rc::Rc;

use base::Name;
use calculus::Constructor;
use eval::array::{Array, Elements, is_hole};
use eval::value::Form;
use evert::Value;
use evert::host::{Leaf, Number};
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::error;
use crate::function::Function;
use crate::results::{floats, ints, truths};
use crate::tree::{DEEPEST, Held, int, number_of, simplify, sorted, too_deep};

/// A value of a type that a program declares. Each constructor is a Python class below this one.
#[pyclass(subclass, frozen, module = "evert._evert")]
pub struct Variant {
    #[pyo3(get, name = "_parts")]
    parts: Py<PyTuple>,
    /// `(type, constructor, its number, the names of its fields)`
    #[pyo3(get, name = "_constructor")]
    constructor: Py<PyTuple>,
}

#[pymethods]
impl Variant {
    #[new]
    fn new(constructor: Py<PyTuple>, parts: Py<PyTuple>) -> Variant {
        Variant { parts, constructor }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.parts)?;
        visit.call(&self.constructor)
    }
}

impl Variant {
    pub fn type_name(&self, py: Python<'_>) -> PyResult<String> {
        self.constructor.bind(py).get_item(0)?.extract()
    }

    fn constructor(&self, py: Python<'_>) -> PyResult<Rc<Constructor>> {
        let (type_name, name, tag, fields): (String, String, u32, Vec<String>) = self.constructor.extract(py)?;
        let fields = fields.iter().map(|field| Name::new(field)).collect();
        Ok(Rc::new(Constructor { name: Name::new(&name), type_name: Name::new(&type_name), tag, fields }))
    }
}

/// A function of Python's, with its derivatives if they are known.
#[pyclass(frozen, module = "evert._evert")]
pub struct Callable {
    #[pyo3(get)]
    function: Py<PyAny>,
    #[pyo3(get)]
    vjp: Option<Py<PyAny>>,
    #[pyo3(get)]
    jvp: Option<Py<PyAny>>,
}

#[pymethods]
impl Callable {
    #[new]
    #[pyo3(signature = (function, vjp=None, jvp=None))]
    fn new(function: Py<PyAny>, vjp: Option<Py<PyAny>>, jvp: Option<Py<PyAny>>) -> Callable {
        Callable { function, vjp, jvp }
    }

    #[pyo3(signature = (*args))]
    fn __call__<'py>(&self, py: Python<'py>, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        self.function.bind(py).call1(args)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.function)?;
        visit.call(&self.vjp)?;
        visit.call(&self.jvp)
    }
}

impl Callable {
    /// The function, its vjp, its jvp.
    pub fn parts(&self, py: Python<'_>) -> (Py<PyAny>, Option<Py<PyAny>>, Option<Py<PyAny>>) {
        let copied = |one: &Option<Py<PyAny>>| one.as_ref().map(|one| one.clone_ref(py));
        (self.function.clone_ref(py), copied(&self.vjp), copied(&self.jvp))
    }
}

/// Who turns functions into values, and back: a session.
pub trait Functions {
    fn value(&mut self, function: &Bound<'_, Function>) -> PyResult<Value>;
    fn foreign(&mut self, callable: &Bound<'_, Callable>) -> PyResult<Value>;
    fn object<'py>(&mut self, py: Python<'py>, function: &Value) -> PyResult<Bound<'py, PyAny>>;
}

/// The value of an argument, or why there is none.
pub struct Reader<'f> {
    pub functions: Option<&'f mut dyn Functions>,
    depth: usize,
}

impl<'f> Reader<'f> {
    pub fn new(functions: Option<&'f mut dyn Functions>) -> Reader<'f> {
        Reader { functions, depth: 0 }
    }

    /// One argument is the argument; several, or none, are a tuple.
    pub fn arguments(&mut self, arguments: &Bound<'_, PyTuple>) -> PyResult<Value> {
        if arguments.len() == 1 { self.read(&arguments.get_item(0)?) } else { self.tuple(arguments) }
    }

    pub fn read(&mut self, object: &Bound<'_, PyAny>) -> PyResult<Value> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(too_deep());
        }
        let value = stacker::maybe_grow(64 << 10, 4 << 20, || self.read_one(object));
        self.depth -= 1;
        value
    }

    fn read_one(&mut self, object: &Bound<'_, PyAny>) -> PyResult<Value> {
        if let Ok(real) = object.cast_exact::<PyFloat>() {
            Ok(Value::Real(real.value()))
        } else if object.cast_exact::<PyInt>().is_ok() {
            Ok(Value::Int(int(object)?))
        } else if let Ok(truth) = object.cast_exact::<PyBool>() {
            Ok(Value::Bool(truth.is_true()))
        } else if let Ok(text) = object.cast_exact::<PyString>() {
            Ok(Value::text(text.to_cow()?))
        } else if object.is_none() {
            Ok(Value::unit())
        } else if let Ok(tuple) = object.cast_exact::<PyTuple>() {
            self.tuple(tuple)
        } else if let Ok(dict) = object.cast_exact::<PyDict>() {
            self.record(dict)
        } else if let Ok(variant) = object.cast::<Variant>() {
            let form = Form::Variant(variant.get().constructor(object.py())?);
            Ok(Value::data(form, self.parts(variant.get().parts.bind(object.py()))?))
        } else if let Ok(array) = object.cast_exact::<PyUntypedArray>() {
            match number_of(array) {
                Some(number) if array.ndim() > 0 => Ok(of_leaf(&Held::Array(array.clone(), number).leaf())),
                Some(_) => self.read(&array.call_method0("item")?),
                None => self.simplified(object),
            }
        } else if let Ok(function) = object.cast::<Function>() {
            match &mut self.functions {
                Some(functions) => functions.value(function),
                None => Err(without_session(object)),
            }
        } else if let Ok(callable) = object.cast::<Callable>() {
            match &mut self.functions {
                Some(functions) => functions.foreign(callable),
                None => Err(without_session(object)),
            }
        } else {
            self.simplified(object)
        }
    }

    fn simplified(&mut self, object: &Bound<'_, PyAny>) -> PyResult<Value> {
        let simple = simplify(object)?;
        match simple.cast_exact::<PyList>() {
            Ok(list) => self.list(list),
            Err(_) => self.read(&simple),
        }
    }

    fn list(&mut self, list: &Bound<'_, PyList>) -> PyResult<Value> {
        let elements = list.iter().map(|element| self.read(&element)).collect::<PyResult<Vec<_>>>()?;
        Array::from_values(elements).map(Value::array).map_err(|ragged| {
            let (at, expected, found) = (ragged.index, ragged.expected, ragged.found);
            let what = format!("the elements of a list are alike: the first has {expected}, element {at} has {found}");
            error::argument(list.py(), what)
        })
    }

    fn tuple(&mut self, tuple: &Bound<'_, PyTuple>) -> PyResult<Value> {
        Ok(Value::tuple(self.parts(tuple)?))
    }

    fn parts(&mut self, tuple: &Bound<'_, PyTuple>) -> PyResult<Vec<Value>> {
        tuple.iter().map(|part| self.read(&part)).collect()
    }

    fn record(&mut self, dict: &Bound<'_, PyDict>) -> PyResult<Value> {
        let entries = sorted(dict)?;
        let labels: Rc<[Name]> = entries.iter().map(|(label, _)| Name::new(label)).collect();
        let fields = entries.iter().map(|(_, value)| self.read(value)).collect::<PyResult<_>>()?;
        Ok(Value::record(labels, fields))
    }
}

/// A number or an array of another host's.
pub fn of_leaf(leaf: &Leaf) -> Value {
    match leaf {
        Leaf::Bool(b) => Value::Bool(*b),
        Leaf::Int(i) => Value::Int(*i),
        Leaf::Real(x) => Value::Real(*x),
        Leaf::Array(view) => {
            let words = view.words();
            let elements = match view.number {
                Number::F64 | Number::F32 => Elements::Real(words.into_iter().map(f64::from_bits).collect()),
                Number::I64 | Number::I32 => Elements::Int(words.into_iter().map(|word| word as i64).collect()),
                Number::Bool => Elements::Bool(words.into_iter().map(|word| word != 0).collect()),
            };
            Value::array(Array::new(view.lengths.to_vec(), elements))
        }
    }
}

fn without_session(object: &Bound<'_, PyAny>) -> PyErr {
    error::argument(object.py(), "a function can't be an argument here")
}

/// A value as Python has it.
pub fn object<'py>(
    py: Python<'py>,
    value: &Value,
    functions: &mut Option<&mut dyn Functions>,
) -> PyResult<Bound<'py, PyAny>> {
    stacker::maybe_grow(64 << 10, 4 << 20, || {
        let value = eval::force(value).map_err(|fault| PyValueError::new_err(fault.message.clone()))?;
        Ok(match &value {
            Value::Bool(b) => PyBool::new(py, *b).to_owned().into_any(),
            Value::Int(i) => i.into_pyobject(py)?.into_any(),
            Value::Real(x) => PyFloat::new(py, *x).into_any(),
            // Programs never see it; where it would be a result it is 0.
            Value::Zero => PyFloat::new(py, 0.0).into_any(),
            Value::Text(text) => PyString::new(py, text).into_any(),
            Value::Data(data) => {
                let parts =
                    data.fields.iter().map(|field| object(py, field, functions)).collect::<PyResult<Vec<_>>>()?;
                match &data.form {
                    Form::Tuple if parts.is_empty() => py.None().into_bound(py),
                    Form::Tuple => PyTuple::new(py, parts)?.into_any(),
                    Form::Record(labels) => {
                        let dict = PyDict::new(py);
                        for (label, part) in labels.iter().zip(parts) {
                            dict.set_item(PyString::intern(py, label.as_str()), part)?;
                        }
                        dict.into_any()
                    }
                    Form::Variant(constructor) => variant(py, constructor, parts)?,
                    Form::Part(..) => return Err(PyValueError::new_err("a sensitivity of which only parts are known")),
                }
            }
            Value::Array(array) => array_object(py, array, functions)?,
            Value::Sparse(_) | Value::Lazy(_) => {
                return Err(PyValueError::new_err("a sensitivity that nobody has added up"));
            }
            Value::Function(_) => match functions {
                Some(functions) => functions.object(py, &value)?,
                None => return Err(PyValueError::new_err("a function")),
            },
        })
    })
}

fn variant<'py>(
    py: Python<'py>,
    constructor: &Constructor,
    parts: Vec<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let fields: Vec<&str> = constructor.fields.iter().map(|field| field.as_str()).collect();
    let description =
        (constructor.type_name.as_str(), constructor.name.as_str(), constructor.tag, PyTuple::new(py, fields)?);
    let module = py.import("evert._variants")?;
    module.call_method1("make", (description, PyTuple::new(py, parts)?))
}

fn array_object<'py>(
    py: Python<'py>,
    array: &Array,
    functions: &mut Option<&mut dyn Functions>,
) -> PyResult<Bound<'py, PyAny>> {
    match &array.elements {
        Elements::Real(reals) if array.holes => {
            let reals: Vec<f64> = reals.iter().map(|x| if is_hole(*x) { 0.0 } else { *x }).collect();
            floats(py, &array.shape, &reals)
        }
        Elements::Real(reals) => floats(py, &array.shape, reals),
        Elements::Int(all) => ints(py, &array.shape, all),
        Elements::Bool(all) => truths(py, &array.shape, all.iter().copied()),
        Elements::Values(values) if values.is_empty() && values.sample().is_none() => floats(py, &array.shape, &[]),
        Elements::Values(values) => {
            // The sensitivity of an array of ints.
            let is_unit = |value: &Value| eval::force(value).is_ok_and(|value| value.is_unit());
            if values.iter().chain(values.sample()).all(is_unit) {
                return Ok(py.None().into_bound(py));
            }
            let all = values.iter().map(|value| object(py, value, functions)).collect::<PyResult<Vec<_>>>()?;
            nested(py, &array.shape, &mut all.into_iter())
        }
    }
}

/// Lists of lists, as deep as there are axes.
fn nested<'py>(
    py: Python<'py>,
    shape: &[usize],
    elements: &mut dyn Iterator<Item = Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let list = match shape {
        [length] => PyList::new(py, elements.take(*length).collect::<Vec<_>>())?,
        [length, inner @ ..] => {
            let rows = (0..*length).map(|_| nested(py, inner, elements)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, rows)?
        }
        [] => PyList::empty(py),
    };
    Ok(list.into_any())
}
