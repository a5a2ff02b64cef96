//! The text form of L1: printed for people, parsed back exactly.
//!
//! In: a group or a module. Out: text, one binding per line; and back. `parse(print(x))` is `x` again, reals bit
//! for bit ([`crate::same`] compares so), unless the style left the spans out: they are then the default span.
//! Parsing never panics; what is nested more than [`DEEPEST`] blocks and groups deep is refused, because
//! dropping such a term would overflow the stack. Parsed code need not be well-formed: [`crate::check`] says.
//!
//! ```text
//! group captures [a] {
//!   fn softplus(x_0) captures [a_1] members [softplus_2] mentions [scale] @0:0-40 {
//!     t_3 = exp(x_0)                                       @0:9-15
//!     c_4 = is_nan(t_3)                                    @0:20-25
//!     y_5 = if c_4 {
//!       z_6 = a_1(t_3)                                     @0:26-29
//!       yield z_6                                          @0:26-29
//!     } else {
//!       yield 0.0                                          @0:33-36
//!     } @0:18-38
//!     return y_5                                           @0:18-38
//!   }
//! }
//! ```
//!
//! A variable is its name, an underscore and its number; its name is read where it is bound. A name that is no
//! word stands in backquotes, a constructor is written out with type, tag and fields. Line ends are spaces; `//`
//! starts a comment. What is empty, zero or absent (`captures []`, `order 0`, a span) may be left out.
//!
//! ```text
//! module      = { "function" global "=" group | "step" step [span] "=" group }
//! step        = "define" "[" globals "]" | "show" | "test" text
//! group       = "group" [captures] [order] "{" { function { rule } } "}"
//! captures    = "captures" "[" names "]"
//! function    = ["reverse" | "backpropagator" | "forward"] "fn" [name] "(" [variable] ")" ["captures" "[" variables "]"]
//!               ["members" "[" variables "]"] ["unbound" "[" variables "]"] ["mentions" "[" names "]"]
//!               [span] "{" block "return" atom [span] "}"
//! rule        = "rule" ("reverse" | "forward" | "transpose") ["approximate" text] [span] "=" group
//! block       = { variable "=" expr [span]
//!               | variables "=" "group" [captures] ["from" "[" atoms "]"] ["lifted" int]
//!                 [order] [span] "{" … "}" }
//! expr        = atom | atom "(" atom ")" [order]
//!             | "pull" atom "(" atom ")" [order] | "tangent" atom "(" atom ")" [order]
//!             | "(" atoms ")" (one element: "(a,)"; none: "(,)")
//!             | "[" atoms "]" | "{" name ":" atom, … "}"
//!             | "make" constructor "(" atoms ")"
//!             | atom field | "inject" atom "at" field
//!             | "{" atom "with" name ":" atom "}" | atom "without" name
//!             | atom "⊕" atom | atom "is" constructor | "check" atom ":" form
//!             | "if" atom "{" block "yield" atom [span] "}" "else" "{" block "yield" atom [span] "}"
//!             | "fail" ("no_match" | "pattern" | "assertion") "(" atoms ")"
//! field       = "." int | "." name | "." name "?" | "." int "of" constructor | "[" int "of" int "]"
//!             | "." name "captured" | "." int "member"
//! form        = ("arguments" | "tuple" | "array") int | "constructor" constructor
//! constructor = name "." name "#" int "(" names ")"      (type, constructor, tag, fields)
//! atom        = variable | "()" | "true" | "false" | int | real | text | "#zero" | root ["^" int]
//! root        = "g" int | ["reverse" | "forward"] the name of a primitive, also ".place"
//! real        = "1.5" | "1e300" | "inf" | "-inf" | "nan" | "#nan:7ff8000000000001" (the bits)
//! order       = "order" int
//! span        = "@" file ":" start "-" end
//! variables   = variable, … | "_"      (none)
//! variable    = name "_" int
//! ```

mod lex;
mod parse;
mod print;

use std::fmt;

use crate::{Globals, Group, Module};

/// How many blocks and groups may stand inside one another in text.
pub const DEEPEST: usize = 1000;

/// What a printed term shows.
#[derive(Clone, Copy, Debug)]
pub struct Style<'a> {
    pub spans: bool,
    /// Where given, a comment on each line says what its globals are called.
    pub globals: Option<&'a Globals>,
}

impl Style<'_> {
    /// Everything, so that it parses back to the same term.
    pub const EXACT: Style<'static> = Style { spans: true, globals: None };
    /// For human eyes: no spans.
    pub const PLAIN: Style<'static> = Style { spans: false, globals: None };
}

pub fn print_group(group: &Group) -> String {
    print_group_in(Style::EXACT, group)
}

pub fn print_module(module: &Module) -> String {
    print_module_in(Style::EXACT, module)
}

pub fn print_group_in(style: Style, group: &Group) -> String {
    print::group(style, group)
}

pub fn print_module_in(style: Style, module: &Module) -> String {
    print::module(style, module)
}

pub fn parse_group(text: &str) -> Result<Group, ParseError> {
    parse::group(text)
}

pub fn parse_module(text: &str) -> Result<Module, ParseError> {
    parse::module(text)
}

/// Why a text is no code: for us, who write it by hand in tests.
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
    fn at(text: &str, offset: usize, message: impl Into<String>) -> ParseError {
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
