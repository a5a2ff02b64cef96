//! The terms of L4.
//!
//! Every variable is a leaf: a bool, an int, a real or a pointer. Control is structured, as on L3; each statement binds a list of
//! variables, each variable is bound once. The pointers in variables are owned: an operation *consumes* some of its operands and
//! *borrows* the others ([`Op::for_each_use`]).

use std::rc::Rc;

use base::{Code, Span};
use calculus::Prim;
use first_order::{Scalar, ShapeId};

use crate::layout::Layouts;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Var(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FunctionId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DescriptorId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Leaf {
    Bool,
    Int,
    Real,
    /// Null, an alternative without leaves (its tag, at most 4095), or an object.
    Ptr,
    /// A pointer that is always to an object.
    Object,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    pub functions: Vec<Function>,
    pub entry: FunctionId,
    pub descriptors: Vec<Descriptor>,
    /// Which descriptor and which leaves belong to which type of L3.
    pub layouts: Layouts,
    pub prims: Vec<PrimSite>,
    pub texts: Vec<Rc<str>>,
    /// The places that `Site` names, if the program was lowered for a survey of its memory.
    pub places: Option<Vec<Place>>,
}

/// A statement of L3 that makes objects.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    pub function: first_order::FunctionId,
    /// What the statement binds.
    pub var: first_order::Var,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    pub name: Rc<str>,
    pub params: Vec<Var>,
    pub results: Vec<Leaf>,
    /// The leaf of every variable, by number.
    pub vars: Vec<Leaf>,
    pub body: Block,
    pub span: Span,
    /// Do the pointers in its parameters stay its caller's? Then it counts nothing in what they point to, and several threads may run it.
    pub borrows: bool,
}

/// What the heap knows about an object; see `memory` and docs/dev/memory.md.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Descriptor {
    pub kind: Kind,
    /// Leaf words of the node, or of each element.
    pub words: u32,
    /// Which of these words are pointers.
    pub pointers: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    Node,
    /// The words of an element lie together.
    Array,
    /// The first words of all elements, then the second ones, and so on. Such an array never grows.
    Columns,
}

