//! Statements and where they end: at a line break, a `;` or the end of the block.

use base::{Diagnostic, codes};

use super::{Newlines, Parser, precedence};
use crate::lexer::TokenKind;
use crate::tree::{NodeId, NodeKind};

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Level {
    File,
    Block,
}

impl Parser<'_> {
    pub(super) fn statements(&mut self, level: Level) -> Vec<NodeId> {
        let mut statements = vec![];
        loop {
            while self.eat(TokenKind::Semicolon) {}
            if self.at_end() {
                return statements;
            }
            let start = self.at;
            statements.push(self.statement(level));
            self.end_statement();
            if self.at == start {
                self.skip();
                self.skip_statement();
            }
        }
    }

    fn end_statement(&mut self) {
        if !self.at_end() && !self.at_newline() && !self.eat(TokenKind::Semicolon) {
            self.expected("a new line or `;`");
            self.skip_statement();
        }
    }

    /// To where a statement may end; in a list, to its next comma.
    pub(super) fn skip_statement(&mut self) {
        while !self.at_end() && !self.at_statement_end() {
            self.skip();
        }
    }

    fn at_statement_end(&self) -> bool {
        match self.context.newlines {
            Newlines::Ignored => self.peek() == TokenKind::Comma,
            Newlines::EndArm => self.peek() == TokenKind::Comma || self.at_newline(),
            Newlines::EndStatement => self.peek() == TokenKind::Semicolon || self.at_newline(),
        }
    }

    fn statement(&mut self, level: Level) -> NodeId {
        match self.peek() {
            TokenKind::Let => self.let_statement(),
            TokenKind::Fn => self.fn_statement(),
            TokenKind::For => self.for_statement(),
            TokenKind::Name if self.at_item() => self.item_at(level),
            TokenKind::Name if self.at_assert() => self.assert(),
            _ => self.expr(),
        }
    }

    /// `type`, `import` and `test` stand in a file only.
    fn item_at(&mut self, level: Level) -> NodeId {
        let start = self.at;
        let word = self.peek_text();
        let item = self.item();
        if level == Level::File {
            return item;
        }
        let message = format!("`{word}` can't stand in a block");
        let error = Diagnostic::new(codes::MISPLACED_STATEMENT, self.span_at(start), message);
        self.report(error.help("move it to the top level of the file"));
        self.node(NodeKind::Error, start, &[item])
    }

    /// `let p = e`
    pub(super) fn let_statement(&mut self) -> NodeId {
        let start = self.at;
        self.bump();
        let pattern = self.pattern();
        let value = if self.eat(TokenKind::Equals) {
            self.expr()
        } else {
            self.expected("`=`");
            self.skip_statement();
            self.missing()
        };
        self.node(NodeKind::Let, start, &[pattern, value])
    }

    /// The loop of other languages.
    fn for_statement(&mut self) -> NodeId {
        let start = self.at;
        let error = Diagnostic::new(
            codes::UNEXPECTED_TOKEN,
            self.span_at(start),
            "expected a statement, found `for`, which stands in `[…]` or in a call",
        );
        self.report(error.help("write `[e for x in xs]`, `fold(f, start, xs)` or `iterate(n, f, x)`"));
        self.skip();
        self.skip_statement();
        self.node(NodeKind::Error, start, &[])
    }

    /// `assert e`, not a call `assert(e)` nor a variable of that name.
    fn at_assert(&self) -> bool {
        if self.peek_text() != "assert" || self.significant[self.at + 1].newline {
            return false;
        }
        match self.peek_at(self.at + 1) {
            TokenKind::LeftParen => !self.ends_statement(self.after_bracket(self.at + 1)),
            kind => starts_assertion(kind),
        }
    }

    fn ends_statement(&self, at: usize) -> bool {
        let kind = self.peek_at(at);
        let goes_on = matches!(kind, TokenKind::Dot | TokenKind::Arrow)
            || (kind != TokenKind::Minus && precedence(kind, "").is_some())
            || self.clause_at(at);
        matches!(kind, TokenKind::Semicolon | TokenKind::End) || (self.significant[at].newline && !goes_on)
    }

    fn assert(&mut self) -> NodeId {
        let start = self.at;
        let callee = self.name();
        let claim = self.expr();
        self.node(NodeKind::Assert, start, &[callee, claim])
    }

    /// `{ …; e }`, at the brace.
    pub(super) fn block(&mut self) -> NodeId {
        let start = self.at;
        let Some(statements) = self.inside(Newlines::EndStatement, |parser| parser.statements(Level::Block)) else {
            return self.node(NodeKind::Error, start, &[]);
        };
        if let Some(&last) = statements.last().filter(|_| self.significant[start].closed) {
            self.check_value(last);
        }
        self.node(NodeKind::Block, start, &statements)
    }

    /// E0107
    fn check_value(&mut self, last: NodeId) {
        let node = self.nodes.get(last);
        if !matches!(node.kind, NodeKind::Let | NodeKind::Fn) {
            return;
        }
        let first = &self.tokens[node.first as usize];
        let span = base::Span::new(self.file, first.start as usize, first.end as usize);
        let word = &self.text[first.start as usize..first.end as usize];
        let message = format!("expected an expression at the end of the block, found `{word}`");
        let error = Diagnostic::new(codes::BLOCK_WITHOUT_VALUE, span, message);
        self.report(error.help("the value of a block is its last expression; write `()` if there is none"));
    }

    /// A block where nothing else can stand: after `if c`, `else`, `test "…"`.
    pub(super) fn expect_block(&mut self) -> NodeId {
        if self.peek() == TokenKind::Equals {
            // `if a = b {`
            self.expected("`{`");
            self.bump();
            self.condition();
        }
        if self.peek() == TokenKind::LeftBrace {
            return self.block();
        }
        self.expected("`{`");
        self.skip_statement();
        self.missing()
    }
}

fn starts_assertion(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Name | Lambda
            | Int
            | Real
            | BadNumber
            | StringStart
            | True
            | False
            | Bang
            | LeftBracket
            | LeftBrace
            | If
            | Match
    )
}
