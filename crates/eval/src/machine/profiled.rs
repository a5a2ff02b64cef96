//! Where the time of the evaluator goes ([`base::profile`]): samples that are due are charged to the instruction that has just run.

use base::{Part, Span, profile};
use calculus::Role;

use super::{Frame, Machine};

impl Machine {
    /// Charges what is due to an instruction, in the program itself: to the call that led into the library.
    pub(super) fn charge(&self, span: Span) {
        let samples = profile::is_due();
        if samples > 0 {
            profile::charge(self.place(span), samples);
        }
    }

    fn place(&self, span: Span) -> Span {
        let is_own = |span: Span| span.file.0 >= self.first_user_file;
        let (mut place, mut part) = (span, Part::Primal);
        for frame in self.frames.iter().rev() {
            let Frame::Call(call) = frame else { continue };
            let lambda = call.code.lambda(call.member);
            part = part.max(match lambda.role {
                Role::Backpropagator => Part::Back,
                Role::Forward => Part::Tangent,
                Role::Source | Role::Reverse => Part::Primal,
            });
            if is_own(place) {
                return place.in_part(part);
            }
            place = call.from;
        }
        if is_own(place) { place.in_part(part) } else { self.root.in_part(part) }
    }
}
