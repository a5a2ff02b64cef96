//! Sensitivities: `zero`, `⊕`, and giving a sensitivity the full shape of its value.
//!
//! S(v) mirrors v: reals for reals, unit for what carries no derivative, fields for fields, the same
//! constructor, arrays of S, and for a function the record of its captures. Inside derived code a sensitivity is
//! *raw*: any part of it may be the symbolic zero, be missing, or be a sparse sum. What a program sees is *full*:
//! it unfolds, level by level, in the shape of the value it belongs to.

use std::rc::Rc;

use base::{Name, codes};
use differentiate::sensitivities::full::{self, Unfolded, Unopened};
use differentiate::sensitivities::{self, Addend, Of, Plus, Sum, Top};

use crate::array::{Array, Elements, Values};
use crate::fault::{Fault, NO_SENSITIVITY, Result};
use crate::lazy::{deep, force, forced};
use crate::show;
use crate::sparse::{self, Sparse};
use crate::value::{Data, Form, Function, Suspended, Value};
use crate::work;

/// The zero sensitivity of a value.
pub fn zero(of: &Value) -> Value {
    full(of, Value::Zero)
}

/// A sensitivity in the full shape of the value it belongs to, unfolding when it is inspected.
pub fn full(of: &Value, sensitivity: Value) -> Value {
    match (full::full(&of.top(), &sensitivity.top()), &sensitivity) {
        (Unopened::Given, _) => sensitivity,
        (Unopened::AsReal, Value::Int(i)) => Value::Real(*i as f64),
        (Unopened::Unit, _) => Value::unit(),
        _ => Value::suspend(Suspended::Full { of: of.clone(), sensitivity }),
    }
}

impl Value {
    /// What it is at its top. What unfolds when somebody looks counts as full.
    pub fn top(&self) -> Top<'_> {
        match self {
            Value::Zero => Top::Zero,
            Value::Real(_) => Top::Real,
            Value::Int(_) => Top::Int,
            Value::Bool(_) | Value::Text(_) => Top::Discrete,
            Value::Data(data) => match &data.form {
                Form::Tuple => Top::Tuple(data.fields.len()),
                Form::Record(labels) => Top::Record(labels),
                Form::Variant(constructor) => Top::Variant(constructor, data.fields.len()),
                Form::Part(constructor, at) => Top::Part(constructor.as_ref(), at),
            },
            Value::Array(_) => Top::Array,
            Value::Sparse(_) => Top::Collected,
            Value::Function(function) => match &**function {
                Function::Closure(closure) => Top::Closure(closure.code.labels()),
                Function::Prim { .. } => Top::Prim,
                Function::Sealed { .. } => Top::Sealed,
            },
            Value::Lazy(_) => Top::Full,
        }
    }

    /// A sensitivity without the promise to be full: what derived code computes with.
    pub fn raw(self) -> Value {
        match &self {
            Value::Lazy(lazy) => match &lazy.kind {
                Suspended::Full { sensitivity, .. } => sensitivity.clone(),
                Suspended::Lifted { .. } | Suspended::Numbers { .. } => self,
            },
            _ => self,
        }
    }
}

/// A full sensitivity as a program keeps it that asked for a derivative: reals are numbers, so that derived code which gets
/// them back doesn't take one for the symbolic zero. It still unfolds when it is inspected. Inside of lists and
/// of functions, where that would cost a walk, and of arrays of data, a sensitivity stays what it is.
pub fn answer(d: Value) -> Result<Value> {
    let of = match &d {
        Value::Lazy(lazy) => match &lazy.kind {
            Suspended::Full { of, .. } => force(of)?,
            Suspended::Lifted { .. } | Suspended::Numbers { .. } => return Ok(d),
        },
        _ => return Ok(d),
    };
    let waits = match &of {
        Value::Real(_) => return force(&d),
        // Of `[]` nobody knows more: its sensitivity is one of reals.
        Value::Array(array) => matches!(array.elements, Elements::Real(_)) || !array.elements.is_known(),
        Value::Data(data) => matches!(data.form, Form::Tuple | Form::Record(_)),
        _ => false,
    };
    Ok(if waits { Value::suspend(Suspended::Numbers { full: d }) } else { d })
}

/// One level of what [`answer`] gives: parts of tuples and records wait in turn, for there may be more than anybody could look at.
pub fn numbers(full: &Value) -> Result<Value> {
    match force(full)? {
        Value::Data(data) => {
            let fields = data.fields.iter().map(|field| answer(field.clone())).collect::<Result<_>>()?;
            Ok(Value::data(data.form.clone(), fields))
        }
        other => Ok(other),
    }
}

