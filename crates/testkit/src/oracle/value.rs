//! The values of the multi-precision interpreter.
//!
//! Like those of the evaluator, but plain: an array is a shape and a list of scalars, nothing is lazy, there are no symbolic
//! zeros. `from` and `to_reals` are the border to the evaluator.

use std::rc::Rc;

use base::Name;
use calculus::{Constructor, Group, Prim};

use super::Failure;
use super::intrinsics::Intrinsic;
use super::real::Real;

#[derive(Clone, Debug)]
pub enum Val {
    Bool(bool),
    Int(i64),
    Real(Real),
    Text(Rc<str>),
    Data(Rc<Data>),
    Array(Rc<Array>),
    Function(Rc<Fun>),
}

#[derive(Clone, Debug)]
pub struct Data {
    pub form: Form,
    pub fields: Vec<Val>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Form {
    Tuple,
    Record(Vec<Name>),
    Variant(Rc<Constructor>),
}

/// Elements are no arrays: their axes are merged into `shape`.
#[derive(Clone, Debug)]
pub struct Array {
    pub shape: Vec<usize>,
    pub elements: Vec<Val>,
    /// What an element would be, where there is none and somebody knows.
    pub sample: Option<Val>,
}

#[derive(Debug)]
pub enum Fun {
    Prim(Prim),
    Closure { group: Rc<Group>, member: usize, captured: Vec<Val> },
    Intrinsic(Intrinsic, Vec<Val>),
}

impl Val {
    pub fn unit() -> Val {
        Val::tuple(vec![])
    }

    pub fn tuple(fields: Vec<Val>) -> Val {
        Val::data(Form::Tuple, fields)
    }

    pub fn data(form: Form, fields: Vec<Val>) -> Val {
        Val::Data(Rc::new(Data { form, fields }))
    }

    pub fn f64(x: f64) -> Val {
        Val::Real(Real::from_f64(x))
    }

    pub fn intrinsic(intrinsic: Intrinsic, known: Vec<Val>) -> Val {
        Val::Function(Rc::new(Fun::Intrinsic(intrinsic, known)))
    }

    pub fn number(&self) -> Option<Real> {
        match self {
            Val::Int(i) => Some(Real::from_int(*i)),
            Val::Real(x) => Some(x.clone()),
            _ => None,
        }
    }

    pub fn is_unit(&self) -> bool {
        matches!(self, Val::Data(data) if data.form == Form::Tuple && data.fields.is_empty())
    }

    /// The fields of a tuple of this length.
    pub fn parts<const N: usize>(&self) -> Result<[Val; N], Failure> {
        match self {
            Val::Data(data) if data.form == Form::Tuple => {
                data.fields.clone().try_into().map_err(|_| Failure::program("a tuple of another length"))
            }
            _ => Err(Failure::program("no tuple")),
        }
    }

    /// An array of these elements. Rows become axes, ints among reals become reals.
    pub fn array(values: Vec<Val>) -> Result<Val, Failure> {
        let Some(Val::Array(first)) = values.iter().find(|value| matches!(value, Val::Array(_))) else {
            return Ok(Val::Array(Rc::new(Array::vector(values))));
        };
        let mut elements = vec![];
        for value in &values {
            match value {
                Val::Array(row) if row.shape == first.shape => elements.extend(row.elements.iter().cloned()),
                _ => return Err(Failure::program("the elements of an array have different shapes")),
            }
        }
        let shape = [values.len()].into_iter().chain(first.shape.iter().copied()).collect();
        Ok(Val::Array(Rc::new(Array::new(shape, elements, first.sample.clone()))))
    }

    pub fn reals_array(shape: Vec<usize>, reals: Vec<Real>) -> Val {
        let elements = reals.into_iter().map(Val::Real).collect();
        Val::Array(Rc::new(Array::new(shape, elements, Some(Val::f64(0.0)))))
    }

    pub fn ints(ints: impl IntoIterator<Item = i64>) -> Val {
        let elements: Vec<Val> = ints.into_iter().map(Val::Int).collect();
        Val::Array(Rc::new(Array::new(vec![elements.len()], elements, Some(Val::Int(0)))))
    }

