//! The outline of a file: symbols, folds, and what a selection grows to.

use base::Span;
use serde_json::{Value as Json, json};
use syntax::ast::{Pattern, Statement};
use syntax::{NodeId, Tree};

use crate::document::Document;
use crate::protocol;

/// The protocol's numbers for kinds of symbols.
#[derive(Clone, Copy)]
enum Kind {
    Module = 2,
    Enum = 10,
    Function = 12,
    Variable = 13,
    EnumMember = 22,
    Test = 24,
}

pub fn symbols(document: &Document) -> Json {
    let parts = document.analysed.parts.iter();
    parts
        .flat_map(|part| part.tree.statements().into_iter().filter_map(|id| symbol(document, &part.tree, id)))
        .collect()
}

fn symbol(document: &Document, tree: &Tree, id: NodeId) -> Option<Json> {
    let span = tree.span(id);
    let one = |name: &str, kind: Kind, place: Span, selection: Span, children: Vec<Json>| {
        let (range, selected) = (document.range(place), document.range(selection));
        json!({"name": name, "kind": kind as u32, "range": range, "selectionRange": selected, "children": children})
    };
    Some(match tree.statement(id) {
        Statement::Fn(function) => one(function.name.name.as_str(), Kind::Function, span, function.name.span, vec![]),
        Statement::Type { name, constructors } => {
            let member = |c: &syntax::ast::Constructor| {
                one(c.name.name.as_str(), Kind::EnumMember, c.name.span, c.name.span, vec![])
            };
            one(name.name.as_str(), Kind::Enum, span, name.span, constructors.iter().map(member).collect())
        }
        Statement::Let { pattern, .. } => {
            let place = tree.span(pattern);
            let text = match tree.pattern(pattern) {
                Pattern::Name(name) => name.to_string(),
                _ => document.text_at(place).to_string(),
            };
            one(if text.is_empty() { "_" } else { &text }, Kind::Variable, span, place, vec![])
        }
        Statement::Test { name, .. } => {
            one(if name.is_empty() { "test" } else { &name }, Kind::Test, span, span, vec![])
        }
        Statement::Import(import) => one(document.text_at(import.span), Kind::Module, span, import.span, vec![]),
        Statement::Expr(_) | Statement::Error => return None,
    })
}

/// Every node that goes over several lines can be folded.
pub fn folds(document: &Document) -> Json {
    let mut lines: Vec<(usize, usize)> = vec![];
    for part in &document.analysed.parts {
        for span in part.tree.nodes() {
            let (start, end) = (document.lines.position(span.start).0, document.lines.position(span.end).0);
            if start < end {
                lines.push((start, end));
            }
        }
    }
    // One fold a line, the largest.
    lines.sort_by_key(|(start, end)| (*start, usize::MAX - *end));
    lines.dedup_by_key(|(start, _)| *start);
    lines.into_iter().map(|(start, end)| json!({"startLine": start, "endLine": end})).collect()
}

/// The nodes around each position, the smallest first.
pub fn selections(document: &Document, positions: &Json) -> Json {
    let positions = positions.as_array().cloned().unwrap_or_default();
    positions.iter().map(|position| selection(document, protocol::offset(&document.lines, position))).collect()
}

fn selection(document: &Document, offset: u32) -> Json {
    let around = |span: &Span| span.start <= offset && offset <= span.end && span.start < span.end;
    let mut spans: Vec<Span> =
        document.analysed.parts.iter().flat_map(|part| part.tree.nodes()).filter(around).collect();
    spans.sort_by_key(|span| (std::cmp::Reverse(span.end - span.start), span.start));
    spans.dedup();
    let all =
        json!({"range": {"start": {"line": 0, "character": 0}, "end": protocol::position(&document.lines, u32::MAX)}});
    spans.into_iter().fold(all, |parent, span| json!({"range": document.range(span), "parent": parent}))
}
