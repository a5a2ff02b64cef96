//! Operators: most are primitives at a pair.

use base::Span;
use calculus::{Atom, Const, Prim, Root};
use syntax::ast::{BinaryOp, UnaryOp};
use syntax::{NodeId, ast};

use crate::context::{Elaborator, root};
use crate::emit::{boolean, int};
use crate::scope::{Binding, Meaning};

impl Elaborator<'_> {
    pub fn unary(&mut self, op: UnaryOp, operand: NodeId, span: Span) -> Atom {
        let prim = match (op, self.negated_literal(operand)) {
            (UnaryOp::Negate, Some(literal)) => return Atom::Const(literal),
            (UnaryOp::Negate, None) => Prim::Neg,
            (UnaryOp::Not, _) => Prim::Not,
        };
        let value = self.expression(operand);
        self.primitive(prim, [value], span)
    }

    fn negated_literal(&self, operand: NodeId) -> Option<Const> {
        match self.tree.expr(operand) {
            ast::Expr::Int(value) => value.checked_neg().map(Const::Int),
            ast::Expr::Real(value) => Some(Const::Real(-value)),
            _ => None,
        }
    }

    /// Walks down the left operands without recursion: long sums are deep on the left.
    pub fn binary(&mut self, node: NodeId) -> Atom {
        let mut pending = vec![];
        let mut first = node;
        while let ast::Expr::Binary { op, left, right, .. } = self.tree.expr(first) {
            pending.push((op, right, self.tree.span(first)));
            first = left;
        }
        let mut value = self.expression(first);
        while let Some((op, right, span)) = pending.pop() {
            value = self.operation(op, value, right, span);
        }
        value
    }

    fn operation(&mut self, op: BinaryOp, left: Atom, right: NodeId, span: Span) -> Atom {
        match op {
            BinaryOp::And => self.choose(left, span, |this| this.condition(right), |_| boolean(false)),
            BinaryOp::Or => self.choose(left, span, |_| boolean(true), |this| this.condition(right)),
            BinaryOp::Pipe => {
                let f = self.expression(right);
                self.apply(f, left, span)
            }
            BinaryOp::Attach => self.attach(left, right, span),
            BinaryOp::Range => {
                let to = self.expression(right);
                self.range(left, to, span)
            }
            op => {
                let right = self.expression(right);
                self.primitive(primitive(op), [left, right], span)
            }
        }
    }

    /// An operand of `&&` or `||`: it must be a boolean, which only `if` checks.
    fn condition(&mut self, node: NodeId) -> Atom {
        let value = self.expression(node);
        match self.tree.expr(self.bare(node)) {
            ast::Expr::Bool(_) | ast::Expr::Binary { op: BinaryOp::And | BinaryOp::Or, .. } => value,
            _ => self.choose(value, self.tree.span(node), |_| boolean(true), |_| boolean(false)),
        }
    }

    /// `f <~ g` is the library's `attach(f, g)`.
    fn attach(&mut self, primal: Atom, derivative: NodeId, span: Span) -> Atom {
        let derivative = self.expression(derivative);
        let attach = match self.names.attach() {
            Some(Binding::Root(found)) => root(found),
            _ => self.name("attach".into(), span),
        };
        let pair = self.tuple(vec![primal, derivative], span);
        self.apply(attach, pair, span)
    }

    /// `a..b` as a value: the array of ints.
    fn range(&mut self, from: Atom, to: Atom, span: Span) -> Atom {
        let length = self.difference(to, from.clone(), span);
        let counted = self.primitive(Prim::Iota, [length], span);
        match from {
            Atom::Const(Const::Int(0)) => counted,
            from => self.primitive(Prim::Add, [from, counted], span),
        }
    }

    /// `to - from`, the length of a range.
    pub fn difference(&mut self, to: Atom, from: Atom, span: Span) -> Atom {
        match (&to, &from) {
            (_, Atom::Const(Const::Int(0))) => to,
            (Atom::Const(Const::Int(b)), Atom::Const(Const::Int(a))) if b.checked_sub(*a).is_some() => int(b - a),
            _ => self.primitive(Prim::Sub, [to, from], span),
        }
    }

    /// Is the name the language's own, not one that the program has defined?
    pub fn means_primitive(&self, node: NodeId, prim: Prim) -> bool {
        let ast::Expr::Name(name) = self.tree.expr(node) else { return false };
        let found = self.names.find(name).filter(|_| self.locals.find(name).is_none());
        matches!(found, Some(Meaning::Bound(Binding::Root(Root::Prim(found)))) if found == prim)
    }
}

/// The primitive of a comparison.
pub(crate) fn comparison(op: BinaryOp) -> Option<Prim> {
    match op {
        BinaryOp::Equal => Some(Prim::Eq),
        BinaryOp::NotEqual => Some(Prim::Ne),
        BinaryOp::Less => Some(Prim::Lt),
        BinaryOp::LessEqual => Some(Prim::Le),
        BinaryOp::Greater => Some(Prim::Gt),
        BinaryOp::GreaterEqual => Some(Prim::Ge),
        _ => None,
    }
}

fn primitive(op: BinaryOp) -> Prim {
    match op {
        BinaryOp::Add => Prim::Add,
        BinaryOp::Subtract => Prim::Sub,
        BinaryOp::Multiply => Prim::Mul,
        BinaryOp::Divide => Prim::Div,
        BinaryOp::Remainder => Prim::Rem,
        BinaryOp::MatMul => Prim::MatMul,
        BinaryOp::Power => Prim::Pow,
        BinaryOp::Plus => Prim::Plus,
        op => comparison(op).expect("elaborate: operators that are no primitives have forms of their own"),
    }
}
