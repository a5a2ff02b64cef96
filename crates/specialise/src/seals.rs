//! The boundary between a program and derived code, on shapes: [`differentiate::boundary`] says where seals go.

use base::{Span, codes};
use calculus::Field;
use differentiate::Mode;
use differentiate::boundary::{self, Application, Boundary};
use first_order::Head;

use crate::body::Alt;
use crate::instances::{Kind, Specialiser};
use crate::{Result1, Stop, Val};

impl<'a> Specialiser<'a> {
    fn boundary(&mut self, span: Span) -> Written<'_, 'a> {
        Written { specialiser: self, span }
    }

    /// The result of a call of a J-image from code of order `from`: the backpropagators are sealed that the calling program asked for.
    pub fn sealed(&mut self, result: &Val, call: Application<Val>, from: u32, span: Span) -> Result1<Val> {
        let modes: Vec<Mode> = match self.graph.only(call.f.shape).map(|one| one.head.clone()) {
            Some(Head::Closure { code, .. }) => self.codes.get(code).modes().collect(),
            Some(Head::Prim { order, .. }) => vec![Mode::Reverse; order as usize],
            _ => vec![],
        };
        boundary::seal_result(&mut self.boundary(span), &modes, result, call, from)
    }

    /// A program calls a sealed backpropagator.
    pub fn apply_sealed(&mut self, alt: &Alt, modes: &[Mode], x: &Val, span: Span) -> Result1<Val> {
        let Ok([raw, f, argument, y]) = <[Val; 4]>::try_from(self.all_parts(alt, span)) else {
            unreachable!("seals: four parts")
        };
        let d = boundary::accept(&mut self.boundary(span), modes, &y, x.clone())?;
        let answer = self.run_raw(&raw, d.clone(), span)?;
        let (pull, of) = (Application { f: raw, x: d }, Application { f, x: argument });
        boundary::full_answer(&mut self.boundary(span), modes, &answer, pull, &of)
    }

    /// Is it a seal that may have seals of its own shape inside?
    pub fn nests_seals(&self, f: &Val) -> bool {
        let sealed = |one: &first_order::Alternative| matches!(one.head, Head::Sealed { .. });
        self.graph.get(f.shape).named.is_some() && self.graph.alternatives(f.shape).iter().any(sealed)
    }

    /// One level of [`Boundary::primal`].
    pub fn primal_alternatives(&mut self, f: &Val, span: Span) -> Result1<Val> {
        self.split(f, span, &mut |this, alt| match alt.head {
            Head::Closure { .. } if !alt.parts.is_empty() => Ok(this.part(&alt, 0, span)),
            Head::Sealed { .. } => {
                let raw = this.part(&alt, 0, span);
                this.boundary(span).primal(&raw)
            }
            _ => Ok(this.narrowed(&alt)),
        })
    }

    pub fn not_lifted<T>(&mut self, span: Span) -> Result1<T> {
        self.fail(codes::NOT_LIFTED, span)
    }
}

/// Values as code is written that makes them.
struct Written<'s, 'a> {
    specialiser: &'s mut Specialiser<'a>,
    span: Span,
}

impl Boundary for Written<'_, '_> {
    type Value = Val;
    type Error = Stop;

    fn half(&mut self, pair: &Val, at: u32) -> Result1<Val> {
        self.specialiser.get(pair, &Field::Position(at), self.span)
    }

    fn pair(&mut self, first: Val, second: Val) -> Result1<Val> {
        self.specialiser.construct(Head::Tuple, vec![first, second], self.span)
    }

    fn primal(&mut self, image: &Val) -> Result1<Val> {
        if self.specialiser.nests_seals(image) {
            return self.specialiser.call(Kind::Primal, vec![image.clone()], self.span);
        }
        self.specialiser.primal_alternatives(image, self.span)
    }

    fn sealed(&mut self, raw: Val, Application { f, x }: Application<Val>, y: Val, modes: Vec<Mode>) -> Result1<Val> {
        self.specialiser.construct(Head::Sealed { modes: modes.into() }, vec![raw, f, x, y], self.span)
    }

    fn full(&mut self, of: &Val, d: Val) -> Result1<Val> {
        self.specialiser.full(of, &d, self.span)
    }

    fn accept(&mut self, y: &Val, d: Val) -> Result1<Val> {
        self.specialiser.accept(y, &d, self.span)
    }
}
