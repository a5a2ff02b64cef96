//! Reverse mode: a block in; its statements, those that run backwards, and the sensitivities of its free variables out.
//!
//! The backward half computes, from the last statement to the first, what each gives to its operands. A statement whose value needs more than
//! itself to run backwards (a call, a loop) is replaced in the forward half by one that also gives its backpropagator. A construct without a
//! template is left to `vjp` of itself: that is always right, and it is counted.

mod branches;
mod calls;
pub mod copy;
mod functions;
mod loops;
mod operations;

use std::collections::{BTreeMap, BTreeSet};

use syntax::ast::Function;
use syntax::{NodeId, Tree};

use crate::Repetition;
use crate::kind::Kind;
use crate::read::{Facts, Names};
use crate::refusal::{Refusal, Result};
use crate::sens::{D, Part, Sens, filled, whole, zero};
use crate::term::{Block, Pattern, Statement, Term, call, name, tuple, tuple_pattern};

pub use functions::Local;

/// What deriving the functions of one file needs and leaves.
pub struct Deriver<'a> {
    pub tree: &'a Tree,
    pub facts: &'a Facts,
    pub names: Names,
    pub constructors: BTreeSet<String>,
    pub functions: BTreeMap<String, (NodeId, Function)>,
    /// The functions that the derivative calls, in the order in which they are to be read.
    pub derived: Vec<(String, Vec<Pattern>, Term)>,
    /// What is known of each function that was looked at: which arguments its backpropagator gives sensitivities of. `None`: it can't be
    /// derived.
    known: BTreeMap<String, Option<Vec<usize>>>,
    locals: BTreeMap<String, Local>,
    /// Arrays of pairs, and what they are zipped from.
    zips: BTreeMap<String, Vec<Term>>,
    pub repetition: Repetition,
    /// Constructs that were left to `vjp`, by their lines.
    pub left: Vec<u32>,
    last_line: u32,
    /// Results whose values a gradient doesn't need.
    last: BTreeSet<String>,
}

/// The two halves of a block.
pub struct Swept {
    pub forward: Vec<Statement>,
    pub backward: Vec<Statement>,
}

