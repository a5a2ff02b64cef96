//! What the tests share: parse, and compare with s-expressions or error codes.
#![allow(dead_code)] // each test file uses its part

use base::FileId;
use syntax::Tree;

pub fn parse(text: &str) -> Tree {
    syntax::parse(FileId(0), text)
}

/// The text has no errors and these statements, one per line.
#[track_caller]
pub fn check(text: &str, expected: &[&str]) {
    let tree = parse(text);
    assert_eq!(messages(&tree), Vec::<String>::new(), "errors in {text:?}");
    let printed = syntax::sexpr::file(&tree);
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected, "in {text:?}");
}

/// The text has exactly these errors: the code and the text it points at.
#[track_caller]
pub fn check_errors(text: &str, expected: &[(&str, &str)]) {
    let tree = parse(text);
    let found: Vec<(String, &str)> = tree.errors().iter().map(|e| (e.code.to_string(), at(text, e.span()))).collect();
    let expected: Vec<(String, &str)> = expected.iter().map(|(code, at)| (code.to_string(), *at)).collect();
    assert_eq!(found, expected, "in {text:?}: {:?}", messages(&tree));
}

/// The first error's message contains `message`, its help `help`.
#[track_caller]
pub fn check_help(text: &str, message: &str, help: &str) {
    let tree = parse(text);
    let error = tree.errors().first().unwrap_or_else(|| panic!("no error in {text:?}"));
    assert!(error.message.contains(message), "{:?} in {text:?}", error.message);
    assert!(error.help.iter().any(|line| line.contains(help)), "{:?} in {text:?}: {}", error.help, error.message);
}

pub fn at(text: &str, span: base::Span) -> &str {
    &text[span.start as usize..span.end as usize]
}

pub fn messages(tree: &Tree) -> Vec<String> {
    tree.errors().iter().map(|error| format!("{} {}", error.code, error.message)).collect()
}

/// A small deterministic generator (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// Pieces of texts, most of them meaningless together.
pub const WORDS: &[&str] = &[
    "fn ",
    "let ",
    "if ",
    "else ",
    "match ",
    "for ",
    "in ",
    "with ",
    "true",
    "type ",
    "import ",
    "test ",
    "assert ",
    "as ",
    "reverse ",
    "forward ",
    "transpose ",
    "approximate ",
    "x",
    "f",
    "Cons",
    "λ",
    "θ'",
    "_",
    "1",
    "2.5",
    "1e9",
    "0x1",
    "9223372036854775808",
    "\"",
    "\"a\"",
    "\"{x}\"",
    "\\",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "{}",
    "()",
    ",",
    ";",
    ":",
    ".",
    "..",
    "=",
    "=>",
    "|",
    "+",
    "-",
    "*",
    "/",
    "%",
    "@",
    "^",
    "⊕",
    "==",
    "!=",
    "<",
    "<=",
    "&&",
    "||",
    "!",
    "<~",
    "|>",
    "**",
    "->",
    " ",
    " ",
    "\n",
    "\n",
    "\n  ",
    "// c\n",
    "/// d\n",
    "//=> 1\n",
    "//! e\n",
    "/*",
    "*/",
    "#",
    "\r\n",
    "\t",
];
