//! What people who come from other languages write, and what to write here.

use base::Diagnostic;

use super::Parser;

/// Words and signs that were found where something else was expected.
const FOUND: &[(&str, &str)] = &[
    ("=", "`==` compares; `=` only stands in a definition: `let x = 1`"),
    ("->", "a function is written `x => e`; there are no type annotations"),
    (":=", "a definition is written `let x = e`"),
    ("+=", "values don't change: define a new one with `let`"),
    ("-=", "values don't change: define a new one with `let`"),
    ("*=", "values don't change: define a new one with `let`"),
    ("/=", "values don't change: define a new one with `let`; \"differs\" is `!=`"),
    ("===", "equality is `==`"),
    ("!==", "\"differs\" is `!=`"),
    ("++", "arrays are joined with `concat(a, b)`"),
    ("::", "a name of a module is written `linalg.eigh`"),
    ("...", "a range is written `0..n`"),
    ("..=", "a range leaves out its end: `0..n + 1`"),
    ("and", "\"and\" is `&&`"),
    ("or", "\"or\" is `||`"),
    ("not", "\"not\" is `!`"),
    ("is", "equality is `==`"),
    ("then", "write `if c { a } else { b }`"),
    ("elif", "write `else if c { … }`"),
    ("elseif", "write `else if c { … }`"),
    ("of", "write `match v { Nil => …, Cons(x, u) => … }`"),
    ("where", "define the parts before, with `let`, in a block"),
    ("do", "a block is written `{ … }`"),
    ("end", "a block is written `{ … }`"),
    ("!", "\"differs\" is `!=`"),
    ("|", "\"or\" is `||`; two patterns are two arms"),
    ("λ", "a function as an operand needs parentheses"),
    ("=>", "a function as an operand needs parentheses"),
];

/// Words before the place where something else was expected.
const BEFORE: &[(&str, &str)] = &[
    ("def", "a function is defined by `fn f(x) = e` or `fn f(x) { … }`"),
    ("function", "a function is defined by `fn f(x) = e` or `fn f(x) { … }`"),
    ("func", "a function is defined by `fn f(x) = e` or `fn f(x) { … }`"),
    ("lambda", "a function is written `x => e`"),
    ("λ", "a function is written `x => e`"),
    ("return", "the value of a block is its last expression, without `return`"),
    ("while", "loops are functions: `while_loop(condition, step, start)`, or recursion"),
    ("var", "a definition is written `let x = e`"),
    ("const", "a definition is written `let x = e`"),
    ("mut", "values don't change: define a new one with `let`"),
    ("not", "\"not\" is `!`"),
    ("elif", "write `else if c { … }`"),
    ("struct", "a record needs no declaration: `{x: 1.0, y: 2.0}`"),
    ("class", "a record needs no declaration: `{x: 1.0, y: 2.0}`; a sum is `type List = Nil | Cons(head, tail)`"),
    ("enum", "write `type List = Nil | Cons(head, tail)`"),
    ("data", "write `type List = Nil | Cons(head, tail)`"),
    ("using", "write `import linalg`"),
    ("from", "write `import linalg`, then `linalg.eigh`"),
    ("use", "write `import linalg`, then `linalg.eigh`"),
    ("case", "write `match v { Nil => …, Cons(x, u) => … }`"),
    ("switch", "write `match v { Nil => …, Cons(x, u) => … }`"),
];

impl Parser<'_> {
    /// Adds what to write instead, if this is a known habit.
    pub(super) fn habit_help(&self, error: Diagnostic, expected: &str) -> Diagnostic {
        match self.habit(expected) {
            Some(help) => error.help(help),
            None => error,
        }
    }

    fn habit(&self, expected: &str) -> Option<&'static str> {
        let found = self.peek_text();
        let before = self.at.checked_sub(1).map_or("", |at| self.any_text_at(at));
        match found {
            ":" => return Some(colon_help(expected)),
            "=" if before == ")" && expected.contains("new line") => {
                return Some("a function is defined by `fn f(x) = e`");
            }
            "=" if expected.contains("new line") => {
                return Some("a definition starts with `let`; values don't change afterwards");
            }
            "{" if before == ")" && expected.contains("new line") => {
                return Some("a function is defined by `fn f(x) { … }`; a function value is `x => { … }`");
            }
            _ => {}
        }
        if before == "." && expected.contains("field") {
            return Some("a real has digits on both sides of its point: `1.0`");
        }
        lookup(FOUND, found).or_else(|| lookup(BEFORE, before)).or_else(|| side_by_side(expected, before, found))
    }
}

/// Two operands with nothing in between: `sin x`, `[1 2]`.
fn side_by_side(expected: &str, before: &str, found: &str) -> Option<&'static str> {
    let starts_operand = |text: &str| text.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '"');
    let is_name = |text: &str| text.starts_with(|c: char| c.is_alphabetic() || c == '_');
    match expected {
        _ if !starts_operand(found) => None,
        "`,` or `]`" => Some("commas stand between elements: `[1, 2]`"),
        "a new line or `;`" if is_name(before) => {
            Some("a call has parentheses: `f(x)`; a product its operator: `a * x`")
        }
        _ => None,
    }
}

fn colon_help(expected: &str) -> &'static str {
    match expected {
        "`{`" | "`=` or `{`" => "a block is written `{ … }`",
        "a new line or `;`" => "`{` opens a block here; a record needs parentheses: `({x: 1.0})`",
        _ => "there are no type annotations",
    }
}

fn lookup(habits: &[(&str, &'static str)], text: &str) -> Option<&'static str> {
    habits.iter().find(|(word, _)| *word == text).map(|(_, help)| *help)
}
