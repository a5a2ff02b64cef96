//! What can be written at a place: local variables, the file's names, the library, primitives, words; and how a function is called.

use base::Name;
use calculus::{GlobalId, Prim, Root};
use elaborate::index::TargetKind;
use elaborate::{Binding, Scope};
use evert::Session;
use rustc_hash::FxHashSet;
use serde_json::{Value as Json, json};

use crate::document::Document;
use crate::hover::primitive_signature;

/// The protocol's numbers for kinds of completions.
#[derive(Clone, Copy)]
enum Kind {
    Function = 3,
    Field = 5,
    Variable = 6,
    Module = 9,
    Keyword = 14,
    Constructor = 20,
    Constant = 21,
}

const WORDS: [&str; 15] = [
    "fn", "let", "if", "else", "match", "for", "in", "with", "true", "false", "type", "import", "test", "reverse",
    "forward",
];

pub fn completion(session: &Session, document: &Document, offset: u32) -> Json {
    let before = document.text.get(..offset as usize).unwrap_or_default();
    let word_start = before.trim_end_matches(is_word).len();
    if let Some(owner) = before[..word_start].strip_suffix('.') {
        return members(session, document, owner);
    }
    let mut items = Items::default();
    for part in &document.analysed.parts {
        for local in part.index.visible_at(offset) {
            let kind = if local.is_function { Kind::Function } else { Kind::Variable };
            items.add(local.name, kind, None, None, '0');
        }
        for one in part.index.uses.iter().filter(|one| one.target.definition == Some(one.span)) {
            let kind = match one.target.kind {
                TargetKind::Function => Kind::Function,
                TargetKind::Value => Kind::Variable,
                TargetKind::Constructor => Kind::Constructor,
                TargetKind::Module => Kind::Module,
                _ => continue,
            };
            let info = document.analysed.definition(one.span);
            let (signature, doc) =
                (info.and_then(|info| info.signature.clone()), info.and_then(|info| info.doc.clone()));
            items.add(one.target.name, kind, signature.as_deref(), doc.as_deref(), '1');
        }
    }
    for (name, binding) in session.prelude().iter() {
        items.binding(document, name, binding, '2');
    }
    for prim in Prim::ALL.iter().filter(|prim| prim.is_public()) {
        items.add(Name::new(prim.name()), Kind::Function, Some(&primitive_signature(*prim)), Some(prim.doc()), '3');
    }
    for name in ["pi", "inf", "nan"] {
        items.add(Name::new(name), Kind::Constant, None, None, '3');
    }
    for word in WORDS {
        items.add(Name::new(word), Kind::Keyword, None, None, '4');
    }
    Json::Array(items.items)
}

/// Behind a point: the names of a module, or the fields that the file mentions.
fn members(session: &Session, document: &Document, owner: &str) -> Json {
    let start = owner.trim_end_matches(is_word).len();
    let word = Name::new(&owner[start..]);
    let mut items = Items::default();
    let module = document.analysed.modules.iter().find(|(name, _)| *name == word).map(|(_, scope)| &**scope);
    let known = module.or_else(|| match session.prelude().get(word) {
        Some(Binding::Module(scope) | Binding::Data { fields: scope, .. }) => Some(scope),
        _ => None,
    });
    if let Some(scope) = known {
        let names: Vec<_> = Scope::iter(scope).collect();
        names.into_iter().for_each(|(name, binding)| items.binding(document, name, binding, '0'));
        return Json::Array(items.items);
    }
    let uses = document.analysed.parts.iter().flat_map(|part| &part.index.uses);
    for one in uses.filter(|one| one.target.kind == TargetKind::Field) {
        items.add(one.target.name, Kind::Field, None, None, '0');
    }
    Json::Array(items.items)
}

#[derive(Default)]
struct Items {
    items: Vec<Json>,
    seen: FxHashSet<Name>,
}

impl Items {
    /// Adds a name unless a nearer one hides it. The order is that of `layer`, the nearest first.
    fn add(&mut self, name: Name, kind: Kind, signature: Option<&str>, doc: Option<&str>, layer: char) {
        if !self.seen.insert(name) {
            return;
        }
        let mut item = json!({"label": name.as_str(), "kind": kind as u32, "sortText": format!("{layer}{name}")});
        if let Some(signature) = signature {
            item["detail"] = signature.into();
        }
        if let Some(doc) = doc {
            item["documentation"] = json!({"kind": "markdown", "value": doc});
        }
        self.items.push(item);
    }

    fn binding(&mut self, document: &Document, name: Name, binding: &Binding, layer: char) {
        match binding {
            Binding::Root(Root::Global(id)) => self.global(document, name, *id, layer),
            Binding::Root(Root::Prim(prim) | Root::Reverse(prim) | Root::Forward(prim)) => {
                self.add(name, Kind::Function, Some(&primitive_signature(*prim)), Some(prim.doc()), layer);
            }
            Binding::Constructor(_) => self.add(name, Kind::Constructor, None, None, layer),
            Binding::Module(_) | Binding::Data { .. } => self.add(name, Kind::Module, None, None, layer),
        }
    }

    fn global(&mut self, document: &Document, name: Name, id: GlobalId, layer: char) {
        let info = document.analysed.global(id);
        let (signature, doc) =
            (info.and_then(|info| info.signature.as_deref()), info.and_then(|info| info.doc.as_deref()));
        // Helpers of the library that nobody described are no help to others.
        if doc.is_some() || info.is_some_and(|info| !document.is_library(info.span)) {
            self.add(name, Kind::Function, signature, doc, layer);
        }
    }
}

/// How the function is called whose arguments are being written.
pub fn signature(document: &Document, offset: u32) -> Json {
    let before = document.text.get(..offset as usize).unwrap_or_default();
    let Some((open, argument)) = open_call(before) else { return Json::Null };
    let name_end = before[..open].trim_end().len();
    let Some((_, one)) = document.analysed.at(name_end as u32) else { return Json::Null };
    let (label, doc) = match (one.target.kind, one.target.definition) {
        (TargetKind::Primitive(prim), _) => (primitive_signature(prim), Some(prim.doc().to_string())),
        (_, Some(span)) => match document.analysed.definition(span) {
            Some(info) => match &info.signature {
                Some(signature) => (signature.to_string(), info.doc.as_deref().map(String::from)),
                None => return Json::Null,
            },
            None => return Json::Null,
        },
        _ => return Json::Null,
    };
    let inside = label.find('(').map_or("", |at| &label[at + 1..label.len() - 1]);
    let parameters: Vec<Json> =
        inside.split(", ").filter(|word| !word.is_empty()).map(|word| json!({"label": word})).collect();
    let mut shown = json!({"label": label, "parameters": parameters});
    if let Some(doc) = doc {
        shown["documentation"] = json!({"kind": "markdown", "value": doc});
    }
    json!({"signatures": [shown], "activeSignature": 0, "activeParameter": argument})
}

/// The last bracket of a call that is still open, and how many commas came after it.
fn open_call(before: &str) -> Option<(usize, usize)> {
    let (mut depth, mut commas) = (0, 0);
    for (at, character) in before.char_indices().rev().take(2000) {
        match character {
            ')' | ']' | '}' => depth += 1,
            '[' | '{' if depth == 0 => return None,
            '(' if depth == 0 => return Some((at, commas)),
            '(' | '[' | '{' => depth -= 1,
            ',' if depth == 0 => commas += 1,
            _ => {}
        }
    }
    None
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '\''
}
