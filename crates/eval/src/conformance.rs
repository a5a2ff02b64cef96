//! Does a sensitivity fit the value it should belong to? Asked where a program hands one to derived code: at a call
//! of a backpropagator, and where a rule returns (C3).
//!
//! In: a value and a sensitivity. Out: nothing, or where they differ and how. A sensitivity that is already full for
//! some value is not unfolded: the two values are compared instead.

use std::rc::Rc;

use base::Name;

use crate::array::{Array, Elements};
use crate::fault::{Fault, NO_SENSITIVITY, Result};
use crate::lazy::force;
use crate::show;
use crate::value::{Data, Form, Function, Suspended, Value};

/// How many nodes of a sensitivity are compared with its value at once; deeper parts are compared when they are
/// unfolded, so that a rule on every tail of a list stays linear.
const COMPARED_AT_ONCE: usize = 256;

/// Why a sensitivity doesn't fit a value.
pub struct Mismatch {
    /// Where, for instance `.0.x`.
    pub path: String,
    pub expected: String,
    pub found: String,
    /// What to try, where that is more than to give another shape.
    pub help: Option<String>,
}

impl Mismatch {
    /// What to try: where nothing else is known, what is true of all of them.
    pub fn help(&self, otherwise: &str) -> String {
        self.help.clone().unwrap_or_else(|| otherwise.to_string())
    }
}

/// Who gives a sensitivity: it decides whether a number may stand where its value has no derivative, for which `()` is
/// right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Giver {
    /// A rule: it is written for reals and may be used at ints. The number counts for nothing.
    Rule,
    /// A program, for the result of a function: one that happens to be an int is constant, and the derivative is zero.
    Seed,
    /// A program, for an argument: an int doesn't change, and a number other than 0 is a mistake.
    Tangent,
}

impl Giver {
    fn may_give(self, number: f64, of: &Value) -> bool {
        match self {
            Giver::Rule => true,
            Giver::Seed => number == 0.0 || matches!(of, Value::Int(_)),
            Giver::Tangent => number == 0.0,
        }
    }
}

/// Compares a sensitivity with the value it should belong to.
pub fn conforms(of: &Value, d: &Value, giver: Giver) -> Result<std::result::Result<(), Mismatch>> {
    match (Comparison { left: COMPARED_AT_ONCE, giver }).sensitivity(of, d) {
        Ok(()) => Ok(Ok(())),
        Err(Stop::Mismatch(mismatch)) => Ok(Err(mismatch)),
        Err(Stop::Fault(fault)) => Err(fault),
    }
}

/// What ends a comparison early.
enum Stop {
    Mismatch(Mismatch),
    /// A part couldn't be computed.
    Fault(Box<Fault>),
}

type Verdict = std::result::Result<(), Stop>;

impl From<Box<Fault>> for Stop {
    fn from(fault: Box<Fault>) -> Stop {
        Stop::Fault(fault)
    }
}

impl Stop {
    /// The path is put together on the way out.
    fn within(self, part: impl FnOnce() -> String) -> Stop {
        match self {
            Stop::Mismatch(mismatch) => Stop::Mismatch(Mismatch { path: part() + &mismatch.path, ..mismatch }),
            fault => fault,
        }
    }
}

fn mismatch(expected: impl Into<String>, found: impl Into<String>) -> Verdict {
    let (expected, found) = (expected.into(), found.into());
    Err(Stop::Mismatch(Mismatch { path: String::new(), expected, found, help: None }))
}

fn not_a_sensitivity(of: &Value, function: &Value) -> Verdict {
    let expected = if matches!(of, Value::Real(_)) { "a real".to_string() } else { sensitivity_of(of) };
    let (found, help) = (show::described(function), Some(NO_SENSITIVITY.to_string()));
    Err(Stop::Mismatch(Mismatch { path: String::new(), expected, found, help }))
}

/// A number or something else for a value without a derivative.
fn no_derivative(of: &Value, found: String) -> Verdict {
    let help = match of {
        Value::Int(i) => Some(format!("ints carry no derivative: write {i}.0")),
        Value::Array(array) if matches!(array.elements, Elements::Int(_)) => {
            Some("ints carry no derivative: write reals, as in `[1.0, 2.0]`".into())
        }
        _ => None,
    };
    let expected = format!("(): {} carries no derivative", show::described(of));
    Err(Stop::Mismatch(Mismatch { path: String::new(), expected, found, help }))
}

