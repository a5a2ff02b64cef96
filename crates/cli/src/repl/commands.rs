//! What the REPL understands besides the language: `?name` and `:words`.

use std::time::Instant;

use base::suggest::nearest;

use super::{Repl, new_session};
use crate::Status;
use crate::describe::describe;
use crate::files;
use crate::interrupt::interruptible;

/// The commands: word, argument, what it does.
pub const COMMANDS: [(&str, &str, &str); 7] = [
    (":help", "", "this list"),
    (":quit", "", "leaves, as Ctrl-D does"),
    (":load", "FILE", "runs a file; its definitions stay"),
    (":reset", "", "forgets all definitions"),
    (":time", "EXPR", "evaluates and says how long it took"),
    (":type", "EXPR", "evaluates and says what kind of value it is"),
    ("?", "NAME", "how a name is called, what it does, where it is defined"),
];

const HELP: &str = "An input may have several lines: it goes on while a bracket is open or a line ends in an operator.
Alt-Enter starts a new line anyway, Tab completes names, Ctrl-C drops the input or stops what runs. `ans` is the last value.
A rule clause (`reverse x => …`) belongs to the function typed before it. Functions may mention what you define later.
Imported files that have changed are read again.";

pub fn is_command(text: &str) -> bool {
    text.trim_start().starts_with([':', '?'])
}

impl Repl<'_> {
    pub fn command(&mut self, text: &str) -> Status {
        let text = text.trim();
        if let Some(name) = text.strip_prefix('?') {
            return self.describe(name.trim());
        }
        let (word, argument) =
            text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim()));
        match word {
            ":help" | ":h" => self.help(),
            ":quit" | ":q" => {
                self.finished = true;
                Status::Fine
            }
            ":load" | ":l" => self.load(argument),
            ":reset" => {
                self.session = new_session(self.launcher);
                self.last_function = None;
                Status::Fine
            }
            ":time" | ":t" => self.time(argument),
            ":type" => self.kind(argument),
            _ => self.unknown(word),
        }
    }

    fn help(&self) -> Status {
        for (word, argument, meaning) in COMMANDS {
            let separator = if word == "?" || argument.is_empty() { "" } else { " " };
            self.terminal.line(&format!("{:<12}  {meaning}", format!("{word}{separator}{argument}")));
        }
        self.terminal.line(HELP);
        Status::Fine
    }

    fn describe(&self, name: &str) -> Status {
        if name.is_empty() {
            return self.help();
        }
        match describe(&self.session, name) {
            Ok(text) => {
                self.terminal.line(&text);
                Status::Fine
            }
            Err(complaint) => self.complain(&complaint),
        }
    }

    fn load(&mut self, path: &str) -> Status {
        if path.is_empty() {
            return self.complain("write `:load FILE`");
        }
        let name = files::name(path);
        let result = interruptible(|| self.session.read(&name).and_then(|text| self.statements(&name, &text)));
        self.conclude(result)
    }

    fn time(&mut self, text: &str) -> Status {
        let start = Instant::now();
        let work = evert::work::done();
        let status = self.program("<time>", text);
        let (seconds, steps) = (start.elapsed().as_secs_f64(), evert::work::done().wrapping_sub(work));
        self.terminal.line(&format!("{seconds:.6} s, {steps} steps"));
        status
    }

    fn kind(&mut self, text: &str) -> Status {
        let result = interruptible(|| self.session.evaluate(text));
        if let Ok(value) = &result {
            self.terminal.line(&eval::show::described(value));
        }
        self.conclude(result.map(|_| ()))
    }

    fn unknown(&self, word: &str) -> Status {
        match nearest(word, COMMANDS.iter().map(|(word, _, _)| *word)) {
            Some(near) => self.complain(&format!("there is no command `{word}`; did you mean `{near}`?")),
            None => self.complain(&format!("there is no command `{word}`; `:help` lists them")),
        }
    }

    fn complain(&self, text: &str) -> Status {
        self.terminal.error_text(&format!("{text}\n"));
        Status::Failed
    }
}
