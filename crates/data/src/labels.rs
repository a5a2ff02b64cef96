//! Names of columns and keys as labels of records.
//!
//! A name of the language stays as it is. In any other, what can't stand in a name becomes `_`: `sepal length (cm)` is
//! `sepal_length_cm`, `2019` is `_2019`, `in` is `in_`, and a column without a name is `column_` and its number.

use base::Name;

const KEYWORDS: [&str; 10] = ["fn", "let", "if", "else", "match", "for", "in", "with", "true", "false"];

/// The label of the name at this place, counted from 1.
pub fn label(name: &str, number: usize) -> Name {
    let name = name.trim();
    if is_name(name) {
        return Name::new(name);
    }
    let mut made = String::new();
    for c in name.chars() {
        match c {
            c if c.is_alphanumeric() => made.push(c),
            _ if made.is_empty() || made.ends_with('_') => {}
            _ => made.push('_'),
        }
    }
    let made = made.trim_end_matches('_');
    match made.chars().next() {
        None => Name::new(&format!("column_{number}")),
        Some(first) if first.is_numeric() => Name::new(&format!("_{made}")),
        Some(_) if KEYWORDS.contains(&made) => Name::new(&format!("{made}_")),
        Some(_) => Name::new(made),
    }
}

fn is_name(text: &str) -> bool {
    let stem = text.trim_end_matches('\'');
    let starts = stem.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
    starts && stem != "_" && stem.chars().all(|c| c.is_alphanumeric() || c == '_') && !KEYWORDS.contains(&text)
}

/// The labels of names, which must differ. `Err` says which two don't.
pub fn labels<'n>(names: impl Iterator<Item = &'n str>) -> Result<Vec<Name>, (usize, usize)> {
    let labels: Vec<Name> = names.zip(1..).map(|(name, number)| label(name, number)).collect();
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_by_key(|at| (labels[*at], *at));
    match order.windows(2).filter(|pair| labels[pair[0]] == labels[pair[1]]).min_by_key(|pair| pair[1]) {
        Some(pair) => Err((pair[0], pair[1])),
        None => Ok(labels),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_becomes_a_name_of_the_language() {
        let names = ["x", " x1 ", "sepal length (cm)", "2019", "in", "", "%", "größe", "a-b", "θ'", "_id", "_"];
        let made: Vec<&str> = names.iter().zip(1..).map(|(name, number)| label(name, number).as_str()).collect();
        let expected = [
            "x",
            "x1",
            "sepal_length_cm",
            "_2019",
            "in_",
            "column_6",
            "column_7",
            "größe",
            "a_b",
            "θ'",
            "_id",
            "column_12",
        ];
        assert_eq!(made, expected);
    }

    #[test]
    fn two_names_with_one_label_are_found() {
        assert_eq!(labels(["a", "b", "a b", "b", "a-b"].into_iter()), Err((1, 3)));
        assert_eq!(labels(["a b", "a-b"].into_iter()), Err((0, 1)));
        assert!(labels(["a", "", ""].into_iter()).is_ok());
    }
}
