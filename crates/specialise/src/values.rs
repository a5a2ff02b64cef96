//! The shapes of values that exist already: globals.

use std::rc::Rc;

use base::{Span, codes};
use calculus::GlobalId;
use eval::array::{Array, Elements};
use eval::value::{Form, Function, Value};
use first_order::{Atom, Head, ShapeId};
use rustc_hash::FxHashMap;

use crate::graph::{BOOL, INT, NEVER, REAL, TEXT, ZERO};
use crate::instances::Specialiser;
use crate::{Result1, Val};

impl Specialiser<'_> {
    /// `J^order` of a global: a constant if it is small, else an argument of the program.
    pub fn global(&mut self, id: GlobalId, order: u32, span: Span) -> Result1<Val> {
        let Some(value) = self.world.global(id) else { return self.fail(codes::READ_BEFORE_DEFINED, span) };
        let Ok(value) = eval::force(&value) else { return self.dynamic(span, "a global that can't be computed") };
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

    pub fn shape_of(&mut self, value: &Value, span: Span) -> Result1<ShapeId> {
        self.shape_of_shared(value, span, &mut FxHashMap::default())
    }

    fn shape_of_shared(
        &mut self,
        value: &Value,
        span: Span,
        seen: &mut FxHashMap<*const eval::value::Data, ShapeId>,
    ) -> Result1<ShapeId> {
        let Ok(value) = eval::force(value) else { return self.dynamic(span, "a value that can't be computed") };
        base::budget::deep(|| match &value {
            Value::Bool(_) => Ok(BOOL),
            Value::Int(_) => Ok(INT),
            Value::Real(_) => Ok(REAL),
            Value::Text(_) => Ok(TEXT),
            Value::Zero => Ok(ZERO),
            Value::Data(data) => {
                if let Some(shape) = seen.get(&Rc::as_ptr(data)) {
                    return Ok(*shape);
                }
                let mut parts = vec![];
                for field in &data.fields {
                    parts.push(self.shape_of_shared(field, span, seen)?);
                }
                let head = match &data.form {
                    Form::Tuple => Head::Tuple,
                    Form::Record(labels) => Head::Record(labels.clone()),
                    Form::Variant(constructor) => Head::Variant(constructor.clone()),
                    Form::Part(..) => return self.dynamic(span, "a raw sensitivity in a global"),
                };
                let shape = self.graph.single(head, parts);
                seen.insert(Rc::as_ptr(data), shape);
                Ok(shape)
            }
            Value::Array(array) => {
                let element = self.element_shape(array, span, seen)?;
                Ok(self.graph.single(Head::Array(array.shape.len() as u32), vec![element]))
            }
            Value::Function(function) => match &**function {
                Function::Prim { prim, order } => {
                    Ok(self.graph.single(Head::Prim { prim: *prim, order: *order }, vec![]))
                }
                Function::Closure(closure) => {
                    let code = self.codes.of_code(&closure.code);
                    let mut parts = vec![];
                    for captured in &closure.env.0 {
                        parts.push(self.shape_of_shared(captured, span, seen)?);
                    }
                    Ok(self.graph.single(Head::Closure { code, member: closure.member }, parts))
                }
                Function::Sealed { raw, f, x, y, modes } => {
                    let mut parts = vec![];
                    for part in [raw, f, x, y] {
                        parts.push(self.shape_of_shared(part, span, seen)?);
                    }
                    Ok(self.graph.single(Head::Sealed { modes: modes.clone().into() }, parts))
                }
            },
            Value::Sparse(frame) if frame.is_zero() => {
                let rank = frame.shape.len();
                Ok(self.graph.single(Head::Frame(rank as u32), vec![INT; rank]))
            }
            Value::Sparse(_) | Value::Lazy(_) => self.dynamic(span, "a raw sensitivity in a global"),
        })
    }

    fn element_shape(
        &mut self,
        array: &Array,
        span: Span,
        seen: &mut FxHashMap<*const eval::value::Data, ShapeId>,
    ) -> Result1<ShapeId> {
        match &array.elements {
            Elements::Real(_) => Ok(REAL),
            Elements::Int(_) => Ok(INT),
            Elements::Bool(_) => Ok(BOOL),
            Elements::Values(values) => {
                let mut shape = NEVER;
                for value in values.iter().chain(values.sample()) {
                    let element = self.shape_of_shared(value, span, seen)?;
                    shape = self.graph.join(shape, element);
                }
                Ok(shape)
            }
        }
    }
}
