//! One-level views of the tree: what a node means, with its children as node ids.
//!
//! Nothing is stored here. `Tree::expr`, `Tree::pattern` and `Tree::statement` look at one node and
//! answer with one of these; children that the parser couldn't find are `Error` nodes, never absent.

use base::{Name, Span};

use crate::tree::NodeId;

/// A name at its place in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ident {
    pub name: Name,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Statement {
    /// `let p = e`
    Let {
        pattern: NodeId,
        value: NodeId,
    },
    /// `fn f(x, y) = e` or `fn f(x) { … }`, with its rule clauses
    Fn(Function),
    Expr(NodeId),
    /// `type List = Nil | Cons(head, tail)` (top level only)
    Type {
        name: Ident,
        constructors: Vec<Constructor>,
    },
    /// `import "path"`, `import linalg`, `import … as name` (top level only)
    Import(Import),
    /// `test "name" { … }` (top level only); the body is a block
    Test {
        name: String,
        body: NodeId,
    },
    Error,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    pub name: Ident,
    /// Patterns. One pattern: the argument itself; several or none: the tuple of them.
    pub params: Vec<NodeId>,
    /// What each parameter is where the command line doesn't say: only `main` has such.
    pub defaults: Vec<Option<NodeId>>,
    pub body: NodeId,
    /// Rules written after the declaration that belong to this function (not to an inner one).
    pub rules: Vec<Rule>,
    /// The text of `///` comments directly above.
    pub doc: Option<String>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Constructor {
    pub name: Ident,
    pub fields: Vec<Ident>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Import {
    pub source: ImportSource,
    /// Where the path or name stands.
    pub span: Span,
    pub alias: Option<Ident>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ImportSource {
    Path(String),
    Library(Name),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleKind {
    Reverse,
    Forward,
    Transpose,
}

/// `reverse p => e`, `forward p => e`, `transpose p => e`, optionally `approximate "reason"`.
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    pub kind: RuleKind,
    /// One pattern, or the patterns of a parenthesised list `(x, y)`, as in a function value.
    pub params: Vec<NodeId>,
    pub body: NodeId,
    pub approximate: Option<String>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    Error,
    Int(i64),
    Real(f64),
    Bool(bool),
    /// `"text {expr}"`
    Text(Vec<TextPart>),
    Name(Name),
    Paren(NodeId),
    /// `()` or `(a, b, …)`; never of length one
    Tuple(Vec<NodeId>),
    Record(Vec<(Ident, NodeId)>),
    /// `{r with x: e, y: e}` or `{a with [i]: v}`
    With {
        base: NodeId,
        updates: Vec<Update>,
    },
    Array(Vec<NodeId>),
    /// `[e for i in 0..n, x in xs if c]`
    Comprehension(Comprehension),
    /// `f(a, b)`: all arguments; `sum(e for k in 0..n)`: one argument that is a `Generator` expression
    Call {
        callee: NodeId,
        args: Vec<NodeId>,
    },
    /// A generator as sole argument of a call: means the array of its values
    Generator(Comprehension),
    /// `e.x`
    Field {
        base: NodeId,
        field: Ident,
    },
    /// `e.0`
    Position {
        base: NodeId,
        index: u32,
        index_span: Span,
    },
    Index {
        base: NodeId,
        indices: Vec<IndexArg>,
    },
    /// `x => e`, `(x, y) => e`, `() => e`, `λx => e`
    Lambda {
        params: Vec<NodeId>,
        body: NodeId,
        rules: Vec<Rule>,
    },
    Unary {
        op: UnaryOp,
        operand: NodeId,
    },
    /// `&&`, `||`, `|>`, `<~`, `⊕`, `..` included
    Binary {
        op: BinaryOp,
        op_span: Span,
        left: NodeId,
        right: NodeId,
    },
    If {
        condition: NodeId,
        then: NodeId,
        otherwise: Option<NodeId>,
    },
    Match {
        scrutinee: NodeId,
        arms: Vec<Arm>,
    },
    /// `{ …; e }`: statements, the last one being the value if it is an expression; `{}` after `if` is empty
    Block(Vec<NodeId>),
}

#[derive(Clone, PartialEq, Debug)]
pub enum TextPart {
    Literal(String),
    /// `{e}` or `{e:.3}`
    Expr {
        value: NodeId,
        format: Option<Format>,
    },
}

/// How a value is written into a text: what stands behind the colon.
#[derive(Clone, PartialEq, Debug)]
pub struct Format {
    pub text: String,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Update {
    Field(Ident, NodeId),
    Index { indices: Vec<IndexArg>, span: Span, value: NodeId },
}

#[derive(Clone, PartialEq, Debug)]
pub enum IndexArg {
    At(NodeId),
    /// `i..j`, `..j`, `i..`, `..`
    Range(Option<NodeId>, Option<NodeId>),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Comprehension {
    pub body: NodeId,
    pub clauses: Vec<Clause>,
    pub filter: Option<NodeId>,
}

/// `p in e`, where e may be a range
#[derive(Clone, PartialEq, Debug)]
pub struct Clause {
    pub pattern: NodeId,
    pub source: NodeId,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Arm {
    pub pattern: NodeId,
    pub guard: Option<NodeId>,
    pub body: NodeId,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    Negate,
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    MatMul,
    Power,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
    /// `⊕`
    Plus,
    /// `<~`
    Attach,
    /// `|>`
    Pipe,
    /// `..`
    Range,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Pattern {
    Error,
    /// `_`
    Wild,
    /// A name: a constructor if one is declared (elaboration decides), otherwise it binds
    Name(Name),
    Int(i64),
    Real(f64),
    Bool(bool),
    Text(String),
    Paren(NodeId),
    Tuple(Vec<NodeId>),
    /// `{x: p, y}`: `y` alone binds y
    Record(Vec<(Ident, Option<NodeId>)>),
    /// `Cons(h, t)`, `module.Cons(h, t)`; `module.Nil` has no arguments
    Constructor {
        module: Option<Ident>,
        name: Ident,
        args: Vec<NodeId>,
    },
    /// `[a, b]`
    Array(Vec<NodeId>),
}

/// What a comment after an expression says about its value; checked by `evert test`.
#[derive(Clone, PartialEq, Debug)]
pub struct Expectation {
    pub kind: ExpectationKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ExpectationKind {
    /// `//=> value`: the text of the value; a `~` before its numbers isn't part of the grammar
    Equals(String),
    /// `//! text`: it fails with this text in the message
    Fails(String),
}
