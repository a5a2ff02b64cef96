//! Where a name is defined, and where else it stands: in this file, and in those that import it.

use base::Span;
use elaborate::index::{Target, UseRole};
use serde_json::{Value as Json, json};

use crate::document::{Document, Lines};
use crate::protocol;
use crate::workspace::{self, Home};

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

/// What stands at an offset, and where that is at home; nothing for what the language defines, and for fields.
pub fn target(document: &Document, offset: u32) -> Option<(Target, Home)> {
    let (_, one) = document.analysed.at(offset)?;
    Some((one.target.clone(), workspace::home(document, &one.target)?))
}

/// The documents that mention something, with its places in each. The first is the one that was asked about.
pub struct Mentions<'a> {
    pub target: Option<Target>,
    pub by_document: Vec<(&'a Document, Vec<(Span, UseRole)>)>,
}

impl<'a> Mentions<'a> {
    /// Of what the language defines, or of a field: in one document.
    pub fn of_one(document: &'a Document, offset: u32) -> Mentions<'a> {
        let target = document.analysed.at(offset).map(|(_, one)| one.target.clone());
        Mentions { target, by_document: vec![(document, places(document, offset))] }
    }

    pub fn of_all(documents: &[&'a Document], target: Target, home: &Home) -> Mentions<'a> {
        let of = |document: &&'a Document| (*document, workspace::places(document, target.name, home));
        let by_document = documents.iter().map(of).filter(|(_, places)| !places.is_empty()).collect();
        Mentions { target: Some(target), by_document }
    }
}

/// All places in this document of what stands at an offset.
fn places(document: &Document, offset: u32) -> Vec<(Span, UseRole)> {
    let Some((_, one)) = document.analysed.at(offset) else { return vec![] };
    let target = one.target.clone();
    let parts = document.analysed.parts.iter();
    parts.flat_map(|part| part.index.of(&target).map(|one| (one.span, one.role)).collect::<Vec<_>>()).collect()
}

pub fn references(mentions: &Mentions, with_definition: bool) -> Json {
    let is_wanted = |role: UseRole| with_definition || !is_definition(role);
    let mut found = vec![];
    for (document, places) in &mentions.by_document {
        let places = places.iter().filter(|(_, role)| is_wanted(*role));
        found.extend(places.map(|(span, _)| json!({"uri": document.uri, "range": document.range(*span)})));
    }
    Json::Array(found)
}

pub fn highlights(document: &Document, offset: u32) -> Json {
    let kind = |role| if is_definition(role) { 3 } else { 2 };
    let places = places(document, offset).into_iter();
    places.map(|(span, role)| json!({"range": document.range(span), "kind": kind(role)})).collect()
}

fn is_definition(role: UseRole) -> bool {
    matches!(role, UseRole::Definition | UseRole::Shorthand)
}
