//! Ends a computation at the first operation that makes a NaN or an infinity of finite numbers.
//!
//! Functions that are passed to the library are looked at themselves, when they run. What is symbolically zero, or not yet unfolded, is finite.

use base::codes;
use calculus::Lambda;

use super::{Operation, Watch, What};
use crate::array::Elements;
use crate::fault::{Fault, Result};
use crate::show;
use crate::value::{Function, Holds, Value};

/// How deep data is looked through.
const DEPTH: usize = 8;

pub struct Finite;

impl Watch for Finite {
    fn entered(&mut self, _: &Lambda, _: &Value) {}

    fn made(&mut self, operation: &Operation, value: &Value) -> Result<()> {
        let whose = match &operation.what {
            What::Prim(prim) => format!("`{prim}`"),
            What::Library(name) => format!("`{name}` of the library"),
            What::Backpropagator => "the derivative of this operation".to_string(),
            What::Function | What::Data => return Ok(()),
        };
        let Some(found) = first_not_finite(value, DEPTH) else { return Ok(()) };
        let callbacks = operation.what != What::Backpropagator && operation.operands.iter().any(holds_functions);
        if callbacks || operation.operands.iter().any(|operand| first_not_finite(operand, DEPTH).is_some()) {
            return Ok(());
        }
        let mut fault = Fault::new(codes::NOT_FINITE, format!("{whose} makes {} of finite numbers", show::real(found)));
        let operands = operation.operands.iter().filter(|operand| operand.holds().has(Holds::REAL));
        for operand in operands.filter(|operand| !holds_functions(operand)).take(6) {
            fault = fault.note(format!("an operand is {}", show::short(operand)));
        }
        Err(fault.note(format!("its value is {}", show::short(value))).place(operation.span))
    }
}

fn holds_functions(value: &Value) -> bool {
    value.holds().has(Holds::FUNCTION)
}

/// The first real in a value that is a NaN or infinite.
fn first_not_finite(value: &Value, depth: usize) -> Option<f64> {
    let wrong = |x: &f64| (!x.is_finite()).then_some(*x);
    match value {
        Value::Real(x) => wrong(x),
        Value::Array(array) => match &array.elements {
            Elements::Real(reals) => reals.iter().find_map(wrong),
            Elements::Values(values) if depth > 0 => values.iter().find_map(|value| first_not_finite(value, depth - 1)),
            _ => None,
        },
        Value::Data(data) if depth > 0 => data.fields.iter().find_map(|field| first_not_finite(field, depth - 1)),
        Value::Function(function) if depth > 0 => match &**function {
            Function::Closure(closure) => {
                closure.env.0.iter().find_map(|captured| first_not_finite(captured, depth - 1))
            }
            Function::Prim { .. } | Function::Sealed { .. } => None,
        },
        _ => None,
    }
}
