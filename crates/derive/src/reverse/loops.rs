//! Loops run backwards, as loops: comprehensions and `map` by comprehensions, sums or folds with visible accumulators; `fold`, `iterate` and
//! `while_loop` by a trail of their states, walked from the last to the first.

use super::{Deriver, as_block, bound_names};
use crate::kind::Kind;
use crate::refusal::Result;
use crate::sens::{D, Part, Sens, plus, whole, zero};
use crate::simplify::add;
use crate::term::{At, Block, Each, Op, Pattern, Place, Statement, Term, block, call, name, op, tuple, tuple_pattern};

/// What one turn of a loop gives: statements, sensitivities of elements (which clause, of which array), and those of variables outside.
struct Turn {
    statements: Vec<Statement>,
    elements: Vec<(usize, String, Term)>,
    outside: Vec<(String, Vec<Part>)>,
}

impl Deriver<'_> {
    pub(super) fn each(
        &mut self,
        of: &str,
        each: &Each,
        parts: Vec<Part>,
        backward: &mut Vec<Statement>,
        sens: &mut Sens,
    ) -> Result<()> {
        if each.filter.is_some() || !self.names.kind(&name(of)).is_array() {
            return self.refuse("a comprehension of this kind");
        }
        let d = self.collapse(of, parts, backward)?;
        let seed = match d.array {
            false => d.term.clone(),
            true => name(self.names.fresh("d", crate::read::element(&self.names.kind(&name(of))))),
        };
        let body = as_block(&each.body);
        let mut inner = Sens::default();
        let element_is_array = self.names.kind(&body.result).is_array();
        self.give(&body.result, D { term: seed.clone(), array: d.array && element_is_array }, &mut inner)?;
        let halves = self.sweep(&body, &mut inner)?;
        let mut elements = vec![];
        for (at, clause) in each.clauses.iter().enumerate() {
            for (pattern, source) in self.sources(clause) {
                let Some(source) = source.as_name().map(str::to_string) else { continue };
                if let Some(term) = self.pattern_sensitivity(&pattern, &mut inner)?
                    && self.names.carries(&source)
                {
                    elements.push((at, source, term));
                }
            }
        }
        let bound = bound_names(&Term::Each(Box::new(each.clone())));
        let outside = inner.0.into_iter().filter(|(name, _)| !bound.contains(name) && self.names.carries(name));
        let statements = [halves.forward, halves.backward].concat();
        let turn = Turn { statements, elements, outside: outside.collect() };
        if turn.elements.is_empty() && turn.outside.is_empty() {
            return Ok(());
        }
        let given = d.array.then_some((d.term, seed));
        if let [clause] = &each.clauses[..]
            && let Some(results) = self.one_by_one(clause, &turn, given.as_ref())?
        {
            results.into_iter().for_each(|(to, term)| sens.add(&to, Part::Whole(term)));
            return Ok(());
        }
        self.accumulated(&each.clauses, turn, given, backward, sens)
    }

    /// The arrays whose elements a clause binds: several if they are zipped.
    fn sources(&self, (pattern, source): &(Pattern, Term)) -> Vec<(Pattern, Term)> {
        match (pattern, source.as_name().and_then(|source| self.zips.get(source))) {
            (Pattern::Tuple(patterns), Some(zipped)) if patterns.len() == zipped.len() => {
                patterns.iter().cloned().zip(zipped.iter().cloned()).collect()
            }
            _ => vec![(pattern.clone(), source.clone())],
        }
    }

    /// Each sensitivity by itself, from one clause: comprehensions, and sums of numbers. Several only if each is one expression.
    fn one_by_one(
        &mut self,
        clause: &(Pattern, Term),
        turn: &Turn,
        given: Option<&(Term, Term)>,
    ) -> Result<Option<Vec<(String, Term)>>> {
        let mut results = vec![];
        let mut bodies = vec![];
        for (_, source, element) in &turn.elements {
            if !self.names.kind(&name(&**source)).is_array() {
                return Ok(None);
            }
            bodies.push((source.clone(), element.clone(), false));
        }
        for (of, parts) in &turn.outside {
            let kind = self.names.kind(&name(&**of));
            match &parts[..] {
                _ if kind == Kind::Real => {
                    let d = whole(&mut self.names, of, parts.clone())?;
                    bodies.push((of.clone(), d.term, true));
                }
                // Every element of an array, once.
                [Part::At(at, term)] if kind == Kind::Reals(1) && covers(clause, of, at) => {
                    bodies.push((of.clone(), term.clone(), false));
                }
                _ => return Ok(None),
            }
        }
        let several = bodies.len() > 1;
        for (of, body, is_sum) in bodies {
            let Some(generator) = self.generator(clause, turn, given, body, several) else { return Ok(None) };
            results.push((of, if is_sum { call("sum", vec![generator]) } else { generator }));
        }
        Ok(Some(results))
    }

    fn generator(
        &self,
        (pattern, source): &(Pattern, Term),
        turn: &Turn,
        given: Option<&(Term, Term)>,
        body: Term,
        several: bool,
    ) -> Option<Term> {
        let mut body = crate::tidy::tidied(&block(turn.statements.clone(), body), &self.names);
        if several && matches!(body, Term::Block(_)) {
            return None;
        }
        let used = body.names();
        let mut sources = self.sources(&(pattern.clone(), source.clone()));
        if sources.len() > 1 {
            sources.retain(|(pattern, _)| pattern.names().iter().any(|name| used.contains(name)));
        }
        let (mut pattern, mut source) = match &sources[..] {
            [(pattern, source)] => (pattern.clone(), source.clone()),
            _ => (pattern.clone(), source.clone()),
        };
        if let Some((d, seed)) = given
            && used.contains(seed.as_name()?)
        {
            let seed = seed.as_name()?.to_string();
            match &source {
                Term::Op(Op::Range, from, _) => {
                    let Pattern::Name(i) = &pattern else { return None };
                    body = crate::tidy::simplified(&body.replace(&seed, &shifted(d, i, from)));
                }
                _ => {
                    pattern = Pattern::Tuple(vec![pattern, Pattern::Name(seed)]);
                    source = call("zip", vec![source, d.clone()]);
                }
            }
        }
        Some(Term::Each(Box::new(Each { body, clauses: vec![(pattern, source)], filter: None })))
    }

    /// Several sensitivities: a fold over the indices, with an accumulator for each.
    fn accumulated(
        &mut self,
        clauses: &[(Pattern, Term)],
        turn: Turn,
        given: Option<(Term, Term)>,
        backward: &mut Vec<Statement>,
        sens: &mut Sens,
    ) -> Result<()> {
        let mut indices = vec![];
        let mut places = vec![];
        let mut statements = vec![];
        for (pattern, source) in clauses {
            let (index, sequence, place) = match source {
                Term::Op(Op::Range, from, to) => {
                    let index = match pattern {
                        Pattern::Name(i) => i.clone(),
                        _ => self.names.fresh("i", Kind::Discrete),
                    };
                    let place = crate::simplify::sub(name(&*index), (**from).clone());
                    (index, counted(from, to), place)
                }
                _ => {
                    let index = self.names.fresh("i", Kind::Discrete);
                    let sources = self.sources(&(pattern.clone(), source.clone()));
                    let length = call("len", vec![sources[0].1.clone()]);
                    for (pattern, source) in sources {
                        let element = Term::Index(Box::new(source), vec![At::One(name(&*index))]);
                        statements.push(Statement::Let(pattern, element));
                    }
                    let place = name(&*index);
                    (index, call("iota", vec![length]), place)
                }
            };
            indices.push((index, sequence));
            places.push(place);
        }
        if let Some((d, seed)) = given
            && let Some(seed) = seed.as_name()
        {
            let at = places.iter().cloned().map(At::One).collect();
            statements.push(Statement::Let(Pattern::Name(seed.to_string()), Term::Index(Box::new(d), at)));
        }
        statements.extend(turn.statements);
        let mut to: Vec<(String, Vec<Part>)> = turn.outside;
        for (clause, source, element) in turn.elements {
            if !self.names.kind(&name(&*source)).is_array() {
                return self.refuse("elements that aren't reals");
            }
            let part = Part::At(vec![At::One(places[clause].clone())], element);
            match to.iter_mut().find(|(known, _)| *known == source) {
                Some((_, parts)) => parts.push(part),
                None => to.push((source, vec![part])),
            }
        }
        let (accumulators, updated) = self.updates(&to, &mut statements)?;
        let turn = block(statements, tuple(updated));
        let zeros = tuple(to.iter().map(|(of, _)| zero(&self.names, of)).collect());
        let fold = self.nested_folds(&indices, accumulators, turn, zeros);
        let mut bound = vec![];
        for (of, _) in &to {
            let kind = self.names.kind(&name(&**of));
            let fresh = self.sensitivity_name(of, kind);
            sens.add(of, Part::Whole(name(&*fresh)));
            bound.push(Pattern::Name(fresh));
        }
        backward.push(Statement::Let(tuple_pattern(bound), fold));
        Ok(())
    }

    fn nested_folds(
        &mut self,
        indices: &[(String, Term)],
        accumulators: Vec<Pattern>,
        turn: Term,
        zeros: Term,
    ) -> Term {
        let mut term = turn;
        let mut pattern = tuple_pattern(accumulators);
        for (at, (index, sequence)) in indices.iter().enumerate().rev() {
            let step = Term::Lambda(vec![pattern, Pattern::Name(index.clone())], Box::new(term));
            let (start, outer) = match at {
                0 => (zeros.clone(), Pattern::Wild),
                _ => {
                    let sums = self.names.fresh("sums", Kind::Unknown);
                    (name(&*sums), Pattern::Name(sums))
                }
            };
            term = call("fold", vec![step, start, sequence.clone()]);
            pattern = outer;
        }
        term
    }

    /// Accumulators for these variables, and what they are after a turn.
    fn updates(
        &mut self,
        to: &[(String, Vec<Part>)],
        statements: &mut Vec<Statement>,
    ) -> Result<(Vec<Pattern>, Vec<Term>)> {
        let mut accumulators = vec![];
        let mut updated = vec![];
        for (of, parts) in to {
            let kind = self.names.kind(&name(&**of));
            if kind == Kind::Mixed {
                return self.refuse("a value of more than one kind");
            }
            let accumulator = self.sensitivity_name(of, kind.clone());
            let mut current = name(&*accumulator);
            accumulators.push(Pattern::Name(accumulator.clone()));
            for part in parts {
                current = match part {
                    Part::Whole(term) | Part::Fill(term) => plus(&kind, current, term.clone()),
                    Part::At(at, term) => {
                        if current.as_name().is_none() {
                            let bound = self.sensitivity_name(of, kind.clone());
                            statements.push(Statement::Let(Pattern::Name(bound.clone()), current));
                            current = name(bound);
                        }
                        let before = Term::Index(Box::new(current.clone()), at.clone());
                        let after = (Place::At(at.clone()), add(before, term.clone()));
                        Term::With(Box::new(current), vec![after])
                    }
                    part => {
                        let d = whole(&mut self.names, of, vec![part.clone()])?;
                        plus(&kind, current, d.term)
                    }
                };
            }
            updated.push(current);
        }
        Ok((accumulators, updated))
    }

    /// `map`, `fold`, `iterate` and `while_loop`; false for other functions.
    #[allow(clippy::too_many_arguments)] // a statement's backward step needs all of its surroundings
    pub(super) fn loops(
        &mut self,
        of: &str,
        f: &str,
        args: &[Term],
        parts: &[Part],
        forward: &mut Vec<Statement>,
        backward: &mut Vec<Statement>,
        sens: &mut Sens,
    ) -> Result<bool> {
        match (f, args) {
            ("map", [step, xs]) if self.names.kind(&name(of)).is_array() => {
                let kind = crate::read::element(&self.names.kind(xs));
                let x = self.names.fresh("x", kind);
                let body = self.called(step, vec![name(&*x)], crate::read::element(&self.names.kind(&name(of))));
                let each = Each { body, clauses: vec![(Pattern::Name(x), xs.clone())], filter: None };
                self.each(of, &each, parts.to_vec(), backward, sens)?;
            }
            ("fold" | "reduce", [step, init, xs]) => {
                let kind = self.names.kind(xs);
                if !kind.is_array() && kind != Kind::Discrete {
                    return self.refuse("a fold over something that isn't an array of numbers");
                }
                let shape = Loop { f, step, init, over: Some(xs), extra: None };
                self.trail(of, &shape, parts, forward, backward, sens)?;
            }
            ("iterate", [n, step, init]) => {
                let shape = Loop { f, step, init, over: None, extra: Some(n) };
                self.trail(of, &shape, parts, forward, backward, sens)?;
            }
            ("while_loop", [condition, step, init]) => {
                let shape = Loop { f, step, init, over: None, extra: Some(condition) };
                self.trail(of, &shape, parts, forward, backward, sens)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A call as a body of its own.
    pub(crate) fn called(&mut self, f: &Term, args: Vec<Term>, kind: Kind) -> Term {
        match self.applied(f, args) {
            Term::Call(f, args) => {
                let result = self.names.unnamed(kind);
                let statement = Statement::Let(Pattern::Name(result.clone()), Term::Call(f, args));
                Term::Block(Block { statements: vec![statement], result: Box::new(name(result)) })
            }
            other => other,
        }
    }

    /// A loop over states: forwards it remembers them where they are needed; backwards it walks over them from the last.
    fn trail(
        &mut self,
        of: &str,
        shape: &Loop,
        parts: &[Part],
        forward: &mut Vec<Statement>,
        backward: &mut Vec<Statement>,
        sens: &mut Sens,
    ) -> Result<()> {
        let kind = self.names.kind(&name(of));
        if matches!(kind, Kind::Mixed | Kind::Unknown | Kind::Function) {
            return self.refuse("a loop whose state is of more than one kind");
        }
        let d = self.collapse_full(of, parts.to_vec(), backward)?;
        let state = self.names.fresh("state", kind.clone());
        let element = shape.over.map(|xs| {
            let kind = crate::read::element(&self.names.kind(xs));
            self.names.fresh("x", kind)
        });
        let arguments = [Some(name(&*state)), element.as_ref().map(name)].into_iter().flatten().collect();
        let body = as_block(&self.called(shape.step, arguments, kind.clone()));
        let d_state = self.names.fresh("d_state", kind.clone());
        let mut inner = Sens::default();
        self.give_whole_to_result(&body.result, name(&*d_state), &mut inner)?;
        let halves = self.sweep(&body, &mut inner)?;
        let before = match inner.take(&state) {
            None => zero(&self.names, &state),
            Some(parts) => {
                let d = whole(&mut self.names, &state, parts)?;
                crate::sens::filled(&kind, &name(&*state), d)
            }
        };
        let mut statements = [halves.forward, halves.backward].concat();
        let bound = bound_names(&Term::Block(body));
        let element_parts = element.as_ref().and_then(|x| inner.take(x));
        let outside = inner.0.into_iter().filter(|(name, _)| !bound.contains(name) && self.names.carries(name));
        let mut to: Vec<(String, Vec<Part>)> = outside.collect();
        let index = self.names.fresh("i", Kind::Discrete);
        if let (Some(parts), Some(x), Some(xs)) = (element_parts, &element, shape.over)
            && let Some(source) = xs.as_name().filter(|xs| self.names.carries(xs))
        {
            let d = whole(&mut self.names, x, parts)?;
            to.push((source.to_string(), vec![Part::At(vec![At::One(name(&*index))], d.term)]));
        }
        let (accumulators, updated) = self.updates(&to, &mut statements)?;
        let after = tuple([vec![before], updated].concat());
        let tidied = crate::tidy::tidied(&block(statements, after), &self.names);
        let used = tidied.names();
        let needs_state = used.contains(&state) || shape.f == "while_loop";
        let needs_index = used.contains(&index) || element.as_ref().is_some_and(|x| used.contains(x));
        let walk = Walk { state, element, d_state, index, needs_state, needs_index, accumulators };
        let result = self.walk_back(shape, walk, tidied, &to, d, of, forward);
        let mut bound = vec![];
        let d_init = self.sensitivity_name(shape.init.as_name().unwrap_or("start"), kind);
        self.give_whole(shape.init, name(&*d_init), sens);
        bound.push(Pattern::Name(d_init));
        for (of, _) in &to {
            let kind = self.names.kind(&name(&**of));
            let fresh = self.sensitivity_name(of, kind);
            sens.add(of, Part::Whole(name(&*fresh)));
            bound.push(Pattern::Name(fresh));
        }
        if needs_state && needs_index {
            bound.push(Pattern::Wild);
        }
        backward.push(Statement::Let(tuple_pattern(bound), result));
        Ok(())
    }

    /// The backward loop; the forward one is changed if it has to remember its states.
    #[allow(clippy::too_many_arguments)]
    fn walk_back(
        &mut self,
        shape: &Loop,
        walk: Walk,
        turn: Term,
        to: &[(String, Vec<Part>)],
        d: Term,
        of: &str,
        forward: &mut Vec<Statement>,
    ) -> Term {
        let Walk { state, element, d_state, index, needs_state, needs_index, accumulators } = walk;
        let mut start = vec![d];
        start.extend(to.iter().map(|(of, _)| zero(&self.names, of)));
        let mut carried = vec![Pattern::Name(d_state)];
        carried.extend(accumulators);
        let mut turn = turn;
        if let (Some(x), Some(xs), true) = (&element, shape.over, needs_index) {
            let at = vec![At::One(name(&*index))];
            let read = Statement::Let(Pattern::Name(x.clone()), Term::Index(Box::new(xs.clone()), at));
            let Block { statements, result } = as_block(&turn);
            turn = block([vec![read], statements].concat(), *result);
        }
        if !needs_state {
            let sequence = match (shape.over, shape.extra) {
                (Some(xs), _) => call("reversed", vec![call("iota", vec![call("len", vec![xs.clone()])])]),
                (None, Some(n)) => {
                    let step = Term::Lambda(carried, Box::new(turn));
                    return call("iterate", vec![n.clone(), step, tuple(start)]);
                }
                (None, None) => unreachable!("derive: a loop over nothing"),
            };
            let step = Term::Lambda(vec![tuple_pattern(carried), Pattern::Name(index)], Box::new(turn));
            return call("fold", vec![step, tuple(start), sequence]);
        }
        let trail = self.remember(shape, of, forward);
        if let (true, Some(xs)) = (needs_index, shape.over) {
            carried.push(Pattern::Name(index.clone()));
            start.push(crate::simplify::sub(call("len", vec![xs.clone()]), Term::Int(1)));
            let Block { statements, result } = as_block(&turn);
            let mut parts = if let Term::Tuple(parts) = *result { parts } else { vec![*result] };
            parts.push(op(Op::Subtract, name(index), Term::Int(1)));
            turn = block(statements, Term::Tuple(parts));
        }
        let step = Term::Lambda(vec![tuple_pattern(carried), Pattern::Name(state)], Box::new(turn));
        call("fold", vec![step, tuple(start), name(trail)])
    }

    /// Changes the forward loop so that it also gives the list of its states, the last one first: the name of the list.
    fn remember(&mut self, shape: &Loop, of: &str, forward: &mut Vec<Statement>) -> String {
        let kind = self.names.kind(&name(of));
        let state = self.names.fresh("state", kind);
        let inside = self.names.fresh("trail", Kind::Discrete);
        let longer = call("Cons", vec![name(&*state), name(&*inside)]);
        let pair = vec![Pattern::Name(state.clone()), Pattern::Name(inside)];
        let start = Term::Tuple(vec![shape.init.clone(), name("Nil")]);
        let looped = match (shape.over, shape.f, shape.extra) {
            (Some(xs), _, _) => {
                let x = self.names.fresh("x", Kind::Unknown);
                let next = self.applied(shape.step, vec![name(&*state), name(&*x)]);
                let params = vec![Pattern::Tuple(pair), Pattern::Name(x)];
                let step = Term::Lambda(params, Box::new(Term::Tuple(vec![next, longer])));
                call("fold", vec![step, start, xs.clone()])
            }
            (None, f, extra) => {
                let next = self.applied(shape.step, vec![name(&*state)]);
                let step = Term::Lambda(pair, Box::new(Term::Tuple(vec![next, longer])));
                let extra = extra.cloned().unwrap_or(Term::Int(0));
                let extra = match f {
                    "while_loop" => {
                        let seen = self.names.fresh("state", Kind::Unknown);
                        let holds = self.applied(&extra, vec![name(&*seen)]);
                        Term::Lambda(vec![Pattern::Name(seen), Pattern::Wild], Box::new(holds))
                    }
                    _ => extra,
                };
                call(f, vec![extra, step, start])
            }
        };
        let trail = self.names.fresh("trail", Kind::Discrete);
        let both = Pattern::Tuple(vec![Pattern::Name(of.to_string()), Pattern::Name(trail.clone())]);
        *forward = vec![Statement::Let(both, looped)];
        trail
    }
}

/// A loop over states.
struct Loop<'a> {
    f: &'a str,
    step: &'a Term,
    init: &'a Term,
    /// What it goes through.
    over: Option<&'a Term>,
    /// How often, or for how long.
    extra: Option<&'a Term>,
}

/// What a loop needs on its way back.
struct Walk {
    state: String,
    element: Option<String>,
    d_state: String,
    index: String,
    needs_state: bool,
    needs_index: bool,
    accumulators: Vec<Pattern>,
}

/// Does a clause go once through all indices of an array, and is this its index?
fn covers((pattern, source): &(Pattern, Term), of: &str, at: &[At]) -> bool {
    match (pattern, source) {
        (Pattern::Name(i), Term::Op(Op::Range, from, to)) => {
            **from == Term::Int(0) && **to == call("len", vec![name(of)]) && at == [At::One(name(&**i))]
        }
        _ => false,
    }
}

/// `d[i]` for the element that belongs to i in a range.
fn shifted(d: &Term, i: &str, from: &Term) -> Term {
    let at = crate::simplify::sub(name(i), from.clone());
    Term::Index(Box::new(d.clone()), vec![At::One(at)])
}

/// The ints of a range.
fn counted(from: &Term, to: &Term) -> Term {
    match from {
        Term::Int(0) => call("iota", vec![to.clone()]),
        _ => Term::Each(Box::new(Each {
            body: name("k"),
            clauses: vec![(Pattern::Name("k".to_string()), op(Op::Range, from.clone(), to.clone()))],
            filter: None,
        })),
    }
}
