//! Comprehensions: `[e for x in xs]` is `tabulate(len(xs), k => { let x = xs[k]; e })`.
//!
//! Several clauses nest. With a filter the result has one axis: `where` finds the indices that are kept; over
//! several clauses, the parts for each element of the outer ones are joined.

use base::Span;
use calculus::{Atom, Const, Expr, Prim};
use syntax::ast::{BinaryOp, Clause, Comprehension};
use syntax::{NodeId, ast};

use crate::context::{Elaborator, Shared, UNNAMED};
use crate::emit::int;
use crate::functions::Function;
use crate::groups::Member;
use crate::locals::Local;
use crate::matching::Fit;
use crate::patterns::{Pattern, Site};

/// A clause: how many elements it runs over, what they are, and the pattern that each is bound to.
struct Source {
    count: Atom,
    elements: Elements,
    pattern: Pattern,
    span: Span,
}

enum Elements {
    /// `a..b`: counted from a, without building the array.
    From(Shared),
    Of(Shared),
}

impl Elaborator<'_> {
    pub fn comprehension(&mut self, comprehension: &Comprehension, span: Span) -> Atom {
        self.clauses(comprehension, &comprehension.clauses, span)
    }

    fn clauses(&mut self, whole: &Comprehension, clauses: &[Clause], span: Span) -> Atom {
        let Some((clause, inner)) = clauses.split_first() else { return self.expression(whole.body) };
        let source = self.source(clause);
        match whole.filter {
            Some(filter) if inner.is_empty() => self.filtered(whole.body, filter, source, span),
            Some(_) => self.joined(whole, inner, source, span),
            None => self.tabulate(source.count.clone(), span, |this, k| {
                this.bind_element(&source, k);
                this.clauses(whole, inner, span)
            }),
        }
    }

    fn source(&mut self, clause: &Clause) -> Source {
        let span = self.tree.span(clause.source);
        let pattern = self.pattern(clause.pattern, Site::Binding);
        let source = self.bare(clause.source);
        if let ast::Expr::Binary { op: BinaryOp::Range, left, right, .. } = self.tree.expr(source) {
            let (from, to) = (self.expression(left), self.expression(right));
            let count = self.difference(to, from.clone(), span);
            return Source { count, elements: Elements::From(self.share(from)), pattern, span };
        }
        let array = self.expression(source);
        let count = self.primitive(Prim::Len, [array.clone()], span);
        Source { count, elements: Elements::Of(self.share(array)), pattern, span }
    }

    /// Binds the clause's pattern to element number `k`.
    fn bind_element(&mut self, source: &Source, k: Atom) {
        let element = match &source.elements {
            Elements::From(Shared::Constant(Atom::Const(Const::Int(0)))) => k,
            Elements::From(from) => {
                let from = self.shared(from);
                self.primitive(Prim::Add, [from, k], source.span)
            }
            Elements::Of(array) => {
                let array = self.shared(array);
                self.primitive(Prim::Index, [array, k], source.span)
            }
        };
        self.take_apart(&source.pattern, element, Fit::Demanded);
    }

    /// `tabulate(count, k => body)`
    fn tabulate(&mut self, count: Atom, span: Span, body: impl FnOnce(&mut Self, Atom) -> Atom) -> Atom {
        let f = self.inner_function(span, body);
        self.primitive(Prim::Tabulate, [count, f], span)
    }

    /// A function that runs as part of the code around it.
    fn inner_function(&mut self, span: Span, body: impl FnOnce(&mut Self, Atom) -> Atom) -> Atom {
        let timing = self.frame().timing;
        let code = self.open_function(None, (span, span), *UNNAMED, timing, body);
        self.close_lambda(Function::plain(code))
    }

    /// `kept = where(tabulate(n, k => filter))`, then `tabulate(len(kept), j => body at kept[j])`.
    fn filtered(&mut self, body: NodeId, filter: NodeId, source: Source, span: Span) -> Atom {
        let filter_span = self.tree.span(filter);
        let holds = self.tabulate(source.count.clone(), filter_span, |this, k| {
            this.bind_element(&source, k);
            this.expression(filter)
        });
        let kept = self.primitive(Prim::Where, [holds], filter_span);
        let count = self.primitive(Prim::Len, [kept.clone()], filter_span);
        let kept = self.share(kept);
        self.tabulate(count, span, |this, j| {
            let kept = this.shared(&kept);
            let k = this.primitive(Prim::Index, [kept, j], filter_span);
            this.bind_element(&source, k);
            this.expression(body)
        })
    }

    /// The results of the inner clauses for each element of this one, one after the other.
    fn joined(&mut self, whole: &Comprehension, inner: &[Clause], source: Source, span: Span) -> Atom {
        let part = self.inner_function(span, |this, k| {
            this.bind_element(&source, k);
            this.clauses(whole, inner, span)
        });
        let count = source.count;
        let part = self.share(part);
        let none = self.primitive(Prim::Le, [count.clone(), int(0)], span);
        self.choose(
            none,
            span,
            |this| this.bind(Expr::Array(vec![]), span),
            |this| {
                let join = this.join_function(&part, span);
                let all = this.tuple(vec![int(0), count], span);
                this.apply(join, all, span)
            },
        )
    }

    /// `fn join(from, to) = if to - from == 1 { part(from) } else { concat of both halves }`: parts may differ in
    /// length, so they are never in one array; halving keeps the copies and the depth small.
    fn join_function(&mut self, part: &Shared, span: Span) -> Atom {
        let var = self.frame().builder.fresh(*UNNAMED);
        let join = self.locals.add_hidden(Local { name: *UNNAMED, depth: self.frames.len(), var, span: None });
        let timing = self.frame().timing;
        let code = self.open_function(None, (span, span), *UNNAMED, timing, |this, argument| {
            let [from, to] = this.arguments(argument, 2, span).try_into().expect("elaborate: two arguments");
            let length = this.primitive(Prim::Sub, [to.clone(), from.clone()], span);
            let single = this.primitive(Prim::Eq, [length, int(1)], span);
            let one = |this: &mut Self| {
                let part = this.shared(part);
                this.apply(part, from.clone(), span)
            };
            let halves = |this: &mut Self| {
                let sum = this.primitive(Prim::Add, [from.clone(), to.clone()], span);
                let middle = this.primitive(Prim::IntDiv, [sum, int(2)], span);
                let halves = [(from.clone(), middle.clone()), (middle, to)].map(|(from, to)| {
                    let range = this.tuple(vec![from, to], span);
                    let join = this.reference(join);
                    this.apply(join, range, span)
                });
                this.primitive(Prim::Concat, halves, span)
            };
            this.choose(single, span, one, halves)
        });
        self.close_group(vec![Member { function: Function::plain(code), id: Some(join) }], vec![var]);
        Atom::Var(var)
    }
}
