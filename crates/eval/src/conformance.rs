//! Does a sensitivity fit the value it should belong to? Asked where a program hands one to derived code: at a call
//! of a backpropagator, and where a rule returns (C3).
//!
//! In: a value and a sensitivity. Out: nothing, or where they differ and how. A sensitivity that is already full for
//! some value is not unfolded: the two values are compared instead.

use std::rc::Rc;

use base::Name;
use calculus::Constructor;

use crate::array::{Array, Elements};
use crate::fault::Result;
use crate::lazy::force;
use crate::show;
use crate::value::{Data, Form, Function, Suspended, Value};

/// How many nodes of a sensitivity are compared with its value at once; deeper parts are compared when they are
/// unfolded, so that a rule on every tail of a list stays linear.
const CHECKED_AT_ONCE: usize = 256;

/// Why a sensitivity doesn't fit a value: where, what was expected, what was found.
pub struct Mismatch {
    pub path: String,
    pub expected: String,
    pub found: String,
}

/// Compares a sensitivity with the value it should belong to.
pub fn conforms(of: &Value, d: &Value) -> Result<std::result::Result<(), Mismatch>> {
    let mut budget = CHECKED_AT_ONCE;
    conforms_within(of, d, "", &mut budget)
}

fn conforms_within(of: &Value, d: &Value, path: &str, budget: &mut usize) -> Result<std::result::Result<(), Mismatch>> {
    if *budget == 0 || matches!(d, Value::Zero) {
        return Ok(Ok(()));
    }
    *budget -= 1;
    if let Value::Lazy(lazy) = d
        && let Suspended::Full { of: other, .. } = &lazy.kind
    {
        // Already full for another value: compare the values' shapes instead, without unfolding.
        return same_form(of, other, path, budget);
    }
    let of = force(of)?;
    let mismatch = |expected: String, found: &Value| {
        Ok(Err(Mismatch { path: path.to_string(), expected, found: show::described(found) }))
    };
    match (&of, d) {
        (Value::Real(_), Value::Real(_) | Value::Int(_)) => Ok(Ok(())),
        (Value::Real(_), _) => mismatch("a real".into(), d),
        (Value::Int(_) | Value::Bool(_) | Value::Text(_), _) => {
            // What carries no derivative: unit, or a number given by mistake, counts for nothing.
            match d {
                unit if unit.is_unit() => Ok(Ok(())),
                Value::Int(_) | Value::Real(_) => Ok(Ok(())),
                _ => mismatch("(): it carries no derivative".into(), d),
            }
        }
        (Value::Data(data), _) if matches!(data.form, Form::Part(..)) => Ok(Ok(())),
        (Value::Data(data), Value::Data(given)) => conforms_data(data, given, &of, d, path, budget),
        (Value::Function(function), Value::Data(given)) => conforms_function(function, given, d, path, budget),
        (Value::Array(array), Value::Array(given)) if !array.same_shape(given) => {
            mismatch(format!("an array of shape {}", Array::describe_shape(&array.shape)), d)
        }
        (Value::Array(array), Value::Array(given)) => conforms_array(array, given, d, path, budget),
        (Value::Array(array), Value::Sparse(sparse)) if array.shape == sparse.shape => Ok(Ok(())),
        (Value::Data(data), _) if data.fields.is_empty() && d.is_unit() => Ok(Ok(())),
        (Value::Zero | Value::Sparse(_), _) => Ok(Ok(())),
        _ => mismatch(format!("a sensitivity of {}", show::described(&of)), d),
    }
}

