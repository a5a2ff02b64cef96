//! Choice: `if` and `match`. The brace after a condition or a scrutinee is theirs.

use super::{Arrows, Braces, Newlines, Parser};
use crate::lexer::TokenKind;
use crate::tree::{NodeId, NodeKind};

impl Parser<'_> {
    /// `if c { a } else if d { b } else { e }`, in a loop: such chains may be long.
    pub(super) fn if_expr(&mut self) -> NodeId {
        let mut ifs = vec![];
        let otherwise = loop {
            let start = self.at;
            self.bump();
            let condition = self.condition();
            let then = self.expect_block();
            ifs.push((start, condition, then));
            if !self.eat(TokenKind::Else) {
                break None;
            }
            if self.peek() != TokenKind::If {
                break Some(self.expect_block());
            }
        };
        let chain = ifs.into_iter().rev().fold(otherwise, |otherwise, (start, condition, then)| {
            let mut children = vec![condition, then];
            children.extend(otherwise);
            Some(self.node(NodeKind::If, start, &children))
        });
        chain.unwrap_or_else(|| self.missing())
    }

    pub(super) fn condition(&mut self) -> NodeId {
        self.within(|context| context.braces = Braces::Outer, |parser| parser.expr())
    }

    /// `match v { p => e, p if g => e }`
    pub(super) fn match_expr(&mut self) -> NodeId {
        let start = self.at;
        self.bump();
        let mut children = vec![self.condition()];
        if self.peek() != TokenKind::LeftBrace {
            self.expected("`{`");
            self.skip_statement();
        } else if let Some(arms) = self.inside(Newlines::EndArm, |parser| parser.arms()) {
            children.extend(arms);
        }
        self.node(NodeKind::Match, start, &children)
    }

    fn arms(&mut self) -> Vec<NodeId> {
        let mut arms = vec![];
        while !self.at_end() {
            let start = self.at;
            arms.push(self.arm());
            if !self.at_end() && !self.eat(TokenKind::Comma) && !self.at_newline() {
                self.expected("`,` or a new line");
                self.skip_statement();
                self.eat(TokenKind::Comma);
            }
            if self.at == start {
                self.skip();
                self.skip_statement();
                self.eat(TokenKind::Comma);
            }
        }
        arms
    }

    fn arm(&mut self) -> NodeId {
        let start = self.at;
        let mut children = vec![self.pattern()];
        if self.peek() == TokenKind::If {
            children.push(self.guard());
        }
        if self.peek() == TokenKind::Arrow {
            self.bump();
            children.push(self.expr());
        } else {
            self.expected("`=>`");
            children.push(self.body_after_wrong_arrow());
        }
        self.node(NodeKind::Arm, start, &children)
    }

    /// `Nil -> 0`: the mistake is reported; the body may still be read.
    fn body_after_wrong_arrow(&mut self) -> NodeId {
        if matches!(self.peek(), TokenKind::Foreign | TokenKind::Colon | TokenKind::Equals) && !self.at_newline() {
            self.bump();
            return self.expr();
        }
        self.skip_statement();
        self.missing()
    }

    /// `if g`: contains no `=>` of its own, outside brackets.
    fn guard(&mut self) -> NodeId {
        let start = self.at;
        self.bump();
        let condition = self.within(|context| context.arrows = Arrows::EndGuard, |parser| parser.expr());
        self.node(NodeKind::Guard, start, &[condition])
    }
}
