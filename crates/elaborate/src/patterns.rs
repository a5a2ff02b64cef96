//! Patterns, resolved: which names are constructors and which bind. All their mistakes are reported here, so
//! that the code made from a pattern, however often, reports none.

use std::rc::Rc;

use base::{Diagnostic, Name, Span, codes};
use calculus::{Const, Constructor};
use rustc_hash::FxHashMap;
use syntax::{NodeId, ast};

use crate::context::Elaborator;
use crate::deep;
use crate::names::nearest;
use crate::scope::Binding;

#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    pub shape: Shape,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Wild,
    Bind(Name),
    Literal(Const),
    Tuple(Vec<Pattern>),
    Record(Vec<(Name, Pattern)>),
    Constructor(Rc<Constructor>, Vec<Pattern>),
    Array(Vec<Pattern>),
}

/// Where a pattern stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Site {
    /// In `let`, a parameter or a clause: any undeclared name binds.
    Binding,
    /// In `match`: an undeclared capitalised name is likely a misspelt constructor.
    Match,
}

impl Pattern {
    /// The names it binds, in the order of the text.
    pub fn names(&self) -> Vec<(Name, Span)> {
        let mut names = vec![];
        self.collect_names(&mut names);
        names
    }

    fn collect_names(&self, names: &mut Vec<(Name, Span)>) {
        match &self.shape {
            Shape::Wild | Shape::Literal(_) => {}
            Shape::Bind(name) => names.push((*name, self.span)),
            Shape::Tuple(parts) | Shape::Constructor(_, parts) | Shape::Array(parts) => {
                parts.iter().for_each(|part| part.collect_names(names))
            }
            Shape::Record(fields) => fields.iter().for_each(|(_, part)| part.collect_names(names)),
        }
    }
}

/// The names bound so far, to find those bound twice.
type Seen = FxHashMap<Name, Span>;