/// Do sensitivities of `other` fit `of`?
fn same_form(of: &Value, other: &Value, path: &str, budget: &mut usize) -> Result<std::result::Result<(), Mismatch>> {
    if *budget == 0 {
        return Ok(Ok(()));
    }
    *budget -= 1;
    let (of, other) = (force(of)?, force(other)?);
    let parts: Vec<(String, Value, Value)> = match (&of, &other) {
        (Value::Zero | Value::Sparse(_), _) | (_, Value::Zero | Value::Sparse(_)) => return Ok(Ok(())),
        (Value::Array(a), Value::Array(b)) if a.same_shape(b) => return Ok(Ok(())),
        (Value::Data(a), Value::Data(b)) => match (&a.form, &b.form) {
            (Form::Part(..), _) | (_, Form::Part(..)) => return Ok(Ok(())),
            (Form::Tuple, Form::Tuple) if a.fields.len() == b.fields.len() => named_parts(a, &b.fields),
            (Form::Variant(c), Form::Variant(d)) if c == d => named_parts(a, &b.fields),
            (Form::Record(known), Form::Record(labels)) if labels.iter().all(|label| known.contains(label)) => vec![],
            _ => return Ok(Err(differ(&of, &other, path))),
        },
        (Value::Function(_), _) | (_, Value::Function(_)) => {
            return Ok(match (captures_of(&of), captures_of(&other)) {
                (Some(known), Some(labels)) if !includes(&known, &labels) => Err(other_captures(&known, &labels, path)),
                (None, _) if !matches!(of, Value::Function(_)) => Err(differ(&of, &other, path)),
                _ => Ok(()),
            });
        }
        (Value::Real(_), Value::Real(_)) => return Ok(Ok(())),
        (Value::Int(_) | Value::Bool(_) | Value::Text(_), _) if !matches!(other, Value::Data(_) | Value::Array(_)) => {
            return Ok(Ok(()));
        }
        _ => return Ok(Err(differ(&of, &other, path))),
    };
    for (name, of, other) in parts {
        if let Err(mismatch) = same_form(&of, &other, &format!("{path}.{name}"), budget)? {
            return Ok(Err(mismatch));
        }
    }
    Ok(Ok(()))
}

fn named_parts(data: &Data, others: &[Value]) -> Vec<(String, Value, Value)> {
    let fields = data.fields.iter().zip(others).enumerate();
    fields.map(|(i, (field, other))| (field_name(&data.form, i), field.clone(), other.clone())).collect()
}

