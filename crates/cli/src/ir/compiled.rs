//! The levels that the compiler makes of a step: shapes, L3, L4, LLVM IR.
//!
//! Definitions are run first, on the engine that was asked for, because a step is specialised to the values of the globals it reads.

use base::Span;
use calculus::{Module, Step, StepKind};
use evert::{Failure, Session};
use first_order::Program;
use optimise::PASSES;
use specialise::{Dynamic, Reason};

use super::pipeline::Limit;
use crate::Status;
use crate::arguments::{Ir, Level};
use crate::report::{self, Remark};
use crate::terminal::{Terminal, Tone};

/// Prints the steps that are asked for, each under a comment that names it.
pub fn print(
    terminal: &Terminal,
    session: &mut Session,
    module: &Module,
    level: Level,
    limit: Limit,
    request: &Ir,
) -> Status {
    if request.function.is_some() {
        terminal.complain("--function is for the levels syntax, l1 and l1-reverse; --step selects a step");
        return Status::WrongUsage;
    }
    for_each_step(terminal, session, module, request, |session, number, step| {
        let program = || optimised(session, step, limit, request.check);
        let text = match level {
            Level::Shapes => session.engines.instances(&session.machine, &step.code, step.span).map_err(dynamic)?,
            Level::L4 => lowered(&program()?).to_string(),
            Level::Llvm => native::emit::emit(&lowered(&program()?)),
            _ => first_order::print(&program()?),
        };
        terminal.line(&terminal.out.paint(Tone::Comment, &heading(session, number, step.span, level)));
        terminal.text(&text);
        Ok(())
    })
}

/// Runs the checkers of all levels on the steps that are asked for.
pub fn check(terminal: &Terminal, session: &mut Session, module: &Module, request: &Ir) -> Status {
    for_each_step(terminal, session, module, request, |session, number, step| {
        optimised(session, step, Limit(PASSES.len()), true)?;
        let passes = PASSES.len();
        terminal.line(&format!("step {number} holds on L1, on L3 after each of {passes} passes, and on L4"));
        Ok(())
    })
}

/// Why a step has no such level.
enum Problem {
    /// It is left to the reference evaluator.
    Dynamic { reason: Reason, span: Span },
    /// A definition before it fails.
    Failed(Failure),
    /// A checker refuses what a pass made: our bug.
    Broken(String),
}

fn for_each_step(
    terminal: &Terminal,
    session: &mut Session,
    module: &Module,
    request: &Ir,
    mut each: impl FnMut(&mut Session, usize, &Step) -> Result<(), Problem>,
) -> Status {
    if let Some(wanted) = request.step
        && !(1..=module.steps.len()).contains(&wanted)
    {
        terminal.complain(&format!("there is no step {wanted}: the program has {}", module.steps.len()));
        return Status::WrongUsage;
    }
    let mut status = Status::Fine;
    for (number, step) in (1..).zip(&module.steps) {
        let outcome = match request.step.is_none_or(|wanted| wanted == number) {
            true => each(session, number, step),
            false => Ok(()),
        };
        if let Err(problem) = outcome.and_then(|()| define(session, step)) {
            status = Status::Failed;
            let ends = matches!(problem, Problem::Failed(_));
            complain(terminal, session, number, step, problem);
            if ends {
                break;
            }
        }
        if request.step == Some(number) {
            break;
        }
    }
    status
}

/// Later steps read what a definition defines; nobody needs the values of other steps.
fn define(session: &mut Session, step: &Step) -> Result<(), Problem> {
    match step.kind {
        StepKind::Define(_) => session.run_step(step).map(|_| ()).map_err(|error| Problem::Failed(vec![*error])),
        StepKind::Show | StepKind::Test(_) => Ok(()),
    }
}

fn complain(terminal: &Terminal, session: &Session, number: usize, step: &Step, problem: Problem) {
    match problem {
        Problem::Dynamic { reason, span } => {
            let span = if span == Span::default() { step.span } else { span };
            let notes =
                vec![format!("step {number} is left to the reference evaluator; `evert explain-perf` says more")];
            let (title, help) = (reason.to_string(), vec![reason.advice().to_string()]);
            let remark = Remark { kind: "dynamic", title, span, notes, help };
            terminal.error_text(&remark.render(&session.sources, terminal.err));
        }
        Problem::Failed(failure) => report::report(terminal, &session.sources, &failure),
        Problem::Broken(what) => terminal.complain(&format!("step {number}: {what}. This is a bug in Evert.")),
    }
}

/// The L3 program of a step after so many passes.
fn optimised(session: &Session, step: &Step, limit: Limit, check: bool) -> Result<Program, Problem> {
    let specialised = session.engines.specialise(&session.machine, &step.code, step.span);
    let mut program = specialised.map_err(dynamic)?.program;
    if check {
        holds(&program, "specialisation")?;
    }
    for (place, pass) in PASSES[..limit.0].iter().enumerate() {
        if optimise::ends_at(place, &program) {
            break;
        }
        pass.apply(&mut program);
        if check {
            holds(&program, pass.name)?;
        }
    }
    if check {
        let lowered = lowered(&program);
        loops::check::check(&lowered).map_err(|why| Problem::Broken(format!("on L4: {why}")))?;
        parses_back(&lowered)?;
    }
    Ok(program)
}

fn dynamic(Dynamic { reason, span }: Dynamic) -> Problem {
    Problem::Dynamic { reason, span }
}

/// The program on L4, as the engine makes it.
fn lowered(program: &Program) -> loops::Program {
    loops::lower_in_pieces(program, native::threads::least()).0
}

/// The text of L4 is the program, to the bit. A nan is no reason to complain.
fn parses_back(lowered: &loops::Program) -> Result<(), Problem> {
    let text = lowered.to_string();
    let again = loops::parse(&text).map_err(|why| Problem::Broken(format!("the text of L4 isn't read: {why}")))?;
    match again.to_string() == text && (again == *lowered || text.contains("nan")) {
        true => Ok(()),
        false => Err(Problem::Broken("the text of L4 isn't the program".into())),
    }
}

fn holds(program: &Program, after: &str) -> Result<(), Problem> {
    first_order::check(program).map_err(|violations| {
        let all: Vec<String> = violations.iter().map(ToString::to_string).collect();
        Problem::Broken(format!("after {after} L3 breaks its rules: {}", all.join("; ")))
    })
}

fn heading(session: &Session, number: usize, span: Span, level: Level) -> String {
    let sign = if level == Level::Llvm { ";" } else { "//" };
    format!("{sign} step {number}, {}", report::place(&session.sources, span))
}
