//! Probes: what the elements of `tabulate(0, f)` would be.
//!
//! The language is pure, so f(0) may be computed though nobody asked for it; of the result only the kind is kept
//! ([`Array::none_like`]). A probe has a budget, which probes inside share, and leaves no traces: prints are dropped, the work
//! isn't counted, rules that it uses aren't observed. If f(0) fails or the budget ends, nobody knows what the elements
//! would be, as in the literal `[]`.

use std::rc::Rc;

use base::Span;
use calculus::Group;

use super::{Flow, Frame, Machine};
use crate::array::Array;
use crate::fault::Result;
use crate::lazy::forced;
use crate::value::{Function, Value};
use crate::{parts, probe, sparse, work};

/// So much work may a probe do, all probes inside it included.
const BUDGET: u64 = 1 << 12;

/// A probe that runs, and what the machine was like before.
pub(crate) struct Probe {
    /// The function whose result we look at.
    function: Option<(*const Group, u32)>,
    slots: usize,
    calls: usize,
    quiet: u32,
    work: u64,
    limit: u64,
    /// Is it part of another?
    is_inner: bool,
}

impl Machine {
    /// Begins to find out what the elements of `tabulate(0, f)` would be: the array without elements.
    pub(super) fn probe(&mut self, f: &Value, span: Span) -> Result<Flow> {
        let function = identity(f);
        // A function that needs itself says nothing about its result.
        if function.is_some() && self.probes().any(|running| running.function == function) {
            return Ok(Flow::Value(parts::array(vec![])?));
        }
        let (slots, calls, quiet, limit) = (self.slots.len(), self.calls, self.quiet, self.limit);
        let is_inner = probe::is_active();
        self.frames.push(Frame::Probe(Probe { function, slots, calls, quiet, work: work::done(), limit, is_inner }));
        self.quiet += 1;
        if !is_inner {
            probe::set_active(true);
            self.limit = limit.min(work::done().saturating_add(BUDGET));
        }
        match self.apply(f, Value::Int(0), 0, span) {
            Ok(Flow::Entered) => Ok(Flow::Entered),
            Ok(Flow::Value(element)) => Ok(Flow::Value(self.probed(Some(element)))),
            Err(_) => Ok(Flow::Value(self.gave_up().unwrap_or(Value::Zero))),
        }
    }

    /// Ends the probe on top: the array without elements.
    pub(super) fn probed(&mut self, element: Option<Value>) -> Value {
        let none = element.and_then(|element| none_like(element).ok());
        let Some(Frame::Probe(probe)) = self.frames.pop() else { unreachable!("machine: a probe is on top") };
        self.slots.truncate(probe.slots);
        (self.calls, self.quiet) = (probe.calls, probe.quiet);
        if !probe.is_inner {
            probe::set_active(false);
            self.limit = probe.limit;
            work::restore(probe.work);
        }
        Value::array(none.unwrap_or_else(Array::unknown))
    }

    /// Something failed. If it was in a probe, what that finds out: nothing.
    pub(super) fn gave_up(&mut self) -> Option<Value> {
        if !probe::is_active() {
            return None;
        }
        let at = self.frames.iter().rposition(|frame| matches!(frame, Frame::Probe(_)))?;
        self.frames.truncate(at + 1);
        Some(self.probed(None))
    }

    fn probes(&self) -> impl Iterator<Item = &Probe> {
        // Where none runs there is no need to look through all calls.
        let frames = if probe::is_active() { &self.frames[..] } else { &[] };
        frames.iter().rev().filter_map(|frame| if let Frame::Probe(probe) = frame { Some(probe) } else { None })
    }
}

fn none_like(element: Value) -> Result<Array> {
    let element = match forced(element)? {
        Value::Sparse(sparse) => Value::Array(sparse::into_dense(sparse)?),
        other => other,
    };
    Ok(Array::none_like(&element))
}

fn identity(f: &Value) -> Option<(*const Group, u32)> {
    let Value::Function(function) = f else { return None };
    match &**function {
        Function::Closure(closure) => Some((Rc::as_ptr(&closure.code.group), closure.member)),
        Function::Prim { .. } | Function::Sealed { .. } => None,
    }
}
