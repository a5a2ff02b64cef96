//! The values of L3 as the interpreter holds them: one kind for each kind of type.
//!
//! Compound values are shared; arrays are updated in place when unshared. Dropping never recurses through named values, the
//! only ones that can be deep.

use std::cell::RefCell;
use std::rc::Rc;

#[derive(Clone, Debug)]
pub enum Value {
    /// The struct without fields.
    Unit,
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(Rc<str>),
    Handle(eval::Value),
    /// At least one field.
    Struct(Rc<[Value]>),
    /// Which alternative, and its content.
    Sum(u32, Rc<Value>),
    Array(Rc<Array>),
    Named(Rc<Node>),
}

/// A rectangular array in row-major order.
#[derive(Clone, Debug)]
pub struct Array {
    pub shape: Vec<usize>,
    pub elements: Elements,
}

/// The elements of an array: `Real` exactly if the type of the elements is real.
#[derive(Clone, Debug)]
pub enum Elements {
    Real(Vec<f64>),
    Values(Vec<Value>),
}

/// What a value of a named type holds.
#[derive(Debug)]
pub struct Node(Value);

impl Value {
    pub fn fields(fields: Vec<Value>) -> Value {
        if fields.is_empty() { Value::Unit } else { Value::Struct(fields.into()) }
    }

    pub fn sum(tag: u32, content: Value) -> Value {
        Value::Sum(tag, Rc::new(content))
    }

    pub fn named(content: Value) -> Value {
        Value::Named(Rc::new(Node(content)))
    }

    pub fn array(shape: Vec<usize>, elements: Elements) -> Value {
        Value::Array(Rc::new(Array { shape, elements }))
    }
}

impl Node {
    pub fn content(&self) -> &Value {
        &self.0
    }
}

impl Elements {
    pub fn len(&self) -> usize {
        match self {
            Elements::Real(reals) => reals.len(),
            Elements::Values(values) => values.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn at(&self, offset: usize) -> Value {
        match self {
            Elements::Real(reals) => Value::Real(reals[offset]),
            Elements::Values(values) => values[offset].clone(),
        }
    }

    /// So many elements from an offset on.
    pub fn slice(&self, start: usize, len: usize) -> Elements {
        match self {
            Elements::Real(reals) => Elements::Real(reals[start..start + len].to_vec()),
            Elements::Values(values) => Elements::Values(values[start..start + len].to_vec()),
        }
    }

    /// Puts other elements of the same kind from an offset on.
    pub fn overwrite(&mut self, start: usize, new: &Elements) {
        match (self, new) {
            (Elements::Real(reals), Elements::Real(new)) => reals[start..start + new.len()].copy_from_slice(new),
            (Elements::Values(values), Elements::Values(new)) => {
                values[start..start + new.len()].clone_from_slice(new);
            }
            _ => unreachable!("value: elements of one type"),
        }
    }

    pub fn extend(&mut self, more: &Elements) {
        match (self, more) {
            (Elements::Real(reals), Elements::Real(more)) => reals.extend(more),
            (Elements::Values(values), Elements::Values(more)) => values.extend(more.iter().cloned()),
            _ => unreachable!("value: elements of one type"),
        }
    }
}

thread_local! {
    /// Contents that wait to be dropped, while a drop is under way.
    static RELEASED: RefCell<Option<Vec<Value>>> = const { RefCell::new(None) };
}

impl Drop for Node {
    fn drop(&mut self) {
        let content = std::mem::replace(&mut self.0, Value::Unit);
        if matches!(content, Value::Unit | Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Text(_)) {
            return;
        }
        let first = RELEASED.try_with(|queue| match &mut *queue.borrow_mut() {
            Some(queue) => {
                queue.push(content);
                None
            }
            empty => {
                *empty = Some(vec![]);
                Some(content)
            }
        });
        let Ok(Some(content)) = first else { return };
        drop(content);
        while let Some(value) = RELEASED.with(|queue| queue.borrow_mut().as_mut().and_then(Vec::pop)) {
            drop(value);
        }
        RELEASED.with(|queue| *queue.borrow_mut() = None);
    }
}
