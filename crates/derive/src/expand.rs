//! Small functions of the program are put in place of their calls.

use std::collections::BTreeMap;

use crate::kind::Kind;
use crate::read::Read;
use crate::reverse::{Deriver, as_block};
use crate::rules::ELEMENTWISE;
use crate::term::{Block, Pattern, Statement, Term, call, name};

/// A function with more statements keeps its own derivative.
const SMALL: usize = 8;
/// So does a local one, where it may be put in the place of several calls.
const SMALL_LOCAL: usize = 4;

impl Deriver<'_> {
    /// The function called at its own parameters: so that its rule is what counts.
    pub fn by_itself(&mut self, read: &mut Read) {
        let args = read.params.iter().map(|param| match param {
            Pattern::Name(param) => name(&**param),
            _ => Term::Tuple(vec![]),
        });
        let kind = match self.names.kind(&read.body.result) {
            Kind::Unknown => Kind::Real,
            kind => kind,
        };
        let called = call(&read.name, args.collect());
        let result = self.names.unnamed(kind);
        self.names.lines.insert(result.clone(), read.line);
        read.body = Block {
            statements: vec![Statement::Let(Pattern::Name(result.clone()), called)],
            result: Box::new(name(result)),
        };
    }

    /// Replaces calls of small functions, those inside them included.
    pub fn expand(&mut self, body: &mut Block) {
        self.expand_locals(body);
        for _ in 0..4 {
            let mut statements = vec![];
            let mut changed = false;
            for statement in &body.statements {
                match self.expanded(statement) {
                    Some(inner) => {
                        statements.extend(inner);
                        changed = true;
                    }
                    None => statements.push(statement.clone()),
                }
            }
            body.statements = statements;
            if !changed {
                break;
            }
        }
    }

    /// Puts small local functions in place of their calls, in loops and branches too.
    fn expand_locals(&mut self, body: &mut Block) {
        let mut small: BTreeMap<String, Term> = BTreeMap::new();
        for statement in &body.statements {
            let (of, function) = match statement {
                Statement::Fn(of, params, inner) => (of, Term::Lambda(params.clone(), Box::new(inner.clone()))),
                Statement::Let(Pattern::Name(of), lambda @ Term::Lambda(..)) => (of, lambda.clone()),
                _ => continue,
            };
            let Term::Lambda(params, inner) = &function else { continue };
            let plain = params
                .iter()
                .all(|param| matches!(param, Pattern::Name(name) if self.names.kinds.get(name) != Some(&Kind::Mixed)));
            let Block { statements, .. } = as_block(inner);
            let is_short =
                statements.len() <= SMALL_LOCAL && statements.iter().all(|statement| self.is_simple(statement));
            if plain && is_short && !inner.names().contains(of) {
                small.insert(of.clone(), function);
            }
        }
        if !small.is_empty() {
            *body = as_block(&self.in_place(&Term::Block(body.clone()), &small));
        }
    }

    fn in_place(&mut self, term: &Term, small: &BTreeMap<String, Term>) -> Term {
        let Term::Block(Block { statements, result }) = term else {
            return term.map_children(&mut |child| self.in_place(child, small));
        };
        let mut out = vec![];
        for statement in statements {
            match statement {
                Statement::Let(Pattern::Name(of), Term::Call(f, args)) => {
                    let function = f.as_name().and_then(|f| small.get(f));
                    match function {
                        Some(function @ Term::Lambda(params, _)) if params.len() == args.len() => {
                            out.extend(self.instance(of, function, args));
                        }
                        _ => out.push(statement.clone()),
                    }
                }
                Statement::Let(pattern, term) => {
                    out.push(Statement::Let(pattern.clone(), self.in_place(term, small)));
                }
                Statement::Fn(f, params, body) => {
                    out.push(Statement::Fn(f.clone(), params.clone(), self.in_place(body, small)));
                }
                Statement::Comment(_) => out.push(statement.clone()),
            }
        }
        Term::Block(Block { statements: out, result: Box::new(self.in_place(result, small)) })
    }

    /// What a function does, for these arguments.
    fn instance(&mut self, of: &str, function: &Term, args: &[Term]) -> Vec<Statement> {
        let Term::Lambda(params, body) = self.copied(function) else {
            unreachable!("derive: a copy is like its original")
        };
        let Block { statements, result } = as_block(&body);
        let bound = params.into_iter().zip(args).map(|(param, arg)| Statement::Let(param, arg.clone()));
        bound.chain(statements).chain([Statement::Let(Pattern::Name(of.to_string()), *result)]).collect()
    }

    fn expanded(&mut self, statement: &Statement) -> Option<Vec<Statement>> {
        let Statement::Let(Pattern::Name(of), Term::Call(f, args)) = statement else { return None };
        let f = f.as_name()?;
        let (_, function) = self.functions.get(f)?;
        if !function.rules.is_empty() {
            return None;
        }
        let read = self.read(f).ok()?;
        let names: Vec<String> = read.params.iter().flat_map(Pattern::names).collect();
        let simple = read.params.len() == args.len()
            && names.len() == args.len()
            && read.body.statements.len() <= SMALL
            && read.body.statements.iter().all(|statement| self.is_simple(statement));
        if !simple || names.iter().any(|name| self.names.kinds.get(name) == Some(&Kind::Mixed)) {
            return None;
        }
        let params = read.params.into_iter().zip(args).map(|(param, arg)| Statement::Let(param, arg.clone()));
        let result = Statement::Let(Pattern::Name(of.clone()), *read.body.result);
        Some(params.chain(read.body.statements).chain([result]).collect())
    }

    fn is_simple(&self, statement: &Statement) -> bool {
        let Statement::Let(Pattern::Name(of), term) = statement else { return false };
        if self.names.kinds.get(of) == Some(&Kind::Mixed) {
            return false;
        }
        match term {
            Term::Call(f, _) => f.as_name().is_some_and(|f| ELEMENTWISE.contains(&f) || f == "sum" || f == "dot"),
            Term::If(..) | Term::Match(..) | Term::Lambda(..) | Term::Each(_) | Term::Block(_) => false,
            _ => true,
        }
    }
}
