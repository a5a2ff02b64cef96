//! Every E01xx code, where it points, and what it advises.

mod common;
use common::{check_errors, check_help, parse};

#[test]
fn e0101_unknown_characters() {
    check_errors("a $ + b", &[("E0101", "$")]);
    check_errors("a ¿¿¿+ b", &[("E0101", "¿¿¿")]);
    check_help("# comment", "`#`", "`//`");
    check_help("a ≤ b", "`≤`", "`<=`");
    check_errors("/* a\n b */ c + d\n", &[("E0101", "/*")]);
}

#[test]
fn e0102_strings_end_with_their_line() {
    check_errors("let a = \"abc\nlet b = 1", &[("E0102", "\"abc")]);
    check_errors("f(\"abc {x\n)", &[("E0102", "\"abc {x")]);
    check_errors("f(\"a {g(\"b} c\"\nd", &[("E0103", "("), ("E0102", "\"a {g(\"b} c\"")]);
}

#[test]
fn e0103_points_at_the_opening_and_at_where_it_should_close() {
    for (text, open, close) in [
        ("fn f(x) { g(x + 1 }\ny", "(", 17),
        ("f(1, 2", "(", 6),
        ("f(1, [2, 3)", "[", 10),
        ("fn f(x) {\n  if x { 1\n}\n\nfn g(y) = y", "{", 22),
        ("let a = (1 + 2\nlet b = 3\nb", "(", 14),
        ("let a = f(1, g(2)\nb", "(", 17),
        ("\"{f(1}\"", "(", 5),
    ] {
        let tree = parse(text);
        assert_eq!(tree.errors().len(), 1, "{text:?}: {:?}", common::messages(&tree));
        let error = &tree.errors()[0];
        assert_eq!(error.code.to_string(), "E0103");
        assert_eq!(common::at(text, error.span()), open);
        assert_eq!(error.labels[1].span.start, close, "{text:?}");
    }
}

#[test]
fn e0104_closing_brackets_that_close_nothing() {
    check_errors("f(x))", &[("E0104", ")")]);
    check_errors("let a = 1]\nlet b = 2", &[("E0104", "]")]);
    check_errors("f(\"{)}\")", &[("E0104", ")"), ("E0105", "}")]);
}

#[test]
fn e0105_says_what_was_expected_and_found() {
    for (text, message) in [
        ("let x 1", "expected `=`, found the number `1`"),
        ("let x\ny", "expected `=`, found the end of the line"),
        ("let = 1", "expected a pattern, found `=`"),
        ("a +", "expected an expression, found the end of the text"),
        ("(a b)", "expected `,` or `)`, found the name `b`"),
        ("a b", "expected a new line or `;`, found the name `b`"),
        ("f(a,, b)", "expected an expression, found `,`"),
        ("a.\"x\"", "expected a field or a position, found a string"),
        ("if { a }", "expected an expression, found `{`"),
        ("if a b", "expected `{`, found the name `b`"),
        ("match v { 0 1 }", "expected `=>`, found the number `1`"),
        ("[e for 1 + x]", "expected `in`, found `+`"),
        ("{x: }", "expected an expression, found `}`"),
        ("type T = 1", "expected a constructor, found the number `1`"),
        ("a..b..c", "expected one range"),
        ("(a,)", "no tuple of one element"),
        ("(e for x in xs)", "a generator in parentheses"),
        ("f(a, e for x in xs)", "expected `,`, found `for`"),
        ("_ + 1", "expected an expression, found `_`"),
        ("a[]", "expected an index, found `]`"),
        ("{r with }", "expected a field or an index, found `}`"),
        ("\"{}\"", "expected an expression, found `}`"),
        ("test \"a{b}\" {}", "a string with an expression in it"),
    ] {
        let tree = parse(text);
        let error = tree.errors().first().unwrap_or_else(|| panic!("no error in {text:?}"));
        assert_eq!(error.code.to_string(), "E0105", "{text:?}");
        assert!(error.message.contains(message), "{text:?}: {}", error.message);
        assert_eq!(tree.errors().len(), 1, "{text:?}: {:?}", common::messages(&tree));
    }
}

#[test]
fn habits_of_other_languages_get_help() {
    for (text, help) in [
        ("if a = b { c }", "`==` compares"),
        ("x = 1", "starts with `let`"),
        ("f(x) = x^2", "`fn f(x) = e`"),
        ("sin x", "`f(x)`"),
        ("print \"a\"", "`f(x)`"),
        ("[1 2]", "`[1, 2]`"),
        ("λx. x", "`x => e`"),
        ("∇(f)(1.0)", "`grad(f)`"),
        ("x²", "`x^2`"),
        ("x := 1", "`let x = e`"),
        ("x += 1", "values don't change"),
        ("def f(x):\n  x", "`fn f(x) = e`"),
        ("lambda x: x", "`x => e`"),
        ("let f = x -> x", "`x => e`"),
        ("let f = fn(x) { x }", "`x => e`"),
        ("fn f(x) => x", "`fn f(x) = e`"),
        ("fn f(x: Real) = x", "no type annotations"),
        ("let x: Real = 1", "no type annotations"),
        ("fn f(x) -> Real { x }", "no type annotations"),
        ("fn f(x):\n  x", "`{ … }`"),
        ("if a:\n  b", "`{ … }`"),
        ("if a then b else c", "`if c { a } else { b }`"),
        ("if a { b } elif c { d }", "`else if c { … }`"),
        ("x ** 2", "`x ^ y`"),
        ("a and b", "`&&`"),
        ("a or b", "`||`"),
        ("not a", "`!`"),
        ("{ return x }", "last expression"),
        ("while c { x }", "`while_loop("),
        ("for x in xs { x }", "`[e for x in xs]`"),
        ("[e for x in xs for y in ys]", "rank 2"),
        ("[e for x in xs if a if b]", "`&&`"),
        ("1 + x => x", "needs parentheses"),
        ("let f = .5", "`0.5`"),
        ("let f = 1.", "digits on both sides"),
        ("if c {x: 1}", "a record needs parentheses"),
        ("{x, y}", "`x: e`"),
        ("match v { A -> 1 }", "`x => e`"),
        ("struct P { x }", "`{x: 1.0, y: 2.0}`"),
        ("from a import b", "`import linalg`"),
        ("linalg::eigh", "`linalg.eigh`"),
        ("0..=n", "leaves out its end"),
        ("+ a", "no unary `+`"),
    ] {
        check_help(text, "", help);
    }
}

