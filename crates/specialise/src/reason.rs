//! Why a step is left to the reference evaluator. All reasons are here, in words, with what to try.

use std::fmt;

use base::Span;
use calculus::Prim;

use crate::limits;

/// Why a step can't be specialised, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Dynamic {
    pub reason: Reason,
    pub span: Span,
}

/// Why a step can't be specialised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The program that was made is larger than `limits::WRITTEN` or `limits::SHAPES`.
    TooLarge,
    /// The shapes of states or results go on growing.
    Unsettled(Growth),
    /// J was applied more than `limits::ORDER` times.
    Order,
    NoDerivative(Prim),
    /// J⁻¹ of a function with an attached derivative, inside of data
    InverseOfAttached,
    /// J⁻¹ of data that holds a function which is no J-image
    InverseOfPlain,
    /// The J-image of recursive data was made in another form elsewhere.
    ImageOfRecursive,
    /// A value from before the step that is an error when somebody looks
    Uncomputed(Uncomputed),
    PowerOrder,
    Foreign,
    CheckRule,
    RandomOfRecursive,
    /// Only some elements of an array are arrays,
    SomeArrays,
    /// or of an array literal.
    SomeArraysOfLiteral,
    IndexOrRange,
    /// An array is updated with a value of another kind.
    OtherKind,
    MaybeFunction,
}

/// What doesn't stop growing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// The graph of shapes: `limits::WORK`
    Shapes,
    /// The number of instances: `limits::INSTANCES`
    Instances,
    /// The result of one instance: `limits::ANALYSES`
    Result,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uncomputed {
    Global,
    Value,
    Sensitivity,
}

impl Reason {
    /// May it go away if shapes are folded otherwise? What the program itself says doesn't.
    pub fn depends_on_folding(self) -> bool {
        match self {
            Reason::Unsettled(_) | Reason::Order | Reason::InverseOfAttached | Reason::InverseOfPlain => true,
            Reason::ImageOfRecursive | Reason::RandomOfRecursive | Reason::SomeArrays => true,
            Reason::SomeArraysOfLiteral | Reason::IndexOrRange | Reason::OtherKind | Reason::MaybeFunction => true,
            Reason::PowerOrder => true,
            Reason::TooLarge | Reason::NoDerivative(_) | Reason::Uncomputed(_) => false,
            Reason::Foreign | Reason::CheckRule => false,
        }
    }

    /// What to try.
    pub fn advice(self) -> &'static str {
        match self {
            Reason::TooLarge => "split the step into several, with `let` at top level between them",
            Reason::Unsettled(_) => {
                "keep what a recursion or a loop carries along of one kind: a list instead of tuples in tuples, one function \
                 with a parameter instead of functions around functions"
            }
            Reason::Order => "write the inner derivatives as functions of their own, or give the function a rule",
            Reason::NoDerivative(_) => "give the function that calls it a rule",
            Reason::InverseOfAttached | Reason::InverseOfPlain => "apply J_inv to functions that J made, directly",
            Reason::ImageOfRecursive => {
                "make the data inside the function that is differentiated, or apply J to its functions one by one"
            }
            Reason::Uncomputed(Uncomputed::Global) => "compute the value inside the function that uses it",
            Reason::CheckRule => "nothing: it is for tests, and compares with the reference evaluator by its nature",
            Reason::SomeArrays | Reason::SomeArraysOfLiteral => "give all elements one shape, or use a list of arrays",
            Reason::IndexOrRange => "write one function for an index and another for a range",
            Reason::OtherKind => "make both of one kind: `0.0` where the others are reals",
            Reason::MaybeFunction => "return the same kind of value from every branch of the rule",
            Reason::Uncomputed(_) | Reason::PowerOrder | Reason::Foreign | Reason::RandomOfRecursive => {
                "nothing is wrong with the program: it only runs slower there"
            }
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Reason::TooLarge => f.write_str("the specialised program is too large"),
            Reason::Unsettled(Growth::Shapes) => f.write_str("the shapes grow without settling"),
            Reason::Unsettled(Growth::Instances) => {
                write!(f, "more than {} instances: the shapes don't settle", limits::INSTANCES)
            }
            Reason::Unsettled(Growth::Result) => f.write_str("the shape of a result doesn't settle"),
            Reason::Order => write!(f, "J is applied more than {} times to one function", limits::ORDER),
            Reason::NoDerivative(prim) => write!(f, "`{prim}` has no derivative"),
            Reason::InverseOfAttached => f.write_str("J_inv of a function with an attached derivative"),
            Reason::InverseOfPlain => f.write_str("J_inv of data that holds an ordinary function"),
            Reason::ImageOfRecursive => f.write_str("J of recursive data whose J-image was made otherwise elsewhere"),
            Reason::Uncomputed(Uncomputed::Global) => f.write_str("a global that can't be computed"),
            Reason::Uncomputed(Uncomputed::Value) => f.write_str("a value that can't be computed"),
            Reason::Uncomputed(Uncomputed::Sensitivity) => f.write_str("a sensitivity that can't be added up"),
            Reason::PowerOrder => f.write_str("a power's order that isn't an int"),
            Reason::Foreign => f.write_str("functions of the host are called by the reference evaluator"),
            Reason::CheckRule => f.write_str("`check_rule` runs on the reference evaluator"),
            Reason::RandomOfRecursive => f.write_str("a random sensitivity of recursive data"),
            Reason::SomeArrays => f.write_str("an array whose elements are only sometimes arrays"),
            Reason::SomeArraysOfLiteral => f.write_str("an array literal of which only some elements are arrays"),
            Reason::IndexOrRange => f.write_str("an index of which it isn't known whether it is an int or a range"),
            Reason::OtherKind => f.write_str("an array is updated with a value of another kind"),
            Reason::MaybeFunction => f.write_str("a rule whose backpropagator may be no function"),
        }
    }
}
