//! Expressions: each becomes bindings in the function at hand and an atom for its value.

use base::{Name, Span};
use calculus::{Atom, Const, Expr, Field};
use syntax::{NodeId, ast};

use crate::context::Elaborator;
use crate::deep;
use crate::emit::{UNIT, boolean, int};
use crate::functions::Parts;
use crate::patterns::wrong_fields;

impl Elaborator<'_> {
    pub fn expression(&mut self, node: NodeId) -> Atom {
        self.named_expression(node, None)
    }

    /// An expression that is given a name: a function value takes it as its own.
    pub fn named_expression(&mut self, node: NodeId, name: Option<Name>) -> Atom {
        deep(|| self.dispatch(node, name))
    }

    pub fn expressions(&mut self, nodes: &[NodeId]) -> Vec<Atom> {
        nodes.iter().map(|node| self.expression(*node)).collect()
    }

    fn dispatch(&mut self, node: NodeId, name: Option<Name>) -> Atom {
        let span = self.tree.span(node);
        match self.tree.expr(node) {
            ast::Expr::Error => UNIT,
            ast::Expr::Int(value) => int(value),
            ast::Expr::Real(value) => Atom::Const(Const::Real(value)),
            ast::Expr::Bool(value) => boolean(value),
            ast::Expr::Text(parts) => self.text(&parts, span),
            ast::Expr::Name(name) => self.name(name, span),
            ast::Expr::Paren(inner) => self.named_expression(inner, name),
            ast::Expr::Tuple(parts) => {
                let parts = self.expressions(&parts);
                self.tuple(parts, span)
            }
            ast::Expr::Record(fields) => self.record(&fields, span),
            ast::Expr::With { base, updates } => self.with(base, &updates, span),
            ast::Expr::Array(elements) => {
                let elements = self.expressions(&elements);
                self.bind(Expr::Array(elements), span)
            }
            ast::Expr::Comprehension(comprehension) | ast::Expr::Generator(comprehension) => {
                self.comprehension(&comprehension, span)
            }
            ast::Expr::Call { callee, args } => self.call(callee, &args, span),
            ast::Expr::Field { base, field } => self.field(base, field, span),
            ast::Expr::Position { base, index, .. } => {
                let base = self.expression(base);
                self.get(base, Field::Position(index), span)
            }
            ast::Expr::Index { base, indices } => self.index(base, &indices, span),
            ast::Expr::Lambda { params, body, rules } => {
                self.lambda(Parts { name, span, params: &params, body }, &rules)
            }
            ast::Expr::Unary { op, operand } => self.unary(op, operand, span),
            ast::Expr::Binary { .. } => self.binary(node),
            ast::Expr::If { condition, then, otherwise } => self.if_expression(condition, then, otherwise, span),
            ast::Expr::Match { scrutinee, arms } => self.match_expression(scrutinee, &arms, span),
            ast::Expr::Block(statements) => self.block(&statements, span),
        }
    }

    fn record(&mut self, fields: &[(ast::Ident, NodeId)], span: Span) -> Atom {
        self.check_fields(fields.iter().map(|(label, _)| *label));
        fields.iter().for_each(|(label, _)| self.note_field(*label));
        let fields = fields.iter().map(|(label, value)| (label.name, self.expression(*value))).collect();
        self.bind(Expr::Record(fields), span)
    }

    /// `if c { a }` without `else` is `()` where c doesn't hold.
    fn if_expression(&mut self, condition: NodeId, then: NodeId, otherwise: Option<NodeId>, span: Span) -> Atom {
        let condition = self.expression(condition);
        let then = self.branch(self.tree.span(then), |this| this.expression(then));
        let otherwise = match otherwise {
            Some(node) => self.branch(self.tree.span(node), |this| this.expression(node)),
            None => self.branch(span, |_| UNIT),
        };
        self.bind(Expr::If(condition, Box::new(then), Box::new(otherwise)), span)
    }

    /// `f(x)`, `f(x, y)`, `f()`; constructors, `assert`, `__pull` and `__tangent` have forms of their own.
    fn call(&mut self, callee: NodeId, args: &[NodeId], span: Span) -> Atom {
        if let Some(constructor) = self.constructor_named_by(callee) {
            self.note_called_constructor(callee);
            return match args.len() == constructor.fields.len() {
                true => {
                    let fields = self.expressions(args);
                    self.bind(Expr::Variant(constructor, fields), span)
                }
                false => {
                    self.expressions(args);
                    self.mistake(wrong_fields(&constructor, args.len(), span))
                }
            };
        }
        if let Some(asserted) = self.asserted(callee, args) {
            return self.assertion(asserted, span);
        }
        if let Some((b, d)) = self.internal_form(callee, args, "__pull") {
            let (b, d) = (self.expression(b), self.expression(d));
            return self.bind(Expr::Pull { b, d, order: 0 }, span);
        }
        if let Some((f, d)) = self.internal_form(callee, args, "__tangent") {
            let (f, d) = (self.expression(f), self.expression(d));
            return self.bind(Expr::Tangent { f, d, order: 0 }, span);
        }
        let f = self.expression(callee);
        let args = self.expressions(args);
        let x = self.argument(args, span);
        self.apply(f, x, span)
    }

    fn note_called_constructor(&mut self, callee: NodeId) {
        let span = self.tree.span(callee);
        match self.tree.expr(callee) {
            ast::Expr::Name(name) => self.note_constructor(None, ast::Ident { name, span }),
            ast::Expr::Field { base, field } => {
                if let Some(module) = self.module_named_by(base) {
                    self.note_constructor(Some(ast::Ident { name: module.name, span: module.span }), field);
                }
            }
            _ => {}
        }
    }

    /// `__pull(b, d)` and `__tangent(f, df)`, in the library.
    fn internal_form(&self, callee: NodeId, args: &[NodeId], form: &str) -> Option<(NodeId, NodeId)> {
        match (self.tree.expr(callee), args) {
            (ast::Expr::Name(name), [b, d]) if self.names.is_internal() && name.as_str() == form => Some((*b, *d)),
            _ => None,
        }
    }

    fn field(&mut self, base: NodeId, field: ast::Ident, span: Span) -> Atom {
        if let Some(module) = self.module_named_by(base) {
            return self.module_member(&module, field, span);
        }
        let base = self.expression(base);
        self.note_field(field);
        self.get(base, Field::Name(field.name), span)
    }
}
