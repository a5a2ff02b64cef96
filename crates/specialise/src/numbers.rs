//! Arithmetic, comparison and functions of reals. Scalars become scalar operations; arrays go through the primitive.

use base::{Span, codes};
use calculus::Prim;
use first_order::{Atom, Head, Op, Scalar, ShapeId, Type, fold};

use crate::body::Alt;
use crate::graph::{BOOL, INT, REAL, TEXT};
use crate::instances::Specialiser;
use crate::{Reason, Result1, Val};

impl Specialiser<'_> {
    /// An operation; of constant ints nothing is written, so that recursion that counts down from a constant is followed while code
    /// is written.
    pub fn scalar(&mut self, op: Scalar, args: Vec<Atom>, ty: ShapeId, span: Span) -> Val {
        let scalar_type = match ty {
            BOOL => Type::Bool,
            INT => Type::Int,
            _ => Type::Real,
        };
        if let Some(atom) = fold::discrete(op, &args) {
            return Val { atom, shape: ty };
        }
        if let Some(atom) = fold::power(op, &args, &mut |op, args| self.scalar(op, args, REAL, span).atom) {
            return Val { atom, shape: ty };
        }
        let atom = self.draft.write(scalar_type, Op::Scalar(op, args), span);
        Val { atom, shape: ty }
    }

    /// The real that a scalar counts as; the symbolic zero is 0.
    pub fn as_real(&mut self, alt: &Alt, span: Span) -> Option<Atom> {
        match alt.head {
            Head::Real => Some(alt.content.clone()),
            Head::Int => Some(self.as_real_value(&Val { atom: alt.content.clone(), shape: INT }, span).atom),
            Head::Zero => Some(Atom::Real(0.0)),
            _ => None,
        }
    }

    pub fn binary(&mut self, prim: Prim, args: &[Val], span: Span) -> Result1<Val> {
        let (a, b) = (self.forced(&args[0], span)?, self.forced(&args[1], span)?);
        let (a, b) = (self.with_rank(&a, span)?, self.with_rank(&b, span)?);
        let k = args.get(2).cloned();
        self.split(&a, span, &mut |this, x| {
            this.split(&b, span, &mut |this, y| this.binary_heads(prim, &x, &y, k.as_ref(), span))
        })
    }

    fn binary_heads(&mut self, prim: Prim, x: &Alt, y: &Alt, k: Option<&Val>, span: Span) -> Result1<Val> {
        let is_array = |alt: &Alt| matches!(alt.head, Head::Array(_) | Head::Handle(_));
        if is_array(x) || is_array(y) {
            return self.elementwise(prim, x, y, k, span);
        }
        if let (Head::Int, Head::Int) = (&x.head, &y.head)
            && let Some(value) = self.integers(prim, x, y, span)
        {
            return Ok(value);
        }
        if let (Head::Text, Head::Text, Prim::Add) = (&x.head, &y.head, prim) {
            let (a, b) = (self.narrowed(x), self.narrowed(y));
            return self.bridge(Prim::Add, vec![a, b], TEXT, span);
        }
        let (Some(a), Some(b)) = (self.as_real(x, span), self.as_real(y, span)) else {
            return self.fail(codes::WRONG_KIND, span);
        };
        let op = match prim {
            Prim::AtMost => {
                let truth = self.scalar(Scalar::Le, vec![a, b], BOOL, span);
                return Ok(self.scalar(Scalar::BoolToReal, vec![truth.atom], REAL, span));
            }
            Prim::PowerSlope | Prim::PowerLog => {
                let k = match k {
                    Some(k) if k.shape == INT => k.atom.clone(),
                    _ => return self.dynamic(span, Reason::PowerOrder),
                };
                let op = if prim == Prim::PowerSlope { Scalar::PowerSlope } else { Scalar::PowerLog };
                return Ok(self.scalar(op, vec![a, b, k], REAL, span));
            }
            _ => match Scalar::on_reals(prim) {
                Some(op) => op,
                None => return self.fail(codes::WRONG_KIND, span),
            },
        };
        Ok(self.scalar(op, vec![a, b], REAL, span))
    }

    fn integers(&mut self, prim: Prim, x: &Alt, y: &Alt, span: Span) -> Option<Val> {
        let op = Scalar::on_ints(prim)?;
        Some(self.scalar(op, vec![x.content.clone(), y.content.clone()], INT, span))
    }

    /// Two arrays, or an array and a scalar.
    fn elementwise(&mut self, prim: Prim, x: &Alt, y: &Alt, k: Option<&Val>, span: Span) -> Result1<Val> {
        let number = |alt: &Alt| match alt.head {
            Head::Int => Some((0, INT)),
            Head::Real | Head::Zero => Some((0, REAL)),
            Head::Array(rank) => Some((rank, if alt.parts[0] == INT { INT } else { REAL })),
            Head::Handle(rank) => Some((rank, REAL)),
            _ => None,
        };
        let (Some((m, left)), Some((n, right))) = (number(x), number(y)) else {
            return self.fail(codes::WRONG_KIND, span);
        };
        let element = if left == INT && right == INT && Scalar::on_ints(prim).is_some() { INT } else { REAL };
        let shape = self.graph.single(Head::Array(m.max(n)), vec![element]);
        let (a, b) = self.aligned(x, y, span)?;
        let mut args = vec![a, b];
        args.extend(k.cloned());
        self.bridge(prim, args, shape, span)
    }

    pub fn unary(&mut self, prim: Prim, x: &Val, span: Span) -> Result1<Val> {
        let x = self.forced(x, span)?;
        let x = self.with_rank(&x, span)?;
        self.split(&x, span, &mut |this, alt| match alt.head {
            Head::Real => {
                let op = match prim {
                    Prim::Neg => Scalar::Neg,
                    Prim::Abs => Scalar::Abs,
                    _ => Scalar::Sign,
                };
                Ok(this.scalar(op, vec![alt.content.clone()], REAL, span))
            }
            Head::Int => {
                let op = match prim {
                    Prim::Neg => Scalar::IntNeg,
                    Prim::Abs => Scalar::IntAbs,
                    _ => Scalar::IntSign,
                };
                Ok(this.scalar(op, vec![alt.content.clone()], INT, span))
            }
            Head::Zero => Ok(this.zero()),
            Head::Array(rank) => {
                let element = if alt.parts[0] == INT { INT } else { REAL };
                let shape = this.graph.single(Head::Array(rank), vec![element]);
                let value = this.narrowed(&alt);
                this.bridge(prim, vec![value], shape, span)
            }
            Head::Handle(rank) => {
                let shape = this.graph.single(Head::Array(rank), vec![REAL]);
                let value = this.narrowed(&alt);
                this.bridge(prim, vec![value], shape, span)
            }
            _ => this.fail(codes::WRONG_KIND, span),
        })
    }

    /// A function of one real.
    pub fn real_function(&mut self, prim: Prim, x: &Val, span: Span) -> Result1<Val> {
        let x = self.forced(x, span)?;
        let x = self.with_rank(&x, span)?;
        self.split(&x, span, &mut |this, alt| {
            if let (Head::Int, Prim::Int) = (&alt.head, prim) {
                return Ok(this.narrowed(&alt));
            }
            let result = match prim {
                Prim::IsNan | Prim::IsFinite => BOOL,
                Prim::Int => INT,
                _ => REAL,
            };
            if let Head::Array(rank) | Head::Handle(rank) = alt.head {
                let shape = this.graph.single(Head::Array(rank), vec![result]);
                let value = this.narrowed(&alt);
                return this.bridge(prim, vec![value], shape, span);
            }
            if let (Head::Bool, Prim::Real | Prim::Int) = (&alt.head, prim) {
                let number = this.scalar(Scalar::BoolToReal, vec![alt.content.clone()], REAL, span);
                let to_int = |this: &mut Self| this.scalar(Scalar::ToInt, vec![number.atom.clone()], INT, span);
                return Ok(if prim == Prim::Real { number } else { to_int(this) });
            }
            let Some(x) = this.as_real(&alt, span) else {
                let code = if alt.head == Head::Tuple { codes::WRONG_ARITY } else { codes::WRONG_KIND };
                return this.fail(code, span);
            };
            let op = match prim {
                Prim::Real => return Ok(Val { atom: x, shape: REAL }),
                Prim::Int => Scalar::ToInt,
                Prim::IsNan => Scalar::IsNan,
                Prim::IsFinite => Scalar::IsFinite,
                other => Scalar::on_reals(other).expect("numbers: a function of reals"),
            };
            Ok(this.scalar(op, vec![x], result, span))
        })
    }

    pub fn compare(&mut self, prim: Prim, args: &[Val], span: Span) -> Result1<Val> {
        let (a, b) = (self.forced(&args[0], span)?, self.forced(&args[1], span)?);
        self.split(&a, span, &mut |this, x| this.split(&b, span, &mut |this, y| this.compare_heads(prim, &x, &y, span)))
    }

    fn compare_heads(&mut self, prim: Prim, x: &Alt, y: &Alt, span: Span) -> Result1<Val> {
        let (reals, ints) = match prim {
            Prim::Eq => (Scalar::Eq, Scalar::IntEq),
            Prim::Ne => (Scalar::Ne, Scalar::IntNe),
            order => Scalar::comparison(order).expect("numbers: a comparison"),
        };
        let structural = matches!(prim, Prim::Eq | Prim::Ne);
        match (&x.head, &y.head) {
            (Head::Int, Head::Int) => Ok(self.scalar(ints, vec![x.content.clone(), y.content.clone()], BOOL, span)),
            (Head::Bool, Head::Bool) if structural => {
                let equal = self.scalar(Scalar::BoolEq, vec![x.content.clone(), y.content.clone()], BOOL, span);
                if prim == Prim::Eq { Ok(equal) } else { Ok(self.scalar(Scalar::Not, vec![equal.atom], BOOL, span)) }
            }
            (Head::Int | Head::Real | Head::Zero, Head::Int | Head::Real | Head::Zero) => {
                let (Some(a), Some(b)) = (self.as_real(x, span), self.as_real(y, span)) else { unreachable!() };
                Ok(self.scalar(reals, vec![a, b], BOOL, span))
            }
            _ if structural => {
                let (a, b) = (self.narrowed(x), self.narrowed(y));
                self.bridge(prim, vec![a, b], BOOL, span)
            }
            (Head::Text, Head::Text) => {
                let (a, b) = (self.narrowed(x), self.narrowed(y));
                self.bridge(prim, vec![a, b], BOOL, span)
            }
            (Head::Array(_), _) | (_, Head::Array(_)) => {
                let rank = |alt: &Alt| if let Head::Array(rank) = alt.head { rank } else { 0 };
                let shape = self.graph.single(Head::Array(rank(x).max(rank(y))), vec![BOOL]);
                let (a, b) = self.aligned(x, y, span)?;
                self.bridge(prim, vec![a, b], shape, span)
            }
            _ => self.fail(codes::WRONG_KIND, span),
        }
    }
}
