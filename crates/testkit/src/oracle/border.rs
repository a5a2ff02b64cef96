//! Between the evaluator's values and those of the oracle. Doubles become multi-precision reals exactly; back, they are rounded.

use std::rc::Rc;

use base::Name;
use calculus::Prim;
use eval::Value;
use eval::array::{Array as Evaluated, Elements};
use eval::value::{Form as EvalForm, Function};

use super::Failure;
use super::real::Real;
use super::value::{Array, Form, Fun, Val};

type Result<T> = std::result::Result<T, Failure>;

/// A value of the evaluator.
pub fn imported(value: &Value) -> Result<Val> {
    let value = eval::force(value).map_err(|_| Failure::program("a lazy value ends in an error"))?;
    Ok(match &value {
        Value::Bool(b) => Val::Bool(*b),
        Value::Int(i) => Val::Int(*i),
        Value::Real(x) => Val::f64(*x),
        Value::Text(text) => Val::Text(Rc::from(text.as_str())),
        Value::Data(data) => {
            let form = match &data.form {
                EvalForm::Tuple => Form::Tuple,
                EvalForm::Record(labels) => Form::Record(labels.to_vec()),
                EvalForm::Variant(constructor) => Form::Variant(constructor.clone()),
                EvalForm::Part(..) => return Err(Failure::Uncovered("a partial sensitivity".into())),
            };
            Val::data(form, data.fields.iter().map(imported).collect::<Result<_>>()?)
        }
        Value::Array(array) => {
            let elements = array.values().iter().map(imported).collect::<Result<Vec<_>>>()?;
            let sample = match &array.elements {
                Elements::Real(_) => Some(Val::f64(0.0)),
                Elements::Int(_) => Some(Val::Int(0)),
                Elements::Bool(_) => Some(Val::Bool(false)),
                Elements::Values(_) => None,
            };
            Val::Array(Rc::new(Array::new(array.shape.clone(), elements, sample)))
        }
        Value::Function(function) => match &**function {
            Function::Prim { prim, order: 0 } => Val::Function(Rc::new(Fun::Prim(*prim))),
            Function::Closure(closure) if closure.code.group.order == 0 => {
                let captured = closure.env.0.iter().map(imported).collect::<Result<_>>()?;
                let (group, member) = (closure.code.group.clone(), closure.member as usize);
                Val::Function(Rc::new(Fun::Closure { group, member, captured }))
            }
            _ => return Err(Failure::Uncovered("a derived function".into())),
        },
        Value::Zero | Value::Sparse(_) | Value::Lazy(_) => return Err(Failure::Uncovered("a sensitivity".into())),
    })
}

/// A value for the evaluator; functions have none.
pub fn exported(value: &Val) -> Result<Value> {
    Ok(match value {
        Val::Bool(b) => Value::Bool(*b),
        Val::Int(i) => Value::Int(*i),
        Val::Real(x) => Value::Real(x.to_f64()),
        Val::Text(text) => Value::text(&**text),
        Val::Data(data) => {
            let fields = data.fields.iter().map(exported).collect::<Result<Vec<_>>>()?;
            match &data.form {
                Form::Tuple => Value::tuple(fields),
                Form::Record(labels) => {
                    let labels: Rc<[Name]> = labels.clone().into();
                    Value::record(labels, fields)
                }
                Form::Variant(constructor) => Value::data(EvalForm::Variant(constructor.clone()), fields),
            }
        }
        Val::Array(array) => {
            let elements = array.elements.iter().map(exported).collect::<Result<Vec<_>>>()?;
            let flat = Evaluated::from_values(elements).map_err(|_| Failure::program("a ragged array"))?;
            Value::array(Evaluated::new(array.shape.clone(), flat.elements))
        }
        Val::Function(_) => return Err(Failure::Uncovered("a function as text".into())),
    })
}

/// What carries no derivative is not computed twice: texts and random numbers.
pub(super) fn by_evaluator(prim: Prim, x: &Val) -> Result<Val> {
    let arguments = match x {
        Val::Data(data) if prim.arity() > 1 => data.fields.iter().map(exported).collect::<Result<Vec<_>>>()?,
        other => vec![exported(other)?],
    };
    let mut padded = [Value::Zero, Value::Zero, Value::Zero];
    arguments.into_iter().zip(&mut padded).for_each(|(from, to)| *to = from);
    match eval::prims::compute_values(prim, padded) {
        Ok(value) => imported(&value),
        Err(fault) => Err(Failure::Program(fault.message.clone())),
    }
}

/// The nearest doubles.
pub fn rounded(reals: &[Real]) -> Vec<f64> {
    reals.iter().map(Real::to_f64).collect()
}
