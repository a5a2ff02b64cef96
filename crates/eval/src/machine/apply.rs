//! Application: what happens when a function meets its argument, and when a result meets the frame that waits for it.

use std::rc::Rc;

use base::{Span, codes};
use calculus::Prim;
use differentiate::boundary::Application;

use super::{Call, Flow, Frame, MAX_CALLS, MAX_SLOTS, Machine, Next, function_order, not_a_function, not_lifted};
use crate::code::Code;
use crate::fault::{Fault, Result};
use crate::lazy::force;
use crate::observe::Occasion;
use crate::seal::{Lifted, Seal};
use crate::sensitivity::plus;
use crate::value::{Env, Function, Value};
use crate::{lift, parts, prims, probe, seal, tangent, work};

impl Machine {
    /// Applies a function. In code that J made (`order` > 0) it must be a J-image (C1).
    pub(crate) fn apply(&mut self, f: &Value, x: Value, order: u32, span: Span) -> Result<Flow> {
        let f = force(f)?;
        let Value::Function(function) = &f else {
            if matches!(f, Value::Zero) {
                return Ok(Flow::Value(Value::Zero));
            }
            return not_a_function(&f, &x);
        };
        let lifted = function_order(function);
        if order > lifted {
            return not_lifted(&f);
        }
        if let Some(flow) = self.still(function, &x, order, span)? {
            return Ok(flow);
        }
        // Derived code gets raw backpropagators, a program sealed ones.
        if order < lifted && !matches!(&**function, Function::Sealed { .. }) {
            self.frames.push(Frame::Lifted(Lifted { call: Application { f: f.clone(), x: x.clone() }, from: order }));
        }
        match &**function {
            Function::Prim { prim, order: 0 } => prims::apply(self, *prim, x, span),
            Function::Prim { prim, .. } => {
                let derivative = self.rule(&self.derivatives, *prim, lifted - 1)?;
                self.apply(&derivative, x, lifted - 1, span)
            }
            Function::Closure(closure) => {
                if self.observed.as_ref().is_some_and(|uses| uses.wants(closure)) {
                    self.observe(&f, &x, Occasion::Called);
                }
                self.enter(closure.code.clone(), closure.member, &closure.env, x, span)?;
                Ok(Flow::Entered)
            }
            Function::Sealed { raw, f, x: argument, y, modes } => {
                let d = seal::accept(f, y, modes, x)?;
                let (raw, modes) = (raw.clone(), modes.clone());
                let of = Application { f: f.clone(), x: argument.clone() };
                self.frames.push(Frame::Seal(Seal { raw: raw.clone(), of, d: d.clone(), modes }));
                match self.run_raw(&raw, d, span)? {
                    Flow::Entered => Ok(Flow::Entered),
                    Flow::Value(value) => {
                        let Some(Frame::Seal(seal)) = self.frames.pop() else { unreachable!("machine: a seal") };
                        Ok(Flow::Value(seal.full(&value)?))
                    }
                }
            }
        }
    }

    /// Applies a backpropagator in derived code: to zero, it gives zero without being run. Under J only what can't
    /// be anything but zero counts: a sensitivity that happens to be zero may be what we differentiate by.
    pub(super) fn pull(&mut self, b: &Value, d: Value, order: u32, span: Span) -> Result<Flow> {
        let d = if order == 0 { d.raw() } else { d };
        if matches!(d, Value::Zero) || d.is_unit() || tangent::pulls_nothing(b, &d, order) {
            return Ok(Flow::Value(Value::Zero));
        }
        self.run_raw(b, d, span)
    }

    /// Applies what is under the seals of a backpropagator.
    pub(super) fn run_raw(&mut self, b: &Value, d: Value, span: Span) -> Result<Flow> {
        let b = force(b)?;
        match &b {
            Value::Function(function) => match &**function {
                Function::Sealed { raw, .. } => self.run_raw(raw, d, span),
                Function::Prim { .. } | Function::Closure(_) => self.apply(&b, d, 0, span),
            },
            _ => self.apply(&b, d, 0, span),
        }
    }

    /// `J^order` of a primitive's derivative.
    pub(super) fn rule(&self, rules: &[Option<Value>], prim: Prim, order: u32) -> Result<Value> {
        match &rules[prim as usize] {
            Some(rule) => Ok(lift::lift(rule, order as i32)),
            None => unreachable!("machine: the primitive `{prim}` has no derivative"),
        }
    }

