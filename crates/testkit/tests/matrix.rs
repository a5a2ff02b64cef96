//! The matrix of derivatives against the multi-precision oracle, on the reference evaluator; that every engine agrees with it
//! is the business of other tests. `cargo run -p evert-testkit --bin matrix` prints it, for any engine.

use evert::Engine;
use evert_testkit::matrix::{self, Mode, Trial};

/// Questions that are still answered wrongly, a line each. What is answered rightly now may go.
const KNOWN: &str = include_str!("matrix_known.txt");

#[test]
fn every_function_has_a_row_and_every_row_all_kinds_of_input() {
    let trial = Trial::new(Engine::Reference);
    assert_eq!(matrix::gaps(&trial.lab.session), Vec::<String>::new());
}

#[test]
fn derivatives_agree_with_multi_precision_differences() {
    let mut trial = Trial::new(Engine::Reference);
    let report = matrix::ask(&mut trial, matrix::table(), &Mode::ALL);
    println!("{}{}", report.table(), report.summary());
    // Internal primitives are judged by differences in doubles, in the test of primitives.
    let is_public = |words: &&String| !words.starts_with("`.");
    let unknown: Vec<&String> = report.unknown.iter().filter(is_public).collect();
    assert!(unknown.is_empty(), "the oracle can't answer {unknown:#?}");
    let known: Vec<&str> = KNOWN.lines().collect();
    for line in &known {
        if report.wrong.iter().all(|wrong| wrong.place != *line) {
            println!("no longer wrong: {line}");
        }
    }
    let new: Vec<String> = report
        .wrong
        .iter()
        .filter(|wrong| !known.contains(&wrong.place.as_str()))
        .map(|wrong| format!("{}\n    {}", wrong.place, wrong.words))
        .collect();
    assert!(new.is_empty(), "{} wrong:\n{}", new.len(), new.join("\n"));
}
