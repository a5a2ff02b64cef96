//! Typed values as values of the evaluator.

use std::rc::Rc;

use base::Name;

use eval::array::{Array, Elements as EvalElements};
use eval::value::{Env, Form, Function};
use rustc_hash::FxHashMap;

use super::Codes;
use crate::shape::{Alternative, Head, ShapeId, Shapes};
use crate::value::{Elements, Value};

pub(super) struct Conversion<'a> {
    shapes: &'a Shapes,
    codes: &'a dyn Codes,
    /// What shared nodes, structs and arrays became, by their address.
    shared: FxHashMap<(*const (), ShapeId), eval::Value>,
}

impl<'a> Conversion<'a> {
    pub fn new(shapes: &'a Shapes, codes: &'a dyn Codes) -> Conversion<'a> {
        Conversion { shapes, codes, shared: FxHashMap::default() }
    }

    pub fn value(&mut self, id: ShapeId, value: &Value) -> eval::Value {
        let shared = shared_address(value).map(|address| (address, id));
        if let Some(known) = shared.and_then(|key| self.shared.get(&key)) {
            return known.clone();
        }
        let shape = self.shapes.get(id);
        let made = match (shape.named, value) {
            (None, value) => self.content(&shape.alternatives, value),
            (Some(_), Value::Named(node)) => crate::deep(|| self.content(&shape.alternatives, node.content())),
            (Some(_), other) => unreachable!("convert: {other:?} is not named"),
        };
        if let Some(key) = shared {
            self.shared.insert(key, made.clone());
        }
        made
    }

    fn content(&mut self, alternatives: &[Alternative], value: &Value) -> eval::Value {
        match (alternatives, value) {
            ([one], value) => self.alternative(one, value),
            ([_, _, ..], Value::Sum(tag, content)) => self.alternative(&alternatives[*tag as usize], content),
            (_, other) => unreachable!("convert: {other:?} is no value of the shape"),
        }
    }

    fn alternative(&mut self, Alternative { head, parts }: &Alternative, value: &Value) -> eval::Value {
        match (head, value) {
            (Head::Bool, Value::Bool(b)) => eval::Value::Bool(*b),
            (Head::Int, Value::Int(i)) => eval::Value::Int(*i),
            (Head::Real, Value::Real(x)) => eval::Value::Real(*x),
            (Head::Text, Value::Text(text)) => eval::Value::text(&**text),
            (Head::Handle(_), Value::Handle(value)) => value.clone(),
            (Head::Array(_), Value::Array(array)) => {
                let elements = self.elements(parts[0], &array.elements);
                eval::Value::array(Array::new(array.shape.clone(), elements))
            }
            (head, Value::Unit) => self.compound(head, vec![]),
            (head, Value::Struct(fields)) => {
                let fields = parts.iter().zip(fields.iter()).map(|(part, field)| self.value(*part, field)).collect();
                self.compound(head, fields)
            }
            (head, other) => unreachable!("convert: {other:?} has no head {head:?}"),
        }
    }

    fn compound(&self, head: &Head, mut parts: Vec<eval::Value>) -> eval::Value {
        match head {
            Head::Zero => eval::Value::Zero,
            Head::Tuple => eval::Value::tuple(parts),
            Head::Record(labels) => record(labels, parts),
            Head::Variant(constructor) => eval::Value::data(Form::Variant(constructor.clone()), parts),
            Head::Part(constructor, positions) => {
                eval::Value::data(Form::Part(constructor.clone(), positions.clone()), parts)
            }
            Head::Closure { code, member } => {
                eval::Value::closure(self.codes.code(*code), *member, Rc::new(Env(parts)))
            }
            Head::Prim { prim, order } => function(Function::Prim { prim: *prim, order: *order }),
            Head::Sealed { modes } => {
                let [raw, f, x, y] = parts.try_into().expect("convert: a sealed function has four parts");
                function(Function::Sealed { raw, f, x, y, modes: modes.to_vec() })
            }
            Head::Frame(_) => eval::prims::frame_of(parts.iter().map(length).collect()),
            Head::Full => {
                let sensitivity = parts.pop().expect("convert: a full sensitivity has two parts");
                eval::sensitivity::full(&parts[0], sensitivity)
            }
            Head::Bool | Head::Int | Head::Real | Head::Text | Head::Array(_) | Head::Handle(_) => {
                unreachable!("convert: a struct for {head:?}")
            }
        }
    }

    fn elements(&mut self, shape: ShapeId, elements: &Elements) -> EvalElements {
        let values = match elements {
            Elements::Real(reals) => return EvalElements::Real(reals.clone()),
            Elements::Values(values) if values.is_empty() => return self.no_elements(shape),
            Elements::Values(values) => values,
        };
        let alternatives = &self.shapes.get(shape).alternatives[..];
        let values = values.iter().map(|value| unfolded(self.value(shape, value)));
        match alternatives {
            [Alternative { head: Head::Int, .. }] => EvalElements::Int(
                values.map(|value| if let eval::Value::Int(i) = value { i } else { unreachable!("ints") }).collect(),
            ),
            [Alternative { head: Head::Bool, .. }] => {
                EvalElements::Bool(values.map(|value| matches!(value, eval::Value::Bool(true))).collect())
            }
            _ => normalised(values.collect()),
        }
    }

    /// No elements of this shape: the evaluator keeps what one would be.
    pub fn no_elements(&self, shape: ShapeId) -> EvalElements {
        const DEEPEST: u32 = 8;
        match self.sample(shape, DEEPEST) {
            Some(eval::Value::Array(_)) | None => Array::unknown().elements,
            Some(sample) => Array::none_like(&sample).elements,
        }
    }

    /// A value of this shape, if there is one that isn't too deep. Of ints and reals it is a real, as together they are.
    fn sample(&self, shape: ShapeId, depth: u32) -> Option<eval::Value> {
        let depth = depth.checked_sub(1)?;
        let alternatives = &self.shapes.get(shape).alternatives;
        let real = alternatives.iter().find(|one| one.head == Head::Real);
        real.into_iter().chain(alternatives).find_map(|one| self.sample_of(one, depth))
    }

    fn sample_of(&self, Alternative { head, parts }: &Alternative, depth: u32) -> Option<eval::Value> {
        Some(match head {
            Head::Bool => eval::Value::Bool(false),
            Head::Int => eval::Value::Int(1),
            Head::Real => eval::Value::Real(1.0),
            Head::Text => eval::Value::text(""),
            Head::Array(rank) | Head::Handle(rank) => {
                let elements = match self.sample(parts[0], depth) {
                    Some(sample) => Array::none_like(&sample).elements,
                    None => Array::unknown().elements,
                };
                eval::Value::array(Array::new(vec![0; *rank as usize], elements))
            }
            head => {
                let parts: Option<_> = parts.iter().map(|part| self.sample(*part, depth)).collect();
                self.compound(head, parts?)
            }
        })
    }
}

