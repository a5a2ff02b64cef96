//! A value as a vector: the reals in it, in order, and the same value with other reals in their places.

use std::rc::Rc;

use eval::Value;
use eval::array::{Array, Elements};
use eval::value::Data;

/// The reals in a value from left to right. Functions and discrete parts hold none.
pub fn reals(value: &Value) -> Vec<f64> {
    let mut found = vec![];
    collect(value, &mut found);
    found
}

fn collect(value: &Value, found: &mut Vec<f64>) {
    match forced(value) {
        Value::Real(x) => found.push(x),
        Value::Data(data) => data.fields.iter().for_each(|field| collect(field, found)),
        Value::Array(array) => array.values().iter().for_each(|element| collect(element, found)),
        _ => {}
    }
}

/// The value with its reals replaced, in order.
pub fn with_reals(value: &Value, reals: &[f64]) -> Value {
    let mut rest = reals.iter().copied();
    let replaced = replace(value, &mut rest);
    assert!(rest.next().is_none(), "as many reals as the value holds");
    replaced
}

fn replace(value: &Value, rest: &mut impl Iterator<Item = f64>) -> Value {
    match forced(value) {
        Value::Real(_) => Value::Real(rest.next().expect("as many reals as the value holds")),
        Value::Data(data) => {
            let fields: Vec<Value> = data.fields.iter().map(|field| replace(field, rest)).collect();
            Value::Data(Rc::new(Data { form: data.form.clone(), holds: data.holds, fields }))
        }
        Value::Array(array) => match &array.elements {
            Elements::Real(reals) => {
                let elements = Elements::Real(rest.take(reals.len()).collect());
                Value::array(Array::new(array.shape.clone(), elements))
            }
            Elements::Values(values) => {
                let elements = values.like_these(values.iter().map(|element| replace(element, rest)).collect());
                let elements = Elements::Values(elements);
                Value::array(Array::new(array.shape.clone(), elements))
            }
            Elements::Int(_) | Elements::Bool(_) => Value::Array(array),
        },
        other => other,
    }
}

fn forced(value: &Value) -> Value {
    eval::force(value).unwrap_or_else(|fault| panic!("a value that can't be unfolded: {}", fault.message))
}

/// The scalar product of two vectors.
pub fn inner(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "vectors of one length");
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Two vectors agree to a tolerance relative to the larger of 1 and their largest entry.
pub fn agree(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    let size = a.iter().chain(b).fold(1.0f64, |size, x| size.max(x.abs()));
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance * size)
}
