//! Patterns: their names become variables of a kind.

use syntax::NodeId;
use syntax::ast::Pattern as Ast;

use super::Reader;
use crate::kind::Kind;
use crate::refusal::Result;
use crate::term::Pattern;

impl Reader<'_> {
    pub(super) fn pattern(&mut self, node: NodeId, kind: &Kind) -> Result<Pattern> {
        Ok(match self.tree.pattern(node) {
            Ast::Wild => Pattern::Wild,
            Ast::Name(source) if self.constructors.contains(source.as_str()) => {
                Pattern::Variant(source.to_string(), None)
            }
            Ast::Name(source) => {
                let kind = self.seen(node, kind);
                Pattern::Name(self.declare(source.as_str(), kind))
            }
            Ast::Int(_) | Ast::Real(_) | Ast::Bool(_) | Ast::Text(_) => {
                let span = self.tree.span(node);
                Pattern::Literal(self.tree.text()[span.start as usize..span.end as usize].to_string())
            }
            Ast::Paren(inner) => self.pattern(inner, kind)?,
            Ast::Tuple(parts) => {
                let kinds = match kind {
                    Kind::Tuple(kinds) if kinds.len() == parts.len() => kinds.clone(),
                    _ => vec![Kind::Unknown; parts.len()],
                };
                Pattern::Tuple(self.patterns(&parts, &kinds)?)
            }
            Ast::Array(parts) => {
                let kinds = vec![super::element(kind); parts.len()];
                Pattern::Array(self.patterns(&parts, &kinds)?)
            }
            Ast::Record(fields) => {
                let mut read = vec![];
                for (label, pattern) in fields {
                    let known = match kind {
                        Kind::Record(kinds) => kinds.iter().find(|(name, _)| name == label.name.as_str()),
                        _ => None,
                    };
                    let kind = known.map_or(Kind::Unknown, |(_, kind)| kind.clone());
                    let pattern = match pattern {
                        Some(pattern) => self.pattern(pattern, &kind)?,
                        None => Pattern::Name(self.declare(label.name.as_str(), kind)),
                    };
                    read.push((label.name.to_string(), pattern));
                }
                Pattern::Record(read)
            }
            Ast::Constructor { module, name, args } => {
                let name = module.map_or(name.name.to_string(), |module| format!("{}.{}", module.name, name.name));
                let kinds = vec![Kind::Unknown; args.len()];
                Pattern::Variant(name, Some(self.patterns(&args, &kinds)?))
            }
            Ast::Error => return self.refuse(node, "a pattern that can't be read"),
        })
    }

    /// The kind that is known, or else that was seen there.
    fn seen(&self, node: NodeId, kind: &Kind) -> Kind {
        let span = self.tree.span(node);
        match kind {
            Kind::Unknown => self.facts.values.get(&(span.start, span.end)).cloned().unwrap_or_default(),
            kind => kind.clone(),
        }
    }

    fn patterns(&mut self, nodes: &[NodeId], kinds: &[Kind]) -> Result<Vec<Pattern>> {
        nodes.iter().zip(kinds).map(|(node, kind)| self.pattern(*node, kind)).collect()
    }

    /// A pattern whose sensitivity is to be put together needs a name for each part.
    pub(super) fn name_wild(&mut self, pattern: &mut Pattern) {
        match pattern {
            Pattern::Wild => *pattern = Pattern::Name(self.names.fresh("rest", Kind::Unknown)),
            Pattern::Name(_) | Pattern::Literal(_) => {}
            Pattern::Tuple(parts) | Pattern::Array(parts) => parts.iter_mut().for_each(|part| self.name_wild(part)),
            Pattern::Record(fields) => fields.iter_mut().for_each(|(_, part)| self.name_wild(part)),
            Pattern::Variant(_, args) => args.iter_mut().flatten().for_each(|part| self.name_wild(part)),
        }
    }
}
