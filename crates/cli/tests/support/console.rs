//! What documents show of the command line: blocks fenced by three backquotes and the word `console`.
//!
//! The first line is `$ ` and a command; the others are what it prints, in this order. A line `…` stands for any number of lines. Numbers
//! in names (`pair_6`) and places (`@9:33..52`) are not compared; other numbers may differ by a factor of two, but not zero from something else.

use std::path::Path;

use super::evert_at;

/// Runs every block of a document, in the folder that its commands are written for.
#[track_caller]
pub fn holds(folder: &Path, document: &str) -> usize {
    let text = std::fs::read_to_string(folder.join(document)).expect("UTF-8 text");
    let blocks: Vec<&str> =
        text.split("```console\n").skip(1).map(|rest| rest.split("```").next().unwrap_or("")).collect();
    for block in &blocks {
        let (command, shown) = block.split_once('\n').expect("a command and what it prints");
        let command = command.strip_prefix("$ evert ").expect("`$ evert ` and arguments");
        let ran = evert_at(folder, &words(command));
        assert_eq!(ran.code, Some(0), "{document}: evert {command}\n{}", ran.err);
        if let Err(line) = shows(&ran.out, shown) {
            panic!("{document}: `evert {command}` doesn't print, after the lines above it,\n{line}\nbut\n{}", ran.out);
        }
    }
    blocks.len()
}

/// The arguments of a command; `'…'` is one.
fn words(command: &str) -> Vec<String> {
    let quoted = command.split('\'').enumerate();
    quoted
        .flat_map(|(i, part)| match i % 2 {
            0 => part.split_whitespace().map(str::to_string).collect(),
            _ => vec![part.to_string()],
        })
        .collect()
}

/// Are these lines printed, in this order, with nothing between them but where `…` stands? Otherwise the first that isn't.
fn shows(printed: &str, shown: &str) -> Result<(), String> {
    let mut printed = printed.lines().filter(|line| !line.trim().is_empty()).peekable();
    let mut skipping = false;
    for line in shown.lines().filter(|line| !line.trim().is_empty()) {
        if line.trim() == "…" {
            skipping = true;
            continue;
        }
        let mut next = printed.next();
        while skipping && next.is_some_and(|found| !same(found, line)) {
            next = printed.next();
        }
        if !next.is_some_and(|found| same(found, line)) {
            return Err(line.to_string());
        }
        skipping = false;
    }
    Ok(())
}

fn same(found: &str, shown: &str) -> bool {
    let (found, found_numbers) = split(found);
    let (shown, shown_numbers) = split(shown);
    found == shown && found_numbers.iter().zip(&shown_numbers).all(|(found, shown)| near(*found, *shown))
}

fn near(found: f64, shown: f64) -> bool {
    found == shown || (found != 0.0 && (0.5..=2.0).contains(&(shown / found)))
}

/// A line with `#` for each number, and the numbers that aren't parts of names.
fn split(line: &str) -> (String, Vec<f64>) {
    let is_place = |word: &&str| word.starts_with('@') && word.contains("..");
    let line = line.split_whitespace().filter(|word| !is_place(word)).collect::<Vec<_>>().join(" ");
    let (mut text, mut numbers) = (String::new(), vec![]);
    let mut rest = line.as_str();
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        text.push_str(&rest[..at]);
        let number = &rest[at..];
        let in_name = text.ends_with(|c: char| c.is_alphabetic() || c == '_');
        let end = number.find(|c: char| !(c.is_ascii_digit() || (c == '.' && !in_name))).unwrap_or(number.len());
        if let (false, Ok(value)) = (in_name, number[..end].parse()) {
            numbers.push(value);
        }
        text.push('#');
        rest = &number[end..];
    }
    text.push_str(rest);
    (text, numbers)
}

#[test]
fn lines_are_found_in_their_order() {
    let printed = "a_1 = f(b_2) @1:2..3\n\n  12 bytes\n  0 bytes\n";
    assert_eq!(shows(printed, "a_7 = f(b_2)\n20 bytes\n0 bytes\n"), Ok(()));
    assert_eq!(shows(printed, "…\n0 bytes\n"), Ok(()));
    assert_eq!(shows(printed, "0 bytes\n"), Err("0 bytes".to_string()));
    assert_eq!(shows(printed, "…\n  0 bytes\n12 bytes\n"), Err("12 bytes".to_string()));
    assert_eq!(shows(printed, "…\n30 bytes\n"), Err("30 bytes".to_string()));
    assert_eq!(shows(printed, "…\n12 bytes\n3 bytes\n"), Err("3 bytes".to_string()));
}