    pub(super) fn enter(&mut self, code: Rc<Code>, member: u32, env: &Rc<Env>, x: Value, from: Span) -> Result<()> {
        if self.calls >= MAX_CALLS || self.slots.len() >= MAX_SLOTS {
            return self.too_deep(&code, member);
        }
        let body = code.body(member).clone();
        let base = self.slots.len();
        self.slots.push(x);
        self.slots.extend(env.0.iter().cloned());
        let first_member = self.slots.len();
        self.slots.resize(base + body.slots, Value::Zero);
        for &sibling in &body.members {
            let value = Value::closure(code.clone(), sibling, env.clone());
            self.slots[first_member + sibling as usize] = value;
        }
        self.calls += 1;
        let call = Call { code, member, body, pc: 0, dest: 0, base, from, instead_of: None, turns: 0 };
        self.frames.push(Frame::Call(call));
        if self.watch.is_some() {
            let x = self.slots[base].clone();
            self.begins(&x);
        }
        Ok(())
    }

    fn too_deep<T>(&self, code: &Code, member: u32) -> Result<T> {
        let name = code.lambda(member).name.map_or("an unnamed function".into(), |name| format!("`{name}`"));
        Fault::new(codes::RECURSION_TOO_DEEP, format!("{name} calls itself without end, or too deeply"))
            .note(format!("calls may nest {MAX_CALLS} deep; calls in tail position don't count"))
            .help("check the condition that ends the recursion, or use `iterate`, `fold` or `while_loop`")
            .err()
    }

    /// Hands a result to the frame that waits for it.
    pub(super) fn deliver(&mut self, mut value: Value) -> Result<Next> {
        loop {
            if self.watch.is_some() {
                self.has_come(&value)?;
            }
            match self.frames.last_mut() {
                None => return Ok(Next::Done(value)),
                Some(Frame::Call(call)) => {
                    self.slots[call.base + call.dest as usize] = value;
                    return Ok(Next::Frame);
                }
                Some(Frame::Tabulate { .. }) => match self.tabulated(value)? {
                    Flow::Value(next) => value = next,
                    Flow::Entered => return Ok(Next::Frame),
                },
                Some(Frame::Seal(seal)) => {
                    value = seal.full(&value)?;
                    self.frames.pop();
                }
                Some(Frame::Lifted(lifted)) => {
                    value = lifted.sealed(&value)?;
                    self.frames.pop();
                }
                Some(Frame::Still) => {
                    value = Value::pair(value, Value::Zero);
                    self.frames.pop();
                }
                Some(Frame::Quiet) => {
                    self.quiet -= 1;
                    self.frames.pop();
                }
                Some(Frame::Probe(_)) => value = self.probed(Some(value)),
            }
        }
    }

    /// Begins `tabulate(n, f)` or `⊕` of `f(0)…f(n-1)`.
    pub(crate) fn tabulate(&mut self, n: usize, f: Value, sum: Option<Value>, span: Span) -> Result<Flow> {
        if n == 0
            && let Some(sum) = sum
        {
            return Ok(Flow::Value(sum));
        }
        if sum.is_none() && (n == 0 || self.probes_inside()) {
            return self.probe(&f, span);
        }
        let values = if sum.is_some() { vec![] } else { Vec::with_capacity(n.min(1 << 20)) };
        self.frames.push(Frame::Tabulate { f: f.clone(), n, values, sum, span });
        match self.apply(&f, Value::Int(0), 0, span)? {
            Flow::Entered => Ok(Flow::Entered),
            Flow::Value(value) => match self.tabulated(value)? {
                Flow::Entered => Ok(Flow::Entered),
                Flow::Value(value) => Ok(Flow::Value(value)),
            },
        }
    }

    /// Takes one value of the tabulation on top and goes on to the next, or finishes it.
    pub(super) fn tabulated(&mut self, mut value: Value) -> Result<Flow> {
        loop {
            work::add(1);
            let Some(Frame::Tabulate { f, n, values, sum, span }) = self.frames.last_mut() else {
                unreachable!("machine: a tabulation is on top")
            };
            let span = *span;
            if probe::is_active() {
                // Values of one kind: the first says it all.
                values.resize(*n - 1, value.clone());
            }
            let done = match sum {
                None => {
                    values.push(value);
                    values.len()
                }
                Some(total) => {
                    let sum = plus(std::mem::replace(total, Value::Zero), value);
                    *total = sum.map_err(|fault| fault.of_waiting(span))?;
                    values.push(Value::Zero);
                    values.len()
                }
            };
            if done == *n {
                let Some(Frame::Tabulate { values, sum, .. }) = self.frames.pop() else { unreachable!() };
                return match sum {
                    Some(total) => Ok(Flow::Value(total)),
                    // The instruction that runs is the end of `f`.
                    None => parts::array(values).map(Flow::Value).map_err(|fault| fault.of_waiting(span)),
                };
            }
            let f = f.clone();
            match self.apply(&f, Value::Int(done as i64), 0, span)? {
                Flow::Entered => return Ok(Flow::Entered),
                Flow::Value(next) => value = next,
            }
        }
    }
}
