//! What stands beside the text after a run, and what can be done with a function, a test or a plot.

use serde_json::{Value as Json, json};
use syntax::ast::Statement;

use crate::document::Document;
use crate::observed::{place, values, variables};
use crate::protocol;

/// The protocol's number for hints that say what kind of thing a name is.
const TYPE: u32 = 1;

/// The values of a run behind their expressions, and the shapes of parameters that are arrays, or hold some. Where the text says what it
/// expects, the value isn't repeated.
pub fn hints(document: &Document, run: Option<&Json>, params: &Json) -> Json {
    let value_hint = |value: &Json| {
        let (_, end) = place(value);
        let rest = document.text.get(end as usize..)?.lines().next().unwrap_or_default();
        if rest.contains("//=>") {
            return None;
        }
        let label = format!("= {}", value["short"].as_str()?);
        Some((end, json!({"label": label, "paddingLeft": true, "tooltip": value["text"]})))
    };
    let shapes = variables(document, run).into_iter().filter(|one| one.is_parameter && one.shape.contains('['));
    let shape_hints = shapes.map(|one| {
        let label = format!(": {}", one.shape);
        (one.definition.end, json!({"label": label, "kind": TYPE, "tooltip": format!("for instance {}", one.example)}))
    });
    let all = values(run).filter_map(value_hint).chain(shape_hints);
    let lines = wanted_lines(params);
    let placed = all.filter_map(|(offset, mut hint)| {
        let (line, character) = document.lines.position(offset);
        hint["position"] = json!({"line": line, "character": character});
        lines.contains(&line).then_some(hint)
    });
    placed.collect()
}

/// The lines of the range that a request asks about; all, if it names none.
fn wanted_lines(params: &Json) -> std::ops::RangeInclusive<usize> {
    let line = |end: &str| params["range"][end]["line"].as_u64().map(|line| line as usize);
    line("start").unwrap_or(0)..=line("end").unwrap_or(usize::MAX)
}

/// Above each test: run it. Above each function with rules: check them. Above each function: its derivative. Above each plot: look at it.
pub fn lenses(document: &Document, run: Option<&Json>) -> Json {
    let mut found = vec![];
    let mut add = |range: Json, title: &str, command: &str, name: &str| {
        let command = json!({"title": title, "command": command, "arguments": [document.uri, name]});
        found.push(json!({"range": range, "command": command}));
    };
    for part in &document.analysed.parts {
        for id in part.tree.statements() {
            let span = part.tree.span(id);
            match part.tree.statement(id) {
                Statement::Fn(function) => {
                    let (name, range) = (function.name.name.as_str(), document.range(function.name.span));
                    if !function.rules.is_empty() {
                        add(range.clone(), "check rule", "evert.checkRule", name);
                    }
                    add(range, "show derivative", "evert.showDerivative", name);
                }
                Statement::Test { name, .. } => {
                    let start = base::Span { end: span.start, ..span };
                    add(document.range(start), "run test", "evert.runTest", &name);
                }
                _ => {}
            }
        }
    }
    for value in values(run).filter(|value| value["plot"] == true) {
        let at = protocol::position(&document.lines, place(value).0);
        add(json!({"start": at, "end": at}), "show plot", "evert.showPlot", &place(value).0.to_string());
    }
    Json::Array(found)
}
