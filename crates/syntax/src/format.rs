//! A tree back into text, in the standard layout: two spaces, 100 columns, one statement per line.
//!
//! The tokens stay, except for commas and semicolons, which follow from the layout, and for parentheses around a
//! function whose rule clauses would otherwise seem to belong to the function around it. All comments stay: one at the
//! end of a line stays at the end of its line, one on its own line stays on its own line.
//!
//! Blocks, matches, arrays and records that were broken after their opening bracket stay broken; everything else is
//! broken only if it is too long.

mod align;
mod binary;
mod blocks;
mod comments;
mod doc;
mod expressions;
mod fits;
mod functions;
mod lists;
mod patterns;
mod postfix;
mod print;
mod statements;

use crate::lexer::TokenKind;
use crate::tree::{NodeId, NodeKind, Tree};
use doc::{Doc, DocId, Docs};

/// The text of a tree in the standard layout; None if the tree has errors.
pub fn format(tree: &Tree) -> Option<String> {
    if !tree.errors().is_empty() {
        return None;
    }
    let mut formatter = Formatter::new(tree);
    let root = formatter.file();
    Some(print::print(&formatter.docs, tree.text(), root))
}

struct Formatter<'a> {
    tree: &'a Tree,
    docs: Docs,
    /// How many comments stand before each token.
    comments_before: Vec<u32>,
    /// Tokens whose comments above them have been written already.
    handled: Vec<bool>,
}

impl<'a> Formatter<'a> {
    fn new(tree: &'a Tree) -> Formatter<'a> {
        let mut comments = 0;
        let mut comments_before = Vec::with_capacity(tree.tokens().len() + 1);
        for token in tree.tokens() {
            comments_before.push(comments);
            comments += u32::from(token.kind.is_comment());
        }
        comments_before.push(comments);
        Formatter { tree, docs: Docs::default(), comments_before, handled: vec![false; tree.tokens().len() + 1] }
    }

    fn kind(&self, id: NodeId) -> NodeKind {
        self.tree.kind(id)
    }

    fn children(&self, id: NodeId) -> &'a [NodeId] {
        self.tree.children(id)
    }

    fn first(&self, id: NodeId) -> u32 {
        self.tree.node(id).first
    }

    fn last(&self, id: NodeId) -> u32 {
        self.tree.node(id).end - 1
    }

    fn main(&self, id: NodeId) -> u32 {
        self.tree.node(id).main
    }

    /// The first token from `at` on that the grammar sees.
    fn significant(&self, mut at: u32) -> u32 {
        while self.tree.token_kind(at).is_trivia() {
            at += 1;
        }
        at
    }

    /// The token after a node.
    fn after(&self, id: NodeId) -> u32 {
        self.significant(self.tree.node(id).end)
    }

    /// A token with its comments.
    fn token(&mut self, at: u32) -> DocId {
        self.tokens(at, at)
    }

    /// Tokens that stay as they are, such as a string.
    fn tokens(&mut self, first: u32, last: u32) -> DocId {
        let mut parts = self.comments_above(first);
        let (start, end) = (self.tree.tokens()[first as usize].start, self.tree.tokens()[last as usize].end);
        parts.push(self.docs.add(Doc::Source(start, end)));
        parts.extend(self.comment_behind(last));
        if parts.len() == 1 { parts[0] } else { self.docs.concat(&parts) }
    }

    /// The next token from `at` on, and a space.
    fn word(&mut self, at: u32) -> DocId {
        let word = self.token(at);
        let space = self.docs.add(Doc::Space);
        self.docs.concat(&[word, space])
    }

    fn space(&mut self) -> DocId {
        self.docs.add(Doc::Space)
    }

    fn line(&mut self) -> DocId {
        self.docs.add(Doc::Line)
    }

    fn soft_line(&mut self) -> DocId {
        self.docs.add(Doc::SoftLine)
    }

    fn hard_line(&mut self) -> DocId {
        self.docs.add(Doc::HardLine)
    }

    /// The punctuation that the layout brings along.
    fn glue(&mut self, text: &'static str) -> DocId {
        self.docs.add(Doc::Glue(text))
    }

    /// Only in a broken group.
    fn if_broken(&mut self, broken: DocId) -> DocId {
        let nothing = self.docs.empty();
        self.docs.add(Doc::IfBroken(broken, nothing))
    }

    /// Commas, semicolons and the bars of types belong to the layout; comments look through them.
    fn is_layout(kind: TokenKind) -> bool {
        matches!(kind, TokenKind::Comma | TokenKind::Semicolon | TokenKind::Bar)
    }
}
