//! Inputs from a file or another program: no prompt, and each statement is answered as it comes.
//!
//! A statement is an input of its own, so that an error in one doesn't hide the others. It ends with its line if nothing is open, unless the next
//! line is there already and goes on with it. Functions that follow each other at once are one input, since they may call each other.

use base::FileId;

use super::lines::Lines;
use super::{Repl, commands, functions};
use crate::Status;
use crate::files::STDIN;

/// So many empty lines may stand above all inputs together, so that places show the lines of the whole text.
const MOST_PADDING: usize = 1 << 26;

pub fn run(mut repl: Repl) -> Status {
    let mut lines = Lines::of_standard_input();
    let mut status = Status::Fine;
    let (mut above, mut padding) = (0, 0);
    while let Some(bytes) = input(&mut lines) {
        let count = bytes.iter().filter(|byte| **byte == b'\n').count();
        padding += above;
        let padded = if padding > MOST_PADDING { 0 } else { above };
        let text = repl.session.text_of(STDIN, Ok(bytes));
        let done = match text {
            Ok(text) if commands::is_command(&text) => repl.command(&text),
            Ok(text) if text.trim().is_empty() => Status::Fine,
            Ok(text) => repl.program(STDIN, &("\n".repeat(padded) + &text)),
            Err(failure) => repl.conclude(Err(failure)),
        };
        above += count;
        if done != Status::Fine {
            status = done;
        }
        if repl.finished {
            break;
        }
    }
    status
}

/// The next input with the ends of its lines; `None`: there are no more.
fn input(lines: &mut Lines) -> Option<Vec<u8>> {
    let mut bytes = lines.next()?;
    if commands::is_command(&String::from_utf8_lossy(&bytes)) {
        return Some(bytes);
    }
    loop {
        let text = String::from_utf8_lossy(&bytes);
        let more = match is_done(&text) {
            true => lines.peek().is_some_and(|next| goes_on(&text, &String::from_utf8_lossy(next))),
            false => true,
        };
        // Whoever waits for an answer sends no further line.
        let next = if more { lines.next() } else { None };
        match next {
            Some(next) => bytes.extend(next),
            None => return Some(bytes),
        }
    }
}

/// May the text be an input? Comments alone are those of what follows.
fn is_done(text: &str) -> bool {
    let only_comments = text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with("//"));
    let some_comment = text.lines().any(|line| line.trim_start().starts_with("//"));
    syntax::is_complete(text) && !(only_comments && some_comment)
}

/// Does the next line belong to the input?
fn goes_on(text: &str, next: &str) -> bool {
    if next.trim().is_empty() || next.trim_start().starts_with("//") || commands::is_command(next) {
        return false;
    }
    let before = syntax::parse(FileId::default(), text);
    let after = syntax::parse(FileId::default(), &(text.to_string() + next));
    if before.statements().len() == after.statements().len() && !before.statements().is_empty() {
        return true;
    }
    // A function that is defined anew is an input of its own.
    let distinct = |mut names: Vec<base::Name>| {
        let count = names.len();
        names.sort();
        names.dedup();
        names.len() == count
    };
    next.trim_start().starts_with("fn ") && functions(&before).is_some() && functions(&after).is_none_or(distinct)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_on_with_the_statement_before_it_or_does_not() {
        for (text, next, expected) in [
            ("let x = 1\n", "x\n", false),
            ("let x = 1\n", "  + 2\n", true),
            ("fn f(x) = x\n", "  reverse x => (x, d => ({}, d))\n", true),
            ("fn f(x) = x\n", "transpose([[1]])\n", false),
            ("fn f(x) = g(x)\n", "fn g(x) = x\n", true),
            ("fn f(x) = 1\n", "fn f(x) = 2\n", false),
            ("if c { 1 }\n", "else { 2 }\n", true),
            ("1\n", ":q\n", false),
            ("1\n", "\n", false),
            ("1\n", "-2\n", false),
        ] {
            assert_eq!(goes_on(text, next), expected, "{text:?} {next:?}");
        }
        assert!(is_done("1\n") && !is_done("f(\n") && !is_done("/// Doc\n") && is_done("\n"));
    }
}
