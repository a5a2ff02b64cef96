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
fn every_public_function_of_the_library_is_documented() {
    let session = Session::offline();
    assert_eq!(session.warnings, [], "the library itself gives no cause for warnings");
    for (name, binding) in session.names() {
        let elaborate::Binding::Root(calculus::Root::Global(id)) = binding else { continue };
        let info = session.globals.get(*id);
        let helper = matches!(name.as_str(), "product_of" | "extreme_of" | "softmax_from" | "cofactor" | "check_slope");
        assert!(helper || info.doc.is_some(), "`{name}` has no documentation");
    }
}
