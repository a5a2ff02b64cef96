//! J and J⁻¹ of values: functions become their J-images and back, all else keeps its bits.

use base::{Span, codes};
use differentiate::Mode;
use differentiate::links::{self, Lifted};
use first_order::{Atom, Head, Op, ShapeId, Type};
use rustc_hash::FxHashSet;

use crate::body::Alt;
use crate::graph::NEVER;
use crate::instances::{Kind, Specialiser};
use crate::{Reason, Result1, Val};

/// Why a shape has no J⁻¹.
enum NotAnImage {
    /// It holds a function with an attached derivative.
    Attached,
    /// It holds a function that is no J-image.
    Plain,
}

impl Specialiser<'_> {
    /// `J^by` of a shape; J⁻¹ for negative `by`.
    pub fn lift(&mut self, shape: ShapeId, by: i32, span: Span) -> Result1<ShapeId> {
        if by == 0 || !self.holds_function(shape) {
            return Ok(shape);
        }
        match self.lifted_shape(shape, by) {
            Ok(lifted) => Ok(lifted),
            Err(NotAnImage::Attached) => self.dynamic(span, Reason::InverseOfAttached),
            Err(NotAnImage::Plain) => self.dynamic(span, Reason::InverseOfPlain),
        }
    }

    fn lifted_shape(&mut self, shape: ShapeId, by: i32) -> Result<ShapeId, NotAnImage> {
        let codes = self.codes.clone();
        let mut attached = false;
        let lifted = self.graph.map_heads(shape, &mut |head| {
            Some(match head {
                Head::Closure { code, member } => {
                    let code = match links::lift_code(&*codes, code, by) {
                        Lifted::Code(code) => code,
                        Lifted::Attached { .. } => {
                            attached = true;
                            return None;
                        }
                        Lifted::NoImage => return None,
                    };
                    Head::Closure { code, member: *member }
                }
                Head::Prim { prim, order } => Head::Prim { prim: *prim, order: order.checked_add_signed(by)? },
                Head::Sealed { modes } => Head::Sealed { modes: links::lift_modes(modes, by)?.into() },
                other => other.clone(),
            })
        });
        match lifted {
            Some(lifted) if lifted != NEVER => Ok(lifted),
            _ if attached => Err(NotAnImage::Attached),
            _ => Err(NotAnImage::Plain),
        }
    }

    /// J or J⁻¹ of a value: other code, the same bits.
    pub fn lifted(&mut self, value: &Val, by: i32, span: Span) -> Result1<Val> {
        if by < 0 {
            return self.lowered(value, span);
        }
        let shape = self.lift(value.shape, by, span)?;
        self.relabelled(value, shape, span)
    }

    fn lowered(&mut self, value: &Val, span: Span) -> Result1<Val> {
        if !self.holds_function(value.shape) {
            return Ok(value.clone());
        }
        if !self.graph.alternatives(value.shape).iter().any(|one| is_function(&one.head))
            && let Ok(shape) = self.lifted_shape(value.shape, -1)
        {
            return self.relabelled(value, shape, span);
        }
        // Some of the functions in it may be no J-images: whether they are there is seen part by part.
        if self.graph.get(value.shape).named.is_some() {
            return self.call(Kind::Lower, vec![value.clone()], span);
        }
        self.lower_alternatives(value, span)
    }

    /// One level of J⁻¹.
    pub fn lower_alternatives(&mut self, value: &Val, span: Span) -> Result1<Val> {
        self.split(value, span, &mut |this, alt| match &alt.head {
            head if is_function(head) => this.lowered_function(&alt, span),
            Head::Tuple | Head::Record(_) | Head::Variant(_) => {
                let mut parts = vec![];
                for part in this.all_parts(&alt, span) {
                    parts.push(this.lowered_part(&part, span)?);
                }
                this.construct(alt.head.clone(), parts, span)
            }
            Head::Array(1) => this.lowered_elements(&alt, span),
            _ => {
                let value = this.narrowed(&alt);
                let shape = this.lift(value.shape, -1, span)?;
                this.relabelled(&value, shape, span)
            }
        })
    }

    fn lowered_elements(&mut self, alt: &Alt, span: Span) -> Result1<Val> {
        let element = alt.parts[0];
        let n = self.draft.write(Type::Int, Op::Len(alt.content.clone()), span);
        let index = self.draft.fresh(Type::Int);
        let arm = self.arm(|this| {
            let ty = this.type_of(element);
            let atom = this.draft.write(ty, Op::Element(alt.content.clone(), vec![Atom::Var(index)]), span);
            this.lowered_part(&Val { atom, shape: element }, span)
        })?;
        let element = arm.shape();
        let body = Box::new(self.arm_block(arm, element, span)?);
        let shape = self.array_shape(1, element);
        let ty = self.type_of(shape);
        let atom = self.draft.write(ty, Op::Tabulate { n, index, body }, span);
        Ok(Val { atom, shape })
    }

    /// A part of data. The reference evaluator finds a function that is no J-image when the part is used and not before: what is
    /// surely wrong is left to it.
    fn lowered_part(&mut self, part: &Val, span: Span) -> Result1<Val> {
        if let Some(one) = self.graph.only(part.shape)
            && self.is_plain(&one.head)
        {
            return self.dynamic(span, Reason::InverseOfPlain);
        }
        self.lowered(part, span)
    }

    /// Is it a function that is no J-image?
    fn is_plain(&self, head: &Head) -> bool {
        match head {
            Head::Closure { code, .. } => self.codes.primal(*code).is_none() && !self.codes.get(*code).is_attach(),
            Head::Prim { order, .. } => *order == 0,
            Head::Sealed { modes } => modes.last() != Some(&Mode::Reverse),
            _ => false,
        }
    }

    fn lowered_function(&mut self, alt: &Alt, span: Span) -> Result1<Val> {
        if self.is_plain(&alt.head) {
            return self.fail(codes::NOT_A_DERIVATIVE, span);
        }
        if let Head::Closure { code, .. } = alt.head
            && self.codes.primal(code).is_none()
        {
            return self.lowered_attached(alt, span);
        }
        let value = self.narrowed(alt);
        let shape = self.lift(value.shape, -1, span)?;
        self.relabelled(&value, shape, span)
    }

    /// `J⁻¹(v1 <~ v2) = (J⁻¹ v1) <~ (v1 <~ v2)`
    fn lowered_attached(&mut self, alt: &Alt, span: Span) -> Result1<Val> {
        let attached = self.narrowed(alt);
        let primal = self.part(alt, 0, span);
        let primal = self.lowered(&primal, span)?;
        self.construct(alt.head.clone(), vec![primal, attached], span)
    }

    /// The same bits under another shape. Where the heap nodes of a recursive shape lie elsewhere, that can't be.
    fn relabelled(&mut self, value: &Val, shape: ShapeId, span: Span) -> Result1<Val> {
        if !self.same_bits(value.shape, shape) {
            return self.dynamic(span, Reason::ImageOfRecursive);
        }
        // On L3 named types are nominal: the value passes through as it is, under its new type.
        if self.type_of(value.shape) == self.type_of(shape) {
            return Ok(Val { atom: value.atom.clone(), shape });
        }
        let ty = self.type_of(shape);
        let atom = self.draft.write(ty, Op::View(value.atom.clone()), span);
        Ok(Val { atom, shape })
    }

    fn same_bits(&self, a: ShapeId, b: ShapeId) -> bool {
        let mut seen: FxHashSet<(ShapeId, ShapeId)> = FxHashSet::default();
        let mut waiting = vec![(a, b)];
        while let Some((a, b)) = waiting.pop() {
            if a == b || !seen.insert((a, b)) {
                continue;
            }
            let (left, right) = (self.graph.get(a), self.graph.get(b));
            if left.named.is_some() != right.named.is_some() || left.alternatives.len() != right.alternatives.len() {
                return false;
            }
            for (x, y) in left.alternatives.iter().zip(&right.alternatives) {
                if x.parts.len() != y.parts.len() {
                    return false;
                }
                waiting.extend(x.parts.iter().copied().zip(y.parts.iter().copied()));
            }
        }
        true
    }
}

fn is_function(head: &Head) -> bool {
    matches!(head, Head::Closure { .. } | Head::Prim { .. } | Head::Sealed { .. })
}