impl<'a> Deriver<'a> {
    pub fn new(tree: &'a Tree, facts: &'a Facts, names: Names, constructors: BTreeSet<String>) -> Deriver<'a> {
        let functions = tree.statements().into_iter().filter_map(|node| match tree.statement(node) {
            syntax::ast::Statement::Fn(function) => Some((function.name.name.to_string(), (node, function))),
            _ => None,
        });
        Deriver {
            tree,
            facts,
            names,
            constructors,
            functions: functions.collect(),
            derived: vec![],
            known: BTreeMap::new(),
            locals: BTreeMap::new(),
            zips: BTreeMap::new(),
            repetition: Repetition::No,
            left: vec![],
            last_line: 0,
            last: BTreeSet::new(),
        }
    }

    /// Sweeps over a block whose result has the sensitivities that `sens` says, and adds those of its free variables.
    pub fn sweep(&mut self, block: &Block, sens: &mut Sens) -> Result<Swept> {
        block.statements.iter().for_each(|statement| self.learn(statement));
        let mut forward: Vec<Vec<Statement>> = block.statements.iter().map(|one| vec![one.clone()]).collect();
        let mut backward = vec![];
        for (at, statement) in block.statements.iter().enumerate().rev() {
            match statement {
                Statement::Comment(_) => {}
                Statement::Fn(of, _, body) => {
                    self.function_statement(of, body, &mut forward[at], &mut backward, sens)?;
                }
                Statement::Let(Pattern::Name(of), Term::Lambda(_, body)) => {
                    self.function_statement(of, body, &mut forward[at], &mut backward, sens)?;
                }
                Statement::Let(Pattern::Name(of), Term::Ruled(ruled)) => {
                    self.ruled_statement(of, ruled, &mut backward, sens)?;
                }
                Statement::Let(Pattern::Name(of), term) => {
                    let Some(parts) = sens.take(of) else { continue };
                    self.comment(of, &mut backward);
                    self.statement(of, term, parts, &mut forward[at], &mut backward, sens)?;
                }
                Statement::Let(pattern, Term::Name(of)) => {
                    if let Some(term) = self.pattern_sensitivity(pattern, sens)?
                        && self.names.carries(of)
                    {
                        sens.add(of, Part::Whole(term));
                    }
                }
                Statement::Let(..) => unreachable!("derive: patterns are bound to names"),
            }
        }
        Ok(Swept { forward: forward.concat(), backward })
    }

    /// Says from which line of the source the next statements are.
    fn comment(&mut self, of: &str, backward: &mut Vec<Statement>) {
        if let Some(line) = self.names.lines.get(of).copied()
            && line != self.last_line
        {
            self.last_line = line;
            backward.push(Statement::Comment(format!("line {line}")));
        }
    }

    /// One statement run backwards; by `vjp` of it if there is no template.
    fn statement(
        &mut self,
        of: &str,
        term: &Term,
        parts: Vec<Part>,
        forward: &mut Vec<Statement>,
        backward: &mut Vec<Statement>,
        sens: &mut Sens,
    ) -> Result<()> {
        let before = (sens.clone(), backward.len(), forward.clone(), self.derived.len(), self.left.len());
        let outcome = self.operation(of, term, parts.clone(), forward, backward, sens);
        if outcome.is_ok() {
            return Ok(());
        }
        *sens = before.0;
        backward.truncate(before.1);
        *forward = before.2;
        self.derived.truncate(before.3);
        self.left.truncate(before.4);
        self.by_vjp(of, term, parts, forward, backward, sens)
    }

    /// The sensitivity of a variable as a name, or as what it is if that is short.
    fn collapse(&mut self, of: &str, parts: Vec<Part>, backward: &mut Vec<Statement>) -> Result<D> {
        let D { term, array } = whole(&mut self.names, of, parts)?;
        if term.is_atom() {
            return Ok(D { term, array });
        }
        let kind = self.names.kind(&name(of));
        let bound = self.sensitivity_name(of, kind);
        backward.push(Statement::Let(Pattern::Name(bound.clone()), term));
        Ok(D { term: name(bound), array })
    }

    /// The same in the shape of the variable.
    fn collapse_full(&mut self, of: &str, parts: Vec<Part>, backward: &mut Vec<Statement>) -> Result<Term> {
        let d = self.collapse(of, parts, backward)?;
        Ok(filled(&self.names.kind(&name(of)), &name(of), d))
    }

    pub fn sensitivity_name(&mut self, of: &str, kind: Kind) -> String {
        match of.starts_with('%') {
            true => self.names.unnamed(kind),
            false => {
                let short = of.trim_end_matches(|c: char| c.is_ascii_digit() || c == '\'').chars().count() <= 1;
                self.names.fresh(&format!("d{}{of}", if short { "" } else { "_" }), kind)
            }
        }
    }

    /// A name for the result of a call, and one for its backpropagator.
    fn back_name(&mut self, of: &str) -> String {
        let stem = if of.starts_with('%') { "back".to_string() } else { format!("{of}_back") };
        self.names.fresh(&stem, Kind::Function)
    }

    /// Adds a contribution to an operand, if it is a variable that can have one.
    fn give(&mut self, to: &Term, d: D, sens: &mut Sens) -> Result<()> {
        let Some(to) = to.as_name().filter(|name| self.names.carries(name)).map(str::to_string) else { return Ok(()) };
        let kind = self.names.kind(&name(&*to));
        let part = match (&kind, d.array) {
            (Kind::Mixed, _) => return self.refuse("a value of more than one kind"),
            (Kind::Reals(_), false) => Part::Fill(d.term),
            (Kind::Real | Kind::Unknown, true) => Part::Whole(call("sum", vec![d.term])),
            _ => Part::Whole(d.term),
        };
        sens.add(&to, part);
        Ok(())
    }

    /// Adds a contribution that has the operand's own shape.
    fn give_whole(&mut self, to: &Term, term: Term, sens: &mut Sens) {
        if let Some(to) = to.as_name().filter(|name| self.names.carries(name)) {
            sens.add(to, Part::Whole(term));
        }
    }

    fn refuse<T>(&self, what: &str) -> Result<T> {
        Err(Refusal { what: what.to_string(), span: base::Span::default() })
    }

    /// What the parts of a pattern have received, as the sensitivity of the whole; `None` if nothing.
    pub fn pattern_sensitivity(&mut self, pattern: &Pattern, sens: &mut Sens) -> Result<Option<Term>> {
        if pattern.names().iter().all(|bound| !sens.0.contains_key(bound)) {
            return Ok(None);
        }
        self.built(pattern, sens).map(Some)
    }

    fn built(&mut self, pattern: &Pattern, sens: &mut Sens) -> Result<Term> {
        let all = |deriver: &mut Self, parts: &[Pattern], sens: &mut Sens| -> Result<Vec<Term>> {
            parts.iter().map(|part| deriver.built(part, sens)).collect()
        };
        Ok(match pattern {
            Pattern::Name(of) => match sens.take(of) {
                None => zero(&self.names, of),
                Some(parts) => {
                    let d = whole(&mut self.names, of, parts)?;
                    filled(&self.names.kind(&name(&**of)), &name(&**of), d)
                }
            },
            Pattern::Tuple(parts) => Term::Tuple(all(self, parts, sens)?),
            Pattern::Array(parts) => Term::Array(all(self, parts, sens)?),
            Pattern::Record(fields) => {
                let fields = fields.iter().map(|(label, part)| Ok((label.clone(), self.built(part, sens)?)));
                Term::Record(fields.collect::<Result<_>>()?)
            }
            Pattern::Variant(constructor, None) => name(&**constructor),
            Pattern::Variant(constructor, Some(args)) => call(constructor, all(self, args, sens)?),
            Pattern::Literal(_) => Term::Tuple(vec![]),
            Pattern::Wild => return self.refuse("a part of a pattern without a name"),
        })
    }

    /// The variables of a term that can have sensitivities, in order.
    pub fn free_carrying(&self, term: &Term) -> Vec<String> {
        let bound = bound_names(term);
        let names = term.names();
        names.into_iter().filter(|name| self.names.carries(name) && !bound.contains(name)).collect()
    }

    /// `let (y, back) = vjp((a, b) => e, (a, b))`
    fn by_vjp(
        &mut self,
        of: &str,
        term: &Term,
        parts: Vec<Part>,
        forward: &mut Vec<Statement>,
        backward: &mut Vec<Statement>,
        sens: &mut Sens,
    ) -> Result<()> {
        let line = self.names.lines.get(of).copied().unwrap_or(0);
        self.left.push(line);
        let d = self.collapse_full(of, parts, backward)?;
        let back = self.back_name(of);
        let (f, x, to) = match term {
            // A function at variables: that function.
            Term::Call(f, args) if f.as_name().is_some_and(|f| !self.names.carries(f)) && !args.is_empty() => {
                ((**f).clone(), tuple(args.clone()), args.clone())
            }
            _ => {
                let free = self.free_carrying(term);
                let params: Vec<Pattern> = free.iter().map(|name| Pattern::Name(name.clone())).collect();
                let to: Vec<Term> = free.iter().map(name).collect();
                (Term::Lambda(params, Box::new(term.clone())), tuple(to.clone()), to)
            }
        };
        let carries = |target: &Term| target.as_name().is_some_and(|target| self.names.carries(target));
        if !to.iter().any(carries) {
            return Ok(());
        }
        let pair = Pattern::Tuple(vec![Pattern::Name(of.to_string()), Pattern::Name(back.clone())]);
        *forward = vec![Statement::Let(pair, call("vjp", vec![f, x]))];
        let mut received = vec![];
        for target in &to {
            let carried = target.as_name().filter(|target| self.names.carries(target)).map(str::to_string);
            received.push(match carried {
                None => Pattern::Wild,
                Some(target) => {
                    let kind = self.names.kind(&name(&*target));
                    let bound = self.sensitivity_name(&target, kind);
                    sens.add(&target, Part::Whole(name(&*bound)));
                    Pattern::Name(bound)
                }
            });
        }
        backward.push(Statement::Let(tuple_pattern(received), Term::Call(Box::new(name(back)), vec![d])));
        Ok(())
    }
}

