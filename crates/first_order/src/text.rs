//! The text form of L3: printed for people, parsed back exactly.
//!
//! In: a program. Out: text, one statement per line; and back. `parse(print(p))` is `p` again, reals bit for bit. Parsing never
//! panics; what is nested more than [`DEEPEST`] deep is refused, because dropping it would overflow the stack. A parsed program
//! need not be well-formed: [`crate::check()`] says.
//!
//! ```text
//! entry f0(s1, s5): s2
//! type List#0 = (| () | {real, List#0})
//! fn f0 dot(v0: int, v1: [real; 1]): real @0:0..40 {
//!   v2: bool = int_le v0 0                                 @0:9..15
//!   v3: real = if v2 {
//!     yield 0.0
//!   } else {
//!     v4: int = int_sub v0 1
//!     v5: real = element v1 [v4]
//!     yield v5
//!   } @0:18..38
//!   yield v3
//! }
//! shape s0 = bool
//! shape s1 = int
//! shape s2 named List#0 = tuple | tuple(s3, s2)
//! ```
//!
//! Types, functions and shapes stand in the order of their numbers. A variable's type stands where it is bound; variables that
//! nothing binds are listed first (`var v7: int`). A name that is no word stands in quotes. Line ends are spaces; `//` starts a
//! comment; a span that is left out is the default one.
//!
//! ```text
//! program     = "entry" function "(" shapes ")" ":" shape { "type" named "=" type } { fn } { shape-definition }
//! type        = "bool" | "int" | "real" | "text" | "handle" | "()" | "{" types "}" | "(" { "|" type } ")"
//!             | "[" type ";" int "]" | named
//! named       = name "#" int
//! fn          = "fn" function name "(" binders ")" ":" type [span] "{" { "var" binder } block "}"
//! binder      = variable [":" type]
//! block       = { binder "=" op [span] } ("yield" atom | "again" "(" atoms ")" | "never")
//! op          = atom | text | scalar { atom } | "{" atoms "}" | "field" atom int | "inject" int atom
//!             | "switch" atom "{" { "case" binder "{" block "}" } "}"
//!             | "if" atom "{" block "}" "else" "{" block "}"
//!             | "box" atom | "unbox" atom | "view" atom | "call" function "(" atoms ")"
//!             | "loop" "(" binder "=" atom, … ")" "{" block "}"
//!             | "tabulate" atom "(" binder ")" "{" block "}"
//!             | "[" atoms "]" | "len" atom | "element" atom "[" atoms "]" | "replace" atom "[" atoms "]" "with" atom
//!             | "prim" name "(" atoms ")" "of" "(" shapes ")" "to" shape
//!             | "quiet" ("on" | "off") | "fail" code
//! scalar      = "add" | "int_le" | …, the name of a transcendental, or "transcendental" int
//! shape-definition = "shape" shape ["named" named] "=" [alternative { "|" alternative }]
//! alternative = head ["(" shapes ")"]
//! head        = "zero" | "bool" | "int" | "real" | "text" | "tuple" | "record" "[" names "]" | "variant" constructor
//!             | "part" ["of" constructor] "[" ints "]" | "array" int | "handle" int | "closure" "c3" int
//!             | "prim" name int | "sealed" int | "full"
//! constructor = name "." name "#" int "[" names "]"      (type, constructor, tag, fields)
//! atom        = variable | "()" | "true" | "false" | int | real
//! real        = "1.5" | "1e300" | "inf" | "-inf" | "nan" | "nan_7ff8000000000001" (the bits)
//! span        = "@" file ":" start ".." end
//! ```

mod lex;
mod parse;
mod print;
mod scalars;

use std::fmt;

pub use lex::Token;
pub use parse::{Parser, parse};
pub use print::{name, print, print_function, print_type, quoted, real, span};

/// How many blocks or types may stand inside one another in text.
pub const DEEPEST: usize = 1000;

/// Why a text is no program: for us, who write it by hand in tests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// Counted from one, columns in characters.
    pub line: usize,
    pub column: usize,
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

impl ParseError {
    pub(crate) fn at(text: &str, offset: usize, message: impl Into<String>) -> ParseError {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        ParseError { line, column, message: message.into() }
    }
}

/// Can the name stand in text as it is?
fn is_word(name: &str) -> bool {
    name.starts_with(starts_word) && name.chars().all(continues_word)
}

fn starts_word(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

fn continues_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}
