//! Functions over values of any structure: their parts, their reals, and whether two agree.

use std::rc::Rc;

use base::{Name, codes};
use calculus::Prim;
use rustc_hash::FxHashSet;

use crate::array::{Array, Elements};
use crate::fault::{Fault, Result, expected};
use crate::lazy::{deep, force, forced, settled};
use crate::value::{Form, Holds, Value};
use crate::{memory, sparse};

pub(super) fn apply(prim: Prim, [a, b, c]: [Value; 3]) -> Result<Value> {
    match prim {
        Prim::HoldsFunction => Ok(Value::Bool(a.holds().has(Holds::FUNCTION))),
        Prim::IsData => Ok(Value::Bool(matches!(forced(a)?, Value::Data(data) if !data.fields.is_empty()))),
        Prim::Children => children(&a),
        Prim::Rebuild => rebuild(&a, &b),
        Prim::Parts => parts(&a),
        Prim::OfParts => of_parts(&a, b),
        Prim::Aligned => aligned(&a, b),
        Prim::Largest => Ok(Value::Real(largest(&a)?)),
        Prim::Times => match forced(b)? {
            Value::Real(k) => times(&a, k),
            other => expected(codes::WRONG_KIND, "a real", &other),
        },
        Prim::Close => Ok(Value::Bool(close(&a, &b, Tolerance::given(&c)?)?)),
        other => unreachable!("structure: {other}"),
    }
}

/// The fields, each in a box so that arrays among them stay apart.
fn children(value: &Value) -> Result<Value> {
    let Value::Data(data) = force(value)? else {
        return expected(codes::WRONG_KIND, "reals, arrays, tuples, records or variants of them", &force(value)?);
    };
    let label: Rc<[Name]> = Rc::from([Name::new("v")]);
    let boxes = data.fields.iter().map(|field| Value::record(label.clone(), vec![field.clone()])).collect();
    Ok(Value::array(Array::new(vec![data.fields.len()], Elements::Values(boxes))))
}

fn rebuild(like: &Value, boxes: &Value) -> Result<Value> {
    let like = force(like)?;
    let (Value::Data(data), Value::Array(boxes)) = (&like, force(boxes)?) else {
        return expected(codes::WRONG_KIND, "a tuple, record or variant", &like);
    };
    let unboxed = boxes.values().into_iter().map(|boxed| match forced(boxed)? {
        Value::Data(data) if data.fields.len() == 1 => Ok(data.fields[0].clone()),
        other => Ok(other),
    });
    Ok(Value::data(data.form.clone(), unboxed.collect::<Result<_>>()?))
}

/// The fields in pairs, the first outermost.
fn parts(value: &Value) -> Result<Value> {
    let Value::Data(data) = force(value)? else {
        return expected(codes::WRONG_KIND, "reals, arrays, tuples, records or variants of them", &force(value)?);
    };
    let fields = data.fields.iter().rev().cloned();
    Ok(fields.fold(Value::unit(), |rest, field| Value::tuple(vec![field, rest])))
}

fn of_parts(like: &Value, pairs: Value) -> Result<Value> {
    let like = force(like)?;
    let Value::Data(data) = &like else { return expected(codes::WRONG_KIND, "a tuple, record or variant", &like) };
    let mut fields = Vec::with_capacity(data.fields.len());
    let mut rest = pairs;
    for _ in 0..data.fields.len() {
        let pair = forced(rest)?;
        let Value::Data(parts) = &pair else { return expected(codes::WRONG_KIND, "a pair", &pair) };
        let [field, after] = &parts.fields[..] else { return expected(codes::WRONG_KIND, "a pair", &pair) };
        fields.push(field.clone());
        rest = after.clone();
    }
    Ok(Value::data(data.form.clone(), fields))
}

/// A record is the same in any order of its fields; where fields meet those of another one the order counts.
fn aligned(like: &Value, value: Value) -> Result<Value> {
    let (like, value) = (force(like)?, forced(value)?);
    if let (Value::Data(wanted), Value::Data(data)) = (&like, &value) {
        match (&wanted.form, &data.form) {
            (Form::Tuple, Form::Tuple) if wanted.fields.len() == data.fields.len() => return Ok(value),
            (Form::Variant(one), Form::Variant(other)) if one == other => return Ok(value),
            (Form::Record(labels), Form::Record(own)) if labels == own => return Ok(value),
            (Form::Record(labels), Form::Record(own)) if labels.len() == own.len() => {
                let place = |label| own.iter().position(|known| known == label);
                let fields = labels.iter().map(|label| Some(data.fields[place(label)?].clone()));
                if let Some(fields) = fields.collect() {
                    return Ok(Value::data(wanted.form.clone(), fields));
                }
            }
            _ => {}
        }
    }
    expected(codes::WRONG_KIND, "a structure of the same form", &value)
}

/// Unfolds a value to its leaves, so that what can't be computed is an error now. Data that is shared is visited
/// once: all of it can be seen as a tree that is larger than any memory.
pub fn settle(value: &Value) -> Result<()> {
    let mut waiting = vec![force(value)?];
    let mut shared = FxHashSet::default();
    while let Some(value) = waiting.pop() {
        match &value {
            Value::Data(data) => {
                if Rc::strong_count(data) > 2 && !shared.insert(Rc::as_ptr(data)) {
                    continue;
                }
                waiting.extend(data.fields.iter().map(force).collect::<Result<Vec<_>>>()?);
            }
            Value::Array(array) => {
                if let Elements::Values(values) = &array.elements {
                    waiting.extend(values.iter().map(force).collect::<Result<Vec<_>>>()?);
                }
            }
            _ => {}
        }
        if !memory::has_room_for(0) {
            return Fault::new(codes::OUT_OF_MEMORY, "the value needs too much memory")
                .help("its parts share memory as long as nobody looks at all of them; look at some of them")
                .err();
        }
    }
    Ok(())
}

