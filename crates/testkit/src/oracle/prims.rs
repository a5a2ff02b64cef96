//! What primitives compute, in multi-precision: arithmetic and functions of reals. Arrays and matrices have files of their own.
//!
//! Random numbers and texts are no reals that a derivative depends on: those come from the evaluator.

use std::cmp::Ordering;
use std::rc::Rc;

use base::Name;
use calculus::Prim;

use super::real::Real;
use super::value::{Array, Data, Form, Val};
use super::{Failure, Oracle, border, ties};

type Result<T> = std::result::Result<T, Failure>;

impl Oracle<'_> {
    pub(super) fn prim(&mut self, prim: Prim, x: &Val) -> Result<Val> {
        use Prim::*;
        match prim {
            Add | Sub | Mul | Div | Rem | Pow | IntDiv | IntMod | Minimum | Maximum | Atan2 => {
                let [a, b] = x.parts()?;
                elementwise(prim, &a, &b)
            }
            Neg | Abs | Sign | Sqrt | Cbrt | Exp | Expm1 | Log | Log1p | Log2 | Log10 | Sin | Cos | Tan | Asin
            | Acos | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Erf | Erfc | Lgamma | Digamma | Floor
            | Ceil | Round | Trunc | Real | Int | IsNan | IsFinite => map_elements(x, &mut |x| unary(prim, x)),
            Eq | Ne => {
                let [a, b] = x.parts()?;
                Ok(Val::Bool(equal(&a, &b)? == (prim == Eq)))
            }
            Lt | Le | Gt | Ge => {
                let [a, b] = x.parts()?;
                zip_elements(&a, &b, &mut |a, b| compare(prim, a, b))
            }
            Not => map_elements(x, &mut |x| match x {
                Val::Bool(b) => Ok(Val::Bool(!b)),
                _ => Err(Failure::program("no boolean")),
            }),
            IsInt => Ok(Val::Bool(matches!(x, Val::Int(_)))),
            IsReal => Ok(Val::Bool(matches!(x, Val::Real(_)))),
            IsArray => Ok(Val::Bool(matches!(x, Val::Array(_)))),
            IsTuple => Ok(Val::Bool(matches!(x, Val::Data(data) if data.form == Form::Tuple))),
            IsFunction => Ok(Val::Bool(matches!(x, Val::Function(_)))),
            IsData => Ok(Val::Bool(matches!(x, Val::Data(data) if !data.fields.is_empty()))),
            Children => Ok(Val::Array(Rc::new(Array::vector(boxes(data_of(x)?))))),
            Parts => Ok(pairs(data_of(x)?)),
            OfParts => {
                let [like, pairs] = x.parts()?;
                of_pairs(data_of(&like)?, pairs)
            }
            Aligned => {
                let [like, value] = x.parts()?;
                aligned(data_of(&like)?, value)
            }
            Rebuild => {
                let [like, boxes] = x.parts()?;
                rebuilt(data_of(&like)?, &boxes)
            }
            Len | Index if is_about_text(x) => border::by_evaluator(prim, x),
            Len | Shape | Iota | Tabulate | Index | Update | Reshape | Transpose | Concat | Reversed | Sum | ArgMin
            | ArgMax | ArgSort | Where | ScatterAdd => self.array_prim(prim, x),
            MatMul | Cholesky | Solve | SolveLower | Det | DetSlope | Inv | Eigh | TallQr | ThinSvd | Fourier => {
                super::matrices::apply(prim, x)
            }
            J => Ok(super::intrinsics::lifted(x)),
            JInv => super::intrinsics::lowered(x),
            Zero => Ok(x.sensitivity(&mut std::iter::repeat_with(super::real::Real::zero))),
            Plus => {
                let [a, b] = x.parts()?;
                super::differences::plus(&a, &b)
            }
            Perturbed => Ok(Val::Bool(super::differences::dimension(x) > 0)),
            Frame => Ok(x.clone()),
            Unbroadcast => {
                let [a, d] = x.parts()?;
                added_up(&a, &d)
            }
            Keep => {
                let [mask, d] = x.parts()?;
                zip_elements(&mask, &d, &mut |mask, d| match mask.number() {
                    Some(mask) if mask.is_zero() => Ok(Val::f64(0.0)),
                    _ => Ok(d.clone()),
                })
            }
            Print => Ok(Val::unit()),
            Quietly => {
                let [f, x] = x.parts()?;
                self.apply(&f, &x)
            }
            Close => Ok(Val::Bool(true)),
            Differentiable | Answer => Ok(x.clone()),
            Show | Join | Trim | Find | Replace | ToUpper | ToLower | ParseReal | ParseInt | Error | Assert | Key
            | Split | FoldIn | Uniform | Normal => border::by_evaluator(prim, x),
            internal => Err(Failure::Uncovered(format!("`{internal}`"))),
        }
    }
}

