//! Taking data apart and putting it together: what the machine does without a call.

use std::rc::Rc;

use base::{Name, codes, suggest};
use calculus::{Constructor, Field, Form as Demand};

use crate::array::Array;
use crate::fault::{Fault, Result, expected};
use crate::lazy::{force, forced};
use crate::region::Region;
use crate::sparse::{self, Sparse};
use crate::value::{Data, Form, Function, Value};
use crate::{probe, show};

/// One part of a value. A part of the symbolic zero is zero.
pub fn get(value: &Value, field: &Field) -> Result<Value> {
    let value = force(value)?;
    match (&value, field) {
        (Value::Zero, _) => Ok(Value::Zero),
        (Value::Data(data), Field::Position(i)) => position(&value, data, *i),
        (Value::Data(data), Field::Name(name)) => named(&value, data, *name),
        (Value::Data(data), Field::Label(label)) => label_of(&value, data, *label),
        (Value::Data(data), Field::Payload(constructor, i)) => payload(&value, data, constructor, *i),
        (Value::Array(_) | Value::Sparse(_), Field::Element(i, _)) => element(&value, *i as usize),
        (_, Field::Position(i)) => {
            let found = show::described(&value);
            Fault::new(codes::MISSING_FIELD, format!("`.{i}` of {found}, which is no tuple")).err()
        }
        (_, Field::Name(name) | Field::Label(name)) => no_record(&value, *name),
        (_, Field::Payload(constructor, _)) => {
            expected(codes::PATTERN_MISMATCH, &format!("a value made by `{}`", constructor.name), &value)
        }
        (Value::Function(function), Field::Capture(label)) => captured(function, *label),
        (Value::Function(function), Field::Member(member)) => Ok(sibling(function, *member)),
        (_, Field::Capture(_) | Field::Member(_)) => expected(codes::NOT_A_FUNCTION, "a function", &value),
        (_, Field::Element(..)) => expected(codes::NOT_CONFORMING, "a sensitivity of an array", &value),
    }
}

fn position(value: &Value, data: &Data, i: u32) -> Result<Value> {
    match &data.form {
        Form::Tuple => match data.fields.get(i as usize) {
            Some(field) => Ok(field.clone()),
            None => Fault::new(codes::MISSING_FIELD, format!("`.{i}` of a tuple of length {}", data.fields.len()))
                .note(format!("the tuple is {}", show::short(value)))
                .note("positions are counted from 0")
                .err(),
        },
        Form::Part(None, positions) => Ok(part(data, positions, i)),
        _ => {
            let found = show::described(value);
            Fault::new(codes::MISSING_FIELD, format!("`.{i}` of {found}, which is no tuple")).err()
        }
    }
}

fn part(data: &Data, positions: &[u32], i: u32) -> Value {
    positions.iter().position(|at| *at == i).map_or(Value::Zero, |at| data.fields[at].clone())
}

fn named(value: &Value, data: &Data, name: Name) -> Result<Value> {
    let Form::Record(labels) = &data.form else { return no_record(value, name) };
    if let Some(at) = labels.iter().position(|label| *label == name) {
        return Ok(data.fields[at].clone());
    }
    missing_field(labels, name)
}

fn missing_field<T>(labels: &[Name], name: Name) -> Result<T> {
    let known: Vec<String> = labels.iter().map(|label| format!("`{label}`")).collect();
    let fault = Fault::new(codes::MISSING_FIELD, format!("the record has no field `{name}`"));
    let fault = if known.is_empty() {
        fault.note("the record is empty")
    } else {
        fault.note(format!("its fields are {}", known.join(", ")))
    };
    match suggest::nearest(name.as_str(), labels.iter().map(|label| label.as_str())) {
        Some(near) => fault.help(format!("did you mean `{near}`?")).err(),
        None => fault.err(),
    }
}

fn no_record<T>(value: &Value, name: Name) -> Result<T> {
    Fault::new(codes::MISSING_FIELD, format!("`.{name}` of {}, which is no record", show::described(value))).err()
}

