//! Statements, one below the other.

use super::Formatter;
use super::doc::{Doc, DocId};
use crate::lexer::TokenKind;
use crate::tree::{NodeId, NodeKind};

impl Formatter<'_> {
    pub(super) fn file(&mut self) -> DocId {
        let statements = self.children(self.tree.root);
        let end = self.tree.tokens().len() as u32;
        let parts = self.below_each_other(statements, end);
        self.docs.concat(&parts)
    }

    /// Statements and the comments between them, up to the comments above the token `end`. Empty lines stay, but no
    /// more than one at a place.
    pub(super) fn below_each_other(&mut self, statements: &[NodeId], end: u32) -> Vec<DocId> {
        let mut parts = vec![];
        for &statement in statements {
            let first = self.first(statement);
            self.lines_above(&mut parts, first);
            self.start_line(&mut parts, first);
            parts.push(self.statement(statement));
        }
        self.lines_above(&mut parts, end);
        parts
    }

    fn lines_above(&mut self, parts: &mut Vec<DocId>, token: u32) {
        for comment in self.own_lines_above(token) {
            self.start_line(parts, comment);
            parts.push(self.own_line(comment));
        }
        self.handled[token as usize] = true;
    }

    fn start_line(&mut self, parts: &mut Vec<DocId>, token: u32) {
        if !parts.is_empty() {
            let line = if self.blank_before(token) { Doc::BlankLine } else { Doc::HardLine };
            parts.push(self.docs.add(line));
        }
    }

    pub(super) fn statement(&mut self, id: NodeId) -> DocId {
        match self.kind(id) {
            NodeKind::Let => self.let_statement(id),
            NodeKind::Fn => self.fn_statement(id),
            NodeKind::Type => self.type_item(id),
            NodeKind::Import => self.import_item(id),
            NodeKind::Test => self.test_item(id),
            _ => self.bare(id),
        }
    }

    fn let_statement(&mut self, id: NodeId) -> DocId {
        let (pattern, value) = (self.children(id)[0], self.children(id)[1]);
        let word = self.word(self.first(id));
        let pattern_doc = self.pattern(pattern);
        let space = self.space();
        let equals = self.token(self.after(pattern));
        let value = if self.kind(value) == NodeKind::Lambda {
            let function = self.bare(value);
            self.place_after_sign(value, function)
        } else {
            self.after_sign(value)
        };
        self.docs.concat(&[word, pattern_doc, space, equals, value])
    }

    /// `type List = Nil | Cons(head, tail)`, or each constructor on its line.
    fn type_item(&mut self, id: NodeId) -> DocId {
        let mut head = vec![self.word(self.first(id)), self.word(self.main(id))];
        head.push(self.token(self.significant(self.main(id) + 1)));
        let mut constructors = vec![];
        for (at, &constructor) in self.children(id).iter().enumerate() {
            constructors.push(self.line());
            let first = self.first(constructor);
            constructors.extend(self.take_comments_above(first));
            let bar = self.docs.add(Doc::Static("| "));
            constructors.push(if at == 0 { self.if_broken(bar) } else { bar });
            constructors.push(self.constructor(constructor));
        }
        head.push(self.docs.nest(&constructors));
        self.grouped(id, &head)
    }

    fn constructor(&mut self, id: NodeId) -> DocId {
        let name = self.token(self.first(id));
        if self.first(id) == self.last(id) {
            return name;
        }
        let fields = self.children(id).iter().map(|&field| self.token(self.first(field))).collect::<Vec<_>>();
        let open = self.significant(self.first(id) + 1);
        let fields = self.list(open, &fields, self.last(id));
        self.docs.concat(&[name, fields])
    }

    fn import_item(&mut self, id: NodeId) -> DocId {
        let main = self.main(id);
        let mut parts = vec![self.word(self.first(id))];
        let mut source_end = main;
        if self.tree.token_kind(main) == TokenKind::StringStart {
            while self.tree.token_kind(source_end) != TokenKind::StringEnd {
                source_end += 1;
            }
        }
        parts.push(self.tokens(main, source_end));
        if let Some(&alias) = self.children(id).first() {
            parts.push(self.space());
            parts.push(self.word(self.significant(source_end + 1)));
            parts.push(self.token(self.first(alias)));
        }
        self.docs.concat(&parts)
    }

    fn test_item(&mut self, id: NodeId) -> DocId {
        let (name, body) = (self.children(id)[0], self.children(id)[1]);
        let word = self.word(self.first(id));
        let name = self.tokens(self.first(name), self.last(name));
        let space = self.space();
        let body = self.expr(body);
        self.docs.concat(&[word, name, space, body])
    }
}
