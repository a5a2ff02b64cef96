//! The shapes of values that exist already: globals.

use std::rc::Rc;

use base::{Span, codes};
use calculus::GlobalId;
use eval::array::{Array, Elements};
use eval::sparse;
use eval::value::{Form, Function, Value};
use first_order::{Atom, Head, ShapeId};
use rustc_hash::FxHashMap;

use crate::graph::{BOOL, INT, NEVER, REAL, TEXT, ZERO};
use crate::instances::Specialiser;
use crate::{Reason, Result1, Uncomputed, Val};

impl Specialiser<'_> {
    /// `J^order` of a global: a constant if it is small, else an argument of the program.
    pub fn global(&mut self, id: GlobalId, order: u32, span: Span) -> Result1<Val> {
        let Some(value) = self.world.global(id) else { return self.fail(codes::READ_BEFORE_DEFINED, span) };
        let Ok(value) = eval::force(&value) else { return self.dynamic(span, Reason::Uncomputed(Uncomputed::Global)) };
        let atom = match &value {
            _ if !self.world.is_constant(id) => None,
            Value::Bool(b) => Some(Atom::Bool(*b)),
            Value::Int(i) => Some(Atom::Int(*i)),
            Value::Real(x) => Some(Atom::Real(*x)),
            _ => None,
        };
        let shape = match self.global_shapes.get(&id) {
            Some(shape) => *shape,
            None => {
                let shape = self.shape_of(&value, span)?;
                self.global_shapes.insert(id, shape);
                shape
            }
        };
        let value = match atom {
            Some(atom) => Val { atom, shape },
            None if self.type_of(shape) == first_order::Type::Struct(Rc::from([])) => Val { atom: Atom::Unit, shape },
            None => {
                let slot = match self.globals.iter().position(|known| *known == id) {
                    Some(slot) => slot,
                    None => {
                        self.globals.push(id);
                        self.globals.len() - 1
                    }
                };
                let ty = self.type_of(shape);
                let var = match self.draft.globals.get(&slot) {
                    Some(var) => *var,
                    None => {
                        let var = self.draft.fresh(ty);
                        self.draft.globals.insert(slot, var);
                        var
                    }
                };
                Val { atom: Atom::Var(var), shape }
            }
        };
        self.lifted(&value, order as i32, span)
    }

    /// The shape of a value, from those of its parts. The stack is our own: lists are as deep as they are long.
    pub fn shape_of(&mut self, value: &Value, span: Span) -> Result1<ShapeId> {
        let mut known: FxHashMap<*const (), ShapeId> = FxHashMap::default();
        let (mut open, mut shapes) = (vec![Visit::Before(value.clone())], vec![]);
        while let Some(visit) = open.pop() {
            match visit {
                Visit::Before(value) => {
                    let Ok(value) = eval::force(&value) else {
                        return self.dynamic(span, Reason::Uncomputed(Uncomputed::Value));
                    };
                    match identity(&value).and_then(|object| known.get(&object)) {
                        Some(shape) => shapes.push(*shape),
                        None => {
                            let parts = parts_of(&value);
                            open.push(Visit::After(value, parts.len()));
                            open.extend(parts.into_iter().rev().map(Visit::Before));
                        }
                    }
                }
                Visit::After(value, parts) => {
                    let parts = shapes.split_off(shapes.len() - parts);
                    let shape = self.shape_with(&value, parts, span)?;
                    known.extend(identity(&value).map(|object| (object, shape)));
                    shapes.push(shape);
                }
            }
        }
        Ok(shapes.pop().expect("the shape of the value"))
    }

    /// The shape of a value whose parts have these shapes.
    fn shape_with(&mut self, value: &Value, parts: Vec<ShapeId>, span: Span) -> Result1<ShapeId> {
        let head = match value {
            Value::Bool(_) => return Ok(BOOL),
            Value::Int(_) => return Ok(INT),
            Value::Real(_) => return Ok(REAL),
            Value::Text(_) => return Ok(TEXT),
            Value::Zero => return Ok(ZERO),
            Value::Data(data) => match &data.form {
                Form::Tuple => Head::Tuple,
                Form::Record(labels) => Head::Record(labels.clone()),
                Form::Variant(constructor) => Head::Variant(constructor.clone()),
                Form::Part(constructor, places) => Head::Part(constructor.clone(), places.clone()),
            },
            Value::Array(array) => return Ok(self.shape_of_array(array, parts)),
            Value::Function(function) => match &**function {
                Function::Prim { prim, order } => Head::Prim { prim: *prim, order: *order },
                Function::Closure(closure) => {
                    Head::Closure { code: self.codes.of_code(&closure.code), member: closure.member }
                }
                Function::Sealed { modes, .. } => Head::Sealed { modes: modes.clone().into() },
            },
            Value::Sparse(frame) if frame.is_zero() => {
                let rank = frame.shape.len();
                return Ok(self.graph.single(Head::Frame(rank as u32), vec![INT; rank]));
            }
            Value::Sparse(sensitivity) => {
                let Ok(array) = sparse::dense(sensitivity) else {
                    return self.dynamic(span, Reason::Uncomputed(Uncomputed::Sensitivity));
                };
                let element = self.shape_of_elements(&array, parts);
                return Ok(self.handle_shape(array.shape.len() as u32, element));
            }
            Value::Lazy(_) => unreachable!("values: what is looked at was forced"),
        };
        Ok(self.graph.single(head, parts))
    }

    /// Where symbolic zeros are among the reals it is a sensitivity, and so is each element that is an array itself: `.spread` takes a
    /// sensitivity apart into its rows.
    fn shape_of_array(&mut self, array: &Array, parts: Vec<ShapeId>) -> ShapeId {
        let (rank, element) = (array.shape.len() as u32, self.shape_of_elements(array, parts));
        if array.has_hole() { self.handle_shape(rank, element) } else { self.array_shape(rank, element) }
    }

    fn shape_of_elements(&mut self, array: &Array, parts: Vec<ShapeId>) -> ShapeId {
        match &array.elements {
            Elements::Real(_) => REAL,
            Elements::Int(_) => INT,
            Elements::Bool(_) => BOOL,
            Elements::Values(_) => {
                let element = parts.into_iter().fold(NEVER, |all, one| self.graph.join(all, one));
                self.with_rows_collected(element)
            }
        }
    }
}

