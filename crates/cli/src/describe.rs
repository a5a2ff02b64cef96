//! What a name is: how it is called, what it does, where it is defined.

use base::{Name, Span, suggest};
use calculus::{Constructor, GlobalId, GlobalKind, Prim, Root};
use elaborate::{Binding, Scope};
use evert::Session;

const CONSTANTS: [(&str, &str); 3] =
    [("pi", "the ratio of a circle's circumference to its diameter"), ("inf", "infinity"), ("nan", "not a number")];

/// The help for a name, also a qualified one such as `linalg.eigh`. `Err` says that there is no such name.
pub fn describe(session: &Session, word: &str) -> Result<String, String> {
    let text = match word.split_once('.') {
        Some((module, name)) => in_module(session, module, name),
        None => alone(session, word),
    };
    text.ok_or_else(|| match suggest::nearest(word, names(session).iter().map(|entry| entry.name.as_str())) {
        Some(near) => format!("`{word}` isn't defined; did you mean `{near}`?"),
        None => format!("`{word}` isn't defined"),
    })
}

fn alone(session: &Session, word: &str) -> Option<String> {
    let name = Name::new(word);
    let known = session.names().find(|(known, _)| *known == name).map(|(_, binding)| binding);
    if let Some(binding) = known {
        return Some(described(session, name, binding));
    }
    if let Some(prim) = Prim::by_name(word).filter(|prim| prim.is_public()) {
        return Some(primitive(prim));
    }
    let constant = CONSTANTS.iter().find(|(name, _)| *name == word);
    constant.map(|(name, doc)| format!("{name}\n  {doc}"))
}

fn in_module(session: &Session, module: &str, name: &str) -> Option<String> {
    let module = Name::new(module);
    let (_, binding) = session.names().find(|(known, _)| *known == module)?;
    let (Binding::Module(scope) | Binding::Data { fields: scope, .. }) = binding else { return None };
    let name = Name::new(name);
    scope.get(name).map(|binding| described(session, name, binding))
}

fn described(session: &Session, name: Name, binding: &Binding) -> String {
    match binding {
        Binding::Root(Root::Global(id)) | Binding::Data { whole: Root::Global(id), .. } => global(session, *id),
        Binding::Data { .. } => name.to_string(),
        Binding::Root(Root::Prim(prim) | Root::Reverse(prim) | Root::Forward(prim)) => primitive(*prim),
        Binding::Constructor(constructor) => constructed(constructor),
        Binding::Module(scope) => module(name, scope),
    }
}

fn global(session: &Session, id: GlobalId) -> String {
    let info = session.globals.get(id);
    let mut text = info.signature.as_deref().unwrap_or(info.name.as_str()).to_string();
    if let (GlobalKind::Value, Some(value)) = (info.kind, session.machine.global(id)) {
        text += &format!(" = {}", eval::show::short(value).trim_matches('`'));
    }
    for line in info.doc.iter().flat_map(|doc| doc.lines()) {
        text += format!("\n  {line}").trim_end_matches(' ');
    }
    if info.span != Span::default() {
        let (line, _) = session.sources.line_column(info.span.file, info.span.start);
        text += &format!("\n  defined at {}:{line}", session.sources.get(info.span.file).name);
    }
    text
}

fn primitive(prim: Prim) -> String {
    let arguments = match prim.arity() {
        1 => "x".to_string(),
        2 => "a, b".to_string(),
        n => ["a", "b", "c", "d"][..n.min(4)].join(", "),
    };
    format!("{}({arguments})\n  {}\n  a primitive", prim.name(), prim.doc())
}

fn constructed(constructor: &Constructor) -> String {
    format!("{}\n  a constructor of {}", call(constructor), constructor.type_name)
}

fn call(constructor: &Constructor) -> String {
    let fields: Vec<&str> = constructor.fields.iter().map(|field| field.as_str()).collect();
    match &fields[..] {
        [] => constructor.name.to_string(),
        fields => format!("{}({})", constructor.name, fields.join(", ")),
    }
}

fn module(name: Name, scope: &Scope) -> String {
    let names: Vec<&str> = scope.iter().map(|(name, _)| name.as_str()).collect();
    format!("{name}\n  a module that defines {}", names.join(", "))
}

/// A name that can be completed, and how it is called.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Entry {
    pub name: String,
    pub signature: Option<String>,
}

/// Every name that can be written, in alphabetical order.
pub fn names(session: &Session) -> Vec<Entry> {
    let mut entries: Vec<Entry> = vec![];
    for (name, binding) in session.names() {
        let signature = match binding {
            Binding::Root(Root::Global(id)) => session.globals.get(*id).signature.as_deref().map(String::from),
            Binding::Constructor(constructor) => Some(call(constructor)),
            Binding::Root(Root::Prim(_) | Root::Reverse(_) | Root::Forward(_))
            | Binding::Module(_)
            | Binding::Data { .. } => None,
        };
        entries.push(Entry { name: name.to_string(), signature });
        if let Binding::Module(scope) | Binding::Data { fields: scope, .. } = binding {
            let inner = scope.iter().map(|(inner, _)| Entry { name: format!("{name}.{inner}"), signature: None });
            entries.extend(inner);
        }
    }
    let given = Prim::ALL.iter().filter(|prim| prim.is_public()).map(|prim| prim.name());
    let given = given.chain(CONSTANTS.iter().map(|(name, _)| *name));
    entries.extend(given.map(|name| Entry { name: name.to_string(), signature: None }));
    // The session's own names come first above, and a name is shown once.
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    entries.dedup_by(|later, kept| later.name == kept.name);
    entries
}
