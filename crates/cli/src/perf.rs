//! `evert explain-perf`: what of a program doesn't run as compiled code, why, and what to try.
//!
//! In: a program, which is run as `evert run` runs it, tests included; what it shows and prints is dropped. Out: a remark for each
//! place that keeps a step from being compiled. Where there is no LLVM the program is examined all the same, on the interpreter of L3.

use base::Span;
use calculus::Step;
use evert::engine::Compilation;
use evert::{Engine, Failure, Ran, Session};
use loops::parallel::{Found, Why};
use native::run::Evaluated;
use specialise::Reason;

use crate::Status;
use crate::files::Recording;
use crate::given::main_step;
use crate::program::Program;
use crate::report::{self, Remark};
use crate::terminal::Terminal;
use crate::words::Words;

pub struct Request {
    pub count: bool,
    pub verbose: bool,
}

pub fn explain(terminal: &Terminal, program: &Program, words: &Words, request: &Request) -> Status {
    let mut session = Session::new(Recording::of(&program.name));
    session.engines.engine = if session.engines.has_native() { Engine::Native } else { Engine::FirstOrder };
    session.engines.log = Some(vec![]);
    let mut steps = vec![];
    let outcome = run(&mut session, program, words, &mut steps);
    let sites = sites(&steps);
    if request.count {
        terminal.line(&sites.len().to_string());
    } else {
        terminal.text(&explained(&session, terminal, request, &steps, &sites));
    }
    match outcome {
        Ok(()) => Status::Fine,
        Err(failure) => {
            report::report(terminal, &session.sources, &failure);
            Status::Failed
        }
    }
}

/// A step that was run.
struct Done {
    span: Span,
    ran: Ran,
    /// What compiling took, unless it was interpreted because it is so short.
    figures: Option<Compilation>,
}

fn run(session: &mut Session, program: &Program, words: &Words, done: &mut Vec<Done>) -> Result<(), Failure> {
    let text = session.text_of(&program.name, program.bytes.clone())?;
    let (tree, module) = session.load(&program.name, &text)?;
    for step in &module.steps {
        run_step(session, step, done)?;
    }
    match main_step(session, &tree, words)? {
        Some(step) => run_step(session, &step, done),
        None => Ok(()),
    }
}

fn run_step(session: &mut Session, step: &Step, done: &mut Vec<Done>) -> Result<(), Failure> {
    session.engines.last = None;
    let outcome = session.run_step(step);
    let figures = session.engines.last.take();
    let log = session.engines.log.iter_mut().flat_map(|log| log.drain(..));
    done.extend(log.last().map(|(span, ran)| Done { span, ran, figures }));
    outcome.map(|_| ()).map_err(|error| vec![*error])
}

/// A place that keeps steps from being compiled.
struct Site {
    span: Span,
    reason: String,
    kind: Hindrance,
    steps: Vec<Span>,
}

/// What keeps steps from being compiled.
#[derive(Clone, Copy, PartialEq)]
enum Hindrance {
    /// It is for the program to change, not for us.
    Dynamic(Reason),
    /// The compiler may not use so much for one step.
    TooLarge,
    /// The same, but only for code: the interpreter of L3 runs it.
    Interpreted,
    /// It is for us to mend.
    Broken,
}

fn sites(steps: &[Done]) -> Vec<Site> {
    let mut sites: Vec<Site> = vec![];
    for step in steps {
        let (span, reason, kind) = match &step.ran {
            Ran::Compiled | Ran::Brief | Ran::Failed { .. } => continue,
            // A reason that has no place of its own is about the whole step.
            Ran::Dynamic(dynamic) if dynamic.span == Span::default() => {
                (step.span, dynamic.reason.to_string(), Hindrance::Dynamic(dynamic.reason))
            }
            Ran::Dynamic(dynamic) => (dynamic.span, dynamic.reason.to_string(), Hindrance::Dynamic(dynamic.reason)),
            Ran::TooLarge(too_large) => (step.span, too_large.to_string(), Hindrance::TooLarge),
            Ran::Interpreted(too_large) => (step.span, too_large.to_string(), Hindrance::Interpreted),
            Ran::Fallback(reason) => (step.span, reason.clone(), Hindrance::Broken),
        };
        match sites.iter_mut().find(|site| site.span == span && site.reason == reason) {
            Some(site) => site.steps.push(step.span),
            None => sites.push(Site { span, reason, kind, steps: vec![step.span] }),
        }
    }
    sites
}

fn explained(session: &Session, terminal: &Terminal, request: &Request, steps: &[Done], sites: &[Site]) -> String {
    let sources = &session.sources;
    let mut text = String::new();
    for site in sites {
        text += &remark(session, site).render(sources, terminal.out);
        text.push('\n');
    }
    if request.verbose {
        for step in steps {
            text += &format!("{}: {}\n", report::place(sources, step.span), figures(step));
            text += &loops(session, step);
        }
    }
    text += &evaluated(session, steps, request.verbose);
    if let Some(why) = session.engines.missing() {
        text += &format!("there is no native engine, so all steps are interpreted: {why}\n");
    }
    text + &conclusion(steps.len(), sites)
}

/// Fewer calls than this take the evaluator less than a millisecond, and are only of interest to who wants to know everything.
const FEW: u64 = 100;

