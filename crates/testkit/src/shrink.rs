//! Smaller programs with the same mistake.
//!
//! In: a case and a test that says whether a case is still a find. Out: a case on which no simple step downwards is one. Works on
//! text: lines disappear, bracketed parts become numbers or disappear. What isn't a program any more isn't a find.

use crate::differential::Case;

/// How many cases are tried at most.
const TRIES: usize = 300;

pub fn shrink(case: &Case, is_find: &mut dyn FnMut(&Case) -> bool) -> Case {
    let mut best = case.clone();
    let mut tries = TRIES;
    let mut attempt = |candidate: Case, best: &mut Case| {
        if tries == 0 || candidate == *best {
            return false;
        }
        tries -= 1;
        let found = is_find(&candidate);
        if found {
            *best = candidate;
        }
        found
    };
    for point in case.points.iter().filter(|_| case.points.len() > 1) {
        if attempt(Case { points: vec![point.clone()], ..best.clone() }, &mut best) {
            break;
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        let mut at = 0;
        while let Some((start, end)) = parts(&best.source).get(at).copied() {
            let smaller = REPLACEMENTS.iter().any(|replacement| {
                let part = &best.source[start..end];
                let source = format!("{}{replacement}{}", &best.source[..start], &best.source[end..]);
                part.len() > replacement.len() && attempt(Case { source, ..best.clone() }, &mut best)
            });
            changed |= smaller;
            at += usize::from(!smaller);
        }
    }
    best
}

const REPLACEMENTS: [&str; 3] = ["", "0.5", "x"];

/// Parts of a text that may be left out: lines, bracketed parts with the name before them, operands; the longest first.
fn parts(text: &str) -> Vec<(usize, usize)> {
    let mut found = vec![];
    let mut line = 0;
    for (at, _) in text.match_indices('\n') {
        found.push((line, at + 1));
        line = at + 1;
    }
    let mut open = vec![];
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => open.push(at),
            ')' | ']' | '}' => {
                let Some(start) = open.pop() else { continue };
                let name = text[..start].rfind(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''));
                let named = name.map_or(0, |before| before + text[before..].chars().next().map_or(1, char::len_utf8));
                found.push((named, at + 1));
                found.push((start, at + 1));
                operands(text, start + 1, at, &mut found);
            }
            _ => {}
        }
    }
    found.retain(|(start, end)| start < end);
    found.sort_by_key(|(start, end)| (std::cmp::Reverse(end - start), *start));
    found.dedup();
    found
}

/// What stands between operators, and the operators with it, between two places.
fn operands(text: &str, start: usize, end: usize, found: &mut Vec<(usize, usize)>) {
    let (mut depth, mut last) = (0usize, start);
    for (at, c) in text[start..end].char_indices().map(|(at, c)| (at + start, c)) {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '+' | '*' | '-' | '/' | ',' | ';' if depth == 0 => {
                found.push((last, at));
                found.push((last, at + 1));
                found.push((at, end));
                last = at + 1;
            }
            _ => {}
        }
    }
    found.push((last, end));
}
