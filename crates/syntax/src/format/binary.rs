//! Operators between operands. Chains of one precedence break together, after their operators; before `|>`, `<~`,
//! `&&` and `||`, which can't start a statement. `^` and `..` keep close to their operands.

use super::Formatter;
use super::doc::{Break, Choice, Doc, DocId};
use crate::lexer::TokenKind;
use crate::parser::precedence;
use crate::tree::{NodeId, NodeKind};

impl Formatter<'_> {
    pub(super) fn binary(&mut self, id: NodeId) -> DocId {
        if is_tight(self.operator(id)) {
            return self.tight(id);
        }
        if self.hugs_last_operand(id) {
            return self.hugging(id);
        }
        let (first, rest) = self.chain(id);
        let rest = self.docs.nest(&rest);
        let breaks = self.chain_breaks(id);
        self.docs.group(&[first, rest], breaks)
    }

    /// A pipeline that was broken stays broken.
    fn chain_breaks(&self, id: NodeId) -> Break {
        let piped = self.operator(id) == TokenKind::Pipe && self.newline_after(self.last(self.children(id)[0]));
        if piped { Break::Always } else { self.breaks_between(self.first(id), self.last(id)) }
    }

    /// The chain where it has been indented already: below `=`, inside parentheses.
    pub(super) fn indented(&mut self, id: NodeId) -> DocId {
        if self.kind(id) != NodeKind::Binary || is_tight(self.operator(id)) || self.hugs_last_operand(id) {
            return self.expr(id);
        }
        let (first, rest) = self.chain(id);
        let mut parts = vec![first];
        parts.extend(rest);
        let breaks = self.chain_breaks(id);
        self.docs.group(&parts, breaks)
    }

    fn operator(&self, id: NodeId) -> TokenKind {
        self.tree.token_kind(self.main(id))
    }

    /// `x^2`, `0..n`
    fn tight(&mut self, id: NodeId) -> DocId {
        let (left, right) = (self.children(id)[0], self.children(id)[1]);
        let parts = [self.expr(left), self.token(self.main(id)), self.expr(right)];
        self.docs.concat(&parts)
    }

    /// The first operand; then operators, line breaks and operands.
    fn chain(&mut self, id: NodeId) -> (DocId, Vec<DocId>) {
        let level = precedence(self.operator(id), "");
        let mut links = vec![id];
        let mut left = self.children(id)[0];
        while self.kind(left) == NodeKind::Binary && precedence(self.operator(left), "") == level {
            links.push(left);
            left = self.children(left)[0];
        }
        let first = self.expr(left);
        let rest = links.into_iter().rev().flat_map(|link| self.link(link)).collect();
        (first, rest)
    }

    /// An operator and its right operand.
    fn link(&mut self, id: NodeId) -> [DocId; 4] {
        let operator = self.token(self.main(id));
        let (line, space) = (self.line(), self.space());
        let operand = self.expr(self.children(id)[1]);
        if leads_line(self.operator(id)) { [line, operator, space, operand] } else { [space, operator, line, operand] }
    }

    /// `f <~ x => { … }`: one operator, and the right operand may break inside its brackets.
    pub(super) fn hugs_last_operand(&self, id: NodeId) -> bool {
        let (left, right) = (self.children(id)[0], self.children(id)[1]);
        let single = self.kind(left) != NodeKind::Binary && !is_tight(self.operator(id));
        single && self.opens_brackets(right) && !self.has_comment(self.first(id), self.first(right))
    }

    fn hugging(&mut self, id: NodeId) -> DocId {
        let (first, link) = self.chain(id);
        let (operator, operand) = (link[1], link[3]);
        let space = self.space();
        let flat = self.docs.concat(&[first, space, operator, space, operand]);
        let rest = self.docs.nest(&link);
        let expanded = self.grouped(id, &[first, rest]);
        match self.docs.broken(operand) {
            Some(broken) if !self.docs.breaks(first) => {
                let hug = self.docs.concat(&[first, space, operator, space, broken]);
                self.docs.add(Doc::Choice(Choice { flat: Some(flat), hug, expanded }))
            }
            _ => expanded,
        }
    }
}

fn is_tight(operator: TokenKind) -> bool {
    matches!(operator, TokenKind::Caret | TokenKind::DotDot)
}

fn leads_line(operator: TokenKind) -> bool {
    matches!(operator, TokenKind::Pipe | TokenKind::Attach | TokenKind::AndAnd | TokenKind::OrOr)
}
