//! The globals of a session as the specialiser sees them.
//!
//! In: the machine that holds their values. Out: the values that code is made with, and what else a step's code depends on.

use std::cell::Cell;

use calculus::{GlobalId, Prim};
use eval::{Machine, Value};

use crate::carried::holds_linear_part;

/// The globals of a session, as the specialiser sees them.
pub(super) struct Globals<'a> {
    pub(super) machine: &'a Machine,
    /// Those whose value isn't known when code is made.
    pub(super) unknown: &'a [GlobalId],
    /// Files below this number belong to their callers.
    pub(super) first_own_file: u32,
    /// Do places say which part of the computation code is?
    pub(super) parts: bool,
    pub(super) lengths: Lengths,
    /// Was a value asked for that holds the linear part of a derivative?
    pub(super) has_linear_part: Cell<bool>,
}

/// What code is made for where elementwise operations combine arrays of one rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Lengths {
    /// They have one shape; code fails where they don't.
    #[default]
    Same,
    /// Axes of length 1 may have to be repeated.
    Any,
}

impl<'a> Globals<'a> {
    pub(super) fn of(machine: &'a Machine) -> Globals<'a> {
        // A profile charges what the library does to whoever calls it.
        let parts = base::profile::is_on();
        let first_own_file = if parts { machine.first_user_file } else { 0 };
        Globals {
            machine,
            unknown: &[],
            first_own_file,
            parts,
            lengths: Lengths::Same,
            has_linear_part: Cell::default(),
        }
    }
}

impl specialise::World for Globals<'_> {
    fn global(&self, id: GlobalId) -> Option<Value> {
        let value = self.machine.global(id).cloned();
        if self.lengths == Lengths::Same && value.as_ref().is_some_and(holds_linear_part) {
            self.has_linear_part.set(true);
        }
        value
    }

    fn derivative(&self, prim: Prim) -> Option<Value> {
        self.machine.derivative_of(prim).cloned()
    }

    fn forward_rule(&self, prim: Prim) -> Option<Value> {
        self.machine.forward_rule_of(prim).cloned()
    }

    fn is_constant(&self, id: GlobalId) -> bool {
        !self.unknown.contains(&id)
    }

    fn first_own_file(&self) -> u32 {
        self.first_own_file
    }

    fn marks_parts(&self) -> bool {
        self.parts
    }

    fn lengths_may_differ(&self) -> bool {
        self.lengths == Lengths::Any
    }
}
