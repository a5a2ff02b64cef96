//! What the operations on sensitivities do, decided by what their operands are at the top. This is the one home of ⊕, of full shapes and
//! of what fits what.
//!
//! In: the [`Top`]s of values and sensitivities, without their parts. Out: what is to be done with the parts.
//! The reference evaluator does it with values, the specialiser with shapes and code. Neither decides anything of it by itself.

pub mod fit;
pub mod full;
mod plus;

use std::rc::Rc;

use base::Name;
use calculus::Constructor;

pub use plus::{Addend, Of, Plus, Sum, belong_together, plus};

/// What a value or a sensitivity is at its top.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Top<'a> {
    /// The symbolic zero
    Zero,
    Real,
    Int,
    /// A boolean or a text: like ints, they carry no derivative.
    Discrete,
    /// Unit is the tuple without fields.
    Tuple(usize),
    Record(&'a [Name]),
    /// With so many fields
    Variant(&'a Rc<Constructor>, usize),
    /// A sensitivity of a tuple or a variant of which only these positions are known
    Part(Option<&'a Rc<Constructor>>, &'a [u32]),
    Array,
    /// A sensitivity of an array as a sum of contributions to parts of it
    Collected,
    /// The lengths of an array, which stand for it where nobody needs its elements
    Frame,
    /// A function over captures with these labels
    Closure(Rc<[Name]>),
    /// A primitive, under any number of Js
    Prim,
    /// A backpropagator as a program sees it
    Sealed,
    /// A sensitivity in the full shape of its value, which unfolds when somebody looks
    Full,
}

impl Top<'_> {
    pub fn is_unit(&self) -> bool {
        *self == Top::Tuple(0)
    }
}