/// The address of what others may see too.
fn shared_address(value: &Value) -> Option<*const ()> {
    fn of<T: ?Sized>(shared: &Rc<T>) -> Option<*const ()> {
        (Rc::strong_count(shared) > 1).then(|| Rc::as_ptr(shared).cast())
    }
    match value {
        Value::Struct(fields) => of(fields),
        Value::Sum(_, content) => of(content),
        Value::Array(array) => of(array),
        Value::Named(node) => of(node),
        Value::Unit | Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Text(_) | Value::Handle(_) => None,
    }
}

/// Elements of an array stand unfolded there, unless they are arrays of their own.
fn unfolded(value: eval::Value) -> eval::Value {
    match eval::force(&value) {
        Ok(eval::Value::Array(_)) | Err(_) => value,
        Ok(unfolded) => unfolded,
    }
}

fn normalised(values: Vec<eval::Value>) -> EvalElements {
    if values.iter().any(|value| matches!(value, eval::Value::Array(_))) {
        return EvalElements::Values(values.into());
    }
    Array::from_values(values).expect("convert: no arrays among the elements").elements
}

/// A length that a frame holds; they are never negative.
fn length(value: &eval::Value) -> usize {
    if let eval::Value::Int(n) = value { *n as usize } else { unreachable!("convert: the lengths of a frame are ints") }
}

fn function(function: Function) -> eval::Value {
    eval::Value::Function(Rc::new(function))
}

/// The record of these fields. A symbolic zero says that there is no such field.
pub fn record(labels: &Rc<[Name]>, parts: Vec<eval::Value>) -> eval::Value {
    if !parts.iter().any(|part| matches!(part, eval::Value::Zero)) {
        return eval::Value::record(labels.clone(), parts);
    }
    let present = labels.iter().zip(parts).filter(|(_, part)| !matches!(part, eval::Value::Zero));
    let (labels, parts): (Vec<Name>, Vec<eval::Value>) = present.map(|(label, part)| (*label, part)).unzip();
    eval::Value::record(labels.into(), parts)
}
