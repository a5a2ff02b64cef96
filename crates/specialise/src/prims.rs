//! Primitives, by family: what each means when only the shapes of its arguments are known.

use base::{Span, codes};
use calculus::Prim;
use first_order::{Atom, Head, Op, ShapeId, Type};

use crate::graph::{BOOL, INT, NEVER, REAL, TEXT, UNIT};
use crate::instances::Specialiser;
use crate::{Result1, Val};

impl Specialiser<'_> {
    /// Applies a primitive; several arguments come as one tuple.
    pub fn apply_prim(&mut self, prim: Prim, x: Val, span: Span) -> Result1<Val> {
        let arity = prim.arity();
        if arity == 1 {
            return self.prim(prim, vec![x], span);
        }
        let x = self.forced(&x, span)?;
        self.split(&x, span, &mut |this, alt| match alt.head {
            Head::Zero => {
                let zero = this.zero();
                this.prim(prim, vec![zero; arity], span)
            }
            Head::Tuple if alt.parts.len() == arity => {
                let args = this.all_parts(&alt, span);
                this.prim(prim, args, span)
            }
            _ => this.fail(codes::WRONG_ARITY, span),
        })
    }

    fn prim(&mut self, prim: Prim, args: Vec<Val>, span: Span) -> Result1<Val> {
        use Prim::*;
        match prim {
            Add | Sub | Mul | Div | Rem | Pow | IntDiv | IntMod | Minimum | Maximum | Atan2 | AtMost | PowerSlope
            | PowerLog => self.binary(prim, &args, span),
            Neg | Abs | Sign => self.unary(prim, &args[0], span),
            Sqrt | Cbrt | Exp | Expm1 | Log | Log1p | Log2 | Log10 | Sin | Cos | Tan | Asin | Acos | Atan | Sinh
            | Cosh | Tanh | Asinh | Acosh | Atanh | Erf | Erfc | Lgamma | Digamma | Floor | Ceil | Round | Trunc
            | Real | Int | IsNan | IsFinite => self.real_function(prim, &args[0], span),
            Eq | Ne | Lt | Le | Gt | Ge => self.compare(prim, &args, span),
            Not => self.not(&args[0], span),
            Foreign => self.dynamic(span, "functions of the host are called by the reference evaluator"),
            RuleTangent => self.rule_tangent(&args[2], span),
            HasRule => self.dynamic(span, "`check_rule` runs on the reference evaluator"),
            IsInt | IsReal | IsArray | IsTuple | IsFunction | IsData => {
                let value = self.forced(&args[0], span)?;
                self.test(&value, span, &mut |_, alt| {
                    Ok(Atom::Bool(match prim {
                        IsInt => alt.head == Head::Int,
                        IsReal => alt.head == Head::Real,
                        IsArray => matches!(alt.head, Head::Array(_) | Head::Handle(_) | Head::Frame(_)),
                        IsTuple => alt.head == Head::Tuple,
                        IsData => {
                            let data =
                                matches!(alt.head, Head::Tuple | Head::Record(_) | Head::Variant(_) | Head::Part(..));
                            data && !alt.parts.is_empty()
                        }
                        _ => matches!(alt.head, Head::Closure { .. } | Head::Prim { .. } | Head::Sealed { .. }),
                    }))
                })
            }
            HoldsFunction => {
                let value = self.forced(&args[0], span)?;
                self.test(&value, span, &mut |this, alt| {
                    let shape = this.graph.exact(alt.head.clone(), alt.parts.clone());
                    Ok(Atom::Bool(this.holds_function(shape)))
                })
            }
            J | JInv | Zero | Plus | Perturbed | Materialise | Bare | Answer | Accept | RulePair | RuleResult
            | Differentiable | Seed => self.sensitivity_prim(prim, &args, span),
            Len | Shape | Iota | Reshape | Transpose | Concat | Reversed | Sum | ArgMin | ArgMax | ArgSort | Where
            | Index | Update | ScatterAdd | Frame | Place | Part | Erase | Spread | Unspread | Fill | Scale | Keep
            | Broadcast | TallQr | ThinSvd | Fourier | Unbroadcast | MatMul | Cholesky | Solve | SolveLower | Det
            | Inv | Eigh | DetSlope | Tabulate | Accumulate => self.array_prim(prim, args, span),
            Quietly => {
                let unit = Type::Struct([].into());
                self.draft.write(unit.clone(), Op::Quiet(true), span);
                let value = self.apply(&args[0], args[1].clone(), 0, span)?;
                self.draft.write(unit, Op::Quiet(false), span);
                Ok(value)
            }
            Show | Format | Join | Trim | Replace | ToUpper | ToLower => self.bridge(prim, args, TEXT, span),
            Find => self.bridge(prim, args, INT, span),
            ParseReal => self.parse(prim, &args[0], REAL, span),
            ParseInt => self.parse(prim, &args[0], INT, span),
            Print => self.bridge(prim, args, UNIT, span),
            Error | Expected => {
                self.bridge(prim, args, NEVER, span)?;
                self.unreached(span)
            }
            Assert => {
                let condition = self.forced(&args[0], span)?;
                self.bridge(prim, vec![condition], UNIT, span)
            }
            Key => self.bridge(prim, args, INT, span),
            Split => self.cut(&args[0], span),
            FoldIn => self.bridge(prim, args, INT, span),
            Uniform | Normal => {
                let reals = self.graph.single(Head::Array(1), vec![REAL]);
                self.bridge(prim, args, reals, span)
            }
            Largest => self.bridge(prim, args, REAL, span),
            Close => self.bridge(prim, args, BOOL, span),
            Times => self.times(&args[0], &args[1], span),
            Children => self.children(&args[0], span),
            Parts => self.parts_in_pairs(&args[0], span),
            OfParts => self.of_pairs(&args[0], &args[1], span),
            Aligned => self.in_order_of(&args[0], &args[1], span),
            Rebuild => self.rebuild(&args[0], &args[1], span),
            RandomLike => self.random_like(&args[0], &args[1], span),
            RelativeLike | Moved | Directions | Inner | Difference | IsApproximate | FunctionName | RuleError => {
                self.dynamic(span, "`check_rule` runs on the reference evaluator")
            }
        }
    }

    /// The number that a text says, or those of an array of texts.
    fn parse(&mut self, prim: Prim, x: &Val, number: ShapeId, span: Span) -> Result1<Val> {
        let x = self.forced(x, span)?;
        self.split(&x, span, &mut |this, alt| {
            let value = this.narrowed(&alt);
            match alt.head {
                Head::Text => this.bridge(prim, vec![value], number, span),
                Head::Array(rank) => {
                    let shape = this.graph.single(Head::Array(rank), vec![number]);
                    this.bridge(prim, vec![value], shape, span)
                }
                _ => this.fail(codes::WRONG_KIND, span),
            }
        })
    }

    /// `split` of a key, or of a text and what to cut it at.
    fn cut(&mut self, x: &Val, span: Span) -> Result1<Val> {
        let x = self.forced(x, span)?;
        self.split(&x, span, &mut |this, alt| {
            let value = this.narrowed(&alt);
            let result = match alt.head {
                Head::Tuple if alt.parts.len() == 2 => this.graph.single(Head::Array(1), vec![TEXT]),
                Head::Text => return this.fail(codes::WRONG_ARITY, span),
                _ => this.graph.single(Head::Tuple, vec![INT, INT]),
            };
            this.bridge(Prim::Split, vec![value], result, span)
        })
    }

    fn not(&mut self, x: &Val, span: Span) -> Result1<Val> {
        let x = self.forced(x, span)?;
        self.split(&x, span, &mut |this, alt| match alt.head {
            Head::Bool => match alt.content {
                Atom::Bool(b) => Ok(this.truth(!b)),
                content => Ok(this.scalar(first_order::Scalar::Not, vec![content], BOOL, span)),
            },
            Head::Array(rank) => {
                let shape = this.graph.single(Head::Array(rank), vec![BOOL]);
                let value = this.narrowed(&alt);
                this.bridge(Prim::Not, vec![value], shape, span)
            }
            _ => this.fail(codes::NOT_A_BOOLEAN, span),
        })
    }
}
