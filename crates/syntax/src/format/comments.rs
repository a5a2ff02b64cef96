//! Which token a comment goes with: the one before it if it is on its line, otherwise the one after it.

use super::Formatter;
use super::doc::{Doc, DocId};
use crate::lexer::TokenKind;

impl Formatter<'_> {
    /// Whether a comment stands between two tokens.
    pub(super) fn has_comment(&self, first: u32, last: u32) -> bool {
        self.comments_before[first as usize] != self.comments_before[last as usize]
    }

    /// The comments on their own lines above a token, unless they have been written.
    pub(super) fn comments_above(&mut self, token: u32) -> Vec<DocId> {
        if self.handled[token as usize] {
            return vec![];
        }
        self.own_lines_above(token).into_iter().map(|comment| self.own_line(comment)).collect()
    }

    /// The comments above a token, now; the token itself comes later.
    pub(super) fn take_comments_above(&mut self, token: u32) -> Vec<DocId> {
        let comments = self.comments_above(token);
        self.handled[token as usize] = true;
        comments
    }

    pub(super) fn own_line(&mut self, comment: u32) -> DocId {
        let token = self.tree.tokens()[comment as usize];
        self.docs.add(Doc::Comment(token.start, token.end))
    }

    /// The comment behind a token on its line.
    pub(super) fn comment_behind(&mut self, token: u32) -> Option<DocId> {
        let mut at = token + 1;
        loop {
            let kind = self.tree.token_kind(at);
            if kind.is_comment() {
                let comment = self.tree.tokens()[at as usize];
                return Some(self.docs.add(Doc::Suffix(comment.start, comment.end)));
            }
            if kind != TokenKind::Whitespace && !Self::is_layout(kind) {
                return None;
            }
            at += 1;
        }
    }

    /// The comments before a token that have lines of their own, in order.
    pub(super) fn own_lines_above(&self, token: u32) -> Vec<u32> {
        let mut comments = vec![];
        // Comments that are seen on the way up, until a line break shows that they are on their own line.
        let mut at = token;
        let mut candidate = None;
        while at > 0 {
            at -= 1;
            let kind = self.tree.token_kind(at);
            if kind.is_comment() {
                candidate = Some(at);
            } else if kind == TokenKind::Newline {
                comments.extend(candidate.take());
            } else if kind != TokenKind::Whitespace && !Self::is_layout(kind) {
                candidate = None;
                break;
            }
        }
        comments.extend(candidate); // on the first line of the file
        comments.reverse();
        comments
    }

    /// Whether a comment stands between a token and the one before.
    pub(super) fn comment_before(&self, token: u32) -> bool {
        let above = (0..token).rev().map(|at| self.tree.token_kind(at));
        above.take_while(|kind| kind.is_trivia()).any(TokenKind::is_comment)
    }

    /// Whether a line break stands between a token and the next one that isn't a comment.
    pub(super) fn newline_after(&self, token: u32) -> bool {
        let next = self.significant(token + 1);
        (token + 1..next).any(|at| self.tree.token_kind(at) == TokenKind::Newline)
    }

    /// Whether an empty line stands directly before a token or comment.
    pub(super) fn blank_before(&self, token: u32) -> bool {
        let above = (0..token).rev().map(|at| self.tree.token_kind(at));
        let space =
            above.take_while(|&kind| matches!(kind, TokenKind::Whitespace | TokenKind::Newline | TokenKind::Semicolon));
        space.filter(|&kind| kind == TokenKind::Newline).count() >= 2
    }
}
