//! `evert tape`: what the reverse pass of a function remembers.
//!
//! In: a program, a function, an argument (or a call of the function in the program). Out: every kind of object that is alive
//! between the two halves of the derivative, with the place that makes it, its size as its type says, how many there are, and what
//! needs it; then the sum of these, and what the heap itself counts. What isn't listed lies in registers and on the stack:
//! closures and data whose size is known, that is all that recursion doesn't nest.

mod calls;
mod flow;
mod names;
mod reasons;
mod table;
mod words;

use base::Span;
use calculus::StepKind;
use evert::survey::{Surveyed, Unsurveyed};
use evert::{Engine, Failure, Ran, Session};

use crate::Status;
use crate::files::{self, Recording};
use crate::report::{self, Remark};
use crate::terminal::Terminal;
use table::Table;

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
    Ok(listed(session, &call, &surveyed))
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
        Unsurveyed::Left(Ran::TooLarge(why) | Ran::Interpreted(why)) => {
            Problem::Other(format!("{call} is left to the reference evaluator: {why}"))
        }
        Unsurveyed::Left(Ran::Fallback(why)) => {
            Problem::Other(format!("{call} is left to the reference evaluator: {why}"))
        }
        Unsurveyed::Left(Ran::Compiled | Ran::Brief | Ran::Failed { .. }) => {
            Problem::Other(format!("{call} can't be surveyed"))
        }
        Unsurveyed::NoEngine(why) => {
            Problem::Other(format!("there is no native engine, whose memory is shown here: {why}"))
        }
    }
}

fn listed(session: &Session, call: &str, surveyed: &Surveyed) -> String {
    let table = Table::new(session, surveyed);
    let mut out = if table.rows.is_empty() {
        format!("{call}: the reverse pass remembers nothing on the heap, only what is in registers and on the stack\n")
    } else {
        format!("{call}: the reverse pass remembers\n\n{table}")
    };
    out += &format!("\npredicted by the types: {} bytes\n", table.bytes());
    let shared: usize = table.shared.iter().map(|(bytes, _)| bytes).sum();
    let measured = surveyed.found.live_bytes;
    out += &format!("measured after the forward half: {} bytes", measured.saturating_sub(shared));
    if shared > 0 {
        let parts: Vec<String> = table.shared.iter().map(|(bytes, whose)| format!("{bytes} of {whose}")).collect();
        out += &format!(" ({measured} less {}, which the caller has)", parts.join(", "));
    }
    out += &format!(
        "\nthe heap at its largest, in both halves: {} bytes, taken from the system in chunks of 1 MiB or more\n",
        surveyed.peak_bytes
    );
    out + &format!("result: {}\n", shortened(&evert::show(&surveyed.gradient), 120))
}

/// The text that stands at a place, on one line and not too long.
fn quoted(session: &Session, span: Span) -> String {
    let text = session.sources.get(span.file).text.get(span.start as usize..span.end as usize).unwrap_or_default();
    shortened(&text.split_whitespace().collect::<Vec<_>>().join(" "), 60)
}

fn shortened(line: &str, most: usize) -> String {
    if line.chars().count() <= most {
        return line.to_string();
    }
    format!("{} …", line.chars().take(most - 2).collect::<String>().trim_end())
}
