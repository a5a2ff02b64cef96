//! JSON as values, and values as JSON.
//!
//! Objects are records, lists are arrays: lists of lists of one length become one array of higher rank, whatever their depth. A number
//! with a point or an exponent is a real, any other an int; together in one array they are reals. `null` is `()`.

use std::fmt;
use std::rc::Rc;

use base::Name;
use eval::Value;
use eval::array::{Array, Elements};
use eval::value::Form;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error, Serialize, SerializeMap, SerializeSeq, Serializer};

/// A value read from JSON, or why there is none.
#[derive(Clone, Debug)]
pub struct Data(pub Result<Value, String>);

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Data, D::Error> {
        json.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Data;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, b: bool) -> Result<Data, E> {
        Ok(Data(Ok(Value::Bool(b))))
    }

    fn visit_i64<E>(self, i: i64) -> Result<Data, E> {
        Ok(Data(Ok(Value::Int(i))))
    }

    fn visit_u64<E>(self, i: u64) -> Result<Data, E> {
        Ok(Data(i64::try_from(i).map(Value::Int).map_err(|_| format!("{i} is outside the range of ints"))))
    }

    fn visit_f64<E>(self, x: f64) -> Result<Data, E> {
        Ok(Data(Ok(Value::Real(x))))
    }

    fn visit_str<E>(self, text: &str) -> Result<Data, E> {
        Ok(Data(Ok(Value::text(text))))
    }

    fn visit_unit<E>(self) -> Result<Data, E> {
        Ok(Data(Ok(Value::unit())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Data, A::Error> {
        let mut elements = List::Reals(vec![]);
        let mut wrong = None;
        while let Some(Data(element)) = list.next_element()? {
            match element {
                Ok(element) => elements.push(element),
                Err(why) => wrong = wrong.or(Some(why)),
            }
        }
        Ok(Data(wrong.map_or_else(|| elements.array(), Err)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Data, A::Error> {
        let mut fields: Vec<(String, Value)> = vec![];
        let mut wrong = None;
        while let Some((key, Data(field))) = map.next_entry::<String, Data>()? {
            match field {
                Ok(_) if fields.iter().any(|(known, _)| *known == key) => {
                    wrong = wrong.or(Some(format!("the field {key:?} occurs twice")));
                }
                Ok(field) => fields.push((key, field)),
                Err(why) => wrong = wrong.or(Some(format!("in {key:?}: {why}"))),
            }
        }
        Ok(Data(wrong.map_or_else(|| Ok(record(fields)), Err)))
    }
}

/// The elements of a list so far.
enum List {
    /// Numbers of which at least one is real, or none at all.
    Reals(Vec<f64>),
    Values(Vec<Value>),
}

impl List {
    fn push(&mut self, element: Value) {
        match (&mut *self, element) {
            (List::Reals(reals), Value::Real(x)) => reals.push(x),
            (List::Reals(reals), Value::Int(i)) if !reals.is_empty() => reals.push(i as f64),
            (List::Reals(reals), element) => {
                let mut values: Vec<Value> = reals.iter().copied().map(Value::Real).collect();
                values.push(element);
                *self = List::Values(values);
            }
            (List::Values(values), element) => values.push(element),
        }
    }

    fn array(self) -> Result<Value, String> {
        match self {
            List::Reals(reals) => Ok(Value::array(Array::vector(reals))),
            List::Values(values) => Array::from_values(values).map(Value::array).map_err(|ragged| {
                let (at, expected, found) = (ragged.index, ragged.expected, ragged.found);
                format!("element {at} of a list has shape {found}, the ones before it {expected}")
            }),
        }
    }
}

/// The order of fields means nothing; one order for all lets inputs share compiled code.
fn record(mut fields: Vec<(String, Value)>) -> Value {
    fields.sort_by(|(a, _), (b, _)| a.cmp(b));
    let labels: Rc<[Name]> = fields.iter().map(|(label, _)| Name::new(label)).collect();
    Value::record(labels, fields.into_iter().map(|(_, field)| field).collect())
}

/// The field of a record.
pub fn field<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    let Value::Data(data) = value else { return None };
    let Form::Record(labels) = &data.form else { return None };
    data.fields.get(labels.iter().position(|label| label.as_str() == name)?)
}

/// The record without these fields; anything else as it is.
pub fn without(value: &Value, names: &[&str]) -> Value {
    let Value::Data(data) = value else { return value.clone() };
    let Form::Record(labels) = &data.form else { return value.clone() };
    let kept = labels.iter().zip(&data.fields).filter(|(label, _)| !names.contains(&label.as_str()));
    let (labels, fields): (Vec<Name>, Vec<Value>) = kept.map(|(label, field)| (*label, field.clone())).unzip();
    Value::record(labels.into(), fields)
}

/// A value to be written as JSON. Numbers that aren't finite become `null`, functions can't be written.
pub struct Output<'v>(pub &'v Value);

impl Serialize for Output<'_> {
    fn serialize<S: Serializer>(&self, json: S) -> Result<S::Ok, S::Error> {
        match &eval::force(self.0).map_err(|fault| S::Error::custom(fault.message))? {
            Value::Bool(b) => json.serialize_bool(*b),
            Value::Int(i) => json.serialize_i64(*i),
            Value::Real(x) => json.serialize_f64(*x),
            Value::Text(text) => json.serialize_str(text),
            Value::Array(array) => Rows { array, axis: 0, offset: 0 }.serialize(json),
            Value::Data(data) => match &data.form {
                Form::Record(labels) => {
                    let mut map = json.serialize_map(Some(labels.len()))?;
                    for (label, field) in labels.iter().zip(&data.fields) {
                        map.serialize_entry(label.as_str(), &Output(field))?;
                    }
                    map.end()
                }
                Form::Tuple if data.fields.is_empty() => json.serialize_unit(),
                _ => json.collect_seq(data.fields.iter().map(Output)),
            },
            other => Err(S::Error::custom(format!("{} can't be written as JSON", evert::show(other)))),
        }
    }
}

/// What an array has at a place along its first axes.
struct Rows<'a> {
    array: &'a Array,
    axis: usize,
    offset: usize,
}

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, json: S) -> Result<S::Ok, S::Error> {
        let Rows { array, axis, offset } = *self;
        if axis == array.shape.len() {
            return match &array.elements {
                Elements::Real(reals) => json.serialize_f64(reals[offset]),
                Elements::Int(ints) => json.serialize_i64(ints[offset]),
                Elements::Bool(bools) => json.serialize_bool(bools[offset]),
                Elements::Values(values) => Output(&values[offset]).serialize(json),
            };
        }
        let stride: usize = array.shape[axis + 1..].iter().product();
        let mut list = json.serialize_seq(Some(array.shape[axis]))?;
        for i in 0..array.shape[axis] {
            list.serialize_element(&Rows { array, axis: axis + 1, offset: offset + i * stride })?;
        }
        list.end()
    }
}
