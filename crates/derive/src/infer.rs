//! The kind of an operation, from those of its operands: for places that no run came by.

use crate::kind::Kind;
use crate::read::{Names, element};
use crate::rules::ELEMENTWISE;
use crate::term::{At, Op, Place, Term};

pub fn infer(names: &Names, term: &Term) -> Kind {
    let kind = |term: &Term| names.kind(term);
    match term {
        Term::Int(_) | Term::Bool(_) | Term::Raw(_) | Term::Not(_) => Kind::Discrete,
        Term::Real(_) | Term::Name(_) => kind(term),
        Term::Neg(a) => kind(a),
        Term::Op(op, a, b) => match op {
            Op::Divide => match kind(a).elementwise(&kind(b)) {
                Kind::Discrete => Kind::Real,
                kind => kind,
            },
            Op::Add | Op::Subtract | Op::Multiply | Op::Power | Op::Remainder => kind(a).elementwise(&kind(b)),
            Op::MatMul => product(&kind(a), &kind(b)),
            Op::Plus => kind(a).join(&kind(b)),
            _ => Kind::Discrete,
        },
        Term::Tuple(parts) => Kind::Tuple(parts.iter().map(|part| infer(names, part)).collect()),
        Term::Record(fields) => {
            Kind::Record(fields.iter().map(|(label, field)| (label.clone(), infer(names, field))).collect())
        }
        Term::Array(parts) => match parts.first().map(|part| infer(names, part)) {
            Some(Kind::Real) => Kind::Reals(1),
            Some(Kind::Reals(n)) => Kind::Reals(n + 1),
            Some(Kind::Discrete) if parts.iter().any(|part| infer(names, part) == Kind::Real) => Kind::Reals(1),
            Some(Kind::Discrete) => Kind::Discrete,
            _ => Kind::Unknown,
        },
        Term::With(base, updates) => match updates.first() {
            Some((Place::Field(_) | Place::At(_), _)) => kind(base),
            None => kind(base),
        },
        Term::Field(base, label) => match kind(base) {
            Kind::Record(fields) => {
                fields.iter().find(|(name, _)| name == label).map_or(Kind::Unknown, |(_, kind)| kind.clone())
            }
            _ => Kind::Unknown,
        },
        Term::Position(base, at) => match kind(base) {
            Kind::Tuple(parts) => parts.get(*at as usize).cloned().unwrap_or_default(),
            _ => Kind::Unknown,
        },
        Term::Index(base, at) => {
            let single = at.iter().filter(|index| matches!(index, At::One(_))).count();
            (0..single).fold(kind(base), |kind, _| element(&kind))
        }
        Term::Lambda(..) | Term::Ruled(..) => Kind::Function,
        Term::If(_, then, otherwise) => infer(names, then).join(&infer(names, otherwise)),
        Term::Match(_, arms) => arms.iter().fold(Kind::Unknown, |kind, arm| kind.join(&infer(names, &arm.body))),
        Term::Block(block) => infer(names, &block.result),
        Term::Each(each) => match (infer(names, &each.body), each.clauses.len()) {
            (Kind::Real, n) if each.filter.is_none() => Kind::Reals(n),
            (Kind::Reals(m), n) if each.filter.is_none() => Kind::Reals(n + m),
            (Kind::Real, _) => Kind::Reals(1),
            (Kind::Discrete, _) => Kind::Discrete,
            _ => Kind::Unknown,
        },
        Term::Call(f, args) => called(f.as_name().unwrap_or_default(), &args.iter().map(kind).collect::<Vec<_>>()),
    }
}

fn called(f: &str, args: &[Kind]) -> Kind {
    match (f, args) {
        (f, [kind]) if ELEMENTWISE.contains(&f) => match kind {
            Kind::Discrete => Kind::Real,
            kind => kind.clone(),
        },
        ("sum" | "mean" | "dot" | "norm" | "prod" | "logsumexp" | "det" | "trace" | "real", _) => Kind::Real,
        ("len" | "shape" | "int" | "floor" | "iota" | "argmin" | "argmax" | "div" | "mod" | "is_array", _) => {
            Kind::Discrete
        }
        ("transpose" | "reversed" | "softmax", [kind]) | ("concat", [kind, _]) => kind.clone(),
        _ => Kind::Unknown,
    }
}

fn product(a: &Kind, b: &Kind) -> Kind {
    match (a, b) {
        (Kind::Reals(2), Kind::Reals(2)) => Kind::Reals(2),
        (Kind::Reals(1), Kind::Reals(1)) => Kind::Real,
        (Kind::Reals(_), Kind::Reals(_)) => Kind::Reals(1),
        _ => Kind::Unknown,
    }
}
