//! Forward mode: `f_forward(x, dx)` gives the value and its change.
//!
//! Every statement is followed by one for the change of its value, if it has one. Functions of the program become `f_forward`, loops carry the
//! change beside the state, and what has no template is left to `jvp` of the expression itself.

mod operations;

use std::collections::BTreeMap;

use crate::kind::Kind;
use crate::read::Read;
use crate::refusal::{Refusal, Result};
use crate::reverse::{Deriver, as_block};
use crate::sens::{D, filled, zero};
use crate::term::{Arm, Block, Each, Pattern, Statement, Term, block, call, name, tuple};
use crate::{Derived, Shape};

/// The changes of variables; a variable without one doesn't change.
type Changes = BTreeMap<String, D>;

pub fn derive(deriver: Deriver, read: &Read, wanted: Vec<bool>) -> Result<Derived> {
    let mut forward = Forward { deriver, changes: Changes::new(), known: BTreeMap::new() };
    let carrying: Vec<bool> =
        read.params.iter().zip(&wanted).map(|(param, wanted)| *wanted && forward.carries(param)).collect();
    let (params, body) = forward.function(read, &carrying)?;
    let stem = read.name.trim_end_matches('\'');
    let main = (format!("{stem}_forward"), params, body);
    let mut deriver = forward.deriver;
    let own = &main.0;
    deriver.derived.retain(|(name, _, _)| name != own);
    Ok(crate::written(deriver, read, main, Shape::Forward, carrying))
}

struct Forward<'a> {
    deriver: Deriver<'a>,
    changes: Changes,
    /// Functions of the program that were looked at: which arguments come with a change. `None`: it can't be derived.
    known: BTreeMap<String, Option<Vec<bool>>>,
}