fn largest(value: &Value) -> Result<f64> {
    deep(|| {
        Ok(match force(value)? {
            Value::Real(x) => x.abs(),
            Value::Data(data) => largest_of(&data.fields)?,
            Value::Sparse(sparse) => largest(&Value::Array(sparse::dense(&sparse)?))?,
            Value::Array(array) => match &array.elements {
                Elements::Real(reals) => reals.iter().fold(0.0, |most: f64, x| larger(most, x.abs())),
                Elements::Values(values) => largest_of(values)?,
                Elements::Int(_) | Elements::Bool(_) => 0.0,
            },
            _ => 0.0,
        })
    })
}

fn largest_of(values: &[Value]) -> Result<f64> {
    values.iter().try_fold(0.0, |most: f64, value| Ok(larger(most, largest(value)?)))
}

/// NaN is the largest, so that it isn't lost.
fn larger(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

fn times(value: &Value, k: f64) -> Result<Value> {
    deep(|| {
        Ok(match force(value)? {
            Value::Real(x) => Value::Real(k * x),
            Value::Data(data) => Value::data(data.form.clone(), times_all(&data.fields, k)?),
            Value::Sparse(sparse) => times(&Value::Array(sparse::dense(&sparse)?), k)?,
            Value::Array(array) => {
                let elements = match &array.elements {
                    Elements::Real(reals) => Elements::Real(reals.iter().map(|x| k * x).collect()),
                    Elements::Values(values) => Elements::Values(values.like_these(times_all(values, k)?)),
                    other => other.clone(),
                };
                Value::array(Array::new(array.shape.clone(), elements))
            }
            other => other,
        })
    })
}

fn times_all(values: &[Value], k: f64) -> Result<Vec<Value>> {
    values.iter().map(|value| times(value, k)).collect()
}

/// How far two reals may lie apart and still agree.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    pub relative: f64,
    pub absolute: f64,
}

impl Tolerance {
    pub const DEFAULT: Tolerance = Tolerance { relative: 1e-9, absolute: 1e-12 };

    /// What a program asks for: nothing, or one number for both.
    fn given(value: &Value) -> Result<Tolerance> {
        let value = force(value)?;
        match value.number() {
            Some(bound) if bound >= 0.0 => Ok(Tolerance { relative: bound, absolute: bound }),
            None if value.is_unit() => Ok(Tolerance::DEFAULT),
            _ => expected(codes::WRONG_KIND, "a number that isn't negative as tolerance", &value),
        }
    }

    pub fn reals(self, a: f64, b: f64) -> bool {
        if a == b || (a.is_nan() && b.is_nan()) {
            return true;
        }
        let distance = (a - b).abs();
        distance.is_finite() && (distance <= self.absolute || distance <= self.relative * a.abs().max(b.abs()))
    }
}

/// Do two values agree? An int agrees with the real of the same value, a field missing on one side with zero
/// on the other; functions never agree.
pub fn close(a: &Value, b: &Value, tolerance: Tolerance) -> Result<bool> {
    deep(|| {
        let (a, b) = (settled(a)?, settled(b)?);
        Ok(match (&a, &b) {
            (Value::Bool(x), Value::Bool(y)) => x == y,
            (Value::Text(x), Value::Text(y)) => x == y,
            (Value::Int(x), Value::Int(y)) => x == y,
            (Value::Data(x), Value::Data(y)) => match (&x.form, &y.form) {
                (Form::Tuple, Form::Tuple) => all_close(&x.fields, &y.fields, tolerance)?,
                (Form::Variant(c), Form::Variant(d)) => c == d && all_close(&x.fields, &y.fields, tolerance)?,
                (Form::Record(left), Form::Record(right)) => {
                    records_close(left, &x.fields, right, &y.fields, tolerance)?
                        && records_close(right, &y.fields, left, &x.fields, tolerance)?
                }
                _ => false,
            },
            (Value::Array(x), Value::Array(y)) => x.same_shape(y) && all_close(&x.values(), &y.values(), tolerance)?,
            _ => match (a.number(), b.number()) {
                (Some(x), Some(y)) => tolerance.reals(x, y),
                _ => false,
            },
        })
    })
}

fn all_close(xs: &[Value], ys: &[Value], tolerance: Tolerance) -> Result<bool> {
    if xs.len() != ys.len() {
        return Ok(false);
    }
    for (x, y) in xs.iter().zip(ys) {
        if !close(x, y, tolerance)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn records_close(left: &[Name], x: &[Value], right: &[Name], y: &[Value], tolerance: Tolerance) -> Result<bool> {
    for (label, field) in left.iter().zip(x) {
        let agrees = match right.iter().position(|other| other == label) {
            Some(at) => close(field, &y[at], tolerance)?,
            None => largest(field)? == 0.0,
        };
        if !agrees {
            return Ok(false);
        }
    }
    Ok(true)
}
