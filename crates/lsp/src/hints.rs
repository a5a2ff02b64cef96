//! Values beside their expressions, and what can be done with a function or a test.

use serde_json::{Value as Json, json};
use syntax::ast::Statement;

use crate::document::Document;
use crate::protocol;

/// The values of a run, behind their expressions. Where the text says what it expects, the value isn't repeated.
pub fn hints(document: &Document, run: Option<&Json>) -> Json {
    let values = run.and_then(|run| run["values"].as_array()).into_iter().flatten();
    let hint = |value: &Json| {
        let end = value["end"].as_u64()? as u32;
        let rest = document.text.get(end as usize..)?.lines().next().unwrap_or_default();
        if rest.contains("//=>") {
            return None;
        }
        let label = format!("= {}", value["short"].as_str()?);
        let position = protocol::position(&document.lines, end);
        Some(json!({"position": position, "label": label, "paddingLeft": true, "tooltip": value["text"]}))
    };
    values.filter_map(hint).collect()
}

/// Above each test: run it. Above each function with rules: check them. Above each function: its derivative.
pub fn lenses(document: &Document) -> Json {
    let mut found = vec![];
    let mut add = |span, title: &str, command: &str, name: &str| {
        let command = json!({"title": title, "command": command, "arguments": [document.uri, name]});
        found.push(json!({"range": document.range(span), "command": command}));
    };
    for part in &document.analysed.parts {
        for id in part.tree.statements() {
            let span = part.tree.span(id);
            match part.tree.statement(id) {
                Statement::Fn(function) => {
                    let name = function.name.name.as_str();
                    if !function.rules.is_empty() {
                        add(function.name.span, "check rule", "evert.checkRule", name);
                    }
                    add(function.name.span, "show derivative", "evert.showDerivative", name);
                }
                Statement::Test { name, .. } => {
                    add(base::Span { end: span.start, ..span }, "run test", "evert.runTest", &name);
                }
                _ => {}
            }
        }
    }
    Json::Array(found)
}