/// A place where a primitive is run by the runtime.
#[derive(Clone, PartialEq, Debug)]
pub struct PrimSite {
    pub prim: Prim,
    /// The shape of each argument, and the leaves it has among the words of the call.
    pub args: Vec<ShapeId>,
    pub arg_leaves: Vec<Vec<Leaf>>,
    pub result: ShapeId,
    pub result_leaves: Vec<Leaf>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    pub statements: Vec<Statement>,
    pub end: End,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    pub vars: Vec<Var>,
    pub op: Op,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum End {
    Yield(Vec<Atom>),
    /// Runs the body of the innermost loop again.
    Again(Vec<Atom>),
    /// Not reached.
    Never,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Atom {
    Var(Var),
    Bool(bool),
    Int(i64),
    Real(f64),
    /// A pointer leaf that isn't used.
    Null,
    /// A value of a named type: the alternative with this number, which has no leaves.
    Tag(u32),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Arm {
    /// Pointer variables that are null when the arm runs; it needn't release them.
    pub nulls: Vec<Var>,
    pub block: Block,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    /// A partial operation fails with the code of `eval`'s primitive.
    Scalar(Scalar, Vec<Atom>),
    /// The sum of two ints that is known to be in range.
    IndexAdd(Atom, Atom),
    /// The product of two ints that is known to be in range.
    IndexMul(Atom, Atom),
    /// Is `0 ≤ .0 < .1`?
    InRange(Atom, Atom),
    Call(FunctionId, Vec<Atom>),
    If(Atom, Box<Block>, Box<Block>),
    /// One arm for each value 0, 1, … of an int.
    Switch(Atom, Vec<Arm>),
    Loop {
        params: Vec<(Var, Atom)>,
        body: Box<Block>,
    },
    /// The sum of what the body yields, reals, for `index` = 0 … count-1 (count ≥ 0), in the order that `numerics::summation` defines.
    Sum {
        count: Atom,
        index: Var,
        body: Box<Block>,
    },
    /// Is a loop of `.0` turns of this cost, as in [`Pieces`], worth several threads?
    IsLarge(Atom, Vec<Cost>),
    /// A loop in pieces that may run at once. See [`Pieces`].
    Pieces(Box<Pieces>),
    /// A new node that holds these leaves, consumed.
    Node(DescriptorId, Vec<Atom>),
    /// Leaf `.2` of a node of such a descriptor. The node is borrowed; a pointer is read without its count, so it is retained next.
    Load(DescriptorId, Atom, u32),
    /// Gives up a node after its leaves were read: if nobody else sees it, it is freed and its pointers move to the variables they
    /// were read into (with their places), otherwise those are retained.
    Open {
        descriptor: DescriptorId,
        node: Atom,
        taken: Vec<(Var, u32)>,
    },
    IsObject(Atom),
    /// The tag of an alternative that is its pointer.
    TagOf(Atom),
    /// The pointer that is this tag.
    PointerOf(Atom),
    /// A new array of these lengths; its elements have no value yet. Fails if it is too large.
    NewArray(DescriptorId, Vec<Atom>),
    /// The leaves of element `at` (a flat number, in range) of an array, borrowed. Pointers are read without their counts.
    LoadElement {
        array: Atom,
        rank: u32,
        words: u32,
        at: Atom,
        /// Do its words lie in columns?
        columns: bool,
    },
    /// The same, but the pointers are moved out: the element is stored to next.
    TakeElement {
        array: Atom,
        rank: u32,
        words: u32,
        at: Atom,
        columns: bool,
    },
    /// Writes the leaves, consumed, of element `at` of an array, borrowed, that nobody else sees.
    StoreElement {
        array: Atom,
        rank: u32,
        at: Atom,
        leaves: Vec<Atom>,
        columns: bool,
    },
    /// The array of rank 1, consumed, with an element of these leaves, consumed, at its end: in place if nobody else sees it.
    Append {
        array: Atom,
        leaves: Vec<Atom>,
    },
    /// The length of axis `.1` of an array, borrowed.
    Axis(Atom, u32),
    /// The array itself, consumed, if nobody else sees it, else a copy.
    Unshare(Atom),
    /// The subarray behind `dropped` leading indices, from element `at` on; borrows.
    Row {
        array: Atom,
        dropped: u32,
        at: Atom,
    },
    /// The array with that subarray replaced; consumes both. Fails if the shapes don't fit.
    ReplaceRow {
        array: Atom,
        row: Atom,
        dropped: u32,
        at: Atom,
    },
    /// Puts row number `at` of `count` into an array (null at row 0: it is made); consumes both. Fails if the row is ragged.
    StoreRow {
        array: Atom,
        row: Atom,
        at: Atom,
        count: Atom,
    },
    /// Primitive number `.0` of the table; consumes.
    Prim(u32, Vec<Atom>),
    /// The product of two matrices of reals, borrowed. See [`Product`].
    Product(Box<Product>),
    /// The sensitivity of an array of these lengths that is `value` at element `at` (a flat number, in range) and zero elsewhere.
    OneHot {
        lengths: Vec<Atom>,
        at: Atom,
        value: Atom,
    },
    /// A sensitivity, consumed, plus such a one; primitive number `site` is ⊕.
    AddAt {
        site: u32,
        sum: Atom,
        lengths: Vec<Atom>,
        at: Atom,
        value: Atom,
    },
    /// The sensitivity of an array that is zero but for a part.
    Placed(Box<Placed>),
    /// A sensitivity, consumed, plus such a one; primitive number `site` is ⊕.
    AddPlaced {
        site: u32,
        sum: Atom,
        placed: Box<Placed>,
    },
    /// A sensitivity of an array of reals, consumed, as an array of this rank in which −0.0 is the symbolic zero.
    Dense(Atom, u32),
    /// The sum of two sensitivities of arrays, consumed; which of them are arrays of numbers rather than handles. Primitive number
    /// `site` is ⊕.
    Plus {
        site: u32,
        terms: [Atom; 2],
        plain: [bool; 2],
    },
    /// Text number `.0` of the table.
    Text(u32),
    Quiet(bool),
    /// What is made next is made by place number `.0` of the table.
    Site(u32),
    /// One more owner of a pointer.
    Retain(Atom),
    /// Gives up a pointer.
    Release(Atom),
    IsUnique(Atom),
    /// Fails with the code unless the condition holds.
    Require(Atom, Code),
    Fail(Code),
}

/// The loop from 0 to `count` - 1, cut in ranges that run in any order and on any thread. A function that borrows does one range.
///
/// No range reads what another writes and no two write the same element ([`crate::parallel`] proves it), so the bits don't depend on where
/// it is cut, nor on who runs which range.
#[derive(Clone, PartialEq, Debug)]
pub struct Pieces {
    /// Its parameters: the first number and the one behind the last; of a sum, where its values begin, and `values`; then `captures`. It has no
    /// results.
    pub function: FunctionId,
    pub count: Atom,
    /// What one number of the range costs, in units of about a nanosecond: a sum of products of lengths.
    pub work: Vec<Cost>,
    /// Borrowed.
    pub captures: Vec<Atom>,
    /// Of a sum in the order that `numerics::summation` defines: an array of reals, borrowed, that nobody else sees. Its elements are written
    /// from where the values begin on, and it may be shorter than `count`: then there are several rounds.
    pub values: Option<Atom>,
}

/// So many units, as often as the lengths multiplied say.
#[derive(Clone, PartialEq, Debug)]
pub struct Cost {
    pub units: u32,
    pub lengths: Vec<Atom>,
}

/// The product of an m×k and a k×n matrix. Each element is one chain of fma, as `numerics::product` says.
#[derive(Clone, PartialEq, Debug)]
pub struct Product {
    /// m, k, n; they fit the matrices.
    pub lengths: [Atom; 3],
    pub left: Matrix,
    pub right: Matrix,
    /// The array of this rank, borrowed, whose elements from this flat number on, m·n of them, are written; nobody else sees it. Without one m
    /// and n are 1, and the product is a real.
    pub out: Option<(Atom, u32, Atom)>,
}

/// Elements of an array of rank `rank`: that at (i, j) has the flat number `at` + i·`row` + j·`column`, in range.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Matrix {
    pub array: Atom,
    pub rank: u32,
    pub at: Atom,
    pub row: Atom,
    pub column: Atom,
}

/// A part of the sensitivity of an array.
#[derive(Clone, PartialEq, Debug)]
pub struct Placed {
    /// The primitive that places it, for parts that aren't reals.
    pub site: u32,
    /// Of the array.
    pub lengths: Vec<Atom>,
    /// The leaves of the index.
    pub index: Vec<Atom>,
    /// The flat number of the part's first element, in range; the part lies in one piece.
    pub at: Atom,
    /// How many elements the part has.
    pub count: Atom,
    /// The part, consumed.
    pub part: Atom,
    /// Is it an array of numbers rather than a handle?
    pub plain: bool,
}

/// What an operation does with an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    Consume,
    Borrow,
}

impl Op {
    /// The operands of the operation itself, not those of its blocks.
    pub fn for_each_use(&self, mut f: impl FnMut(&Atom, Use)) {
        use Use::{Borrow, Consume};
        let mut all = |atoms: &[Atom], how| atoms.iter().for_each(|atom| f(atom, how));
        match self {
            Op::Call(_, atoms) | Op::Node(_, atoms) | Op::Prim(_, atoms) => all(atoms, Consume),
            Op::Scalar(_, atoms) | Op::NewArray(_, atoms) => all(atoms, Borrow),
            Op::IndexAdd(a, b) | Op::IndexMul(a, b) | Op::InRange(a, b) => all(&[*a, *b], Borrow),
            Op::If(a, ..)
            | Op::Switch(a, _)
            | Op::Load(_, a, _)
            | Op::IsObject(a)
            | Op::TagOf(a)
            | Op::PointerOf(a)
            | Op::Axis(a, _)
            | Op::Retain(a)
            | Op::IsUnique(a)
            | Op::Require(a, _) => all(&[*a], Borrow),
            Op::Loop { params, .. } => params.iter().for_each(|(_, atom)| f(atom, Consume)),
            Op::Sum { count, .. } => all(&[*count], Borrow),
            Op::LoadElement { array, at, .. } | Op::TakeElement { array, at, .. } | Op::Row { array, at, .. } => {
                all(&[*array, *at], Borrow);
            }
            Op::StoreElement { array, at, leaves, .. } => {
                all(&[*array, *at], Borrow);
                all(leaves, Consume);
            }
            Op::Append { array, leaves } => {
                all(&[*array], Consume);
                all(leaves, Consume);
            }
            Op::Unshare(a) | Op::Release(a) | Op::Dense(a, _) | Op::Open { node: a, .. } => all(&[*a], Consume),
            Op::ReplaceRow { array, row, at, .. } => {
                all(&[*array, *row], Consume);
                all(&[*at], Borrow);
            }
            Op::StoreRow { array, row, at, count } => {
                all(&[*array, *row], Consume);
                all(&[*at, *count], Borrow);
            }
            Op::OneHot { lengths, at, value } => {
                all(lengths, Borrow);
                all(&[*at, *value], Borrow);
            }
            Op::AddAt { sum, lengths, at, value, .. } => {
                all(&[*sum], Consume);
                all(lengths, Borrow);
                all(&[*at, *value], Borrow);
            }
            Op::IsLarge(count, work) => {
                all(&[*count], Borrow);
                work.iter().for_each(|cost| all(&cost.lengths, Borrow));
            }
            Op::Pieces(pieces) => pieces.for_each_use(f),
            Op::Product(product) => product.for_each_use(f),
            Op::Placed(placed) => placed.for_each_use(f),
            Op::AddPlaced { sum, placed, .. } => {
                all(&[*sum], Consume);
                placed.for_each_use(f);
            }
            Op::Plus { terms, .. } => all(terms, Consume),
            Op::Text(_) | Op::Quiet(_) | Op::Site(_) | Op::Fail(_) => {}
        }
    }

