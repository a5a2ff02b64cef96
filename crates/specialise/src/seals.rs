//! The boundary between a program and derived code, as the reference evaluator draws it: backpropagators that a program
//! asked for are sealed. J and T may have been applied to the program itself; a result under J is a pair with the
//! backpropagator of the call, under T a pair with the tangent, the last one outermost.

use base::{Span, codes};
use calculus::Field;
use differentiate::Mode;
use first_order::Head;

use crate::body::Alt;
use crate::calls::count;
use crate::instances::{Kind, Specialiser};
use crate::{Result1, Val};

/// A function and its argument, beneath the T-images that were peeled off.
#[derive(Clone)]
struct Beneath {
    f: Val,
    x: Val,
    /// How many Js were peeled off.
    depth: u32,
}

impl Specialiser<'_> {
    fn position(&mut self, value: &Val, at: u32, span: Span) -> Result1<Val> {
        self.get(value, &Field::Position(at), span)
    }

    /// The result of a call of the J-image `f` at `x` from code of order `from`: the backpropagators of those Js are
    /// sealed that the calling program wrote itself, the first ones.
    pub fn sealed(&mut self, value: &Val, f: Val, x: Val, from: u32, span: Span) -> Result1<Val> {
        let modes: Vec<Mode> = match self.graph.only(f.shape).map(|one| one.head.clone()) {
            Some(Head::Closure { code, .. }) => self.codes.get(code).modes().collect(),
            Some(Head::Prim { order, .. }) => vec![Mode::Reverse; order as usize],
            _ => vec![],
        };
        self.seal_under(&modes, value, Beneath { f, x, depth: 0 }, from, span)
    }

    fn seal_under(&mut self, modes: &[Mode], value: &Val, beneath: Beneath, from: u32, span: Span) -> Result1<Val> {
        let Some((mode, modes)) = modes.split_first() else { return Ok(value.clone()) };
        let (inner, outer) = (self.position(value, 0, span)?, self.position(value, 1, span)?);
        match mode {
            Mode::Forward => {
                let beneath = self.under_tangent(beneath, span)?;
                let inner = self.seal_under(modes, &inner, beneath, from, span)?;
                self.construct(Head::Tuple, vec![inner, outer], span)
            }
            Mode::Reverse => {
                let deeper = Beneath { depth: beneath.depth + 1, ..beneath.clone() };
                let y = self.seal_under(modes, &inner, deeper, from, span)?;
                let back = if beneath.depth < from { outer } else { self.seal(beneath, outer, y.clone(), span)? };
                self.construct(Head::Tuple, vec![y, back], span)
            }
        }
    }

    /// A T-image captures the function it was made of; its argument is a pair with the tangent.
    fn under_tangent(&mut self, beneath: Beneath, span: Span) -> Result1<Beneath> {
        let f = self.primal_of(&beneath.f, span)?;
        let x = self.position(&beneath.x, 0, span)?;
        Ok(Beneath { f, x, depth: beneath.depth })
    }

    fn primal_of(&mut self, f: &Val, span: Span) -> Result1<Val> {
        if self.nests_seals(f) {
            return self.call(Kind::Primal, vec![f.clone()], span);
        }
        self.primal_alternatives(f, span)
    }

    /// Is it a seal that may have seals of its own shape inside?
    pub fn nests_seals(&self, f: &Val) -> bool {
        let sealed = |one: &first_order::Alternative| matches!(one.head, Head::Sealed { .. });
        self.graph.get(f.shape).named.is_some() && self.graph.alternatives(f.shape).iter().any(sealed)
    }

    /// One level of [`Specialiser::primal_of`].
    pub fn primal_alternatives(&mut self, f: &Val, span: Span) -> Result1<Val> {
        self.split(f, span, &mut |this, alt| match alt.head {
            Head::Closure { .. } if !alt.parts.is_empty() => Ok(this.part(&alt, 0, span)),
            Head::Sealed { .. } => {
                let raw = this.part(&alt, 0, span);
                this.primal_of(&raw, span)
            }
            _ => Ok(this.narrowed(&alt)),
        })
    }

    fn seal(&mut self, beneath: Beneath, raw: Val, y: Val, span: Span) -> Result1<Val> {
        let modes = vec![Mode::Reverse; beneath.depth as usize].into();
        self.construct(Head::Sealed { modes }, vec![raw, beneath.f, beneath.x, y], span)
    }

    /// A program calls a sealed backpropagator.
    pub fn apply_sealed(&mut self, alt: &Alt, modes: &[Mode], x: &Val, span: Span) -> Result1<Val> {
        let parts = self.all_parts(alt, span);
        let [raw, f, argument, y] = &parts[..] else { unreachable!("seals: four parts") };
        let d = self.accept_under(y, count(modes, Mode::Forward), x, span)?;
        let answer = self.run_raw(raw, d.clone(), span)?;
        let beneath = Beneath { f: raw.clone(), x: d, depth: 0 };
        self.full_under(modes, &answer, beneath, f, argument, span)
    }

    /// The sensitivity that a program gives, checked; under T it comes with its tangent.
    fn accept_under(&mut self, y: &Val, tangents: u32, d: &Val, span: Span) -> Result1<Val> {
        if tangents == 0 {
            return self.accept(y, d, span);
        }
        let (inner, outer) = (self.position(d, 0, span)?, self.position(d, 1, span)?);
        let inner = self.accept_under(y, tangents - 1, &inner, span)?;
        self.construct(Head::Tuple, vec![inner, outer], span)
    }

    /// The answer of a sealed backpropagator in the full shape of `f` and `x`.
    fn full_under(
        &mut self,
        modes: &[Mode],
        value: &Val,
        beneath: Beneath,
        f: &Val,
        x: &Val,
        span: Span,
    ) -> Result1<Val> {
        let (inner, outer) = (self.position(value, 0, span)?, self.position(value, 1, span)?);
        let Some((mode, modes)) = modes.split_last() else {
            let (df, dx) = (self.full(f, &inner, span)?, self.full(x, &outer, span)?);
            return self.construct(Head::Tuple, vec![df, dx], span);
        };
        match mode {
            Mode::Forward => {
                let beneath = self.under_tangent(beneath, span)?;
                let inner = self.full_under(modes, &inner, beneath, f, x, span)?;
                self.construct(Head::Tuple, vec![inner, outer], span)
            }
            Mode::Reverse => {
                let deeper = Beneath { depth: beneath.depth + 1, ..beneath.clone() };
                let answer = self.full_under(modes, &inner, deeper, f, x, span)?;
                let back = self.seal(beneath, outer, answer.clone(), span)?;
                self.construct(Head::Tuple, vec![answer, back], span)
            }
        }
    }

    pub fn not_lifted<T>(&mut self, span: Span) -> Result1<T> {
        self.fail(codes::NOT_LIFTED, span)
    }
}