/// One level of [`full()`].
pub fn unfold(of: &Value, sensitivity: &Value) -> Result<Value> {
    let of = force(of)?;
    let d = force(sensitivity)?;
    match (full::unfolded(&of.top()), &of) {
        (Unfolded::Number, _) => match d {
            Value::Zero => Ok(Value::Real(0.0)),
            Value::Real(_) | Value::Int(_) => Ok(full(&of, d)),
            d => not_conforming(&of, &d),
        },
        (Unfolded::Unit, _) => Ok(Value::unit()),
        (Unfolded::Given, _) => Ok(d),
        (Unfolded::Fields, Value::Data(data)) => unfold_fields(data.form.clone(), &data.fields, &d),
        (Unfolded::Captures(labels), Value::Function(function)) => match &**function {
            Function::Closure(closure) => unfold_fields(Form::Record(labels), &closure.env.0, &d),
            Function::Prim { .. } | Function::Sealed { .. } => Ok(Value::record(labels, vec![])),
        },
        (Unfolded::UnderSeal, Value::Function(function)) => match &**function {
            Function::Sealed { raw, .. } => unfold(raw, &d),
            Function::Prim { .. } | Function::Closure(_) => unreachable!("sensitivity: a seal"),
        },
        (Unfolded::Array, Value::Array(array)) => unfold_array(array, &d),
        (Unfolded::Collected, Value::Sparse(sparse)) => unfold_array(&*sparse::dense(sparse)?, &d),
        (_, _) => not_conforming(&of, &d),
    }
}

/// Data of this form, a full sensitivity for each of the fields.
fn unfold_fields(form: Form, of: &[Value], d: &Value) -> Result<Value> {
    if let Form::Record(known) = &form
        && let Some(unknown) = full::unknown_label(known, &d.top())
    {
        return unknown_field(unknown, known);
    }
    let part = |(i, field)| Ok(full(field, part_of(d, &form, i)?));
    let fields = of.iter().enumerate().map(part).collect::<Result<_>>()?;
    Ok(Value::data(form, fields))
}

/// The sensitivity of field `i` of data of this form.
fn part_of(d: &Value, form: &Form, i: usize) -> Result<Value> {
    let Value::Data(given) = d else {
        return if matches!(d, Value::Zero) { Ok(Value::Zero) } else { not_conforming_form(form, d) };
    };
    match (form, &given.form) {
        (Form::Tuple, Form::Tuple) => match given.fields.get(i) {
            Some(field) => Ok(field.clone()),
            None => not_conforming_form(form, d),
        },
        (Form::Variant(a), Form::Variant(b)) if a == b => Ok(given.fields[i].clone()),
        (Form::Tuple, Form::Part(None, at)) => Ok(position(given, at, i)),
        (Form::Variant(a), Form::Part(Some(b), at)) if a == b => Ok(position(given, at, i)),
        (Form::Record(labels), Form::Record(present)) => {
            let at = present.iter().position(|label| *label == labels[i]);
            Ok(at.map_or(Value::Zero, |at| given.fields[at].clone()))
        }
        _ => not_conforming_form(form, d),
    }
}

fn position(given: &Data, present: &[u32], i: usize) -> Value {
    let at = present.iter().position(|&at| at as usize == i);
    at.map_or(Value::Zero, |at| given.fields[at].clone())
}

fn unfold_array(of: &Array, d: &Value) -> Result<Value> {
    let given = match d {
        Value::Zero => None,
        Value::Array(array) => Some(array.clone()),
        Value::Sparse(sparse) => Some(sparse::dense(sparse)?),
        other => return not_conforming(&Value::array(of.clone()), other),
    };
    if let Some(given) = &given
        && !given.same_shape(of)
    {
        return shapes_differ(of, given);
    }
    work::add(of.size());
    let shape = of.shape.clone();
    let elements = match (&of.elements, given.as_deref().map(|given| &given.elements)) {
        (Elements::Real(reals), None) => Elements::Real(vec![0.0; reals.len()]),
        (Elements::Real(_), Some(Elements::Real(ds))) => Elements::Real(ds.iter().map(|d| d + 0.0).collect()),
        (Elements::Int(_) | Elements::Bool(_), _) => {
            Elements::Values(Values::from(vec![Value::unit()]).like_these(vec![Value::unit(); of.size()]))
        }
        (Elements::Values(values), _) if of.is_empty() => match values.sample() {
            Some(sample) => Elements::Values(Values::none_like(forced(full(sample, Value::Zero))?)),
            None => Elements::Real(vec![]),
        },
        _ => {
            let d = |i| given.as_ref().map_or(Value::Zero, |given| given.sensitivity_at(i));
            let values = of.values();
            let values = values.iter().enumerate().map(|(i, value)| forced(full(value, d(i))));
            return Ok(Value::array(with_shape(shape, values.collect::<Result<_>>()?)));
        }
    };
    Ok(Value::array(Array::new(shape, elements)))
}

