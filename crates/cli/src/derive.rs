//! `evert derive`: the derivative of a function as source.
//!
//! In: a program, a function, what to differentiate by. Out: source in the standard layout, or a formula, that gave what `grad` gives at sample
//! inputs; how many these were is said on standard error, and so is what is left to `vjp`.

use evert::deriving::{self, DerivativeMode, Wish};

use crate::Status;
use crate::arguments::DeriveMode;
use crate::files::{self, Recording};
use crate::launch::Launcher;
use crate::report;

pub struct Request {
    pub function: String,
    pub wrt: Vec<String>,
    pub mode: DeriveMode,
    pub order: u32,
    pub latex: bool,
}

pub fn print(launcher: &Launcher, path: &str, request: &Request) -> Status {
    let terminal = launcher.terminal;
    let mut session = evert::Session::new(Recording::of(path));
    session.engines.engine = evert::Engine::Reference;
    let name = files::name(path);
    let mode = match request.mode {
        DeriveMode::Reverse => DerivativeMode::Reverse,
        DeriveMode::Forward => DerivativeMode::Forward,
    };
    let Request { function, wrt, order, latex, .. } = request;
    let wish = Wish { function: function.clone(), wrt: wrt.clone(), mode, order: *order };
    let answer = session.read(&name).and_then(|text| deriving::derive(&mut session, &name, &text, &wish));
    let answer = match answer {
        Ok(answer) => answer,
        Err(failure) => {
            report::report(terminal, &session.sources, &failure);
            return Status::Failed;
        }
    };
    match (latex, &answer.latex) {
        (false, _) => terminal.text(&answer.text),
        (true, Some(formula)) => terminal.text(formula),
        (true, None) => {
            terminal
                .complain("only straight-line code has a formula: without --latex the derivative is printed as source");
            return Status::Failed;
        }
    }
    let inputs = if answer.compared == 1 { "input" } else { "inputs" };
    terminal.complain(&format!("compared with `grad` at {} {inputs}", answer.compared));
    if !answer.left.is_empty() {
        let mut lines = answer.left.clone();
        lines.sort_unstable();
        lines.dedup();
        let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
        terminal.complain(&format!("left to `vjp`, the derivative that the language has: line {}", lines.join(", ")));
    }
    Status::Fine
}
