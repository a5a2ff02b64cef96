//! The lossless tree, flat: all tokens in order, and nodes that are ranges of them.
//!
//! Nodes live in one vector, children before parents, and name each other by [`NodeId`]; nothing recurses, on
//! dropping neither. What a node means is in `views.rs`.

use base::{Diagnostic, FileId, Name, Span};

use crate::lexer::{Token, TokenKind};

/// A node of one tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub(crate) u32);

/// A parsed text. There is one whatever the text; [`Tree::errors`] says what is wrong with it.
#[derive(Clone, Debug)]
pub struct Tree {
    pub(crate) file: FileId,
    pub(crate) text: Box<str>,
    pub(crate) tokens: Vec<Token>,
    pub(crate) nodes: Nodes,
    pub(crate) root: NodeId,
    pub(crate) errors: Vec<Diagnostic>,
}

impl Tree {
    pub fn file(&self) -> FileId {
        self.file
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// All mistakes, in the order of the text, up to a hundred.
    pub fn errors(&self) -> &[Diagnostic] {
        &self.errors
    }

    /// All tokens, trivia included; their texts concatenate to the text.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    pub fn token_text(&self, token: &Token) -> &str {
        &self.text[token.start as usize..token.end as usize]
    }

    /// The statements of the file.
    pub fn statements(&self) -> Vec<NodeId> {
        self.children(self.root).to_vec()
    }

    /// The expression of a tree made by [`crate::parse_expression`].
    pub fn root_expr(&self) -> NodeId {
        self.children(self.root).first().copied().unwrap_or(self.root)
    }

    /// All nodes but the file itself, children before parents.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> {
        let ids = (0..self.nodes.nodes.len() as u32).map(NodeId);
        ids.filter(|id| *id != self.root)
    }

    /// Every `fn` with a name, at any depth: its place and its name.
    pub fn functions(&self) -> impl Iterator<Item = (Span, String)> {
        let named = self.ids().filter(|id| self.kind(*id) == NodeKind::Fn);
        named.map(|id| (self.span(id), self.text_at(self.node(id).main).to_string()))
    }

    /// The places of all nodes but the file itself.
    pub fn nodes(&self) -> impl Iterator<Item = Span> {
        self.ids().map(|id| self.span(id))
    }

    /// The names in the parts of the text that couldn't be read.
    pub fn unread_names(&self) -> Vec<Name> {
        let nodes = self.nodes.nodes.iter().filter(|node| node.kind == NodeKind::Error);
        let tokens = nodes.flat_map(|node| self.tokens[node.first as usize..node.end as usize].iter());
        let names = tokens.filter(|token| token.kind == TokenKind::Name);
        names.map(|token| Name::new(self.token_text(token))).collect()
    }

    /// The place of a node, without the trivia around it. A missing node is an empty place.
    pub fn span(&self, id: NodeId) -> Span {
        let node = self.node(id);
        if node.first == node.end {
            let at = self.tokens.get(node.first as usize).map_or(self.text.len(), |token| token.start as usize);
            return Span::new(self.file, at, at);
        }
        self.token_span(node.first).to(self.token_span(node.end - 1))
    }

    pub(crate) fn token_span(&self, token: u32) -> Span {
        let token = &self.tokens[token as usize];
        Span { file: self.file, start: token.start, end: token.end }
    }

    pub(crate) fn text_at(&self, token: u32) -> &str {
        self.token_text(&self.tokens[token as usize])
    }

    pub(crate) fn token_kind(&self, token: u32) -> TokenKind {
        self.tokens.get(token as usize).map_or(TokenKind::End, |token| token.kind)
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        self.nodes.get(id)
    }

    pub(crate) fn kind(&self, id: NodeId) -> NodeKind {
        self.nodes.get(id).kind
    }

    pub(crate) fn children(&self, id: NodeId) -> &[NodeId] {
        self.nodes.children(id)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub kind: NodeKind,
    /// The token that tells nodes of one kind apart: an operator, a name, the word of a rule.
    pub main: u32,
    /// Its tokens, trivia between them included: `first..end`.
    pub first: u32,
    pub end: u32,
    children: (u32, u32),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    nodes: Vec<Node>,
    children: Vec<NodeId>,
}

