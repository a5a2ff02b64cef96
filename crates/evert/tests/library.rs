//! The library keeps its word: every documented example holds, and every primitive has a derivative.

use calculus::Prim;
use evert::{LIBRARY, Session, expectation};

/// The examples in `///` comments: lines indented by four spaces or more that end in an expectation.
fn examples(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.lines().filter_map(|line| line.trim_start().strip_prefix("///     "));
    lines.filter_map(|line| line.split_once("//=>")).map(|(program, value)| (program.trim(), value.trim()))
}

#[test]
fn every_example_in_the_library_holds() {
    let mut count = 0;
    for (name, text) in LIBRARY {
        for (program, value) in examples(text) {
            let mut session = Session::offline();
            let found = session.evaluate(program).unwrap_or_else(|errors| panic!("{name}: {program}: {errors:?}"));
            let agrees = expectation::agrees(&mut session, &found, value);
            agrees.unwrap_or_else(|words| panic!("{name}: {program}\n   {words}"));
            count += 1;
        }
    }
    assert!(count > 50, "only {count} examples were found");
}

#[test]
fn every_primitive_has_a_derivative_in_the_language() {
    let session = Session::offline();
    let missing: Vec<&str> =
        Prim::ALL.iter().filter(|prim| !session.machine.has_derivative(**prim)).map(|prim| prim.name()).collect();
    assert!(missing.is_empty(), "no derivative in library/derivatives.ev: {missing:?}");
}

#[test]
fn what_the_library_does_not_document_is_its_own() {
    let mut session = Session::offline();
    assert_eq!(session.warnings, [], "the library itself gives no cause for warnings");
    let helpers = [
        ("product_of([2.0])", base::codes::UNBOUND_NAME),
        ("import linalg as l\nl.divided_difference(sqrt, (), [4.0])", base::codes::NOT_IN_MODULE),
    ];
    for (helper, code) in helpers {
        let errors = session.evaluate(helper).expect_err("a helper has no name outside the library");
        assert_eq!(errors[0].code, code, "{helper}");
    }
}
