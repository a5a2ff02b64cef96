//! The heads of shapes as [`differentiate::sensitivities`] sees them.

use differentiate::sensitivities::Top;
use first_order::{Alternative, Head};

use crate::body::Alt;
use crate::codes::Codes;
use crate::instances::Specialiser;

impl Specialiser<'_> {
    /// What an alternative that a value is known to be is at its top.
    pub fn top<'a>(&self, alt: &'a Alt) -> Top<'a> {
        top(&alt.head, alt.parts.len(), &self.codes)
    }

    pub fn top_of<'a>(&self, one: &'a Alternative) -> Top<'a> {
        top(&one.head, one.parts.len(), &self.codes)
    }
}

fn top<'a>(head: &'a Head, parts: usize, codes: &Codes) -> Top<'a> {
    match head {
        Head::Zero => Top::Zero,
        Head::Real => Top::Real,
        Head::Int => Top::Int,
        Head::Bool | Head::Text => Top::Discrete,
        Head::Tuple => Top::Tuple(parts),
        Head::Record(labels) => Top::Record(labels),
        Head::Variant(constructor) => Top::Variant(constructor, parts),
        Head::Part(constructor, at) => Top::Part(constructor.as_ref(), at),
        Head::Array(_) => Top::Array,
        Head::Handle(_) => Top::Collected,
        Head::Frame(_) => Top::Frame,
        Head::Closure { code, .. } => Top::Closure(codes.get(*code).labels()),
        Head::Prim { .. } => Top::Prim,
        Head::Sealed { .. } => Top::Sealed,
        Head::Full => Top::Full,
    }
}
