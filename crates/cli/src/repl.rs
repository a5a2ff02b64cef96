//! `evert repl`: read, evaluate, print.
//!
//! At a terminal inputs come from a prompt ([`prompt`]); otherwise from standard input as it is ([`piped`]). Errors
//! are shown and forgotten.

mod commands;
mod piped;
mod prompt;

use std::io::{self, IsTerminal};
use std::rc::Rc;

use calculus::StepKind;
use evert::{Failure, Session};

use crate::Status;
use crate::draw::Shower;
use crate::files::Files;
use crate::launch::Launcher;
use crate::report;
use crate::run::is_unit;
use crate::terminal::Terminal;

pub fn start(launcher: &Launcher) -> Status {
    let repl = Repl::new(launcher);
    if io::stdin().is_terminal() { prompt::run(repl) } else { piped::run(repl) }
}

struct Repl<'a> {
    launcher: &'a Launcher<'a>,
    terminal: &'a Terminal,
    shower: Shower<'a>,
    session: Session,
    /// The codes of all errors have been mentioned once.
    hinted: bool,
    finished: bool,
    inputs: usize,
}

impl<'a> Repl<'a> {
    fn new(launcher: &'a Launcher<'a>) -> Repl<'a> {
        let (terminal, session) = (launcher.terminal, new_session(launcher));
        Repl { launcher, terminal, shower: Shower::new(terminal), session, hinted: false, finished: false, inputs: 0 }
    }

    /// One input from the prompt: a command or statements.
    fn input(&mut self, text: &str) -> Status {
        self.inputs += 1;
        let name = format!("<input {}>", self.inputs);
        if commands::is_command(text) { self.command(text) } else { self.program(&name, text) }
    }

    fn program(&mut self, name: &str, text: &str) -> Status {
        let result = self.statements(name, text);
        self.conclude(result)
    }

    fn conclude(&mut self, result: Result<(), Failure>) -> Status {
        let Err(failure) = result else { return Status::Fine };
        let text = report::all(&self.session.sources, &failure, self.terminal.err);
        self.terminal.error_text(&text);
        if !std::mem::replace(&mut self.hinted, true) {
            self.terminal.error_text(&report::hint(&failure));
        }
        Status::Failed
    }

    /// Runs statements; the last value that was shown is called `ans`.
    fn statements(&mut self, name: &str, text: &str) -> Result<(), Failure> {
        let (_, module) = self.session.load(name, text)?;
        report::warnings(self.terminal, &mut self.session);
        for step in &module.steps {
            let value = self.session.run_step(step).map_err(|error| vec![*error])?;
            match &step.kind {
                StepKind::Define(_) => {}
                StepKind::Test(name) => self.terminal.line(&format!("the test \"{name}\" holds")),
                StepKind::Show => {
                    self.shower.show(&mut self.session, &value, step.span)?;
                    if !is_unit(&value) {
                        self.session.set("ans", value);
                    }
                }
            }
        }
        Ok(())
    }
}

fn new_session(launcher: &Launcher) -> Session {
    launcher.session(Rc::new(Files))
}