#[test]
fn e0106_limits_nesting() {
    for text in [
        "(".repeat(2_000) + &")".repeat(2_000),
        "[".repeat(2_000) + &"]".repeat(2_000),
        "{".repeat(2_000) + &"}".repeat(2_000),
        "f(".repeat(2_000) + "x" + &")".repeat(2_000),
        "x => ".repeat(20_000) + "x",
        "-".repeat(20_000) + "x",
        "2^".repeat(20_000) + "x",
        format!("let {}x{} = 1", "(".repeat(2_000), ")".repeat(2_000)),
    ] {
        let tree = parse(&text);
        let codes: Vec<String> = tree.errors().iter().map(|error| error.code.to_string()).collect();
        assert_eq!(codes, ["E0106"], "{}…", &text[..10]);
    }
    assert!(parse(&("(".repeat(900) + "x" + &")".repeat(900))).errors().is_empty());
    assert!(parse(&("x => ".repeat(4_000) + "x")).errors().is_empty());
}

#[test]
fn e0107_blocks_end_in_an_expression() {
    check_errors("fn f(x) { let y = x }", &[("E0107", "let")]);
    check_errors("x => { fn g(y) = y; }", &[("E0107", "fn")]);
    check_errors("fn f(x) { x; }", &[]);
}

#[test]
fn e0108_rules_need_a_function() {
    check_errors("f(x)\n  reverse x => x", &[("E0108", "reverse x => x")]);
}

#[test]
fn e0109_comparisons_do_not_chain() {
    check_errors("a < b <= c", &[("E0109", "<=")]);
    check_errors("a == b == c == d", &[("E0109", "=="), ("E0109", "==")]);
    check_help("0 < x < 1", "don't chain", "a < b && b < c");
}

#[test]
fn e0110_numbers_that_cannot_be_read() {
    check_errors("9223372036854775808", &[("E0110", "9223372036854775808")]);
    check_errors("-9223372036854775808^2", &[("E0110", "9223372036854775808")]);
    check_errors("1e999", &[("E0110", "1e999")]);
    check_errors("match v { 99999999999999999999 => 1 }", &[("E0110", "99999999999999999999")]);
    check_errors("p.99999999999", &[("E0110", "99999999999")]);
    check_help("2x + 1", "`2x`", "`2 * x`");
    check_help("0xff", "`0xff`", "decimal");
    check_help("1e", "`1e`", "exponent");
    check_help("1__0", "`1__0`", "between two digits");
}

#[test]
fn e0111_escapes_that_mean_nothing() {
    check_errors(r#""a \q \u{110000} \u12 \n""#, &[("E0111", r"\q"), ("E0111", r"\u{110000}"), ("E0111", r"\u")]);
}

#[test]
fn e0112_bytes_that_are_not_utf8() {
    let error = syntax::decode(base::FileId(0), b"let \xff").unwrap_err();
    assert_eq!((error.code.to_string().as_str(), error.span().start), ("E0112", 4));
    assert_eq!(syntax::decode(base::FileId(0), "θ".as_bytes()), Ok("θ"));
}

#[test]
fn e0113_files_that_are_too_large() {
    let text = " ".repeat(syntax::MAX_BYTES + 1);
    let tree = parse(&text);
    assert_eq!(common::messages(&tree).len(), 1);
    assert_eq!(tree.errors()[0].code.to_string(), "E0113");
    assert!(tree.statements().is_empty());
}

#[test]
fn e0114_statements_that_cannot_stand_there() {
    check_errors("{ type T = A\n 1 }", &[("E0114", "type")]);
    check_errors("fn f(x) { import linalg; test \"t\" {}; x }", &[("E0114", "import"), ("E0114", "test")]);
    check_errors("x => let y = 1", &[("E0114", "let")]);
    check_errors("f(let y = 1)", &[("E0114", "let")]);
}

#[test]
fn one_mistake_does_not_spread() {
    check_errors(
        "let a = 1 +\n\nlet b = 2\nf(1 2, 3, 4)\nlet c = )\nb",
        &[("E0114", "let"), ("E0105", "2"), ("E0104", ")")],
    );
    check_errors("fn f(x) { let = 1; x }\nfn g(y) = y\n[1, +, 3]", &[("E0105", "="), ("E0105", "+")]);
    check_errors("match v {\n A 1\n B => 2\n C => \n}", &[("E0105", "1"), ("E0105", "}")]);
}

#[test]
fn errors_are_in_order_and_at_most_a_hundred() {
    let tree = parse(&"let = $\n".repeat(1_000));
    assert_eq!(tree.errors().len(), 100);
    assert!(tree.errors().windows(2).all(|pair| pair[0].span().start <= pair[1].span().start));
}
