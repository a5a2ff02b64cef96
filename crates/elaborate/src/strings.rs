//! Texts with expressions in them.

use base::Span;
use calculus::{Atom, Const, Prim};
use syntax::ast::TextPart;

use crate::context::Elaborator;

impl Elaborator<'_> {
    /// `"a {x} b"` is join(join("a ", x), " b"): the left operand is always a text, and join shows the right one.
    pub fn text(&mut self, parts: &[TextPart], span: Span) -> Atom {
        let (first, rest) = match parts.split_first() {
            Some((TextPart::Literal(text), rest)) => (text.as_str(), rest),
            _ => ("", parts),
        };
        rest.iter().fold(text(first), |before, part| {
            let part = match part {
                TextPart::Literal(literal) => text(literal),
                TextPart::Expr(node) => self.expression(*node),
            };
            self.primitive(Prim::Join, [before, part], span)
        })
    }
}

fn text(text: &str) -> Atom {
    Atom::Const(Const::Text(text.into()))
}
