//! A function's tree into terms: operands are names or literals, every name is bound once, and kinds are noted by name.
//!
//! Conditions, guards and filters stay as they are: they carry no derivative.

mod patterns;

use std::collections::{BTreeMap, BTreeSet};

use base::Span;
use syntax::ast::{Expr, Function, IndexArg, Statement as Ast, TextPart, UnaryOp, Update};
use syntax::{NodeId, Tree};

use crate::infer::infer;
use crate::kind::Kind;
use crate::refusal::{Refusal, Result};
use crate::term::{Arm, At, Block, Each, Op, Pattern, Place, Ruled, Statement, Term, block, name, op};

/// What the runs of the program told, by the places of expressions and functions.
#[derive(Clone, Default, Debug)]
pub struct Facts {
    pub values: BTreeMap<(u32, u32), Kind>,
    /// What functions were called with.
    pub arguments: BTreeMap<(u32, u32), Kind>,
}

/// A function as terms.
#[derive(Clone, Debug)]
pub struct Read {
    pub name: String,
    pub params: Vec<Pattern>,
    pub body: Block,
    pub line: u32,
}

/// What is known of the names of a file's functions while they are derived.
#[derive(Clone, Default, Debug)]
pub struct Names {
    /// Names that something has, or might be taken for.
    pub used: BTreeSet<String>,
    pub kinds: BTreeMap<String, Kind>,
    /// The line of the source where each was computed.
    pub lines: BTreeMap<String, u32>,
    /// What each would be called if nothing else were.
    pub wishes: BTreeMap<String, String>,
    counter: usize,
}

impl Names {
    /// A new name for a subexpression.
    pub fn unnamed(&mut self, kind: Kind) -> String {
        self.counter += 1;
        let name = format!("%{}", self.counter);
        self.kinds.insert(name.clone(), kind);
        name
    }

    /// This name, or one like it that is free.
    pub fn fresh(&mut self, wish: &str, kind: Kind) -> String {
        let mut name = wish.to_string();
        let stem = wish.trim_end_matches('\'');
        let mut n = 0;
        while self.used.contains(&name) {
            n += 1;
            name = format!("{stem}{}{n}", if stem.ends_with(|c: char| c.is_ascii_digit()) { "_" } else { "" });
        }
        self.used.insert(name.clone());
        self.kinds.insert(name.clone(), kind);
        let wish = self.wishes.get(wish).map_or(wish, String::as_str).to_string();
        self.wishes.insert(name.clone(), wish);
        name
    }

    /// The kind of a literal or variable; what has no kind is defined at top level.
    pub fn kind(&self, term: &Term) -> Kind {
        match term {
            Term::Real(_) => Kind::Real,
            Term::Name(name) if name == "pi" || name == "inf" || name == "nan" => Kind::Real,
            Term::Name(name) => self.kinds.get(name).cloned().unwrap_or_default(),
            _ => Kind::Discrete,
        }
    }

    /// Is it a variable of the function that can have a sensitivity?
    pub fn carries(&self, name: &str) -> bool {
        self.kinds.get(name).is_some_and(Kind::carries)
    }
}

pub struct Reader<'a> {
    pub tree: &'a Tree,
    pub facts: &'a Facts,
    pub names: &'a mut Names,
    pub constructors: &'a BTreeSet<String>,
    scope: Vec<(String, String)>,
    out: Vec<Statement>,
}

