//! `evert why-zero`: why a part of a gradient is 0.
//!
//! In: a program, a function, an argument (or a call of the function in the program). Out: for each number of the argument whose gradient is 0 the
//! operations at which its influence ends, each with its place and the way to it.

use base::Span;
use evert::report::Remark;
use evert::why_zero::{Cause, End, Report, Zero, explain};
use evert::{Engine, Session};

use crate::Status;
use crate::files::{self, Recording};
use crate::report;
use crate::terminal::Terminal;

pub fn print(terminal: &Terminal, path: &str, function: &str, argument: Option<&str>) -> Status {
    let mut session = Session::new(Recording::of(path));
    session.engines.engine = Engine::Reference;
    let name = files::name(path);
    let found = session.read(&name).and_then(|text| explain(&mut session, &name, &text, function, argument));
    match found {
        Ok(found) => {
            terminal.text(&described(&session, terminal, &found));
            Status::Fine
        }
        Err(failure) => {
            report::report(terminal, &session.sources, &failure);
            Status::Failed
        }
    }
}

fn described(session: &Session, terminal: &Terminal, report: &Report) -> String {
    let Report { function, input, gradient, zeros, left_out } = report;
    let mut text = format!("the gradient of `{function}` at {input} is {gradient}\n");
    if zeros.is_empty() {
        return text + "no part of it is 0\n";
    }
    // What has the same reasons is told once.
    let mut told: Vec<(Vec<&str>, String)> = vec![];
    for zero in zeros {
        let words = reasons(session, terminal, zero);
        match told.iter_mut().find(|(_, known)| *known == words) {
            Some((names, _)) => names.push(&zero.name),
            None => told.push((vec![&zero.name], words)),
        }
    }
    for (names, words) in told {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let verb = if names.len() == 1 { "has" } else { "have" };
        text += &format!("\n{} {verb} the gradient 0: {words}", names.join(", "));
    }
    if *left_out > 0 {
        text += &format!("\n{left_out} more parts are 0\n");
    }
    text
}

fn reasons(session: &Session, terminal: &Terminal, zero: &Zero) -> String {
    let mut text = match &zero.cause {
        Cause::Int => {
            "it is an int, and ints carry no derivative; write 3.0 instead of 3 to differentiate by it\n".into()
        }
        Cause::NotMentioned => "the function doesn't use it\n".to_string(),
        Cause::NotReached(places) => {
            let unused = |span: &Span| {
                let title = "not reached here, or nothing comes of it".to_string();
                let remark = Remark { kind: "unused", title, span: *span, notes: vec![], help: vec![] };
                remark.render(&session.sources, terminal.out)
            };
            let shown: String = places.iter().take(3).map(unused).collect();
            format!("nothing that ran uses it\n{shown}")
        }
        Cause::Ends => "its influence ends before the result\n".to_string(),
        Cause::Said => "the result depends on it, but on the way something says that its slope is 0\n".to_string(),
        Cause::Flat => "the result depends on it; the slope just happens to be 0 here\n".to_string(),
        Cause::NoNumber => "the result holds no real\n".to_string(),
    };
    for end in &zero.ends {
        text += &place(session, terminal, end);
    }
    if let Some((input, slope)) = &zero.elsewhere {
        text += &format!("  at {input} it is {slope:?}\n");
    }
    text
}

fn place(session: &Session, terminal: &Terminal, end: &End) -> String {
    let mut notes = vec![];
    if !end.path.is_empty() {
        let steps = end.path.iter().map(|span| format!("`{}` ({})", source(session, *span), line(session, *span)));
        notes.push(format!("it came through {}", steps.collect::<Vec<_>>().join(", then ")));
    }
    if end.times > 1 {
        notes.push(format!("{} times in this run", end.times));
    }
    let remark = Remark { kind: "ends", title: end.words.clone(), span: end.span, notes, help: vec![] };
    remark.render(&session.sources, terminal.out)
}

fn line(session: &Session, span: Span) -> String {
    format!("line {}", session.sources.line_column(span.file, span.start).0)
}

/// The text at a place, on one line and not too long.
fn source(session: &Session, span: Span) -> String {
    let text: String = session.sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ");
    match text.chars().count() {
        0..=40 => text,
        _ => text.chars().take(39).chain(['…']).collect(),
    }
}
