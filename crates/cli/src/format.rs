//! `evert fmt`: programs in the standard layout.

use std::path::Path;

use base::{Diagnostic, Sources, Span, codes};
use evert::Session;
use syntax::sexpr;

use crate::Status;
use crate::files::{self, Files, Prints, STDIN};
use crate::report;
use crate::terminal::Terminal;

/// Writes files in the standard layout.
pub fn write(terminal: &Terminal, arguments: &[String]) -> Status {
    each(arguments, |file| write_one(terminal, file))
}

/// Fails if a file isn't in the standard layout, and says which.
pub fn check(terminal: &Terminal, arguments: &[String]) -> Status {
    each(arguments, |file| check_one(terminal, file))
}

/// All files are looked at, whatever is wrong with one of them.
fn each(arguments: &[String], work: impl Fn(&str) -> Status) -> Status {
    let files = arguments.iter().flat_map(|argument| find(argument));
    let done: Vec<Status> = files.map(|file| work(&file)).collect();
    done.into_iter().find(|status| *status != Status::Fine).unwrap_or(Status::Fine)
}

fn find(argument: &str) -> Vec<String> {
    match files::search(Path::new(argument), &["ev"]) {
        Ok(found) => found.iter().map(|file| file.to_string_lossy().into_owned()).collect(),
        Err(_) => vec![files::name(argument)],
    }
}

fn check_one(terminal: &Terminal, name: &str) -> Status {
    match Formatted::new(terminal, name) {
        Some(formatted) if formatted.before == formatted.after => Status::Fine,
        Some(_) => {
            terminal.line(&format!("{name} isn't in the standard layout"));
            Status::Failed
        }
        None => Status::Failed,
    }
}

fn write_one(terminal: &Terminal, name: &str) -> Status {
    let Some(Formatted { before, after }) = Formatted::new(terminal, name) else { return Status::Failed };
    if name == STDIN {
        terminal.text(&after);
    } else if before != after
        && let Err(error) = std::fs::write(name, after)
    {
        terminal.complain(&format!("can't write {name}: {}", files::reason(&error)));
        return Status::Failed;
    }
    Status::Fine
}

struct Formatted {
    before: String,
    after: String,
}

impl Formatted {
    /// `None` if the file can't be read or parsed, which has been reported then.
    fn new(terminal: &Terminal, name: &str) -> Option<Formatted> {
        if name.ends_with(".md") {
            terminal.complain(&format!("{name} is Markdown; programs (.ev) have a standard layout"));
            return None;
        }
        let mut session = Session::new(std::rc::Rc::new(Files::here(Prints::Output)));
        let formatted = session.read(name).and_then(|before| {
            let after = layout(&mut session.sources, name, &before)?;
            Ok(Formatted { before, after })
        });
        formatted.map_err(|failure| report::report(terminal, &session.sources, &failure)).ok()
    }
}

/// The text in the standard layout. It means the same, or we have a bug and say so instead of writing it.
fn layout(sources: &mut Sources, name: &str, text: &str) -> Result<String, Vec<Diagnostic>> {
    let file = sources.add(name, text);
    let tree = syntax::parse(file, text);
    let Some(after) = syntax::format(&tree) else {
        return Err(match tree.errors() {
            [] => vec![Diagnostic::new(codes::UNEXPECTED_TOKEN, Span::new(file, 0, 0), "the file can't be laid out")],
            errors => errors.to_vec(),
        });
    };
    let again = syntax::parse(file, &after);
    assert!(
        again.errors().is_empty() && sexpr::file(&again) == sexpr::file(&tree),
        "format: {name} would change its meaning"
    );
    Ok(after)
}
