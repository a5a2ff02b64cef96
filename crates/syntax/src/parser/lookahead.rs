//! Decisions that need more than the next token. Each takes a bounded number of steps: brackets are skipped whole.

use super::{Arrows, Newlines, Parser};
use crate::lexer::TokenKind;
use crate::tree::{NodeId, NodeKind};

impl Parser<'_> {
    /// The place after what may be a pattern at `at`.
    fn pattern_end(&self, at: usize) -> Option<usize> {
        let end = match self.peek_at(at) {
            TokenKind::Underscore
            | TokenKind::Int
            | TokenKind::Real
            | TokenKind::BadNumber
            | TokenKind::True
            | TokenKind::False => at + 1,
            TokenKind::Minus if is_number(self.peek_at(at + 1)) => at + 2,
            TokenKind::StringStart | TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => {
                self.after_bracket(at)
            }
            TokenKind::Name | TokenKind::Lambda => self.constructor_end(at),
            _ => return None,
        };
        Some(end)
    }

    /// `x`, `Cons(h, t)`, `module.Cons(h, t)`
    fn constructor_end(&self, at: usize) -> usize {
        let qualified = self.peek_at(at + 1) == TokenKind::Dot && is_name(self.peek_at(at + 2));
        let name_end = if qualified { at + 3 } else { at + 1 };
        if self.opens_arguments(name_end) { self.after_bracket(name_end) } else { name_end }
    }

    /// A parenthesis that isn't on a new line.
    pub(super) fn opens_arguments(&self, at: usize) -> bool {
        let same_line = !self.significant[at].newline || self.context.newlines == Newlines::Ignored;
        self.peek_at(at) == TokenKind::LeftParen && same_line
    }

    /// `x => …`, `(x, y) => …`, `λx => …`
    pub(super) fn at_function(&self) -> bool {
        if self.context.arrows == Arrows::EndGuard {
            return false;
        }
        let signed = self.peek() == TokenKind::Lambda && self.peek_at(self.at + 1) != TokenKind::Arrow;
        let start = self.at + usize::from(signed);
        self.pattern_end(start).is_some_and(|end| self.peek_at(end) == TokenKind::Arrow)
    }

    /// `reverse p => …`: a rule clause, not a name that is spelt like one.
    pub(super) fn at_clause(&self) -> bool {
        self.clause_at(self.at)
    }

    pub(super) fn clause_at(&self, at: usize) -> bool {
        self.context.arrows == Arrows::Function
            && self.peek_at(at) == TokenKind::Name
            && matches!(self.text_at(at), "reverse" | "forward" | "transpose")
            && !self.significant[at + 1].newline
            && self.pattern_end(at + 1).is_some_and(|end| self.peek_at(end) == TokenKind::Arrow)
    }

    /// `approximate "reason"`
    pub(super) fn at_reason(&self) -> bool {
        self.at_word("approximate") && self.peek_at(self.at + 1) == TokenKind::StringStart
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
        self.peek() == TokenKind::Name && self.peek_text() == word
    }

    /// A name that isn't a keyword. `λ` is one where it starts no function.
    pub(super) fn at_name(&self) -> bool {
        is_name(self.peek())
    }

    /// Whether the next token, an operator or a bracket, continues the expression before it.
    pub(super) fn continues(&self) -> bool {
        if !self.at_newline() {
            return true;
        }
        match self.context.newlines {
            Newlines::Ignored => true,
            Newlines::EndStatement => !matches!(
                self.peek(),
                TokenKind::Minus | TokenKind::Bang | TokenKind::LeftParen | TokenKind::LeftBracket
            ),
            Newlines::EndArm => !self.starts_arm(),
        }
    }

    /// A pattern, then `=>` or a guard.
    fn starts_arm(&self) -> bool {
        let end = self.pattern_end(self.at);
        end.is_some_and(|end| matches!(self.peek_at(end), TokenKind::Arrow | TokenKind::If))
    }

    /// A function, in any number of parentheses.
    pub(super) fn is_function(&self, mut node: NodeId) -> bool {
        loop {
            match self.nodes.get(node).kind {
                NodeKind::Lambda | NodeKind::Ruled => return true,
                NodeKind::Paren => node = self.nodes.children(node)[0],
                _ => return false,
            }
        }
    }
}

pub(super) fn is_name(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Name | TokenKind::Lambda)
}

pub(super) fn is_number(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Int | TokenKind::Real | TokenKind::BadNumber)
}