/// What is still to be done with a value.
enum Visit {
    Before(Value),
    /// So many parts have been looked at.
    After(Value, usize),
}

/// The object that a value is, if others may share it.
fn identity(value: &Value) -> Option<*const ()> {
    match value {
        Value::Data(data) => Some(Rc::as_ptr(data).cast()),
        Value::Array(array) => Some(Rc::as_ptr(array).cast()),
        Value::Function(function) => Some(Rc::as_ptr(function).cast()),
        Value::Sparse(sensitivity) => Some(Rc::as_ptr(sensitivity).cast()),
        _ => None,
    }
}

/// What the shape of a value depends on.
fn parts_of(value: &Value) -> Vec<Value> {
    match value {
        Value::Data(data) => data.fields.clone(),
        Value::Array(array) => match &array.elements {
            Elements::Values(values) => values.iter().chain(values.sample()).cloned().collect(),
            Elements::Real(_) | Elements::Int(_) | Elements::Bool(_) => vec![],
        },
        Value::Function(function) => match &**function {
            Function::Prim { .. } => vec![],
            Function::Closure(closure) => closure.env.0.clone(),
            Function::Sealed { raw, f, x, y, .. } => [raw, f, x, y].map(Value::clone).into(),
        },
        Value::Sparse(sensitivity) if !sensitivity.is_zero() => {
            sparse::dense(sensitivity).map_or(vec![], |array| parts_of(&Value::Array(array)))
        }
        _ => vec![],
    }
}
