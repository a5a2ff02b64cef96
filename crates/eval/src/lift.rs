//! J and J⁻¹ on values.
//!
//! J is the identity on data without functions. A closure ⟨ρ, λ⟩ becomes ⟨J∘ρ, λ⃖⟩, a primitive its in-language
//! reverse; J⁻¹ undoes both by the links from derived code to its primal. Parts are converted when they are
//! looked at, so both cost O(1) on data and O(captures) on functions. A T-image is no J-image: J⁻¹ of it is an error.

use std::rc::Rc;

use base::codes;
use differentiate::links::{self, Lifted};

use crate::array::{Array, Elements};
use crate::code::Remembered;
use crate::fault::{Fault, Result};
use crate::lazy::force;
use crate::show;
use crate::value::{Closure, Env, Function, Holds, Suspended, Value};

/// `J^by` of a value (J⁻¹ for negative `by`), suspended where it holds functions.
pub fn lift(value: &Value, by: i32) -> Value {
    if by == 0 || !value.holds().has(Holds::FUNCTION) {
        return value.clone();
    }
    if let Value::Lazy(lazy) = value
        && let Suspended::Lifted { of, by: already } = &lazy.kind
    {
        return lift(of, already + by);
    }
    Value::suspend(Suspended::Lifted { of: value.clone(), by })
}

/// One level of [`lift`].
pub fn unfold(value: &Value, by: i32) -> Result<Value> {
    Ok(match force(value)? {
        Value::Function(function) => Value::Function(lift_function(&function, by)?),
        Value::Data(data) => Value::data(data.form.clone(), data.fields.iter().map(|field| lift(field, by)).collect()),
        Value::Array(array) => match &array.elements {
            Elements::Values(values) => {
                let elements = Elements::Values(values.map(|value| lift(value, by)));
                Value::array(Array::new(array.shape.clone(), elements))
            }
            Elements::Real(_) | Elements::Int(_) | Elements::Bool(_) => Value::Array(array),
        },
        ground => ground,
    })
}

fn lift_function(function: &Rc<Function>, by: i32) -> Result<Rc<Function>> {
    if by == 0 {
        return Ok(function.clone());
    }
    match &**function {
        Function::Prim { prim, order } => match order.checked_add_signed(by) {
            Some(order) => Ok(Rc::new(Function::Prim { prim: *prim, order })),
            None => not_a_derivative(function),
        },
        Function::Sealed { raw, f, x, y, modes } => match links::lift_modes(modes, by) {
            Some(modes) => {
                let [raw, f, x, y] = [raw, f, x, y].map(|part| lift(part, by));
                Ok(Rc::new(Function::Sealed { raw, f, x, y, modes }))
            }
            None => not_a_derivative(function),
        },
        Function::Closure(closure) => lift_closure(function, closure, by),
    }
}

fn lift_closure(function: &Rc<Function>, closure: &Closure, by: i32) -> Result<Rc<Function>> {
    let code = match links::lift_code(&Remembered, &closure.code, by) {
        Lifted::Code(code) => code,
        Lifted::Attached { undone } => return lift_attached(function, closure, undone as i32, by),
        Lifted::NoImage => return not_a_derivative(function),
    };
    let env = Rc::new(Env(closure.env.0.iter().map(|value| lift(value, by)).collect()));
    Ok(Rc::new(Function::Closure(Closure { code, member: closure.member, env, holds: closure.holds })))
}

/// `J⁻¹(v1 <~ v2) = (J⁻¹ v1) <~ (v1 <~ v2)`
fn lift_attached(function: &Rc<Function>, closure: &Closure, undone: i32, by: i32) -> Result<Rc<Function>> {
    let attached = lift_function(function, -undone)?;
    let Function::Closure(inner) = &*attached else { unreachable!("J⁻¹ of a closure is a closure") };
    let primal = lift(&inner.env.0[0], -1);
    let env = Rc::new(Env(vec![primal, Value::Function(attached.clone())]));
    let code = inner.code.clone();
    let once = Rc::new(Function::Closure(Closure { code, member: closure.member, env, holds: closure.holds }));
    lift_function(&once, by + undone + 1)
}

fn not_a_derivative<T>(function: &Rc<Function>) -> Result<T> {
    let shown = show::short(&Value::Function(function.clone()));
    Fault::new(codes::NOT_A_DERIVATIVE, format!("J_inv of {shown}, which is no J-image"))
        .note("J_inv undoes J: it is defined on values of the form `J(v)`")
        .help("apply J_inv to what `J` returned, or a function under `J` that was called at `J(x)`; otherwise leave it out")
        .err()
}