fn with_shape(shape: Vec<usize>, values: Vec<Value>) -> Array {
    let array = Array::from_values(values.clone());
    let elements = array.map_or(Elements::Values(values.into()), |array| array.elements);
    Array::new(shape, elements)
}

/// `a ⊕ b` of two sensitivities that a program gives
pub fn plus_given(a: Value, b: Value) -> Result<Value> {
    if !sensitivities::belong_together(&a.top(), &b.top()) {
        return not_conforming(&a, &b);
    }
    plus(a, b)
}

/// `a ⊕ b`, as [`sensitivities::plus`] says
pub fn plus(a: Value, b: Value) -> Result<Value> {
    match (sensitivities::plus(&a.top(), &b.top()), a, b) {
        (Plus::Left, a, _) => Ok(a),
        (Plus::Right, _, b) => Ok(b),
        (Plus::Numbers, Value::Real(a), Value::Real(b)) => Ok(Value::Real(a + b)),
        (Plus::Numbers, Value::Real(a), Value::Int(b)) | (Plus::Numbers, Value::Int(b), Value::Real(a)) => {
            Ok(Value::Real(a + b as f64))
        }
        (Plus::IntoLeft, Value::Lazy(a), b) | (Plus::IntoRight, b, Value::Lazy(a)) => plus_lazy(a, b),
        (Plus::Arrays, a, b) => plus_arrays(a, b),
        (Plus::Fields, Value::Data(a), Value::Data(b)) => deep(|| plus_fields(a, b)),
        (Plus::Aligned(sum), Value::Data(a), Value::Data(b)) => deep(|| plus_aligned(a, b, sum)),
        (_, a, b) => not_conforming(&a, &b),
    }
}

/// A full sensitivity stays full; what is added goes to its raw part.
fn plus_lazy(a: Rc<crate::value::Lazy>, b: Value) -> Result<Value> {
    let Suspended::Full { of, sensitivity } = &a.kind else {
        return plus(force(&Value::Lazy(a))?, b);
    };
    let b = match b {
        Value::Lazy(lazy) => match &lazy.kind {
            Suspended::Full { sensitivity, .. } => sensitivity.clone(),
            Suspended::Lifted { .. } | Suspended::Numbers { .. } => force(&Value::Lazy(lazy))?,
        },
        other => other,
    };
    Ok(full(of, plus(sensitivity.clone(), b)?))
}

/// The same fields on both sides; the left is updated in place when nobody else sees it.
fn plus_fields(mut a: Rc<Data>, mut b: Rc<Data>) -> Result<Value> {
    work::add(1);
    if Rc::get_mut(&mut a).is_none() && Rc::get_mut(&mut b).is_some() {
        std::mem::swap(&mut a, &mut b);
    }
    let theirs = fields_of(b);
    if let Some(data) = Rc::get_mut(&mut a) {
        for (field, other) in data.fields.iter_mut().zip(theirs) {
            let own = std::mem::replace(field, Value::Zero);
            *field = plus(own, other)?;
        }
        return Ok(Value::Data(a));
    }
    let fields = a.fields.iter().cloned().zip(theirs).map(|(a, b)| plus(a, b)).collect::<Result<_>>()?;
    Ok(Value::data(a.form.clone(), fields))
}

fn plus_aligned(a: Rc<Data>, b: Rc<Data>, sum: Sum) -> Result<Value> {
    work::add(1);
    let form = match (sum.of, &a.form) {
        (Of::Left, form) => form.clone(),
        (Of::Right, _) => b.form.clone(),
        (Of::Record(labels), _) => Form::Record(labels.into()),
        (Of::Part(at), Form::Part(constructor, _)) => Form::Part(constructor.clone(), at.into()),
        (Of::Part(_), _) => unreachable!("plus: a part of what both operands are parts of"),
    };
    let (mut left, mut right) = (fields_of(a), fields_of(b));
    let mut take = |side: Addend| match side {
        Addend::Left(i) => Ok(std::mem::replace(&mut left[i], Value::Zero)),
        Addend::Right(i) => Ok(std::mem::replace(&mut right[i], Value::Zero)),
        Addend::Both(i, j) => {
            let (a, b) = (&mut left[i], &mut right[j]);
            plus(std::mem::replace(a, Value::Zero), std::mem::replace(b, Value::Zero))
        }
    };
    let fields = sum.fields.into_iter().map(&mut take).collect::<Result<_>>()?;
    Ok(Value::data(form, fields))
}

