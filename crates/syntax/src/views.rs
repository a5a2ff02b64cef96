//! What a node means: [`Tree::statement`], [`Tree::expr`] and [`Tree::pattern`] look at one node and its children.
//!
//! A node of another sort (an expression where a pattern is asked for) is an `Error`, as is one that wasn't found.

mod literals;

use base::Name;

use crate::ast::*;
use crate::lexer::{Token, TokenKind};
use crate::tree::{NodeId, NodeKind, Tree};

impl Tree {
    pub fn statement(&self, id: NodeId) -> Statement {
        let children = self.children(id);
        match self.kind(id) {
            NodeKind::Let => Statement::Let { pattern: children[0], value: children[1] },
            NodeKind::Fn => Statement::Fn(self.function(id)),
            NodeKind::Type => Statement::Type { name: self.main_ident(id), constructors: self.constructors(children) },
            NodeKind::Import => Statement::Import(self.import(id)),
            NodeKind::Test => Statement::Test { name: self.plain_text(children[0]), body: children[1] },
            kind if kind.is_expr() => Statement::Expr(id),
            _ => Statement::Error,
        }
    }

    pub fn expr(&self, id: NodeId) -> Expr {
        let children = self.children(id);
        match self.kind(id) {
            NodeKind::Int => self.int(id).map_or(Expr::Error, Expr::Int),
            NodeKind::Real => self.real(id).map_or(Expr::Error, Expr::Real),
            NodeKind::Bool => Expr::Bool(self.bool(id)),
            NodeKind::Text => Expr::Text(self.text_parts(id)),
            NodeKind::Name => Expr::Name(self.main_ident(id).name),
            NodeKind::Paren => Expr::Paren(children[0]),
            NodeKind::Tuple => Expr::Tuple(children.to_vec()),
            NodeKind::Record => Expr::Record(children.iter().filter_map(|&field| self.record_field(field)).collect()),
            NodeKind::With => Expr::With { base: children[0], updates: self.updates(&children[1..]) },
            NodeKind::Array => Expr::Array(children.to_vec()),
            NodeKind::Comprehension => Expr::Comprehension(self.comprehension(id)),
            NodeKind::Generator => Expr::Generator(self.comprehension(id)),
            NodeKind::Call | NodeKind::Assert => Expr::Call { callee: children[0], args: children[1..].to_vec() },
            NodeKind::Field => Expr::Field { base: children[0], field: self.main_ident(id) },
            NodeKind::Position => self.position(id),
            NodeKind::Index => Expr::Index { base: children[0], indices: self.indices(&children[1..]) },
            NodeKind::Lambda | NodeKind::Ruled => self.lambda(id),
            NodeKind::Unary => Expr::Unary { op: self.unary_op(id), operand: children[0] },
            NodeKind::Binary => self.binary(id),
            NodeKind::If => Expr::If { condition: children[0], then: children[1], otherwise: children.get(2).copied() },
            NodeKind::Match => Expr::Match { scrutinee: children[0], arms: self.arms(&children[1..]) },
            NodeKind::Block => Expr::Block(children.to_vec()),
            _ => Expr::Error,
        }
    }

    pub fn pattern(&self, id: NodeId) -> Pattern {
        let children = self.children(id);
        match self.kind(id) {
            NodeKind::WildPattern => Pattern::Wild,
            NodeKind::NamePattern => Pattern::Name(self.main_ident(id).name),
            NodeKind::IntPattern => self.int(id).map_or(Pattern::Error, Pattern::Int),
            NodeKind::RealPattern => self.real(id).map_or(Pattern::Error, Pattern::Real),
            NodeKind::BoolPattern => Pattern::Bool(self.bool(id)),
            NodeKind::TextPattern => Pattern::Text(self.plain_text(id)),
            NodeKind::ParenPattern => Pattern::Paren(children[0]),
            NodeKind::TuplePattern => Pattern::Tuple(children.to_vec()),
            NodeKind::RecordPattern => {
                Pattern::Record(children.iter().filter_map(|&field| self.field_pattern(field)).collect())
            }
            NodeKind::ConstructorPattern => self.constructor_pattern(id),
            NodeKind::ArrayPattern => Pattern::Array(children.to_vec()),
            _ => Pattern::Error,
        }
    }

    fn ident_at(&self, token: u32) -> Ident {
        Ident { name: normalised(self.text_at(token)), span: self.token_span(token) }
    }

    fn main_ident(&self, id: NodeId) -> Ident {
        self.ident_at(self.node(id).main)
    }

    fn idents(&self, nodes: &[NodeId]) -> Vec<Ident> {
        nodes.iter().filter(|&&node| self.kind(node) == NodeKind::Ident).map(|&node| self.main_ident(node)).collect()
    }

