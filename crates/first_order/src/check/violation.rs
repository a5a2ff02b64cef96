//! What can be wrong with a program of L3.

use std::fmt;

use base::Span;
use calculus::Prim;

use crate::shape::ShapeId;
use crate::term::{FunctionId, NamedId, Type, Var};

/// One broken rule and where.
#[derive(Clone, PartialEq, Debug)]
pub struct Violation {
    /// None: in the tables of the program.
    pub function: Option<FunctionId>,
    pub span: Span,
    pub rule: Rule,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Rule {
    // Types and shapes
    UnknownType(NamedId),
    /// A definition that is a name of a name of … itself.
    EmptyDefinition(NamedId),
    ArrayOfArrays,
    ArrayWithoutAxes,
    UnknownShape(ShapeId),
    /// The head has another number of parts.
    Parts(ShapeId),
    /// A cycle of shapes without a name.
    Endless(ShapeId),
    /// The named type of a shape has another content.
    Content(ShapeId),
    // Variables
    UnknownVariable(Var),
    BoundTwice(Var),
    /// Used where no binding has run.
    NotBound(Var),
    // Operations
    Mismatch {
        expected: Type,
        found: Type,
    },
    /// An operand or result of another kind of type.
    Kind {
        expected: &'static str,
        found: Type,
    },
    /// A view of a type as one that has other bits.
    View {
        from: Type,
        to: Type,
    },
    /// Another number of operands, arms or parameters.
    Count {
        expected: usize,
        found: usize,
    },
    /// A field or alternative that the type doesn't have.
    NoSuchPart(u32),
    NoSuchTranscendental(u16),
    TooManyIndices,
    NoIndices,
    UnknownFunction(FunctionId),
    /// A primitive that calls functions.
    NotFirstOrder(Prim),
    /// `quiet` pairs that don't nest within a block.
    Quiet,
    // Ends
    AgainOutsideLoop,
    AgainNotLast,
    NeverWithoutFail,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Span { file, start, end } = self.span;
        match self.function {
            Some(function) => write!(f, "f{} at {}:{start}..{end}: {:?}", function.0, file.0, self.rule),
            None => write!(f, "{:?}", self.rule),
        }
    }
}