/// A text, or a tuple that begins with one.
fn is_about_text(x: &Val) -> bool {
    match x {
        Val::Text(_) => true,
        Val::Data(data) => data.form == Form::Tuple && matches!(data.fields.first(), Some(Val::Text(_))),
        _ => false,
    }
}

fn data_of(x: &Val) -> Result<&Data> {
    if let Val::Data(data) = x { Ok(data) } else { Err(Failure::program("no tuple, record or variant")) }
}

/// The fields, each as `{v: field}`.
fn boxes(data: &Data) -> Vec<Val> {
    data.fields.iter().map(|field| Val::data(Form::Record(vec![Name::new("v")]), vec![field.clone()])).collect()
}

/// The fields as `(first, (second, ()))`.
fn pairs(data: &Data) -> Val {
    data.fields.iter().rev().fold(Val::unit(), |rest, field| Val::tuple(vec![field.clone(), rest]))
}

fn of_pairs(like: &Data, mut pairs: Val) -> Result<Val> {
    let mut fields = vec![];
    for _ in &like.fields {
        let [field, rest] = pairs.parts()?;
        fields.push(field);
        pairs = rest;
    }
    Ok(Val::data(like.form.clone(), fields))
}

fn aligned(like: &Data, value: Val) -> Result<Val> {
    let data = data_of(&value)?;
    let (Form::Record(labels), Form::Record(own)) = (&like.form, &data.form) else { return Ok(value) };
    let place = |label| own.iter().position(|known| known == label);
    let fields: Option<Vec<Val>> = labels.iter().map(|label| Some(data.fields[place(label)?].clone())).collect();
    Ok(Val::data(like.form.clone(), fields.ok_or_else(|| Failure::program("another form"))?))
}

fn rebuilt(like: &Data, boxes: &Val) -> Result<Val> {
    let Val::Array(boxes) = boxes else { return Err(Failure::program("no array of boxes")) };
    let unboxed = boxes.elements.iter().map(|boxed| Ok(data_of(boxed)?.fields[0].clone()));
    Ok(Val::data(like.form.clone(), unboxed.collect::<Result<_>>()?))
}

/// A function of scalars on every element of an array, or on a scalar.
fn map_elements(x: &Val, f: &mut dyn FnMut(&Val) -> Result<Val>) -> Result<Val> {
    let Val::Array(array) = x else { return f(x) };
    let elements = array.elements.iter().map(&mut *f).collect::<Result<Vec<_>>>()?;
    let sample = f(array.sample.as_ref().unwrap_or(&Val::f64(1.0))).ok();
    Ok(Val::Array(Rc::new(Array::new(array.shape.clone(), elements, sample))))
}

