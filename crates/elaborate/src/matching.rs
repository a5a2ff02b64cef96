//! Values against patterns: testing whether one fits, taking it apart, and `match`.

use base::Span;
use calculus::{Atom, Const, Expr, Failure, Field, Form, Prim};
use syntax::{NodeId, ast};

use crate::context::Elaborator;
use crate::deep;
use crate::emit::{UNIT, boolean};
use crate::patterns::{Pattern, Shape, Site};

/// Is it known that the value fits the pattern?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// A `match` has tested it.
    Tested,
    /// It must; if it doesn't, the program ends there.
    Demanded,
}

impl Elaborator<'_> {
    /// Binds the names of a pattern to the parts of a value.
    pub fn take_apart(&mut self, pattern: &Pattern, value: Atom, fit: Fit) {
        let span = pattern.span;
        deep(|| match &pattern.shape {
            Shape::Wild => {}
            Shape::Bind(name) => self.name_value(*name, value, span),
            Shape::Literal(literal) => self.demand_literal(literal, value, span, fit),
            Shape::Tuple(parts) => self.take_checked(pattern, value, Form::Tuple(parts.len() as u32), fit),
            Shape::Constructor(constructor, _) => {
                self.take_checked(pattern, value, Form::Constructor(constructor.clone()), fit)
            }
            Shape::Array(parts) => self.take_checked(pattern, value, Form::Array(parts.len() as u32), fit),
            Shape::Record(_) => self.take_parts(pattern.parts(), value, fit),
        })
    }

    fn take_checked(&mut self, pattern: &Pattern, value: Atom, form: Form, fit: Fit) {
        let value = self.demand(value, form, pattern.span, fit);
        self.take_parts(pattern.parts(), value, fit);
    }

    fn demand(&mut self, value: Atom, form: Form, span: Span, fit: Fit) -> Atom {
        let length = self.tuple_length(&value);
        let is_known = length.is_some_and(|length| form == Form::Tuple(length as u32));
        match fit {
            Fit::Demanded if !is_known => self.bind(Expr::Check(value, form), span),
            Fit::Demanded | Fit::Tested => value,
        }
    }

    fn demand_literal(&mut self, literal: &Const, value: Atom, span: Span, fit: Fit) {
        if fit == Fit::Tested {
            return;
        }
        let equal = self.primitive(Prim::Eq, [value.clone(), Atom::Const(literal.clone())], span);
        self.choose(equal, span, |_| UNIT, |this| this.bind(Expr::Fail(Failure::Pattern, vec![value]), span));
    }

    pub fn take_parts(&mut self, parts: Vec<(Field, &Pattern)>, value: Atom, fit: Fit) {
        for (field, part) in parts {
            let matters = match fit {
                Fit::Tested => part.binds(),
                Fit::Demanded => !matches!(part.shape, Shape::Wild),
            };
            if matters {
                let value = self.get(value.clone(), field, part.span);
                self.take_apart(part, value, fit);
            }
        }
    }

    /// Whether the value fits the pattern, as a boolean; nothing if every value does.
    fn test(&mut self, pattern: &Pattern, value: Atom) -> Option<Atom> {
        let span = pattern.span;
        deep(|| match &pattern.shape {
            Shape::Wild | Shape::Bind(_) => None,
            Shape::Literal(literal) => Some(self.primitive(Prim::Eq, [value, Atom::Const(literal.clone())], span)),
            Shape::Tuple(parts) if parts.is_empty() => Some(self.primitive(Prim::Eq, [value, UNIT], span)),
            Shape::Tuple(_) => self.test_tuple(pattern, value),
            Shape::Constructor(constructor, _) => {
                self.test_form(pattern, value, Form::Constructor(constructor.clone()))
            }
            Shape::Array(parts) => self.test_form(pattern, value, Form::Array(parts.len() as u32)),
            Shape::Record(fields) => {
                let labels = fields.iter().map(|(label, _)| *label).collect();
                self.test_form(pattern, value, Form::Record(labels))
            }
        })
    }

    fn test_tuple(&mut self, pattern: &Pattern, value: Atom) -> Option<Atom> {
        let length = pattern.parts().len();
        match self.tuple_length(&value) {
            Some(known) if known == length => self.test_parts(None, pattern, value),
            Some(_) => Some(boolean(false)),
            None => self.test_form(pattern, value, Form::Tuple(length as u32)),
        }
    }

    fn test_form(&mut self, pattern: &Pattern, value: Atom, form: Form) -> Option<Atom> {
        let fits = self.bind(Expr::Is(value.clone(), form), pattern.span);
        self.test_parts(Some(fits), pattern, value)
    }

    /// `before`, and every part of the value fits its part of the pattern: one `if` after the other, not nested.
    fn test_parts(&mut self, before: Option<Atom>, pattern: &Pattern, value: Atom) -> Option<Atom> {
        let mut holds = before;
        for (field, part) in pattern.parts() {
            if part.fits_everything() {
                continue;
            }
            let test = |this: &mut Self, value: Atom| {
                let value = this.get(value, field, part.span);
                this.test(part, value).unwrap_or(boolean(true))
            };
            holds = Some(match holds {
                None => test(self, value.clone()),
                Some(before) => {
                    let value = value.clone();
                    self.choose(before, part.span, |this| test(this, value), |_| boolean(false))
                }
            });
        }
        holds
    }

    pub fn match_expression(&mut self, scrutinee: NodeId, arms: &[ast::Arm], span: Span) -> Atom {
        let value = self.expression(scrutinee);
        self.arms(&value, arms, span)
    }

    fn arms(&mut self, value: &Atom, arms: &[ast::Arm], span: Span) -> Atom {
        let Some((arm, rest)) = arms.split_first() else {
            return self.bind(Expr::Fail(Failure::NoMatch, vec![value.clone()]), span);
        };
        let pattern = self.pattern(arm.pattern, Site::Match);
        let fits = self.fits(&pattern, arm.guard, value);
        if fits.is_none() && rest.is_empty() {
            return self.scoped(self.tree.span(arm.body), |this| this.arm_body(&pattern, arm.body, value));
        }
        let then_span = self.tree.span(arm.body);
        let then = self.branch(then_span, |this| this.arm_body(&pattern, arm.body, value));
        let otherwise = self.branch(span, |this| deep(|| this.arms(value, rest, span)));
        self.bind(Expr::If(fits.unwrap_or(boolean(true)), Box::new(then), Box::new(otherwise)), span)
    }

    fn arm_body(&mut self, pattern: &Pattern, body: NodeId, value: &Atom) -> Atom {
        self.take_apart(pattern, value.clone(), Fit::Tested);
        self.expression(body)
    }

    /// Pattern and guard in one boolean. The guard binds the parts for itself, so that the code stays linear.
    fn fits(&mut self, pattern: &Pattern, guard: Option<NodeId>, value: &Atom) -> Option<Atom> {
        let test = self.test(pattern, value.clone());
        let Some(guard) = guard else { return test };
        let span = self.tree.span(guard);
        let guarded = |this: &mut Self| {
            this.take_apart(pattern, value.clone(), Fit::Tested);
            this.expression(guard)
        };
        Some(match test {
            None => self.scoped(span, guarded),
            Some(test) => self.choose(test, span, guarded, |_| boolean(false)),
        })
    }
}

