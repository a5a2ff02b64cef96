//! Changes that the editor offers: repairs of mistakes, the value of an expression behind it, the standard layout.

use base::Span;
use serde_json::{Value as Json, json};

use crate::document::Document;
use crate::protocol;

/// What can be done about the range of the request.
pub fn actions(document: &Document, run: Option<&Json>, params: &Json) -> Json {
    let start = protocol::offset(&document.lines, &params["range"]["start"]);
    let end = protocol::offset(&document.lines, &params["range"]["end"]);
    let mut found: Vec<Json> = fixes(document, start, end);
    found.extend(values(document, run, start, end));
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
fn values(document: &Document, run: Option<&Json>, start: u32, end: u32) -> Vec<Json> {
    let values = run.and_then(|run| run["values"].as_array()).into_iter().flatten();
    let offer = |value: &Json| {
        let (from, to) = (value["start"].as_u64()? as u32, value["end"].as_u64()? as u32);
        let rest = document.text.get(to as usize..)?.lines().next().unwrap_or_default();
        let text = value["text"].as_str()?;
        if end < from || to < start || rest.contains("//") || text.contains(['\n', '<']) {
            return None;
        }
        let at = protocol::position(&document.lines, to);
        let edit = json!({"range": {"start": at, "end": at}, "newText": format!("  //=> {text}")});
        Some(action(document, "write the value behind `//=>`", "refactor.rewrite", edit))
    };
    values.filter_map(offer).collect()
}

fn action(document: &Document, title: &str, kind: &str, edit: Json) -> Json {
    json!({"title": title, "kind": kind, "edit": {"changes": {document.uri.clone(): [edit]}}})
}

/// The whole text in the standard layout; nothing for one with mistakes, and for documents.
pub fn formatting(document: &Document) -> Json {
    let [part] = &document.analysed.parts[..] else { return Json::Null };
    let Some(text) = syntax::format(&part.tree).filter(|_| !document.path.ends_with(".md")) else { return Json::Null };
    if text == document.text {
        return json!([]);
    }
    let end = protocol::position(&document.lines, u32::MAX);
    json!([{"range": {"start": {"line": 0, "character": 0}, "end": end}, "newText": text}])
}
