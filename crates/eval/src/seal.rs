//! The boundary between a program and derived code, on values: [`differentiate::boundary`] says where seals go.

use std::rc::Rc;

use calculus::Field;
use differentiate::Mode;
use differentiate::boundary::{self, Application, Boundary};

use crate::fault::{Fault, Result};
use crate::sensitivity::full;
use crate::value::{Function, Value};
use crate::{parts, prims};

/// A call of a J-image from code of the lower order `from`.
pub(crate) struct Lifted {
    pub call: Application<Value>,
    pub from: u32,
}

/// A sealed backpropagator at work: `raw` of the call `of`, pulled at `d`.
pub(crate) struct Seal {
    pub raw: Value,
    pub of: Application<Value>,
    pub d: Value,
    pub modes: Vec<Mode>,
}

impl Lifted {
    /// The result of the call, with the backpropagators sealed that the calling program asked for.
    pub fn sealed(&self, value: &Value) -> Result<Value> {
        let modes: Vec<Mode> = match &self.call.f {
            Value::Function(function) => match &**function {
                Function::Closure(closure) => closure.code.modes().collect(),
                Function::Prim { order, .. } => vec![Mode::Reverse; *order as usize],
                Function::Sealed { .. } => vec![],
            },
            _ => vec![],
        };
        boundary::seal_result(&mut Values { f: &self.call.f }, &modes, value, self.call.clone(), self.from)
    }
}

impl Seal {
    /// The answer of the backpropagator in full shape.
    pub fn full(&self, value: &Value) -> Result<Value> {
        let pull = Application { f: self.raw.clone(), x: self.d.clone() };
        boundary::full_answer(&mut Values { f: &self.of.f }, &self.modes, value, pull, &self.of)
    }
}

/// The sensitivity that a program gives to a sealed backpropagator of `f`, checked
pub(crate) fn accept(f: &Value, y: &Value, modes: &[Mode], d: Value) -> Result<Value> {
    boundary::accept(&mut Values { f }, modes, y, d)
}

/// Values at the boundary of this function
struct Values<'a> {
    f: &'a Value,
}

impl Boundary for Values<'_> {
    type Value = Value;
    type Error = Box<Fault>;

    fn half(&mut self, pair: &Value, at: u32) -> Result<Value> {
        parts::get(pair, &Field::Position(at))
    }

    fn pair(&mut self, first: Value, second: Value) -> Result<Value> {
        Ok(Value::pair(first, second))
    }

    fn primal(&mut self, image: &Value) -> Result<Value> {
        match image {
            Value::Function(function) => match &**function {
                Function::Closure(closure) => Ok(closure.env.0[0].clone()),
                Function::Sealed { raw, .. } => self.primal(raw),
                Function::Prim { .. } => Ok(image.clone()),
            },
            other => Ok(other.clone()),
        }
    }

    fn sealed(
        &mut self,
        raw: Value,
        Application { f, x }: Application<Value>,
        y: Value,
        modes: Vec<Mode>,
    ) -> Result<Value> {
        Ok(Value::Function(Rc::new(Function::Sealed { raw, f, x, y, modes })))
    }

    fn full(&mut self, of: &Value, d: Value) -> Result<Value> {
        Ok(full(of, d))
    }

    fn accept(&mut self, y: &Value, d: Value) -> Result<Value> {
        prims::accept(self.f, y, d)
    }
}
