//! Blocks: statements in order, the value of the last one.

use base::{Diagnostic, Span, codes};
use calculus::Atom;
use rustc_hash::FxHashMap;
use syntax::{NodeId, ast};

use crate::context::Elaborator;
use crate::emit::UNIT;
use crate::matching::Fit;
use crate::patterns::{Pattern, Shape, Site};
use crate::unused::unused;

impl Elaborator<'_> {
    pub fn block(&mut self, statements: &[NodeId], span: Span) -> Atom {
        self.scoped(span, |this| {
            let mut value = UNIT;
            let mut index = 0;
            for pair in statements.windows(2) {
                this.warnings.extend(unused(this.tree, pair[0], pair[1]));
            }
            while let Some(node) = statements.get(index) {
                let functions = this.adjacent_functions(&statements[index..]);
                if functions.is_empty() {
                    value = this.statement(*node);
                    index += 1;
                } else {
                    index += functions.len();
                    this.block_functions(functions);
                    value = UNIT;
                }
            }
            value
        })
    }

    /// The functions at the front of the statements.
    fn adjacent_functions(&self, statements: &[NodeId]) -> Vec<(ast::Function, Span)> {
        let function = |node: &NodeId| match self.tree.statement(*node) {
            ast::Statement::Fn(function) => Some((function, self.tree.span(*node))),
            _ => None,
        };
        statements.iter().map_while(function).collect()
    }

    fn block_functions(&mut self, functions: Vec<(ast::Function, Span)>) {
        let mut seen = FxHashMap::default();
        for (function, _) in &functions {
            if let Some(default) = function.defaults.iter().flatten().next() {
                let message = "only the parameters of `main` at top level have defaults";
                self.error(Diagnostic::new(codes::UNEXPECTED_TOKEN, self.tree.span(*default), message));
            }
            if let Some(first) = seen.insert(function.name.name, function.name.span) {
                self.error(defined_twice(function.name, first));
            }
        }
        let (functions, spans): (Vec<_>, Vec<_>) = functions.into_iter().unzip();
        self.local_functions(&functions, &spans);
    }

    fn statement(&mut self, node: NodeId) -> Atom {
        match self.tree.statement(node) {
            ast::Statement::Expr(value) => self.expression(value),
            ast::Statement::Let { pattern, value } => {
                self.local_let(pattern, value);
                UNIT
            }
            // The parser has complained about what can't stand in a block.
            ast::Statement::Fn(_)
            | ast::Statement::Type { .. }
            | ast::Statement::Import(_)
            | ast::Statement::Test { .. }
            | ast::Statement::Error => UNIT,
        }
    }

    /// A local `let` isn't recursive: the value doesn't see the names.
    fn local_let(&mut self, pattern: NodeId, value: NodeId) {
        let pattern = self.pattern(pattern, Site::Binding);
        let before = self.coming.len();
        self.coming.extend(pattern.names().into_iter().map(|(name, _)| name));
        let value = self.bound_value(&pattern, value);
        self.coming.truncate(before);
        self.take_apart(&pattern, value, Fit::Demanded);
    }

    /// The value of a `let`; a function takes the name it is bound to.
    pub fn bound_value(&mut self, pattern: &Pattern, value: NodeId) -> Atom {
        match pattern.shape {
            Shape::Bind(name) => self.named_expression(value, Some(name)),
            _ => self.expression(value),
        }
    }
}

/// `again` is the later of the two places.
pub(crate) fn defined_twice(again: ast::Ident, first: Span) -> Diagnostic {
    Diagnostic::new(codes::DUPLICATE_DEFINITION, again.span, format!("`{}` is defined twice", again.name))
        .here("defined again")
        .label(first, "defined first")
        .help("rename one of them")
}