/// Which primitives compiled code leaves to the reference evaluator, one place after the other.
fn evaluated(session: &Session, steps: &[Done], verbose: bool) -> String {
    let least = if verbose { 1 } else { FEW };
    let mut text = String::new();
    for step in steps {
        let all = step.figures.iter().flat_map(|figures| &figures.evaluated);
        for Evaluated { prim, span, times } in all.filter(|one| one.times >= least) {
            let span = if *span == Span::OF_CALLER { step.span } else { *span };
            let place = report::place(&session.sources, span);
            let calls = if *times == 1 { "1 time".to_string() } else { format!("{times} times") };
            text += &format!("the reference evaluator ran `{}` at {place} {calls}, for compiled code\n", prim.name());
        }
    }
    text
}

/// Which of a step's loops run on several threads when they are large, and why others don't.
fn loops(session: &Session, step: &Done) -> String {
    let found = step.figures.iter().flat_map(|figures| &figures.loops);
    let mut lines: Vec<String> = vec![];
    for Found { span, outcome } in found {
        // Code of the library is called from somewhere in the program.
        let span = if *span == Span::OF_CALLER { step.span } else { *span };
        let how = match outcome {
            Ok(()) => "on several threads if it is large",
            Err(why) => reason(*why),
        };
        let line = format!("  loop at {}: {how}\n", report::place(&session.sources, span));
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.concat()
}

fn reason(why: Why) -> &'static str {
    match why {
        Why::Carries => "on one thread: a turn needs what the one before it has made",
        Why::Counts => "on one thread: its turns share objects that are counted",
        Why::Writes => "on one thread: two turns may write one element",
        Why::Reads => "on one thread: a turn may read what another one writes",
        Why::Collected => "on one thread: a sensitivity is collected at run time",
        Why::Primitive => "on one thread: it runs a primitive of the runtime, or prints",
    }
}

fn conclusion(steps: usize, sites: &[Site]) -> String {
    let left = sites.iter().map(|site| site.steps.len()).sum::<usize>();
    let those = |n: usize| if n == 1 { "1 step".to_string() } else { format!("{n} steps") };
    match left {
        0 => format!("nothing is dynamic: {} can be compiled\n", those(steps)),
        _ if sites.iter().all(|site| site.kind == Hindrance::Interpreted) => {
            format!("{} of {} interpreted\n", left, those(steps))
        }
        _ => format!("{} of {} left to the reference evaluator\n", left, those(steps)),
    }
}

fn remark(session: &Session, site: &Site) -> Remark {
    const SHOWN: usize = 4;
    let note = |step: &Span| step_note(session, *step, site.kind);
    let mut notes: Vec<String> = site.steps.iter().take(SHOWN).map(note).collect();
    if site.steps.len() > SHOWN {
        notes.push(format!("and {} steps more", site.steps.len() - SHOWN));
    }
    let (kind, help) = match site.kind {
        Hindrance::Dynamic(reason) => ("dynamic", reason.advice()),
        Hindrance::TooLarge | Hindrance::Interpreted => ("too large", Reason::TooLarge.advice()),
        Hindrance::Broken => {
            ("not compiled", "this is for us to mend, not for you: please report it together with the program")
        }
    };
    Remark { kind, title: shortened(&site.reason), span: site.span, notes, help: vec![help.to_string()] }
}

/// The reason of a broken stage may be of any length.
fn shortened(reason: &str) -> String {
    const LONGEST: usize = 160;
    let line = reason.lines().next().unwrap_or("");
    let cut: String = line.chars().take(LONGEST).collect();
    if cut.len() < reason.len() { cut + " …" } else { cut }
}

fn step_note(session: &Session, step: Span, kind: Hindrance) -> String {
    let place = report::place(&session.sources, step);
    match kind {
        Hindrance::Interpreted => format!("the step at {place} is interpreted"),
        Hindrance::Dynamic(_) | Hindrance::TooLarge | Hindrance::Broken => {
            format!("the step at {place} is left to the reference evaluator")
        }
    }
}

fn figures(step: &Done) -> String {
    let how = match &step.ran {
        Ran::Compiled => "compiled",
        Ran::Brief => return "run on the reference evaluator, because it is short".to_string(),
        Ran::Failed { .. } => "compiled, ended in an error",
        Ran::Interpreted(_) => return "interpreted, because it is too large".to_string(),
        Ran::Dynamic(_) | Ran::TooLarge(_) | Ran::Fallback(_) => return "left to the reference evaluator".to_string(),
    };
    let Some(Compilation { instances, work, stats, peak_bytes, .. }) = &step.figures else {
        return "interpreted, because it is short".to_string();
    };
    let cached = match (&stats.not_kept, stats.cache_hit) {
        (_, true) => " (from the cache)".to_string(),
        (Some(why), false) => format!(" (not kept in the cache: {why})"),
        (None, false) => String::new(),
    };
    format!(
        "{how}: {instances} instances, {work} units of work, {} bytes of IR, {} bytes of code, {:.1} ms{cached}, heap {peak_bytes} bytes",
        stats.ir_bytes,
        stats.object_bytes,
        (stats.compiling + stats.linking).as_secs_f64() * 1e3,
    )
}
