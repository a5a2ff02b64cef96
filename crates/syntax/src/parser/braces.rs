//! What a brace opens where an expression is expected: a record, an update or a block.

use super::{Newlines, Parser};
use crate::lexer::TokenKind;
use crate::tree::{NodeId, NodeKind};

impl Parser<'_> {
    pub(super) fn braces(&mut self) -> NodeId {
        if self.significant[self.at].has_with {
            self.update()
        } else if self.at_record() {
            self.record()
        } else {
            self.block()
        }
    }

    /// `{}`, `{name: …`; also what is nearly one: `{x, y}`, `{"x": …}`.
    fn at_record(&self) -> bool {
        let (open, next) = (&self.significant[self.at], self.at + 1);
        if open.end as usize == next {
            return true;
        }
        match self.peek_at(next) {
            TokenKind::Name | TokenKind::Lambda => {
                matches!(self.peek_at(next + 1), TokenKind::Colon | TokenKind::Comma)
            }
            TokenKind::StringStart => self.peek_at(self.after_bracket(next)) == TokenKind::Colon,
            _ => false,
        }
    }

    /// `{x: 1.0, y: 2.0}`
    fn record(&mut self) -> NodeId {
        let start = self.at;
        match self.inside(Newlines::Ignored, |parser| parser.list("}", |parser| parser.record_field())) {
            Some(fields) => self.node(NodeKind::Record, start, &fields),
            None => self.node(NodeKind::Error, start, &[]),
        }
    }

    fn record_field(&mut self) -> NodeId {
        let start = self.at;
        if !self.at_name() {
            self.expected_with("a field", |error| error.help("a field is written `name: e`"));
            self.skip_statement();
            return self.node(NodeKind::Error, start, &[]);
        }
        let name = self.peek_text();
        self.bump();
        let value = if self.eat(TokenKind::Colon) {
            self.expr()
        } else {
            self.expected_with("`:`", |error| error.help(format!("a field is written `{name}: e`")));
            self.skip_statement();
            self.missing()
        };
        self.node(NodeKind::RecordField, start, &[value])
    }

    /// `{r with x: e}`, `{a with [i]: e}`
    fn update(&mut self) -> NodeId {
        let start = self.at;
        match self.inside(Newlines::Ignored, |parser| parser.update_parts()) {
            Some(parts) => self.node(NodeKind::With, start, &parts),
            None => self.node(NodeKind::Error, start, &[]),
        }
    }

    fn update_parts(&mut self) -> Vec<NodeId> {
        let mut parts = vec![self.expr()];
        if !self.eat(TokenKind::With) {
            self.expected("`with`");
            while !self.at_end() && !self.eat(TokenKind::With) {
                self.skip();
            }
        }
        if self.at_end() {
            self.expected("a field or an index");
        }
        parts.extend(self.list("}", |parser| parser.update_part()));
        parts
    }

    fn update_part(&mut self) -> NodeId {
        if self.peek() != TokenKind::LeftBracket {
            return self.record_field();
        }
        let start = self.at;
        let mut children = self.inside(Newlines::Ignored, |parser| parser.index_arguments()).unwrap_or_default();
        let bracket = self.significant[self.at - 1].token;
        if !self.eat(TokenKind::Colon) {
            self.expected_with("`:`", |error| error.help("an update is written `[i]: e`"));
            self.skip_statement();
            children.push(self.missing());
        } else {
            children.push(self.expr());
        }
        self.node_with(NodeKind::UpdateIndex, start, bracket, &children)
    }
}