fn label_of(value: &Value, data: &Data, label: Name) -> Result<Value> {
    match &data.form {
        Form::Record(labels) => {
            let at = labels.iter().position(|known| *known == label);
            Ok(at.map_or(Value::Zero, |at| data.fields[at].clone()))
        }
        // Unit stands for the record of a function without captures.
        Form::Tuple if data.fields.is_empty() => Ok(Value::Zero),
        _ => no_record(value, label),
    }
}

fn payload(value: &Value, data: &Data, constructor: &Rc<Constructor>, i: u32) -> Result<Value> {
    match &data.form {
        Form::Variant(made) if made == constructor => Ok(data.fields[i as usize].clone()),
        Form::Part(Some(made), positions) if made == constructor => Ok(part(data, positions, i)),
        _ => expected(codes::NOT_CONFORMING, &format!("a sensitivity of `{}`", constructor.name), value),
    }
}

/// What a function captures under a label.
fn captured(function: &Function, label: Name) -> Result<Value> {
    let Function::Closure(closure) = function else { unreachable!("only closures capture") };
    let at = closure.code.labels().iter().position(|known| *known == label);
    Ok(at.map_or(Value::Zero, |at| closure.env.0[at].clone()))
}

/// Another function of the same group.
fn sibling(function: &Rc<Function>, member: u32) -> Value {
    match &**function {
        Function::Closure(closure) if closure.member != member => {
            Value::closure(closure.code.clone(), member, closure.env.clone())
        }
        _ => Value::Function(function.clone()),
    }
}

/// The sensitivity of element `i` of the first axis.
pub fn element(value: &Value, i: usize) -> Result<Value> {
    let array = match value {
        Value::Zero => return Ok(Value::Zero),
        Value::Array(array) => array.clone(),
        Value::Sparse(sparse) => sparse::dense(sparse)?,
        other => return expected(codes::NOT_CONFORMING, "a sensitivity of an array", other),
    };
    if i >= array.len() {
        return Ok(Value::Zero);
    }
    Ok(array.sensitivity_row(i))
}

/// The sensitivity that is `d` in one part and zero elsewhere.
pub fn inject(field: &Field, d: Value) -> Result<Value> {
    if matches!(d, Value::Zero) {
        return Ok(Value::Zero);
    }
    Ok(match field {
        Field::Position(i) => Value::data(Form::Part(None, Rc::from([*i])), vec![d]),
        Field::Payload(constructor, i) => Value::data(Form::Part(Some(constructor.clone()), Rc::from([*i])), vec![d]),
        Field::Name(name) | Field::Label(name) | Field::Capture(name) => Value::record(Rc::from([*name]), vec![d]),
        Field::Member(_) => d,
        Field::Element(i, length) => {
            let d = forced(d)?;
            let mut shape = vec![*length as usize];
            match &d {
                Value::Array(array) => shape.extend(&array.shape),
                Value::Sparse(sparse) => shape.extend(&sparse.shape),
                _ => {}
            }
            Sparse::place(shape, Region::row(*i as usize), d)
        }
    })
}

/// `{r with label: v}`
pub fn with(record: Value, label: Name, value: Value) -> Result<Value> {
    let mut record = forced(record)?;
    let Value::Data(data) = &mut record else { return no_record(&record, label) };
    let Form::Record(labels) = &data.form else { return no_record(&record, label) };
    let Some(at) = labels.iter().position(|known| *known == label) else { return missing_field(labels, label) };
    let mut fields = match Rc::get_mut(data) {
        Some(data) => std::mem::take(&mut data.fields),
        None => data.fields.clone(),
    };
    fields[at] = value;
    Ok(Value::data(data.form.clone(), fields))
}

/// A sensitivity without one of its fields.
pub fn omit(d: &Value, label: Name) -> Result<Value> {
    let d = force(d)?;
    let Value::Data(data) = &d else { return Ok(d) };
    let Form::Record(labels) = &data.form else { return Ok(d) };
    let kept = labels.iter().zip(&data.fields).filter(|(known, _)| **known != label);
    let (labels, fields): (Vec<Name>, Vec<Value>) = kept.map(|(label, field)| (*label, field.clone())).unzip();
    Ok(Value::record(labels.into(), fields))
}

