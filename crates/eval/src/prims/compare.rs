//! Comparison and tests of kind. Equality is structural, IEEE on reals, and an error on functions.

use std::rc::Rc;

use base::codes;
use calculus::Prim;
use rustc_hash::FxHashSet;

use super::arithmetic::symbol;
use crate::array::{Array, Elements};
use crate::fault::{Fault, Result, expected};
use crate::lazy::{deep, forced, settled};
use crate::show;
use crate::value::{Data, Form, Value};

pub(super) fn apply(prim: Prim, [a, b, _]: [Value; 3]) -> Result<Value> {
    let a = forced(a)?;
    let truth = match prim {
        Prim::Eq => equal(&a, &b)?,
        Prim::Ne => !equal(&a, &b)?,
        Prim::Not => match a {
            Value::Bool(b) => !b,
            Value::Array(array) if matches!(array.elements, Elements::Bool(_)) => {
                let Elements::Bool(truths) = &array.elements else { unreachable!("booleans") };
                let truths = truths.iter().map(|truth| !truth).collect();
                return Ok(Value::array(Array::new(array.shape.clone(), Elements::Bool(truths))));
            }
            other => return expected(codes::NOT_A_BOOLEAN, "a boolean for `!`", &other),
        },
        Prim::IsInt => matches!(a, Value::Int(_)),
        Prim::IsReal => matches!(a, Value::Real(_)),
        Prim::IsArray => matches!(a, Value::Array(_) | Value::Sparse(_)),
        Prim::IsTuple => matches!(&a, Value::Data(data) if matches!(data.form, Form::Tuple)),
        Prim::IsFunction => matches!(a, Value::Function(_)),
        order => return compare(order, &a, &forced(b)?),
    };
    Ok(Value::Bool(truth))
}

/// Numbers or texts; arrays elementwise, with arrays whose shapes fit and with scalars.
fn compare(prim: Prim, a: &Value, b: &Value) -> Result<Value> {
    if let (Value::Array(_), _) | (_, Value::Array(_)) = (a, b) {
        return compare_arrays(prim, a, b);
    }
    let truth = match (a, b) {
        (Value::Int(x), Value::Int(y)) => ordered(prim, x, y),
        (Value::Text(x), Value::Text(y)) => ordered(prim, x, y),
        _ => match (a.number(), b.number()) {
            (Some(x), Some(y)) => ordered(prim, &x, &y),
            (None, _) => return not_ordered(prim, a),
            (_, None) => return not_ordered(prim, b),
        },
    };
    Ok(Value::Bool(truth))
}

fn compare_arrays(prim: Prim, a: &Value, b: &Value) -> Result<Value> {
    if let (Value::Array(a), Value::Array(b)) = (a, b)
        && a.shape != b.shape
    {
        let (a, b) = super::arithmetic::aligned(prim, a.clone(), b.clone())?;
        return compare_elements(prim, &a.shape.clone(), &Value::Array(a), &Value::Array(b));
    }
    let ((Value::Array(array), _) | (_, Value::Array(array))) = (a, b) else { unreachable!("compare: an array") };
    compare_elements(prim, &array.shape, a, b)
}

/// Arrays of this shape, or scalars.
fn compare_elements(prim: Prim, shape: &[usize], a: &Value, b: &Value) -> Result<Value> {
    let element = |value: &Value, i: usize| match value {
        Value::Array(array) => array.at(i),
        scalar => scalar.clone(),
    };
    let truths = (0..shape.iter().product()).map(|i| match compare(prim, &element(a, i), &element(b, i))? {
        Value::Bool(truth) => Ok(truth),
        other => expected(codes::NOT_A_BOOLEAN, "a boolean", &other),
    });
    Ok(Value::array(Array::new(shape.to_vec(), Elements::Bool(truths.collect::<Result<_>>()?))))
}

fn ordered<T: PartialOrd>(prim: Prim, x: &T, y: &T) -> bool {
    match prim {
        Prim::Lt => x < y,
        Prim::Le => x <= y,
        Prim::Gt => x > y,
        _ => x >= y,
    }
}

fn not_ordered<T>(prim: Prim, value: &Value) -> Result<T> {
    let found = show::described(value);
    Fault::new(codes::WRONG_KIND, format!("expected two numbers or two texts for `{}`, found {found}", symbol(prim)))
        .err()
}

/// Structural equality; values of different kinds are unequal, an int equals the real of the same value.
pub fn equal(a: &Value, b: &Value) -> Result<bool> {
    Equality::default().values(a, b)
}

/// A comparison that looks at shared data once: as a tree it may be larger than any memory.
#[derive(Default)]
struct Equality {
    /// Pairs of shared nodes that were found equal.
    equal: FxHashSet<(*const Data, *const Data)>,
}

impl Equality {
    fn values(&mut self, a: &Value, b: &Value) -> Result<bool> {
        deep(|| {
            let (a, b) = (settled(a)?, settled(b)?);
            Ok(match (&a, &b) {
                (Value::Function(_), _) | (_, Value::Function(_)) => {
                    return Fault::new(codes::FUNCTION_COMPARED, "functions can't be compared")
                        .help("compare what they return for some argument")
                        .err();
                }
                (Value::Int(x), Value::Int(y)) => x == y,
                (Value::Bool(x), Value::Bool(y)) => x == y,
                (Value::Text(x), Value::Text(y)) => x == y,
                (Value::Data(x), Value::Data(y)) => self.nodes(x, y)?,
                (Value::Array(x), Value::Array(y)) if !x.same_shape(y) => false,
                (Value::Array(x), Value::Array(y)) => match (&x.elements, &y.elements) {
                    (Elements::Real(xs), Elements::Real(ys)) => xs == ys,
                    (Elements::Int(xs), Elements::Int(ys)) => xs == ys,
                    _ => self.all(&x.values(), &y.values())?,
                },
                _ => match (a.number(), b.number()) {
                    (Some(x), Some(y)) => x == y,
                    _ => false,
                },
            })
        })
    }

    fn nodes(&mut self, x: &Rc<Data>, y: &Rc<Data>) -> Result<bool> {
        let pair = (Rc::as_ptr(x), Rc::as_ptr(y));
        if self.equal.contains(&pair) {
            return Ok(true);
        }
        let equal = self.data(x, y)?;
        if equal && Rc::strong_count(x).min(Rc::strong_count(y)) > 1 {
            self.equal.insert(pair);
        }
        Ok(equal)
    }

    fn data(&mut self, x: &Data, y: &Data) -> Result<bool> {
        match (&x.form, &y.form) {
            (Form::Tuple, Form::Tuple) => self.all(&x.fields, &y.fields),
            (Form::Variant(c), Form::Variant(d)) => Ok(c == d && self.all(&x.fields, &y.fields)?),
            (Form::Record(left), Form::Record(right)) if left.len() == right.len() => {
                for (label, field) in left.iter().zip(&x.fields) {
                    let Some(at) = right.iter().position(|other| other == label) else { return Ok(false) };
                    if !self.values(field, &y.fields[at])? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn all(&mut self, xs: &[Value], ys: &[Value]) -> Result<bool> {
        if xs.len() != ys.len() {
            return Ok(false);
        }
        for (x, y) in xs.iter().zip(ys) {
            if !self.values(x, y)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
