//! Between the typed values of L3 and those of the reference evaluator, by shape.
//!
//! [`to_value`] always succeeds on a value of the shape's type; [`from_value`] says why a value isn't of the shape. Both keep
//! what is shared shared, and go however deep.

mod from;
mod to;

use std::rc::Rc;

use crate::shape::{CodeId, ShapeId, Shapes};
use crate::value::Value;

/// The code of functions, by the ids that shapes mention.
pub trait Codes {
    fn code(&self, id: CodeId) -> Rc<eval::Code>;

    /// Is it this code? Who derives it anew gets the same in another group.
    fn is(&self, id: CodeId, code: &Rc<eval::Code>) -> bool {
        Rc::ptr_eq(&self.code(id).group, &code.group)
    }
}

/// A table of codes; a program without functions in its shapes needs none.
impl Codes for [Rc<eval::Code>] {
    fn code(&self, id: CodeId) -> Rc<eval::Code> {
        self[id.0 as usize].clone()
    }
}

impl Codes for Vec<Rc<eval::Code>> {
    fn code(&self, id: CodeId) -> Rc<eval::Code> {
        self[id.0 as usize].clone()
    }
}

/// Why a value isn't of a shape.
#[derive(Clone, PartialEq, Debug)]
pub struct Mismatch(pub String);

/// The evaluator's value for a value of this shape.
pub fn to_value(shapes: &Shapes, codes: &dyn Codes, shape: ShapeId, value: &Value) -> eval::Value {
    to::Conversion::new(shapes, codes).value(shape, value)
}

/// No elements of this shape, as an array of the evaluator has them.
pub fn no_elements(shapes: &Shapes, codes: &dyn Codes, shape: ShapeId) -> eval::array::Elements {
    to::Conversion::new(shapes, codes).no_elements(shape)
}

/// A value of this shape, if the evaluator's value is one.
pub fn from_value(shapes: &Shapes, codes: &dyn Codes, shape: ShapeId, value: &eval::Value) -> Result<Value, Mismatch> {
    from::Conversion::new(shapes, codes).value(shape, value)
}

pub use to::record;

impl From<Mismatch> for crate::interpret::Stop {
    fn from(Mismatch(text): Mismatch) -> Self {
        crate::interpret::Stop::Mismatch(text)
    }
}
