//! The ways in which a derivative can be asked for.

use std::fmt;

/// A mode of differentiation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mode {
    /// One letter for each order, the outermost first: `r` is reverse mode, `f` forward mode.
    Word(&'static str),
    /// `linearize` in its argument.
    Linearize,
    /// `linearize` in a captured value.
    Captured,
    /// `vjp` of the function itself, whatever its result.
    Vjp,
    /// `linear_transpose` of what forward mode gives.
    Transpose,
}

impl Mode {
    pub const ALL: [Mode; 18] = [
        Mode::Word("r"),
        Mode::Word("f"),
        Mode::Linearize,
        Mode::Captured,
        Mode::Vjp,
        Mode::Transpose,
        Mode::Word("rr"),
        Mode::Word("rf"),
        Mode::Word("fr"),
        Mode::Word("ff"),
        Mode::Word("rrr"),
        Mode::Word("rrf"),
        Mode::Word("rfr"),
        Mode::Word("rff"),
        Mode::Word("frr"),
        Mode::Word("frf"),
        Mode::Word("ffr"),
        Mode::Word("fff"),
    ];

    /// The program that asks for it. It finds the function as `f`, its weighted sum as `scalar`, the point as `at`, directions
    /// as `u1`, `u2`, `u3`, and a sensitivity of the result as `dy`.
    pub fn program(self) -> String {
        match self {
            Mode::Word("f") => "jvp(f, at, u1).1".into(),
            Mode::Word(word) => {
                let inner = word.chars().rev().take(word.len() - 1).enumerate();
                let inner = inner.fold("scalar".to_string(), |g, (order, letter)| {
                    let name = if letter == 'r' { "slope" } else { "change" };
                    format!("{name}({g}, u{})", order + 1)
                });
                match word.chars().next() {
                    Some('r') => format!("grad({inner})(at)"),
                    _ => format!("jvp({inner}, at, u{}).1", word.len()),
                }
            }
            Mode::Linearize => "linearize(x => f(x))(at).1(u1, {})".into(),
            Mode::Captured => "{ let c = at; linearize(t => f(c))(0.5).1(0.0, {c: u1}) }".into(),
            Mode::Vjp => "vjp(f, at).1(dy)".into(),
            Mode::Transpose => "linear_transpose(dx => jvp(f, at, dx).1, zero(at))(dy)".into(),
        }
    }

    pub fn order(self) -> usize {
        match self {
            Mode::Word(word) => word.len(),
            _ => 1,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Mode::Word(word) => word,
            Mode::Linearize => "linearize",
            Mode::Captured => "captured",
            Mode::Vjp => "vjp",
            Mode::Transpose => "transpose",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