impl Forward<'_> {
    fn carries(&self, pattern: &Pattern) -> bool {
        pattern.names().iter().any(|name| self.deriver.names.carries(name))
    }

    fn refuse<T>(&self, what: &str) -> Result<T> {
        Err(Refusal { what: what.to_string(), span: base::Span::default() })
    }

    /// The parameters, those of the changes included, and the body.
    fn function(&mut self, read: &Read, changing: &[bool]) -> Result<(Vec<Pattern>, Term)> {
        let mut params = read.params.clone();
        for (param, _) in read.params.iter().zip(changing).filter(|(_, changing)| **changing) {
            params.push(self.changes_of(param));
        }
        let body = self.value_and_change(&read.body)?;
        Ok((params, body))
    }

    /// A pattern for the changes of the parts of a pattern.
    fn changes_of(&mut self, pattern: &Pattern) -> Pattern {
        match pattern {
            Pattern::Name(of) if self.deriver.names.carries(of) => {
                let kind = self.deriver.names.kind(&name(&**of));
                let change = self.deriver.sensitivity_name(of, kind.clone());
                self.changes.insert(of.clone(), D { term: name(&*change), array: kind.is_array() });
                Pattern::Name(change)
            }
            Pattern::Tuple(parts) => Pattern::Tuple(parts.iter().map(|part| self.changes_of(part)).collect()),
            Pattern::Array(parts) => Pattern::Array(parts.iter().map(|part| self.changes_of(part)).collect()),
            Pattern::Record(fields) => {
                Pattern::Record(fields.iter().map(|(label, part)| (label.clone(), self.changes_of(part))).collect())
            }
            Pattern::Variant(constructor, Some(args)) => {
                Pattern::Variant(constructor.clone(), Some(args.iter().map(|arg| self.changes_of(arg)).collect()))
            }
            _ => Pattern::Wild,
        }
    }

    fn value_and_change(&mut self, body: &Block) -> Result<Term> {
        let statements = self.statements(body)?;
        let change = self.full(&body.result)?;
        Ok(block(statements, Term::Tuple(vec![(*body.result).clone(), change])))
    }

    /// The statements of a block, with those for the changes.
    fn statements(&mut self, body: &Block) -> Result<Vec<Statement>> {
        body.statements.iter().for_each(|statement| self.deriver.learn(statement));
        let mut out = vec![];
        for statement in &body.statements {
            match statement {
                Statement::Comment(_) => {}
                Statement::Fn(of, params, inner) => {
                    out.push(statement.clone());
                    self.local(of, params, inner, &mut out);
                }
                Statement::Let(Pattern::Name(of), Term::Lambda(params, inner)) => {
                    out.push(statement.clone());
                    self.local(of, params, inner, &mut out);
                }
                Statement::Let(Pattern::Name(of), term) => self.statement(of, term, &mut out)?,
                Statement::Let(pattern, term) => {
                    out.push(statement.clone());
                    if let Some(change) = self.change(term) {
                        let changes = self.changes_of(pattern);
                        out.push(Statement::Let(changes, change.term));
                    }
                }
            }
        }
        Ok(out)
    }

    /// A local function, and the one that also gives the change.
    fn local(&mut self, of: &str, params: &[Pattern], body: &Term, out: &mut Vec<Statement>) {
        let copy = Term::Lambda(params.to_vec(), Box::new(body.clone()));
        let Term::Lambda(params, body) = self.deriver.copied(&copy) else { return };
        let stem = if of.starts_with('%') { "step" } else { of };
        let own = self.deriver.names.fresh(&format!("{stem}_forward"), Kind::Discrete);
        let changing: Vec<bool> = params.iter().map(|param| self.carries(param)).collect();
        self.known.insert(own_key(of), Some(changing.clone()));
        self.deriver.names.wishes.insert(own_key(of), own.clone());
        let read = Read { name: own.clone(), params, body: as_block(&body), line: 0 };
        match self.function(&read, &changing) {
            Ok((params, body)) => out.push(Statement::Fn(own, params, body)),
            Err(_) => {
                self.known.insert(own_key(of), None);
            }
        }
    }

    fn statement(&mut self, of: &str, term: &Term, out: &mut Vec<Statement>) -> Result<()> {
        let mark = out.len();
        if self.operation(of, term, out).is_ok() {
            return Ok(());
        }
        out.truncate(mark);
        self.by_jvp(of, term, out)
    }

    /// The change of an operand, if it has one.
    fn change(&self, of: &Term) -> Option<D> {
        of.as_name().and_then(|of| self.changes.get(of)).cloned()
    }

    /// The change of an operand in its own shape, zero if it has none.
    fn full(&mut self, of: &Term) -> Result<Term> {
        Ok(match (of, self.change(of)) {
            (of, Some(d)) => filled(&self.deriver.names.kind(of), of, d),
            (Term::Name(variable), None) if self.deriver.names.kinds.contains_key(variable) => {
                zero(&self.deriver.names, variable)
            }
            (Term::Real(_), None) => Term::Real(0.0),
            (Term::Tuple(parts), None) => Term::Tuple(parts.iter().map(|part| self.full(part)).collect::<Result<_>>()?),
            (Term::Int(_) | Term::Bool(_) | Term::Raw(_), None) => Term::Tuple(vec![]),
            (other, None) => call("zero", vec![other.clone()]),
        })
    }

    /// Binds a change to a name.
    fn set(&mut self, of: &str, change: D, out: &mut Vec<Statement>) {
        let kind = self.deriver.names.kind(&name(of));
        if change.term.is_atom() {
            self.changes.insert(of.to_string(), change);
            return;
        }
        let bound = self.deriver.sensitivity_name(of, kind);
        out.push(Statement::Let(Pattern::Name(bound.clone()), change.term));
        self.changes.insert(of.to_string(), D { term: name(bound), array: change.array });
    }

    /// `let (y, dy) = e`
    fn pair(&mut self, of: &str, term: Term, out: &mut Vec<Statement>) {
        let kind = self.deriver.names.kind(&name(of));
        let bound = self.deriver.sensitivity_name(of, kind.clone());
        let both = Pattern::Tuple(vec![Pattern::Name(of.to_string()), Pattern::Name(bound.clone())]);
        out.push(Statement::Let(both, term));
        self.changes.insert(of.to_string(), D { term: name(bound), array: kind.is_array() });
    }

    /// `let (y, dy) = jvp((a, b) => e, (a, b), (da, db))`
    fn by_jvp(&mut self, of: &str, term: &Term, out: &mut Vec<Statement>) -> Result<()> {
        let mut term = term.clone();
        // Local functions go inside, so that what they capture is seen.
        for mentioned in term.names() {
            if let Some(local) = self.deriver.local(&mentioned) {
                let copy = self.deriver.copied(&local);
                term = term.replace(&mentioned, &copy);
            }
        }
        let free: Vec<String> =
            self.deriver.free_carrying(&term).into_iter().filter(|name| self.changes.contains_key(name)).collect();
        if free.is_empty() {
            out.push(Statement::Let(Pattern::Name(of.to_string()), term));
            return Ok(());
        }
        self.deriver.left.push(self.deriver.names.lines.get(of).copied().unwrap_or(0));
        let changes = free.iter().map(|free| self.full(&name(&**free))).collect::<Result<Vec<_>>>()?;
        let at = tuple(free.iter().map(name).collect());
        let f = match &term {
            Term::Call(f, args) if tuple(args.clone()) == at && f.as_name().is_some() => (**f).clone(),
            _ => Term::Lambda(free.iter().cloned().map(Pattern::Name).collect(), Box::new(term)),
        };
        self.pair(of, call("jvp", vec![f, at, tuple(changes)]), out);
        Ok(())
    }

    /// A choice gives the value and the change.
    fn choice(&mut self, of: &str, term: &Term, out: &mut Vec<Statement>) -> Result<()> {
        let chosen = match term {
            Term::If(condition, then, otherwise) => {
                let then = self.value_and_change(&as_block(then))?;
                let otherwise = self.value_and_change(&as_block(otherwise))?;
                Term::If(condition.clone(), Box::new(then), Box::new(otherwise))
            }
            Term::Match(scrutinee, arms) => {
                let change = self.change(scrutinee);
                let mut derived = vec![];
                for arm in arms {
                    let changes = if change.is_some() { self.changes_of(&arm.pattern) } else { Pattern::Wild };
                    let pattern = match &change {
                        Some(_) => Pattern::Tuple(vec![arm.pattern.clone(), changes]),
                        None => arm.pattern.clone(),
                    };
                    let body = self.value_and_change(&as_block(&arm.body))?;
                    derived.push(Arm { pattern, guard: arm.guard.clone(), body });
                }
                let of = match change {
                    Some(change) => Term::Tuple(vec![(**scrutinee).clone(), change.term]),
                    None => (**scrutinee).clone(),
                };
                Term::Match(Box::new(of), derived)
            }
            _ => return self.refuse("a choice of another kind"),
        };
        self.pair(of, chosen, out);
        Ok(())
    }

    /// `[e for x in xs]` and beside it `[de for (x, dx) in zip(xs, dxs)]`.
    fn each(&mut self, of: &str, each: &Each, out: &mut Vec<Statement>) -> Result<()> {
        if each.filter.is_some() || !self.deriver.names.kind(&name(of)).is_array() {
            return self.refuse("a comprehension of this kind");
        }
        let mut clauses = vec![];
        for (pattern, source) in &each.clauses {
            clauses.push(match self.change(source) {
                None => (pattern.clone(), source.clone()),
                Some(change) => {
                    let kind = self.deriver.names.kind(source);
                    let changes = self.changes_of(pattern);
                    let change = filled(&kind, source, change);
                    (Pattern::Tuple(vec![pattern.clone(), changes]), call("zip", vec![source.clone(), change]))
                }
            });
        }
        let body = as_block(&each.body);
        let statements = self.statements(&body)?;
        let changes = self.change(&body.result).is_some();
        out.push(Statement::Let(Pattern::Name(of.to_string()), Term::Each(Box::new(each.clone()))));
        if changes {
            let change = self.full(&body.result)?;
            let body = crate::tidy::tidied(&block(statements, change), &self.deriver.names);
            let term = Term::Each(Box::new(Each { body, clauses, filter: None }));
            self.set(of, D { term, array: true }, out);
        }
        Ok(())
    }

    /// A loop whose state goes with its change.
    fn looped(&mut self, of: &str, f: &str, args: &[Term], out: &mut Vec<Statement>) -> Result<()> {
        let kind = self.deriver.names.kind(&name(of));
        if matches!(kind, Kind::Mixed | Kind::Unknown | Kind::Function) {
            return self.refuse("a loop whose state is of more than one kind");
        }
        let (step, init, over) = match (f, args) {
            ("fold" | "reduce", [step, init, xs]) => (step, init, Some(xs)),
            ("iterate" | "while_loop", [_, step, init]) => (step, init, None),
            _ => return self.refuse("a loop of another kind"),
        };
        let state = self.deriver.names.fresh("state", kind.clone());
        let d_state = self.deriver.names.fresh("d_state", kind.clone());
        self.changes.insert(state.clone(), D { term: name(&*d_state), array: kind.is_array() });
        let both = vec![Pattern::Name(state.clone()), Pattern::Name(d_state)];
        let start = Term::Tuple(vec![init.clone(), self.full(init)?]);
        let term = match over {
            Some(xs) => {
                let x = self.deriver.names.fresh("x", crate::read::element(&self.deriver.names.kind(xs)));
                let element = Pattern::Name(x.clone());
                let (pattern, sequence) = match self.change(xs) {
                    None => (element, xs.clone()),
                    Some(change) => {
                        let change = filled(&self.deriver.names.kind(xs), xs, change);
                        let changes = self.changes_of(&element);
                        (Pattern::Tuple(vec![element, changes]), call("zip", vec![xs.clone(), change]))
                    }
                };
                let body = self.deriver.called(step, vec![name(&*state), name(&*x)], kind);
                let body = self.value_and_change(&as_block(&body))?;
                call("fold", vec![Term::Lambda(vec![Pattern::Tuple(both), pattern], Box::new(body)), start, sequence])
            }
            None => {
                let body = self.deriver.called(step, vec![name(&*state)], kind);
                let body = self.value_and_change(&as_block(&body))?;
                let first = match f {
                    "while_loop" => {
                        let seen = self.deriver.names.fresh("state", Kind::Unknown);
                        let holds = self.deriver.applied(&args[0], vec![name(&*seen)]);
                        Term::Lambda(vec![Pattern::Name(seen), Pattern::Wild], Box::new(holds))
                    }
                    _ => args[0].clone(),
                };
                call(f, vec![first, Term::Lambda(both, Box::new(body)), start])
            }
        };
        self.pair(of, term, out);
        Ok(())
    }

    /// A function of the program, by `f_forward`.
    fn called(&mut self, of: &str, f: &str, args: &[Term], out: &mut Vec<Statement>) -> Result<()> {
        let (forward, changing) = if self.deriver.local(f).is_some() {
            let changing = self.known.get(&own_key(f)).cloned().flatten();
            (self.deriver.names.wishes.get(&own_key(f)).cloned().unwrap_or_default(), changing)
        } else {
            (format!("{}_forward", f.trim_end_matches('\'')), self.function_forward(f))
        };
        let Some(changing) = changing else { return self.refuse("a function that can't be derived") };
        if changing.len() != args.len() {
            return self.refuse("a call with a tuple for several arguments");
        }
        let mut all = args.to_vec();
        for (arg, _) in args.iter().zip(&changing).filter(|(_, changing)| **changing) {
            all.push(self.full(arg)?);
        }
        self.pair(of, call(&forward, all), out);
        Ok(())
    }

    /// Derives a function of the program, once.
    fn function_forward(&mut self, f: &str) -> Option<Vec<bool>> {
        if let Some(known) = self.known.get(f) {
            return known.clone();
        }
        self.known.insert(f.to_string(), None);
        let read = self.deriver.read(f).ok()?;
        let changing: Vec<bool> = read.params.iter().map(|param| self.carries(param)).collect();
        self.known.insert(f.to_string(), Some(changing.clone()));
        let changes = std::mem::take(&mut self.changes);
        let derived = self.function(&read, &changing);
        self.changes = changes;
        match derived {
            Ok((params, body)) => {
                let own = format!("{}_forward", f.trim_end_matches('\''));
                self.deriver.derived.push((own, params, body));
                Some(changing)
            }
            Err(_) => {
                self.known.insert(f.to_string(), None);
                None
            }
        }
    }
}

/// The key of a local function among those that are known.
fn own_key(of: &str) -> String {
    format!("local {of}")
}
