//! Running the expectations and `test` blocks of a file.

use std::time::Duration;

use base::clock::Stopwatch;
use base::{Diagnostic, Span, codes};
use calculus::{Step, StepKind};
use eval::Value;
use syntax::ast::{ExpectationKind, Statement};
use syntax::{NodeId, Tree};

use crate::expectation::{UNREADABLE, agrees, mentions};
use crate::rule_checks::{self, Excused, Observed};
use crate::session::{Failure, Session};

/// One thing that a file claims, and whether it holds.
#[derive(Debug)]
pub struct Case {
    pub span: Span,
    /// The name of a `test` block; empty for an expectation.
    pub name: String,
    pub result: Result<(), Problem>,
    /// How long it took to check.
    pub took: Duration,
}

#[derive(Debug)]
pub enum Problem {
    /// A value that differs from the expected one, in words.
    Differs(String),
    /// An error where none was expected.
    Failed(Box<Diagnostic>),
}

/// What a file claims, and what wasn't looked at.
#[derive(Debug, Default)]
pub struct Report {
    pub cases: Vec<Case>,
    /// Checks of rules that the budget didn't allow, or that couldn't be made, in words.
    pub left_out: Vec<String>,
}

/// Runs a file's text in the session and checks what it claims: its expectations, its `test` blocks, and every
/// custom rule that was used, where it was used.
pub fn run(session: &mut Session, name: &str, text: &str) -> Result<Report, Failure> {
    run_telling(session, name, text, None, &mut |_, _, _| ())
}

/// The same, but of expectations and tests only those that contain a text, in their name or in the expression.
pub fn run_some(session: &mut Session, name: &str, text: &str, filter: Option<&str>) -> Result<Report, Failure> {
    run_telling(session, name, text, filter, &mut |_, _, _| ())
}

/// What is told of a step while a file runs.
pub enum Event<'a> {
    /// It begins.
    Starts,
    /// This came of it.
    Ends(&'a base::Result<Value>),
}

/// The same; says where each step is before it runs, and what came of it.
pub fn run_telling(
    session: &mut Session,
    name: &str,
    text: &str,
    filter: Option<&str>,
    tell: &mut dyn FnMut(&Session, Span, Event),
) -> Result<Report, Failure> {
    if let Some(claim) = text.strip_prefix(REJECTED) {
        let case = rejected(session, name, text, claim.lines().next().unwrap_or(""));
        return Ok(Report { cases: vec![case], left_out: vec![] });
    }
    let (tree, module) = session.load(name, text)?;
    let statements = steps_of(&tree);
    let mut cases = vec![];
    let mut observed = Observed::default();
    let is_reference = session.engines.is_reference();
    for (step, statement) in module.steps.iter().zip(statements) {
        if !is_wanted(session, step, filter) {
            continue;
        }
        tell(session, step.span, Event::Starts);
        let watched = !expects_failure(&tree, statement) && session.ruled.reaches(step);
        if watched && is_reference {
            session.machine.observed = Some(std::mem::take(&mut observed.uses));
        }
        let start = Stopwatch::start();
        let outcome = session.run_step(step);
        let took = start.elapsed();
        tell(session, step.span, Event::Ends(&outcome));
        cases.extend(judged(session, step, outcome, took, &tree, statement));
        if let Some(uses) = session.machine.observed.take() {
            observed.uses = uses;
        } else if watched {
            observed.run_again(session, step);
        }
    }
    // The blocks of a document use what others define.
    if filter.is_none() && !name.ends_with(".md") {
        observed.complete(session, &tree, &module, None, Excused::ExpectedErrors);
    }
    let (rules, left_out) = rule_checks::check(session, &observed);
    cases.extend(rules);
    if filter.is_none() {
        cases.extend(tree.unclaimed_expectations().into_iter().map(unclaimed));
    }
    Ok(Report { cases, left_out })
}

/// Definitions are needed whatever is tested.
fn is_wanted(session: &Session, step: &Step, filter: Option<&str>) -> bool {
    let Some(filter) = filter else { return true };
    match &step.kind {
        StepKind::Define(_) => true,
        StepKind::Test(name) => name.contains(filter),
        StepKind::Show => session.sources.text(step.span).contains(filter),
    }
}

