//! Which function of a program a place stands in.

use crate::session::Session;
use base::Span;

/// The name of the innermost `fn` around a place.
pub fn enclosing(session: &Session, span: Span) -> Option<String> {
    let text = &session.sources.get(span.file).text;
    let tree = syntax::parse(span.file, text);
    let mut best: Option<(Span, String)> = None;
    for (around, name) in tree.functions() {
        let inside = around.start <= span.start && span.end <= around.end;
        if inside && best.as_ref().is_none_or(|(other, _)| around.end - around.start <= other.end - other.start) {
            best = Some((around, name));
        }
    }
    best.map(|(_, name)| name)
}