/// A function of two scalars on the elements of arrays whose shapes fit, or with a scalar.
fn zip_elements(a: &Val, b: &Val, f: &mut dyn FnMut(&Val, &Val) -> Result<Val>) -> Result<Val> {
    match (a, b) {
        (Val::Array(x), Val::Array(y)) => {
            let (x, y) = (&repeated(x, y)?, &repeated(y, x)?);
            let elements = x.elements.iter().zip(&y.elements).map(|(a, b)| f(a, b)).collect::<Result<Vec<_>>>()?;
            let sample = x.sample.as_ref().zip(y.sample.as_ref()).and_then(|(a, b)| f(a, b).ok());
            Ok(Val::Array(Rc::new(Array::new(x.shape.clone(), elements, sample))))
        }
        (Val::Array(_), scalar) => map_elements(a, &mut |element| f(element, scalar)),
        (scalar, Val::Array(_)) => map_elements(b, &mut |element| f(scalar, element)),
        _ => f(a, b),
    }
}

/// An array as elementwise operations with another see it: aligned at the right, axes of length 1 repeat.
fn repeated(array: &Array, other: &Array) -> Result<Array> {
    let rank = array.shape.len().max(other.shape.len());
    if array.shape == other.shape || (rank == array.shape.len() && array.is_empty() && other.is_empty()) {
        return Ok(array.clone());
    }
    let padded = |shape: &[usize]| -> Vec<usize> {
        vec![1; rank - shape.len()].into_iter().chain(shape.iter().copied()).collect()
    };
    let (own, others) = (padded(&array.shape), padded(&other.shape));
    let mut shape = vec![];
    for (m, n) in own.iter().zip(&others) {
        match (*m, *n) {
            (m, n) if m == n || n == 1 => shape.push(m),
            (1, n) => shape.push(n),
            _ => return Err(Failure::program("arrays of different shapes")),
        }
    }
    let mut elements = vec![];
    for at in 0..shape.iter().product() {
        let (mut rest, mut place, mut stride) = (at, 0, 1);
        for axis in (0..rank).rev() {
            place += if own[axis] == 1 { 0 } else { rest % shape[axis] * stride };
            rest /= shape[axis];
            stride *= own[axis];
        }
        elements.push(array.elements[place].clone());
    }
    Ok(Array::new(shape, elements, array.sample.clone()))
}

/// Along the axes that are missing or of length 1, the sums of the elements.
fn added_up(a: &Val, d: &Val) -> Result<Val> {
    let Val::Array(d) = d else { return Ok(d.clone()) };
    let Val::Array(a) = a else {
        return Ok(Val::Real(d.numbers()?.iter().fold(Real::zero(), |total, x| &total + x)));
    };
    let size: usize = a.shape.iter().product();
    let places = Array::new(a.shape.clone(), (0..size as i64).map(Val::Int).collect(), Some(Val::Int(0)));
    let mut sums = vec![Real::zero(); size];
    for (place, x) in repeated(&places, d)?.elements.iter().zip(d.numbers()?) {
        let Val::Int(at) = place else { unreachable!("oracle: a place") };
        sums[*at as usize] = &sums[*at as usize] + &x;
    }
    Ok(Val::reals_array(a.shape.clone(), sums))
}

pub(super) fn elementwise(prim: Prim, a: &Val, b: &Val) -> Result<Val> {
    zip_elements(a, b, &mut |a, b| binary(prim, a, b))
}

fn binary(prim: Prim, a: &Val, b: &Val) -> Result<Val> {
    if let (Val::Int(x), Val::Int(y)) = (a, b)
        && let Some(result) = ints(prim, *x, *y)
    {
        return result.map(Val::Int).ok_or_else(|| Failure::program("an int out of range"));
    }
    let (Some(x), Some(y)) = (a.number(), b.number()) else { return Err(Failure::program("no number")) };
    let is_less = |x: &Real, y: &Real| x.compare(y) == Some(Ordering::Less);
    Ok(Val::Real(match prim {
        Prim::Add => &x + &y,
        Prim::Sub => &x - &y,
        Prim::Mul => &x * &y,
        Prim::Div => &x / &y,
        Prim::Rem => {
            ties::note((&x / &y).floor().to_int().unwrap_or(0));
            x.remainder(&y)
        }
        Prim::Pow => x.power(&y),
        Prim::Atan2 => Real::atan2(&x, &y),
        Prim::Minimum => {
            let second = is_less(&y, &x) || y.is_nan();
            noted(second, x.compare(&y));
            if second { y } else { x }
        }
        Prim::Maximum => {
            let second = is_less(&x, &y) || y.is_nan();
            noted(second, x.compare(&y));
            if second { y } else { x }
        }
        _ => return Err(Failure::program("two ints were expected")),
    }))
}

