//! What a run has seen, brought together with the text: shapes of variables, values of expressions.
//!
//! In: a document, and what its run has told ([`crate::worker`]). Out: for a definition what was seen of it. A run knows variables by their
//! name and the place of what made them; the definition is the last one of that name before the place, for a parameter the first one in its function.

use base::Span;
use elaborate::index::{TargetKind, UseRole};
use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use crate::document::Document;

/// What was seen of a variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    pub shape: String,
    pub example: String,
    /// Is it a parameter, or another name in a pattern?
    pub is_parameter: bool,
    pub definition: Span,
}

/// The values of expressions at top level.
pub fn values(run: Option<&Json>) -> impl Iterator<Item = &Json> {
    run.and_then(|run| run["values"].as_array()).into_iter().flatten()
}

/// Where something that a run has told of stands.
pub fn place(told: &Json) -> (u32, u32) {
    let number = |name: &str| told[name].as_u64().unwrap_or(0) as u32;
    (number("start"), number("end"))
}

/// What was seen of all variables, in the order of their definitions.
pub fn variables(document: &Document, run: Option<&Json>) -> Vec<Observed> {
    let mut found: Vec<Observed> = vec![];
    let Some(told) = run.and_then(|run| run["shapes"].as_array()) else { return found };
    let mut by_name: FxHashMap<&str, Vec<(Span, bool)>> = FxHashMap::default();
    for one in document.analysed.parts.iter().flat_map(|part| &part.index.uses) {
        let is_definition = matches!(one.role, UseRole::Definition | UseRole::Shorthand);
        if let (true, Some(definition)) = (is_definition, one.target.definition) {
            let is_top = matches!(one.target.kind, TargetKind::Value | TargetKind::Function);
            by_name.entry(one.target.name.as_str()).or_default().push((definition, is_top));
        }
    }
    for one in told {
        let ((start, end), is_argument) = (place(one), one["parameter"] == true);
        let known = by_name.get(one["name"].as_str().unwrap_or_default()).into_iter().flatten();
        let definition = match is_argument {
            true => known.filter(|(span, _)| start <= span.start && span.end <= end).min_by_key(|(span, _)| span.start),
            false => known.filter(|(span, _)| span.start <= start).max_by_key(|(span, _)| span.start),
        };
        let Some(&(definition, is_top)) = definition else { continue };
        let text = |name: &str| one[name].as_str().unwrap_or_default().to_string();
        let (shape, example) = (text("shape"), text("example"));
        match found.iter_mut().find(|one| one.definition == definition) {
            // A shape that is told of again has become more.
            Some(known) if shape.starts_with(&known.shape) => known.shape = shape,
            Some(known) if known.shape.contains(&shape) => {}
            Some(known) => known.shape = format!("{} | {shape}", known.shape),
            None => {
                let is_parameter = !is_top && (is_argument || definition.start == start);
                found.push(Observed { shape, example, is_parameter, definition });
            }
        }
    }
    found.sort_by_key(|one| one.definition);
    found
}
