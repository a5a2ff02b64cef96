//! The boundary between a program and derived code.
//!
//! Derived code hands raw sensitivities around: parts may be missing or the symbolic zero. A program that calls a
//! J-image gets a *sealed* backpropagator instead: when it calls that, the sensitivity it gives is checked, and the
//! answer has the full shape of the function and the argument. Derived code pulls through a seal as if it weren't there.

use std::rc::Rc;

use calculus::Field;

use crate::fault::Result;
use crate::parts;
use crate::sensitivity::full;
use crate::value::{Function, Value};

/// A call of a J-image of order `to` from code of order `from`.
pub(crate) struct Lifted {
    pub f: Value,
    pub x: Value,
    pub from: u32,
    pub to: u32,
}

/// A sealed backpropagator at work: `raw` of `f` at `x`, pulled at `d`.
pub(crate) struct Seal {
    pub raw: Value,
    pub f: Value,
    pub x: Value,
    pub d: Value,
    pub order: u32,
}

impl Lifted {
    /// The result of a J-image of order m is m nested pairs, the outermost for the J that came last. Those of the
    /// first Js, which the calling program wrote itself, get their backpropagators sealed.
    pub fn sealed(&self, value: &Value, depth: u32) -> Result<Value> {
        if depth == self.to {
            return Ok(value.clone());
        }
        let part = |i| parts::get(value, &Field::Position(i));
        let (y, raw) = (self.sealed(&part(0)?, depth + 1)?, part(1)?);
        if depth < self.from {
            return Ok(Value::pair(y, raw));
        }
        let (f, x) = (self.f.clone(), self.x.clone());
        let sealed = Function::Sealed { raw, f, x, y: y.clone(), order: depth };
        Ok(Value::pair(y, Value::Function(Rc::new(sealed))))
    }
}

impl Seal {
    /// The answer of the backpropagator in the full shape of `f` and `x`. Under J the answer is a pair: the answer
    /// proper and its backpropagator, which is sealed in turn.
    pub fn full(&self, value: &Value, order: u32) -> Result<Value> {
        let part = |i| parts::get(value, &Field::Position(i));
        if order == 0 {
            return Ok(Value::pair(full(&self.f, part(0)?), full(&self.x, part(1)?)));
        }
        let answer = self.full(&part(0)?, order - 1)?;
        let (f, x, y) = (self.raw.clone(), self.d.clone(), answer.clone());
        let sealed = Function::Sealed { raw: part(1)?, f, x, y, order: self.order - order };
        Ok(Value::pair(answer, Value::Function(Rc::new(sealed))))
    }
}