    /// The operands of the operation itself, to change them.
    pub fn atoms_mut(&mut self, f: &mut dyn FnMut(&mut Atom)) {
        match self {
            Op::Call(_, atoms)
            | Op::Node(_, atoms)
            | Op::Prim(_, atoms)
            | Op::Scalar(_, atoms)
            | Op::NewArray(_, atoms) => {
                atoms.iter_mut().for_each(f);
            }
            Op::IndexAdd(a, b) | Op::IndexMul(a, b) | Op::InRange(a, b) => [a, b].into_iter().for_each(f),
            Op::If(a, ..)
            | Op::Switch(a, _)
            | Op::Load(_, a, _)
            | Op::IsObject(a)
            | Op::TagOf(a)
            | Op::PointerOf(a)
            | Op::Axis(a, _)
            | Op::Retain(a)
            | Op::Release(a)
            | Op::Unshare(a)
            | Op::Dense(a, _)
            | Op::Open { node: a, .. }
            | Op::IsUnique(a)
            | Op::Sum { count: a, .. }
            | Op::Require(a, _) => f(a),
            Op::Loop { params, .. } => params.iter_mut().for_each(|(_, atom)| f(atom)),
            Op::LoadElement { array, at, .. } | Op::TakeElement { array, at, .. } | Op::Row { array, at, .. } => {
                [array, at].into_iter().for_each(f);
            }
            Op::StoreElement { array, at, leaves, .. } => [array, at].into_iter().chain(leaves).for_each(f),
            Op::Append { array, leaves } => [array].into_iter().chain(leaves).for_each(f),
            Op::ReplaceRow { array, row, at, .. } => [array, row, at].into_iter().for_each(f),
            Op::StoreRow { array, row, at, count } => [array, row, at, count].into_iter().for_each(f),
            Op::OneHot { lengths, at, value } => lengths.iter_mut().chain([at, value]).for_each(f),
            Op::AddAt { sum, lengths, at, value, .. } => lengths.iter_mut().chain([sum, at, value]).for_each(f),
            Op::IsLarge(count, work) => {
                f(count);
                work.iter_mut().flat_map(|cost| &mut cost.lengths).for_each(f);
            }
            Op::Pieces(pieces) => pieces.atoms_mut(f),
            Op::Product(product) => product.atoms_mut(f),
            Op::Placed(placed) => placed.atoms_mut(f),
            Op::AddPlaced { sum, placed, .. } => {
                f(sum);
                placed.atoms_mut(f);
            }
            Op::Plus { terms, .. } => terms.iter_mut().for_each(f),
            Op::Text(_) | Op::Quiet(_) | Op::Site(_) | Op::Fail(_) => {}
        }
    }