impl<'a> Reader<'a> {
    pub fn new(
        tree: &'a Tree,
        facts: &'a Facts,
        names: &'a mut Names,
        constructors: &'a BTreeSet<String>,
    ) -> Reader<'a> {
        Reader { tree, facts, names, constructors, scope: vec![], out: vec![] }
    }

    pub fn function(mut self, node: NodeId, function: &Function) -> Result<Read> {
        let (params, body) = self.lambda(self.tree.span(node), &function.params, function.body)?;
        let line = self.line(self.tree.span(node));
        Ok(Read { name: function.name.name.to_string(), params, body, line })
    }

    /// The parameters of a rule and its body, as they stand.
    pub fn rule(mut self, params: &[NodeId], body: NodeId) -> Result<(Vec<Pattern>, Term)> {
        let kinds = vec![Kind::Unknown; params.len()];
        let params =
            params.iter().zip(kinds).map(|(param, kind)| self.pattern(*param, &kind)).collect::<Result<_>>()?;
        let body = self.plain(body)?;
        Ok((params, body))
    }

    pub fn line(&self, span: Span) -> u32 {
        1 + self.tree.text()[..span.start as usize].matches('\n').count() as u32
    }

    fn refuse<T>(&self, node: NodeId, what: &str) -> Result<T> {
        Err(Refusal { what: what.to_string(), span: self.tree.span(node) })
    }

    fn lambda(&mut self, span: Span, params: &[NodeId], body: NodeId) -> Result<(Vec<Pattern>, Block)> {
        let argument = self.facts.arguments.get(&(span.start, span.end)).cloned().unwrap_or_default();
        let kinds: Vec<Kind> = match (params.len(), argument) {
            (1, kind) => vec![kind],
            (n, Kind::Tuple(kinds)) if kinds.len() == n => kinds,
            (n, _) => vec![Kind::Unknown; n],
        };
        let mark = self.scope.len();
        let params =
            params.iter().zip(&kinds).map(|(param, kind)| self.pattern(*param, kind)).collect::<Result<_>>()?;
        let body = self.body(body)?;
        self.scope.truncate(mark);
        Ok((params, body))
    }

    /// An expression as a block of its own.
    fn body(&mut self, node: NodeId) -> Result<Block> {
        let outer = std::mem::take(&mut self.out);
        let mark = self.scope.len();
        let result = self.atom(node);
        self.scope.truncate(mark);
        let statements = std::mem::replace(&mut self.out, outer);
        Ok(Block { statements, result: Box::new(result?) })
    }

    fn body_term(&mut self, node: NodeId) -> Result<Term> {
        let Block { statements, result } = self.body(node)?;
        Ok(block(statements, *result))
    }

    /// An expression as a name or literal.
    fn atom(&mut self, node: NodeId) -> Result<Term> {
        let term = self.expr(node)?;
        if term.is_atom() {
            return Ok(term);
        }
        let kind = self.kind_of(node, &term);
        let unnamed = self.names.unnamed(kind);
        self.bind(&unnamed, term, node);
        Ok(name(unnamed))
    }

    fn bind(&mut self, to: &str, term: Term, node: NodeId) {
        let line = self.line(self.tree.span(node));
        self.names.lines.insert(to.to_string(), line);
        self.out.push(Statement::Let(Pattern::Name(to.to_string()), term));
    }

    fn kind_of(&self, node: NodeId, term: &Term) -> Kind {
        let span = self.tree.span(node);
        let seen = self.facts.values.get(&(span.start, span.end));
        seen.cloned().unwrap_or_else(|| infer(self.names, term))
    }

    fn atoms(&mut self, nodes: &[NodeId]) -> Result<Vec<Term>> {
        nodes.iter().map(|node| self.atom(*node)).collect()
    }

    /// One operation on names and literals.
    fn expr(&mut self, node: NodeId) -> Result<Term> {
        Ok(match self.tree.expr(node) {
            Expr::Int(i) => Term::Int(i),
            Expr::Real(x) => Term::Real(x),
            Expr::Bool(b) => Term::Bool(b),
            Expr::Text(parts) => self.text(node, &parts)?,
            Expr::Name(source) => self.resolve(source.as_str()),
            Expr::Paren(inner) => self.expr(inner)?,
            Expr::Tuple(parts) => Term::Tuple(self.atoms(&parts)?),
            Expr::Array(parts) => Term::Array(self.atoms(&parts)?),
            Expr::Record(fields) => {
                let fields = fields.iter().map(|(label, value)| Ok((label.name.to_string(), self.atom(*value)?)));
                Term::Record(fields.collect::<Result<_>>()?)
            }
            Expr::With { base, updates } => {
                let base = self.atom(base)?;
                let updates = updates.iter().map(|update| match update {
                    Update::Field(label, value) => Ok((Place::Field(label.name.to_string()), self.atom(*value)?)),
                    Update::Index { indices, value, .. } => Ok((Place::At(self.indices(indices)?), self.atom(*value)?)),
                });
                Term::With(Box::new(base), updates.collect::<Result<_>>()?)
            }
            Expr::Call { callee, args } => self.call(callee, &args)?,
            Expr::Comprehension(each) | Expr::Generator(each) => self.each(node, &each)?,
            Expr::Field { base, field } => match self.tree.expr(base) {
                // A name of a module.
                Expr::Name(module) if !self.is_local(module.as_str()) => name(format!("{module}.{}", field.name)),
                _ => Term::Field(Box::new(self.atom(base)?), field.name.to_string()),
            },
            Expr::Position { base, index, .. } => Term::Position(Box::new(self.atom(base)?), index),
            Expr::Index { base, indices } => {
                let base = self.atom(base)?;
                Term::Index(Box::new(base), self.indices(&indices)?)
            }
            Expr::Lambda { params, body, rules } => {
                if !rules.is_empty() {
                    return Ok(self.ruled(node, false));
                }
                let (params, body) = self.lambda(self.tree.span(node), &params, body)?;
                Term::Lambda(params, Box::new(block(body.statements, *body.result)))
            }
            Expr::Unary { op: UnaryOp::Negate, operand } => match self.tree.expr(operand) {
                Expr::Int(i) => Term::Int(-i),
                Expr::Real(x) => Term::Real(-x),
                _ => Term::Neg(Box::new(self.atom(operand)?)),
            },
            Expr::Unary { op: UnaryOp::Not, operand } => Term::Not(Box::new(self.plain(operand)?)),
            Expr::Binary { op: Op::Pipe, left, right, .. } => {
                let argument = self.atom(left)?;
                let f = self.callee(right)?;
                Term::Call(Box::new(f), vec![argument])
            }
            // The right side runs only if it is needed.
            Expr::Binary { op: operator @ (Op::And | Op::Or), left, right, .. } => {
                op(operator, self.plain(left)?, self.plain(right)?)
            }
            Expr::Binary { op: Op::Attach, .. } => return self.refuse(node, "a function with a rule attached"),
            Expr::Binary { op: operator, left, right, .. } => op(operator, self.atom(left)?, self.atom(right)?),
            Expr::If { condition, then, otherwise } => {
                let condition = self.plain(condition)?;
                let then = self.body_term(then)?;
                let otherwise = otherwise.map_or(Ok(Term::Tuple(vec![])), |node| self.body_term(node))?;
                Term::If(Box::new(condition), Box::new(then), Box::new(otherwise))
            }
            Expr::Match { scrutinee, arms } => {
                let kind = self.scrutinee_kind(scrutinee);
                let of = self.atom(scrutinee)?;
                let mut read = vec![];
                for arm in arms {
                    let mark = self.scope.len();
                    let pattern = self.pattern(arm.pattern, &kind)?;
                    let guard = arm.guard.map(|guard| self.plain(guard)).transpose()?;
                    let body = self.body_term(arm.body)?;
                    self.scope.truncate(mark);
                    read.push(Arm { pattern, guard, body });
                }
                Term::Match(Box::new(of), read)
            }
            Expr::Block(statements) => self.statements(node, &statements)?,
            Expr::Error => return self.refuse(node, "something that can't be read"),
        })
    }

    fn scrutinee_kind(&self, node: NodeId) -> Kind {
        let span = self.tree.span(node);
        self.facts.values.get(&(span.start, span.end)).cloned().unwrap_or_default()
    }

    fn call(&mut self, callee: NodeId, args: &[NodeId]) -> Result<Term> {
        let f = self.callee(callee)?;
        Ok(Term::Call(Box::new(f), self.atoms(args)?))
    }

    /// What is called: a name, or a variable for what isn't one.
    fn callee(&mut self, node: NodeId) -> Result<Term> {
        match self.tree.expr(node) {
            Expr::Paren(inner) => self.callee(inner),
            _ => self.atom(node),
        }
    }

    fn indices(&mut self, indices: &[IndexArg]) -> Result<Vec<At>> {
        let one = |index: &IndexArg| match index {
            IndexArg::At(node) => Ok(At::One(self.plain(*node)?)),
            IndexArg::Range(from, to) => {
                let mut bound = |node: &Option<NodeId>| node.map(|node| self.plain(node)).transpose();
                Ok(At::Range(bound(from)?, bound(to)?))
            }
        };
        indices.iter().map(one).collect()
    }

    fn each(&mut self, node: NodeId, each: &syntax::ast::Comprehension) -> Result<Term> {
        let mark = self.scope.len();
        let mut clauses = vec![];
        for clause in &each.clauses {
            let (source, kind) = match self.tree.expr(clause.source) {
                Expr::Binary { op: Op::Range, left, right, .. } => {
                    (op(Op::Range, self.plain(left)?, self.plain(right)?), Kind::Discrete)
                }
                _ => {
                    let source = self.atom(clause.source)?;
                    let kind = element(&self.names.kind(&source));
                    (source, kind)
                }
            };
            clauses.push((self.pattern(clause.pattern, &kind)?, source));
        }
        let filter = each.filter.map(|filter| self.plain(filter)).transpose()?;
        let body = self.body_term(each.body)?;
        self.scope.truncate(mark);
        let _ = node;
        Ok(Term::Each(Box::new(Each { body, clauses, filter })))
    }

    fn text(&self, node: NodeId, parts: &[TextPart]) -> Result<Term> {
        let plain = parts.iter().all(|part| matches!(part, TextPart::Literal(_)));
        let span = self.tree.span(node);
        match plain {
            true => Ok(Term::Raw(self.tree.text()[span.start as usize..span.end as usize].to_string())),
            false => self.refuse(node, "a text with values in it"),
        }
    }

    fn is_local(&self, source: &str) -> bool {
        self.scope.iter().any(|(known, _)| known == source)
    }

    fn resolve(&self, source: &str) -> Term {
        let local = self.scope.iter().rev().find(|(known, _)| known == source);
        name(local.map_or(source, |(_, unique)| unique))
    }

    /// A name of the source gets its own in the function.
    fn declare(&mut self, source: &str, kind: Kind) -> String {
        let unique = self.names.fresh(source, kind);
        self.scope.push((source.to_string(), unique.clone()));
        unique
    }

    fn statements(&mut self, node: NodeId, statements: &[NodeId]) -> Result<Term> {
        let mark = self.scope.len();
        let mut result = Term::Tuple(vec![]);
        let mut known: Vec<(NodeId, String)> = vec![];
        for (at, statement) in statements.iter().enumerate() {
            let last = at + 1 == statements.len();
            match self.tree.statement(*statement) {
                Ast::Let { pattern, value } => self.binding(pattern, value)?,
                Ast::Fn(function) => {
                    // Adjacent functions see each other.
                    if !known.iter().any(|(node, _)| node == statement) {
                        for other in &statements[at..] {
                            let Ast::Fn(function) = self.tree.statement(*other) else { break };
                            known.push((*other, self.declare(function.name.name.as_str(), Kind::Function)));
                        }
                    }
                    let unique = known.iter().find(|(node, _)| node == statement).map(|(_, name)| name.clone());
                    self.local_function(*statement, &function, unique.unwrap_or_default())?;
                }
                Ast::Expr(value) if last => result = self.expr(value)?,
                // Assertions and prints: not part of a derivative.
                Ast::Expr(_) => {}
                _ => return self.refuse(*statement, "a statement of this kind inside a function"),
            }
        }
        let _ = node;
        self.scope.truncate(mark);
        Ok(result)
    }

    fn local_function(&mut self, node: NodeId, function: &Function, unique: String) -> Result<()> {
        if !function.rules.is_empty() {
            let term = self.ruled(node, true);
            self.bind(&unique, term, node);
            return Ok(());
        }
        let (params, body) = self.lambda(self.tree.span(node), &function.params, function.body)?;
        let line = self.line(self.tree.span(node));
        self.names.lines.insert(unique.clone(), line);
        self.out.push(Statement::Fn(unique, params, block(body.statements, *body.result)));
        Ok(())
    }

    /// A function with a rule stays what it is.
    fn ruled(&self, node: NodeId, is_statement: bool) -> Term {
        let span = self.tree.span(node);
        let inside = |start: u32, end: u32| span.start <= start && end <= span.end;
        let tokens = self.tree.tokens().iter().filter(|token| inside(token.start, token.end));
        let (mut mentions, mut sources): (Vec<Term>, Vec<String>) = (vec![], vec![]);
        for token in tokens {
            let known = self.scope.iter().rev().find(|(source, _)| *source == self.tree.token_text(token));
            if let Some((source, unique)) = known
                && !sources.contains(source)
            {
                sources.push(source.clone());
                mentions.push(name(&**unique));
            }
        }
        let text = self.tree.text()[span.start as usize..span.end as usize].to_string();
        Term::Ruled(Ruled { text, is_statement, mentions, sources })
    }

    fn binding(&mut self, pattern: NodeId, value: NodeId) -> Result<()> {
        let term = self.expr(value)?;
        let kind = if term.is_atom() { self.names.kind(&term) } else { self.kind_of(value, &term) };
        let mut pattern = self.pattern(pattern, &kind)?;
        if let Pattern::Name(name) = &pattern {
            let name = name.clone();
            self.bind(&name, term, value);
            return Ok(());
        }
        let whole = match term {
            Term::Name(known) => known,
            term => {
                let unnamed = self.names.unnamed(kind);
                self.bind(&unnamed, term, value);
                unnamed
            }
        };
        if let Pattern::Wild = pattern {
            return Ok(());
        }
        self.name_wild(&mut pattern);
        let line = self.line(self.tree.span(value));
        pattern.names().iter().for_each(|bound| {
            self.names.lines.insert(bound.clone(), line);
        });
        self.out.push(Statement::Let(pattern, name(whole)));
        Ok(())
    }

    /// An expression without a derivative, as it stands.
    fn plain(&mut self, node: NodeId) -> Result<Term> {
        let Block { statements, result } = self.body(node)?;
        Ok(crate::tidy::inlined(statements, *result))
    }
}

/// The kind of the elements of an array.
pub fn element(kind: &Kind) -> Kind {
    match kind {
        Kind::Reals(1) => Kind::Real,
        Kind::Reals(n) => Kind::Reals(n - 1),
        Kind::Discrete => Kind::Discrete,
        _ => Kind::Unknown,
    }
}
