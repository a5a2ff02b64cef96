//! The terms of L3: first-order, monomorphic, pure.
//!
//! A program is a list of functions over a list of named types. Every variable has a type that is known; closures are
//! structs, the choice between several kinds of value is a sum, recursion of types goes through names. Control is
//! structured: `if`, `switch`, `loop`, calls. Nothing here knows memory: that is L4's business.

use std::rc::Rc;

use base::{Code, Span};
use calculus::Prim;

use crate::shape::{ShapeId, Shapes};

/// A variable of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Var(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FunctionId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NamedId(pub u32);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Bool,
    Int,
    Real,
    Text,
    /// A value that only primitives look into: sensitivities of arrays while they are being collected.
    Handle,
    /// Fields one after the other; the empty struct is unit and has no size.
    Struct(Rc<[Type]>),
    /// One of several alternatives, and which.
    Sum(Rc<[Type]>),
    /// A rectangular array of this rank (at least 1); elements are never arrays.
    Array(Rc<Type>, u32),
    /// A node on the heap that holds the content of the definition: the only way for a type to be recursive.
    Named(NamedId),
}

/// A named type. Values of it are made by `Op::Box` and opened by `Op::Unbox`.
#[derive(Clone, PartialEq, Debug)]
pub struct Definition {
    pub name: Rc<str>,
    pub content: Type,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    pub types: Vec<Definition>,
    /// What values of a type mean, for primitives and at the border to the reference evaluator's values.
    pub shapes: Shapes,
    pub functions: Vec<Function>,
    /// The function that is the program, and the shapes of its parameters and of its result.
    pub entry: FunctionId,
    pub parameters: Vec<ShapeId>,
    pub result: ShapeId,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    pub name: Rc<str>,
    pub params: Vec<Var>,
    pub result: Type,
    pub body: Block,
    /// The type of every variable, by number.
    pub vars: Vec<Type>,
    /// Where the source of the function stands.
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    pub statements: Vec<Statement>,
    pub end: End,
}

/// `var = op`. Each variable is bound once in its function, and used only where its binding has run.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    pub var: Var,
    pub op: Op,
    pub span: Span,
}