impl Nodes {
    pub fn add(&mut self, kind: NodeKind, main: u32, tokens: (u32, u32), children: &[NodeId]) -> NodeId {
        let start = self.children.len() as u32;
        self.children.extend_from_slice(children);
        let (first, end) = tokens;
        self.nodes.push(Node { kind, main, first, end, children: (start, self.children.len() as u32) });
        NodeId(self.nodes.len() as u32 - 1)
    }

    pub fn get(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub fn children(&self, id: NodeId) -> &[NodeId] {
        let (start, end) = self.get(id).children;
        &self.children[start as usize..end as usize]
    }
}

/// What a node is, with its children. `?` may be missing, `*` any number; a missing part that must be there is an
/// `Error` node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NodeKind {
    /// statement*, or one expression
    Root,
    /// Whatever was found; stands for a statement, an expression or a pattern
    Error,

    /// pattern, value
    Let,
    /// Params, body, Rule*; main: the name
    Fn,
    /// Constructor*; main: the name
    Type,
    /// Ident*; main: the name
    Constructor,
    /// main: the name or the string's first token; Ident?
    Import,
    /// Text, Block
    Test,
    /// A name that is neither an expression nor a pattern
    Ident,
    /// (pattern | Param)*
    Params,
    /// A parameter with a default: pattern, value
    Param,
    /// Params, body, Text?; main: the word
    Rule,

    Int,
    Real,
    Bool,
    /// Interpolation*
    Text,
    /// expression
    Interpolation,
    Name,
    /// expression
    Paren,
    /// expression*
    Tuple,
    /// RecordField*
    Record,
    /// value; main: the name
    RecordField,
    /// base, (RecordField | UpdateIndex)*
    With,
    /// (expression | Slice)*, value; main: the closing bracket
    UpdateIndex,
    /// expression*
    Array,
    /// body, Clause*, Filter?
    Comprehension,
    /// body, Clause*, Filter?
    Generator,
    /// pattern, source
    Clause,
    /// condition
    Filter,
    /// callee, argument*
    Call,
    /// `assert e`: callee, argument
    Assert,
    /// base; main: the name
    Field,
    /// base; main: the digits
    Position,
    /// base, (expression | Slice)*
    Index,
    /// bounds; main: `..`
    Slice,
    /// Params, body, Rule*
    Lambda,
    /// A parenthesised function with rules after it: Paren, Rule*
    Ruled,
    /// operand; main: the operator
    Unary,
    /// left, right; main: the operator
    Binary,
    /// condition, Block, (Block | If)?
    If,
    /// scrutinee, Arm*
    Match,
    /// pattern, Guard?, body
    Arm,
    /// condition
    Guard,
    /// statement*
    Block,

    WildPattern,
    NamePattern,
    /// with its sign
    IntPattern,
    RealPattern,
    BoolPattern,
    TextPattern,
    /// pattern
    ParenPattern,
    /// pattern*
    TuplePattern,
    /// FieldPattern*
    RecordPattern,
    /// pattern?; main: the name
    FieldPattern,
    /// pattern*; main: the name; the first token is the module, if there is one
    ConstructorPattern,
    /// pattern*
    ArrayPattern,
}

impl NodeKind {
    pub fn is_expr(self) -> bool {
        use NodeKind::*;
        matches!(
            self,
            Int | Real
                | Bool
                | Text
                | Name
                | Paren
                | Tuple
                | Record
                | With
                | Array
                | Comprehension
                | Generator
                | Call
                | Assert
                | Field
                | Position
                | Index
                | Lambda
                | Ruled
                | Unary
                | Binary
                | If
                | Match
                | Block
        )
    }
}
