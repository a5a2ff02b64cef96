//! Changes that the editor offers: repairs of mistakes, the value of an expression behind it, the standard layout.

use base::Span;
use serde_json::{Value as Json, json};

use crate::document::Document;
use crate::observed::{place, values};
use crate::protocol;

/// What can be done about the range of the request.
pub fn actions(document: &Document, run: Option<&Json>, params: &Json) -> Json {
    let start = protocol::offset(&document.lines, &params["range"]["start"]);
    let end = protocol::offset(&document.lines, &params["range"]["end"]);
    let mut found: Vec<Json> = fixes(document, start, end);
    found.extend(values_to_write(document, run, start, end));
    Json::Array(found)
}

fn fixes(document: &Document, start: u32, end: u32) -> Vec<Json> {
    let touches = |span: Span| span.start <= end && start <= span.end;
    let errors = document.analysed.errors.iter().chain(&document.analysed.warnings);
    let touched = errors.filter(|error| document.has(error.span()) && touches(error.span()));
    let fix = |fix: &base::Fix| {
        let edit = json!({"range": document.range(fix.span), "newText": fix.text});
        action(document, &fix.title, "quickfix", edit)
    };
    touched.flat_map(|error| error.fixes.iter().map(fix)).collect()
}

/// "Write this value behind `//=>`", for an expression that says nothing of its value yet.
fn values_to_write(document: &Document, run: Option<&Json>, start: u32, end: u32) -> Vec<Json> {
    let offer = |value: &Json| {
        let (from, to) = place(value);
        let rest = document.text.get(to as usize..)?.lines().next().unwrap_or_default();
        let text = value["text"].as_str()?;
        if end < from || to < start || rest.contains("//") || value["whole"] != true || text.contains(['\n', '<']) {
            return None;
        }
        let at = protocol::position(&document.lines, to);
        let edit = json!({"range": {"start": at, "end": at}, "newText": format!("  //=> {text}")});
        Some(action(document, "write the value behind `//=>`", "refactor.rewrite", edit))
    };
    values(run).filter_map(offer).collect()
}

fn action(document: &Document, title: &str, kind: &str, edit: Json) -> Json {
    json!({"title": title, "kind": kind, "edit": {"changes": {document.uri.clone(): [edit]}}})
}

/// The whole text in the standard layout, or each block of a document; nothing for one with mistakes.
pub fn formatting(document: &Document) -> Json {
    let is_document = document.path.ends_with(".md");
    let edits = document.analysed.parts.iter().filter_map(|part| {
        let text = part.tree.text();
        let formatted = syntax::format(&part.tree)?;
        if !is_document {
            return Some((0, text.len(), formatted)).filter(|(_, _, formatted)| formatted != text);
        }
        // Of a block what stands between its first and its last line; one that is indented, as in a list, stays.
        let start = text.len() - text.trim_start().len();
        let end = text.trim_end().len();
        let is_indented = start > 0 && !document.text[..start].ends_with('\n');
        let formatted = formatted.trim().to_string();
        (start < end && !is_indented && formatted != text[start..end]).then_some((start, end, formatted))
    });
    let edit = |(start, end, text): (usize, usize, String)| {
        let (start, end) = (start as u32, end as u32);
        let range = json!({"start": protocol::position(&document.lines, start), "end": protocol::position(&document.lines, end)});
        json!({"range": range, "newText": text})
    };
    if !is_document && document.analysed.parts.iter().any(|part| syntax::format(&part.tree).is_none()) {
        return Json::Null;
    }
    edits.map(edit).collect()
}
