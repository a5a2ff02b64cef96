//! Shapes: what values of an L3 type mean.
//!
//! A shape lists the alternatives that a value may be; each has a head (the kind of value) and parts. Shapes form a graph,
//! which is cyclic for recursive data; every cycle passes through a shape that is `named`.
//!
//! How a value of a shape is represented on L3 is fixed ([`Shapes::type_of`]): an alternative's content is the scalar, the
//! array, or the struct of its parts; a shape with one alternative is that content, one with several the sum of the contents
//! in their order (none: the empty struct, there is no value); a named shape is a named type with that as its content.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use base::Name;
use calculus::{Constructor, Prim};
use differentiate::Mode;
use rustc_hash::FxHashMap;

use crate::term::{NamedId, Type};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ShapeId(pub u32);

/// A function's code, by its place in a table that the maker of the program keeps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CodeId(pub u32);

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Shapes(pub Vec<Shape>, pub Types);

/// The types of shapes that were asked for. Shapes share their parts, and so do their types.
#[derive(Clone, Default)]
pub struct Types(RefCell<FxHashMap<ShapeId, Type>>);

impl PartialEq for Types {
    fn eq(&self, _: &Types) -> bool {
        true
    }
}

impl fmt::Debug for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Types")
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    pub alternatives: Vec<Alternative>,
    pub named: Option<NamedId>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Alternative {
    pub head: Head,
    pub parts: Vec<ShapeId>,
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Head {
    /// The symbolic zero.
    Zero,
    Bool,
    Int,
    Real,
    Text,
    /// Unit is the tuple without parts.
    Tuple,
    Record(Rc<[Name]>),
    Variant(Rc<Constructor>),
    /// A sensitivity of a tuple or variant of which only these positions are known.
    Part(Option<Rc<Constructor>>, Rc<[u32]>),
    /// An array of this rank; its one part is the shape of the elements.
    Array(u32),
    /// A sensitivity of an array of this rank, as the reference evaluator represents it. Its one part says what the
    /// elements' sensitivities may be; it has no influence on the representation.
    Handle(u32),
    /// The lengths of an array of this rank, as parts: what a rule remembers of an operand whose elements it doesn't need. To the
    /// reference evaluator it is the sensitivity that is zero everywhere.
    Frame(u32),
    /// A function: its code and, as parts, its captures.
    Closure {
        code: CodeId,
        member: u32,
    },
    /// `J^order` of a primitive.
    Prim {
        prim: Prim,
        order: u32,
    },
    /// A backpropagator as a program sees it, and what was applied to it since; parts: raw, f, x, y.
    Sealed {
        modes: Rc<[Mode]>,
    },
    /// A sensitivity in the full shape of its value, not yet unfolded; parts: the value, the sensitivity.
    Full,
}

impl From<Vec<Shape>> for Shapes {
    fn from(shapes: Vec<Shape>) -> Shapes {
        Shapes(shapes, Types::default())
    }
}

impl Shapes {
    pub fn get(&self, id: ShapeId) -> &Shape {
        &self.0[id.0 as usize]
    }

    /// How values of a shape are represented.
    pub fn type_of(&self, id: ShapeId) -> Type {
        if let Some(name) = self.get(id).named {
            return Type::Named(name);
        }
        if let Some(known) = self.1.0.borrow().get(&id) {
            return known.clone();
        }
        let content = self.content_of(id);
        self.1.0.borrow_mut().insert(id, content.clone());
        content
    }

    /// Like [`Shapes::type_of`], but for a named shape what is inside.
    pub fn content_of(&self, id: ShapeId) -> Type {
        match &self.get(id).alternatives[..] {
            [] => Type::Struct(Rc::from([])),
            [one] => self.alternative_type(one),
            several => Type::Sum(several.iter().map(|one| self.alternative_type(one)).collect()),
        }
    }

    pub fn alternative_type(&self, alternative: &Alternative) -> Type {
        match &alternative.head {
            Head::Bool => Type::Bool,
            Head::Int => Type::Int,
            Head::Real => Type::Real,
            Head::Text => Type::Text,
            Head::Handle(_) => Type::Handle,
            Head::Array(rank) => Type::Array(Rc::new(self.type_of(alternative.parts[0])), *rank),
            Head::Zero
            | Head::Tuple
            | Head::Record(_)
            | Head::Variant(_)
            | Head::Part(..)
            | Head::Frame(_)
            | Head::Closure { .. }
            | Head::Prim { .. }
            | Head::Sealed { .. }
            | Head::Full => Type::Struct(alternative.parts.iter().map(|part| self.type_of(*part)).collect()),
        }
    }
}
