//! Errors that an engine has found, described by the reference evaluator.
//!
//! In: a step, and the code and place of its error. Out: the diagnostic, which is the same on every engine.

use base::{Code, Diagnostic, Span, codes};
use eval::{Machine, Value};

/// Runs a step that is known to fail on the reference evaluator, which describes the error best. If it takes too long, the
/// error is reported as it was found.
pub(super) fn describe(
    machine: &mut Machine,
    step: &Value,
    span: Span,
    code: Code,
    place: Span,
    steps: u64,
) -> base::Result<Value> {
    if machine.max_steps.is_some() {
        return machine.call(step, Value::unit(), span);
    }
    machine.max_steps = Some(steps);
    let result = machine.call(step, Value::unit(), span);
    machine.max_steps = None;
    match result {
        Err(error) if error.code == codes::OUT_OF_STEPS => {
            let title = codes::ALL.iter().find(|(known, _)| *known == code).map_or("an error", |(_, title)| title);
            let place = if place == Span::default() { span } else { place };
            Diagnostic::new(code, place, title).note("it happened too late to describe it further").err()
        }
        result => result,
    }
}

/// How long the reference evaluator may take to describe an error.
pub(super) const MAX_DESCRIBING_STEPS: u64 = 400_000_000;

/// Is this the error that an engine found? Where memory ended the engine knows no place; and of an error in the library
/// the reference evaluator names the place in the program. Of rows that don't fit it names the one, an engine the whole.
pub(super) fn is_same(machine: &Machine, error: &Diagnostic, code: Code, span: Span) -> bool {
    let (place, library) = (error.span(), span.file.0 < machine.first_user_file);
    let overlap = place.file == span.file && place.start < span.end.max(span.start + 1) && span.start < place.end;
    error.code == code && (place == span || overlap || library || span == Span::OF_CALLER)
}
