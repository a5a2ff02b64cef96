//! `evert tape`: what the reverse pass of a function remembers.
//!
//! In: a program, a function, an argument (or a call of the function in the program). Out: every kind of object that is alive
//! between the two halves of the derivative, with the place that makes it, its size as its type says, how many there are, and what
//! needs it; then the sum of these, and what the heap itself counts. What isn't listed lies in registers and on the stack:
//! closures and data whose size is known, that is all that recursion doesn't nest.

mod calls;

use calculus::StepKind;
use evert::survey::{self, Unsurveyed};
use evert::{Engine, Failure, Ran, Session};

use crate::Status;
use crate::files::{self, Recording};
use crate::report::{self, Remark};
use crate::terminal::Terminal;

/// What a function is differentiated at if nothing is said and nothing in the program calls it.
const ARGUMENT: &str = "1.0";

pub fn print(terminal: &Terminal, path: &str, function: &str, argument: Option<&str>) -> Status {
    let mut session = Session::new(Recording::of(path));
    session.engines.engine = if session.engines.has_native() { Engine::Native } else { Engine::FirstOrder };
    match tape(&mut session, path, function, argument) {
        Ok(listing) => {
            terminal.text(&listing);
            Status::Fine
        }
        Err(Problem::Failed(failure)) => {
            report::report(terminal, &session.sources, &failure);
            Status::Failed
        }
        Err(Problem::Guessed(failure)) => {
            report::report(terminal, &session.sources, &failure);
            let help = format!("nothing in the program calls {function}, so it was tried at {ARGUMENT}");
            terminal.error_text(&format!("evert: {help}; say where: evert tape {path} {function} ARGUMENTS\n"));
            Status::Failed
        }
        Err(Problem::Dynamic(remark)) => {
            terminal.error_text(&remark.render(&session.sources, terminal.err));
            Status::Failed
        }
        Err(Problem::Other(why)) => {
            terminal.error_text(&format!("evert: {why}\n"));
            Status::Failed
        }
    }
}

enum Problem {
    Failed(Failure),
    /// At an argument that nobody asked for.
    Guessed(Failure),
    Dynamic(Remark),
    Other(String),
}

fn tape(session: &mut Session, path: &str, function: &str, argument: Option<&str>) -> Result<String, Problem> {
    let candidates = define(session, path, function).map_err(Problem::Failed)?;
    // What isn't there can't be tried anywhere.
    session.evaluate(&format!("({function})")).map_err(Problem::Failed)?;
    let known = match argument {
        Some(given) => Some(given.to_string()),
        None => candidates.into_iter().find(|text| is_value(session, text)),
    };
    let is_guess = known.is_none();
    let argument = known.unwrap_or(ARGUMENT.to_string());
    let call = format!("{function} at {argument}");
    let surveyed = session.survey(function, &format!("({argument})")).map_err(|why| match problem(&call, why) {
        Problem::Failed(failure) if is_guess => Problem::Guessed(failure),
        problem => problem,
    })?;
    Ok(survey::listing(session, &call, &surveyed))
}

/// Runs the definitions of the program; gives the arguments that its other steps call the function with.
fn define(session: &mut Session, path: &str, function: &str) -> Result<Vec<String>, Failure> {
    let name = files::name(path);
    let program = session.read(&name)?;
    let (tree, module) = session.load(&name, &program)?;
    for step in module.steps.iter().filter(|step| matches!(step.kind, StepKind::Define(_))) {
        session.run_step(step).map_err(|error| vec![*error])?;
    }
    Ok(calls::arguments(&tree, function))
}

/// Has the text a value outside the place where it stands?
fn is_value(session: &mut Session, text: &str) -> bool {
    session.evaluate(&format!("({text})")).is_ok()
}

fn problem(call: &str, why: Unsurveyed) -> Problem {
    match why {
        Unsurveyed::Failed(failure) => Problem::Failed(failure),
        Unsurveyed::Left(Ran::Dynamic(dynamic)) => {
            let notes = vec![format!("{call}: this is left to the reference evaluator, which has no tape to show")];
            let title = dynamic.reason.to_string();
            Problem::Dynamic(Remark { kind: "dynamic", title, span: dynamic.span, notes, help: vec![] })
        }
        why => Problem::Other(survey::left(call, &why).expect("tape: failures are reported")),
    }
}
