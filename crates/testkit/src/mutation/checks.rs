//! The named checks that a mutant must not pass: cells of the matrix, the values of its table, the suite.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use evert::{Engine, Session, World, testing};

use super::sites::{Mutant, users};
use crate::Lab;
use crate::matrix::{self, Cell, Mode, Outcome, Row, Trial};
use crate::reals::agree;

/// What came of a mutant.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// By which check.
    Killed(String),
    Survived,
    /// It is no program.
    Invalid,
}

/// What the library as it is answers to the questions of the matrix that it answers rightly.
#[derive(Default)]
pub struct Answers(HashMap<String, Vec<f64>>);

impl Answers {
    /// Asks the oracle about everything.
    pub fn ask() -> Answers {
        let mut trial = Trial::new(Engine::Reference);
        let mut answers = Answers::default();
        for row in matrix::table() {
            for cell in row.cells() {
                let outcomes = trial.cell(&cell, &Mode::ALL);
                for (mode, _) in outcomes.into_iter().filter(|(_, outcome)| *outcome == Outcome::Agrees) {
                    if let Ok(found) = trial.answer(mode) {
                        answers.0.insert(key(row, &cell, mode), found);
                    }
                }
            }
        }
        answers
    }

    pub fn write(&self) -> String {
        let line = |(key, reals): (&String, &Vec<f64>)| {
            let reals: Vec<String> = reals.iter().map(|x| format!("{:x}", x.to_bits())).collect();
            format!("{key}\t{}\n", reals.join(" "))
        };
        self.0.iter().map(line).collect()
    }

    pub fn read(text: &str) -> Answers {
        let line = |line: &str| {
            let (key, reals) = line.split_once('\t')?;
            let real = |word: &str| u64::from_str_radix(word, 16).ok().map(f64::from_bits);
            Some((key.to_string(), reals.split_whitespace().filter_map(real).collect()))
        };
        Answers(text.lines().filter_map(line).collect())
    }
}

fn key(row: &Row, cell: &Cell, mode: Mode) -> String {
    format!("{} {} {} {mode}", row.subject, cell.f, cell.point)
}

/// Tries the checks one after the other, the most likely first; says before each which it is.
pub fn check(mutant: &Mutant, answers: &Answers, tell: &mut dyn FnMut(&str)) -> Verdict {
    let library = mutant.library();
    let files: Vec<(&'static str, &str)> = library.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let Ok(session) = Session::with_library(Rc::new(Files), &files) else { return Verdict::Invalid };
    let Ok(mut trial) = Trial::with(Lab::within(session)) else {
        return Verdict::Killed("the prelude of the matrix".into());
    };
    if let Some(name) = by_matrix(mutant, answers, &mut trial, tell) {
        return Verdict::Killed(name);
    }
    if let Some(name) = by_values(&mut trial.lab, tell) {
        return Verdict::Killed(name);
    }
    match by_suite(&files, tell) {
        Some(name) => Verdict::Killed(name),
        None => Verdict::Survived,
    }
}

/// How many functions that use the changed one are tried in all modes before everything else is.
const NEAR: usize = 12;

/// Cells of the matrix: first the rows of the function itself and of its nearest users, then all, first orders first.
fn by_matrix(mutant: &Mutant, answers: &Answers, trial: &mut Trial, tell: &mut dyn FnMut(&str)) -> Option<String> {
    let users = users(&mutant.function);
    let near = |row: &Row| users.iter().take(NEAR).position(|user| user == row.name());
    let (mut own, others): (Vec<&Row>, Vec<&Row>) = matrix::table().partition(|row| near(row).is_some());
    own.sort_by_key(|row| near(row));
    let by_order = |orders: &[usize]| -> Vec<Mode> {
        Mode::ALL.iter().copied().filter(|mode| orders.contains(&mode.order())).collect()
    };
    let passes =
        [(&own, by_order(&[1, 2, 3])), (&others, by_order(&[1])), (&others, by_order(&[2])), (&others, by_order(&[3]))];
    for (rows, modes) in passes {
        for row in rows {
            for cell in row.cells() {
                tell(&format!("matrix {} {}", row.subject, cell.f));
                if let Some(mode) = wrong_mode(row, &cell, &modes, answers, trial) {
                    return Some(format!(
                        "matrix: `{}`, {}, {mode}: {} at {}",
                        row.subject, cell.class, cell.f, cell.point
                    ));
                }
            }
        }
    }
    None
}

fn wrong_mode(row: &Row, cell: &Cell, modes: &[Mode], answers: &Answers, trial: &mut Trial) -> Option<Mode> {
    const TOLERANCE: f64 = 1e-9;
    let known: Vec<(Mode, &Vec<f64>)> =
        modes.iter().filter_map(|mode| Some((*mode, answers.0.get(&key(row, cell, *mode))?))).collect();
    let (first, _) = known.first()?;
    if trial.prepare(cell).is_err() {
        return Some(*first);
    }
    let is_wrong = |trial: &mut Trial, mode: Mode, expected: &[f64]| match trial.answer(mode) {
        Ok(found) if expected.iter().any(|x| !x.is_finite()) => found.iter().all(|x| x.is_finite()),
        Ok(found) => !agree(&found, expected, TOLERANCE),
        Err(_) => true,
    };
    known.into_iter().find(|(mode, expected)| is_wrong(trial, *mode, expected)).map(|(mode, _)| mode)
}

/// Values that the rows of primitives state.
fn by_values(lab: &mut Lab, tell: &mut dyn FnMut(&str)) -> Option<String> {
    for row in matrix::primitives() {
        for (text, expected) in row.values {
            tell(&format!("values of {}", row.subject));
            if lab.agrees(text, expected).is_err() {
                return Some(format!("values: {text}"));
            }
        }
    }
    None
}

/// The suite, on the reference evaluator.
fn by_suite(files: &[(&'static str, &str)], tell: &mut dyn FnMut(&str)) -> Option<String> {
    let mut paths = vec![];
    find(&root().join("suite"), &mut paths);
    for path in paths {
        let name = path.to_string_lossy().into_owned();
        tell(&format!("suite {name}"));
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let Ok(mut session) = Session::with_library(Rc::new(Files), files) else { return None };
        let short = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
        let Ok(report) = testing::run(&mut session, &name, &text) else { return Some(format!("suite: {short}")) };
        if let Some(case) = report.cases.into_iter().find(|case| case.result.is_err()) {
            let (line, _) = session.sources.line_column(case.span.file, case.span.start);
            return Some(format!("suite: {short}:{line}"));
        }
    }
    None
}

struct Files;

impl World for Files {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        std::fs::read(path).map_err(|error| error.to_string())
    }

    fn print(&self, _line: &str) {}
}

fn root() -> PathBuf {
    // Where it was built, or else where it runs.
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize();
    built.unwrap_or_else(|_| std::env::current_dir().unwrap_or_default())
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            find(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "ev") {
            files.push(path);
        }
    }
}
