//! `evert repl`: read, evaluate, print.
//!
//! At a terminal inputs come from a prompt ([`prompt`]); otherwise from standard input as it comes ([`piped`]). Errors
//! are shown and forgotten; Ctrl-C stops what runs. A function may mention what a later input defines, a rule clause belongs to the function
//! typed last, and imported files that have changed are read again.

mod commands;
mod lines;
mod piped;
mod prompt;

use std::io::{self, IsTerminal};
use std::rc::Rc;

use base::FileId;
use calculus::StepKind;
use evert::{Failure, Reading, Session};
use syntax::Tree;
use syntax::ast::Statement;

use crate::Status;
use crate::files::{Files, Prints};
use crate::interrupt::{self, interruptible};
use crate::launch::Launcher;
use crate::output::{Output, Shown, is_unit};
use crate::progress;
use crate::report;
use crate::terminal::Terminal;

pub fn start(launcher: &Launcher) -> Status {
    let repl = Repl::new(launcher);
    if !io::stdin().is_terminal() {
        return piped::run(repl);
    }
    interrupt::stop_this_thread_on_ctrl_c();
    prompt::run(repl)
}

struct Repl<'a> {
    launcher: &'a Launcher<'a>,
    terminal: &'a Terminal,
    output: Output<'a>,
    session: Session,
    /// The function typed last, if nothing came after it: a rule clause belongs to it.
    last_function: Option<String>,
    /// The codes of all errors have been mentioned once.
    hinted: bool,
    finished: bool,
    inputs: usize,
}

impl<'a> Repl<'a> {
    fn new(launcher: &'a Launcher<'a>) -> Repl<'a> {
        let (terminal, session) = (launcher.terminal, new_session(launcher));
        let output = Output::plain(terminal);
        Repl { launcher, terminal, output, session, last_function: None, hinted: false, finished: false, inputs: 0 }
    }

    /// One input from the prompt: a command or statements.
    fn input(&mut self, text: &str) -> Status {
        self.inputs += 1;
        let name = format!("<input {}>", self.inputs);
        if commands::is_command(text) { self.command(text) } else { self.program(&name, text) }
    }

    fn program(&mut self, name: &str, text: &str) -> Status {
        let text = self.with_owner(text);
        let result = interruptible(|| self.statements(name, &text));
        self.last_function = last_function(&text).filter(|_| result.is_ok());
        self.conclude(result)
    }

    /// A text that begins with a rule clause, behind the function that the clause belongs to.
    fn with_owner(&self, text: &str) -> String {
        if let Some(function) = self.last_function.as_ref().filter(|_| may_be_clause(text)) {
            let whole = format!("{function}\n{}", text.trim_start_matches('\n'));
            let tree = syntax::parse(FileId::default(), &whole);
            if tree.errors().is_empty() && tree.statements().len() == 1 {
                return whole;
            }
        }
        text.to_string()
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
        for file in self.session.refresh()? {
            self.terminal.error_text(&format!("{file} has changed and was read again\n"));
        }
        let (_, module) = self.session.load(name, text)?;
        report::warnings(self.terminal, &mut self.session);
        for step in &module.steps {
            let text = self.session.sources.text(step.span).to_string();
            let value = progress::during(&text, || self.session.run_step(step)).map_err(|error| vec![*error])?;
            match &step.kind {
                StepKind::Define(_) => {}
                StepKind::Test(name) => self.terminal.line(&format!("the test \"{name}\" holds")),
                StepKind::Show => {
                    self.output.show(&mut self.session, &value, Shown { label: None, span: step.span })?;
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
    let mut session = launcher.session(Rc::new(Files::here(Prints::Output)));
    session.reading = Reading::Typed;
    session
}

/// Does it begin with the word of a rule clause?
fn may_be_clause(text: &str) -> bool {
    ["reverse", "forward", "transpose"].iter().any(|word| text.trim_start().starts_with(word))
}

/// The text of the last statement, if it is a function.
fn last_function(text: &str) -> Option<String> {
    let tree = syntax::parse(FileId::default(), text);
    let last = tree.statements().pop()?;
    let span = tree.span(last);
    matches!(tree.statement(last), Statement::Fn(_)).then(|| text[span.start as usize..span.end as usize].to_string())
}

/// The names of the functions that a text defines, if it does nothing else.
fn functions(tree: &Tree) -> Option<Vec<base::Name>> {
    let name = |statement: Statement| match statement {
        Statement::Fn(function) => Some(function.name.name),
        _ => None,
    };
    tree.statements().into_iter().map(|id| name(tree.statement(id))).collect()
}