fn sensitivity_of(value: &Value) -> String {
    format!("a sensitivity of {}", show::described(value))
}

/// A comparison that may look at so many more nodes.
struct Comparison {
    left: usize,
    giver: Giver,
}

impl Comparison {
    fn is_exhausted(&mut self) -> bool {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                false
            }
            None => true,
        }
    }

    fn sensitivity(&mut self, of: &Value, d: &Value) -> Verdict {
        if self.is_exhausted() || matches!(d, Value::Zero) {
            return Ok(());
        }
        if let Value::Lazy(lazy) = d {
            match &lazy.kind {
                Suspended::Full { of: other, .. } => return self.values(of, other),
                Suspended::Numbers { full } => return self.sensitivity(of, full),
                Suspended::Lifted { .. } => {}
            }
        }
        let of = force(of)?;
        match (&of, d) {
            // What is itself a raw sensitivity has no shape of its own.
            (Value::Zero | Value::Sparse(_), _) => Ok(()),
            (Value::Data(data), _) if matches!(data.form, Form::Part(..)) => Ok(()),
            (_, Value::Function(_)) => not_a_sensitivity(&of, d),
            (Value::Real(_), Value::Real(_) | Value::Int(_)) => Ok(()),
            (Value::Real(_), _) => mismatch("a real", show::described(d)),
            (Value::Int(_) | Value::Bool(_) | Value::Text(_), _) => self.discrete(&of, d),
            (Value::Data(data), Value::Data(given)) => self.data(data, given, &of, d),
            (Value::Function(function), Value::Data(given)) => self.function(function, given, d),
            (Value::Array(array), Value::Array(given)) => self.array(array, given, d),
            (Value::Array(array), Value::Sparse(sparse)) if array.shape == sparse.shape => Ok(()),
            _ => mismatch(sensitivity_of(&of), show::described(d)),
        }
    }

    /// The sensitivity of what carries no derivative.
    fn discrete(&self, of: &Value, d: &Value) -> Verdict {
        let fits = match d {
            Value::Int(_) | Value::Real(_) => d.number().is_some_and(|number| self.giver.may_give(number, of)),
            unit => unit.is_unit(),
        };
        if fits { Ok(()) } else { no_derivative(of, show::described(d)) }
    }

    fn data(&mut self, data: &Data, given: &Data, of: &Value, d: &Value) -> Verdict {
        match (&data.form, &given.form) {
            (Form::Tuple, Form::Tuple) if data.fields.len() == given.fields.len() => {}
            (Form::Variant(a), Form::Variant(b)) if a == b => {}
            (Form::Record(known), Form::Record(labels)) => {
                return self.labels(known, &data.fields, labels, &given.fields);
            }
            (Form::Tuple, Form::Part(None, _)) => return Ok(()),
            (Form::Variant(a), Form::Part(Some(b), _)) if a == b => return Ok(()),
            (Form::Tuple, Form::Record(labels)) if data.fields.is_empty() && labels.is_empty() => return Ok(()),
            _ => return mismatch(sensitivity_of(of), show::described(d)),
        }
        for (i, (field, d)) in data.fields.iter().zip(&given.fields).enumerate() {
            self.sensitivity(field, d).map_err(|stop| stop.within(|| field_path(&data.form, i)))?;
        }
        Ok(())
    }

    /// A missing field is zero; an unknown one is a mistake.
    fn labels(&mut self, known: &[Name], fields: &[Value], labels: &[Name], given: &[Value]) -> Verdict {
        for (label, d) in labels.iter().zip(given) {
            let Some(at) = known.iter().position(|known| known == label) else {
                let expected = if known.is_empty() { "no field".into() } else { format!("only {}", list(known)) };
                return mismatch(expected, format!("a field `{label}`"));
            };
            self.sensitivity(&fields[at], d).map_err(|stop| stop.within(|| format!(".{label}")))?;
        }
        Ok(())
    }

    fn function(&mut self, function: &Function, given: &Data, d: &Value) -> Verdict {
        match (function, &given.form) {
            (Function::Closure(closure), Form::Record(labels)) => {
                self.labels(&closure.code.labels(), &closure.env.0, labels, &given.fields)
            }
            (Function::Prim { .. }, Form::Record(labels)) if labels.is_empty() => Ok(()),
            (Function::Sealed { .. }, _) => Ok(()),
            (_, Form::Tuple) if given.fields.is_empty() => Ok(()),
            _ => mismatch("the record of a function's captures", show::described(d)),
        }
    }

    fn array(&mut self, array: &Array, given: &Array, d: &Value) -> Verdict {
        if !array.same_shape(given) {
            return mismatch(format!("an array of shape {}", Array::describe_shape(&array.shape)), show::described(d));
        }
        match (&array.elements, &given.elements) {
            (Elements::Values(values), Elements::Values(ds)) => {
                for (i, (value, d)) in values.iter().zip(ds.iter()).enumerate() {
                    self.sensitivity(value, d).map_err(|stop| stop.within(|| format!("[{i}]")))?;
                }
                Ok(())
            }
            (Elements::Real(_), Elements::Real(_) | Elements::Int(_)) => Ok(()),
            (Elements::Int(_) | Elements::Bool(_), _) => {
                let fits =
                    |of: &Value, d: &Value| matches!(d, Value::Zero | Value::Lazy(_)) || self.discrete(of, d).is_ok();
                let all = (0..array.size()).all(|at| fits(&array.at(at), &given.at(at)));
                if all { Ok(()) } else { no_derivative(&Value::array(array.clone()), show::described(d)) }
            }
            (Elements::Real(_), Elements::Values(ds)) if ds.iter().all(|d| d.number().is_some()) => Ok(()),
            _ if array.is_empty() => Ok(()),
            _ => mismatch("an array of sensitivities", show::described(d)),
        }
    }

    /// Do sensitivities of `other` fit `of`?
    fn values(&mut self, of: &Value, other: &Value) -> Verdict {
        if self.is_exhausted() {
            return Ok(());
        }
        let (of, other) = (force(of)?, force(other)?);
        let differ = || mismatch(sensitivity_of(&of), sensitivity_of(&other));
        match (&of, &other) {
            (Value::Zero | Value::Sparse(_), _) | (_, Value::Zero | Value::Sparse(_)) => Ok(()),
            (Value::Real(_), Value::Real(_)) => Ok(()),
            (Value::Array(a), Value::Array(b)) if a.same_shape(b) => Ok(()),
            (Value::Function(_), _) | (_, Value::Function(_)) => match (captures_of(&of), captures_of(&other)) {
                (Some(known), Some(labels)) if !labels.iter().all(|label| known.contains(label)) => mismatch(
                    format!("sensitivities for {}", list(&known)),
                    format!("sensitivities for {}", list(&labels)),
                ),
                (None, _) if !matches!(of, Value::Function(_)) => differ(),
                _ => Ok(()),
            },
            (Value::Data(a), Value::Data(b)) => match (&a.form, &b.form) {
                (Form::Part(..), _) | (_, Form::Part(..)) => Ok(()),
                (Form::Tuple, Form::Tuple) if a.fields.len() == b.fields.len() => self.fields(a, b),
                (Form::Variant(c), Form::Variant(d)) if c == d => self.fields(a, b),
                (Form::Record(known), Form::Record(labels)) if labels.iter().all(|label| known.contains(label)) => {
                    Ok(())
                }
                _ => differ(),
            },
            // What carries no derivative has the sensitivity (), and so has () itself.
            (unit, Value::Int(_) | Value::Bool(_) | Value::Text(_)) if unit.is_unit() => Ok(()),
            (Value::Int(_) | Value::Bool(_) | Value::Text(_), Value::Real(_)) if self.giver == Giver::Tangent => {
                no_derivative(&of, sensitivity_of(&other))
            }
            (Value::Int(_) | Value::Bool(_) | Value::Text(_), other)
                if !matches!(other, Value::Data(_) | Value::Array(_)) || other.is_unit() =>
            {
                Ok(())
            }
            _ => differ(),
        }
    }

    fn fields(&mut self, a: &Data, b: &Data) -> Verdict {
        for (i, (of, other)) in a.fields.iter().zip(&b.fields).enumerate() {
            self.values(of, other).map_err(|stop| stop.within(|| field_path(&a.form, i)))?;
        }
        Ok(())
    }
}

fn field_path(form: &Form, i: usize) -> String {
    match form {
        Form::Variant(constructor) => match constructor.fields.get(i) {
            Some(name) => format!(".{name}"),
            None => format!(".{i}"),
        },
        Form::Record(labels) => format!(".{}", labels[i]),
        Form::Tuple | Form::Part(..) => format!(".{i}"),
    }
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

fn list(names: &[Name]) -> String {
    match names {
        [] => "nothing".to_string(),
        names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    }
}
