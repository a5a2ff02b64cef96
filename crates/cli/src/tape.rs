//! `evert tape`: what a gradient remembers on the heap.
//!
//! In: a program, a function, an argument. Out: each kind of object that the compiled `grad(function)(argument)` makes on the heap,
//! with its size, what it holds, where its source stands and which functions make it; then what a run really took. What isn't listed lies
//! in registers and on the stack: closures and data whose size is known, that is all that recursion doesn't nest.

mod allocations;
mod words;

use base::Span;
use calculus::{Step, StepKind};
use evert::{Engine, Failure, Session};
use first_order::{Definition, Program, Type};
use specialise::Specialised;

use crate::Status;
use crate::files::{self, Recording};
use crate::report::{self, Remark};
use crate::terminal::Terminal;
use allocations::{Allocation, allocations};
use words::{holds, type_name};

/// The reference count and the descriptor.
const HEADER: usize = 16;

pub fn print(terminal: &Terminal, path: &str, function: &str, argument: &str) -> Status {
    let mut session = Session::new(Recording::new());
    session.engines.engine = if session.engines.has_native() { Engine::Native } else { Engine::FirstOrder };
    session.engines.always_compile = true;
    let text = format!("grad({function})({argument})");
    match tape(&mut session, path, &text) {
        Ok(listing) => {
            terminal.text(&listing);
            Status::Fine
        }
        Err(Problem::Failed(failure)) => {
            report::report(terminal, &session.sources, &failure);
            Status::Failed
        }
        Err(Problem::Dynamic(remark)) => {
            terminal.error_text(&remark.render(&session.sources, terminal.err));
            Status::Failed
        }
    }
}

enum Problem {
    Failed(Failure),
    Dynamic(Remark),
}

fn tape(session: &mut Session, path: &str, text: &str) -> Result<String, Problem> {
    let step = gradient(session, path, text).map_err(Problem::Failed)?;
    let specialised = session.engines.specialise(&session.machine, &step.code, step.span);
    let mut specialised = specialised.map_err(|dynamic| {
        let span = if dynamic.span == Span::default() { step.span } else { dynamic.span };
        let notes = vec![format!("`{text}` is left to the reference evaluator, which has no tape of its own to show")];
        Problem::Dynamic(Remark { kind: "dynamic", title: dynamic.reason, span, notes, help: vec![] })
    })?;
    optimise::optimise(&mut specialised.program);
    let mut listing = listed(session, text, &specialised);
    session.engines.last = None;
    let value = session.run_step(&step).map_err(|error| Problem::Failed(vec![*error]))?;
    listing += &format!("\nresult: {}\n", evert::show(&value));
    listing += &match (&session.engines.last, session.engines.missing()) {
        (Some(figures), _) => format!(
            "heap: {} bytes at its largest, taken from the system in chunks of 1 MiB or more; {} objects left\n",
            figures.peak_bytes, figures.live_after
        ),
        (None, Some(why)) => format!("heap: not measured, there is no native engine: {why}\n"),
        (None, None) => "heap: not measured, the step was not compiled\n".to_string(),
    };
    Ok(listing)
}

/// Runs the definitions of the program and reads the gradient as a step in its scope.
fn gradient(session: &mut Session, path: &str, text: &str) -> Result<Step, Failure> {
    let name = files::name(path);
    let program = session.read(&name)?;
    let (_, module) = session.load(&name, &program)?;
    for step in module.steps.iter().filter(|step| matches!(step.kind, StepKind::Define(_))) {
        session.run_step(step).map_err(|error| vec![*error])?;
    }
    let (_, module) = session.load("<tape>", text)?;
    Ok(module.steps.into_iter().next_back().expect("cli: a call is a step"))
}

fn listed(session: &Session, text: &str, specialised: &Specialised) -> String {
    let program = &specialised.program;
    let allocations = allocations(program);
    if allocations.is_empty() {
        return format!("{text} makes nothing on the heap: all it remembers is in registers and on the stack\n");
    }
    let mut out = format!("{text} makes on the heap:\n");
    for allocation in &allocations {
        out += &format!("\n{}\n", title(program, allocation));
        for line in holds(session, specialised, &allocation.what) {
            out += &format!("  {line}\n");
        }
        for span in &allocation.places {
            out += &format!("  made at {}\n", report::place(&session.sources, *span));
        }
    }
    out
}

/// What it is and how large.
fn title(program: &Program, allocation: &Allocation) -> String {
    let words = |ty: &Type| loops::leaves(ty, &program.types).len();
    match &allocation.what {
        Type::Named(id) => {
            let Definition { name, content } = &program.types[id.0 as usize];
            format!("{name}: {} bytes each", HEADER + 8 * words(content))
        }
        Type::Array(element, rank) => {
            let header = HEADER + 8 + 8 * *rank as usize;
            let element_bytes = 8 * words(element);
            format!("{}: {header} bytes and {element_bytes} for each element", type_name(program, &allocation.what))
        }
        other => format!("{}: in the hands of the runtime", type_name(program, other)),
    }
}