impl Elaborator<'_> {
    pub fn pattern(&mut self, node: NodeId, site: Site) -> Pattern {
        self.resolve(node, site, &mut Seen::default())
    }

    /// The patterns of one parameter list: no name twice in all of them together.
    pub fn parameters(&mut self, nodes: &[NodeId]) -> Vec<Pattern> {
        let mut seen = Seen::default();
        nodes.iter().map(|node| self.resolve(*node, Site::Binding, &mut seen)).collect()
    }

    fn resolve(&mut self, node: NodeId, site: Site, seen: &mut Seen) -> Pattern {
        let span = self.tree.span(node);
        let shape = deep(|| self.shape(node, span, site, seen));
        Pattern { shape, span }
    }

    fn shape(&mut self, node: NodeId, span: Span, site: Site, seen: &mut Seen) -> Shape {
        match self.tree.pattern(node) {
            ast::Pattern::Error | ast::Pattern::Wild => Shape::Wild,
            ast::Pattern::Int(value) => Shape::Literal(Const::Int(value)),
            ast::Pattern::Real(value) => Shape::Literal(Const::Real(value)),
            ast::Pattern::Bool(value) => Shape::Literal(Const::Bool(value)),
            ast::Pattern::Text(text) => Shape::Literal(Const::Text(text.into())),
            ast::Pattern::Paren(inner) => self.resolve(inner, site, seen).shape,
            ast::Pattern::Tuple(parts) => Shape::Tuple(self.resolve_all(&parts, site, seen)),
            ast::Pattern::Array(parts) => Shape::Array(self.resolve_all(&parts, site, seen)),
            ast::Pattern::Record(fields) => self.record_pattern(&fields, site, seen),
            ast::Pattern::Name(name) => self.name_pattern(name, span, site, seen),
            ast::Pattern::Constructor { module, name, args } => {
                let parts = self.resolve_all(&args, site, seen);
                self.constructor_pattern(module, name, parts, span)
            }
        }
    }

    fn resolve_all(&mut self, nodes: &[NodeId], site: Site, seen: &mut Seen) -> Vec<Pattern> {
        nodes.iter().map(|node| self.resolve(*node, site, seen)).collect()
    }

    fn record_pattern(&mut self, fields: &[(ast::Ident, Option<NodeId>)], site: Site, seen: &mut Seen) -> Shape {
        self.check_fields(fields.iter().map(|(label, _)| *label));
        let mut part = |label: ast::Ident, node: Option<NodeId>| match node {
            Some(node) => {
                self.note_field(label);
                self.resolve(node, site, seen)
            }
            None => {
                self.shorthands.insert(label.span);
                Pattern { shape: self.binder(label.name, label.span, seen), span: label.span }
            }
        };
        Shape::Record(fields.iter().map(|(label, node)| (label.name, part(*label, *node))).collect())
    }

    fn name_pattern(&mut self, name: Name, span: Span, site: Site, seen: &mut Seen) -> Shape {
        if let Some(constructor) = self.names.constructor(name) {
            self.note_constructor(None, ast::Ident { name, span });
            return self.applied(constructor, vec![], span);
        }
        if site == Site::Match && name.as_str().starts_with(char::is_uppercase) {
            self.unknown_constructor(name, span);
            return Shape::Wild;
        }
        self.binder(name, span, seen)
    }

    fn binder(&mut self, name: Name, span: Span, seen: &mut Seen) -> Shape {
        let Some(first) = seen.insert(name, span) else { return Shape::Bind(name) };
        self.error(
            Diagnostic::new(codes::DUPLICATE_BINDING, span, format!("`{name}` is bound twice here"))
                .here("bound again")
                .label(first, "bound first")
                .help("give one of them another name, or write `_` where the value isn't needed"),
        );
        Shape::Wild
    }

    fn constructor_pattern(
        &mut self,
        module: Option<ast::Ident>,
        name: ast::Ident,
        parts: Vec<Pattern>,
        span: Span,
    ) -> Shape {
        let found = match module {
            None => self.names.constructor(name.name),
            Some(module) => match self.module_constructor(module, name) {
                Ok(found) => found,
                Err(()) => return wrong(parts),
            },
        };
        match found {
            Some(constructor) => {
                self.note_constructor(module, name);
                self.applied(constructor, parts, span)
            }
            None => {
                self.unknown_constructor(name.name, name.span);
                wrong(parts)
            }
        }
    }

    fn applied(&mut self, constructor: Rc<Constructor>, parts: Vec<Pattern>, span: Span) -> Shape {
        if parts.len() != constructor.fields.len() {
            self.error(wrong_fields(&constructor, parts.len(), span));
            return wrong(parts);
        }
        Shape::Constructor(constructor, parts)
    }

    fn unknown_constructor(&mut self, name: Name, span: Span) {
        let diagnostic =
            Diagnostic::new(codes::UNKNOWN_CONSTRUCTOR, span, format!("no constructor is called `{name}`"));
        let imported = self.in_a_module(name, |binding| matches!(binding, Binding::Constructor(_)));
        let near = imported.or_else(|| nearest(name, self.names.constructors()).map(String::from));
        let is_small = name.as_str().starts_with(|c: char| c.is_lowercase() || c == '_');
        self.error(match near {
            Some(near) => diagnostic.did_you_mean(&near),
            None if is_small => diagnostic.help(format!("to define a function write `fn {name}(…) = …`")),
            None => {
                diagnostic.help(format!("declare it, as in `type T = {name} | Other(field)`, or bind a small name"))
            }
        });
    }

    /// No label twice in one record.
    pub fn check_fields(&mut self, labels: impl Iterator<Item = ast::Ident>) {
        let mut seen = Seen::default();
        for label in labels {
            if let Some(first) = seen.insert(label.name, label.span) {
                self.error(
                    Diagnostic::new(
                        codes::DUPLICATE_FIELD,
                        label.span,
                        format!("the field `{}` is written twice", label.name),
                    )
                    .here("written again")
                    .label(first, "written first"),
                );
            }
        }
    }
}

/// Stands for a pattern with a mistake: its names stay bound, so that their uses aren't mistakes too.
fn wrong(parts: Vec<Pattern>) -> Shape {
    Shape::Tuple(parts)
}

pub(crate) fn wrong_fields(constructor: &Constructor, found: usize, span: Span) -> Diagnostic {
    let name = constructor.name;
    let fields: Vec<&str> = constructor.fields.iter().map(|field| field.as_str()).collect();
    let form = match fields.is_empty() {
        true => name.to_string(),
        false => format!("{name}({})", fields.join(", ")),
    };
    let message = format!("`{name}` has {}, not {found}", count(fields.len(), "field"));
    Diagnostic::new(codes::CONSTRUCTOR_FIELDS, span, message).help(format!("write `{form}`"))
}

pub(crate) fn count(number: usize, thing: &str) -> String {
    match number {
        0 => format!("no {thing}s"),
        1 => format!("1 {thing}"),
        _ => format!("{number} {thing}s"),
    }
}
