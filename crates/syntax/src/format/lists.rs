//! What stands between brackets and commas.

use super::Formatter;
use super::doc::{Break, Choice, Doc, DocId};
use crate::tree::NodeId;

impl Formatter<'_> {
    /// A group that breaks if it is too long or has a comment inside.
    pub(super) fn grouped(&mut self, id: NodeId, parts: &[DocId]) -> DocId {
        let breaks = self.breaks_between(self.first(id), self.last(id));
        self.docs.group(parts, breaks)
    }

    pub(super) fn breaks_between(&self, open: u32, close: u32) -> Break {
        if self.has_comment(open, close) { Break::Always } else { Break::IfTooLong }
    }

    /// As [`Self::breaks_between`]; also if a line break follows the opening bracket.
    pub(super) fn breaks_as_written(&self, open: u32, close: u32) -> Break {
        if self.newline_after(open) { Break::Always } else { self.breaks_between(open, close) }
    }

    /// `(a, b)`, broken if it is too long.
    pub(super) fn list(&mut self, open: u32, items: &[DocId], close: u32) -> DocId {
        let breaks = self.breaks_between(open, close);
        self.list_with(open, items, close, breaks)
    }

    pub(super) fn list_with(&mut self, open: u32, items: &[DocId], close: u32, breaks: Break) -> DocId {
        let mut inner = self.separated(items);
        if !items.is_empty() {
            let comma = self.glue(",");
            inner.push(self.if_broken(comma));
        }
        self.bracketed(open, &inner, close, breaks)
    }

    /// Items, commas and line breaks.
    pub(super) fn separated(&mut self, items: &[DocId]) -> Vec<DocId> {
        let mut parts = vec![];
        for (at, &item) in items.iter().enumerate() {
            if at > 0 {
                parts.push(self.glue(","));
                parts.push(self.line());
            }
            parts.push(item);
        }
        parts
    }

    /// An opening bracket, its inside on the same line or indented below, the closing bracket.
    pub(super) fn bracketed(&mut self, open: u32, inner: &[DocId], close: u32, breaks: Break) -> DocId {
        let soft = self.soft_line();
        self.bracketed_with(open, soft, inner, close, breaks)
    }

    /// The same with a given line break inside the brackets.
    pub(super) fn bracketed_with(
        &mut self,
        open: u32,
        line: DocId,
        inner: &[DocId],
        close: u32,
        breaks: Break,
    ) -> DocId {
        let opening = self.token(open);
        let mut nested = vec![];
        if !inner.is_empty() {
            nested.push(line);
            nested.extend_from_slice(inner);
        }
        nested.extend(self.take_comments_above(close));
        let has_inside = !nested.is_empty();
        let nested = self.docs.nest(&nested);
        let closing = self.token(close);
        if has_inside || breaks == Break::Always {
            return self.docs.group(&[opening, nested, line, closing], breaks);
        }
        self.docs.concat(&[opening, closing])
    }

    /// Arguments or the elements of a tuple: the last one may keep its brackets open on the line:
    /// `map(xs, x => {` … `})`.
    pub(super) fn arguments(&mut self, open: u32, nodes: &[NodeId], close: u32) -> DocId {
        let Some(&last) = nodes.last() else { return self.list(open, &[], close) };
        let items: Vec<DocId> = nodes.iter().map(|&node| self.expr(node)).collect();
        let (&last_item, others) = items.split_last().expect("there is a last argument");
        let outside = self.has_comment(open, self.first(last)) || self.has_comment(self.last(last), close);
        let others_break = others.iter().any(|&item| self.docs.breaks(item));
        let may_hug = self.opens_brackets(last) || (nodes.len() == 1 && self.is_bracketed(last));
        if outside || others_break || !may_hug {
            return self.list(open, &items, close);
        }
        match self.docs.broken(last_item) {
            Some(broken) => self.choice(open, &items, broken, close),
            None => self.list(open, &items, close),
        }
    }

    /// On one line; the last item broken; every item on its line.
    fn choice(&mut self, open: u32, items: &[DocId], broken: DocId, close: u32) -> DocId {
        let expanded = self.list_with(open, items, close, Break::Always);
        let (open, close) = (self.token(open), self.token(close));
        let mut flat = vec![open];
        flat.extend(self.separated(items));
        flat.push(close);
        let mut hug = flat.clone();
        let last = hug.len() - 2;
        hug[last] = broken;
        for part in &mut hug {
            if matches!(self.docs.get(*part), Doc::Line) {
                *part = self.space();
            }
        }
        let (flat, hug) = (self.docs.concat(&flat), self.docs.concat(&hug));
        self.docs.add(Doc::Choice(Choice { flat: Some(flat), hug, expanded }))
    }
}