/// Notes which of two was chosen; that they are equal is a decision too.
fn noted(second: bool, order: Option<Ordering>) {
    ties::note(i64::from(second) + if order == Some(Ordering::Equal) { 2 } else { 0 });
}

/// The result for two ints where it is an int; `Some(None)`: there is none.
fn ints(prim: Prim, x: i64, y: i64) -> Option<Option<i64>> {
    let quotient = || (y != 0).then(|| x.checked_div_euclid(y))?;
    // Euclid's remainder is never negative; the language's has the sign of the divisor.
    let floored = || {
        let remainder = x.checked_rem_euclid(y)?;
        Some(if remainder != 0 && y < 0 { remainder + y } else { remainder })
    };
    Some(match prim {
        Prim::Add => x.checked_add(y),
        Prim::Sub => x.checked_sub(y),
        Prim::Mul => x.checked_mul(y),
        Prim::Rem | Prim::IntMod => floored(),
        Prim::IntDiv => quotient().and_then(|_| x.checked_sub(floored()?)?.checked_div(y)),
        Prim::Pow => u32::try_from(y).ok().and_then(|y| x.checked_pow(y)),
        Prim::Minimum => Some(x.min(y)),
        Prim::Maximum => Some(x.max(y)),
        _ => return None,
    })
}

fn unary(prim: Prim, x: &Val) -> Result<Val> {
    match (prim, x) {
        (Prim::Neg, Val::Int(i)) => {
            return i.checked_neg().map(Val::Int).ok_or_else(|| Failure::program("out of range"));
        }
        (Prim::Abs, Val::Int(i)) => {
            return i.checked_abs().map(Val::Int).ok_or_else(|| Failure::program("out of range"));
        }
        (Prim::Sign, Val::Int(i)) => return Ok(Val::Int(i.signum())),
        (Prim::Int, Val::Int(_)) => return Ok(x.clone()),
        (Prim::Int, Val::Bool(truth)) => return Ok(Val::Int(i64::from(*truth))),
        (Prim::Real, Val::Bool(truth)) => return Ok(Val::f64(f64::from(u8::from(*truth)))),
        _ => {}
    }
    let Some(x) = x.number() else { return Err(Failure::program("no number")) };
    match prim {
        Prim::Abs | Prim::Sign => ties::note(if x.is_zero() { 0 } else { 1 + i64::from(x.is_negative()) }),
        Prim::Floor | Prim::Ceil | Prim::Round | Prim::Trunc | Prim::Int => note_whole_part(prim, &x),
        _ => {}
    }
    Ok(Val::Real(match prim {
        Prim::Neg => -x,
        Prim::Abs => x.abs(),
        Prim::Sign if x.is_zero() || x.is_nan() => x,
        Prim::Sign => Real::from_int(if x.is_negative() { -1 } else { 1 }),
        Prim::Sqrt => x.sqrt(),
        Prim::Cbrt => x.cbrt(),
        Prim::Exp => x.exp(),
        Prim::Expm1 => x.expm1(),
        Prim::Log => x.ln(),
        Prim::Log1p => x.ln_1p(),
        Prim::Log2 => x.log2(),
        Prim::Log10 => x.log10(),
        Prim::Sin => x.sin(),
        Prim::Cos => x.cos(),
        Prim::Tan => x.tan(),
        Prim::Asin => x.asin(),
        Prim::Acos => x.acos(),
        Prim::Atan => x.atan(),
        Prim::Sinh => x.sinh(),
        Prim::Cosh => x.cosh(),
        Prim::Tanh => x.tanh(),
        Prim::Asinh => x.asinh(),
        Prim::Acosh => x.acosh(),
        Prim::Atanh => x.atanh(),
        Prim::Erf => x.erf(),
        Prim::Erfc => x.erfc(),
        Prim::Lgamma => x.lgamma(),
        Prim::Digamma => x.digamma(),
        Prim::Floor => x.floor(),
        Prim::Ceil => x.ceil(),
        Prim::Round => x.round(),
        Prim::Trunc => x.trunc(),
        Prim::Real => x,
        Prim::Int => return x.to_int().map(Val::Int).ok_or_else(|| Failure::program("no int")),
        Prim::IsNan => return Ok(Val::Bool(x.is_nan())),
        Prim::IsFinite => return Ok(Val::Bool(x.is_finite())),
        other => return Err(Failure::Uncovered(format!("`{other}`"))),
    }))
}