/// The fields, taken out if nobody else sees them.
fn fields_of(mut data: Rc<Data>) -> Vec<Value> {
    match Rc::get_mut(&mut data) {
        Some(data) => std::mem::take(&mut data.fields),
        None => data.fields.clone(),
    }
}

/// Two dense arrays are added; a contribution to a part is added in place or linked.
fn plus_arrays(a: Value, b: Value) -> Result<Value> {
    let shape = array_shape(&a).to_vec();
    if shape != array_shape(&b) {
        let empty = |shape: &[usize]| shape.contains(&0);
        if empty(&shape) && empty(array_shape(&b)) {
            return Ok(a);
        }
        return not_conforming(&a, &b);
    }
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => add_dense(a, b),
        (Value::Array(mut array), Value::Sparse(part)) | (Value::Sparse(part), Value::Array(mut array)) => {
            match (Rc::get_mut(&mut array), part.as_place()) {
                (Some(unshared), Some((region, value))) => {
                    sparse::add_region(unshared.elements_mut(), &shape, &region, &value)?;
                    Ok(Value::Array(array))
                }
                _ => Ok(Sparse::sum(shape, Value::Array(array), Value::Sparse(part))),
            }
        }
        (a, b) => Ok(Sparse::sum(shape, a, b)),
    }
}

fn add_dense(mut a: Rc<Array>, mut b: Rc<Array>) -> Result<Value> {
    work::add(a.size());
    if Rc::get_mut(&mut a).is_none() && Rc::get_mut(&mut b).is_some() {
        std::mem::swap(&mut a, &mut b);
    }
    match (&a.elements, &b.elements) {
        (Elements::Real(_), Elements::Real(theirs)) => {
            let holes = a.holes && b.holes;
            let array = Rc::make_mut(&mut a);
            array.holes = holes;
            let Elements::Real(own) = array.elements_mut() else { unreachable!("reals") };
            own.iter_mut().zip(theirs).for_each(|(x, y)| *x += y);
            Ok(Value::Array(a))
        }
        _ => {
            let sums = (0..a.size()).map(|at| plus(a.sensitivity_at(at), b.sensitivity_at(at)));
            Ok(Value::array(with_shape(a.shape.clone(), sums.collect::<Result<_>>()?)))
        }
    }
}

fn array_shape(value: &Value) -> &[usize] {
    match value {
        Value::Array(array) => &array.shape,
        Value::Sparse(sparse) => &sparse.shape,
        _ => &[],
    }
}

fn not_conforming<T>(a: &Value, b: &Value) -> Result<T> {
    let is_function = |value: &Value| matches!(force(value), Ok(Value::Function(_)));
    let (message, help) = match is_function(a) || is_function(b) {
        true => ("these can't be added: sensitivities can, functions can't", NO_SENSITIVITY),
        false => (
            "these sensitivities can't be added: they have different shapes",
            "sensitivities of one value have its shape; check the rules and `plus` calls that made them",
        ),
    };
    Fault::new(codes::NOT_CONFORMING, message)
        .note(format!("one contribution is {}", show::described(a)))
        .note(format!("the other is {}", show::described(b)))
        .help(help)
        .err()
}

fn not_conforming_form<T>(form: &Form, d: &Value) -> Result<T> {
    let expected = match form {
        Form::Tuple => "a tuple".to_string(),
        Form::Record(_) => "a record".to_string(),
        Form::Variant(constructor) => format!("a value made by `{}`", constructor.name),
        Form::Part(..) => "a part".to_string(),
    };
    Fault::new(codes::NOT_CONFORMING, "a sensitivity doesn't have the shape of its value")
        .note(format!("expected a sensitivity of {expected}"))
        .note(format!("found {}", show::described(d)))
        .err()
}

fn unknown_field<T>(label: Name, known: &[Name]) -> Result<T> {
    let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    Fault::new(codes::NOT_CONFORMING, format!("a sensitivity has a field `{label}` that its value doesn't have"))
        .note(format!("the fields are {}", names.join(", ")))
        .err()
}

fn shapes_differ<T>(of: &Array, given: &Array) -> Result<T> {
    Fault::new(codes::NOT_CONFORMING, "a sensitivity doesn't have the shape of its array")
        .note(format!("the array has shape {}", Array::describe_shape(&of.shape)))
        .note(format!("the sensitivity has shape {}", Array::describe_shape(&given.shape)))
        .err()
}
