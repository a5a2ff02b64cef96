//! The parts of a text: where its statements, expressions and patterns stand.

use std::ops::Range;

use base::FileId;
use syntax::ast::*;
use syntax::{NodeId, Tree};

pub type Place = Range<usize>;

#[derive(Default)]
pub struct Outline {
    pub top_level: Vec<Place>,
    /// In blocks.
    pub inner: Vec<Place>,
    pub exprs: Vec<Place>,
    pub patterns: Vec<Place>,
}

enum Part {
    Statement(NodeId),
    Expr(NodeId),
    Pattern(NodeId),
}

/// The outline of a text without syntax errors.
pub fn outline(text: &str) -> Option<(Tree, Outline)> {
    let tree = syntax::parse(FileId(0), text);
    if !tree.errors().is_empty() {
        return None;
    }
    let mut outline = Outline::default();
    let mut parts = vec![];
    for id in tree.statements() {
        outline.top_level.push(place(&tree, id));
        parts.push(Part::Statement(id));
    }
    while let Some(part) = parts.pop() {
        outline.visit(&tree, part, &mut parts);
    }
    Some((tree, outline))
}

fn place(tree: &Tree, id: NodeId) -> Place {
    let span = tree.span(id);
    span.start as usize..span.end as usize
}

impl Outline {
    fn visit(&mut self, tree: &Tree, part: Part, parts: &mut Vec<Part>) {
        match part {
            Part::Statement(id) => statement(tree, id, parts),
            Part::Expr(id) => {
                if !matches!(tree.expr(id), Expr::Generator(_)) {
                    self.exprs.push(place(tree, id));
                }
                if let Expr::Block(statements) = tree.expr(id) {
                    self.inner.extend(statements.into_iter().map(|id| place(tree, id)));
                }
                expr(tree, id, parts);
            }
            Part::Pattern(id) => {
                self.patterns.push(place(tree, id));
                pattern(tree, id, parts);
            }
        }
    }
}

fn statement(tree: &Tree, id: NodeId, parts: &mut Vec<Part>) {
    match tree.statement(id) {
        Statement::Let { pattern, value } => parts.extend([Part::Pattern(pattern), Part::Expr(value)]),
        Statement::Fn(function) => {
            parts.extend(function.params.into_iter().map(Part::Pattern));
            parts.push(Part::Expr(function.body));
            rules(function.rules, parts);
        }
        Statement::Expr(id) => parts.push(Part::Expr(id)),
        // the body of a test must stay a block
        Statement::Test { body, .. } => expr(tree, body, parts),
        Statement::Type { .. } | Statement::Import(_) | Statement::Error => {}
    }
}

fn rules(rules: Vec<Rule>, parts: &mut Vec<Part>) {
    for rule in rules {
        parts.extend(rule.params.into_iter().map(Part::Pattern));
        parts.push(Part::Expr(rule.body));
    }
}

fn expr(tree: &Tree, id: NodeId, parts: &mut Vec<Part>) {
    match tree.expr(id) {
        Expr::Error | Expr::Int(_) | Expr::Real(_) | Expr::Bool(_) | Expr::Name(_) => {}
        Expr::Text(pieces) => parts.extend(pieces.into_iter().filter_map(|piece| match piece {
            TextPart::Expr(id) => Some(Part::Expr(id)),
            TextPart::Literal(_) => None,
        })),
        Expr::Paren(id) | Expr::Field { base: id, .. } | Expr::Position { base: id, .. } => parts.push(Part::Expr(id)),
        Expr::Tuple(ids) | Expr::Array(ids) => parts.extend(ids.into_iter().map(Part::Expr)),
        Expr::Record(fields) => parts.extend(fields.into_iter().map(|(_, id)| Part::Expr(id))),
        Expr::With { base, updates } => {
            parts.push(Part::Expr(base));
            for update in updates {
                match update {
                    Update::Field(_, value) => parts.push(Part::Expr(value)),
                    Update::Index { indices: at, value, .. } => {
                        indices(at, parts);
                        parts.push(Part::Expr(value));
                    }
                }
            }
        }
        Expr::Comprehension(comprehension) | Expr::Generator(comprehension) => {
            parts.push(Part::Expr(comprehension.body));
            for Clause { pattern, source } in comprehension.clauses {
                parts.extend([Part::Pattern(pattern), Part::Expr(source)]);
            }
            parts.extend(comprehension.filter.map(Part::Expr));
        }
        Expr::Call { callee, args } => {
            parts.push(Part::Expr(callee));
            parts.extend(args.into_iter().map(Part::Expr));
        }
        Expr::Index { base, indices: at } => {
            parts.push(Part::Expr(base));
            indices(at, parts);
        }
        Expr::Lambda { params, body, rules: clauses } => {
            parts.extend(params.into_iter().map(Part::Pattern));
            parts.push(Part::Expr(body));
            rules(clauses, parts);
        }
        Expr::Unary { operand, .. } => parts.push(Part::Expr(operand)),
        Expr::Binary { left, right, .. } => parts.extend([Part::Expr(left), Part::Expr(right)]),
        Expr::If { condition, then, otherwise } => {
            parts.push(Part::Expr(condition));
            // branches must stay blocks
            expr(tree, then, parts);
            if let Some(otherwise) = otherwise {
                expr(tree, otherwise, parts);
            }
        }
        Expr::Match { scrutinee, arms } => {
            parts.push(Part::Expr(scrutinee));
            for arm in arms {
                parts.push(Part::Pattern(arm.pattern));
                parts.extend(arm.guard.map(Part::Expr));
                parts.push(Part::Expr(arm.body));
            }
        }
        Expr::Block(statements) => parts.extend(statements.into_iter().map(Part::Statement)),
    }
}

fn indices(indices: Vec<IndexArg>, parts: &mut Vec<Part>) {
    for index in indices {
        match index {
            IndexArg::At(id) => parts.push(Part::Expr(id)),
            IndexArg::Range(low, high) => parts.extend(low.into_iter().chain(high).map(Part::Expr)),
        }
    }
}

fn pattern(tree: &Tree, id: NodeId, parts: &mut Vec<Part>) {
    match tree.pattern(id) {
        Pattern::Paren(id) => parts.push(Part::Pattern(id)),
        Pattern::Tuple(ids) | Pattern::Array(ids) | Pattern::Constructor { args: ids, .. } => {
            parts.extend(ids.into_iter().map(Part::Pattern));
        }
        Pattern::Record(fields) => parts.extend(fields.into_iter().filter_map(|(_, id)| id).map(Part::Pattern)),
        _ => {}
    }
}
