//! `assert`: a failed comparison reports both of its sides.

use base::Span;
use calculus::{Atom, Expr, Failure, Prim};
use syntax::{NodeId, ast};

use crate::context::Elaborator;
use crate::emit::UNIT;
use crate::operators::comparison;

impl Elaborator<'_> {
    /// The condition, if this is a call of the language's `assert`.
    pub fn asserted(&self, callee: NodeId, args: &[NodeId]) -> Option<NodeId> {
        match args {
            [condition] if self.means_primitive(callee, Prim::Assert) => Some(*condition),
            _ => None,
        }
    }

    pub fn assertion(&mut self, condition: NodeId, span: Span) -> Atom {
        let (holds, sides) = self.compared(condition);
        self.choose(holds, span, |_| UNIT, |this| this.bind(Expr::Fail(Failure::Assertion, sides), span))
    }

    /// The condition's value, and the two sides if it is a comparison.
    fn compared(&mut self, condition: NodeId) -> (Atom, Vec<Atom>) {
        let bare = self.bare(condition);
        if let ast::Expr::Binary { op, left, right, .. } = self.tree.expr(bare)
            && let Some(prim) = comparison(op)
        {
            let sides = self.expressions(&[left, right]);
            return (self.primitive(prim, sides.clone(), self.tree.span(bare)), sides);
        }
        (self.expression(condition), vec![])
    }
}