    pub fn blocks_mut(&mut self, mut f: impl FnMut(&mut Block)) {
        match self {
            Op::If(_, yes, no) => {
                f(yes);
                f(no);
            }
            Op::Switch(_, arms) => arms.iter_mut().for_each(|arm| f(&mut arm.block)),
            Op::Loop { body, .. } | Op::Sum { body, .. } => f(body),
            _ => {}
        }
    }

    /// May it make objects, itself and not in its blocks or by a call?
    pub fn makes_objects(&self) -> bool {
        match self {
            Op::Node(..) | Op::NewArray(..) | Op::Append { .. } | Op::Unshare(_) | Op::Row { .. } => true,
            Op::ReplaceRow { .. } | Op::StoreRow { .. } | Op::Prim(..) | Op::OneHot { .. } | Op::AddAt { .. } => true,
            Op::Placed(_) | Op::AddPlaced { .. } | Op::Plus { .. } | Op::Dense(..) | Op::Text(_) => true,
            Op::Scalar(..) | Op::IndexAdd(..) | Op::IndexMul(..) | Op::InRange(..) | Op::Call(..) => false,
            Op::If(..) | Op::Switch(..) | Op::Loop { .. } | Op::Sum { .. } | Op::Load(..) | Op::Open { .. } => false,
            Op::IsObject(_) | Op::TagOf(_) | Op::PointerOf(_) | Op::LoadElement { .. } => false,
            Op::TakeElement { .. } | Op::StoreElement { .. } | Op::Axis(..) | Op::Quiet(_) | Op::Site(_) => false,
            Op::Retain(_) | Op::Release(_) | Op::IsUnique(_) | Op::Require(..) | Op::Fail(_) => false,
            Op::Product(_) | Op::Pieces(_) | Op::IsLarge(..) => false,
        }
    }

