//! Texts with expressions in them.

use base::{Diagnostic, Span, codes};
use calculus::{Atom, Const, Layout, Prim};
use syntax::ast::{Format, TextPart};

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
                TextPart::Expr { value, format: None } => self.expression(*value),
                TextPart::Expr { value, format: Some(format) } => {
                    let value = self.expression(*value);
                    self.check_format(format);
                    self.primitive(Prim::Format, [value, text(&format.text)], span)
                }
            };
            self.primitive(Prim::Join, [before, part], span)
        })
    }

    fn check_format(&mut self, format: &Format) {
        if Layout::parse(&format.text).is_none() {
            let message = format!("`{}` isn't a format", format.text);
            let diagnostic = Diagnostic::new(codes::BAD_FORMAT, format.span, message)
                .note("a format is [[fill]align][+][0][width][.digits][kind]; align is <, ^ or >, kind is f, e or %")
                .help("write `.3` for three digits behind the point, `>8.2` for a column, `.1%` for per cent");
            self.error(diagnostic);
        }
    }
}

fn text(text: &str) -> Atom {
    Atom::Const(Const::Text(text.into()))
}
