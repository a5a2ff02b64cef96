//! Small functions of the program are put in place of their calls.

use crate::kind::Kind;
use crate::read::Read;
use crate::reverse::Deriver;
use crate::rules::ELEMENTWISE;
use crate::term::{Block, Pattern, Statement, Term, call, name};

/// A function with more statements keeps its own derivative.
const SMALL: usize = 8;

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
