//! `evert test`: what files claim, and whether it holds.
//!
//! In: files and folders. Out: a report of each claim that doesn't hold, then `N passed, M failed`. Each file has a
//! session of its own; the blocks of a Markdown file share one. What a file prints is shown if something in it
//! fails.

use std::path::Path;
use std::time::Duration;

use base::{Code, Diagnostic, Span, codes};
use evert::testing::{self, Case, Problem};
use evert::{Failure, Session};

use crate::Status;
use crate::blocks::{Block, blocks};
use crate::files::{self, Recording};
use crate::launch::Launcher;
use crate::report;

/// So many empty lines may stand above all blocks of a Markdown file together, so that places show its own lines.
const MOST_PADDING: usize = 1 << 26;

/// What is tested, and what is said about it.
#[derive(Default)]
pub struct Request {
    pub verbose: bool,
    /// Only claims that contain this.
    pub filter: Option<String>,
}

pub fn test(launcher: &Launcher, paths: &[String], request: &Request) -> Status {
    let terminal = launcher.terminal;
    let mut total = Count::default();
    let mut read = false;
    for path in paths {
        let files = find(path);
        if files.is_empty() {
            terminal.complain(&format!("there are no *.ev or *.md files in {path}"));
        }
        for file in files {
            let count = test_file(launcher, &file, request);
            read |= count.is_some();
            total.add(count.unwrap_or(Count { passed: 0, failed: 1 }));
        }
    }
    terminal.line(&format!("{} passed, {} failed", total.passed, total.failed));
    if let Some(filter) = request.filter.as_ref().filter(|_| total.passed + total.failed == 0) {
        terminal.complain(&format!("no claim contains `{filter}`"));
        return Status::Failed;
    }
    if read && total.failed == 0 { Status::Fine } else { Status::Failed }
}

#[derive(Clone, Copy, Default, Debug)]
struct Count {
    passed: usize,
    failed: usize,
}

