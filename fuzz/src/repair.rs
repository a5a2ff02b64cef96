//! Makes a spliced program one that elaborates: unbound names become other names or values.

use base::{Diagnostic, codes};
use testkit::Random;

use crate::claims::with_session;
use crate::mutation::{pick, word};
use crate::pool::Pool;
use crate::templates::LEAVES;

pub fn repair(mut text: String, pool: &Pool, random: &mut Random) -> String {
    for round in 0..3 {
        let Some(errors) = mistakes(&text) else { return text };
        let mut errors: Vec<(usize, usize, String)> =
            errors.iter().filter_map(|error| replacement(error, &text, round, pool, random)).collect();
        errors.sort();
        errors.dedup_by_key(|(start, _, _)| *start);
        if errors.is_empty() {
            return text;
        }
        for (start, end, new) in errors.into_iter().rev() {
            if end <= text.len() && text.is_char_boundary(start) && text.is_char_boundary(end) {
                text.replace_range(start..end, &new);
            }
        }
    }
    text
}

/// The mistakes of a program that parses.
fn mistakes(text: &str) -> Option<Vec<Diagnostic>> {
    with_session(|session| session.load("repair.ev", text).err())
}

fn replacement(
    error: &Diagnostic,
    text: &str,
    round: usize,
    pool: &Pool,
    random: &mut Random,
) -> Option<(usize, usize, String)> {
    let (start, end) = (error.span().start as usize, error.span().end as usize);
    let new = match error.code {
        codes::UNBOUND_NAME if round < 2 && random.chance(40) => names_in(text, random),
        codes::UNBOUND_NAME if random.chance(30) => pick(&pool.names, random).clone(),
        codes::UNBOUND_NAME => format!("({})", word(LEAVES, random)),
        codes::UNKNOWN_CONSTRUCTOR => "Nil".into(),
        codes::DUPLICATE_DEFINITION | codes::DUPLICATE_BINDING | codes::DUPLICATE_FIELD => {
            format!("{}{}", text.get(start..end)?, random.below(100))
        }
        codes::READ_BEFORE_DEFINED => "0.7".into(),
        _ => return None,
    };
    Some((start, end, new))
}

/// A word of the text.
fn names_in(text: &str, random: &mut Random) -> String {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.starts_with(char::is_lowercase) && word.len() <= 2)
        .filter(|word| !["if", "fn", "in", "as"].contains(word))
        .collect();
    if words.is_empty() { "0.7".into() } else { random.pick(&words).to_string() }
}