/// A file that begins with this must not be accepted; the code of the error and a part of its text follow.
const REJECTED: &str = "// rejected: ";

fn rejected(session: &mut Session, name: &str, text: &str, claim: &str) -> Case {
    let loaded = session.load(name, text);
    let file = session.sources.ids().find(|id| session.sources.get(*id).name == name).unwrap_or_default();
    let (code, words) = claim.split_once(' ').unwrap_or((claim, ""));
    let fits = |error: &Diagnostic| error.code.to_string().starts_with(code) && mentions(error, words);
    let result = match loaded {
        Ok(_) => Err(Problem::Differs(format!("expected to be rejected with {claim}\n   found no mistake"))),
        Err(errors) if errors.iter().any(fits) => Ok(()),
        Err(mut errors) => Err(Problem::Failed(Box::new(errors.swap_remove(0)))),
    };
    let span = Span::new(file, 0, REJECTED.len() + claim.len());
    Case { span, name: String::new(), result, took: Duration::ZERO }
}

/// Rules that are used where an error is expected may be wrong on purpose.
pub(crate) fn expects_failure(tree: &Tree, statement: NodeId) -> bool {
    tree.expectation(statement).is_some_and(|expectation| matches!(expectation.kind, ExpectationKind::Fails(_)))
}

/// The statements that become steps, in order.
pub fn steps_of(tree: &Tree) -> Vec<NodeId> {
    let is_step = |id: &NodeId| {
        matches!(tree.statement(*id), Statement::Let { .. } | Statement::Expr(_) | Statement::Test { .. })
    };
    tree.statements().into_iter().filter(is_step).collect()
}

/// Is the outcome of a step what the file says?
fn judged(
    session: &mut Session,
    step: &Step,
    outcome: base::Result<Value>,
    took: Duration,
    tree: &Tree,
    statement: NodeId,
) -> Option<Case> {
    let expectation = tree.expectation(statement);
    let compared = expectation.as_ref().is_some_and(|found| matches!(found.kind, ExpectationKind::Equals(_)));
    let outcome = outcome.and_then(|value| match &step.kind {
        // What a program shows it can also draw; what is compared is data.
        StepKind::Show if !compared => session.plot(&value, step.span).transpose().map(|_| value),
        _ => Ok(value),
    });
    let name = match &step.kind {
        StepKind::Test(name) => name.to_string(),
        _ => String::new(),
    };
    let case = |result| Some(Case { span: step.span, name: name.clone(), result, took });
    match (outcome, expectation) {
        (Ok(value), Some(expectation)) => match expectation.kind {
            ExpectationKind::Equals(text) => {
                case(agrees(session, &value, &text).map_err(|words| differs(words, expectation.span)))
            }
            ExpectationKind::Fails(text) => {
                let found = eval::show::screen(&value);
                case(Err(Problem::Differs(format!("expected an error that says `{text}`\n   found {found}"))))
            }
        },
        (Err(error), Some(expectation)) => match expectation.kind {
            ExpectationKind::Fails(text) if mentions(&error, &text) => case(Ok(())),
            ExpectationKind::Fails(text) => {
                let found = format!("{}: {}", error.code, error.message);
                case(Err(Problem::Differs(format!("expected an error that says `{text}`\n   found {found}"))))
            }
            ExpectationKind::Equals(_) => case(Err(Problem::Failed(error))),
        },
        (Err(error), None) => case(Err(Problem::Failed(error))),
        (Ok(_), None) if matches!(step.kind, StepKind::Test(_)) => case(Ok(())),
        (Ok(_), None) => None,
    }
}

/// The expectation isn't met, or nobody could tell.
fn differs(words: String, expectation: Span) -> Problem {
    if !words.starts_with(UNREADABLE) {
        return Problem::Differs(words);
    }
    let help = "write a value as the language writes it; numbers may have a `~` before them";
    Problem::Failed(Box::new(Diagnostic::new(codes::BAD_EXPECTATION, expectation, words).help(help)))
}

/// An expectation that would never be checked.
fn unclaimed(span: Span) -> Case {
    let error = Diagnostic::new(codes::BAD_EXPECTATION, span, "this expectation belongs to no expression")
        .help("write it after an expression, on the same line or alone on the next");
    Case { span, name: String::new(), result: Err(Problem::Failed(Box::new(error))), took: Duration::ZERO }
}