    /// Are the pointers it binds still owned by what it reads from?
    pub fn binds_borrowed(&self) -> bool {
        matches!(self, Op::Load(..) | Op::LoadElement { .. })
    }

    pub fn for_each_block(&self, mut f: impl FnMut(&Block)) {
        match self {
            Op::If(_, yes, no) => {
                f(yes);
                f(no);
            }
            Op::Switch(_, arms) => arms.iter().for_each(|arm| f(&arm.block)),
            Op::Loop { body, .. } | Op::Sum { body, .. } => f(body),
            _ => {}
        }
    }
}

impl Placed {
    fn atoms_mut(&mut self, f: &mut dyn FnMut(&mut Atom)) {
        self.lengths.iter_mut().chain(&mut self.index).for_each(&mut *f);
        [&mut self.at, &mut self.count, &mut self.part].into_iter().for_each(f);
    }

    fn for_each_use(&self, mut f: impl FnMut(&Atom, Use)) {
        f(&self.part, Use::Consume);
        self.lengths.iter().chain(&self.index).chain([&self.at, &self.count]).for_each(|atom| f(atom, Use::Borrow));
    }
}

impl Pieces {
    fn atoms_mut(&mut self, f: &mut dyn FnMut(&mut Atom)) {
        f(&mut self.count);
        self.work.iter_mut().flat_map(|cost| &mut cost.lengths).for_each(&mut *f);
        self.captures.iter_mut().chain(&mut self.values).for_each(f);
    }

    fn for_each_use(&self, mut f: impl FnMut(&Atom, Use)) {
        let lengths = self.work.iter().flat_map(|cost| &cost.lengths);
        let all = [&self.count].into_iter().chain(lengths).chain(&self.captures).chain(&self.values);
        all.for_each(|atom| f(atom, Use::Borrow));
    }
}

impl Product {
    fn atoms_mut(&mut self, f: &mut dyn FnMut(&mut Atom)) {
        self.lengths.iter_mut().for_each(&mut *f);
        for Matrix { array, at, row, column, .. } in [&mut self.left, &mut self.right] {
            [array, at, row, column].into_iter().for_each(&mut *f);
        }
        if let Some((out, _, at)) = &mut self.out {
            f(out);
            f(at);
        }
    }

    fn for_each_use(&self, mut f: impl FnMut(&Atom, Use)) {
        self.lengths.iter().for_each(|length| f(length, Use::Borrow));
        for Matrix { array, at, row, column, .. } in [&self.left, &self.right] {
            [array, at, row, column].into_iter().for_each(|atom| f(atom, Use::Borrow));
        }
        if let Some((out, _, at)) = &self.out {
            f(out, Use::Borrow);
            f(at, Use::Borrow);
        }
    }
}

impl Leaf {
    pub fn is_pointer(self) -> bool {
        matches!(self, Leaf::Ptr | Leaf::Object)
    }

    /// The leaf that isn't used.
    pub fn nothing(self) -> Atom {
        match self {
            Leaf::Bool => Atom::Bool(false),
            Leaf::Int => Atom::Int(0),
            Leaf::Real => Atom::Real(0.0),
            Leaf::Ptr | Leaf::Object => Atom::Null,
        }
    }
}
