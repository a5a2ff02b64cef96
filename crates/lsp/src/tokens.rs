//! Colours: tokens of the text, and names by what they mean.

use elaborate::index::{TargetKind, UseRole};
use rustc_hash::FxHashMap;
use serde_json::{Value as Json, json};
use syntax::TokenKind;

use crate::document::Document;

const TYPES: [&str; 12] = [
    "keyword",
    "number",
    "string",
    "comment",
    "function",
    "variable",
    "operator",
    "enumMember",
    "namespace",
    "property",
    "type",
    "macro",
];
const MODIFIERS: [&str; 3] = ["declaration", "defaultLibrary", "readonly"];

pub fn legend() -> Json {
    json!({"tokenTypes": TYPES, "tokenModifiers": MODIFIERS})
}

pub fn tokens(document: &Document) -> Json {
    let mut found: Vec<(u32, u32, u32, u32)> = vec![];
    for part in &document.analysed.parts {
        let names: FxHashMap<u32, (u32, u32)> =
            part.index.uses.iter().map(|one| (one.span.start, colour(document, one))).collect();
        for token in part.tree.tokens().iter().filter(|token| !token.is_empty()) {
            let named = names.get(&token.start).copied();
            if let Some((kind, modifiers)) = plain(token.kind).or(named) {
                found.push((token.start, token.end, kind, modifiers));
            }
        }
    }
    found.sort();
    json!({"data": encoded(document, &found)})
}

/// The colour of a name.
fn colour(document: &Document, one: &elaborate::index::Use) -> (u32, u32) {
    let of = |name: &str| TYPES.iter().position(|known| *known == name).unwrap_or(5) as u32;
    let kind = match one.target.kind {
        TargetKind::Local | TargetKind::Value => of("variable"),
        TargetKind::LocalFunction | TargetKind::Function | TargetKind::Primitive(_) => of("function"),
        TargetKind::Constructor => of("enumMember"),
        TargetKind::Type => of("type"),
        TargetKind::Module => of("namespace"),
        TargetKind::Constant => of("variable"),
        TargetKind::Field => of("property"),
    };
    let is_own = one.target.definition.is_some_and(|span| !document.is_library(span));
    let is_given = !is_own && !matches!(one.target.kind, TargetKind::Field);
    let declares = matches!(one.role, UseRole::Definition | UseRole::Shorthand);
    (kind, u32::from(declares) | u32::from(is_given) << 1)
}

/// The colour of a token that is no name.
fn plain(kind: TokenKind) -> Option<(u32, u32)> {
    use TokenKind::*;
    let colour = match kind {
        Fn | Let | If | Else | Match | For | In | With | Lambda => 0,
        Int | Real | True | False => 1,
        StringStart | StringChunk | StringEnd => 2,
        Comment | DocComment | Expectation => 3,
        _ => return None,
    };
    Some((colour, 0))
}

/// Five numbers a token: lines and columns from the one before, length, kind, modifiers. A token of several lines doesn't occur.
fn encoded(document: &Document, found: &[(u32, u32, u32, u32)]) -> Vec<u32> {
    let mut data = Vec::with_capacity(found.len() * 5);
    let mut before = (0, 0);
    for (start, end, kind, modifiers) in found {
        let ((line, column), (end_line, end_column)) = (document.lines.position(*start), document.lines.position(*end));
        if line != end_line {
            continue;
        }
        let columns = if line == before.0 { column - before.1 } else { column };
        data.extend([(line - before.0) as u32, columns as u32, (end_column - column) as u32, *kind, *modifiers]);
        before = (line, column);
    }
    data
}
