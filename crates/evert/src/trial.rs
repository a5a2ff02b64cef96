//! What is short runs on the reference evaluator, without being compiled: compiling takes longer than most steps run.
//!
//! In: a step. Out: its value or error, if that took no more than a counted amount of work, so that who runs it doesn't depend on the
//! machine; otherwise how many lines it has printed. The language is pure and all engines give the same bits: whoever takes over begins
//! anew and leaves out those lines.

use std::cell::Cell;
use std::rc::Rc;

use base::{Diagnostic, Span, codes};
use eval::{Machine, Value};

/// The work (`eval::work`) that a step may take before it is compiled: some ten milliseconds, where compiling takes a hundred.
pub const STEPS: u64 = 200_000;

/// What came of a trial.
pub(crate) enum Trial {
    Ended(base::Result<Value>),
    /// It takes longer, and has printed so many lines.
    TooLong(usize),
}

/// Runs a step for so much work.
pub(crate) fn run(machine: &mut Machine, step: &Value, span: Span, steps: u64) -> Trial {
    let printed = Rc::new(Cell::new(0));
    let output = Rc::new(Cell::new(Some(std::mem::replace(&mut machine.output, Box::new(|_| ())))));
    machine.output = counting(output.clone(), printed.clone());
    machine.max_steps = Some(steps);
    let result = machine.call(step, Value::unit(), span);
    machine.max_steps = None;
    machine.output = output.take().unwrap_or_else(|| Box::new(|_| ()));
    // Who has been interrupted stays so. And others may do with less memory.
    let too_long = |error: &Diagnostic| {
        matches!(error.code, codes::OUT_OF_STEPS | codes::OUT_OF_MEMORY) && !base::interrupt::is_requested()
    };
    match result {
        Err(error) if too_long(&error) => Trial::TooLong(printed.get()),
        result => Trial::Ended(result),
    }
}

type Output = Box<dyn FnMut(&str)>;

/// An output that counts what it hands on.
fn counting(output: Rc<Cell<Option<Output>>>, printed: Rc<Cell<usize>>) -> Output {
    Box::new(move |line| {
        if let Some(mut inner) = output.take() {
            inner(line);
            output.set(Some(inner));
        }
        printed.set(printed.get() + 1);
    })
}
