//! The terms of L1.
//!
//! A function's variables are numbered: 0 is the parameter, then one for each capture of its group, then one
//! for each member of the group (itself included), then everything its body binds.

use std::rc::Rc;

use base::{Name, Span};

use crate::Prim;

/// The labels of what a T-image captures: the function itself, and the tangent of its captures.
pub const PRIMAL: &str = "primal";
pub const TANGENT: &str = "tangent";

/// A variable of the enclosing function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Var(pub u32);

/// A top-level definition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct GlobalId(pub u32);

/// A constant that a program refers to by name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Root {
    Global(GlobalId),
    Prim(Prim),
    /// `reverse_p` of the library: what J of the primitive is.
    Reverse(Prim),
    /// `forward_p` of the library: `(x, dx) => (p(x), dy)`.
    Forward(Prim),
}

/// What needs no evaluation.
#[derive(Clone, PartialEq, Debug)]
pub enum Atom {
    Var(Var),
    Const(Const),
    /// `J^order` of a top-level name or primitive: constants have no sensitivity, but they are differentiated.
    Root(Root, u32),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Const {
    Unit,
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(Rc<str>),
    /// The symbolic zero: absorbing, never observable.
    Zero,
}

/// What a binding computes. `order` counts how often J was applied to the code that holds the node.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    Atom(Atom),
    /// `f(x)`. In code that J made (order > 0) the callee must be a J-image of that order (check C1).
    Apply {
        f: Atom,
        x: Atom,
        order: u32,
    },
    /// A backpropagator applied in derived code: linear, so applied to 0 it is 0 without being run.
    Pull {
        b: Atom,
        d: Atom,
        order: u32,
    },
    /// T of the function `f` whose captures change by `d`: from `(x, dx)` to `(y, dy)`. It captures `f` and `d`,
    /// labelled [`PRIMAL`] and [`TANGENT`]. `order` counts the Js since T: f is a J-image of that order, and so is
    /// the result.
    Tangent {
        f: Atom,
        d: Atom,
        order: u32,
    },
    Tuple(Vec<Atom>),
    Record(Vec<(Name, Atom)>),
    Variant(Rc<Constructor>, Vec<Atom>),
    /// An array literal.
    Array(Vec<Atom>),
    /// One part of a value.
    Get(Atom, Field),
    /// The sensitivity that has `d` in one part and 0 everywhere else: the reverse of `Get`.
    Inject(Field, Atom),
    /// `{r with label: v}`
    With(Atom, Name, Atom),
    /// A sensitivity without the part `label`: the reverse of `With`.
    Omit(Atom, Name),
    /// `a ⊕ b` in derived code.
    Plus(Atom, Atom),
    /// Does the value have this form?
    Is(Atom, Form),
    /// The value itself, after a check of its form.
    Check(Atom, Form),
    If(Atom, Box<Block>, Box<Block>),
    /// Ends the program with an error about these values.
    Fail(Failure, Vec<Atom>),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Field {
    /// `.0` of a tuple
    Position(u32),
    /// `.x` of a record
    Name(Name),
    /// `x` of a sensitivity that is a record: a missing field is zero
    Label(Name),
    /// Field number `1` of a value made by the constructor
    Payload(Rc<Constructor>, u32),
    /// Element `0` of an array of length `1`
    Element(u32, u32),
    /// The value that a function captures under this label
    Capture(Name),
    /// Member `0` of a function's group, over the same captures
    Member(u32),
}

/// What a pattern asks of a value.
#[derive(Clone, PartialEq, Debug)]
pub enum Form {
    /// The arguments of a function with this many parameters (not one)
    Arguments(u32),
    /// A tuple in a pattern
    Tuple(u32),
    /// An array of this length in a pattern
    Array(u32),
    /// A record with at least these fields
    Record(Vec<Name>),
    Constructor(Rc<Constructor>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// No arm of a `match` fits the value.
    NoMatch,
    /// The pattern of a `let` or parameter doesn't fit the value.
    Pattern,
    /// An `assert` doesn't hold; the values are the two sides of its comparison, if it is one.
    Assertion,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    pub bindings: Vec<Binding>,
    pub result: Atom,
    /// Where the result stands in the source.
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Binding {
    Let {
        var: Var,
        expr: Expr,
        span: Span,
    },
    /// Binds every member of `J^lifted` of a group of functions (elaboration writes 0; each J of the code around
    /// it adds one). `captured[i]` is the outer value of capture i.
    Functions {
        vars: Vec<Var>,
        group: Rc<Group>,
        lifted: u32,
        captured: Vec<Atom>,
        span: Span,
    },
}

/// Functions that are defined together and share one record of captures.
#[derive(Clone, PartialEq, Debug)]
pub struct Group {
    /// The labels of the sensitivity record: names in the source, in the order of their first use.
    pub captures: Vec<Name>,
    pub members: Vec<Lambda>,
    /// How often J was applied to this code.
    pub order: u32,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Lambda {
    /// The name in the source; for derived code, the name of what it was derived from.
    pub name: Option<Name>,
    pub role: Role,
    pub span: Span,
    /// The names of all variables: parameter, captures, members, then the body's.
    pub vars: Vec<Name>,
    pub body: Block,
    pub rules: Vec<Rule>,
    /// Top-level names that the function mentions: labels that a rule may return without effect (C2).
    pub mentions: Vec<Name>,
}

/// How a function came to be: errors and traces say so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Written by the programmer.
    Source,
    /// `J` of a function.
    Reverse,
    /// The backpropagator of a function.
    Backpropagator,
    /// `T` of a function, or the linear part of its rule.
    Forward,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleKind {
    Reverse,
    Forward,
    Transpose,
}

/// A custom derivative. Its code is a group of one function that captures what the ruled function's group
/// captures, in the same order, followed by the members of that group.
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    pub kind: RuleKind,
    pub code: Rc<Group>,
    /// The reason why the rule is not expected to agree with the function.
    pub approximate: Option<Rc<str>>,
    pub span: Span,
}

/// A constructor of a declared type.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Constructor {
    pub name: Name,
    pub type_name: Name,
    /// Which constructor of its type, counted from zero.
    pub tag: u32,
    pub fields: Vec<Name>,
}

/// An elaborated file: functions exist before anything runs, steps run in order.
#[derive(Clone, Debug, Default)]
pub struct Module {
    pub functions: Vec<(GlobalId, Rc<Group>)>,
    pub steps: Vec<Step>,
}

/// One thing that a file does when it runs. The code is a group of one function of `()` without captures.
#[derive(Clone, Debug)]
pub struct Step {
    pub kind: StepKind,
    pub code: Rc<Group>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum StepKind {
    /// The code gives a tuple with a value for each of these.
    Define(Vec<GlobalId>),
    /// An expression at top level: its value is shown.
    Show,
    Test(Rc<str>),
}

impl Lambda {
    pub fn rule(&self, kind: RuleKind) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.kind == kind)
    }
}

impl Group {
    pub fn capture_var(&self, capture: usize) -> Var {
        Var(1 + capture as u32)
    }

