//! Does a sensitivity fit the value it should belong to, as [`fit`] says? Asked where a program hands one to derived code: at a call
//! of a backpropagator, and where a rule returns (C3).
//!
//! In: a value and a sensitivity. Out: nothing, or where they differ and how. A sensitivity that is already full for
//! some value is not unfolded: the two values are compared instead.

use std::rc::Rc;

use base::Name;
use differentiate::sensitivities::Top;
use differentiate::sensitivities::fit::{self, Fit, Giver, Part};

use crate::array::{Array, Elements};
use crate::fault::{Fault, NO_SENSITIVITY, Result};
use crate::lazy::force;
use crate::show;
use crate::value::{Function, Suspended, Value};

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
        match fit::fits(&of.top(), &d.top(), self.giver) {
            Fit::Fits => Ok(()),
            Fit::Vanishes if d.number() == Some(0.0) => Ok(()),
            Fit::Fields(parts) => self.parts(&parts, &of, d, Comparison::sensitivity),
            Fit::Arrays => self.arrays(&of, d),
            Fit::Function => not_a_sensitivity(&of, d),
            Fit::Vanishes | Fit::ByValue | Fit::Differs => misfit(&of, d),
        }
    }

    /// Compares the fields of data, or the captures of a function, with those of another; the labels of both are told if one is unknown.
    fn parts(
        &mut self,
        parts: &[Part],
        of: &Value,
        d: &Value,
        compare: fn(&mut Comparison, &Value, &Value) -> Verdict,
    ) -> Verdict {
        let (known, given) = (fields_of(of), fields_of(d));
        for part in parts {
            match *part {
                Part::Of { of: at, d } => {
                    compare(self, &known[at], &given[d]).map_err(|stop| stop.within(|| path_of(of, at)))?;
                }
                Part::Unknown(at) => return unknown_label(of, &labels_of(d)[at]),
            }
        }
        Ok(())
    }

    fn arrays(&mut self, of: &Value, d: &Value) -> Verdict {
        let Value::Array(array) = of else { unreachable!("conformance: an array") };
        match d {
            Value::Array(given) => self.array(array, given, d),
            Value::Sparse(sparse) if array.shape == sparse.shape => Ok(()),
            _ => mismatch(sensitivity_of(of), show::described(d)),
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
                let fits = |of: &Value, d: &Value| match fit::fits(&of.top(), &d.top(), self.giver) {
                    Fit::Fits => true,
                    Fit::Vanishes => d.number() == Some(0.0),
                    _ => matches!(d, Value::Lazy(_)),
                };
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
        match (fit::alike(&of.top(), &other.top(), self.giver), &of, &other) {
            (Fit::Fits, _, _) => Ok(()),
            (Fit::Fields(parts), _, _) => self.parts(&parts, &of, &other, Comparison::values),
            (Fit::Arrays, Value::Array(a), Value::Array(b)) if a.same_shape(b) => Ok(()),
            (_, Value::Int(_) | Value::Bool(_) | Value::Text(_), Value::Real(_)) => {
                no_derivative(&of, sensitivity_of(&other))
            }
            _ => mismatch(sensitivity_of(&of), sensitivity_of(&other)),
        }
    }
}

/// Says in which way it doesn't fit.
fn misfit(of: &Value, d: &Value) -> Verdict {
    match (of, d) {
        (Value::Real(_), _) => mismatch("a real", show::described(d)),
        (Value::Int(_) | Value::Bool(_) | Value::Text(_), _) => no_derivative(of, show::described(d)),
        (Value::Function(_), Value::Data(_)) => mismatch("the record of a function's captures", show::described(d)),
        _ => mismatch(sensitivity_of(of), show::described(d)),
    }
}

fn unknown_label(of: &Value, label: &Name) -> Verdict {
    let known = labels_of(of);
    let expected = if known.is_empty() { "no field".into() } else { format!("only {}", list(&known)) };
    mismatch(expected, format!("a field `{label}`"))
}

/// The fields of data, the captures of a function
fn fields_of(value: &Value) -> &[Value] {
    match value {
        Value::Data(data) => &data.fields,
        Value::Function(function) => match &**function {
            Function::Closure(closure) => &closure.env.0,
            Function::Prim { .. } | Function::Sealed { .. } => &[],
        },
        _ => &[],
    }
}

fn labels_of(value: &Value) -> Rc<[Name]> {
    match value.top() {
        Top::Closure(labels) => labels,
        Top::Record(labels) => labels.into(),
        _ => Rc::from([]),
    }
}

fn path_of(of: &Value, i: usize) -> String {
    match of.top() {
        Top::Variant(constructor, _) if i < constructor.fields.len() => format!(".{}", constructor.fields[i]),
        Top::Record(labels) => format!(".{}", labels[i]),
        Top::Closure(labels) => format!(".{}", labels[i]),
        _ => format!(".{i}"),
    }
}

fn list(names: &[Name]) -> String {
    match names {
        [] => "nothing".to_string(),
        names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    }
}
