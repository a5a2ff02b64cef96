//! One operation run backwards: arithmetic, data, arrays.

use super::Deriver;
use crate::kind::Kind;
use crate::refusal::Result;
use crate::rules::elementwise;
use crate::sens::{D, Part, Sens};
use crate::simplify::{add, div, mul, neg, pow, sub};
use crate::term::{At, Op, Pattern, Place, Statement, Term, call, name, op, position};

impl Deriver<'_> {
    /// Gives what a statement's value has received on to its operands.
    pub(super) fn operation(
        &mut self,
        of: &str,
        term: &Term,
        parts: Vec<Part>,
        forward: &mut Vec<Statement>,
        backward: &mut Vec<Statement>,
        sens: &mut Sens,
    ) -> Result<()> {
        match term {
            Term::Int(_) | Term::Real(_) | Term::Bool(_) | Term::Raw(_) | Term::Not(_) => Ok(()),
            Term::Name(other) => {
                if self.names.carries(other) {
                    parts.into_iter().for_each(|part| sens.add(other, part));
                }
                Ok(())
            }
            Term::Neg(a) => {
                let d = self.collapse(of, parts, backward)?;
                self.give(a, D { term: neg(d.term), array: d.array }, sens)
            }
            Term::Op(operator, a, b) => {
                let d = self.collapse(of, parts, backward)?;
                self.binary(of, *operator, a, b, d, sens)
            }
            Term::Position(base, at) => {
                parts.into_iter().for_each(|part| self.give_part(base, Part::Position(*at, Box::new(part)), sens));
                Ok(())
            }
            Term::Field(base, label) => {
                parts
                    .into_iter()
                    .for_each(|part| self.give_part(base, Part::Field(label.clone(), Box::new(part)), sens));
                Ok(())
            }
            Term::Index(base, at) => self.index(of, base, at, parts, backward, sens),
            Term::Tuple(items) => self.tuple(of, items, parts, backward, sens),
            Term::Record(fields) => self.record(of, fields, parts, backward, sens),
            Term::Array(items) => {
                let d = self.collapse(of, parts, backward)?;
                // Of an array of data it is an array as well; a number stands for an array of reals that has it everywhere.
                let has_elements = d.array || matches!(self.names.kind(&name(of)), Kind::Data { .. });
                for (at, item) in items.iter().enumerate() {
                    let element = Term::Index(Box::new(d.term.clone()), vec![At::One(Term::Int(at as i64))]);
                    let one = D { term: if has_elements { element } else { d.term.clone() }, array: false };
                    if d.array && self.names.kind(item).is_array() {
                        self.give_whole(item, one.term, sens);
                    } else {
                        self.give(item, one, sens)?;
                    }
                }
                Ok(())
            }
            Term::With(base, updates) => self.update(of, base, updates, parts, backward, sens),
            Term::If(condition, then, otherwise) => {
                let ways = vec![(None, None, (**then).clone()), (None, None, (**otherwise).clone())];
                self.branches(
                    of,
                    super::branches::Choice::If((**condition).clone()),
                    ways,
                    parts,
                    forward,
                    backward,
                    sens,
                )
            }
            Term::Match(scrutinee, arms) => {
                let ways = arms.iter().map(|arm| (Some(arm.pattern.clone()), arm.guard.clone(), arm.body.clone()));
                let choice = super::branches::Choice::Match((**scrutinee).clone());
                self.branches(of, choice, ways.collect(), parts, forward, backward, sens)
            }
            Term::Call(f, args) => self.call(of, f, args, parts, forward, backward, sens),
            Term::Each(each) => self.each(of, each, parts, backward, sens),
            Term::Block(_) => self.refuse("a block inside an expression"),
            Term::Lambda(..) | Term::Ruled(..) => unreachable!("derive: functions are statements of their own"),
        }
    }

    fn give_part(&mut self, to: &Term, part: Part, sens: &mut Sens) {
        if let Some(to) = to.as_name().filter(|name| self.names.carries(name)) {
            sens.add(to, part);
        }
    }

    fn binary(&mut self, of: &str, operator: Op, a: &Term, b: &Term, d: D, sens: &mut Sens) -> Result<()> {
        let array = |deriver: &Self, other: &Term| d.array || deriver.names.kind(other).is_array();
        match operator {
            Op::Add => {
                self.spread(of, a, D { term: d.term.clone(), array: d.array }, &[], sens)?;
                self.spread(of, b, d, &[], sens)
            }
            Op::Subtract => {
                self.spread(of, a, D { term: d.term.clone(), array: d.array }, &[], sens)?;
                self.spread(of, b, D { term: neg(d.term), array: d.array }, &[], sens)
            }
            // d(a * b) = b da + a db
            Op::Multiply => {
                let (to_a, to_b) = (array(self, b), array(self, a));
                let whole = name(of);
                let with = |other: &Term| if d.array { whole.clone() } else { other.clone() };
                let (with_b, with_a) = (with(b), with(a));
                self.spread(of, a, D { term: mul(d.term.clone(), b.clone()), array: to_a }, &[&with_b], sens)?;
                self.spread(of, b, D { term: mul(d.term, a.clone()), array: to_b }, &[&with_a], sens)
            }
            // d(a / b) = da / b - a / b^2 db
            Op::Divide => {
                let (to_a, to_b) = (array(self, b), array(self, a) || array(self, b));
                let whole = name(of);
                let with = |other: &Term| if d.array { whole.clone() } else { other.clone() };
                let (with_b, with_a) = (with(b), with(a));
                self.spread(of, a, D { term: div(d.term.clone(), b.clone()), array: to_a }, &[&with_b], sens)?;
                let slope = neg(div(mul(d.term, a.clone()), pow(b.clone(), 2.0)));
                self.spread(of, b, D { term: slope, array: to_b }, &[&with_a, b], sens)
            }
            Op::Power => self.power(of, a, b, d, sens),
            // d(a % b) = da - floor(a / b) db
            Op::Remainder => {
                let to_b = array(self, a) || array(self, b);
                self.spread(of, a, d.clone(), &[], sens)?;
                let whole = call("floor", vec![op(Op::Divide, a.clone(), b.clone())]);
                self.spread(of, b, D { term: neg(mul(d.term, whole)), array: to_b }, &[], sens)
            }
            Op::MatMul => self.matrix_product(a, b, d, of, sens),
            Op::Plus => {
                self.give_whole(a, d.term.clone(), sens);
                self.give_whole(b, d.term, sens);
                Ok(())
            }
            Op::Attach | Op::Pipe | Op::Range => self.refuse("this operator"),
            _ => Ok(()),
        }
    }

    /// A contribution to an operand of an elementwise operation, of as many axes as `with` has if it is an array: a number that met an array gets
    /// the sum, an array that was repeated along leading axes the sum along them.
    fn spread(&mut self, of: &str, to: &Term, d: D, with: &[&Term], sens: &mut Sens) -> Result<()> {
        let (result, operand) = (self.names.kind(&name(of)), self.names.kind(to));
        if result.is_array() && !operand.is_array() && !d.array {
            let elements = match result {
                Kind::Reals(1) => call("len", vec![name(of)]),
                _ => call("len", vec![call("flatten", vec![name(of)])]),
            };
            return self.give(to, D { term: mul(d.term, elements), array: false }, sens);
        }
        let (Kind::Reals(all), Kind::Reals(own)) = (&result, &operand) else { return self.give(to, d, sens) };
        if self.repetition == crate::Repetition::Possible && *own > 1 {
            return self.refuse("an array that may be repeated along an axis");
        }
        let axes = with.iter().map(|term| self.names.kind(term).axes()).max().unwrap_or(*all);
        match (*own, d.array) {
            (own, true) if axes > own => {
                let summed = (own..axes).fold(d.term, |term, _| call("sum", vec![term, Term::Int(0)]));
                self.give(to, D { term: summed, array: true }, sens)
            }
            (own, true) if axes < own => {
                let term = op(Op::Add, call("zero", vec![to.clone()]), d.term);
                self.give(to, D { term, array: true }, sens)
            }
            (own, false) if *all == own + 1 => {
                let times = call("len", vec![name(of)]);
                self.give(to, D { term: mul(d.term, times), array: false }, sens)
            }
            (own, false) if *all > own => self.refuse("an array that is repeated along several axes"),
            _ => self.give(to, d, sens),
        }
    }

    /// d(a^n) = n a^(n - 1) da; an exponent that varies is left to the library.
    fn power(&mut self, of: &str, a: &Term, b: &Term, d: D, sens: &mut Sens) -> Result<()> {
        let array = d.array || self.names.kind(a).is_array();
        let slope = match b.number() {
            Some(n) => mul(b.clone(), pow(a.clone(), n - 1.0)),
            None if b.as_name().is_some_and(|name| self.names.carries(name)) => {
                return self.refuse("a power with a varying exponent");
            }
            None => mul(b.clone(), op(Op::Power, a.clone(), sub(b.clone(), Term::Int(1)))),
        };
        // Of x^0 there is no slope, also at 0.
        if b.number().is_none() {
            return self.refuse("a power with a variable exponent");
        }
        self.spread(of, a, D { term: mul(d.term, slope), array }, &[], sens)
    }

    fn matrix_product(&mut self, a: &Term, b: &Term, d: D, of: &str, sens: &mut Sens) -> Result<()> {
        let kind = self.names.kind(&name(of));
        let d = crate::sens::filled(&kind, &name(of), d);
        let turned = |m: &Term| call("transpose", vec![m.clone()]);
        let (to_a, to_b) = match (self.names.kind(a), self.names.kind(b)) {
            (Kind::Reals(2), Kind::Reals(2)) => (op(Op::MatMul, d.clone(), turned(b)), op(Op::MatMul, turned(a), d)),
            (Kind::Reals(2), Kind::Reals(1)) => {
                (call("outer", vec![d.clone(), b.clone()]), op(Op::MatMul, turned(a), d))
            }
            (Kind::Reals(1), Kind::Reals(2)) => {
                (op(Op::MatMul, b.clone(), d.clone()), call("outer", vec![a.clone(), d]))
            }
            (Kind::Reals(1), Kind::Reals(1)) => (mul(d.clone(), b.clone()), mul(d, a.clone())),
            _ => return self.refuse("a product of matrices whose axes aren't known"),
        };
        self.give_whole(a, to_a, sens);
        self.give_whole(b, to_b, sens);
        Ok(())
    }

    fn index(
        &mut self,
        of: &str,
        base: &Term,
        at: &[At],
        parts: Vec<Part>,
        backward: &mut Vec<Statement>,
        sens: &mut Sens,
    ) -> Result<()> {
        let kind = self.names.kind(base);
        if !kind.is_array() {
            return self.refuse("an element of an array that isn't one of reals");
        }
        let d = self.collapse(of, parts, backward)?;
        let term = crate::sens::filled(&self.names.kind(&name(of)), &name(of), d);
        self.give_part(base, Part::At(at.to_vec(), term), sens);
        Ok(())
    }

    fn tuple(
        &mut self,
        of: &str,
        items: &[Term],
        parts: Vec<Part>,
        backward: &mut Vec<Statement>,
        sens: &mut Sens,
    ) -> Result<()> {
        let (inside, rest): (Vec<Part>, Vec<Part>) =
            parts.into_iter().partition(|part| matches!(part, Part::Position(..)));
        for part in inside {
            let Part::Position(at, part) = part else { continue };
            if let Some(item) = items.get(at as usize) {
                self.give_part(item, *part, sens);
            }
        }
        if rest.is_empty() {
            return Ok(());
        }
        let d = self.collapse_full(of, rest, backward)?;
        for (at, item) in items.iter().enumerate() {
            self.give_whole(item, position(d.clone(), at), sens);
        }
        Ok(())
    }

    fn record(
        &mut self,
        of: &str,
        fields: &[(String, Term)],
        parts: Vec<Part>,
        backward: &mut Vec<Statement>,
        sens: &mut Sens,
    ) -> Result<()> {
        let (inside, rest): (Vec<Part>, Vec<Part>) =
            parts.into_iter().partition(|part| matches!(part, Part::Field(..)));
        for part in inside {
            let Part::Field(label, part) = part else { continue };
            if let Some((_, item)) = fields.iter().find(|(known, _)| *known == label) {
                self.give_part(item, *part, sens);
            }
        }
        if rest.is_empty() {
            return Ok(());
        }
        let d = self.collapse_full(of, rest, backward)?;
        for (label, item) in fields {
            self.give_whole(item, Term::Field(Box::new(d.clone()), label.clone()), sens);
        }
        Ok(())
    }

    /// `{a with [i]: v}`: v gets the element, a all but it.
    fn update(
        &mut self,
        of: &str,
        base: &Term,
        updates: &[(Place, Term)],
        parts: Vec<Part>,
        backward: &mut Vec<Statement>,
        sens: &mut Sens,
    ) -> Result<()> {
        let [(place, value)] = updates else { return self.refuse("several updates at once") };
        let d = self.collapse_full(of, parts, backward)?;
        match place {
            Place::Field(label) => {
                self.give_whole(value, Term::Field(Box::new(d.clone()), label.clone()), sens);
                let kept = Term::With(Box::new(d), vec![(place.clone(), call("zero", vec![value.clone()]))]);
                self.give_whole(base, kept, sens);
            }
            Place::At(at) => {
                if !self.names.kind(base).is_array() || at.iter().any(|index| matches!(index, At::Range(..))) {
                    return self.refuse("an update of this kind");
                }
                let element = Term::Index(Box::new(d.clone()), at.clone());
                self.give_whole(value, element, sens);
                let kept = Term::With(Box::new(d), vec![(place.clone(), Term::Real(0.0))]);
                self.give_whole(base, kept, sens);
            }
        }
        Ok(())
    }

    /// Functions of the library that have a line of their own.
    pub(super) fn well_known(
        &mut self,
        of: &str,
        f: &str,
        args: &[Term],
        parts: &[Part],
        backward: &mut Vec<Statement>,
        sens: &mut Sens,
    ) -> Result<bool> {
        let kinds: Vec<Kind> = args.iter().map(|arg| self.names.kind(arg)).collect();
        let y = name(of);
        match (f, args, &kinds[..]) {
            ("stop_gradient", _, _) => {}
            (f, [x], [kind]) if crate::rules::ELEMENTWISE.contains(&f) => {
                if *kind == Kind::Mixed {
                    return Ok(false);
                }
                let d = self.collapse(of, parts.to_vec(), backward)?;
                let array = d.array || kind.is_array();
                let Some(term) = elementwise(f, d.term, x, &y) else { return Ok(false) };
                // What `real` gives for an int has no derivative to pass on.
                let array = if f == "real" { d.array } else { array };
                self.give(x, D { term, array }, sens)?;
            }
            ("sum", [x], [Kind::Reals(_)]) => {
                let d = self.collapse(of, parts.to_vec(), backward)?;
                self.give(x, D { term: d.term, array: false }, sens)?;
            }
            ("mean", [x], [Kind::Reals(1)]) => {
                let d = self.collapse(of, parts.to_vec(), backward)?;
                self.give(x, D { term: div(d.term, call("len", vec![x.clone()])), array: false }, sens)?;
            }
            ("dot", [a, b], [Kind::Reals(1), Kind::Reals(1)]) => {
                let d = self.collapse(of, parts.to_vec(), backward)?;
                self.give(a, D { term: mul(d.term.clone(), b.clone()), array: true }, sens)?;
                self.give(b, D { term: mul(d.term, a.clone()), array: true }, sens)?;
            }
            ("logsumexp", [x], [Kind::Reals(1)]) => {
                let d = self.collapse(of, parts.to_vec(), backward)?;
                self.give(x, D { term: mul(d.term, call("softmax", vec![x.clone()])), array: true }, sens)?;
            }
            // d softmax = y * (d - d . y)
            ("softmax", [x], [Kind::Reals(1)]) => {
                let d = self.collapse_full(of, parts.to_vec(), backward)?;
                let term = mul(y.clone(), sub(d.clone(), call("dot", vec![d, y])));
                self.give(x, D { term, array: true }, sens)?;
            }
            ("transpose" | "reversed", [x], [Kind::Reals(_)]) => {
                let d = self.collapse(of, parts.to_vec(), backward)?;
                let term = if d.array { call(f, vec![d.term]) } else { d.term };
                self.give(x, D { term, array: d.array }, sens)?;
            }
            ("concat", [a, b], [Kind::Reals(_), Kind::Reals(_)]) => {
                let d = self.collapse(of, parts.to_vec(), backward)?;
                let split = call("len", vec![a.clone()]);
                let half = |from: Option<Term>, to: Option<Term>| match d.array {
                    true => Term::Index(Box::new(d.term.clone()), vec![At::Range(from, to)]),
                    false => d.term.clone(),
                };
                let (first, second) = (half(None, Some(split.clone())), half(Some(split), None));
                self.give(a, D { term: first, array: d.array }, sens)?;
                self.give(b, D { term: second, array: d.array }, sens)?;
            }
            ("outer", [a, b], [Kind::Reals(1), Kind::Reals(1)]) => {
                let d = self.collapse_full(of, parts.to_vec(), backward)?;
                self.give_whole(a, op(Op::MatMul, d.clone(), b.clone()), sens);
                self.give_whole(b, op(Op::MatMul, a.clone(), d), sens);
            }
            ("det", [a], [Kind::Reals(2)]) => {
                let d = self.collapse(of, parts.to_vec(), backward)?;
                self.give_whole(a, mul(d.term, call("cofactors", vec![a.clone()])), sens);
            }
            // d inv(a) = -inv(a) da inv(a)
            ("inv", [a], [Kind::Reals(2)]) => {
                let d = self.collapse_full(of, parts.to_vec(), backward)?;
                let turned = call("transpose", vec![y]);
                self.give_whole(a, neg(op(Op::MatMul, op(Op::MatMul, turned.clone(), d), turned)), sens);
            }
            // a x = b: db = w with a^T w = dx, da = -w x^T
            ("solve", [a, b], [Kind::Reals(2), Kind::Reals(1)]) => {
                let d = self.collapse_full(of, parts.to_vec(), backward)?;
                let w = self.names.fresh("w", Kind::Reals(1));
                let solved = call("solve", vec![call("transpose", vec![a.clone()]), d]);
                backward.push(Statement::Let(Pattern::Name(w.clone()), solved));
                self.give_whole(a, neg(call("outer", vec![name(&*w), y])), sens);
                self.give_whole(b, name(w), sens);
            }
            ("minimum" | "maximum" | "min" | "max", [a, b], [ka, kb]) if ka.is_number() && kb.is_number() => {
                let d = self.collapse(of, parts.to_vec(), backward)?;
                let first = if f.starts_with("min") { Op::LessEqual } else { Op::GreaterEqual };
                let chosen = |then: Term, other: Term| {
                    let condition = op(first, a.clone(), b.clone());
                    Term::If(Box::new(condition), Box::new(then), Box::new(other))
                };
                let zero = Term::Real(0.0);
                self.give(a, D { term: chosen(d.term.clone(), zero.clone()), array: false }, sens)?;
                self.give(b, D { term: chosen(zero, d.term), array: false }, sens)?;
            }
            // d atan2(y, x) = (x dy - y dx) / (x^2 + y^2)
            ("atan2", [a, b], [ka, kb]) if ka.is_number() && kb.is_number() => {
                let d = self.collapse(of, parts.to_vec(), backward)?;
                let square = add(pow(b.clone(), 2.0), pow(a.clone(), 2.0));
                let to_a = div(mul(d.term.clone(), b.clone()), square.clone());
                self.give(a, D { term: to_a, array: false }, sens)?;
                self.give(b, D { term: neg(div(mul(d.term, a.clone()), square)), array: false }, sens)?;
            }
            ("relu", [x], [Kind::Real]) => {
                let d = self.collapse(of, parts.to_vec(), backward)?;
                let condition = op(Op::GreaterEqual, x.clone(), Term::Int(0));
                let term = Term::If(Box::new(condition), Box::new(d.term), Box::new(Term::Real(0.0)));
                self.give(x, D { term, array: false }, sens)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}