impl Count {
    fn add(&mut self, other: Count) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

/// The files that a path names: itself, or those in the folder. One that isn't there is reported when it is read.
fn find(path: &str) -> Vec<String> {
    let folder = Path::new(path);
    match files::search(folder, &["ev", "md"]) {
        Ok(found) => found.iter().map(|file| file.to_string_lossy().into_owned()).collect(),
        Err(_) => vec![path.to_string()],
    }
}

/// `None` if the file can't be read.
fn test_file(launcher: &Launcher, path: &str, request: &Request) -> Option<Count> {
    let terminal = launcher.terminal;
    let world = Recording::of(path);
    let mut session = launcher.session(world.clone());
    let name = files::name(path);
    let text = match session.read(&name) {
        Ok(text) => text,
        Err(failure) => {
            terminal.text(&report::all(&session.sources, &failure, terminal.out));
            return None;
        }
    };
    let is_document = path.ends_with(".md");
    let filter = request.filter.as_deref();
    let mut left_out = vec![];
    let results = match is_document {
        true => document(&mut session, &name, &text, filter, &mut left_out),
        false => claims(&mut session, &name, &text, filter, &mut left_out),
    };
    report::warnings(terminal, &mut session);
    if request.verbose {
        results.iter().for_each(|claim| terminal.line(&listed(&session, claim)));
    }
    let results: Vec<Checked> = results.into_iter().map(|claim| claim.checked).collect();
    let failures: Failure = results.iter().filter_map(|result| result.clone().err()).map(|error| *error).collect();
    if !failures.is_empty() {
        world.lines.borrow().iter().for_each(|line| terminal.line(line));
    }
    for failure in &failures {
        terminal.line(&report::render(&session.sources, failure, terminal.out));
    }
    left_out.iter().for_each(|words| terminal.line(&format!("note: {name}: {words}")));
    Some(Count { passed: results.len() - failures.len(), failed: failures.len() })
}

/// Whether one claim holds.
pub type Checked = Result<(), Box<Diagnostic>>;

/// A claim, what it is about, and how long it took to check.
struct Claim {
    checked: Checked,
    name: String,
    span: Span,
    took: Duration,
}

fn listed(session: &Session, claim: &Claim) -> String {
    const LONGEST: usize = 60;
    let verdict = if claim.checked.is_ok() { "ok    " } else { "FAILED" };
    let place = report::place(&session.sources, claim.span);
    let name = match claim.name.as_str() {
        "" => session.sources.text(claim.span).split_whitespace().collect::<Vec<_>>().join(" "),
        name => format!("\"{name}\""),
    };
    let name = match name.chars().count() > LONGEST {
        true => name.chars().take(LONGEST - 1).chain("…".chars()).collect(),
        false => name,
    };
    format!("{verdict} {:>9.3} s  {place}  {name}", claim.took.as_secs_f64())
}

/// The claims of a program: expectations, `test` blocks and custom rules, which are checked where they are used. What
/// can't be read or elaborated is a claim that fails. What wasn't looked at is added to `left_out`.
#[cfg(test)]
pub fn program(session: &mut Session, name: &str, text: &str, left_out: &mut Vec<String>) -> Vec<Checked> {
    claims(session, name, text, None, left_out).into_iter().map(|claim| claim.checked).collect()
}

fn claims(
    session: &mut Session,
    name: &str,
    text: &str,
    filter: Option<&str>,
    left_out: &mut Vec<String>,
) -> Vec<Claim> {
    match testing::run_some(session, name, text, filter) {
        Ok(report) => {
            left_out.extend(report.left_out);
            report.cases.into_iter().map(claim).collect()
        }
        Err(failure) => failure.into_iter().map(|error| claim_of(Err(Box::new(error)))).collect(),
    }
}

fn claim(case: Case) -> Claim {
    let (name, span, took) = (case.name.clone(), case.span, case.took);
    Claim { checked: checked(case), name, span, took }
}

/// A claim of the file as a whole.
fn claim_of(checked: Checked) -> Claim {
    let span = checked.as_ref().err().map_or(Span::default(), |error| error.span());
    Claim { checked, name: String::new(), span, took: Duration::ZERO }
}

fn checked(case: Case) -> Checked {
    let test = match case.name.as_str() {
        "" => None,
        rule if rule.starts_with("the rule of `") => Some(format!("while checking {rule}")),
        name => Some(format!("in the test \"{name}\"")),
    };
    case.result.map_err(|problem| {
        let diagnostic = match problem {
            Problem::Failed(diagnostic) => *diagnostic,
            Problem::Differs(words) => differs(case.span, &words),
        };
        Box::new(test.into_iter().fold(diagnostic, Diagnostic::note))
    })
}

fn differs(span: Span, words: &str) -> Diagnostic {
    let diagnostic = Diagnostic::new(codes::EXPECTATION_FAILED, span, "the result isn't what the file expects");
    words.lines().map(str::trim).fold(diagnostic, Diagnostic::note)
}

/// The claims of the blocks in a Markdown file.
fn document(
    session: &mut Session,
    name: &str,
    text: &str,
    filter: Option<&str>,
    left_out: &mut Vec<String>,
) -> Vec<Claim> {
    let blocks = blocks(text);
    let padded = blocks.iter().map(|block| block.above).sum::<usize>() <= MOST_PADDING;
    let mut results = vec![];
    for block in &blocks {
        let above = if padded { block.above } else { 0 };
        let before = session.warnings.len();
        // A block that fails is one claim.
        let filter = filter.filter(|_| block.fails_with.is_none());
        let mut checked = claims(session, name, &("\n".repeat(above) + &block.text), filter, left_out);
        // A block that shows a warning claims it.
        if block.fails_with.is_some_and(Code::is_warning) {
            checked.extend(session.warnings.drain(before..).map(|warning| claim_of(Err(Box::new(warning)))));
        }
        match block.fails_with {
            Some(_) => results.push(claim_of(fails(session, name, block, above, &checked))),
            None => results.extend(checked),
        }
    }
    results
}

/// Does a block fail with the code that it claims, and with no other?
fn fails(session: &mut Session, name: &str, block: &Block, above: usize, checked: &[Claim]) -> Checked {
    let expected = block.fails_with.into_iter();
    let mut found: Vec<_> =
        checked.iter().filter_map(|claim| claim.checked.as_ref().err()).map(|error| error.code).collect();
    found.dedup();
    if found.iter().copied().eq(expected.clone()) {
        return Ok(());
    }
    let words = |codes: Vec<String>| if codes.is_empty() { "no error".to_string() } else { codes.join(", ") };
    let file = session.sources.add(name, "\n".repeat(above) + &block.text);
    let expected = words(expected.map(|code| code.to_string()).collect());
    let found = words(found.iter().map(ToString::to_string).collect());
    let place = Span::new(file, above, above + block.text.trim_end().len());
    differs(place, &format!("expected {expected}\nfound {found}")).err()
}