/// The labels of a function's sensitivity, or of such a sensitivity.
fn captures_of(value: &Value) -> Option<Rc<[Name]>> {
    match value {
        Value::Function(function) => match &**function {
            Function::Closure(closure) => Some(closure.code.labels()),
            Function::Prim { .. } => Some(Rc::from([])),
            Function::Sealed { .. } => None,
        },
        Value::Data(data) => match &data.form {
            Form::Record(labels) => Some(labels.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn other_captures(known: &[Name], labels: &[Name], path: &str) -> Mismatch {
    let list = |names: &[Name]| match names {
        [] => "nothing".to_string(),
        names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    };
    let (expected, found) =
        (format!("sensitivities for {}", list(known)), format!("sensitivities for {}", list(labels)));
    Mismatch { path: path.into(), expected, found }
}

fn includes(known: &[Name], labels: &[Name]) -> bool {
    labels.iter().all(|label| known.contains(label))
}

fn differ(of: &Value, other: &Value, path: &str) -> Mismatch {
    let (expected, found) = (format!("a sensitivity of {}", show::described(of)), show::described(other));
    Mismatch { path: path.into(), expected, found: format!("a sensitivity of {found}") }
}

fn conforms_data(
    data: &Data,
    given: &Data,
    of: &Value,
    d: &Value,
    path: &str,
    budget: &mut usize,
) -> Result<std::result::Result<(), Mismatch>> {
    let mismatch = || {
        let expected = format!("a sensitivity of {}", show::described(of));
        Ok(Err(Mismatch { path: path.to_string(), expected, found: show::described(d) }))
    };
    match (&data.form, &given.form) {
        (Form::Tuple, Form::Tuple) if data.fields.len() == given.fields.len() => {}
        (Form::Variant(a), Form::Variant(b)) if a == b => {}
        (Form::Record(known), Form::Record(labels)) => {
            return conforms_labels(known, &data.fields, labels, &given.fields, path, budget);
        }
        (Form::Tuple, Form::Part(None, _)) => return Ok(Ok(())),
        (Form::Variant(a), Form::Part(Some(b), _)) if a == b => return Ok(Ok(())),
        (Form::Tuple, Form::Record(labels)) if data.fields.is_empty() && labels.is_empty() => return Ok(Ok(())),
        _ => return mismatch(),
    }
    for (i, (field, d)) in data.fields.iter().zip(&given.fields).enumerate() {
        let path = format!("{path}.{}", field_name(&data.form, i));
        if let Err(mismatch) = conforms_within(field, d, &path, budget)? {
            return Ok(Err(mismatch));
        }
    }
    Ok(Ok(()))
}

fn field_name(form: &Form, i: usize) -> String {
    match form {
        Form::Variant(constructor) => named_field(constructor, i),
        Form::Record(labels) => labels[i].to_string(),
        Form::Tuple | Form::Part(..) => i.to_string(),
    }
}

fn named_field(constructor: &Constructor, i: usize) -> String {
    constructor.fields.get(i).map_or_else(|| i.to_string(), Name::to_string)
}

fn conforms_labels(
    known: &[Name],
    fields: &[Value],
    labels: &[Name],
    given: &[Value],
    path: &str,
    budget: &mut usize,
) -> Result<std::result::Result<(), Mismatch>> {
    for (label, d) in labels.iter().zip(given) {
        let Some(at) = known.iter().position(|known| known == label) else {
            let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
            let expected = if names.is_empty() { "no field".into() } else { format!("only {}", names.join(", ")) };
            return Ok(Err(Mismatch { path: path.into(), expected, found: format!("a field `{label}`") }));
        };
        if let Err(mismatch) = conforms_within(&fields[at], d, &format!("{path}.{label}"), budget)? {
            return Ok(Err(mismatch));
        }
    }
    Ok(Ok(()))
}

fn conforms_function(
    function: &Function,
    given: &Data,
    d: &Value,
    path: &str,
    budget: &mut usize,
) -> Result<std::result::Result<(), Mismatch>> {
    match (function, &given.form) {
        (Function::Closure(closure), Form::Record(labels)) => {
            conforms_labels(&closure.code.labels(), &closure.env.0, labels, &given.fields, path, budget)
        }
        (Function::Prim { .. }, Form::Record(labels)) if labels.is_empty() => Ok(Ok(())),
        (Function::Sealed { .. }, _) => Ok(Ok(())),
        (_, Form::Tuple) if given.fields.is_empty() => Ok(Ok(())),
        _ => {
            let expected = "the record of a function's captures".into();
            Ok(Err(Mismatch { path: path.into(), expected, found: show::described(d) }))
        }
    }
}

fn conforms_array(
    array: &Array,
    given: &Array,
    d: &Value,
    path: &str,
    budget: &mut usize,
) -> Result<std::result::Result<(), Mismatch>> {
    match (&array.elements, &given.elements) {
        (Elements::Values(values), Elements::Values(ds)) => {
            for (i, (value, d)) in values.iter().zip(ds).enumerate() {
                if let Err(mismatch) = conforms_within(value, d, &format!("{path}[{i}]"), budget)? {
                    return Ok(Err(mismatch));
                }
            }
            Ok(Ok(()))
        }
        (Elements::Real(_), Elements::Real(_) | Elements::Int(_)) => Ok(Ok(())),
        (Elements::Int(_) | Elements::Bool(_), _) => Ok(Ok(())),
        (Elements::Real(_), Elements::Values(ds)) if ds.iter().all(is_number_or_zero) => Ok(Ok(())),
        _ if array.is_empty() => Ok(Ok(())),
        _ => {
            let found = show::described(d);
            Ok(Err(Mismatch { path: path.into(), expected: "an array of sensitivities".into(), found }))
        }
    }
}

fn is_number_or_zero(value: &Value) -> bool {
    matches!(value, Value::Real(_) | Value::Int(_) | Value::Zero)
}
