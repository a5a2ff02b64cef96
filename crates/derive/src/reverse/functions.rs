//! Functions of the program: `f_reverse` gives the value of f and its backpropagator, a function from the value's sensitivity to those of
//! the arguments that carry one, and, of a local function, first of what it captures.

use super::calls::reverse_name;
use super::{Deriver, as_block};
use crate::kind::Kind;
use crate::read::{Read, Reader};
use crate::refusal::Result;
use crate::sens::{Part, Sens, filled, whole, zero};
use crate::term::{Arm, Block, Pattern, Ruled, Statement, Term, block, captured_label, name, tuple};

/// A local function.
#[derive(Clone, Debug)]
pub struct Local {
    pub params: Vec<Pattern>,
    pub body: Term,
    /// The function's reverse: its name, what it captures, which arguments receive sensitivities.
    signature: Option<(String, Vec<String>, Vec<usize>)>,
    statement: Option<Statement>,
}

/// What a backpropagator gives.
#[derive(Clone, Debug)]
enum Target {
    Captured(String),
    Param(Pattern),
}

impl Deriver<'_> {
    /// Remembers what a local name is.
    pub(crate) fn learn(&mut self, statement: &Statement) {
        if let Statement::Let(Pattern::Name(of), Term::Call(f, args)) = statement
            && f.as_name() == Some("zip")
        {
            self.zips.insert(of.clone(), args.clone());
        }
        let (of, params, body) = match statement {
            Statement::Fn(of, params, body) => (of, params, body),
            Statement::Let(Pattern::Name(of), Term::Lambda(params, body)) => (of, params, &**body),
            _ => return,
        };
        let local = Local { params: params.clone(), body: body.clone(), signature: None, statement: None };
        self.locals.entry(of.clone()).or_insert(local);
    }

    /// A local function as a term.
    pub(crate) fn local(&self, f: &str) -> Option<Term> {
        self.locals.get(f).map(|local| Term::Lambda(local.params.clone(), Box::new(local.body.clone())))
    }

    /// At the definition of a local function: its reverse goes behind it, and what it received as a value goes to what it captures.
    pub(super) fn function_statement(
        &mut self,
        of: &str,
        body: &Term,
        forward: &mut Vec<Statement>,
        backward: &mut Vec<Statement>,
        sens: &mut Sens,
    ) -> Result<()> {
        if let Some(parts) = sens.take(of) {
            let captured = self.captured(of, body);
            let d = self.collapse_full(of, parts, backward)?;
            for capture in captured {
                sens.add(&capture, Part::Whole(Term::Field(Box::new(d.clone()), captured_label(&capture))));
            }
        }
        if let Some(reverse) = self.locals.get(of).and_then(|local| local.statement.clone()) {
            forward.push(reverse);
        }
        Ok(())
    }

    /// At the definition of a function with a rule: what it received as a value goes to what it captures.
    pub(super) fn ruled_statement(
        &mut self,
        of: &str,
        ruled: &Ruled,
        backward: &mut Vec<Statement>,
        sens: &mut Sens,
    ) -> Result<()> {
        let Some(parts) = sens.take(of) else { return Ok(()) };
        let d = self.collapse_full(of, parts, backward)?;
        let mentioned = ruled.mentions.iter().filter_map(Term::as_name);
        for capture in mentioned.filter(|name| *name != of && self.names.carries(name)) {
            sens.add(capture, Part::Whole(Term::Field(Box::new(d.clone()), captured_label(capture))));
        }
        Ok(())
    }

    /// What a local function captures, through other local functions too.
    fn captured(&self, of: &str, body: &Term) -> Vec<String> {
        let mut captured: Vec<String> = vec![];
        let mut seen = vec![of.to_string()];
        let mut bodies = vec![body.clone()];
        while let Some(body) = bodies.pop() {
            for free in self.free_carrying(&body) {
                match self.locals.get(&free) {
                    Some(local) if !seen.contains(&free) => {
                        seen.push(free.clone());
                        bodies.push(Term::Lambda(local.params.clone(), Box::new(local.body.clone())));
                    }
                    Some(_) => {}
                    None if captured.contains(&free) => {}
                    None => captured.push(free),
                }
            }
        }
        let params: Vec<String> =
            self.locals.get(of).iter().flat_map(|local| local.params.iter().flat_map(Pattern::names)).collect();
        captured.retain(|name| !params.contains(name));
        captured.sort();
        captured
    }

    pub(super) fn local_reverse(&mut self, f: &str) -> Result<(String, Vec<String>, Vec<usize>)> {
        let local = self.locals[f].clone();
        if let Some(signature) = local.signature {
            return Ok(signature);
        }
        let captured = self.captured(f, &local.body);
        let places = self.carrying_places(&local.params);
        let stem = if f.starts_with('%') { "step" } else { f };
        let reverse = self.names.fresh(&reverse_name(stem), Kind::Discrete);
        let signature = (reverse.clone(), captured.clone(), places.clone());
        if let Some(local) = self.locals.get_mut(f) {
            local.signature = Some(signature.clone());
        }
        let copy = Term::Lambda(local.params.clone(), Box::new(local.body.clone()));
        let Term::Lambda(params, body) = self.copied(&copy) else {
            unreachable!("derive: a copy is like its original")
        };
        let mut targets: Vec<Target> = captured.into_iter().map(Target::Captured).collect();
        targets.extend(places.iter().map(|at| Target::Param(params[*at].clone())));
        let body = self.value_and_back(&as_block(&body), &targets)?;
        if let Some(local) = self.locals.get_mut(f) {
            local.statement = Some(Statement::Fn(reverse, params, body));
        }
        Ok(signature)
    }

    /// Derives a function of the program, once: which arguments its backpropagator gives sensitivities of.
    pub(super) fn function_reverse(&mut self, f: &str) -> Option<Vec<usize>> {
        if let Some(known) = self.known.get(f) {
            return known.clone();
        }
        self.known.insert(f.to_string(), None);
        let read = self.read(f).ok()?;
        let places = self.carrying_places(&read.params);
        self.known.insert(f.to_string(), Some(places.clone()));
        let mut params = read.params.clone();
        params.iter_mut().for_each(|param| self.name_parts(param));
        let targets: Vec<Target> = places.iter().map(|at| Target::Param(params[*at].clone())).collect();
        let (locals, last) = (std::mem::take(&mut self.locals), std::mem::take(&mut self.last));
        self.last_line = read.line;
        let body = self.value_and_back(&read.body, &targets);
        (self.locals, self.last) = (locals, last);
        match body {
            Ok(body) => {
                self.derived.push((reverse_name(f), params, body));
                Some(places)
            }
            Err(_) => {
                self.known.insert(f.to_string(), None);
                None
            }
        }
    }

    pub fn read(&mut self, f: &str) -> Result<Read> {
        let (node, function) = self.functions[f].clone();
        Reader::new(self.tree, self.facts, &mut self.names, &self.constructors).function(node, &function)
    }

    fn carrying_places(&self, params: &[Pattern]) -> Vec<usize> {
        let carries = |param: &Pattern| param.names().iter().any(|name| self.names.carries(name));
        (0..params.len()).filter(|at| carries(&params[*at])).collect()
    }

    fn name_parts(&mut self, pattern: &mut Pattern) {
        if !matches!(pattern, Pattern::Wild) {
            self.name_wild(pattern);
        }
    }

    /// A block that gives `(y, d => sensitivities)`.
    fn value_and_back(&mut self, body: &Block, targets: &[Target]) -> Result<Term> {
        if let Some(term) = self.choice_of_backs(body, targets)? {
            return Ok(term);
        }
        let kind = self.names.kind(&body.result);
        let d = self.names.fresh("d", kind);
        let mut sens = Sens::default();
        self.give_whole_to_result(&body.result, name(&*d), &mut sens)?;
        let halves = self.sweep(body, &mut sens)?;
        let received = self.received(targets, &mut sens)?;
        let pull = Term::Lambda(vec![Pattern::Name(d)], Box::new(block(halves.backward, tuple(received))));
        Ok(block(halves.forward, Term::Tuple(vec![(*body.result).clone(), pull])))
    }

    fn received(&mut self, targets: &[Target], sens: &mut Sens) -> Result<Vec<Term>> {
        let mut received = vec![];
        for target in targets {
            received.push(match target {
                Target::Captured(of) => match sens.take(of) {
                    None => zero(&self.names, of),
                    Some(parts) => {
                        let d = whole(&mut self.names, of, parts)?;
                        filled(&self.names.kind(&name(&**of)), &name(&**of), d)
                    }
                },
                Target::Param(pattern) => self.built(pattern, sens)?,
            });
        }
        Ok(received)
    }

    /// A choice as the only thing that a function does: each way gives its own value and backpropagator.
    fn choice_of_backs(&mut self, body: &Block, targets: &[Target]) -> Result<Option<Term>> {
        let Some((Statement::Let(Pattern::Name(of), chosen), before)) = body.statements.split_last() else {
            return Ok(None);
        };
        let plain = before.iter().all(|statement| match statement {
            Statement::Let(pattern, _) => pattern.names().iter().all(|name| !self.names.carries(name)),
            Statement::Fn(..) => false,
            Statement::Comment(_) => true,
        });
        if !plain || body.result.as_name() != Some(of) {
            return Ok(None);
        }
        let term = match chosen {
            Term::If(condition, then, otherwise) => {
                let then = self.value_and_back(&as_block(then), targets)?;
                let otherwise = self.value_and_back(&as_block(otherwise), targets)?;
                Term::If(condition.clone(), Box::new(then), Box::new(otherwise))
            }
            Term::Match(scrutinee, arms) => {
                let mut derived = vec![];
                for arm in arms {
                    let mut pattern = arm.pattern.clone();
                    self.name_parts(&mut pattern);
                    let body = self.arm_and_back(scrutinee, &pattern, &as_block(&arm.body), targets)?;
                    derived.push(Arm { pattern, guard: arm.guard.clone(), body });
                }
                Term::Match(scrutinee.clone(), derived)
            }
            _ => return Ok(None),
        };
        Ok(Some(block(before.to_vec(), term)))
    }

    fn arm_and_back(&mut self, of: &Term, pattern: &Pattern, body: &Block, targets: &[Target]) -> Result<Term> {
        let kind = self.names.kind(&body.result);
        let d = self.names.fresh("d", kind);
        let mut sens = Sens::default();
        self.give_whole_to_result(&body.result, name(&*d), &mut sens)?;
        let halves = self.sweep(body, &mut sens)?;
        if let Some(term) = self.pattern_sensitivity(pattern, &mut sens)? {
            self.give_whole(of, term, &mut sens);
        }
        let received = self.received(targets, &mut sens)?;
        let pull = Term::Lambda(vec![Pattern::Name(d)], Box::new(block(halves.backward, tuple(received))));
        Ok(block(halves.forward, Term::Tuple(vec![(*body.result).clone(), pull])))
    }

    /// The gradient of a function whose result is a number: `None` for arguments without a derivative.
    pub fn gradient(&mut self, read: &Read, wanted: &[bool]) -> Result<Term> {
        self.last_line = read.line;
        if let Some(of) = read.body.result.as_name() {
            let uses = read.body.statements.iter().filter(|statement| match statement {
                Statement::Let(_, term) | Statement::Fn(_, _, term) => term.names().contains(of),
                Statement::Comment(_) => false,
            });
            if uses.count() == 0 {
                self.last.insert(of.to_string());
            }
        }
        let mut sens = Sens::default();
        self.give_whole(&read.body.result, crate::simplify::ONE, &mut sens);
        let halves = self.sweep(&read.body, &mut sens)?;
        let mut received = vec![];
        for (param, _) in read.params.iter().zip(wanted).filter(|(_, wanted)| **wanted) {
            received.push(match param {
                Pattern::Wild => Term::Tuple(vec![]),
                param => self.built(param, &mut sens)?,
            });
        }
        Ok(block([halves.forward, halves.backward].concat(), tuple(received)))
    }

    /// The value and the backpropagator of a function, for all of its arguments that carry a sensitivity and are wanted.
    pub fn reverse_of(&mut self, read: &Read, wanted: &[bool]) -> Result<Term> {
        self.last_line = read.line;
        let targets = read.params.iter().zip(wanted).filter(|(_, wanted)| **wanted);
        let targets: Vec<Target> = targets.map(|(param, _)| Target::Param(param.clone())).collect();
        self.value_and_back(&read.body, &targets)
    }
}
