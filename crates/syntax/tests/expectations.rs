//! `//=> value` and `//! text` after expression statements.

mod common;
use common::parse;
use syntax::ast::ExpectationKind::{self, Equals, Fails};

#[track_caller]
fn check(text: &str, expected: &[Option<ExpectationKind>]) {
    let tree = parse(text);
    assert_eq!(common::messages(&tree), Vec::<String>::new());
    let found: Vec<_> = tree.statements().iter().map(|&id| tree.expectation(id).map(|e| e.kind)).collect();
    assert_eq!(found, expected, "in {text:?}");
}

fn equals(text: &str) -> Option<ExpectationKind> {
    Some(Equals(text.into()))
}

#[test]
fn it_follows_on_the_line() {
    check("f(x)  //=> ~1.5\ny", &[equals("~1.5"), None]);
    check("f(x);  //! too large \r\n", &[Some(Fails("too large".into()))]);
    check("f(\n  x\n)  //=> 1", &[equals("1")]);
}

#[test]
fn it_stands_on_the_lines_directly_after() {
    check("f(x)\n//=> [1,\n  //=> 2]\ny", &[equals("[1, 2]"), None]);
    check("f(x)  // why\n//=> 1", &[equals("1")]);
    check("f(x)  //=> (1,\n      //=> 2)", &[equals("(1, 2)")]);
    check("f(x)\n\n//=> 1", &[None]);
    check("f(x)\n// no\n//=> 1", &[None]);
    check("let x = 1  //=> 1", &[None]);
}

#[test]
fn inside_a_block_nothing_claims_it() {
    let tree = parse("test \"t\" {\n  x  //=> 1\n}");
    assert_eq!(tree.unclaimed_expectations().len(), 1);
}

#[test]
fn one_that_nothing_claims_is_listed() {
    let text = "let x = 1  //=> 1\nx  //=> 1\n\n//=> 2\nf(a, //=> 3\n b)";
    let found: Vec<&str> =
        parse(text).unclaimed_expectations().into_iter().map(|span| common::at(text, span)).collect();
    assert_eq!(found, ["//=> 1", "//=> 2", "//=> 3"]);
}

#[test]
fn its_span_covers_all_its_lines() {
    let text = "x //=> 1\n  //=> 2\n";
    let tree = parse(text);
    let expectation = tree.expectation(tree.statements()[0]).unwrap();
    assert_eq!(common::at(text, expectation.span), "//=> 1\n  //=> 2");
}
