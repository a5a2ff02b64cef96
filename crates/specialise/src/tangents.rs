//! Forward mode: T of function values, and calls of T-images whose tangents are known to be zero.

use base::{Span, codes};
use calculus::{Field, Prim};
use differentiate::sensitivities::fit::Giver;
use differentiate::{Mode, links};
use eval::tangent::VANISHING_DEPTH;
use first_order::{Atom, Head, ShapeId};

use crate::body::Alt;
use crate::calls::count;
use crate::graph::{BOOL, INT, REAL, UNIT, ZERO};
use crate::instances::{Kind, Specialiser};
use crate::{Result1, Val, limits};

impl Specialiser<'_> {
    /// `J^order` of T of the function that `f` is J^order of, whose captures change by `d`.
    pub fn tangent(&mut self, f: &Val, d: &Val, order: u32, span: Span) -> Result1<Val> {
        if self.nests_seals(f) {
            return self.call(Kind::Tangent { order }, vec![f.clone(), d.clone()], span);
        }
        self.tangent_alternatives(f, d, order, span)
    }

    /// One level of [`Specialiser::tangent`].
    pub fn tangent_alternatives(&mut self, f: &Val, d: &Val, order: u32, span: Span) -> Result1<Val> {
        let f = self.forced(f, span)?;
        self.split(&f, span, &mut |this, alt| {
            let (code, member) = match &alt.head {
                Head::Zero => return Ok(this.zero()),
                Head::Closure { code, member } => (*code, *member),
                Head::Prim { prim, order } => {
                    let code = links::reversed(&*this.codes, &this.codes.eta(*prim), *order);
                    (code, 0)
                }
                Head::Sealed { modes } => {
                    if count(modes, Mode::Reverse) < order {
                        return this.not_lifted(span);
                    }
                    let modes = links::push_modes(modes, order);
                    let mut parts = this.all_parts(&alt, span);
                    parts[0] = this.tangent(&parts[0].clone(), d, order, span)?;
                    return this.construct(Head::Sealed { modes: modes.into() }, parts, span);
                }
                _ => return this.fail(codes::NOT_A_FUNCTION, span),
            };
            let Some(code) = links::pushed_under(&*this.codes, &code, order) else { return this.not_lifted(span) };
            let d = if order == 0 { this.raw(d, span)? } else { d.clone() };
            let f = this.narrowed(&alt);
            this.construct(Head::Closure { code, member }, vec![f, d], span)
        })
    }

    /// A call of a T-image (or of a primitive's forward rule) at tangents that are known to be zero is the call of
    /// the function itself.
    pub fn still(&mut self, alt: &Alt, x: &Val, order: u32, span: Span) -> Result1<Option<Val>> {
        let Head::Closure { code, member } = alt.head else { return Ok(None) };
        let code = self.codes.get(code);
        let rule_of = code.forward_of.get().copied();
        if rule_of.is_none() && !(code.is_pushed() && self.is_still(alt.parts[1])) {
            return Ok(None);
        }
        let Some(pair) = self.graph.only(x.shape) else { return Ok(None) };
        if pair.head != Head::Tuple || pair.parts.len() != 2 {
            return Ok(None);
        }
        let still = self.is_still(pair.parts[1]);
        let moved = x;
        let x = self.get(moved, &Field::Position(0), span)?;
        let y = match rule_of {
            Some(prim) if still => self.apply_prim(prim, x, span)?,
            Some(prim @ (Prim::Tabulate | Prim::Concat)) => return self.still_at_run_time(prim, alt, &x, moved, span),
            None if still => {
                let f = self.part(alt, 0, span);
                let f = self.get(&f, &Field::Member(member), span)?;
                self.apply(&f, x, order, span)?
            }
            _ => return Ok(None),
        };
        let zero = self.zero();
        Ok(Some(self.construct(Head::Tuple, vec![y, zero], span)?))
    }

    /// What a rule says about an array that turns out to have no elements would be an array too, and its sum the number 0, even where
    /// all tangents turn out to be the symbolic zero. (A rule that makes no arrays of its own gives zero from zeros.)
    fn still_at_run_time(&mut self, prim: Prim, rule: &Alt, x: &Val, moved: &Val, span: Span) -> Result1<Option<Val>> {
        let Head::Closure { code, member } = rule.head else { unreachable!("tangents: a rule is a function") };
        let dx = self.get(moved, &Field::Position(1), span)?;
        let still = self.vanishes(&dx, VANISHING_DEPTH, span)?;
        if still == Atom::Bool(false) {
            return Ok(None);
        }
        let at_rest = self.arm(|this| {
            let y = this.apply_prim(prim, x.clone(), span)?;
            let zero = this.zero();
            this.construct(Head::Tuple, vec![y, zero], span)
        })?;
        let by_rule = self.arm(|this| {
            let mut args = this.all_parts(rule, span);
            args.push(moved.clone());
            this.enter(code, member, args, span)
        })?;
        self.branch(still, at_rest, by_rule, span).map(Some)
    }

    /// Are all parts of a tangent the symbolic zero? Decided when the code runs, where shapes leave it open.
    fn vanishes(&mut self, d: &Val, depth: usize, span: Span) -> Result1<Atom> {
        if depth == 0 || self.graph.get(d.shape).named.is_some() {
            return Ok(Atom::Bool(false));
        }
        let answer = self.test(d, span, &mut |this, alt| match alt.head {
            Head::Zero => Ok(Atom::Bool(true)),
            Head::Tuple | Head::Record(_) | Head::Part(..) => {
                let mut all = Atom::Bool(true);
                for i in 0..alt.parts.len() {
                    let part = this.part(alt, i, span);
                    let one = this.vanishes(&part, depth - 1, span)?;
                    all = this.both(all, one, span)?;
                }
                Ok(all)
            }
            _ => Ok(Atom::Bool(false)),
        })?;
        Ok(answer.atom)
    }

    fn both(&mut self, a: Atom, b: Atom, span: Span) -> Result1<Atom> {
        match (a, b) {
            (Atom::Bool(false), _) | (_, Atom::Bool(false)) => Ok(Atom::Bool(false)),
            (Atom::Bool(true), other) | (other, Atom::Bool(true)) => Ok(other),
            (a, b) => {
                let then = self.arm(|_| Ok(Val { atom: b, shape: BOOL }))?;
                let otherwise = self.arm(|this| Ok(this.truth(false)))?;
                Ok(self.branch(a, then, otherwise, span)?.atom)
            }
        }
    }

    /// Is a tangent of this shape nothing but symbolic zeros?
    fn is_still(&self, shape: ShapeId) -> bool {
        let alternatives = self.graph.alternatives(shape);
        !alternatives.is_empty()
            && alternatives.iter().all(|one| match one.head {
                Head::Zero => true,
                Head::Tuple | Head::Record(_) | Head::Variant(_) | Head::Part(..) => {
                    one.parts.iter().all(|part| *part == ZERO || *part == UNIT)
                }
                Head::Full => one.parts[1] == ZERO,
                _ => false,
            })
    }

    /// How often T was applied to a backpropagator.
    pub fn pushes(&self, b: &Val) -> u32 {
        let pushes = self.graph.alternatives(b.shape).iter().map(|one| match &one.head {
            Head::Closure { code, .. } => {
                self.codes.get(*code).modes().filter(|mode| *mode == Mode::Forward).count() as u32
            }
            Head::Sealed { modes } => count(modes, Mode::Forward),
            _ => 0,
        });
        pushes.max().unwrap_or(0)
    }

    /// A backpropagator under T is pulled at a pair of a sensitivity and its tangent, under T of T at a pair of such pairs: a symbolic zero has no tangent, so where
    /// the sensitivity itself, the first part of all of them, is one, nothing is run.
    pub fn pull_pushed(&mut self, b: &Val, d: &Val, order: u32, span: Span) -> Result1<Val> {
        let pushes = self.pushes(b);
        if order == 0 && self.moves_nothing(d.shape, pushes) {
            return Ok(self.zero());
        }
        self.unless_first_is_zero(d, pushes, span, &mut |this, d| this.run_raw(b, d, span))
    }

    /// Is this a zero whose tangents are zero, whenever the code runs?
    fn moves_nothing(&self, shape: ShapeId, pushes: u32) -> bool {
        let alternatives = self.graph.alternatives(shape);
        !alternatives.is_empty()
            && alternatives.iter().all(|one| match (&one.head, &one.parts[..]) {
                (Head::Zero, _) => true,
                (Head::Full, [_, d]) => *d == ZERO,
                (Head::Tuple, [first, second]) if pushes > 0 => {
                    self.moves_nothing(*first, pushes - 1) && self.is_still(*second)
                }
                _ => false,
            })
    }

    /// Goes on with a pair of pairs, `pushes` deep, whose very first part isn't the symbolic zero; otherwise gives zero.
    fn unless_first_is_zero(
        &mut self,
        d: &Val,
        pushes: u32,
        span: Span,
        each: &mut dyn FnMut(&mut Self, Val) -> Result1<Val>,
    ) -> Result1<Val> {
        let d = self.forced(d, span)?;
        if !self.first_may_be_zero(d.shape, pushes) {
            return each(self, d);
        }
        self.split(&d, span, &mut |this, alt| {
            let one = this.narrowed(&alt);
            match (&alt.head, alt.parts.len()) {
                (Head::Zero, _) | (Head::Tuple, 0) => Ok(this.zero()),
                (Head::Tuple, 2) if pushes > 0 && this.first_may_be_zero(alt.parts[0], pushes - 1) => {
                    let (first, second) = (this.part(&alt, 0, span), this.part(&alt, 1, span));
                    this.unless_first_is_zero(&first, pushes - 1, span, &mut |this, first| {
                        let pair = this.construct(Head::Tuple, vec![first, second.clone()], span)?;
                        each(this, pair)
                    })
                }
                _ => each(this, one),
            }
        })
    }

    fn first_may_be_zero(&self, shape: ShapeId, pushes: u32) -> bool {
        self.graph.alternatives(shape).iter().any(|one| match (&one.head, &one.parts[..]) {
            (Head::Zero, _) | (Head::Tuple, []) => true,
            (Head::Tuple, [first, _]) if pushes > 0 => self.first_may_be_zero(*first, pushes - 1),
            _ => false,
        })
    }

    /// A sensitivity or a tangent as derived code computes with it: what carries no derivative has the symbolic zero, never `()`.
    pub fn raw_of(&mut self, of: &Val, d: &Val, depth: usize, span: Span) -> Result1<Val> {
        if d.shape == ZERO {
            return Ok(d.clone());
        }
        if !self.holds_discrete(of.shape) || depth == 0 {
            return self.full(of, d, span);
        }
        if !self.holds_real(of.shape) && !self.holds_function(of.shape) {
            return Ok(self.zero());
        }
        if self.graph.get(of.shape).named.is_some() {
            return self.full(of, d, span);
        }
        self.split(of, span, &mut |this, alt| {
            let one = this.narrowed(&alt);
            let (head, labels) = match &alt.head {
                Head::Closure { code, .. } => {
                    let labels = this.codes.get(*code).labels();
                    (Head::Record(labels.clone()), Some(labels))
                }
                Head::Record(labels) => (alt.head.clone(), Some(labels.clone())),
                Head::Tuple | Head::Variant(_) => (alt.head.clone(), None),
                _ if !this.holds_real(one.shape) => return Ok(this.zero()),
                _ => return this.full(&one, d, span),
            };
            let full = this.full(&one, d, span)?;
            let given = this.forced(&full, span)?;
            let mut parts = vec![];
            for i in 0..alt.parts.len() {
                let field = match (&labels, &alt.head) {
                    (Some(labels), _) => Field::Label(labels[i]),
                    (None, Head::Variant(constructor)) => Field::Payload(constructor.clone(), i as u32),
                    _ => Field::Position(i as u32),
                };
                let (of, d) = (this.part(&alt, i, span), this.get(&given, &field, span)?);
                parts.push(this.raw_of(&of, &d, depth - 1, span)?);
            }
            this.construct(head, parts, span)
        })
    }

    /// The tangent that a forward rule gave for its value: `q` is `(y, dy)`.
    pub fn rule_tangent(&mut self, q: &Val, span: Span) -> Result1<Val> {
        let y = self.get(q, &Field::Position(0), span)?;
        let dy = self.get(q, &Field::Position(1), span)?;
        let dy = if y.shape == REAL && dy.shape == INT { self.as_real_value(&dy, span) } else { dy };
        self.conform(&y, &dy, Giver::Rule, limits::COMPARED_DEPTH, span)?;
        self.raw_of(&y, &dy, limits::BARED_DEPTH, span)
    }
}
