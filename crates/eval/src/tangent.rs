//! T on function values, and what the machine knows about T-images: a call whose tangents are all zero is the call
//! of the function itself.
//!
//! T of a closure ⟨ρ, λ⟩ whose captures change by d is ⟨[f, d], T λ⟩. T of a primitive is that of `x => p(x)`, T of a
//! sealed backpropagator is sealed again around T of what is inside.

use std::rc::Rc;

use base::Span;
use calculus::Prim;
use differentiate::{Mode, eta, links};

use crate::code::{Code, Remembered};
use crate::fault::Result;
use crate::lazy::force;
use crate::machine::{Flow, Frame, Machine, function_order, not_a_function, not_lifted};
use crate::prims;
use crate::value::{Env, Form, Function, Value};

impl Machine {
    /// `J^order` of T of the function that `f` is J^order of, whose captures change by `d`.
    pub(crate) fn tangent(&mut self, f: &Value, d: Value, order: u32) -> Result<Value> {
        let f = force(f)?;
        let Value::Function(function) = &f else {
            return if matches!(f, Value::Zero) { Ok(f) } else { not_a_function(&f, &d) };
        };
        if function_order(function) < order {
            return not_lifted(&f);
        }
        let (code, member) = match &**function {
            Function::Closure(closure) => (closure.code.clone(), closure.member),
            Function::Prim { prim, order } => (links::reversed(&Remembered, &self.eta(*prim), *order), 0),
            Function::Sealed { raw, f, x, y, modes } => {
                let raw = self.tangent(raw, d, order)?;
                let (modes, f, x, y) = (links::push_modes(modes, order), f.clone(), x.clone(), y.clone());
                return Ok(Value::Function(Rc::new(Function::Sealed { raw, f, x, y, modes })));
            }
        };
        let Some(code) = links::pushed_under(&Remembered, &code, order) else { return not_lifted(&f) };
        // Under J a sensitivity that happens to be zero may be what we differentiate by.
        let d = if order == 0 { d.raw() } else { d };
        Ok(Value::closure(code, member, Rc::new(Env(vec![f, d]))))
    }

    /// The code of `x => p(x)`, remembered.
    fn eta(&mut self, prim: Prim) -> Rc<Code> {
        self.etas.entry(prim).or_insert_with(|| Code::new(Rc::new(eta(prim)))).clone()
    }

    /// A call of a T-image (or of a primitive's forward rule) at tangents that are all zero.
    pub(crate) fn still(&mut self, function: &Function, x: &Value, order: u32, span: Span) -> Result<Option<Flow>> {
        let Function::Closure(closure) = function else { return Ok(None) };
        let rule_of = closure.code.forward_of.get();
        let is_still = rule_of.is_some() || (closure.code.is_pushed() && is_zero(&closure.env.0[1]));
        if !is_still {
            return Ok(None);
        }
        let Value::Data(pair) = x else { return Ok(None) };
        let (Form::Tuple, [x, dx]) = (&pair.form, &pair.fields[..]) else { return Ok(None) };
        // Of an array that has no elements a rule would make an array, and of its sum the number 0.
        let makes_arrays = matches!(rule_of, Some(Prim::Tabulate | Prim::Concat));
        if !(is_zero(dx) || makes_arrays && vanishes(dx, VANISHING_DEPTH)) {
            return Ok(None);
        }
        self.frames.push(Frame::Still);
        let flow = match rule_of {
            Some(prim) => prims::apply(self, *prim, x.clone(), span)?,
            None => {
                let f = crate::parts::get(&closure.env.0[0], &calculus::Field::Member(closure.member))?;
                self.apply(&f, x.clone(), order, span)?
            }
        };
        if let Flow::Value(value) = flow {
            self.frames.pop();
            return Ok(Some(Flow::Value(Value::pair(value, Value::Zero))));
        }
        Ok(Some(Flow::Entered))
    }
}

/// How deep a tangent is searched for what isn't zero.
pub const VANISHING_DEPTH: usize = 4;

/// Is this tangent nothing but symbolic zeros, down to this depth?
fn vanishes(d: &Value, depth: usize) -> bool {
    match d {
        _ if depth == 0 => false,
        Value::Zero => true,
        Value::Data(data) if !matches!(data.form, Form::Variant(_)) => {
            data.fields.iter().all(|d| vanishes(d, depth - 1))
        }
        _ => false,
    }
}

/// Is this tangent nothing but symbolic zeros, as far as one can see at once?
fn is_zero(d: &Value) -> bool {
    match d.clone().raw() {
        Value::Zero => true,
        Value::Data(data) => data.fields.iter().all(|d| matches!(d, Value::Zero) || d.is_unit()),
        _ => false,
    }
}

/// Does a backpropagator under T, pulled at a pair of a sensitivity and its tangent, give zero without being run? A
/// symbolic zero has no tangent; under J only what can't be anything but zero counts.
pub(crate) fn pulls_nothing(b: &Value, d: &Value, order: u32) -> bool {
    let Value::Function(function) = b else { return false };
    let pushes = match &**function {
        Function::Closure(closure) => closure.code.modes().filter(|mode| *mode == Mode::Forward).count(),
        Function::Sealed { modes, .. } => modes.iter().filter(|mode| **mode == Mode::Forward).count(),
        Function::Prim { .. } => 0,
    };
    pushes > 0 && is_nothing(d, pushes, order)
}

fn is_nothing(d: &Value, pushes: usize, order: u32) -> bool {
    match d {
        Value::Zero => true,
        d if d.is_unit() => true,
        Value::Data(pair) if pushes > 0 => match &pair.fields[..] {
            [d, dd] => {
                is_nothing(d, pushes - 1, u32::MAX) || (order == 0 && is_nothing(d, pushes - 1, 0) && is_zero(dd))
            }
            _ => false,
        },
        d => order == 0 && matches!(d.clone().raw(), Value::Zero),
    }
}
