//! Sensitivities in the full shape of their values: what programs see.
//!
//! Derived code computes with raw sensitivities: parts may be missing or the symbolic zero. Where a program looks at one it
//! unfolds level by level, next to the value it belongs to.

use base::{Span, codes};
use calculus::{Field, Prim};
use differentiate::sensitivities::full::{self, Unfolded, Unopened};
use first_order::{Alternative, Atom, Head, Op, Scalar, Type};

use crate::body::Alt;
use crate::graph::{INT, NEVER, REAL, ZERO};
use crate::instances::{Kind, Specialiser};
use crate::{Result1, Val};

impl Specialiser<'_> {
    /// A sensitivity in the full shape of the value it belongs to, unfolding when it is inspected.
    pub fn full(&mut self, of: &Val, d: &Val, span: Span) -> Result1<Val> {
        match self.unopened(of, d)[..] {
            [Unopened::Given] => return Ok(d.clone()),
            [Unopened::AsReal] => return Ok(self.as_real_value(d, span)),
            [Unopened::Unit] => return Ok(self.unit()),
            _ => {}
        }
        let several = |this: &Self, of: &Val| this.graph.alternatives(of.shape).len() > 1;
        let splits_value = several(self, of) && self.graph.get(of.shape).named.is_none();
        let splits_sensitivity = of.shape == REAL && several(self, d);
        if splits_value && !splits_sensitivity {
            return self.split(of, span, &mut |this, alt| {
                let of = this.narrowed(&alt);
                this.full(&of, d, span)
            });
        }
        if splits_sensitivity || self.may_be_full(d) {
            return self.split(d, span, &mut |this, alt| {
                let d = this.narrowed(&alt);
                this.full(of, &d, span)
            });
        }
        self.construct(Head::Full, vec![of.clone(), d.clone()], span)
    }

    /// What it is for some alternatives of a value and of its sensitivity.
    fn unopened(&self, of: &Val, d: &Val) -> Vec<Unopened> {
        let mut all = vec![];
        for of in self.graph.alternatives(of.shape) {
            for d in self.graph.alternatives(d.shape) {
                let one = full::full(&self.top_of(of), &self.top_of(d));
                if !all.contains(&one) {
                    all.push(one);
                }
            }
        }
        all
    }

    /// A full sensitivity as a program keeps it that asked for a derivative: its reals are numbers, none is the symbolic zero.
    /// Inside of lists and of functions, and of arrays of data, it stays what it is.
    pub fn answer(&mut self, d: &Val, span: Span) -> Result1<Val> {
        if !self.may_be_full(d) || self.graph.get(d.shape).named.is_some() {
            return Ok(d.clone());
        }
        self.split(d, span, &mut |this, alt| {
            if alt.head != Head::Full || this.graph.get(alt.parts[0]).named.is_some() {
                return Ok(this.narrowed(&alt));
            }
            let (of, raw) = (this.part(&alt, 0, span), this.part(&alt, 1, span));
            let of = this.forced(&of, span)?;
            this.split(&of, span, &mut |this, of| {
                let value = this.narrowed(&of);
                match of.head {
                    Head::Real => this.unfold(&value, &raw, span),
                    Head::Array(_) if of.parts[0] == REAL || of.parts[0] == NEVER => this.unfold(&value, &raw, span),
                    Head::Tuple | Head::Record(_) => {
                        let full = this.unfold(&value, &raw, span)?;
                        this.answer_parts(&full, span)
                    }
                    _ => this.full(&value, &raw, span),
                }
            })
        })
    }

    fn answer_parts(&mut self, full: &Val, span: Span) -> Result1<Val> {
        self.split(full, span, &mut |this, alt| {
            let mut parts = vec![];
            for i in 0..alt.parts.len() {
                let part = this.part(&alt, i, span);
                parts.push(this.answer(&part, span)?);
            }
            this.construct(alt.head.clone(), parts, span)
        })
    }

    /// A sensitivity without the promise to be full.
    pub fn raw(&mut self, d: &Val, span: Span) -> Result1<Val> {
        if !self.may_be_full(d) {
            return Ok(d.clone());
        }
        self.split(d, span, &mut |this, alt| match alt.head {
            Head::Full => Ok(this.part(&alt, 1, span)),
            _ => Ok(this.narrowed(&alt)),
        })
    }

    fn may_be_full(&self, value: &Val) -> bool {
        self.graph.alternatives(value.shape).iter().any(|one| one.head == Head::Full)
    }

    /// The value with its head unfolded.
    pub fn forced(&mut self, value: &Val, span: Span) -> Result1<Val> {
        if !self.may_be_full(value) {
            return Ok(value.clone());
        }
        // What unfolds may be full in turn: recursive shapes unfold in a function of their own.
        let forced = if self.graph.get(value.shape).named.is_some() || self.is_large(value.shape) {
            self.call(Kind::Force, vec![value.clone()], span)?
        } else {
            self.force_alternatives(value, span)?
        };
        if !self.may_be_full(&forced) {
            return Ok(forced);
        }
        // Widening may have brought back what can't be.
        self.split(&forced, span, &mut |this, alt| match alt.head {
            Head::Full => this.unreached(span),
            _ => Ok(this.narrowed(&alt)),
        })
    }

    /// One level of [`Specialiser::forced`].
    pub fn force_alternatives(&mut self, value: &Val, span: Span) -> Result1<Val> {
        self.split(value, span, &mut |this, alt| match alt.head {
            Head::Full => {
                let value = this.unfold_alternative(&alt, span)?;
                this.forced(&value, span)
            }
            _ => Ok(this.narrowed(&alt)),
        })
    }

    pub fn unfold_alternative(&mut self, alt: &Alt, span: Span) -> Result1<Val> {
        let (of, d) = (self.part(alt, 0, span), self.part(alt, 1, span));
        self.unfold(&of, &d, span)
    }

    /// One level of [`Specialiser::full`].
    pub fn unfold(&mut self, of: &Val, d: &Val, span: Span) -> Result1<Val> {
        let of = self.forced(of, span)?;
        let d = self.forced(d, span)?;
        self.split(&of, span, &mut |this, alt| match full::unfolded(&this.top(&alt)) {
            Unfolded::Number => this.split(&d, span, &mut |this, given| match given.head {
                Head::Zero => Ok(Val { atom: Atom::Real(0.0), shape: REAL }),
                Head::Real => Ok(Val { atom: given.content, shape: REAL }),
                Head::Int => Ok(this.as_real_value(&Val { atom: given.content, shape: INT }, span)),
                _ => this.fail(codes::NOT_CONFORMING, span),
            }),
            Unfolded::Unit => Ok(this.unit()),
            Unfolded::Given if alt.head == Head::Full => this.unreached(span),
            Unfolded::Given => Ok(d.clone()),
            Unfolded::Fields => this.unfold_fields(&alt, alt.head.clone(), &d, span),
            Unfolded::Captures(labels) => this.unfold_fields(&alt, Head::Record(labels), &d, span),
            Unfolded::Array => this.unfold_array(&alt, &d, span),
            Unfolded::Collected => this.unfold_handle(&alt, &d, span),
            Unfolded::UnderSeal => {
                let raw = this.part(&alt, 0, span);
                if this.graph.get(raw.shape).named.is_some() {
                    return this.call(Kind::Unfold, vec![raw, d.clone()], span);
                }
                this.unfold(&raw, &d, span)
            }
        })
    }

    /// Data with this head, a full sensitivity in each field.
    fn unfold_fields(&mut self, alt: &Alt, head: Head, d: &Val, span: Span) -> Result1<Val> {
        if let Head::Record(labels) = &head {
            self.known_labels(d, labels, span)?;
        }
        let field = |i: usize| match &head {
            Head::Record(labels) => Field::Label(labels[i]),
            Head::Variant(constructor) => Field::Payload(constructor.clone(), i as u32),
            _ => Field::Position(i as u32),
        };
        let mut parts = vec![];
        for i in 0..alt.parts.len() {
            let of = self.part(alt, i, span);
            let given = self.get(d, &field(i), span)?;
            parts.push(self.full(&of, &given, span)?);
        }
        self.construct(head, parts, span)
    }

    /// A record of sensitivities must not have labels that its value doesn't have.
    fn known_labels(&mut self, d: &Val, labels: &[base::Name], span: Span) -> Result1<()> {
        let unknown = |one: &Alternative| full::unknown_label(labels, &self.top_of(one)).is_some();
        if !self.graph.alternatives(d.shape).iter().any(unknown) {
            return Ok(());
        }
        let labels = labels.to_vec();
        self.split(d, span, &mut |this, alt| {
            if let Head::Record(given) = &alt.head {
                for (i, label) in given.iter().enumerate() {
                    if !labels.contains(label) {
                        let part = this.part(&alt, i, span);
                        this.absent(&part, codes::NOT_CONFORMING, span)?;
                    }
                }
            }
            Ok(this.unit())
        })?;
        Ok(())
    }

    /// Fails unless a field isn't there: in a record that was joined with others, it is the symbolic zero then.
    pub fn absent(&mut self, part: &Val, code: base::Code, span: Span) -> Result1<()> {
        if part.shape == ZERO {
            return Ok(());
        }
        self.split(part, span, &mut |this, alt| match alt.head {
            Head::Zero => Ok(this.unit()),
            _ => this.fail(code, span),
        })?;
        Ok(())
    }

    /// The array of the full sensitivities of the elements.
    fn unfold_array(&mut self, alt: &Alt, d: &Val, span: Span) -> Result1<Val> {
        let Head::Array(rank) = alt.head else { unreachable!("full: an array") };
        let element = alt.parts[0];
        // Nothing is missing; −0.0 becomes 0.0 as in sensitivities of arrays with symbolic zeros.
        if element == REAL && self.is_full(d, rank) {
            return self.without_holes(d, span);
        }
        let of = self.narrowed(alt);
        let result = if element == REAL {
            REAL
        } else {
            let given = self.element_sensitivity(d.shape);
            self.scratch(|this| {
                let of = this.invented(element);
                let d = this.invented(given);
                let full = this.full(&of, &d, span)?;
                this.forced(&full, span)
            })?
        };
        let shape = self.graph.single(Head::Array(rank), vec![result]);
        self.bridge(Prim::Materialise, vec![of, d.clone()], shape, span)
    }

    /// Numbers, and arrays of them, in which −0.0 isn't the symbolic zero.
    pub fn without_holes(&mut self, numbers: &Val, span: Span) -> Result1<Val> {
        self.split(numbers, span, &mut |this, alt| {
            let value = this.narrowed(&alt);
            match alt.head {
                Head::Real => {
                    let sum = Op::Scalar(Scalar::Add, vec![value.atom, Atom::Real(0.0)]);
                    Ok(Val { atom: this.draft.write(Type::Real, sum, span), shape: REAL })
                }
                Head::Array(_) => {
                    let one = Val { atom: Atom::Real(1.0), shape: REAL };
                    this.bridge(Prim::Scale, vec![value.clone(), one], value.shape, span)
                }
                _ => Ok(value),
            }
        })
    }

    /// The array of numbers that a full sensitivity belongs to, and the sensitivity as it is: a part of it needn't wait for the whole.
    pub fn full_array(&mut self, alt: &Alt, span: Span) -> Option<(Val, Val)> {
        if alt.head != Head::Full {
            return None;
        }
        let of = self.graph.only(alt.parts[0])?;
        let is_so = matches!(of.head, Head::Array(_)) && of.parts[0] == REAL;
        is_so.then(|| (self.part(alt, 0, span), self.part(alt, 1, span)))
    }

    /// A part of an array's full sensitivity, of the parts of both: as if the whole had been unfolded.
    pub fn full_part(&mut self, of: &Val, d: &Val, span: Span) -> Result1<Val> {
        let full = self.unfold(of, d, span)?;
        if full.shape == REAL { self.without_holes(&full, span) } else { Ok(full) }
    }

    /// Is a sensitivity an array of numbers, so that nothing is missing?
    fn is_full(&self, d: &Val, rank: u32) -> bool {
        self.graph.only(d.shape).is_some_and(|one| one.head == Head::Array(rank) && one.parts[0] == REAL)
    }

    /// A sensitivity of a sensitivity that is collected: its elements are reals or zero.
    fn unfold_handle(&mut self, alt: &Alt, d: &Val, span: Span) -> Result1<Val> {
        let (Head::Handle(rank) | Head::Frame(rank)) = alt.head else { unreachable!("full: a handle") };
        let stacked = match alt.head {
            Head::Handle(_) => self.with_rows_stacked(rank, alt.parts[0]),
            _ => None,
        };
        let mut shape = NEVER;
        match stacked {
            None => shape = self.array_shape(rank, REAL),
            Some(stacked) => {
                for one in self.graph.alternatives(stacked).to_vec() {
                    let Head::Handle(rank) = one.head else { unreachable!("full: rows that are stacked") };
                    let array = self.array_shape(rank, REAL);
                    shape = self.graph.join(shape, array);
                }
            }
        }
        if d.shape == shape {
            return Ok(d.clone());
        }
        let of = self.narrowed(alt);
        self.bridge(Prim::Materialise, vec![of, d.clone()], shape, span)
    }

    pub fn as_real_value(&mut self, int: &Val, span: Span) -> Val {
        if let Atom::Int(i) = int.atom {
            return Val { atom: Atom::Real(i as f64), shape: REAL };
        }
        let atom = self.draft.write(Type::Real, Op::Scalar(Scalar::ToReal, vec![int.atom.clone()]), span);
        Val { atom, shape: REAL }
    }
}
