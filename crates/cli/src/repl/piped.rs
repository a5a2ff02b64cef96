//! Inputs from a file or another program: no prompt, and all of the text is there.
//!
//! The text is read as a program with commands between its lines. Each statement is an input of its own, so that an
//! error in one doesn't hide the others; functions that follow each other are one input, since they may call each
//! other.

use base::FileId;
use syntax::ast::Statement;

use super::{Repl, commands};
use crate::Status;
use crate::files::STDIN;

/// So many empty lines may stand above all inputs together, so that places show the lines of the whole text.
const MOST_PADDING: usize = 1 << 26;

pub fn run(mut repl: Repl) -> Status {
    let text = match repl.session.read(STDIN) {
        Ok(text) => text,
        Err(failure) => return repl.conclude(Err(failure)),
    };
    let mut status = Status::Fine;
    for input in inputs(&text) {
        let done = match input {
            Input::Command(line) => repl.command(line),
            Input::Program { above, text } => repl.program(STDIN, &("\n".repeat(above) + text)),
        };
        if done != Status::Fine {
            status = done;
        }
        if repl.finished {
            break;
        }
    }
    status
}

#[derive(PartialEq, Eq, Debug)]
enum Input<'a> {
    Command(&'a str),
    /// Statements, and how many lines are above them.
    Program {
        above: usize,
        text: &'a str,
    },
}

fn inputs(text: &str) -> Vec<Input<'_>> {
    let mut inputs = vec![];
    let (mut start, mut above) = (0, 0);
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if commands::is_command(line) {
            statements(&text[start..at], above, &mut inputs);
            inputs.push(Input::Command(line));
            (start, above) = (at + line.len(), number + 1);
        }
        at += line.len();
    }
    statements(&text[start..], above, &mut inputs);
    inputs
}

/// Cuts a program before each statement that begins a line, except between functions.
fn statements<'a>(text: &'a str, above: usize, inputs: &mut Vec<Input<'a>>) {
    let tree = syntax::parse(FileId::default(), text);
    let mut cuts = vec![];
    let mut before = None;
    for id in tree.statements() {
        let span = tree.span(id);
        let is_function = matches!(tree.statement(id), Statement::Fn(_));
        if let Some((end, after_function)) = before
            && !(is_function && after_function)
        {
            cuts.extend(cut(text, end, span.start as usize));
        }
        before = Some((span.end as usize, is_function));
    }
    let lines = text.lines().count() + above;
    if cuts.len().saturating_mul(lines) > MOST_PADDING {
        cuts.clear();
    }
    let (mut start, mut line) = (0, above);
    for cut in cuts.into_iter().chain([text.len()]) {
        let piece = &text[start..cut];
        if !piece.trim().is_empty() {
            inputs.push(Input::Program { above: line, text: piece });
        }
        line += piece.matches('\n').count();
        start = cut;
    }
}

/// The start of the line of a statement, if it begins one: above the comments that stand directly before it.
fn cut(text: &str, end_of_last: usize, start: usize) -> Option<usize> {
    let between = &text[end_of_last..start];
    let mut at = between.rfind('\n')? + 1;
    while let Some(above) = between[..at].strip_suffix('\n')
        && let Some(line_start) = above.rfind('\n').map(|newline| newline + 1)
        && above[line_start..].trim_start().starts_with("//")
    {
        at = line_start;
    }
    between[at..]
        .lines()
        .all(|line| line.trim().is_empty() || line.trim_start().starts_with("//"))
        .then_some(end_of_last + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_inputs_of_their_own() {
        let program = |above, text| Input::Program { above, text };
        assert_eq!(inputs("let x = 1\nx\n"), [program(0, "let x = 1\n"), program(1, "x\n")]);
        assert_eq!(
            inputs("fn f(x) = g(x)\n\nfn g(x) = x\n  reverse x => 1\nf(1)\n"),
            [program(0, "fn f(x) = g(x)\n\nfn g(x) = x\n  reverse x => 1\n"), program(4, "f(1)\n")]
        );
        assert_eq!(inputs("f(\n1)\n?f\n:q"), [program(0, "f(\n1)\n"), Input::Command("?f\n"), Input::Command(":q")]);
        assert_eq!(inputs("1\n/// Doc\r\n// more\n2\n"), [program(0, "1\n"), program(1, "/// Doc\r\n// more\n2\n")]);
        assert_eq!(inputs(""), []);
    }
}