    /// The reals in a value from left to right, captures of functions excluded.
    pub fn to_reals(&self) -> Vec<Real> {
        let mut found = vec![];
        self.each_real(&mut |x| found.push(x.clone()));
        found
    }

    fn each_real(&self, see: &mut dyn FnMut(&Real)) {
        match self {
            Val::Real(x) => see(x),
            Val::Data(data) => data.fields.iter().for_each(|field| field.each_real(see)),
            Val::Array(array) => array.elements.iter().for_each(|element| element.each_real(see)),
            Val::Bool(_) | Val::Int(_) | Val::Text(_) | Val::Function(_) => {}
        }
    }

    /// The value with its reals replaced, in order.
    pub fn with_reals(&self, reals: &mut dyn Iterator<Item = Real>) -> Val {
        match self {
            Val::Real(_) => Val::Real(reals.next().unwrap_or_else(Real::zero)),
            Val::Data(data) => {
                let fields = data.fields.iter().map(|field| field.with_reals(reals)).collect();
                Val::data(data.form.clone(), fields)
            }
            Val::Array(array) => {
                let elements = array.elements.iter().map(|element| element.with_reals(reals)).collect();
                Val::Array(Rc::new(Array { elements, ..(**array).clone() }))
            }
            other => other.clone(),
        }
    }

    /// The sensitivity of this value with these reals: what is discrete is `()`, a function's is a record over its captures.
    pub fn sensitivity(&self, reals: &mut dyn Iterator<Item = Real>) -> Val {
        match self {
            Val::Real(_) => Val::Real(reals.next().unwrap_or_else(Real::zero)),
            Val::Data(data) => {
                let fields = data.fields.iter().map(|field| field.sensitivity(reals)).collect();
                Val::data(data.form.clone(), fields)
            }
            Val::Array(array) => {
                let elements = array.elements.iter().map(|element| element.sensitivity(reals)).collect();
                Val::Array(Rc::new(Array { elements, ..(**array).clone() }))
            }
            Val::Function(function) => match &**function {
                Fun::Closure { group, captured, .. } => {
                    let fields = captured.iter().map(|value| value.sensitivity(reals)).collect();
                    Val::data(Form::Record(group.captures.clone()), fields)
                }
                Fun::Prim(_) | Fun::Intrinsic(..) => Val::data(Form::Record(vec![]), vec![]),
            },
            Val::Bool(_) | Val::Int(_) | Val::Text(_) => Val::unit(),
        }
    }
}

impl Array {
    /// One kind for all: if there is a real among numbers, all are reals.
    pub fn new(shape: Vec<usize>, mut elements: Vec<Val>, sample: Option<Val>) -> Array {
        if elements.iter().any(|element| matches!(element, Val::Real(_)))
            && elements.iter().all(|element| matches!(element, Val::Real(_) | Val::Int(_)))
        {
            elements = elements.iter().filter_map(Val::number).map(Val::Real).collect();
        }
        let sample = elements.first().cloned().or(sample);
        Array { shape, elements, sample }
    }

    pub fn vector(elements: Vec<Val>) -> Array {
        Array::new(vec![elements.len()], elements, None)
    }

    pub fn len(&self) -> usize {
        self.shape[0]
    }

    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// What stands at a position of the first axis.
    pub fn row(&self, i: usize) -> Val {
        if self.shape.len() == 1 {
            return self.elements[i].clone();
        }
        let shape = self.shape[1..].to_vec();
        let size: usize = shape.iter().product();
        let elements = self.elements[i * size..(i + 1) * size].to_vec();
        Val::Array(Rc::new(Array::new(shape, elements, self.sample.clone())))
    }

    pub fn rows(&self) -> Vec<Val> {
        (0..self.len()).map(|i| self.row(i)).collect()
    }

    /// Ints or nothing known to be real.
    pub fn is_ints(&self) -> bool {
        matches!(self.sample, Some(Val::Int(_))) && self.elements.iter().all(|element| matches!(element, Val::Int(_)))
    }

    pub fn numbers(&self) -> Result<Vec<Real>, Failure> {
        let numbers: Option<Vec<Real>> = self.elements.iter().map(Val::number).collect();
        numbers.ok_or_else(|| Failure::program("an array of numbers was expected"))
    }
}