    pub fn member_var(&self, member: usize) -> Var {
        Var(1 + (self.captures.len() + member) as u32)
    }

    /// The first variable that a body may bind.
    pub fn first_local(&self) -> Var {
        self.member_var(self.members.len())
    }
}

impl Block {
    /// Calls `see` on every atom of the block, nested blocks included.
    pub fn each_atom<'a>(&'a self, see: &mut dyn FnMut(&'a Atom)) {
        base::budget::deep(|| {
            for binding in &self.bindings {
                match binding {
                    Binding::Let { expr, .. } => expr.each_atom(see),
                    Binding::Functions { captured, .. } => captured.iter().for_each(&mut *see),
                }
            }
            see(&self.result);
        })
    }
}

impl Expr {
    /// Calls `see` on every atom of the expression, nested blocks included.
    pub fn each_atom<'a>(&'a self, see: &mut dyn FnMut(&'a Atom)) {
        match self {
            Expr::Atom(a) | Expr::Get(a, _) | Expr::Inject(_, a) | Expr::Omit(a, _) => see(a),
            Expr::Is(a, _) | Expr::Check(a, _) => see(a),
            Expr::Apply { f: a, x: b, .. } | Expr::Pull { b: a, d: b, .. } | Expr::Tangent { f: a, d: b, .. } => {
                [a, b].into_iter().for_each(see)
            }
            Expr::With(a, _, b) | Expr::Plus(a, b) => [a, b].into_iter().for_each(see),
            Expr::Tuple(atoms) | Expr::Variant(_, atoms) | Expr::Array(atoms) | Expr::Fail(_, atoms) => {
                atoms.iter().for_each(see)
            }
            Expr::Record(fields) => fields.iter().for_each(|(_, a)| see(a)),
            Expr::If(c, then, otherwise) => {
                see(c);
                then.each_atom(see);
                otherwise.each_atom(see);
            }
        }
    }
}
