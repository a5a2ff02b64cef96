//! Which engine runs a step, and what happens where one can't.
//!
//! The native engine compiles a step and runs it; the interpreter of L3 takes the same way up to L3. Where a step can't be
//! specialised, or there is no LLVM, the reference evaluator runs it. Errors are found by any engine and described by
//! the reference evaluator, which runs the step again: the language is pure, and prints already made are skipped.

use std::rc::Rc;

use base::Span;
use calculus::{GlobalId, Group, Prim};
use eval::{Machine, Value};
use specialise::{Codes, Dynamic, Specialised};

/// What runs programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// The reference evaluator, on L1.
    #[default]
    Reference,
    /// The interpreter of L3.
    FirstOrder,
    /// Compiled code.
    Native,
}

/// How a step was run, for those who ask.
#[derive(Clone, Debug, PartialEq)]
pub enum Ran {
    /// On the engine that was asked for.
    Compiled,
    /// It ended in an error that the reference evaluator described.
    Failed,
    /// On the reference evaluator, because its shapes don't settle.
    Dynamic(Dynamic),
    /// On the reference evaluator, for a reason that is our own.
    Fallback(String),
}

/// What engines keep from step to step.
#[derive(Default)]
pub struct Engines {
    pub engine: Engine,
    codes: Rc<Codes>,
    /// How each step so far was run, if somebody wants to know.
    pub log: Option<Vec<(Span, Ran)>>,
}

struct Globals<'a>(&'a Machine);

impl specialise::World for Globals<'_> {
    fn global(&self, id: GlobalId) -> Option<Value> {
        self.0.global(id).cloned()
    }

    fn derivative(&self, prim: Prim) -> Option<Value> {
        self.0.derivative_of(prim).cloned()
    }
}

impl Engines {
    /// The L3 program of a step.
    pub fn specialise(&self, machine: &Machine, step: &Rc<Group>, span: Span) -> Result<Specialised, Dynamic> {
        specialise::specialise(&Globals(machine), self.codes.clone(), step, span)
    }

    /// Runs a step's function on the chosen engine.
    pub fn run(&mut self, machine: &mut Machine, step: &Value, group: &Rc<Group>, span: Span) -> base::Result<Value> {
        if self.engine == Engine::Reference {
            return machine.call(step, Value::unit(), span);
        }
        let ran = match self.specialise(machine, group, span) {
            Err(dynamic) => Ran::Dynamic(dynamic),
            Ok(specialised) => {
                let mut printed = 0;
                let globals = specialised.globals.iter().map(|id| machine.global(*id).cloned());
                let args: Vec<Value> = globals.map(|value| value.unwrap_or(Value::Zero)).collect();
                let mut output = std::mem::replace(&mut machine.output, Box::new(|_| ()));
                let result = first_order::run(&specialised.program, &*specialised.codes, args, &mut |line| {
                    printed += 1;
                    output(line);
                });
                machine.output = output;
                machine.skipped_prints = printed;
                match result {
                    Ok(value) => {
                        machine.skipped_prints = 0;
                        self.note(span, Ran::Compiled);
                        return Ok(value);
                    }
                    Err(first_order::Stop::Error { .. }) => Ran::Failed,
                    Err(first_order::Stop::Mismatch(why)) => Ran::Fallback(why),
                }
            }
        };
        let result = machine.call(step, Value::unit(), span);
        machine.skipped_prints = 0;
        let ran = match (&result, ran) {
            (Ok(_), Ran::Failed) => Ran::Fallback("an error that the reference evaluator doesn't find".into()),
            (_, ran) => ran,
        };
        self.note(span, ran);
        result
    }

    fn note(&mut self, span: Span, ran: Ran) {
        if let Some(log) = &mut self.log {
            log.push((span, ran));
        }
    }
}
