//! What stands in files only: `type`, `import`, `test`. Their words are contextual: names elsewhere.

use super::{Newlines, Parser};
use crate::lexer::TokenKind;
use crate::tree::{NodeId, NodeKind};

impl Parser<'_> {
    /// The word, and what must follow it on its line.
    pub(super) fn at_item(&self) -> bool {
        if self.significant[self.at + 1].newline {
            return false;
        }
        let next = self.peek_at(self.at + 1);
        match self.peek_text() {
            "type" => next == TokenKind::Name,
            "import" => matches!(next, TokenKind::Name | TokenKind::StringStart),
            "test" => next == TokenKind::StringStart,
            _ => false,
        }
    }

    pub(super) fn item(&mut self) -> NodeId {
        match self.peek_text() {
            "type" => self.type_item(),
            "import" => self.import_item(),
            _ => self.test_item(),
        }
    }

    /// `type List = Nil | Cons(head, tail)`
    fn type_item(&mut self) -> NodeId {
        let start = self.at;
        self.bump();
        let name = self.token();
        self.bump();
        if !self.eat(TokenKind::Equals) {
            self.expected("`=`");
            self.skip_statement();
            return self.node(NodeKind::Error, start, &[]);
        }
        self.eat(TokenKind::Bar);
        let mut constructors = vec![self.constructor()];
        while self.eat(TokenKind::Bar) {
            constructors.push(self.constructor());
        }
        self.node_with(NodeKind::Type, start, name, &constructors)
    }

    fn constructor(&mut self) -> NodeId {
        let start = self.at;
        if !self.at_name() {
            self.expected("a constructor");
            return self.missing();
        }
        self.bump();
        let mut fields = vec![];
        if self.opens_arguments(self.at) {
            let names =
                self.inside(Newlines::Ignored, |parser| parser.list(")", |parser| parser.ident("a field name")));
            fields = names.unwrap_or_default();
        }
        self.node(NodeKind::Constructor, start, &fields)
    }

    /// `import "path"`, `import linalg as l`
    fn import_item(&mut self) -> NodeId {
        let start = self.at;
        self.bump();
        let source = self.token();
        if self.peek() == TokenKind::StringStart {
            self.plain_text("a path");
        } else {
            self.bump();
        }
        let mut alias = vec![];
        if self.at_word("as") && !self.at_newline() {
            self.bump();
            alias.push(self.ident("a name"));
        }
        self.node_with(NodeKind::Import, start, source, &alias)
    }

    /// `test "name" { … }`
    fn test_item(&mut self) -> NodeId {
        let start = self.at;
        self.bump();
        let name = self.plain_text("a test's name");
        let body = self.expect_block();
        self.node(NodeKind::Test, start, &[name, body])
    }

    /// A name that is neither an expression nor a pattern.
    pub(super) fn ident(&mut self, what: &str) -> NodeId {
        if !self.at_name() {
            self.expected(what);
            return self.missing();
        }
        let start = self.at;
        self.bump();
        self.node(NodeKind::Ident, start, &[])
    }
}
