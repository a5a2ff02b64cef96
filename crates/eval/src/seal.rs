//! The boundary between a program and derived code.
//!
//! Derived code hands raw sensitivities around: parts may be missing or the symbolic zero. A program that calls a
//! J-image gets a *sealed* backpropagator instead: when it calls that, the sensitivity it gives is checked, and the
//! answer has the full shape of the function and the argument. Derived code pulls through a seal as if it weren't there.
//!
//! J and T may have been applied to the program itself. A result under J is a pair with the backpropagator of the
//! call, under T a pair with the tangent, the last one outermost; the seal goes to the backpropagators that the program
//! asked for. Tangents stay raw.

use std::rc::Rc;

use calculus::Field;
use differentiate::Mode;

use crate::fault::Result;
use crate::sensitivity::full;
use crate::value::{Function, Value};
use crate::{parts, prims};

/// A call of a J-image from code of the lower order `from`.
pub(crate) struct Lifted {
    pub f: Value,
    pub x: Value,
    pub from: u32,
}

/// A sealed backpropagator at work: `raw` of `f` at `x`, pulled at `d`.
pub(crate) struct Seal {
    pub raw: Value,
    pub f: Value,
    pub x: Value,
    pub d: Value,
    pub modes: Vec<Mode>,
}

/// A function and its argument, beneath the T-images that were peeled off.
#[derive(Clone)]
struct Beneath {
    f: Value,
    x: Value,
    /// How many Js were peeled off.
    depth: u32,
}

impl Beneath {
    /// A T-image captures the function it was made of; its argument is a pair with the tangent.
    fn under_tangent(self) -> Result<Beneath> {
        Ok(Beneath { f: primal(&self.f), x: position(&self.x, 0)?, depth: self.depth })
    }

    fn sealed(self, raw: Value, y: Value) -> Value {
        let modes = vec![Mode::Reverse; self.depth as usize];
        Value::Function(Rc::new(Function::Sealed { raw, f: self.f, x: self.x, y, modes }))
    }
}

fn primal(f: &Value) -> Value {
    match f {
        Value::Function(function) => match &**function {
            Function::Closure(closure) => closure.env.0[0].clone(),
            Function::Sealed { raw, .. } => primal(raw),
            Function::Prim { .. } => f.clone(),
        },
        other => other.clone(),
    }
}

fn position(value: &Value, at: u32) -> Result<Value> {
    parts::get(value, &Field::Position(at))
}

impl Lifted {
    /// The result of the call, with the backpropagators of those Js sealed that the calling program wrote itself: the
    /// first ones.
    pub fn sealed(&self, value: &Value) -> Result<Value> {
        let modes: Vec<Mode> = match &self.f {
            Value::Function(function) => match &**function {
                Function::Closure(closure) => closure.code.modes().collect(),
                Function::Prim { order, .. } => vec![Mode::Reverse; *order as usize],
                Function::Sealed { .. } => vec![],
            },
            _ => vec![],
        };
        self.under(&modes, value, Beneath { f: self.f.clone(), x: self.x.clone(), depth: 0 })
    }

    fn under(&self, modes: &[Mode], value: &Value, beneath: Beneath) -> Result<Value> {
        let Some((mode, modes)) = modes.split_first() else { return Ok(value.clone()) };
        let (inner, outer) = (position(value, 0)?, position(value, 1)?);
        match mode {
            Mode::Forward => Ok(Value::pair(self.under(modes, &inner, beneath.under_tangent()?)?, outer)),
            Mode::Reverse => {
                let deeper = Beneath { depth: beneath.depth + 1, ..beneath.clone() };
                let y = self.under(modes, &inner, deeper)?;
                let back = if beneath.depth < self.from { outer } else { beneath.sealed(outer, y.clone()) };
                Ok(Value::pair(y, back))
            }
        }
    }
}

impl Seal {
    /// The answer of the backpropagator in the full shape of `f` and `x`. Under J the answer is a pair: the answer
    /// proper and its backpropagator, which is sealed in turn.
    pub fn full(&self, value: &Value) -> Result<Value> {
        self.under(&self.modes, value, Beneath { f: self.raw.clone(), x: self.d.clone(), depth: 0 })
    }

    fn under(&self, modes: &[Mode], value: &Value, beneath: Beneath) -> Result<Value> {
        let (inner, outer) = (position(value, 0)?, position(value, 1)?);
        let Some((mode, modes)) = modes.split_last() else {
            return Ok(Value::pair(full(&self.f, inner), full(&self.x, outer)));
        };
        match mode {
            Mode::Forward => Ok(Value::pair(self.under(modes, &inner, beneath.under_tangent()?)?, outer)),
            Mode::Reverse => {
                let deeper = Beneath { depth: beneath.depth + 1, ..beneath.clone() };
                let answer = self.under(modes, &inner, deeper)?;
                Ok(Value::pair(answer.clone(), beneath.sealed(outer, answer)))
            }
        }
    }
}

/// The sensitivity that a program gives to a sealed backpropagator, checked; under T it comes with its tangent.
pub(crate) fn accept(f: &Value, y: &Value, modes: &[Mode], d: Value) -> Result<Value> {
    let tangents = modes.iter().filter(|mode| **mode == Mode::Forward).count();
    accept_under(f, y, tangents, d)
}

fn accept_under(f: &Value, y: &Value, tangents: usize, d: Value) -> Result<Value> {
    if tangents == 0 {
        return prims::accept(f, y, d);
    }
    Ok(Value::pair(accept_under(f, y, tangents - 1, position(&d, 0)?)?, position(&d, 1)?))
}
