//! Values that nobody gets: an expression that isn't the last of its block and can do nothing but give a value.
//!
//! In: two statements that follow each other. Out: a warning, if the value of the first is surely dropped by mistake. Calls aren't looked
//! into: they may print, or check something.

use base::{Diagnostic, codes};
use syntax::ast::{BinaryOp, Expr, Statement, UnaryOp};
use syntax::{NodeId, Tree};

/// A warning about a statement that another one follows.
pub(crate) fn unused(tree: &Tree, statement: NodeId, next: NodeId) -> Option<Diagnostic> {
    let Statement::Expr(value) = tree.statement(statement) else { return None };
    if !only_gives_a_value(tree, value) {
        return None;
    }
    let warning = Diagnostic::new(codes::UNUSED_VALUE, tree.span(value), "this value isn't used")
        .note("the value of a block is that of its last statement");
    let warning = match sign(tree, next) {
        Some(sign) => warning.label(tree.span(next), "this is a statement of its own").help(format!(
            "to go on with the expression, end the first line with `{sign}`, or put all of it in parentheses"
        )),
        None if compares(tree, value) => warning.help("to check that it holds, write `assert` before it"),
        None => warning.help("to go on with the expression on the next line, end this one with an operator"),
    };
    Some(warning.help("to drop the value on purpose, write `let _ = …`; or remove the statement"))
}

/// Is there nothing to it but its value?
fn only_gives_a_value(tree: &Tree, value: NodeId) -> bool {
    match tree.expr(value) {
        Expr::Int(_)
        | Expr::Real(_)
        | Expr::Bool(_)
        | Expr::Text(_)
        | Expr::Name(_)
        | Expr::Record(_)
        | Expr::With { .. }
        | Expr::Field { .. }
        | Expr::Position { .. }
        | Expr::Index { .. }
        | Expr::Lambda { .. }
        | Expr::Unary { .. } => true,
        Expr::Tuple(parts) | Expr::Array(parts) => {
            !parts.is_empty() && parts.iter().all(|part| only_gives_a_value(tree, *part))
        }
        Expr::Paren(inner) => only_gives_a_value(tree, inner),
        // The right side of `c && print(x)` is a statement that depends on c.
        Expr::Binary { op: BinaryOp::And | BinaryOp::Or, right, .. } => only_gives_a_value(tree, right),
        Expr::Binary { op: BinaryOp::Pipe, .. } => false,
        Expr::Binary { .. } => true,
        // These run others: as often as there are elements, or one of several.
        Expr::Call { .. }
        | Expr::Comprehension(_)
        | Expr::Generator(_)
        | Expr::If { .. }
        | Expr::Match { .. }
        | Expr::Block(_)
        | Expr::Error => false,
    }
}

/// The sign that a statement begins with as if it went on with the line before.
fn sign(tree: &Tree, statement: NodeId) -> Option<&'static str> {
    let Statement::Expr(mut value) = tree.statement(statement) else { return None };
    loop {
        match tree.expr(value) {
            Expr::Unary { op: UnaryOp::Negate, .. } => return Some("-"),
            Expr::Binary { left, .. } => value = left,
            _ => return None,
        }
    }
}

fn compares(tree: &Tree, value: NodeId) -> bool {
    match tree.expr(value) {
        Expr::Paren(inner) => compares(tree, inner),
        Expr::Binary { op, .. } => matches!(
            op,
            BinaryOp::Equal
                | BinaryOp::NotEqual
                | BinaryOp::Less
                | BinaryOp::LessEqual
                | BinaryOp::Greater
                | BinaryOp::GreaterEqual
                | BinaryOp::And
                | BinaryOp::Or
        ),
        Expr::Unary { op, .. } => op == UnaryOp::Not,
        _ => false,
    }
}
