//! Elements of arrays: `a[i]`, `a[i, ..]`, `{a with [i]: v}`, and updates of records, which look alike.

use base::Span;
use calculus::{Atom, Expr, Prim};
use syntax::NodeId;
use syntax::ast::{IndexArg, Update};

use crate::context::Elaborator;
use crate::emit::UNIT;

impl Elaborator<'_> {
    pub fn index(&mut self, base: NodeId, indices: &[IndexArg], span: Span) -> Atom {
        let base = self.expression(base);
        let spec = self.index_spec(indices, span);
        self.primitive(Prim::Index, [base, spec], span)
    }

    /// One plain index as it is; anything else as a tuple with one item for each axis, of length one too.
    fn index_spec(&mut self, indices: &[IndexArg], span: Span) -> Atom {
        if let [IndexArg::At(index)] = indices {
            return self.expression(*index);
        }
        let items = indices.iter().map(|index| self.index_item(index, span)).collect();
        self.tuple(items, span)
    }

    /// An index; a range as the pair of its ends, `()` for an open one; `()` for the whole axis.
    fn index_item(&mut self, index: &IndexArg, span: Span) -> Atom {
        match index {
            IndexArg::At(index) => self.expression(*index),
            IndexArg::Range(None, None) => UNIT,
            IndexArg::Range(from, to) => {
                let ends = [from, to].map(|end| end.map_or(UNIT, |end| self.expression(end)));
                self.tuple(ends.into(), span)
            }
        }
    }

    /// `{r with x: v}` and `{a with [i]: v}`, one update after the other.
    pub fn with(&mut self, base: NodeId, updates: &[Update], span: Span) -> Atom {
        let labels = updates.iter().filter_map(|update| match update {
            Update::Field(label, _) => Some(*label),
            Update::Index { .. } => None,
        });
        self.check_fields(labels);
        let base = self.expression(base);
        updates.iter().fold(base, |value, update| match update {
            Update::Field(label, new) => {
                self.note_field(*label);
                let new = self.expression(*new);
                self.bind(Expr::With(value, label.name, new), span)
            }
            Update::Index { indices, span: place, value: new } => {
                let spec = self.index_spec(indices, *place);
                let new = self.expression(*new);
                self.primitive(Prim::Update, [value, spec, new], span)
            }
        })
    }
}
