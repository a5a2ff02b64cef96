//! Where a name is defined, and where else it stands.

use base::Span;
use elaborate::index::UseRole;
use serde_json::{Value as Json, json};

use crate::document::{Document, Lines};
use crate::protocol;

/// The place of the definition of what stands at an offset. Definitions of the library have none that could be opened.
pub fn definition(document: &Document, offset: u32) -> Json {
    let Some((_, one)) = document.analysed.at(offset) else { return Json::Null };
    match one.target.definition {
        Some(span) if document.has(span) => json!({"uri": document.uri, "range": document.range(span)}),
        Some(span) if !document.is_library(span) => elsewhere(document, span),
        _ => Json::Null,
    }
}

/// A place in an imported file.
fn elsewhere(document: &Document, span: Span) -> Json {
    let file = document.analysed.sources.get(span.file);
    json!({"uri": protocol::uri_of(&file.name), "range": protocol::range(&Lines::new(&file.text), span)})
}

/// All places of what stands at an offset.
pub fn places(document: &Document, offset: u32) -> Vec<(Span, UseRole)> {
    let Some((_, one)) = document.analysed.at(offset) else { return vec![] };
    let target = one.target.clone();
    let parts = document.analysed.parts.iter();
    parts.flat_map(|part| part.index.of(&target).map(|one| (one.span, one.role)).collect::<Vec<_>>()).collect()
}

pub fn references(document: &Document, offset: u32, with_definition: bool) -> Json {
    let is_wanted = |role: UseRole| with_definition || !is_definition(role);
    let places = places(document, offset).into_iter().filter(|(_, role)| is_wanted(*role));
    places.map(|(span, _)| json!({"uri": document.uri, "range": document.range(span)})).collect()
}

pub fn highlights(document: &Document, offset: u32) -> Json {
    let kind = |role| if is_definition(role) { 3 } else { 2 };
    let places = places(document, offset).into_iter();
    places.map(|(span, role)| json!({"range": document.range(span), "kind": kind(role)})).collect()
}

fn is_definition(role: UseRole) -> bool {
    matches!(role, UseRole::Definition | UseRole::Shorthand)
}