/// The names that are bound somewhere inside a term.
pub fn bound_names(term: &Term) -> BTreeSet<String> {
    let mut bound = BTreeSet::new();
    collect_bound(term, &mut bound);
    bound
}

fn collect_bound(term: &Term, bound: &mut BTreeSet<String>) {
    match term {
        Term::Lambda(params, _) => bound.extend(params.iter().flat_map(Pattern::names)),
        Term::Match(_, arms) => bound.extend(arms.iter().flat_map(|arm| arm.pattern.names())),
        Term::Each(each) => bound.extend(each.clauses.iter().flat_map(|(pattern, _)| pattern.names())),
        Term::Block(block) => {
            for statement in &block.statements {
                match statement {
                    Statement::Let(pattern, _) => bound.extend(pattern.names()),
                    Statement::Fn(name, params, _) => {
                        bound.insert(name.clone());
                        bound.extend(params.iter().flat_map(Pattern::names));
                    }
                    Statement::Comment(_) => {}
                }
            }
        }
        _ => {}
    }
    term.each_child(&mut |child| collect_bound(child, bound));
}

/// A term as a block.
pub fn as_block(term: &Term) -> Block {
    match term {
        Term::Block(block) => block.clone(),
        other => Block { statements: vec![], result: Box::new(other.clone()) },
    }
}
