//! When a prompt reads another line.

use syntax::is_complete;

#[test]
fn open_brackets_and_strings_want_more() {
    for text in
        ["f(", "f(x, {", "[1,\n2", "{ let x = 1\n", "\"abc", "\"abc {x", "match v {\n A => 1", "fn f(x) {\nfn g(y) = y"]
    {
        assert!(!is_complete(text), "{text:?}");
    }
}

#[test]
fn a_line_that_ends_in_an_operator_wants_more() {
    for text in ["a +", "let x =", "x =>", "a,", "a |> // c\n", "a &&\n", "!", "f <~", "0..", "if c { 1 } else"] {
        assert!(!is_complete(text), "{text:?}");
    }
}

#[test]
fn everything_else_is_complete_even_if_wrong() {
    for text in ["", "a + b", "f(x)", "{ x }", "\"s\"", "(]", "f(})", ")", "x // a +"] {
        assert!(is_complete(text), "{text:?}");
    }
}
