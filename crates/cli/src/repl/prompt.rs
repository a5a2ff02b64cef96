//! The prompt at a terminal: editing, history, completion, colours, hints.

use std::borrow::Cow;
use std::path::PathBuf;

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{Cmd, Config, Context, Editor, Helper, KeyCode, KeyEvent, Modifiers};

use super::{Repl, commands};
use crate::Status;
use crate::describe::{Entry, names};
use crate::highlight::highlight;
use crate::terminal::{Paint, Tone};

const PROMPT: &str = "evert> ";
/// Before the lines that follow the first one of an input.
const MORE: &str = "  ...> ";

pub fn run(mut repl: Repl) -> Status {
    let config = Config::builder().max_history_size(10_000).map(|config| config.auto_add_history(false).build());
    let editor = config.and_then(Editor::<Assistant, DefaultHistory>::with_config);
    let mut editor = match editor {
        Ok(editor) => editor,
        Err(error) => {
            repl.terminal.complain(&format!("can't use this terminal: {error}"));
            return Status::Failed;
        }
    };
    editor.bind_sequence(KeyEvent(KeyCode::Enter, Modifiers::ALT), Cmd::Newline);
    let history = history_file();
    // No history is no reason to complain.
    let _ = history.as_ref().map(|file| editor.load_history(file));
    repl.terminal.line(&format!("Evert {}; `:help` says what can be done here", evert::VERSION));
    // The lines of an input that isn't complete.
    let mut typed = String::new();
    while !repl.finished {
        editor.set_helper(Some(Assistant { names: names(&repl.session), paint: repl.terminal.out }));
        match editor.readline(if typed.is_empty() { PROMPT } else { MORE }) {
            Ok(line) if line.trim().is_empty() && typed.is_empty() => {}
            Ok(line) => {
                typed += &line;
                if !commands::is_command(&typed) && !syntax::is_complete(&typed) {
                    typed.push('\n');
                    continue;
                }
                let _ = editor.add_history_entry(typed.as_str());
                repl.input(&std::mem::take(&mut typed));
            }
            Err(ReadlineError::Interrupted) => typed.clear(),
            Err(ReadlineError::Eof) => break,
            Err(error) => {
                repl.terminal.complain(&format!("can't read from the terminal: {error}"));
                return Status::Failed;
            }
        }
        let _ = history.as_ref().map(|file| save(&mut editor, file));
    }
    Status::Fine
}

fn save(editor: &mut Editor<Assistant, DefaultHistory>, file: &PathBuf) {
    if let Some(folder) = file.parent() {
        let _ = std::fs::create_dir_all(folder);
    }
    let _ = editor.save_history(file);
}

/// Where the system wants such files: the XDG state folder, or the local application data on Windows.
fn history_file() -> Option<PathBuf> {
    let folder = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = folder("XDG_STATE_HOME").filter(|path| path.is_absolute());
    let home = || folder("HOME").map(|home| home.join(".local/state"));
    let base = state.or_else(home).or_else(|| folder("LOCALAPPDATA"))?;
    Some(base.join("evert").join("history"))
}

/// What helps while a line is typed. Refreshed before each prompt.
struct Assistant {
    names: Vec<Entry>,
    paint: Paint,
}

impl Helper for Assistant {}

impl Completer for Assistant {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (start, candidates) = self.candidates(&line[..pos]);
        let pair = |text: String| Pair { display: text.clone(), replacement: text };
        Ok((start, candidates.into_iter().map(pair).collect()))
    }
}

impl Assistant {
    /// Where the word at the end of the text begins, and what it may become.
    fn candidates(&self, text: &str) -> (usize, Vec<String>) {
        if text.starts_with(':') && !text.contains(' ') {
            let words = commands::COMMANDS.iter().map(|(word, _, _)| word.to_string());
            return (0, words.filter(|word| word.starts_with(text)).collect());
        }
        let start = word_start(text);
        let word = &text[start..];
        if word.is_empty() {
            return (start, vec![]);
        }
        let names = self.names.iter().filter(|entry| entry.name.starts_with(word));
        // `linalg.eigh` is offered once its module has been typed.
        let dots = word.matches('.').count();
        (start, names.filter(|entry| entry.name.matches('.').count() == dots).map(|entry| entry.name.clone()).collect())
    }

    /// After `vjp(` the rest of its signature.
    fn signature(&self, text: &str) -> Option<String> {
        let before = text.strip_suffix('(')?;
        let word = &before[word_start(before)..];
        let at = self.names.binary_search_by(|entry| entry.name.as_str().cmp(word)).ok()?;
        let signature = self.names[at].signature.as_deref()?;
        signature.strip_prefix(word)?.strip_prefix('(').map(String::from)
    }
}

/// Where the name at the end of a text begins; a qualified name is one.
fn word_start(text: &str) -> usize {
    let part = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '.');
    text.len() - text.chars().rev().take_while(part).map(char::len_utf8).sum::<usize>()
}

impl Hinter for Assistant {
    type Hint = String;

    fn hint(&self, line: &str, pos: usize, _: &Context<'_>) -> Option<String> {
        if pos < line.len() { None } else { self.signature(line) }
    }
}

impl Highlighter for Assistant {
    fn highlight<'l>(&self, line: &'l str, pos: usize) -> Cow<'l, str> {
        match self.paint {
            Paint::Colour if !commands::is_command(line) => Cow::Owned(highlight(line, pos)),
            _ => Cow::Borrowed(line),
        }
    }

    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _default: bool) -> Cow<'b, str> {
        Cow::Owned(self.paint.paint(Tone::Strong, prompt))
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Cow::Owned(self.paint.paint(Tone::Comment, hint))
    }

    fn highlight_char(&self, _line: &str, _pos: usize, _kind: CmdKind) -> bool {
        self.paint == Paint::Colour
    }
}

/// Whether an input is complete is asked line by line, so that lines after the first have a prompt of their own.
impl Validator for Assistant {}

#[cfg(test)]
mod tests {
    use super::*;
    use evert::Session;

    fn assistant() -> Assistant {
        Assistant { names: names(&Session::offline()), paint: Paint::Plain }
    }

    #[test]
    fn names_of_the_library_and_commands_complete() {
        let assistant = assistant();
        assert_eq!(
            assistant.candidates("1 + jacob"),
            (4, ["jacobian", "jacobian_columns", "jacobian_rows"].map(String::from).to_vec())
        );
        assert_eq!(assistant.candidates(":he"), (0, vec![":help".to_string()]));
        assert!(assistant.candidates("sq").1.contains(&"sqrt".to_string()));
        assert_eq!(assistant.candidates("1 + ").1.len(), 0);
    }

    #[test]
    fn a_call_hints_at_its_arguments() {
        assert_eq!(assistant().signature("1 + vjp("), Some("f, x)".to_string()));
        assert_eq!(assistant().signature("no_such_name("), None);
    }
}