    fn function(&self, id: NodeId) -> Function {
        let children = self.children(id);
        let params = self.children(children[0]);
        let parts = |param: &NodeId| match self.kind(*param) {
            NodeKind::Param => (self.children(*param)[0], Some(self.children(*param)[1])),
            _ => (*param, None),
        };
        let (params, defaults) = params.iter().map(parts).unzip();
        Function {
            name: self.main_ident(id),
            params,
            defaults,
            body: children[1],
            rules: self.rules(&children[2..]),
            doc: self.doc(id),
        }
    }

    /// The `///` comments directly above.
    pub fn doc(&self, id: NodeId) -> Option<String> {
        let mut lines = vec![];
        let mut newlines = 0;
        for token in self.tokens[..self.node(id).first as usize].iter().rev() {
            match token.kind {
                TokenKind::DocComment => {
                    newlines = 0;
                    let line = &self.token_text(token)[3..];
                    lines.push(line.strip_prefix(' ').unwrap_or(line).trim_end());
                }
                TokenKind::Newline if newlines == 0 => newlines = 1,
                TokenKind::Whitespace => {}
                _ => break,
            }
        }
        lines.reverse();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// The comment that belongs to one of several things between commas: behind it on its line, or on the lines directly above it.
    ///
    /// What it belongs to begins and ends with these nodes.
    pub fn comment_of(&self, first: NodeId, last: NodeId) -> Option<String> {
        let plain = |token: &Token| self.token_text(token).trim_start_matches('/').trim().to_string();
        let behind = self.tokens[self.node(last).end as usize..].iter();
        let mut behind = behind.skip_while(|token| matches!(token.kind, TokenKind::Whitespace | TokenKind::Comma));
        if let Some(comment) = behind.next().filter(|token| token.kind.is_comment()) {
            return Some(plain(comment));
        }
        let mut lines = vec![];
        let mut below = 0;
        for token in self.tokens[..self.node(first).first as usize].iter().rev() {
            match token.kind {
                kind if kind.is_comment() => {
                    below = 0;
                    lines.push(plain(token));
                }
                TokenKind::Newline if below == 0 => below = 1,
                TokenKind::Whitespace => {}
                // What stands behind something else on its line belongs to that.
                TokenKind::Newline => break,
                _ => {
                    if below == 0 {
                        lines.pop();
                    }
                    break;
                }
            }
        }
        lines.reverse();
        (!lines.is_empty()).then(|| lines.join(" "))
    }

    fn constructors(&self, nodes: &[NodeId]) -> Vec<Constructor> {
        let found = nodes.iter().filter(|&&node| self.kind(node) == NodeKind::Constructor);
        found
            .map(|&node| Constructor { name: self.main_ident(node), fields: self.idents(self.children(node)) })
            .collect()
    }

    fn import(&self, id: NodeId) -> Import {
        let main = self.node(id).main;
        let alias = self.idents(self.children(id)).first().copied();
        if self.token_kind(main) == TokenKind::StringStart {
            let (path, span) = self.text_from(main);
            return Import { source: ImportSource::Path(path), span, alias };
        }
        Import { source: ImportSource::Library(normalised(self.text_at(main))), span: self.token_span(main), alias }
    }

    fn rules(&self, nodes: &[NodeId]) -> Vec<Rule> {
        nodes.iter().map(|&node| self.rule(node)).collect()
    }

    fn rule(&self, id: NodeId) -> Rule {
        let children = self.children(id);
        Rule {
            kind: self.rule_kind(id),
            params: self.children(children[0]).to_vec(),
            body: children[1],
            approximate: children.get(2).map(|&reason| self.plain_text(reason)),
            span: self.span(id),
        }
    }

    fn rule_kind(&self, id: NodeId) -> RuleKind {
        match self.text_at(self.node(id).main) {
            "reverse" => RuleKind::Reverse,
            "forward" => RuleKind::Forward,
            "transpose" => RuleKind::Transpose,
            word => unreachable!("syntax: a rule clause starts with `{word}`"),
        }
    }

    /// A function with the rules inside and after its parentheses.
    fn lambda(&self, id: NodeId) -> Expr {
        let mut groups = vec![];
        let mut node = id;
        while self.kind(node) != NodeKind::Lambda {
            let children = self.children(node);
            groups.push(&children[1..]);
            node = children[0];
        }
        let children = self.children(node);
        groups.push(&children[2..]);
        let rules = groups.iter().rev().flat_map(|group| self.rules(group)).collect();
        Expr::Lambda { params: self.children(children[0]).to_vec(), body: children[1], rules }
    }

    fn record_field(&self, id: NodeId) -> Option<(Ident, NodeId)> {
        (self.kind(id) == NodeKind::RecordField).then(|| (self.main_ident(id), self.children(id)[0]))
    }

    fn updates(&self, nodes: &[NodeId]) -> Vec<Update> {
        nodes.iter().filter_map(|&node| self.update(node)).collect()
    }

    fn update(&self, id: NodeId) -> Option<Update> {
        if let Some((field, value)) = self.record_field(id) {
            return Some(Update::Field(field, value));
        }
        let (&value, indices) = self.children(id).split_last()?;
        let node = self.node(id);
        let span = self.token_span(node.first).to(self.token_span(node.main));
        Some(Update::Index { indices: self.indices(indices), span, value })
    }

    fn comprehension(&self, id: NodeId) -> Comprehension {
        let children = self.children(id);
        let mut parts = Comprehension { body: children[0], clauses: vec![], filter: None };
        for &part in &children[1..] {
            let inner = self.children(part);
            match self.kind(part) {
                NodeKind::Filter => parts.filter = Some(inner[0]),
                _ => parts.clauses.push(Clause { pattern: inner[0], source: inner[1] }),
            }
        }
        parts
    }

    fn position(&self, id: NodeId) -> Expr {
        let main = self.node(id).main;
        match self.text_at(main).parse() {
            Ok(index) => Expr::Position { base: self.children(id)[0], index, index_span: self.token_span(main) },
            Err(_) => Expr::Error,
        }
    }

    fn indices(&self, nodes: &[NodeId]) -> Vec<IndexArg> {
        nodes.iter().map(|&node| self.index(node)).collect()
    }

    fn index(&self, id: NodeId) -> IndexArg {
        match (self.kind(id), self.children(id)) {
            (NodeKind::Slice, []) => IndexArg::Range(None, None),
            (NodeKind::Slice, &[bound, ..]) if self.node(bound).first > self.node(id).main => {
                IndexArg::Range(None, Some(bound))
            }
            (NodeKind::Slice, &[bound, ..]) => IndexArg::Range(Some(bound), None),
            (NodeKind::Binary, &[from, to]) if self.token_kind(self.node(id).main) == TokenKind::DotDot => {
                IndexArg::Range(Some(from), Some(to))
            }
            _ => IndexArg::At(id),
        }
    }

    fn arms(&self, nodes: &[NodeId]) -> Vec<Arm> {
        nodes.iter().map(|&node| self.arm(node)).collect()
    }

    fn arm(&self, id: NodeId) -> Arm {
        let children = self.children(id);
        let guard = (self.kind(children[1]) == NodeKind::Guard).then(|| self.children(children[1])[0]);
        Arm { pattern: children[0], guard, body: children[children.len() - 1] }
    }

    fn field_pattern(&self, id: NodeId) -> Option<(Ident, Option<NodeId>)> {
        let field = || (self.main_ident(id), self.children(id).first().copied());
        (self.kind(id) == NodeKind::FieldPattern).then(field)
    }

    fn constructor_pattern(&self, id: NodeId) -> Pattern {
        let node = self.node(id);
        let module = (node.first != node.main).then(|| self.ident_at(node.first));
        Pattern::Constructor { module, name: self.main_ident(id), args: self.children(id).to_vec() }
    }

    fn unary_op(&self, id: NodeId) -> UnaryOp {
        match self.token_kind(self.node(id).main) {
            TokenKind::Bang => UnaryOp::Not,
            _ => UnaryOp::Negate,
        }
    }

    fn binary(&self, id: NodeId) -> Expr {
        let main = self.node(id).main;
        let (left, right) = (self.children(id)[0], self.children(id)[1]);
        Expr::Binary { op: binary_op(self.token_kind(main)), op_span: self.token_span(main), left, right }
    }
}

fn binary_op(operator: TokenKind) -> BinaryOp {
    match operator {
        TokenKind::Plus => BinaryOp::Add,
        TokenKind::Minus => BinaryOp::Subtract,
        TokenKind::Star => BinaryOp::Multiply,
        TokenKind::Slash => BinaryOp::Divide,
        TokenKind::Percent => BinaryOp::Remainder,
        TokenKind::At => BinaryOp::MatMul,
        // Python's `**` has been reported and means `^`.
        TokenKind::Caret | TokenKind::Foreign => BinaryOp::Power,
        TokenKind::EqualEqual => BinaryOp::Equal,
        TokenKind::NotEqual => BinaryOp::NotEqual,
        TokenKind::Less => BinaryOp::Less,
        TokenKind::LessEqual => BinaryOp::LessEqual,
        TokenKind::Greater => BinaryOp::Greater,
        TokenKind::GreaterEqual => BinaryOp::GreaterEqual,
        TokenKind::AndAnd => BinaryOp::And,
        TokenKind::OrOr => BinaryOp::Or,
        TokenKind::CirclePlus => BinaryOp::Plus,
        TokenKind::Attach => BinaryOp::Attach,
        TokenKind::Pipe => BinaryOp::Pipe,
        TokenKind::DotDot => BinaryOp::Range,
        _ => unreachable!("syntax: a binary expression with {operator:?} as its operator"),
    }
}

/// The name that a text means. Texts that differ only in how their characters are composed (é as one or as two) look the same, and
/// mean the same: NFC.
fn normalised(text: &str) -> Name {
    if text.is_ascii() { Name::new(text) } else { Name::new(&crate::normal::composed(text)) }
}
