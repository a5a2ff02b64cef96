//! The terms that derivatives are made of: Evert's expressions, without places.
//!
//! Within a function every name is bound once. Names that begin with `%` are of subexpressions that have none in the source; they vanish, or
//! get a name, at the end.

use std::collections::BTreeSet;

pub use syntax::ast::BinaryOp as Op;

#[derive(Clone, PartialEq, Debug)]
pub enum Term {
    Int(i64),
    Real(f64),
    Bool(bool),
    /// A text, as it stands in the source; it mentions no variables.
    Raw(String),
    Name(String),
    Neg(Box<Term>),
    Not(Box<Term>),
    Op(Op, Box<Term>, Box<Term>),
    Call(Box<Term>, Vec<Term>),
    Tuple(Vec<Term>),
    Record(Vec<(String, Term)>),
    With(Box<Term>, Vec<(Place, Term)>),
    Array(Vec<Term>),
    Field(Box<Term>, String),
    Position(Box<Term>, u32),
    Index(Box<Term>, Vec<At>),
    Lambda(Vec<Pattern>, Box<Term>),
    /// A function with a rule, as it stands in the source, and the variables that it mentions: it is differentiated by J alone.
    Ruled(Ruled),
    If(Box<Term>, Box<Term>, Box<Term>),
    Match(Box<Term>, Vec<Arm>),
    Block(Block),
    Each(Box<Each>),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Ruled {
    pub text: String,
    /// Is it an `fn` statement, which names itself?
    pub is_statement: bool,
    pub mentions: Vec<Term>,
    /// What the text calls these variables.
    pub sources: Vec<String>,
}

impl Ruled {
    /// The text, with the names that its variables have now. Labels are names of variables too, so they change along.
    pub fn renamed(&self) -> String {
        let now = |source: &str| {
            let at = self.sources.iter().position(|own| own == source)?;
            self.mentions[at].as_name()
        };
        let tree = syntax::parse(base::FileId(0), &self.text);
        tree.tokens().iter().map(|token| tree.token_text(token)).map(|text| now(text).unwrap_or(text)).collect()
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    pub statements: Vec<Statement>,
    pub result: Box<Term>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Statement {
    Let(Pattern, Term),
    Fn(String, Vec<Pattern>, Term),
    Comment(String),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Pattern {
    Wild,
    Name(String),
    /// A number, text or boolean, as it stands in the source.
    Literal(String),
    Tuple(Vec<Pattern>),
    Array(Vec<Pattern>),
    Record(Vec<(String, Pattern)>),
    /// A constructor, with the arguments if it has any.
    Variant(String, Option<Vec<Pattern>>),
}

/// What `with` changes.
#[derive(Clone, PartialEq, Debug)]
pub enum Place {
    Field(String),
    At(Vec<At>),
}

#[derive(Clone, PartialEq, Debug)]
pub enum At {
    One(Term),
    Range(Option<Term>, Option<Term>),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Arm {
    pub pattern: Pattern,
    pub guard: Option<Term>,
    pub body: Term,
}

/// `[body for p in source, … if filter]`
#[derive(Clone, PartialEq, Debug)]
pub struct Each {
    pub body: Term,
    pub clauses: Vec<(Pattern, Term)>,
    pub filter: Option<Term>,
}

/// How the label of a captured variable begins: it is called like the variable, whatever that is called in the end.
pub const CAPTURED: char = '@';

pub fn captured_label(of: &str) -> String {
    format!("{CAPTURED}{of}")
}

pub fn name(text: impl Into<String>) -> Term {
    Term::Name(text.into())
}

pub fn call(f: &str, args: Vec<Term>) -> Term {
    Term::Call(Box::new(name(f)), args)
}

pub fn op(op: Op, a: Term, b: Term) -> Term {
    Term::Op(op, Box::new(a), Box::new(b))
}

pub fn position(of: Term, at: usize) -> Term {
    match of {
        Term::Tuple(mut parts) if at < parts.len() => parts.swap_remove(at),
        of => Term::Position(Box::new(of), at as u32),
    }
}

/// One thing alone, several as a tuple.
pub fn tuple(mut terms: Vec<Term>) -> Term {
    if terms.len() == 1 { terms.swap_remove(0) } else { Term::Tuple(terms) }
}

pub fn tuple_pattern(mut patterns: Vec<Pattern>) -> Pattern {
    if patterns.len() == 1 { patterns.swap_remove(0) } else { Pattern::Tuple(patterns) }
}

/// A block, or only its result.
pub fn block(statements: Vec<Statement>, result: Term) -> Term {
    match statements.is_empty() {
        true => result,
        false => Term::Block(Block { statements, result: Box::new(result) }),
    }
}

impl Term {
    pub fn is_atom(&self) -> bool {
        matches!(self, Term::Int(_) | Term::Real(_) | Term::Bool(_) | Term::Raw(_) | Term::Name(_))
    }

    pub fn as_name(&self) -> Option<&str> {
        if let Term::Name(name) = self { Some(name) } else { None }
    }

    /// The number that it is.
    pub fn number(&self) -> Option<f64> {
        match self {
            Term::Int(i) => Some(*i as f64),
            Term::Real(x) => Some(*x),
            Term::Neg(inner) => inner.number().map(|x| -x),
            _ => None,
        }
    }

    /// How many nodes it has.
    pub fn size(&self) -> usize {
        let mut size = 1;
        self.each_child(&mut |child| size += child.size());
        size
    }

    /// Calls `see` on the terms directly inside.
    pub fn each_child<'a>(&'a self, see: &mut dyn FnMut(&'a Term)) {
        match self {
            Term::Int(_) | Term::Real(_) | Term::Bool(_) | Term::Raw(_) | Term::Name(_) => {}
            Term::Neg(a) | Term::Not(a) | Term::Field(a, _) | Term::Position(a, _) | Term::Lambda(_, a) => see(a),
            Term::Op(_, a, b) => [a, b].into_iter().for_each(|term| see(term)),
            Term::Call(f, args) => {
                see(f);
                args.iter().for_each(see);
            }
            Term::Tuple(terms) | Term::Array(terms) => terms.iter().for_each(see),
            Term::Ruled(ruled) => ruled.mentions.iter().for_each(see),
            Term::Record(fields) => fields.iter().for_each(|(_, term)| see(term)),
            Term::With(base, updates) => {
                see(base);
                for (place, value) in updates {
                    if let Place::At(at) = place {
                        each_index(at, see);
                    }
                    see(value);
                }
            }
            Term::Index(base, at) => {
                see(base);
                each_index(at, see);
            }
            Term::If(c, t, e) => [c, t, e].into_iter().for_each(|term| see(term)),
            Term::Match(of, arms) => {
                see(of);
                for arm in arms {
                    arm.guard.iter().for_each(&mut *see);
                    see(&arm.body);
                }
            }
            Term::Block(block) => {
                block.statements.iter().for_each(|statement| {
                    if let Statement::Let(_, term) | Statement::Fn(_, _, term) = statement {
                        see(term);
                    }
                });
                see(&block.result);
            }
            Term::Each(each) => {
                each.clauses.iter().for_each(|(_, source)| see(source));
                each.filter.iter().for_each(&mut *see);
                see(&each.body);
            }
        }
    }

    /// The same with other terms directly inside.
    pub fn map_children(&self, f: &mut dyn FnMut(&Term) -> Term) -> Term {
        let mut on = |term: &Term| Box::new(f(term));
        match self {
            Term::Int(_) | Term::Real(_) | Term::Bool(_) | Term::Raw(_) | Term::Name(_) => self.clone(),
            Term::Neg(a) => Term::Neg(on(a)),
            Term::Not(a) => Term::Not(on(a)),
            Term::Field(a, field) => Term::Field(on(a), field.clone()),
            Term::Position(a, at) => Term::Position(on(a), *at),
            Term::Lambda(params, body) => Term::Lambda(params.clone(), on(body)),
            Term::Op(op, a, b) => Term::Op(*op, on(a), on(b)),
            Term::Call(callee, args) => Term::Call(on(callee), args.iter().map(f).collect()),
            Term::Tuple(terms) => Term::Tuple(terms.iter().map(f).collect()),
            Term::Array(terms) => Term::Array(terms.iter().map(f).collect()),
            Term::Ruled(ruled) => {
                Term::Ruled(Ruled { mentions: ruled.mentions.iter().map(f).collect(), ..ruled.clone() })
            }
            Term::Record(fields) => Term::Record(fields.iter().map(|(label, term)| (label.clone(), f(term))).collect()),
            Term::With(base, updates) => {
                let base = on(base);
                let updates = updates.iter().map(|(place, value)| match place {
                    Place::Field(_) => (place.clone(), f(value)),
                    Place::At(at) => (Place::At(map_index(at, f)), f(value)),
                });
                Term::With(base, updates.collect())
            }
            Term::Index(base, at) => {
                let base = on(base);
                Term::Index(base, map_index(at, f))
            }
            Term::If(c, t, e) => Term::If(on(c), on(t), on(e)),
            Term::Match(of, arms) => {
                let of = on(of);
                let arms = arms.iter().map(|arm| Arm {
                    pattern: arm.pattern.clone(),
                    guard: arm.guard.as_ref().map(&mut *f),
                    body: f(&arm.body),
                });
                Term::Match(of, arms.collect())
            }
            Term::Block(block) => {
                let statements = block.statements.iter().map(|statement| match statement {
                    Statement::Let(pattern, term) => Statement::Let(pattern.clone(), f(term)),
                    Statement::Fn(name, params, body) => Statement::Fn(name.clone(), params.clone(), f(body)),
                    Statement::Comment(text) => Statement::Comment(text.clone()),
                });
                Term::Block(Block { statements: statements.collect(), result: Box::new(f(&block.result)) })
            }
            Term::Each(each) => Term::Each(Box::new(Each {
                clauses: each.clauses.iter().map(|(pattern, source)| (pattern.clone(), f(source))).collect(),
                filter: each.filter.as_ref().map(&mut *f),
                body: f(&each.body),
            })),
        }
    }

    /// All names that occur. As names are bound once, that is enough to know what is free.
    pub fn names(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        self.collect_names(&mut names);
        names
    }

    fn collect_names(&self, names: &mut BTreeSet<String>) {
        if let Term::Name(name) = self {
            names.insert(name.clone());
        }
        self.each_child(&mut |child| child.collect_names(names));
    }

    /// Is the variable mentioned in the text of a rule? Then it needs a name.
    pub fn mentions_in_rule(&self, name: &str) -> bool {
        if let Term::Ruled(ruled) = self {
            return ruled.mentions.iter().any(|mention| mention.as_name() == Some(name));
        }
        let mut found = false;
        self.each_child(&mut |child| found = found || child.mentions_in_rule(name));
        found
    }

    /// With another term in place of a name.
    pub fn replace(&self, from: &str, to: &Term) -> Term {
        match self {
            Term::Name(name) if name == from => to.clone(),
            Term::Field(base, label) if label.strip_prefix(CAPTURED) == Some(from) && to.as_name().is_some() => {
                Term::Field(Box::new(base.replace(from, to)), captured_label(to.as_name().unwrap_or_default()))
            }
            other => other.map_children(&mut |child| child.replace(from, to)),
        }
    }
}

fn each_index<'a>(at: &'a [At], see: &mut dyn FnMut(&'a Term)) {
    for index in at {
        match index {
            At::One(term) => see(term),
            At::Range(from, to) => from.iter().chain(to).for_each(&mut *see),
        }
    }
}

fn map_index(at: &[At], f: &mut dyn FnMut(&Term) -> Term) -> Vec<At> {
    let mut mapped = vec![];
    for index in at {
        mapped.push(match index {
            At::One(term) => At::One(f(term)),
            At::Range(from, to) => At::Range(from.as_ref().map(&mut *f), to.as_ref().map(&mut *f)),
        });
    }
    mapped
}

impl Pattern {
    /// The names that it binds, in order.
    pub fn names(&self) -> Vec<String> {
        match self {
            Pattern::Wild | Pattern::Literal(_) => vec![],
            Pattern::Name(name) => vec![name.clone()],
            Pattern::Tuple(parts) | Pattern::Array(parts) => parts.iter().flat_map(Pattern::names).collect(),
            Pattern::Record(fields) => fields.iter().flat_map(|(_, pattern)| pattern.names()).collect(),
            Pattern::Variant(_, args) => args.iter().flatten().flat_map(Pattern::names).collect(),
        }
    }
}
