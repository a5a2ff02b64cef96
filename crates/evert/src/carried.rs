//! What a step gets from steps before it: does it hold the linear part of a derivative?
//!
//! In: a value. Out: whether a backpropagator, or what `linearize` gives, is in it. What always holds: code for arrays of one shape checks that
//! they have it where the function itself runs, so a linear part that comes from another step has nobody who checks: an operand may have been
//! repeated there.

use std::collections::HashSet;
use std::rc::Rc;

use calculus::Role;
use eval::value::{Function, Holds};
use eval::{Value, array::Elements};

/// Does the value hold the linear part of a derivative?
pub fn holds_linear_part(value: &Value) -> bool {
    let (mut left, mut seen) = (vec![value.clone()], HashSet::new());
    while let Some(value) = left.pop() {
        if !value.holds().has(Holds::FUNCTION) {
            continue;
        }
        match &value {
            Value::Function(function) => match &**function {
                Function::Prim { .. } => {}
                Function::Sealed { .. } => return true,
                Function::Closure(closure) => {
                    let role = closure.code.group.members[closure.member as usize].role;
                    if matches!(role, Role::Backpropagator | Role::Forward) {
                        return true;
                    }
                    if seen.insert(Rc::as_ptr(&closure.env)) {
                        left.extend(closure.env.0.iter().cloned());
                    }
                }
            },
            Value::Data(data) => left.extend(data.fields.iter().cloned()),
            Value::Array(array) => {
                if let Elements::Values(elements) = &array.elements {
                    left.extend(elements.iter().cloned());
                }
            }
            Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Text(_) | Value::Zero | Value::Sparse(_) => {}
            // It isn't known before it unfolds.
            Value::Lazy(_) => return true,
        }
    }
    false
}
