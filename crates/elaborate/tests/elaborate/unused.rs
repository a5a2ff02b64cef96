//! Warnings about values that nobody gets.

use crate::support::Session;

/// What is said about the statements of a block, each with the text that it is about.
fn warned(statements: &str) -> Vec<String> {
    let source = format!("fn g(x) = x\nfn f(a, b, c) = {{\n{statements}\n}}\n");
    let elaborated = Session::default().elaborated(&source).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let text = |warning: &base::Diagnostic| {
        assert_eq!(warning.code, base::codes::UNUSED_VALUE);
        let span = warning.span();
        format!("{}; {}", &source[span.start as usize..span.end as usize], warning.help[0])
    };
    elaborated.warnings.iter().map(text).collect()
}

#[test]
fn a_line_that_begins_with_minus_drops_the_one_before() {
    for rest in ["- b", "-b * c", "- b + c == 1"] {
        let [said] = &warned(&format!("a\n{rest}"))[..] else { panic!("{rest}") };
        assert!(said.starts_with("a; to go on with the expression, end the first line with `-`"), "{said}");
    }
}

#[test]
fn values_without_effects_are_reported() {
    for value in ["a", "1", "2.5", "\"text {a}\"", "a + g(b)", "-a", "(a, b)", "[a, b]", "a[0]", "a.x", "x => x", "(a)"]
    {
        assert_eq!(warned(&format!("{value}\nlet d = b\nd")).len(), 1, "{value}");
        assert_eq!(warned(&format!("b\n{value}")).len(), 1, "{value}");
    }
    assert!(warned("a == b\nc")[0].contains("write `assert` before it"));
    assert!(warned("a && b\nc")[0].contains("write `assert` before it"));
}

#[test]
fn what_may_do_something_is_not_reported() {
    let quiet = [
        "g(a)",
        "a |> g",
        "()",
        "a && g(b)",
        "if a { g(b) }",
        "match a { _ => g(b) }",
        "{ g(a) }",
        "[g(x) for x in a]",
    ];
    for value in quiet {
        assert_eq!(warned(&format!("{value}\nc")), [""; 0], "{value}");
    }
    assert_eq!(warned("let _ = a\na"), [""; 0]);
    assert_eq!(warned("a"), [""; 0]);
}

#[test]
fn a_value_in_an_inner_block_is_reported_once() {
    assert_eq!(warned("if a { b; c } else { c }").len(), 1);
    assert_eq!(warned("[{ b; x } for x in a]").len(), 1);
    assert_eq!(warned("match a { 0 => { b; c }, _ => c }").len(), 1);
}
