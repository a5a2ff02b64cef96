//! Probes: what the elements of `tabulate(0, f)` would be.
//!
//! The language is pure, so f(0) may be computed though nobody asked for it; of the result only the kind is kept
//! ([`Array::none_like`]). A probe has a budget, which probes inside share, and leaves no traces: prints are dropped, the work
//! isn't counted, rules that it uses aren't observed.
//!
//! If f(0) fails, it may be that an element of its own isn't what f expects: the branch before is taken the other way. If
//! that doesn't help, it may be that the elements of an array inside fail: nobody knows them, but that it is an array. If that
//! doesn't help either, or the budget ends, nobody knows what the elements would be, as in the literal `[]`.

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
const BUDGET: u64 = 1 << 14;

/// So many probes of one function may run in each other: as many as its argument may have axes.
const MOST_NESTED: usize = 4;

/// So many branches may be taken the other way.
const MOST_TURNS: usize = 8;

/// A probe that runs, and what the machine was like before.
pub(crate) struct Probe {
    /// The function whose result we look at.
    f: Value,
    function: Option<(*const Group, u32)>,
    span: Span,
    /// How many branches there were so far, and which of them were taken the other way.
    branches: u64,
    turned: Vec<u64>,
    /// Are arrays inside probed as well, so that their elements may fail?
    probes_inside: bool,
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
        // A function that needs itself again and again says nothing about its result.
        let nested = self.running_probes().filter(|running| running.function == function).count();
        if function.is_some() && nested == MOST_NESTED {
            return Ok(Flow::Value(parts::array(vec![])?));
        }
        let (slots, calls, quiet, limit) = (self.slots.len(), self.calls, self.quiet, self.limit);
        let is_inner = probe::is_active();
        let (branches, turned, work) = (0, vec![], work::done());
        let f = f.clone();
        let probes_inside = self.probes_inside();
        self.probes.push(self.frames.len());
        let probe =
            Probe { f, function, span, branches, turned, probes_inside, slots, calls, quiet, work, limit, is_inner };
        self.frames.push(Frame::Probe(probe));
        if !is_inner {
            probe::set_active(true);
            self.limit = limit.min(work.saturating_add(BUDGET));
        }
        match self.try_probe() {
            Ok(flow) => Ok(flow),
            Err(_) => Ok(self.failed_in_probe().expect("machine: a probe is on top")),
        }
    }

    /// Computes the element for the probe on top.
    fn try_probe(&mut self) -> Result<Flow> {
        let Some(Frame::Probe(probe)) = self.frames.last_mut() else { unreachable!("machine: a probe is on top") };
        // Also what fails at once is work: probes inside a probe try again each time that it does.
        work::add(16);
        probe.branches = 0;
        (self.calls, self.quiet) = (probe.calls, probe.quiet + 1);
        self.slots.truncate(probe.slots);
        let (f, span) = (probe.f.clone(), probe.span);
        match self.apply(&f, Value::Int(0), 0, span)? {
            Flow::Entered => Ok(Flow::Entered),
            Flow::Value(element) => Ok(Flow::Value(self.probed(Some(element)))),
        }
    }

    /// Are all arrays that are made now probed?
    pub(super) fn probes_inside(&self) -> bool {
        let top = self.probes.last().and_then(|at| self.frames.get(*at));
        matches!(top, Some(Frame::Probe(probe)) if probe.probes_inside)
    }

    /// The way that a branch takes.
    pub(super) fn way(&mut self, truth: bool) -> bool {
        let Some(Frame::Probe(probe)) = self.probes.last().and_then(|at| self.frames.get_mut(*at)) else {
            return truth;
        };
        probe.branches += 1;
        truth != probe.turned.contains(&probe.branches)
    }

    /// Ends the probe on top: the array without elements.
    pub(super) fn probed(&mut self, element: Option<Value>) -> Value {
        let none = element.and_then(|element| none_like(element).ok());
        let Some(Frame::Probe(probe)) = self.frames.pop() else { unreachable!("machine: a probe is on top") };
        self.probes.pop();
        self.slots.truncate(probe.slots);
        (self.calls, self.quiet) = (probe.calls, probe.quiet);
        if !probe.is_inner {
            probe::set_active(false);
            self.limit = probe.limit;
            work::restore(probe.work);
        }
        Value::array(none.unwrap_or_else(Array::unknown))
    }

    /// Something failed. If it was in a probe, how that goes on.
    pub(super) fn failed_in_probe(&mut self) -> Option<Flow> {
        let at = *self.probes.last()?;
        loop {
            self.frames.truncate(at + 1);
            let Some(Frame::Probe(probe)) = self.frames.last_mut() else { unreachable!("machine: a probe is on top") };
            let turns_more = probe.turned.last().is_none_or(|last| *last < probe.branches);
            let is_turned_out = probe.branches == 0 || !turns_more || probe.turned.len() == MOST_TURNS;
            if work::done() > self.limit || (is_turned_out && probe.probes_inside) {
                return Some(Flow::Value(self.probed(None)));
            }
            if is_turned_out {
                probe.turned.clear();
                probe.probes_inside = true;
            } else {
                probe.turned.push(probe.branches);
            }
            if let Ok(flow) = self.try_probe() {
                return Some(flow);
            }
        }
    }

    fn running_probes(&self) -> impl Iterator<Item = &Probe> {
        let frame = |at: &usize| if let Frame::Probe(probe) = &self.frames[*at] { Some(probe) } else { None };
        self.probes.iter().filter_map(frame)
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
