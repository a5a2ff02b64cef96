//! Renaming: every place of a name, and the labels that go with it.
//!
//! The names of captured variables are labels of sensitivities: rules return records by them, and programs read them. Labels in rules are
//! known to the index and change too. A label that is read elsewhere (`grad(f)(g).a`) can't be told from any other field, so renaming a
//! captured variable is refused where the text mentions a field of that name.

use base::Span;
use elaborate::index::{LocalName, TargetKind, UseRole};
use serde_json::{Value as Json, json};

use crate::document::Document;
use crate::navigation::Mentions;

/// The name at an offset, if it can be renamed.
pub fn prepare(document: &Document, offset: u32) -> Result<Json, String> {
    let span = renamable(document, offset)?;
    Ok(json!({"range": document.range(span), "placeholder": document.text_at(span)}))
}

/// Can what stands at an offset have another name?
pub fn check(document: &Document, offset: u32, new: &str) -> Result<(), String> {
    renamable(document, offset)?;
    if is_name(new) { Ok(()) } else { Err(format!("`{new}` isn't a name")) }
}

/// The changes of all files that mention it.
pub fn rename(mentions: &Mentions, new: &str) -> Result<Json, String> {
    let Some(target) = &mentions.target else { return Err("there is no name here".into()) };
    let old = target.name;
    let mut changes = serde_json::Map::new();
    for (document, places) in &mentions.by_document {
        check_labels(document, places)?;
        check_clash(document, places, new)?;
        let edit = |(span, role): &(Span, UseRole)| {
            let text = match role {
                UseRole::Shorthand => format!("{old}: {new}"),
                UseRole::Definition | UseRole::Reference | UseRole::Label => new.to_string(),
            };
            json!({"range": document.range(*span), "newText": text})
        };
        changes.insert(document.uri.clone(), places.iter().map(edit).collect());
    }
    Ok(json!({"changes": changes}))
}

fn renamable(document: &Document, offset: u32) -> Result<Span, String> {
    let Some((_, one)) = document.analysed.at(offset) else { return Err("there is no name here".into()) };
    let name = one.target.name;
    match (one.target.kind, one.target.definition) {
        (TargetKind::Field, _) => {
            Err(format!("`{name}` is a field: which records have it isn't known before the program runs"))
        }
        (TargetKind::Primitive(_) | TargetKind::Constant, _) => Err(format!("`{name}` belongs to the language")),
        (TargetKind::Module, _) => Err("write `import … as NAME` to give a module another name".into()),
        (_, Some(span)) if !document.is_library(span) => Ok(one.span),
        _ => Err(format!("`{name}` belongs to the library")),
    }
}

/// A captured variable's name is a label; one that is read as a field can't be followed.
fn check_labels(document: &Document, places: &[(Span, UseRole)]) -> Result<(), String> {
    let is_place = |span: Span| places.iter().any(|(place, _)| *place == span);
    let locals = document.analysed.parts.iter().flat_map(|part| &part.index.locals);
    let mut captured = locals.filter(|local: &&LocalName| local.is_captured);
    let Some(local) = captured.find(|local| is_place(local.definition)) else { return Ok(()) };
    let uses = document.analysed.parts.iter().flat_map(|part| &part.index.uses);
    let mut fields = uses.filter(|one| one.target.kind == TargetKind::Field && one.target.name == local.name);
    match fields.next() {
        Some(field) => {
            let (line, _) = document.lines.position(field.span.start);
            Err(format!(
                "`{}` is captured, so it is a label of sensitivities; the field of that name in line {} may be one of them: \
                 rename that by hand first",
                local.name,
                line + 1
            ))
        }
        None => Ok(()),
    }
}

/// The new name must not be visible where the old one stands.
fn check_clash(document: &Document, places: &[(Span, UseRole)], new: &str) -> Result<(), String> {
    let uses = document.analysed.parts.iter().flat_map(|part| &part.index.uses);
    let is_taken = |role| matches!(role, UseRole::Definition | UseRole::Shorthand);
    let is_other = |span: Span| places.iter().all(|(place, _)| *place != span);
    let mut taken = uses.filter(|one| one.target.name.as_str() == new && is_taken(one.role) && is_other(one.span));
    match taken.next() {
        Some(one) => {
            let (line, _) = document.lines.position(one.span.start);
            Err(format!("`{new}` is defined already, in line {} of {}", line + 1, document.path))
        }
        None => Ok(()),
    }
}

fn is_name(text: &str) -> bool {
    let tree = syntax::parse_expression(base::FileId::default(), text);
    tree.errors().is_empty()
        && matches!(tree.expr(tree.root_expr()), syntax::ast::Expr::Name(_))
        && tree.text() == text.trim()
        && text == text.trim()
}