/// How a block ends.
#[derive(Clone, PartialEq, Debug)]
pub enum End {
    /// The value of the block.
    Yield(Atom),
    /// Runs the body of the innermost loop again with these parameters. Only in tail position of that loop's body.
    Again(Vec<Atom>),
    /// Not reached: the last statement fails.
    Never,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Atom {
    Var(Var),
    /// The empty struct.
    Unit,
    Bool(bool),
    Int(i64),
    Real(f64),
}

/// What a statement computes; the type of the result is that of the variable it binds.
#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    Atom(Atom),
    Text(Rc<str>),
    /// Arithmetic on scalars.
    Scalar(Scalar, Vec<Atom>),
    Struct(Vec<Atom>),
    Field(Atom, u32),
    /// Alternative `.0` of the sum that the variable's type is.
    Inject(u32, Atom),
    /// One arm for each alternative of a sum; an arm binds the content of its alternative.
    Switch(Atom, Vec<(Var, Block)>),
    If(Atom, Box<Block>, Box<Block>),
    /// The named type that the variable's type is, holding this content.
    Box(Atom),
    /// The content of a value of a named type.
    Unbox(Atom),
    /// The same bits under another type: the two types differ only in which named types they mention (their contents
    /// agree in the same way). J of recursive data that holds functions is such a change of view.
    View(Atom),
    Call(FunctionId, Vec<Atom>),
    /// Runs the body with the parameters bound to the first values; `Again` starts it anew, `Yield` ends it.
    Loop {
        params: Vec<(Var, Atom)>,
        body: Box<Block>,
    },
    /// The array of the values of the body for `index` = 0 … n-1 (none if n < 0). If the body yields arrays, they must have one
    /// shape, and the result is the array of higher rank. The body has no `Again` of an outer loop.
    Tabulate {
        n: Atom,
        index: Var,
        body: Box<Block>,
    },
    /// The sum of the values of the body, reals, for `index` = 0 … n-1, added in the order that `numerics::summation` defines. The body
    /// has no `Again` of an outer loop.
    Sum {
        n: Atom,
        index: Var,
        body: Box<Block>,
    },
    /// An array of these elements (arrays of one shape: an array of higher rank).
    Array(Vec<Atom>),
    /// The length of the first axis.
    Len(Atom),
    /// The length of another axis.
    Axis(Atom, u32),
    /// All elements of an array of more axes, in their order, as an array of one axis.
    Flat(Atom),
    /// The array of one axis as one of these lengths (two or more), whose product is its length.
    Shaped(Atom, Vec<Atom>),
    /// The sensitivity of an array of reals, a handle, as an array of its rank in which −0.0 is the symbolic zero and nothing else.
    Dense(Atom),
    /// Such an array as a handle.
    Collected(Atom),
    /// The element at these indices, or with fewer indices than axes the array of lower rank. Fails if an index is out of range.
    Element(Atom, Vec<Atom>),
    /// The array with another element (or row) at these indices. Fails if an index is out of range, or the row's shape differs.
    Replace(Atom, Vec<Atom>, Atom),
    /// The array of rank 1 with one more element at its end. Made in place, in constant time on average, if nobody else sees the
    /// array.
    Append(Atom, Atom),
    /// A primitive of L1 (none that calls functions) on values of these shapes. May fail; prints if it is `print`.
    Prim {
        prim: Prim,
        args: Vec<Atom>,
        shapes: Vec<ShapeId>,
        result: ShapeId,
    },
    /// Prints are dropped (true) until the matching `Quiet(false)`; pairs nest.
    Quiet(bool),
    /// Ends the program with an error of this code unless the condition holds; unit.
    Require(Atom, Code),
    /// Ends the program with an error of this code.
    Fail(Code),
}

/// Operations on scalars. Real arithmetic is IEEE binary64, never contracted. Those marked as partial fail.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    // Reals
    Add,
    Sub,
    Mul,
    Div,
    Neg,
    Abs,
    /// −1, 0, 1 with the sign; NaN and zeros stay themselves.
    Sign,
    /// The smaller; a tie goes to the first, NaN wins.
    Minimum,
    Maximum,
    /// The remainder with the sign of the divisor.
    Remainder,
    Floor,
    Ceil,
    /// To nearest, halves to even.
    Round,
    Trunc,
    Sqrt,
    /// A transcendental of the `numerics` crate, by its place in `numerics::FUNCTIONS`.
    Function(u16),
    /// `b (b-1) … (b-k+1) a^(b-k)` of (a, b, k: int)
    PowerSlope,
    /// `a^b log(a)^k` of (a, b, k: int)
    PowerLog,
    /// Comparisons of reals give booleans; with NaN they are false (`Ne`: true).
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    IsNan,
    IsFinite,
    /// Is it −0.0, the symbolic zero in a sensitivity of an array?
    IsHole,
    // Ints; partial where the result is outside the range or the divisor is zero
    IntAdd,
    IntSub,
    IntMul,
    IntNeg,
    IntAbs,
    IntSign,
    IntMinimum,
    IntMaximum,
    /// Rounded towards minus infinity.
    IntDiv,
    IntMod,
    IntPow,
    IntEq,
    IntNe,
    IntLt,
    IntLe,
    IntGt,
    IntGe,
    /// An int of which it is known that it is the length of an array.
    Length,
    // Conversions
    /// An int as a real.
    ToReal,
    /// The whole part of a real as an int; partial.
    ToInt,
    /// 1.0 for true, 0.0 for false.
    BoolToReal,
    // Booleans
    Not,
    BoolEq,
    /// `c ? a : b` of (bool, real, real).
    Select,
}
