//! The sensitivities that a sweep has found so far, by variable, in parts that are put together when they are needed.

use std::collections::BTreeMap;

use crate::kind::Kind;
use crate::read::Names;
use crate::refusal::{Refusal, Result};
use crate::simplify::{ONE, ZERO, add};
use crate::term::{At, Op, Place, Term, call, name, op};

/// One contribution to a variable's sensitivity.
#[derive(Clone, PartialEq, Debug)]
pub enum Part {
    Whole(Term),
    /// The same number for each element of an array.
    Fill(Term),
    /// At these indices of an array, zero elsewhere.
    At(Vec<At>, Term),
    Position(u32, Box<Part>),
    Field(String, Box<Part>),
}

/// A sensitivity: a term, and whether it is an array. A number may stand for an array that has it everywhere.
#[derive(Clone, PartialEq, Debug)]
pub struct D {
    pub term: Term,
    pub array: bool,
}

#[derive(Clone, Default, Debug)]
pub struct Sens(pub BTreeMap<String, Vec<Part>>);

impl Sens {
    pub fn add(&mut self, to: &str, part: Part) {
        self.0.entry(to.to_string()).or_default().push(part);
    }

    pub fn take(&mut self, of: &str) -> Option<Vec<Part>> {
        self.0.remove(of)
    }
}

/// The zero of a variable.
pub fn zero(names: &Names, of: &str) -> Term {
    zero_like(&names.kind(&name(of)), name(of))
}

fn zero_like(kind: &Kind, of: Term) -> Term {
    match kind {
        Kind::Real => ZERO,
        Kind::Discrete => Term::Tuple(vec![]),
        _ => call("zero", vec![of]),
    }
}

/// Two sensitivities of one kind.
pub fn plus(kind: &Kind, a: Term, b: Term) -> Term {
    match kind {
        Kind::Real | Kind::Reals(_) => add(a, b),
        _ => op(Op::Plus, a, b),
    }
}

/// All parts together, as the sensitivity of the variable.
pub fn whole(names: &mut Names, of: &str, parts: Vec<Part>) -> Result<D> {
    let kind = names.kind(&name(of));
    put_together(names, &kind, &name(of), parts)
}

fn put_together(names: &mut Names, kind: &Kind, of: &Term, parts: Vec<Part>) -> Result<D> {
    if let [Part::Fill(term)] = &parts[..] {
        return Ok(D { term: term.clone(), array: false });
    }
    let mut total: Option<D> = None;
    let mut inside: BTreeMap<u32, Vec<Part>> = BTreeMap::new();
    let mut fields: BTreeMap<String, Vec<Part>> = BTreeMap::new();
    let mut placed = vec![];
    for part in parts {
        match part {
            Part::Whole(term) => total = Some(sum(kind, total, term, kind.is_array())),
            Part::Fill(term) => total = Some(sum(kind, total, term, false)),
            Part::At(at, term) => placed.push((at, term)),
            Part::Position(at, part) => inside.entry(at).or_default().push(*part),
            Part::Field(label, part) => fields.entry(label).or_default().push(*part),
        }
    }
    if !inside.is_empty() {
        let term = tuple_of(names, kind, of, inside)?;
        total = Some(sum(kind, total, term, false));
    }
    if !fields.is_empty() {
        let term = record_of(names, kind, of, fields)?;
        total = Some(sum(kind, total, term, false));
    }
    for (at, term) in placed {
        total = Some(D { term: with_part(kind, of, total, at, term), array: true });
    }
    total.ok_or_else(|| Refusal { what: "a sensitivity without parts".to_string(), span: base::Span::default() })
}

fn sum(kind: &Kind, total: Option<D>, term: Term, array: bool) -> D {
    match total {
        None => D { term, array },
        Some(d) => D { term: plus(kind, d.term, term), array: d.array || array },
    }
}

fn tuple_of(names: &mut Names, kind: &Kind, of: &Term, mut inside: BTreeMap<u32, Vec<Part>>) -> Result<Term> {
    let Kind::Tuple(kinds) = kind else {
        return Err(Refusal {
            what: "a part of something that isn't always a tuple".to_string(),
            span: base::Span::default(),
        });
    };
    let mut parts = vec![];
    for (at, kind) in kinds.iter().enumerate() {
        let of = crate::term::position(of.clone(), at);
        parts.push(match inside.remove(&(at as u32)) {
            None => zero_like(kind, of),
            Some(parts) => {
                let d = put_together(names, kind, &of, parts)?;
                filled(kind, &of, d)
            }
        });
    }
    Ok(Term::Tuple(parts))
}

/// All fields where they are known: the text may read one that has received nothing.
fn record_of(names: &mut Names, kind: &Kind, of: &Term, mut inside: BTreeMap<String, Vec<Part>>) -> Result<Term> {
    let kinds = match kind {
        Kind::Record(kinds) => kinds.clone(),
        _ => inside.keys().map(|label| (label.clone(), Kind::Unknown)).collect(),
    };
    let mut fields = vec![];
    for (label, kind) in kinds {
        let of = Term::Field(Box::new(of.clone()), label.clone());
        let field = match inside.remove(&label) {
            None => zero_like(&kind, of),
            Some(parts) => {
                let d = put_together(names, &kind, &of, parts)?;
                filled(&kind, &of, d)
            }
        };
        fields.push((label, field));
    }
    Ok(Term::Record(fields))
}

/// An array with one more contribution at some indices.
fn with_part(kind: &Kind, of: &Term, total: Option<D>, at: Vec<At>, term: Term) -> Term {
    match total {
        None => Term::With(Box::new(zero_like(kind, of.clone())), vec![(Place::At(at), term)]),
        Some(d) => match filled(kind, of, d) {
            // Different constant places of one update: what the array has there is what its base has.
            Term::With(base, mut updates) if updates.iter().all(|(place, _)| apart(place, &at)) => {
                let element = match &*base {
                    Term::Call(f, _) if f.as_name() == Some("zero") => term,
                    base => add(Term::Index(Box::new(base.clone()), at.clone()), term),
                };
                updates.push((Place::At(at), element));
                Term::With(base, updates)
            }
            base => {
                let before = Term::Index(Box::new(base.clone()), at.clone());
                let element = add(before, term);
                Term::With(Box::new(base), vec![(Place::At(at), element)])
            }
        },
    }
}

fn apart(place: &Place, at: &[At]) -> bool {
    match (place, at) {
        (Place::At(known), at) => {
            known.len() == at.len()
                && known.iter().zip(at).any(|pair| match pair {
                    (At::One(Term::Int(a)), At::One(Term::Int(b))) => a != b && *a >= 0 && *b >= 0,
                    _ => false,
                })
        }
        _ => false,
    }
}

/// A sensitivity in the shape of its variable.
pub fn filled(kind: &Kind, of: &Term, d: D) -> Term {
    match kind {
        Kind::Reals(axes) if !d.array => {
            let shape = call(if *axes == 1 { "len" } else { "shape" }, vec![of.clone()]);
            match d.term {
                ONE => call("ones", vec![shape]),
                term => call("full", vec![shape, term]),
            }
        }
        _ => d.term,
    }
}
