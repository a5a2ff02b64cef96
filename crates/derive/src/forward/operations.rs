//! The change of one operation's value.

use super::Forward;
use crate::kind::Kind;
use crate::refusal::Result;
use crate::rules::{ELEMENTWISE, elementwise};
use crate::sens::{D, filled};
use crate::simplify::{add, div, mul, neg, pow, sub};
use crate::term::{Op, Pattern, Place, Statement, Term, call, name, op, position};

impl Forward<'_> {
    /// The statement itself, and that for the change of its value.
    pub(super) fn operation(&mut self, of: &str, term: &Term, out: &mut Vec<Statement>) -> Result<()> {
        let plain = Statement::Let(Pattern::Name(of.to_string()), term.clone());
        if !self.deriver.names.carries(of) || !self.is_reached(term) {
            out.push(plain);
            return Ok(());
        }
        let change = match term {
            Term::Name(other) => self.change(&name(&**other)),
            Term::Neg(a) => self.change(a).map(|d| D { term: neg(d.term), array: d.array }),
            Term::Op(operator, a, b) => self.binary(of, *operator, a, b)?,
            Term::Position(base, at) => self.part(of, base, |d| position(d, *at as usize)),
            Term::Field(base, label) => self.part(of, base, |d| Term::Field(Box::new(d), label.clone())),
            Term::Index(base, at) => match self.change(base) {
                Some(d) if d.array => self.part(of, base, |d| Term::Index(Box::new(d), at.clone())),
                Some(d) => Some(d),
                None => None,
            },
            Term::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.full(part)).collect::<Result<_>>()?;
                Some(D { term: Term::Tuple(parts), array: false })
            }
            Term::Record(fields) => {
                let fields =
                    fields.iter().map(|(label, part)| Ok((label.clone(), self.full(part)?))).collect::<Result<_>>()?;
                Some(D { term: Term::Record(fields), array: false })
            }
            Term::Array(parts) => {
                let parts = parts.iter().map(|part| self.real_change(part)).collect::<Result<_>>()?;
                Some(D { term: Term::Array(parts), array: true })
            }
            Term::With(base, updates) => {
                let changed = updates.iter().map(|(place, value)| {
                    let value = if let Place::At(_) = place { self.real_change(value) } else { self.full(value) };
                    Ok((place.clone(), value?))
                });
                let changed = changed.collect::<Result<_>>()?;
                Some(D { term: Term::With(Box::new(self.full(base)?), changed), array: true })
            }
            Term::If(..) | Term::Match(..) => return self.choice(of, term, out),
            Term::Each(each) => return self.each(of, each, out),
            Term::Call(f, args) => return self.call(of, f, args, plain, out),
            _ => return self.refuse("an expression of this kind"),
        };
        out.push(plain);
        if let Some(change) = change {
            self.set(of, change, out);
        }
        Ok(())
    }

    /// Does anything that it mentions change?
    fn is_reached(&self, term: &Term) -> bool {
        let mut names = term.names();
        let mut seen = names.clone();
        while let Some(next) = names.pop_first() {
            if self.changes.contains_key(&next) {
                return true;
            }
            if let Some(local) = self.deriver.local(&next) {
                names.extend(local.names().into_iter().filter(|name| seen.insert(name.clone())));
            }
        }
        false
    }

    fn part(&self, of: &str, base: &Term, part: impl FnOnce(Term) -> Term) -> Option<D> {
        let array = self.deriver.names.kind(&name(of)).is_array();
        self.change(base).map(|d| D { term: part(d.term), array })
    }

    /// The change of an element: an int that becomes one is a real there.
    fn real_change(&mut self, of: &Term) -> Result<Term> {
        match self.change(of) {
            None if matches!(self.deriver.names.kind(of), Kind::Discrete) => Ok(Term::Real(0.0)),
            _ => self.full(of),
        }
    }

    fn binary(&mut self, of: &str, operator: Op, a: &Term, b: &Term) -> Result<Option<D>> {
        let (da, db) = (self.change(a), self.change(b));
        let is_array = |deriver: &crate::reverse::Deriver, term: &Term| deriver.names.kind(term).is_array();
        let (array_a, array_b) = (is_array(&self.deriver, a), is_array(&self.deriver, b));
        let joined = |x: Option<D>, y: Option<D>, minus: bool| match (x, y) {
            (None, None) => None,
            (Some(x), None) => Some(x),
            (None, Some(y)) => Some(D { term: if minus { neg(y.term) } else { y.term }, array: y.array }),
            (Some(x), Some(y)) => {
                let term = if minus { sub(x.term, y.term) } else { add(x.term, y.term) };
                Some(D { term, array: x.array || y.array })
            }
        };
        Ok(match operator {
            Op::Add => joined(da, db, false),
            Op::Subtract => joined(da, db, true),
            Op::Multiply => {
                let left = da.map(|d| D { term: mul(d.term, b.clone()), array: d.array || array_b });
                let right = db.map(|d| D { term: mul(a.clone(), d.term), array: d.array || array_a });
                joined(left, right, false)
            }
            // d(a / b) = (da - y db) / b
            Op::Divide => {
                let y = self.deriver.names.kind(&name(of)).is_array();
                let right = db.map(|d| D { term: mul(name(of), d.term), array: d.array || y });
                joined(da, right, true).map(|d| D { term: div(d.term, b.clone()), array: d.array || array_b })
            }
            Op::Power => match (b.number(), da, db) {
                (Some(n), Some(d), None) => {
                    let term = mul(mul(b.clone(), pow(a.clone(), n - 1.0)), d.term);
                    Some(D { term, array: d.array || array_a })
                }
                (_, None, None) => None,
                _ => return self.refuse("a power with a variable exponent"),
            },
            Op::Remainder => {
                let whole = call("floor", vec![op(Op::Divide, a.clone(), b.clone())]);
                let right = db.map(|d| D { term: mul(whole, d.term), array: d.array || array_a || array_b });
                joined(da, right, true)
            }
            Op::MatMul => {
                let (ka, kb) = (self.deriver.names.kind(a), self.deriver.names.kind(b));
                let left = da.map(|d| op(Op::MatMul, filled(&ka, a, d), b.clone()));
                let right = db.map(|d| op(Op::MatMul, a.clone(), filled(&kb, b, d)));
                let array = self.deriver.names.kind(&name(of)).is_array();
                let side = |term: Option<Term>| term.map(|term| D { term, array });
                joined(side(left), side(right), false)
            }
            Op::Plus => {
                let (x, y) = (self.full(a)?, self.full(b)?);
                let array = self.deriver.names.kind(&name(of)).is_array();
                Some(D { term: op(Op::Plus, x, y), array })
            }
            _ => None,
        })
    }

    fn call(
        &mut self,
        of: &str,
        callee: &Term,
        args: &[Term],
        plain: Statement,
        out: &mut Vec<Statement>,
    ) -> Result<()> {
        let Some(f) = callee.as_name().map(str::to_string) else { return self.refuse("a call of an expression") };
        if self.deriver.local(&f).is_some() {
            return self.called(of, &f, args, out);
        }
        if self.deriver.names.kinds.contains_key(&f) {
            return self.refuse("a call of a variable");
        }
        if self.deriver.functions.contains_key(&f) {
            if self.deriver.has_rule(&f) {
                return self.refuse("a function with a rule");
            }
            return self.called(of, &f, args, out);
        }
        if self.deriver.constructors.contains(&f) {
            let parts = args.iter().map(|arg| self.full(arg)).collect::<Result<_>>()?;
            out.push(plain);
            self.set(of, D { term: call(&f, parts), array: false }, out);
            return Ok(());
        }
        if ["fold", "reduce", "iterate", "while_loop"].contains(&f.as_str()) {
            return self.looped(of, &f, args, out);
        }
        let Some(change) = self.well_known(of, &f, args)? else {
            return self.refuse("a function of the library without a template");
        };
        out.push(plain);
        self.set(of, change, out);
        Ok(())
    }

    fn well_known(&mut self, of: &str, f: &str, args: &[Term]) -> Result<Option<D>> {
        let kinds: Vec<Kind> = args.iter().map(|arg| self.deriver.names.kind(arg)).collect();
        let changes: Vec<Option<D>> = args.iter().map(|arg| self.change(arg)).collect();
        let array = self.deriver.names.kind(&name(of)).is_array();
        Ok(match (f, args, &kinds[..], &changes[..]) {
            (f, [x], [kind], [Some(d)]) if ELEMENTWISE.contains(&f) && *kind != Kind::Mixed => {
                elementwise(f, d.term.clone(), x, &name(of)).map(|term| D { term, array: d.array || kind.is_array() })
            }
            ("sum", [x], [Kind::Reals(_)], [Some(d)]) => {
                let term = match d.array {
                    true => call("sum", vec![d.term.clone()]),
                    false => mul(d.term.clone(), call("len", vec![call("flatten", vec![x.clone()])])),
                };
                Some(D { term, array: false })
            }
            ("mean", [_], [Kind::Reals(_)], [Some(d)]) => {
                let term = if d.array { call("mean", vec![d.term.clone()]) } else { d.term.clone() };
                Some(D { term, array: false })
            }
            ("dot", [a, b], [Kind::Reals(1), Kind::Reals(1)], [da, db]) => {
                let side = |d: &Option<D>, own: &Term, other: &Term, kind: &Kind| {
                    d.clone().map(|d| call("dot", vec![filled(kind, own, d), other.clone()]))
                };
                let terms = [side(da, a, b, &kinds[0]), side(db, b, a, &kinds[1])];
                terms.into_iter().flatten().reduce(add).map(|term| D { term, array: false })
            }
            ("transpose" | "reversed", [_], [Kind::Reals(_)], [Some(d)]) => {
                let term = if d.array { call(f, vec![d.term.clone()]) } else { d.term.clone() };
                Some(D { term, array: d.array })
            }
            ("concat", [a, b], [Kind::Reals(_), Kind::Reals(_)], _) => {
                let parts = vec![self.full(a)?, self.full(b)?];
                Some(D { term: call("concat", parts), array })
            }
            _ => None,
        })
    }
}