/// Does the value have this form?
pub fn is(value: &Value, form: &Demand) -> Result<bool> {
    let length = |n: u32| n as usize;
    Ok(match (force(value)?, form) {
        (Value::Data(data), Demand::Arguments(n) | Demand::Tuple(n)) => {
            matches!(data.form, Form::Tuple) && data.fields.len() == length(*n)
        }
        (Value::Data(data), Demand::Constructor(constructor)) => {
            matches!(&data.form, Form::Variant(made) if made == constructor)
        }
        (Value::Data(data), Demand::Record(labels)) => {
            matches!(&data.form, Form::Record(present) if labels.iter().all(|label| present.contains(label)))
        }
        (Value::Array(array), Demand::Array(n)) => array.len() == length(*n),
        _ => false,
    })
}

/// The value itself, if it has the form that a pattern demands.
pub fn check(value: Value, form: &Demand, function: impl Fn() -> String) -> Result<Value> {
    let value = forced(value)?;
    if is(&value, form)? {
        return Ok(value);
    }
    // While we probe, an array without elements has any length: nobody saw its own.
    if let (Value::Array(array), Demand::Array(n)) = (&value, form)
        && probe::is_active()
        && array.is_empty()
        && let Some(array) = array.stretched([*n as usize].into_iter().chain(array.shape[1..].to_vec()).collect())
    {
        return Ok(Value::array(array));
    }
    let wanted = match form {
        Demand::Arguments(n) => return wrong_arity(&function(), *n, &value),
        Demand::Tuple(n) => format!("a tuple of length {n}"),
        Demand::Array(n) => format!("an array of length {n}"),
        Demand::Record(labels) => {
            let labels: Vec<String> = labels.iter().map(|label| format!("`{label}`")).collect();
            format!("a record with {}", labels.join(", "))
        }
        Demand::Constructor(constructor) => format!("a value made by `{}`", constructor.name),
    };
    expected(codes::PATTERN_MISMATCH, &wanted, &value)
}

fn wrong_arity<T>(function: &str, n: u32, value: &Value) -> Result<T> {
    let found = match value {
        Value::Data(data) if matches!(data.form, Form::Tuple) => Some(data.fields.len()),
        _ => None,
    };
    let count = |n: usize| match n {
        0 => "no arguments".to_string(),
        1 => "1 argument".to_string(),
        n => format!("{n} arguments"),
    };
    let given = count(found.unwrap_or(1));
    let fault = Fault::new(codes::WRONG_ARITY, format!("{function} expects {}, found {given}", count(n as usize)));
    match found {
        Some(_) => fault.note(format!("the arguments are {}", show::short(value))),
        None => fault.note(format!("the argument is {}", show::described(value))),
    }
    .err()
}

/// An array of these elements.
pub fn array(values: Vec<Value>) -> Result<Value> {
    let element = |value| match forced(value)? {
        Value::Sparse(sparse) => Ok(Value::Array(sparse::into_dense(sparse)?)),
        other => Ok(other),
    };
    let values: Vec<Value> = values.into_iter().map(element).collect::<Result<_>>()?;
    crate::work::add(values.len());
    let values = if probe::is_active() { probe::fitted(values) } else { values };
    match Array::from_values(values) {
        Ok(array) => Ok(Value::array(array)),
        Err(ragged) => Fault::new(codes::RAGGED_ARRAY, "the elements of an array have different shapes")
            .note(format!("the first array among them has shape {}", ragged.expected))
            .note(format!("element {} has {}", ragged.index, shape_words(&ragged.found)))
            .help("arrays are rectangular; for rows of different lengths use a list, or tuples that hold arrays")
            .err(),
    }
}

fn shape_words(found: &str) -> String {
    if found.starts_with('[') { format!("shape {found}") } else { "no shape: it is no array".into() }
}
