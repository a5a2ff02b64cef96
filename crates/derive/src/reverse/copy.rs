//! Copies of functions under new names, so that every name stays bound once.

use std::collections::BTreeMap;

use super::{Deriver, bound_names};
use crate::term::{Arm, Block, CAPTURED, Each, Pattern, Statement, Term, block, captured_label, name};

impl Deriver<'_> {
    /// The same term with names of its own for what it binds.
    pub(crate) fn copied(&mut self, term: &Term) -> Term {
        let mut renamed = BTreeMap::new();
        for bound in bound_names(term) {
            let kind = self.names.kind(&name(&*bound));
            let fresh = match bound.starts_with('%') {
                true => self.names.unnamed(kind),
                false => self.names.fresh(&bound, kind),
            };
            if let Some(line) = self.names.lines.get(&bound).copied() {
                self.names.lines.insert(fresh.clone(), line);
            }
            renamed.insert(bound, fresh);
        }
        rename(term, &renamed)
    }

    /// A function at arguments: its body if it is a local one.
    pub(crate) fn applied(&mut self, f: &Term, args: Vec<Term>) -> Term {
        let local = f.as_name().and_then(|f| self.locals.get(f)).cloned();
        match local {
            Some(local) if local.params.len() == args.len() => {
                let copy = self.copied(&Term::Lambda(local.params, Box::new(local.body)));
                let Term::Lambda(params, body) = copy else { unreachable!("derive: a copy is like its original") };
                let mut statements: Vec<Statement> =
                    params.into_iter().zip(args).map(|(param, arg)| Statement::Let(param, arg)).collect();
                match *body {
                    Term::Block(Block { statements: inner, result }) => {
                        statements.extend(inner);
                        block(statements, *result)
                    }
                    other => block(statements, other),
                }
            }
            _ => Term::Call(Box::new(f.clone()), args),
        }
    }
}

/// With other names, where they are bound and where they are used.
pub fn rename(term: &Term, names: &BTreeMap<String, String>) -> Term {
    let inner = |term: &Term| rename(term, names);
    match term {
        Term::Field(base, label) if label.starts_with(CAPTURED) => {
            let own = &label[CAPTURED.len_utf8()..];
            Term::Field(Box::new(rename(base, names)), captured_label(names.get(own).map_or(own, String::as_str)))
        }
        Term::Name(own) => name(names.get(own).unwrap_or(own)),
        Term::Lambda(params, body) => Term::Lambda(patterns(params, names), Box::new(inner(body))),
        Term::Match(of, arms) => {
            let arms = arms.iter().map(|arm| Arm {
                pattern: rename_pattern(&arm.pattern, names),
                guard: arm.guard.as_ref().map(inner),
                body: inner(&arm.body),
            });
            Term::Match(Box::new(inner(of)), arms.collect())
        }
        Term::Block(block) => {
            let statements = block.statements.iter().map(|statement| match statement {
                Statement::Let(pattern, term) => Statement::Let(rename_pattern(pattern, names), inner(term)),
                Statement::Fn(own, params, body) => {
                    Statement::Fn(names.get(own).unwrap_or(own).clone(), patterns(params, names), inner(body))
                }
                Statement::Comment(text) => Statement::Comment(text.clone()),
            });
            Term::Block(Block { statements: statements.collect(), result: Box::new(inner(&block.result)) })
        }
        Term::Each(each) => Term::Each(Box::new(Each {
            body: inner(&each.body),
            clauses: each.clauses.iter().map(|(to, source)| (rename_pattern(to, names), inner(source))).collect(),
            filter: each.filter.as_ref().map(inner),
        })),
        other => other.map_children(&mut |child| rename(child, names)),
    }
}

fn patterns(all: &[Pattern], names: &BTreeMap<String, String>) -> Vec<Pattern> {
    all.iter().map(|pattern| rename_pattern(pattern, names)).collect()
}

pub fn rename_pattern(pattern: &Pattern, names: &BTreeMap<String, String>) -> Pattern {
    match pattern {
        Pattern::Wild | Pattern::Literal(_) => pattern.clone(),
        Pattern::Name(own) => Pattern::Name(names.get(own).unwrap_or(own).clone()),
        Pattern::Tuple(parts) => Pattern::Tuple(patterns(parts, names)),
        Pattern::Array(parts) => Pattern::Array(patterns(parts, names)),
        Pattern::Record(fields) => {
            let renamed = fields.iter().map(|(label, part)| (label.clone(), rename_pattern(part, names)));
            Pattern::Record(renamed.collect())
        }
        Pattern::Variant(constructor, args) => {
            Pattern::Variant(constructor.clone(), args.as_ref().map(|args| patterns(args, names)))
        }
    }
}
