//! Runs of programs, from inside: one job on standard input, one answer on standard output, as JSON.
//!
//! Programs run on the reference evaluator with a limit on their steps; what they print is dropped. The memory limit is the process's.

use std::io::{Read, Write};
use std::rc::Rc;

use base::{Diagnostic, Span};
use calculus::StepKind;
use evert::expectation::{agrees, mentions};
use evert::testing::{self, Problem};
use evert::{Session, Value, World};
use serde_json::{Value as Json, json};
use syntax::NodeId;
use syntax::ast::{Expectation, ExpectationKind};

/// How many steps of the evaluator one statement may take: seconds.
const MAX_STEPS: u64 = 20_000_000;
/// How many characters of a value a hint shows.
const HINT_WIDTH: usize = 60;

/// Does the job that stands on standard input.
pub fn work() -> std::io::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let answer =
        serde_json::from_str(&text).map_or_else(|error| json!({"error": error.to_string()}), |job| answer(&job));
    std::io::stdout().write_all(answer.to_string().as_bytes())
}

/// The answer to a job.
pub fn answer(job: &Json) -> Json {
    let path = job["path"].as_str().unwrap_or_default();
    let texts: Vec<&str> = job["texts"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let name = job["name"].as_str().unwrap_or_default();
    let mut session = Session::new(Rc::new(Files));
    session.machine.max_steps = Some(MAX_STEPS);
    match job["task"].as_str().unwrap_or_default() {
        "values" => values(&mut session, path, &texts),
        "runFile" => claims(&mut session, path, &texts, &|_| true),
        "runTest" => claims(&mut session, path, &texts, &|case| case == name),
        "checkRule" => claims(&mut session, path, &texts, &|case| case == format!("the rule of `{name}`")),
        other => json!({"error": format!("there is no task {other}")}),
    }
}

/// Files as they are on the disk, and a printer that drops what it gets.
struct Files;

impl World for Files {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        crate::server::read_file(path)
    }

    fn print(&self, _: &str) {}
}

/// The value of every expression at top level; errors, and expectations that don't hold, as problems.
fn values(session: &mut Session, path: &str, texts: &[&str]) -> Json {
    let (mut values, mut problems) = (vec![], vec![]);
    for text in texts {
        let Ok((tree, module)) = session.load(path, text) else { continue };
        let statements: Vec<NodeId> = testing::steps_of(&tree);
        for (step, statement) in module.steps.iter().zip(statements) {
            if matches!(step.kind, StepKind::Test(_)) {
                continue;
            }
            let (outcome, expectation) = (session.run_step(step), tree.expectation(statement));
            match (&outcome, expectation) {
                (Ok(value), Some(Expectation { kind: ExpectationKind::Equals(expected), span })) => {
                    let differs = agrees(session, value, &expected).err();
                    problems.extend(differs.map(|words| claim_problem(span, "this isn't the value", &words)));
                }
                (Ok(_), Some(Expectation { kind: ExpectationKind::Fails(words), span })) => {
                    problems.push(claim_problem(span, "there is no such error", &words));
                }
                (Err(error), Some(Expectation { kind: ExpectationKind::Fails(words), .. }))
                    if mentions(error, &words) => {}
                (Err(error), _) => problems.push(problem(error, step.span)),
                (Ok(_), None) => {}
            }
            if let (Ok(value), StepKind::Show) = (&outcome, &step.kind) {
                values.push(shown(value, step.span));
            }
            if outcome.is_err() && matches!(step.kind, StepKind::Define(_)) {
                // What follows would fail for this reason alone.
                break;
            }
        }
    }
    json!({"values": values, "problems": problems})
}

fn shown(value: &Value, span: Span) -> Json {
    let text = evert::show(value);
    let short: String = text.chars().take(HINT_WIDTH).collect();
    let short = if short.len() < text.len() { format!("{short}…") } else { short };
    json!({"start": span.start, "end": span.end, "short": short, "text": text})
}

fn claim_problem(span: Span, message: &str, words: &str) -> Json {
    json!({"start": span.start, "end": span.end, "code": "E0501", "message": format!("{message}\n{words}")})
}

/// An error of the program, at its place in the text, or where the text called what failed.
fn problem(error: &Diagnostic, step: Span) -> Json {
    let places = std::iter::once(error.span()).chain(error.trace.iter().map(|call| call.span));
    let span = places.into_iter().find(|span| span.file == step.file).unwrap_or(step);
    let words = std::iter::once(&error.message).chain(&error.notes).chain(&error.help);
    let message: Vec<&str> = words.map(String::as_str).collect();
    json!({"start": span.start, "end": span.end, "code": error.code.to_string(), "message": message.join("\n")})
}

/// Runs everything that a text claims, and says of the chosen claims whether they hold.
fn claims(session: &mut Session, path: &str, texts: &[&str], chosen: &dyn Fn(&str) -> bool) -> Json {
    let (mut passed, mut failed) = (0, vec![]);
    for text in texts {
        match testing::run(session, path, text) {
            Ok(report) => {
                for case in report.cases.into_iter().filter(|case| chosen(&case.name)) {
                    match case.result {
                        Ok(()) => passed += 1,
                        Err(Problem::Differs(words)) => failed.push(words),
                        Err(Problem::Failed(error)) => failed.push(format!("{}: {}", error.code, error.message)),
                    }
                }
            }
            Err(errors) => failed.extend(errors.into_iter().map(|error| format!("{}: {}", error.code, error.message))),
        }
    }
    let text = match (passed, failed.len()) {
        (0, 0) => "nothing to check: the file doesn't use it".to_string(),
        (passed, 0) => format!("{passed} passed"),
        (passed, wrong) => format!("{passed} passed, {wrong} failed\n{}", failed.join("\n")),
    };
    json!({"ok": failed.is_empty() && passed > 0, "text": text})
}