impl Pattern {
    fn binds(&self) -> bool {
        matches!(self.shape, Shape::Bind(_)) || self.parts().iter().any(|(_, part)| part.binds())
    }

    fn fits_everything(&self) -> bool {
        match &self.shape {
            Shape::Wild | Shape::Bind(_) => true,
            Shape::Literal(_) | Shape::Tuple(_) | Shape::Record(_) | Shape::Constructor(..) | Shape::Array(_) => false,
        }
    }

    /// The patterns inside, each with the part of the value that it is for.
    fn parts(&self) -> Vec<(Field, &Pattern)> {
        match &self.shape {
            Shape::Wild | Shape::Bind(_) | Shape::Literal(_) => vec![],
            Shape::Tuple(parts) => positions(parts),
            Shape::Record(fields) => fields.iter().map(|(label, part)| (Field::Name(*label), part)).collect(),
            Shape::Constructor(constructor, parts) => {
                let payload = |(index, part)| (Field::Payload(constructor.clone(), index), part);
                (0..).zip(parts).map(payload).collect()
            }
            Shape::Array(parts) => {
                let length = parts.len() as u32;
                (0..).zip(parts).map(|(index, part)| (Field::Element(index, length), part)).collect()
            }
        }
    }
}

/// The parts of a tuple.
pub(crate) fn positions(parts: &[Pattern]) -> Vec<(Field, &Pattern)> {
    (0..).zip(parts).map(|(index, part)| (Field::Position(index), part)).collect()
}
