//! Calls run backwards: of the program's functions by theirs, of rules by what they say, of variables by J, of the library by its own lines.

use super::Deriver;
use crate::kind::Kind;
use crate::read::Reader;
use crate::refusal::Result;
use crate::sens::{Part, Sens};
use crate::term::{Pattern, Statement, Term, call, name, position, tuple_pattern};

impl Deriver<'_> {
    #[allow(clippy::too_many_arguments)] // a statement's backward step needs all of its surroundings
    pub(super) fn call(
        &mut self,
        of: &str,
        callee: &Term,
        args: &[Term],
        parts: Vec<Part>,
        forward: &mut Vec<Statement>,
        backward: &mut Vec<Statement>,
        sens: &mut Sens,
    ) -> Result<()> {
        let Some(f) = callee.as_name().map(str::to_string) else { return self.refuse("a call of an expression") };
        if self.locals.contains_key(&f) {
            return self.local_call(of, &f, args, parts, forward, backward, sens);
        }
        if self.names.kinds.contains_key(&f) {
            return self.unknown_call(of, &f, args, parts, forward, backward, sens);
        }
        if self.constructors.contains(&f) {
            return self.constructor(of, &f, args, parts, backward, sens);
        }
        if self.functions.contains_key(&f) {
            if self.has_rule(&f) {
                return self.by_rule(of, &f, args, parts, backward, sens);
            }
            return self.function_call(of, &f, args, parts, forward, backward, sens);
        }
        if self.loops(of, &f, args, &parts, forward, backward, sens)? {
            return Ok(());
        }
        match self.well_known(of, &f, args, &parts, backward, sens)? {
            true => Ok(()),
            false => self.refuse("a function of the library without a template"),
        }
    }

    /// `let (y, back) = f(x)` and, backwards, `let (dx, da) = back(d)`.
    #[allow(clippy::too_many_arguments)]
    fn pair(
        &mut self,
        of: &str,
        called: Term,
        to: &[Term],
        parts: Vec<Part>,
        forward: &mut Vec<Statement>,
        backward: &mut Vec<Statement>,
        sens: &mut Sens,
    ) -> Result<()> {
        let d = self.collapse_full(of, parts, backward)?;
        let back = self.back_name(of);
        let pair = Pattern::Tuple(vec![Pattern::Name(of.to_string()), Pattern::Name(back.clone())]);
        *forward = vec![Statement::Let(pair, called)];
        let mut received = vec![];
        for target in to {
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

    /// A function of the program, by `f_reverse`.
    #[allow(clippy::too_many_arguments)]
    fn function_call(
        &mut self,
        of: &str,
        f: &str,
        args: &[Term],
        parts: Vec<Part>,
        forward: &mut Vec<Statement>,
        backward: &mut Vec<Statement>,
        sens: &mut Sens,
    ) -> Result<()> {
        let Some(places) = self.function_reverse(f) else { return self.refuse("a function that can't be derived") };
        if places.iter().any(|at| *at >= args.len()) {
            return self.refuse("a call with a tuple for several arguments");
        }
        let to: Vec<Term> = places.iter().map(|at| args[*at].clone()).collect();
        if to.iter().all(|arg| !arg.as_name().is_some_and(|name| self.names.carries(name))) {
            return Ok(());
        }
        self.pair(of, call(&reverse_name(f), args.to_vec()), &to, parts, forward, backward, sens)
    }

    /// A local function, by its `f_reverse`: what it captures receives sensitivities, too.
    #[allow(clippy::too_many_arguments)]
    fn local_call(
        &mut self,
        of: &str,
        f: &str,
        args: &[Term],
        parts: Vec<Part>,
        forward: &mut Vec<Statement>,
        backward: &mut Vec<Statement>,
        sens: &mut Sens,
    ) -> Result<()> {
        let (reverse, captured, places) = self.local_reverse(f)?;
        if places.iter().any(|at| *at >= args.len()) {
            return self.refuse("a call with a tuple for several arguments");
        }
        let mut to: Vec<Term> = captured.iter().map(name).collect();
        to.extend(places.iter().map(|at| args[*at].clone()));
        if to.is_empty() {
            return Ok(());
        }
        self.pair(of, call(&reverse, args.to_vec()), &to, parts, forward, backward, sens)
    }

    /// A function that nobody knows but J.
    #[allow(clippy::too_many_arguments)]
    fn unknown_call(
        &mut self,
        of: &str,
        f: &str,
        args: &[Term],
        parts: Vec<Part>,
        forward: &mut Vec<Statement>,
        backward: &mut Vec<Statement>,
        sens: &mut Sens,
    ) -> Result<()> {
        // Where there may be functions inside, J of the argument is due: `vjp` knows.
        let functions =
            args.iter().any(|arg| matches!(self.names.kind(arg), Kind::Function | Kind::Data { .. } | Kind::Mixed));
        if functions || self.names.kind(&name(of)) == Kind::Function {
            return self.refuse("a function of functions");
        }
        let d = self.collapse_full(of, parts, backward)?;
        let back = self.back_name(of);
        let pair = Pattern::Tuple(vec![Pattern::Name(of.to_string()), Pattern::Name(back.clone())]);
        let lifted = call("J", vec![name(f)]);
        *forward = vec![Statement::Let(pair, Term::Call(Box::new(lifted), args.to_vec()))];
        let df = self.sensitivity_name(f, Kind::Unknown);
        let carried: Vec<bool> =
            args.iter().map(|arg| arg.as_name().is_some_and(|name| self.names.carries(name))).collect();
        let mut received = vec![];
        for (arg, carried) in args.iter().zip(&carried) {
            received.push(match arg.as_name() {
                Some(target) if *carried => {
                    let kind = self.names.kind(arg);
                    let bound = self.sensitivity_name(target, kind);
                    sens.add(target, Part::Whole(name(&*bound)));
                    Pattern::Name(bound)
                }
                _ => Pattern::Wild,
            });
        }
        sens.add(f, Part::Whole(name(&*df)));
        let pattern = Pattern::Tuple(vec![Pattern::Name(df), tuple_pattern(received)]);
        backward.push(Statement::Let(pattern, Term::Call(Box::new(name(back)), vec![d])));
        Ok(())
    }

    /// `let Cons(dx, dxs) = d`
    fn constructor(
        &mut self,
        of: &str,
        f: &str,
        args: &[Term],
        parts: Vec<Part>,
        backward: &mut Vec<Statement>,
        sens: &mut Sens,
    ) -> Result<()> {
        let d = self.collapse_full(of, parts, backward)?;
        let mut received = vec![];
        for arg in args {
            let carried = arg.as_name().filter(|target| self.names.carries(target)).map(str::to_string);
            received.push(match carried {
                None => Pattern::Wild,
                Some(target) => {
                    let kind = self.names.kind(arg);
                    let bound = self.sensitivity_name(&target, kind);
                    sens.add(&target, Part::Whole(name(&*bound)));
                    Pattern::Name(bound)
                }
            });
        }
        backward.push(Statement::Let(Pattern::Variant(f.to_string(), Some(received)), d));
        Ok(())
    }

    pub(crate) fn has_rule(&self, f: &str) -> bool {
        self.functions.get(f).is_some_and(|(_, function)| !function.rules.is_empty())
    }

    /// What a rule of the form `reverse x => (y, d => ({}, dx))` says, with the arguments in place; others are left to `vjp`, which uses them.
    fn by_rule(
        &mut self,
        of: &str,
        f: &str,
        args: &[Term],
        parts: Vec<Part>,
        backward: &mut Vec<Statement>,
        sens: &mut Sens,
    ) -> Result<()> {
        let (_, function) = self.functions[f].clone();
        let rule = function.rules.iter().find(|rule| rule.kind == syntax::ast::RuleKind::Reverse).cloned();
        let Some(rule) = rule else { return self.refuse("a rule of another kind") };
        let reader = Reader::new(self.tree, self.facts, &mut self.names, &self.constructors);
        let (params, body) = reader.rule(&rule.params, rule.body)?;
        let Term::Tuple(pair) = body else { return self.refuse("a rule with statements") };
        let [_, Term::Lambda(given, result)] = &pair[..] else {
            return self.refuse("a rule with a named backpropagator");
        };
        let (Term::Tuple(result), [Pattern::Name(given)]) = (crate::tidy::flattened(result), &given[..]) else {
            return self.refuse("a rule with statements");
        };
        let [Term::Record(captures), dx] = &result[..] else { return self.refuse("a rule with captures") };
        let names: Option<Vec<String>> = params
            .iter()
            .map(|param| if let Pattern::Name(name) = param { Some(name.clone()) } else { None })
            .collect();
        let (Some(params), true) = (names, captures.is_empty()) else { return self.refuse("a rule with patterns") };
        if params.len() != args.len() || dx.size() > 60 {
            return self.refuse("a rule that is long");
        }
        let d = self.collapse_full(of, parts, backward)?;
        let mut dx = dx.replace(given, &d);
        for (param, arg) in params.iter().zip(args) {
            dx = dx.replace(param, arg);
        }
        let dx = crate::tidy::simplified(&dx);
        for (at, arg) in args.iter().enumerate() {
            let part = if args.len() == 1 { dx.clone() } else { position(dx.clone(), at) };
            self.give_whole(arg, part, sens);
        }
        Ok(())
    }
}

/// The name of the function that gives the value of f and its backpropagator.
pub(super) fn reverse_name(f: &str) -> String {
    format!("{}_reverse", f.trim_end_matches('\''))
}
