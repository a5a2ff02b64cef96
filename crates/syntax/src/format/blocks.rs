//! Blocks, `if` and `match`. What was written on one line stays there if it fits.

use super::Formatter;
use super::doc::{Break, Doc, DocId};
use crate::lexer::TokenKind;
use crate::tree::{NodeId, NodeKind};

impl Formatter<'_> {
    pub(super) fn block(&mut self, id: NodeId) -> DocId {
        let breaks = self.block_breaks(id);
        let parts = self.block_parts(id);
        self.docs.group(&parts, breaks)
    }

    fn block_breaks(&self, id: NodeId) -> Break {
        let between = self.children(id).iter().any(|&statement| self.newline_before(statement));
        if between { Break::Always } else { self.breaks_as_written(self.first(id), self.last(id)) }
    }

    fn newline_before(&self, statement: NodeId) -> bool {
        let above = (0..self.first(statement)).rev().map(|at| self.tree.token_kind(at));
        let mut between = above.take_while(|&kind| kind.is_trivia() || Self::is_layout(kind));
        between.any(|kind| kind == TokenKind::Newline)
    }

    /// `{`, the statements and `}`, to break with the group around them.
    fn block_parts(&mut self, id: NodeId) -> Vec<DocId> {
        let (open, close) = (self.first(id), self.last(id));
        let statements = self.children(id);
        let opening = self.token(open);
        let broken = self.block_breaks(id) == Break::Always;
        let mut inner =
            if broken { self.below_each_other(statements, close) } else { self.beside_each_other(statements) };
        if statements.is_empty() && self.significant(open + 1) != close {
            // `{;}` is a block, `{}` may be a record
            let semicolon = self.glue(";");
            inner.extend(if inner.is_empty() { vec![semicolon] } else { vec![self.line(), semicolon] });
        }
        let closing = self.token(close);
        if inner.is_empty() && !broken {
            return vec![opening, closing];
        }
        let mut nested = vec![];
        if !inner.is_empty() {
            nested.push(self.line());
            nested.extend(inner);
        }
        vec![opening, self.docs.nest(&nested), self.line(), closing]
    }

    /// `let y = 1; y`
    fn beside_each_other(&mut self, statements: &[NodeId]) -> Vec<DocId> {
        let mut parts = vec![];
        for (at, &statement) in statements.iter().enumerate() {
            if at > 0 {
                let (nothing, semicolon) = (self.docs.empty(), self.glue(";"));
                parts.push(self.docs.add(Doc::IfBroken(nothing, semicolon)));
                parts.push(self.line());
            }
            parts.push(self.statement(statement));
        }
        parts
    }

    /// All blocks of a chain of `else if` break together. The first condition stands outside: a group starts where its
    /// first line may break.
    pub(super) fn if_expr(&mut self, id: NodeId) -> DocId {
        let head = self.condition(id);
        let mut parts = vec![];
        let mut breaks = self.breaks_between(self.first(id), self.last(id));
        let mut node = id;
        loop {
            let children = self.children(node);
            parts.extend(self.branch(children[1], &mut breaks));
            let Some(&otherwise) = children.get(2) else { break };
            parts.push(self.space());
            parts.push(self.word(self.after(children[1])));
            if self.kind(otherwise) != NodeKind::If {
                parts.extend(self.branch(otherwise, &mut breaks));
                break;
            }
            parts.push(self.condition(otherwise));
            node = otherwise;
        }
        let blocks = self.docs.group(&parts, breaks);
        self.docs.concat(&[head, blocks])
    }

    /// `if c` and a space
    fn condition(&mut self, id: NodeId) -> DocId {
        let parts = [self.word(self.first(id)), self.expr(self.children(id)[0]), self.space()];
        self.docs.concat(&parts)
    }

    fn branch(&mut self, block: NodeId, breaks: &mut Break) -> Vec<DocId> {
        if self.block_breaks(block) == Break::Always {
            *breaks = Break::Always;
        }
        self.block_parts(block)
    }

    pub(super) fn match_expr(&mut self, id: NodeId) -> DocId {
        let (&scrutinee, arms) = self.children(id).split_first().expect("a scrutinee");
        let head = [self.word(self.first(id)), self.expr(scrutinee), self.space()];
        let (open, close) = (self.after(scrutinee), self.last(id));
        let mut inner = vec![];
        for (at, &arm) in arms.iter().enumerate() {
            if at > 0 {
                inner.push(self.glue(","));
                inner.push(self.line());
            }
            inner.push(self.arm(arm));
        }
        if !arms.is_empty() {
            let comma = self.glue(",");
            inner.push(self.if_broken(comma));
        }
        let line = self.line();
        let breaks = self.breaks_as_written(open, close);
        let arms = self.bracketed_with(open, line, &inner, close, breaks);
        self.docs.concat(&[head[0], head[1], head[2], arms])
    }

    /// `p if g => e`
    fn arm(&mut self, id: NodeId) -> DocId {
        let children = self.children(id);
        let (before_arrow, body) = (children[children.len() - 2], children[children.len() - 1]);
        let mut parts = vec![self.pattern(children[0]), self.space()];
        if self.kind(before_arrow) == NodeKind::Guard {
            parts.push(self.word(self.first(before_arrow)));
            parts.push(self.expr(self.children(before_arrow)[0]));
            parts.push(self.space());
        }
        parts.push(self.token(self.after(before_arrow)));
        parts.push(self.after_sign(body));
        self.docs.concat(&parts)
    }
}
