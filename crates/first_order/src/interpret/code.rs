//! Functions made ready to run: flat instruction lists with jumps, in which the last use of every variable is marked, so that
//! running moves values and updates arrays in place when nobody else sees them.

use std::rc::Rc;

use base::Span;
use calculus::Prim;

use crate::shape::ShapeId;
use crate::term::Scalar;
use crate::value::Value;

pub(super) struct Code {
    pub instructions: Vec<Instruction>,
    pub slots: usize,
    pub params: Vec<u32>,
}

pub(super) struct Instruction {
    pub action: Action,
    pub span: Span,
}

pub(super) enum Operand {
    Const(Value),
    Slot(u32),
    /// The last use of a slot: its value is moved out.
    Last(u32),
}

pub(super) enum Action {
    Bind(u32, Simple),
    Call {
        dest: u32,
        function: u32,
        args: Vec<Operand>,
    },
    /// A call whose value is the value of the function: it takes the caller's place.
    TailCall {
        function: u32,
        args: Vec<Operand>,
    },
    /// Goes on at the next instruction if the condition holds, else at `otherwise`.
    Branch {
        condition: Operand,
        otherwise: usize,
    },
    /// For each alternative the slot of its content and where to go on.
    Switch {
        on: Operand,
        arms: Vec<(u32, usize)>,
    },
    Jump(usize),
    /// All operands are read before any slot is written.
    Assign(Vec<(u32, Operand)>),
    /// Opens a table of `n` rows and goes on at the next instruction, or at `exit` if there are none.
    Table {
        dest: u32,
        n: Operand,
        index: u32,
        kind: Kind,
        exit: usize,
    },
    /// One more row of the innermost table: goes on at `body`, or at the next instruction when it is full.
    Row {
        dest: u32,
        value: Operand,
        index: u32,
        kind: Kind,
        body: usize,
    },
    /// These slots aren't read any more.
    Forget(Vec<u32>),
    Return(Operand),
}

/// What is computed at once.
pub(super) enum Simple {
    Move(Operand),
    Text(Rc<str>),
    Scalar(Scalar, Vec<Operand>),
    Struct(Vec<Operand>),
    Field(Operand, u32),
    Inject(u32, Operand),
    Box(Operand),
    Unbox(Operand),
    Array(Kind, Vec<Operand>),
    Len(Operand),
    Axis(Operand, u32),
    Flat(Operand),
    Dense(usize, Operand),
    Collected(Operand),
    Shaped(Operand, Vec<Operand>),
    Element(Operand, Vec<Operand>),
    Replace(Operand, Vec<Operand>, Operand),
    Append(Operand, Operand),
    Prim(Box<Application>),
    Quiet(bool),
    Require(Operand, base::Code),
    Fail(base::Code),
}

pub(super) struct Application {
    pub prim: Prim,
    pub args: Vec<Operand>,
    pub shapes: Vec<ShapeId>,
    pub result: ShapeId,
}

/// What kind of array is made.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    pub real: bool,
    pub rank: usize,
    /// Not the array, but the sum of its elements, reals.
    pub summed: bool,
}
