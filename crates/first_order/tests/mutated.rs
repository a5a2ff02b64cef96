//! Damaged texts of programs are refused, or they are programs: whatever the checker accepts runs without a panic.
//!
//! `EVERT_SEEDS=from,count` tries others.

mod common;
mod generate;

use std::panic::{AssertUnwindSafe, catch_unwind};

use common::*;
use first_order::*;
use generate::Random;

const SEEDS: (u64, u64) = (0, 6_000);

fn seeds() -> std::ops::Range<u64> {
    let given = std::env::var("EVERT_SEEDS").ok();
    let parsed = given.as_deref().and_then(|text| text.split_once(',')).map(|(a, b)| (a.parse(), b.parse()));
    let (from, count) = if let Some((Ok(from), Ok(count))) = parsed { (from, count) } else { SEEDS };
    from..from + count
}

#[test]
fn what_the_checker_accepts_runs_and_all_else_is_refused() {
    let (mut refused, mut broken, mut run, mut panicked) = (0, 0, 0, vec![]);
    for seed in seeds() {
        let text = mutated(seed);
        let attempt = catch_unwind(AssertUnwindSafe(|| {
            let Ok(program) = parse(&text) else { return 0 };
            // Texts are compared, not programs: a nan isn't equal to itself.
            let printed = print(&program);
            assert_eq!(parse(&printed).map(|again| print(&again)).as_ref(), Ok(&printed), "it prints and parses back");
            if check(&program).is_err() {
                return 1;
            }
            execute(&program);
            2
        }));
        match attempt {
            Ok(0) => refused += 1,
            Ok(1) => broken += 1,
            Ok(_) => run += 1,
            Err(_) => panicked.push(seed),
        }
    }
    assert_eq!(panicked, [], "seeds whose texts make us panic");
    println!("{refused} refused, {broken} not well-formed, {run} run");
    assert!(refused > 100 && broken > 100 && run > 100, "{refused} refused, {broken} not well-formed, {run} run");
}

fn execute(program: &Program) {
    let args = vec![
        eval::Value::Int(2),
        eval::Value::Real(0.5),
        eval::Value::array(eval::array::Array::vector(vec![1.0, 2.0, -0.0])),
    ];
    let mut interpreter = Interpreter::new(program);
    interpreter.max_steps = Some(20_000);
    let _ = interpreter.run(&no_codes(), args, &mut |_| ());
}

/// The text of a random program, damaged in one to three places.
fn mutated(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0x5eed);
    let mut pieces = pieces(&print(&generate::program(seed % 500)));
    for _ in 0..1 + random.below(3) {
        mutate(&mut pieces, &mut random);
    }
    pieces.concat()
}

/// Words, numbers, spaces, and every other character by itself.
fn pieces(text: &str) -> Vec<String> {
    let kind = |c: char| if c.is_alphanumeric() || c == '_' || c == '.' { 1 } else { 0 };
    let mut found: Vec<String> = vec![];
    let mut last = 0;
    for c in text.chars() {
        match found.last_mut() {
            Some(word) if last == 1 && kind(c) == 1 => word.push(c),
            _ => found.push(c.into()),
        }
        last = kind(c);
    }
    found
}

const WORDS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "999999999999999999999",
    "9223372036854775807",
    "4294967296",
    "nan",
    "0.5",
    "v0",
    "v1",
    "v99",
    "s0",
    "s2",
    "s7",
    "s400",
    "f0",
    "f9",
    "real",
    "int",
    "bool",
    "handle",
    "text",
    "yield",
    "again",
    "never",
    "box",
    "unbox",
    "field",
    "inject",
    "len",
    "if",
    "loop",
    "()",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "#",
    "@",
    "\"",
    "é",
    "\u{0}",
    "",
];

fn mutate(pieces: &mut Vec<String>, random: &mut Random) {
    let at = random.below(pieces.len());
    let other = random.below(pieces.len());
    match random.below(8) {
        0 => pieces[at] = WORDS[random.below(WORDS.len())].into(),
        1 => pieces.swap(at, other),
        2 => pieces[at] = pieces[other].clone(),
        3 => {
            pieces.remove(at);
        }
        4 => pieces.insert(at, WORDS[random.below(WORDS.len())].into()),
        // A word becomes another of its kind: these are the ones that still parse.
        5 | 6 => same_kind(pieces, at, random),
        _ => copy_line(pieces, at, other),
    }
    if pieces.is_empty() {
        pieces.push(String::new());
    }
}

fn same_kind(pieces: &mut [String], from: usize, random: &mut Random) {
    let kind = |word: &str| word.chars().next().map_or(' ', |c| if c.is_ascii_digit() { '0' } else { c });
    let is_word = |word: &String| word.starts_with(char::is_alphanumeric);
    let Some(at) = (from..pieces.len()).find(|at| is_word(&pieces[*at])) else { return };
    let alike: Vec<String> = pieces.iter().filter(|word| kind(word) == kind(&pieces[at])).cloned().collect();
    pieces[at] = alike[random.below(alike.len())].clone();
}

fn copy_line(pieces: &mut Vec<String>, from: usize, to: usize) {
    let start = pieces[..from].iter().rposition(|piece| piece == "\n").map_or(0, |at| at + 1);
    let end = pieces[from..].iter().position(|piece| piece == "\n").map_or(pieces.len(), |at| from + at + 1);
    let line: Vec<String> = pieces[start..end].to_vec();
    let to = pieces[..to].iter().rposition(|piece| piece == "\n").map_or(0, |at| at + 1);
    pieces.splice(to..to, line);
}
