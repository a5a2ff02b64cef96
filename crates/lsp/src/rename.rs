//! Renaming: every place of a name, and the labels that go with it.
//!
//! The names of captured variables are labels of sensitivities: rules return records by them, and programs read them. Labels in rules are
//! known to the index and change too. A label that is read elsewhere (`grad(f)(g).a`) can't be told from any other field, so renaming a
//! captured variable is refused where the text mentions a field of that name.

use base::Span;
use elaborate::index::{LocalName, Target, TargetKind, UseRole};
use serde_json::{Value as Json, json};

use crate::document::Document;
use crate::navigation::places;

/// The name at an offset, if it can be renamed.
pub fn prepare(document: &Document, offset: u32) -> Result<Json, String> {
    let (span, _) = renamable(document, offset)?;
    Ok(json!({"range": document.range(span), "placeholder": document.text_at(span)}))
}

pub fn rename(document: &Document, offset: u32, new: &str) -> Result<Json, String> {
    let (_, target) = renamable(document, offset)?;
    if !is_name(new) {
        return Err(format!("`{new}` isn't a name"));
    }
    check_labels(document, &target)?;
    check_clash(document, &target, new)?;
    let old = target.name;
    let edit = |(span, role): (Span, UseRole)| {
        let text = match role {
            UseRole::Shorthand => format!("{old}: {new}"),
            UseRole::Definition | UseRole::Reference | UseRole::Label => new.to_string(),
        };
        json!({"range": document.range(span), "newText": text})
    };
    let edits: Vec<Json> = places(document, offset).into_iter().map(edit).collect();
    Ok(json!({"changes": {document.uri.clone(): edits}}))
}

fn renamable(document: &Document, offset: u32) -> Result<(Span, Target), String> {
    let Some((_, one)) = document.analysed.at(offset) else { return Err("there is no name here".into()) };
    let name = one.target.name;
    match (one.target.kind, one.target.definition) {
        (TargetKind::Field, _) => {
            Err(format!("`{name}` is a field: which records have it isn't known before the program runs"))
        }
        (TargetKind::Primitive(_) | TargetKind::Constant, _) => Err(format!("`{name}` belongs to the language")),
        (TargetKind::Module, _) => Err("write `import … as NAME` to give a module another name".into()),
        (_, Some(span)) if document.has(span) => Ok((one.span, one.target.clone())),
        _ => Err(format!("`{name}` is defined in another file")),
    }
}

/// A captured variable's name is a label; one that is read as a field can't be followed.
fn check_labels(document: &Document, target: &Target) -> Result<(), String> {
    let locals = document.analysed.parts.iter().flat_map(|part| &part.index.locals);
    let mut captured = locals.filter(|local: &&LocalName| local.is_captured);
    if !captured.any(|local| Some(local.definition) == target.definition) {
        return Ok(());
    }
    let uses = document.analysed.parts.iter().flat_map(|part| &part.index.uses);
    let mut fields = uses.filter(|one| one.target.kind == TargetKind::Field && one.target.name == target.name);
    match fields.next() {
        Some(field) => {
            let (line, _) = document.lines.position(field.span.start);
            Err(format!(
                "`{}` is captured, so it is a label of sensitivities; the field of that name in line {} may be one of them: \
                 rename that by hand first",
                target.name,
                line + 1
            ))
        }
        None => Ok(()),
    }
}

/// The new name must not be visible where the old one stands.
fn check_clash(document: &Document, target: &Target, new: &str) -> Result<(), String> {
    let uses = document.analysed.parts.iter().flat_map(|part| &part.index.uses);
    let is_taken = |role| matches!(role, UseRole::Definition | UseRole::Shorthand);
    let mut taken =
        uses.filter(|one| one.target.name.as_str() == new && is_taken(one.role) && !one.target.is_same(target));
    match taken.next() {
        Some(one) => {
            let (line, _) = document.lines.position(one.span.start);
            Err(format!("`{new}` is defined already, in line {}", line + 1))
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
