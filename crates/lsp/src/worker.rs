//! Runs of programs, from inside: one job on the first line of standard input, answers on standard output, as JSON, one a line.
//!
//! | task | answers |
//! |---|---|
//! | `values` | as the program runs: `running` (the statement that begins), `value`, `problem`, `shape`; last `done` |
//! | `runFile`, `runTest`, `checkRule` | one: `ok`, and what was found in words as `text` |
//! | `showDerivative` | one: the derivative as source, as `evert derive` prints it |
//! | `showPlot` | one: `svg` of the value of the statement that begins at an offset |
//!
//! Programs run on the reference evaluator; what they print is dropped. For `values` each statement has a limit on its steps. Files are read as
//! the editor has them (`files` of the job, texts by path), then from the disk.

mod values;

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::rc::Rc;

use calculus::StepKind;
use evert::deriving::{self, DerivativeMode, Wish};
use evert::testing::{self, Problem};
use evert::{Failure, Folders, Session, World};
use serde_json::{Value as Json, json};

use crate::document::programs;

/// Does the job that stands on the first line of standard input. When that is closed nobody waits any more, and the process ends.
pub fn work() -> std::io::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_line(&mut text)?;
    std::thread::spawn(|| {
        // Nothing comes; this waits for the end.
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        std::process::exit(1);
    });
    let job = serde_json::from_str(&text).unwrap_or(Json::Null);
    let mut out = std::io::stdout().lock();
    let mut written = Ok(());
    answer(&job, &mut |line| {
        if written.is_ok() {
            written = writeln!(out, "{line}").and_then(|()| out.flush());
        }
    });
    written
}

/// Does a job; the answers are told as they are found.
pub fn answer(job: &Json, tell: &mut dyn FnMut(Json)) {
    let text = |name: &str| job[name].as_str().unwrap_or_default();
    let (path, name) = (text("path"), text("name"));
    let texts = programs(path, text("text"));
    let mut session = Session::new(Rc::new(Files::of(job)));
    match text("task") {
        "values" => values::values(session, path, &texts, tell),
        "runFile" => tell(claims(&mut session, path, &texts, &|_| true)),
        "runTest" => tell(claims(&mut session, path, &texts, &|case| case == name)),
        "checkRule" => tell(claims(&mut session, path, &texts, &|case| case == format!("the rule of `{name}`"))),
        "showDerivative" => tell(derivative(&mut session, path, &texts, name)),
        "showPlot" => tell(plot(&mut session, path, &texts, name)),
        other => tell(wrong(format!("there is no task {other}"))),
    }
}

/// Files as the editor has them, else as they are on the disk, and a printer that drops what it gets.
struct Files {
    open: HashMap<String, String>,
    /// Those in which imports may lie.
    folders: Folders,
}

impl Files {
    fn of(job: &Json) -> Files {
        let open = job["files"].as_object().into_iter().flatten();
        let open = open.filter_map(|(path, text)| Some((path.clone(), text.as_str()?.to_string()))).collect();
        let workspace: Vec<PathBuf> = job["folders"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|folder| Some(folder.as_str()?.into()))
            .collect();
        Files { open, folders: Folders::and(job["path"].as_str(), &workspace) }
    }
}

impl World for Files {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        match self.open.get(path) {
            Some(text) => Ok(text.clone().into_bytes()),
            None => crate::disk::read(&self.folders.find(path)?),
        }
    }

    fn print(&self, _: &str) {}
}

fn wrong(text: impl Into<String>) -> Json {
    json!({"ok": false, "text": text.into()})
}

/// Mistakes in words, one a line.
fn described(failure: &Failure) -> String {
    let lines: Vec<String> = failure.iter().map(|error| format!("{}: {}", error.code, error.message)).collect();
    lines.join("\n")
}

/// Runs everything that a text claims, and says of the chosen claims whether they hold.
fn claims(session: &mut Session, path: &str, texts: &[String], chosen: &dyn Fn(&str) -> bool) -> Json {
    let (mut passed, mut failed) = (0, vec![]);
    for text in texts {
        match testing::run(session, path, text) {
            Ok(report) => {
                for case in report.cases.into_iter().filter(|case| chosen(&case.name)) {
                    match case.result {
                        Ok(()) => passed += 1,
                        Err(Problem::Differs(words)) => failed.push(words),
                        Err(Problem::Failed(error)) => failed.push(described(&vec![*error])),
                    }
                }
            }
            Err(errors) => failed.push(described(&errors)),
        }
    }
    let text = match (passed, failed.len()) {
        (0, 0) => "nothing to check: the file doesn't use it".to_string(),
        (passed, 0) => format!("{passed} passed"),
        (passed, wrong) => format!("{passed} passed, {wrong} failed\n{}", failed.join("\n")),
    };
    json!({"ok": failed.is_empty() && passed > 0, "text": text})
}

/// The derivative of a function of the last program that defines it.
fn derivative(session: &mut Session, path: &str, texts: &[String], name: &str) -> Json {
    let defines = |text: &String| {
        let tree = syntax::parse(base::FileId::default(), text);
        tree.statements().into_iter().any(|id| match tree.statement(id) {
            syntax::ast::Statement::Fn(function) => function.name.name.as_str() == name,
            _ => false,
        })
    };
    let Some(at) = texts.iter().rposition(defines) else { return wrong(format!("there is no function `{name}`")) };
    for text in &texts[..at] {
        if let Err(failure) = session.run(path, text, |_| ()) {
            return wrong(described(&failure));
        }
    }
    let wish = Wish { function: name.to_string(), wrt: vec![], mode: DerivativeMode::Reverse, order: 1 };
    match deriving::derive(session, path, &texts[at], &wish) {
        Ok(answer) => json!({"ok": true, "text": answer.text, "compared": answer.compared, "left": answer.left}),
        Err(failure) => wrong(described(&failure)),
    }
}

/// The plot that the statement at an offset shows.
fn plot(session: &mut Session, path: &str, texts: &[String], at: &str) -> Json {
    for text in texts {
        let module = match session.load(path, text) {
            Ok((_, module)) => module,
            Err(failure) => return wrong(described(&failure)),
        };
        for step in module.steps.iter().filter(|step| !matches!(step.kind, StepKind::Test(_))) {
            let is_wanted = step.span.start.to_string() == at;
            match session.run_step(step) {
                Ok(value) if is_wanted => {
                    return match session.plot(&value, step.span) {
                        Some(Ok(plot)) => json!({"ok": true, "svg": plots::svg(&plot, plots::Page::File)}),
                        Some(Err(error)) => wrong(described(&vec![*error])),
                        None => wrong("the value is no plot"),
                    };
                }
                // An expression that fails is nobody's definition.
                Err(error) if is_wanted || matches!(step.kind, StepKind::Define(_)) => {
                    return wrong(described(&vec![*error]));
                }
                Ok(_) | Err(_) => {}
            }
        }
    }
    wrong("there is no plot here any more")
}
