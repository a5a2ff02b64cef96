//! `if` and `match` run backwards: the same choice again, between the derivatives of the ways.
//!
//! A way that is cheap is computed again in the backward half. Otherwise the choice gives its backpropagator beside its value.

use super::{Deriver, as_block, bound_names};
use crate::refusal::Result;
use crate::sens::{Part, Sens, filled, whole, zero};
use crate::term::{Arm, Pattern, Statement, Term, block, name, tuple, tuple_pattern};

pub(super) enum Choice {
    If(Term),
    Match(Term),
}

/// A pattern and a guard, of a `match`, and what is computed there.
pub(super) type Way = (Option<Pattern>, Option<Term>, Term);

impl Deriver<'_> {
    #[allow(clippy::too_many_arguments)] // a statement's backward step needs all of its surroundings
    pub(super) fn branches(
        &mut self,
        of: &str,
        choice: Choice,
        mut ways: Vec<Way>,
        parts: Vec<Part>,
        forward: &mut Vec<Statement>,
        backward: &mut Vec<Statement>,
        sens: &mut Sens,
    ) -> Result<()> {
        let d = self.collapse_full(of, parts, backward)?;
        for (pattern, _, _) in &mut ways {
            pattern.iter_mut().for_each(|pattern| self.name_wild(pattern));
        }
        // With a backpropagator, d is its parameter.
        let heavy = ways.iter().any(|(_, _, body)| self.is_heavy(body)) && !self.is_last(of);
        let seed = if heavy {
            let kind = self.names.kind(&name(of));
            name(self.sensitivity_name(of, kind))
        } else {
            d.clone()
        };
        if self.is_last(of) {
            self.last
                .extend(ways.iter().filter_map(|(_, _, body)| as_block(body).result.as_name().map(str::to_string)));
        }
        let mut swept = vec![];
        for (pattern, _, body) in &ways {
            let body = as_block(body);
            let mut inner = Sens::default();
            self.give_whole_to_result(&body.result, seed.clone(), &mut inner)?;
            let halves = self.sweep(&body, &mut inner)?;
            if let (Choice::Match(scrutinee), Some(pattern)) = (&choice, pattern)
                && let Some(term) = self.pattern_sensitivity(pattern, &mut inner)?
            {
                self.give_whole(scrutinee, term, &mut inner);
            }
            swept.push((halves, *body.result, inner));
        }
        let mut targets: Vec<String> = swept.iter().flat_map(|(_, _, inner)| inner.0.keys().cloned()).collect();
        targets.sort();
        targets.dedup();
        let inside: Vec<String> = ways.iter().flat_map(|(_, _, body)| bound_names(body)).collect();
        targets.retain(|target| !inside.contains(target) && self.names.carries(target));
        if targets.is_empty() {
            return Ok(());
        }
        let mut bodies = vec![];
        for (halves, result, mut inner) in swept {
            let mut received = vec![];
            for target in &targets {
                received.push(match inner.take(target) {
                    None => zero(&self.names, target),
                    Some(parts) => {
                        let d = whole(&mut self.names, target, parts)?;
                        filled(&self.names.kind(&name(&**target)), &name(&**target), d)
                    }
                });
            }
            bodies.push(match (heavy, seed.as_name()) {
                (true, Some(d)) => {
                    let pull = Term::Lambda(
                        vec![Pattern::Name(d.to_string())],
                        Box::new(block(halves.backward, tuple(received))),
                    );
                    block(halves.forward, Term::Tuple(vec![result, pull]))
                }
                _ => block([halves.forward, halves.backward].concat(), tuple(received)),
            });
        }
        let chosen = rebuilt(choice, ways, bodies);
        let mut bound = vec![];
        for target in &targets {
            let kind = self.names.kind(&name(&**target));
            let fresh = self.sensitivity_name(target, kind);
            sens.add(target, Part::Whole(name(&*fresh)));
            bound.push(Pattern::Name(fresh));
        }
        if heavy {
            let back = self.back_name(of);
            let pair = Pattern::Tuple(vec![Pattern::Name(of.to_string()), Pattern::Name(back.clone())]);
            *forward = vec![Statement::Let(pair, chosen)];
            backward.push(Statement::Let(tuple_pattern(bound), Term::Call(Box::new(name(back)), vec![d])));
        } else {
            backward.push(Statement::Let(tuple_pattern(bound), chosen));
        }
        Ok(())
    }

    /// The result of a block receives a sensitivity of its own shape.
    pub(super) fn give_whole_to_result(&mut self, result: &Term, d: Term, inner: &mut Sens) -> Result<()> {
        match result {
            Term::Tuple(items) => {
                for (at, item) in items.iter().enumerate() {
                    self.give_whole_to_result(item, crate::term::position(d.clone(), at), inner)?;
                }
            }
            result => self.give_whole(result, d, inner),
        }
        Ok(())
    }

    /// Does computing it again cost more than a few operations?
    fn is_heavy(&self, term: &Term) -> bool {
        let own = match term {
            Term::Call(f, _) => match f.as_name() {
                Some(f) => {
                    !crate::rules::ELEMENTWISE.contains(&f) && !CHEAP.contains(&f) && !self.constructors.contains(f)
                }
                None => true,
            },
            _ => false,
        };
        let mut heavy = own;
        term.each_child(&mut |child| heavy = heavy || self.is_heavy(child));
        heavy
    }

    /// Is it the result of the function, whose value nobody needs in its gradient?
    fn is_last(&self, of: &str) -> bool {
        self.last.contains(of)
    }

    pub(super) fn name_wild(&mut self, pattern: &mut Pattern) {
        match pattern {
            Pattern::Wild => *pattern = Pattern::Name(self.names.fresh("rest", crate::kind::Kind::Unknown)),
            Pattern::Name(_) | Pattern::Literal(_) => {}
            Pattern::Tuple(parts) | Pattern::Array(parts) => parts.iter_mut().for_each(|part| self.name_wild(part)),
            Pattern::Record(fields) => fields.iter_mut().for_each(|(_, part)| self.name_wild(part)),
            // The pattern `_` for a whole stays: it has no parts.
            Pattern::Variant(_, args) => args.iter_mut().flatten().for_each(|part| self.name_wild(part)),
        }
    }
}

const CHEAP: &[&str] =
    &["len", "shape", "floor", "int", "min", "max", "minimum", "maximum", "relu", "sign", "div", "mod"];

fn rebuilt(choice: Choice, ways: Vec<Way>, mut bodies: Vec<Term>) -> Term {
    match choice {
        Choice::If(condition) => {
            let otherwise = bodies.swap_remove(1);
            Term::If(Box::new(condition), Box::new(bodies.swap_remove(0)), Box::new(otherwise))
        }
        Choice::Match(scrutinee) => {
            let arms = ways.into_iter().zip(bodies).map(|((pattern, guard, _), body)| Arm {
                pattern: pattern.unwrap_or(Pattern::Wild),
                guard,
                body,
            });
            Term::Match(Box::new(scrutinee), arms.collect())
        }
    }
}
