//! Taking data apart and putting it together, by shape.

use base::{Name, Span, codes};
use calculus::{Field, Form};
use first_order::{Atom, Head, Op, Scalar, ShapeId, Type};

use crate::body::Alt;
use crate::graph::{BOOL, UNIT, ZERO};
use crate::instances::Specialiser;
use crate::{Result1, Val};

impl Specialiser<'_> {
    /// One part of a value. A part of the symbolic zero is zero.
    pub fn get(&mut self, value: &Val, field: &Field, span: Span) -> Result1<Val> {
        let value = &self.forced(value, span)?;
        self.split(value, span, &mut |this, alt| this.get_alternative(&alt, field, span))
    }

    fn get_alternative(&mut self, alt: &Alt, field: &Field, span: Span) -> Result1<Val> {
        match (&alt.head, field) {
            (Head::Zero, _) => Ok(self.zero()),
            (Head::Tuple, Field::Position(i)) if (*i as usize) < alt.parts.len() => {
                Ok(self.part(alt, *i as usize, span))
            }
            (Head::Part(None, positions), Field::Position(i)) => {
                let at = positions.iter().position(|known| known == i);
                Ok(at.map_or(self.zero(), |at| self.part(alt, at, span)))
            }
            (Head::Record(labels), Field::Name(name)) => match labels.iter().position(|label| label == name) {
                Some(at) => {
                    let part = self.part(alt, at, span);
                    self.present(&part, span)
                }
                None => self.fail(codes::MISSING_FIELD, span),
            },
            (Head::Record(labels), Field::Label(name)) => {
                let at = labels.iter().position(|label| label == name);
                Ok(at.map_or(self.zero(), |at| self.part(alt, at, span)))
            }
            // Unit stands for the record of a function without captures.
            (Head::Tuple, Field::Label(_)) if alt.parts.is_empty() => Ok(self.zero()),
            (Head::Variant(made), Field::Payload(wanted, i)) if made == wanted => Ok(self.part(alt, *i as usize, span)),
            (Head::Part(Some(made), positions), Field::Payload(wanted, i)) if made == wanted => {
                let at = positions.iter().position(|known| known == i);
                Ok(at.map_or(self.zero(), |at| self.part(alt, at, span)))
            }
            (Head::Array(_) | Head::Handle(_), Field::Element(i, _)) => {
                let value = self.narrowed(alt);
                self.sensitivity_element(&value, *i, span)
            }
            (_, Field::Position(_) | Field::Name(_) | Field::Label(_)) => self.fail(codes::MISSING_FIELD, span),
            (Head::Variant(_) | Head::Part(..) | Head::Tuple | Head::Record(_), Field::Payload(..)) => {
                self.fail(codes::NOT_CONFORMING, span)
            }
            (_, Field::Payload(..)) => self.fail(codes::PATTERN_MISMATCH, span),
            (_, Field::Element(..)) => self.fail(codes::NOT_CONFORMING, span),
            (Head::Closure { code, .. }, Field::Capture(label)) => {
                let at = self.codes.get(*code).labels().iter().position(|known| known == label);
                Ok(at.map_or(self.zero(), |at| self.part(alt, at, span)))
            }
            (Head::Closure { code, .. }, Field::Member(member)) => {
                let parts = self.all_parts(alt, span);
                self.construct(Head::Closure { code: *code, member: *member }, parts, span)
            }
            (Head::Prim { .. } | Head::Sealed { .. }, Field::Member(_)) => Ok(self.narrowed(alt)),
            (_, Field::Capture(_) | Field::Member(_)) => self.fail(codes::NOT_A_FUNCTION, span),
        }
    }

    /// The field of a record, which isn't there if it is the symbolic zero.
    fn present(&mut self, part: &Val, span: Span) -> Result1<Val> {
        if !self.may_be_zero(part.shape) {
            return Ok(part.clone());
        }
        self.split(part, span, &mut |this, alt| match alt.head {
            Head::Zero => this.fail(codes::MISSING_FIELD, span),
            _ => Ok(this.narrowed(&alt)),
        })
    }

    pub fn may_be_zero(&self, shape: ShapeId) -> bool {
        self.graph.alternatives(shape).iter().any(|one| one.head == Head::Zero)
    }

    /// The sensitivity that is `d` in one part and zero elsewhere.
    pub fn inject(&mut self, field: &Field, d: Val, span: Span) -> Result1<Val> {
        if d.shape == ZERO {
            return Ok(d);
        }
        if self.may_be_zero(d.shape) {
            let field = field.clone();
            return self.split_zero(&d, span, &mut |this, d| this.inject(&field, d, span));
        }
        match field {
            Field::Position(i) => self.construct(Head::Part(None, [*i].into()), vec![d], span),
            Field::Payload(constructor, i) => {
                self.construct(Head::Part(Some(constructor.clone()), [*i].into()), vec![d], span)
            }
            Field::Name(name) | Field::Label(name) => self.construct(Head::Record([*name].into()), vec![d], span),
            Field::Element(i, length) => self.inject_element(*i, *length, &d, span),
            Field::Capture(name) => self.construct(Head::Record([*name].into()), vec![d], span),
            Field::Member(_) => Ok(d),
        }
    }

    /// Goes on with what isn't the symbolic zero; zero stays zero.
    pub fn split_zero(
        &mut self,
        d: &Val,
        span: Span,
        each: &mut dyn FnMut(&mut Self, Val) -> Result1<Val>,
    ) -> Result1<Val> {
        self.split(d, span, &mut |this, alt| {
            if alt.head == Head::Zero {
                return Ok(this.zero());
            }
            let value = this.narrowed(&alt);
            each(this, value)
        })
    }

    /// `{r with label: v}`
    pub fn with(&mut self, record: &Val, label: Name, value: &Val, span: Span) -> Result1<Val> {
        let record = self.forced(record, span)?;
        self.split(&record, span, &mut |this, alt| {
            let Head::Record(labels) = &alt.head else { return this.fail(codes::MISSING_FIELD, span) };
            let Some(at) = labels.iter().position(|known| *known == label) else {
                return this.fail(codes::MISSING_FIELD, span);
            };
            let mut parts = this.all_parts(&alt, span);
            this.present(&parts[at].clone(), span)?;
            parts[at] = value.clone();
            this.construct(alt.head.clone(), parts, span)
        })
    }

    /// A sensitivity without one of its fields.
    pub fn omit(&mut self, d: &Val, label: Name, span: Span) -> Result1<Val> {
        let d = self.forced(d, span)?;
        self.split(&d, span, &mut |this, alt| {
            let Head::Record(labels) = &alt.head else { return Ok(this.narrowed(&alt)) };
            let parts = this.all_parts(&alt, span);
            let kept = labels.iter().zip(parts).filter(|(known, _)| **known != label);
            let (labels, parts): (Vec<Name>, Vec<Val>) = kept.map(|(label, part)| (*label, part)).unzip();
            this.construct(Head::Record(labels.into()), parts, span)
        })
    }

    /// Does the value have this form?
    pub fn is(&mut self, value: &Val, form: &Form, span: Span) -> Result1<Val> {
        let value = self.forced(value, span)?;
        self.test(&value, span, &mut |this, alt| {
            Ok(match (&alt.head, form) {
                (Head::Tuple, Form::Arguments(n) | Form::Tuple(n)) => Atom::Bool(alt.parts.len() == *n as usize),
                (Head::Variant(made), Form::Constructor(wanted)) => Atom::Bool(made == wanted),
                (Head::Record(present), Form::Record(labels)) => {
                    let places: Option<Vec<usize>> =
                        labels.iter().map(|label| present.iter().position(|known| known == label)).collect();
                    let Some(places) = places else { return Ok(Atom::Bool(false)) };
                    // A label that may be missing was joined in: it is asked for.
                    match places.into_iter().find(|at| this.may_be_zero(alt.parts[*at])) {
                        None => Atom::Bool(true),
                        Some(at) => {
                            let part = this.part(alt, at, span);
                            this.test(&part, span, &mut |_, part| Ok(Atom::Bool(part.head != Head::Zero)))?.atom
                        }
                    }
                }
                (Head::Array(_), Form::Array(n)) => {
                    let length = this.draft.write(Type::Int, Op::Len(alt.content.clone()), span);
                    let equal = Op::Scalar(Scalar::IntEq, vec![length, Atom::Int(i64::from(*n))]);
                    this.draft.write(Type::Bool, equal, span)
                }
                _ => Atom::Bool(false),
            })
        })
    }

    /// A truth about a value; constant if it is the same for all alternatives.
    pub fn test(
        &mut self,
        value: &Val,
        span: Span,
        each: &mut dyn FnMut(&mut Self, &Alt) -> Result1<Atom>,
    ) -> Result1<Val> {
        // Asked of invented contents first: if every alternative gives the same constant, no code is needed.
        let alternatives = self.graph.alternatives(value.shape).to_vec();
        let mut constant: Option<Atom> = None;
        let mut same = true;
        for one in &alternatives {
            let answer = self.scratch_atom(|this| {
                let ty = this.graph.shapes.alternative_type(one);
                let content = Atom::Var(this.draft.fresh(ty));
                each(this, &Alt { head: one.head.clone(), parts: one.parts.clone(), content, whole: None })
            })?;
            match (&answer, &constant) {
                (Some(Atom::Bool(_)), None) => constant = answer,
                (Some(Atom::Bool(_)), Some(known)) if Some(known) == answer.as_ref() => {}
                _ => same = false,
            }
        }
        if same && let Some(atom) = constant {
            return Ok(Val { atom, shape: BOOL });
        }
        self.split(value, span, &mut |this, alt| Ok(Val { atom: each(this, &alt)?, shape: BOOL }))
    }

    /// The value itself, after a check of its form.
    pub fn check(&mut self, value: &Val, form: &Form, span: Span) -> Result1<Val> {
        let value = self.forced(value, span)?;
        let code = if let Form::Arguments(_) = form { codes::WRONG_ARITY } else { codes::PATTERN_MISMATCH };
        let is = self.is(&value, form, span)?;
        match is.atom {
            Atom::Bool(true) => Ok(value),
            Atom::Bool(false) => self.fail(code, span),
            condition => {
                // Where the alternatives decide, the value is narrowed to those that have the form.
                if !matches!(form, Form::Array(_)) {
                    let form = form.clone();
                    return self.split(&value, span, &mut |this, alt| {
                        let one = this.narrowed(&alt);
                        match this.is(&one, &form, span)?.atom {
                            Atom::Bool(true) => Ok(one),
                            _ => this.fail(code, span),
                        }
                    });
                }
                let good = self.arm(|_| Ok(Val { atom: Atom::Unit, shape: UNIT }))?;
                let bad = self.arm(|this| this.fail(code, span))?;
                self.branch(condition, good, bad, span)?;
                Ok(value)
            }
        }
    }

    /// Does a shape hold functions anywhere?
    pub fn holds_function(&self, shape: ShapeId) -> bool {
        self.graph.reachable(shape).into_iter().any(|id| {
            self.graph
                .alternatives(id)
                .iter()
                .any(|one| matches!(one.head, Head::Closure { .. } | Head::Prim { .. } | Head::Sealed { .. }))
        })
    }
}
