//! Any text gets a tree: lossless, without panics, in linear time.

mod common;
use common::{Random, WORDS, parse};
use syntax::Tree;

#[track_caller]
fn check_tree(tree: &Tree, text: &str) {
    let joined: String = tree.tokens().iter().map(|token| tree.token_text(token)).collect();
    assert_eq!(joined, text);
    assert!(tree.errors().len() <= 100);
    for error in tree.errors() {
        for label in &error.labels {
            assert!(text.get(label.span.start as usize..label.span.end as usize).is_some(), "{error:?} in {text:?}");
        }
    }
    syntax::sexpr::file(tree);
    tree.unclaimed_expectations();
}

#[test]
fn token_soup_is_read_without_loss_or_panic() {
    let mut random = Random(1);
    for _ in 0..6_000 {
        let len = random.below(40);
        let text: String = (0..len).map(|_| random.pick(WORDS)).collect();
        check_tree(&parse(&text), &text);
        check_tree(&syntax::parse_expression(base::FileId(0), &text), &text);
        syntax::is_complete(&text);
    }
}

#[test]
fn random_bytes_are_read_without_loss_or_panic() {
    let mut random = Random(2);
    for _ in 0..3_000 {
        let bytes: Vec<u8> = (0..random.below(60)).map(|_| random.next() as u8).collect();
        let text = String::from_utf8_lossy(&bytes);
        check_tree(&parse(&text), &text);
    }
}

#[test]
fn broken_programs_are_read_without_loss_or_panic() {
    let program = include_str!("samples/paper.ev");
    let mut random = Random(3);
    for _ in 0..2_000 {
        let mut text = program.to_string();
        for _ in 0..1 + random.below(3) {
            let mut at = random.below(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            if random.below(2) == 0 {
                text.insert_str(at, random.pick(WORDS));
            } else {
                text.remove(at);
            }
        }
        check_tree(&parse(&text), &text);
    }
}

#[test]
fn a_missing_bracket_gives_few_errors() {
    let program = include_str!("samples/paper.ev");
    assert_eq!(common::messages(&parse(program)), Vec::<String>::new());
    let without = |(at, bracket): (usize, &str)| format!("{}{}", &program[..at], &program[at + bracket.len()..]);
    let brackets = program.match_indices(['(', ')', '[', ']', '{', '}']).map(without);
    let counts: Vec<usize> = brackets.map(|text| parse(&text).errors().len()).collect();
    let (total, most) = (counts.iter().sum::<usize>(), counts.iter().max());
    assert!(total <= 2 * counts.len(), "{total} errors for {} mistakes", counts.len());
    assert!(most <= Some(&8), "{most:?}");
}

/// Hostile inputs: quadratic look-ahead would take minutes, recursion without limit would overflow.
#[test]
fn deep_nesting_ends_soon() {
    const N: usize = 200_000;
    for piece in [
        "(",
        "[",
        "{",
        "f(",
        "a[",
        "{x: ",
        "{r with x: ",
        "(x, ",
        "\"{",
        "if ",
        "if a {",
        "match ",
        "match a { x => ",
        "x => ",
        "(x) => ",
        "((x) => ",
        "{ let y = ",
        "fn f(",
        "fn f(x) = ",
        "fn f(x) { ",
        "- ",
        "!",
        "2^",
        "a |> ",
        "f <~ ",
        "a.x",
        "a(",
        ")",
        "]",
        "}",
        ") => ",
        "(a",
        "[a for x in ",
        "reverse x => ",
        "reverse (",
        "let (",
        "x => reverse x => ",
        "λ",
        "λ(",
        "/*",
        "\"",
        "else if a {} ",
        "a < ",
        "a[..",
        "{a with [",
        "match v { (",
        "match v { A => f\n(",
        "/* */",
        "//=> x\n",
        "with ",
    ] {
        let text = piece.repeat(N);
        let tree = parse(&text);
        assert_eq!(tree.tokens().last().map(|token| token.end as usize), Some(text.len()));
    }
}

#[test]
fn balanced_nesting_ends_soon() {
    for (open, close) in [("(", ")"), ("[", "]"), ("{", "}"), ("(x => ", ")"), ("{ let y = 1; ", "}"), ("\"{", "}\"")] {
        let text = open.repeat(200_000) + "x" + &close.repeat(200_000);
        assert!(!parse(&text).errors().is_empty());
    }
}

#[test]
fn long_flat_texts_are_read() {
    let sum = vec!["x"; 200_000].join(" + ");
    assert!(parse(&sum).errors().is_empty());
    let calls = "f".to_string() + &"(x)".repeat(200_000);
    assert!(parse(&calls).errors().is_empty());
    let chain = "if a { b } else ".repeat(50_000) + "{ c }";
    assert!(parse(&chain).errors().is_empty());
    let file = include_str!("samples/paper.ev").repeat(7_000);
    assert!(file.len() > 10_000_000, "{}", file.len());
    assert!(parse(&file).errors().is_empty());
}
