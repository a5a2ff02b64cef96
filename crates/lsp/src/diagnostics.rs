//! Mistakes and warnings, as the editor underlines them; with a run's result also what failed in it.

use base::Diagnostic;
use serde_json::{Value as Json, json};

use crate::document::Document;
use crate::protocol;

const ERROR: u32 = 1;
const WARNING: u32 = 2;

/// All that is known to be wrong with a document.
pub fn diagnostics(document: &Document, run: Option<&Json>) -> Json {
    let analysed = &document.analysed;
    let errors = analysed.errors.iter().map(|error| diagnostic(document, error, ERROR));
    let warnings = analysed.warnings.iter().map(|warning| diagnostic(document, warning, WARNING));
    let problems = run.and_then(|run| run["problems"].as_array()).into_iter().flatten();
    let problems = problems.map(|problem| {
        let offset = |name: &str| protocol::position(&document.lines, problem[name].as_u64().unwrap_or(0) as u32);
        let range = json!({"start": offset("start"), "end": offset("end")});
        let severity = problem["severity"].as_u64().unwrap_or(WARNING.into());
        let mut told = json!({"range": range, "severity": severity, "source": "evert", "message": problem["message"]});
        if problem["code"].is_string() {
            told["code"] = problem["code"].clone();
        }
        told
    });
    let broken = document.broken.iter().map(|words| {
        let start = protocol::position(&document.lines, 0);
        json!({"range": {"start": start, "end": start}, "severity": ERROR, "source": "evert", "message": words})
    });
    errors.chain(warnings).chain(problems).chain(broken).collect()
}

fn diagnostic(document: &Document, diagnostic: &Diagnostic, severity: u32) -> Json {
    let mut words = vec![diagnostic.message.as_str()];
    words.extend(diagnostic.notes.iter().chain(&diagnostic.help).map(String::as_str));
    let others = diagnostic.labels.iter().skip(1).filter(|label| document.has(label.span));
    let related: Vec<Json> = others
        .map(|label| {
            let location = json!({"uri": document.uri, "range": document.range(label.span)});
            json!({"location": location, "message": label.text})
        })
        .collect();
    // A mistake in an import is shown in its own file.
    let span = diagnostic.labels.iter().map(|label| label.span).find(|span| document.has(*span));
    json!({
        "range": document.range(span.unwrap_or(diagnostic.span())),
        "severity": severity,
        "source": "evert",
        "code": diagnostic.code.to_string(),
        "message": words.join("\n"),
        "relatedInformation": related,
    })
}
