//! Texts of programs that are damaged in a few places.
//!
//! `EVERT_SEEDS=from,count` tries others.

use crate::generate::Random;

/// The seeds to try: so many, or those that are asked for.
pub fn seeds(count: u64) -> std::ops::Range<u64> {
    let given = std::env::var("EVERT_SEEDS").ok();
    let parsed = given.as_deref().and_then(|text| text.split_once(',')).map(|(a, b)| (a.parse(), b.parse()));
    let (from, count) = if let Some((Ok(from), Ok(count))) = parsed { (from, count) } else { (0, count) };
    from..from + count
}

/// The text, damaged in one to three places.
pub fn damaged(text: &str, seed: u64) -> String {
    let mut random = Random::new(seed ^ 0x5eed);
    let mut pieces = pieces(text);
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
    "release",
    "retain",
    "open",
    "take",
    "of",
    "d0",
    "d9",
    "p0",
    "null",
    "tag",
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