/// At a whole number the whole part jumps: so whether it is one is a decision too.
fn note_whole_part(prim: Prim, x: &Real) {
    let shifted = if prim == Prim::Round { x + &Real::from_f64(0.5) } else { x.clone() };
    ties::note(2 * shifted.floor().to_int().unwrap_or(0) + i64::from(shifted.is_whole()));
}

fn compare(prim: Prim, a: &Val, b: &Val) -> Result<Val> {
    let order = match (a, b) {
        (Val::Int(x), Val::Int(y)) => Some(x.cmp(y)),
        (Val::Text(x), Val::Text(y)) => Some(x.cmp(y)),
        _ => match (a.number(), b.number()) {
            (Some(x), Some(y)) => x.compare(&y),
            _ => return Err(Failure::program("what can't be ordered")),
        },
    };
    ties::note(order.map_or(3, |order| order as i64));
    Ok(Val::Bool(order.is_some_and(|order| match prim {
        Prim::Lt => order.is_lt(),
        Prim::Le => order.is_le(),
        Prim::Gt => order.is_gt(),
        _ => order.is_ge(),
    })))
}

fn equal(a: &Val, b: &Val) -> Result<bool> {
    Ok(match (a, b) {
        (Val::Function(_), _) | (_, Val::Function(_)) => return Err(Failure::program("functions are compared")),
        (Val::Bool(x), Val::Bool(y)) => x == y,
        (Val::Text(x), Val::Text(y)) => x == y,
        (Val::Data(x), Val::Data(y)) => same_form(&x.form, &y.form) && equal_data(x, y)?,
        (Val::Array(x), Val::Array(y)) => {
            x.is_empty() && y.is_empty() || x.shape == y.shape && all_equal(&x.elements, &y.elements)?
        }
        _ => match (a.number(), b.number()) {
            (Some(x), Some(y)) => {
                let are_equal = x.compare(&y) == Some(Ordering::Equal);
                ties::note(i64::from(are_equal));
                are_equal
            }
            _ => false,
        },
    })
}

fn same_form(a: &Form, b: &Form) -> bool {
    match (a, b) {
        (Form::Record(a), Form::Record(b)) => a.len() == b.len() && a.iter().all(|label| b.contains(label)),
        _ => a == b,
    }
}

fn equal_data(a: &super::value::Data, b: &super::value::Data) -> Result<bool> {
    let (Form::Record(labels), Form::Record(others)) = (&a.form, &b.form) else {
        return Ok(a.fields.len() == b.fields.len() && all_equal(&a.fields, &b.fields)?);
    };
    for (label, field) in labels.iter().zip(&a.fields) {
        let at = others.iter().position(|other| other == label);
        if !at.is_some_and(|at| matches!(equal(field, &b.fields[at]), Ok(true))) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn all_equal(a: &[Val], b: &[Val]) -> Result<bool> {
    for (a, b) in a.iter().zip(b) {
        if !equal(a, b)? {
            return Ok(false);
        }
    }
    Ok(true)
}
