//! What a name is, when somebody rests on it: how it is called, what it does, which values it had in a run.

use calculus::{GlobalInfo, Prim};
use elaborate::index::{TargetKind, Use};
use serde_json::{Value as Json, json};

use crate::document::Document;
use crate::observed::{place, values, variables};

pub fn hover(document: &Document, run: Option<&Json>, offset: u32) -> Json {
    let Some((_, one)) = document.analysed.at(offset) else { return value_at(run, offset) };
    let text = match variables(document, run).into_iter().find(|seen| Some(seen.definition) == one.target.definition) {
        Some(seen) if seen.shape != "function" => {
            let shape = code(&format!("{}: {}", one.target.name, seen.shape));
            let words = described(document, one);
            let rest = words.rsplit("```\n").next().unwrap_or_default();
            format!("{shape}{rest}\n\n*in a run, first* `{}`", seen.example)
        }
        _ => described(document, one),
    };
    json!({"contents": {"kind": "markdown", "value": text}, "range": document.range(one.span)})
}

/// Where no name stands: the value of the expression around.
fn value_at(run: Option<&Json>, offset: u32) -> Json {
    let inside = |value: &&Json| (place(value).0..=place(value).1).contains(&offset);
    let Some(value) = values(run).find(inside) else { return Json::Null };
    json!({"contents": {"kind": "markdown", "value": code(value["text"].as_str().unwrap_or_default())}})
}

fn described(document: &Document, one: &Use) -> String {
    let name = one.target.name;
    let line = |span: base::Span| document.lines.position(span.start).0 + 1;
    match (one.target.kind, one.target.definition) {
        (TargetKind::Primitive(prim), _) => primitive(prim),
        (TargetKind::Constant, _) => format!("{}a number of the language", code(name.as_str())),
        (TargetKind::Field, _) => format!("{}a field of a record", code(name.as_str())),
        (TargetKind::Module, _) => format!("{}a module", code(&format!("import {name}"))),
        (TargetKind::Type, _) => format!("{}a type", code(&format!("type {name}"))),
        (TargetKind::Constructor, _) => format!("{}a constructor", code(name.as_str())),
        (TargetKind::Local, Some(span)) => format!("{}a variable, bound in line {}", code(name.as_str()), line(span)),
        (TargetKind::LocalFunction, Some(span)) => {
            format!("{}a local function, defined in line {}", code(&format!("fn {name}")), line(span))
        }
        (TargetKind::Function | TargetKind::Value, Some(span)) => {
            let info = document.analysed.definition(span);
            info.map_or_else(|| code(name.as_str()), |info| global(document, info))
        }
        (_, None) => code(name.as_str()),
    }
}

fn global(document: &Document, info: &GlobalInfo) -> String {
    let signature = info.signature.as_deref().map_or_else(|| format!("let {}", info.name), |text| format!("fn {text}"));
    let doc = info.doc.as_deref().unwrap_or_default();
    let file = &document.analysed.sources.get(info.span.file).name;
    let place = if document.has(info.span) { String::new() } else { format!("\n\n*{file}*") };
    format!("{}{}{place}", code(&signature), markdown(doc))
}

/// How a primitive is called.
pub fn primitive_signature(prim: Prim) -> String {
    let arguments = match prim.arity() {
        1 => "x".to_string(),
        n => ["a", "b", "c", "d"][..n.min(4)].join(", "),
    };
    format!("{}({arguments})", prim.name())
}

fn primitive(prim: Prim) -> String {
    format!("{}{}\n\n*a primitive*", code(&primitive_signature(prim)), prim.doc())
}

fn code(text: &str) -> String {
    format!("```evert\n{text}\n```\n")
}

/// A documentation comment as Markdown: its indented examples become blocks.
fn markdown(doc: &str) -> String {
    let mut text = String::new();
    let mut in_example = false;
    for line in doc.lines() {
        let example = line.strip_prefix("    ");
        if example.is_some() != in_example && !(in_example && line.is_empty()) {
            text += if in_example { "```\n" } else { "```evert\n" };
            in_example = !in_example;
        }
        text += example.unwrap_or(line);
        text.push('\n');
    }
    if in_example {
        text += "```\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_in_comments_are_blocks() {
        assert_eq!(markdown("What.\n\n    f(1)\n    f(2)"), "What.\n\n```evert\nf(1)\nf(2)\n```\n");
        assert_eq!(markdown("    f(1)\nthen"), "```evert\nf(1)\n```\nthen\n");
    }
}
