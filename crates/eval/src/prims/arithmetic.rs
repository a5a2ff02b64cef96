//! Arithmetic on numbers, elementwise on arrays whose shapes fit (`numerics::broadcast`) and with scalars. Ints stay ints where the result
//! is whole; an int with a real gives a real.

use std::cmp::Ordering;
use std::rc::Rc;

use base::codes;
use calculus::Prim;
use numerics::broadcast::{common, places};

use super::array_of;
use crate::array::{Array, Elements};
use crate::fault::{Fault, Result};
use crate::lazy::forced;
use crate::show;
use crate::value::Value;
use crate::{probe, work};

pub(super) fn binary(prim: Prim, [a, b, k]: [Value; 3]) -> Result<Value> {
    let (a, b) = (forced(a)?, forced(b)?);
    if let Prim::PowerSlope | Prim::PowerLog = prim {
        let k = if let Value::Int(k) = forced(k)? { k } else { 0 };
        let f = if prim == Prim::PowerSlope { power_slope } else { power_log };
        return real_elementwise(prim, a, b, |x, y| f(x, y, k));
    }
    match (&a, &b) {
        (Value::Real(x), Value::Real(y)) => Ok(Value::Real(real(prim, *x, *y)?)),
        (Value::Int(x), Value::Int(y)) => integers(prim, *x, *y),
        (Value::Array(_) | Value::Sparse(_), _) | (_, Value::Array(_) | Value::Sparse(_)) => elementwise(prim, a, b),
        (Value::Text(x), Value::Text(y)) if prim == Prim::Add => super::text::joined(x, y),
        _ => match (a.number(), b.number()) {
            (Some(x), Some(y)) => Ok(Value::Real(real(prim, x, y)?)),
            (None, _) => not_a_number(prim, "left", &a),
            (_, None) => not_a_number(prim, "right", &b),
        },
    }
}

fn not_a_number<T>(prim: Prim, side: &str, value: &Value) -> Result<T> {
    let fault = Fault::new(
        codes::WRONG_KIND,
        format!("expected a number on the {side} of `{}`, found {}", symbol(prim), show::described(value)),
    );
    match value {
        Value::Function(_) => fault.help("call the function to get a number: `f(x)`").err(),
        Value::Text(_) => fault.help("texts are joined by interpolation: \"{a}{b}\"").err(),
        Value::Data(data) if data.fields.len() > 1 => fault.help("take the parts out first, as in `p.0`").err(),
        _ => fault.err(),
    }
}

/// The operator as a person writes it.
pub(super) fn symbol(prim: Prim) -> &'static str {
    match prim {
        Prim::Add => "+",
        Prim::Sub | Prim::Neg => "-",
        Prim::Mul => "*",
        Prim::Div => "/",
        Prim::Rem => "%",
        Prim::Pow => "^",
        Prim::MatMul => "@",
        Prim::Lt => "<",
        Prim::Le => "<=",
        Prim::Gt => ">",
        Prim::Ge => ">=",
        Prim::Not => "!",
        other => other.name().trim_start_matches('.'),
    }
}

fn real(prim: Prim, x: f64, y: f64) -> Result<f64> {
    Ok(match prim {
        Prim::Add => x + y,
        Prim::Sub => x - y,
        Prim::Mul => x * y,
        Prim::Div => x / y,
        Prim::Rem => remainder(x, y),
        Prim::Pow => numerics::pow(x, y),
        Prim::Atan2 => numerics::atan2(x, y),
        // A tie goes to the first; NaN wins over everything.
        Prim::Minimum => {
            if y < x || y.is_nan() {
                y
            } else {
                x
            }
        }
        Prim::Maximum => {
            if y > x || y.is_nan() {
                y
            } else {
                x
            }
        }
        Prim::AtMost => f64::from(u8::from(x <= y)),
        Prim::IntDiv | Prim::IntMod => return only_ints(prim),
        other => unreachable!("arithmetic: {other}"),
    })
}

/// `b (b-1) … (b-k+1) a^(b-k)`
fn power_slope(a: f64, b: f64, k: i64) -> f64 {
    let factor = (0..k).fold(1.0, |factor, j| factor * (b - j as f64));
    if factor == 0.0 { 0.0 } else { factor * numerics::pow(a, b - k as f64) }
}

/// `a^b log(a)^k`
fn power_log(a: f64, b: f64, k: i64) -> f64 {
    if a == 0.0 && b > 0.0 {
        return 0.0;
    }
    (0..k).fold(numerics::pow(a, b), |power, _| power * numerics::log(a))
}

fn only_ints<T>(prim: Prim) -> Result<T> {
    let help = if prim == Prim::IntDiv { "for reals write `floor(a / b)`" } else { "for reals write `a % b`" };
    Fault::new(codes::WRONG_KIND, format!("`{prim}` expects two ints, found a real")).help(help).err()
}

/// `x - y * floor(x / y)`, exact, with the sign of the divisor.
fn remainder(x: f64, y: f64) -> f64 {
    let r = x % y;
    if r != 0.0 && (r < 0.0) != (y < 0.0) { r + y } else { r }
}

fn integers(prim: Prim, x: i64, y: i64) -> Result<Value> {
    let overflow = || {
        Fault::new(codes::INT_OVERFLOW, format!("`{x} {} {y}` is outside the range of ints", symbol(prim)))
            .note("ints lie between -2^63 and 2^63 - 1")
            .help("compute with reals: write a decimal point, as in `1.0`")
    };
    let checked = match prim {
        Prim::Add => x.checked_add(y),
        Prim::Sub => x.checked_sub(y),
        Prim::Mul => x.checked_mul(y),
        // Nobody looks at more than the kind.
        Prim::IntDiv | Prim::IntMod | Prim::Rem if y == 0 && probe::is_active() => Some(0),
        Prim::IntDiv | Prim::IntMod | Prim::Rem if y == 0 => {
            return Fault::new(codes::INT_DIVISION_BY_ZERO, format!("`{x}` is divided by zero"))
                .help("with reals the result would be infinite or NaN: write a decimal point")
                .err();
        }
        Prim::IntDiv => x.checked_div_euclid(y).map(|_| floor_div(x, y)),
        Prim::IntMod | Prim::Rem => Some(floor_mod(x, y)),
        Prim::Pow => return int_power(x, y),
        Prim::Minimum => Some(x.min(y)),
        Prim::Maximum => Some(x.max(y)),
        _ => return Ok(Value::Real(real(prim, x as f64, y as f64)?)),
    };
    match checked {
        Some(result) => Ok(Value::Int(result)),
        None => overflow().err(),
    }
}

fn floor_div(x: i64, y: i64) -> i64 {
    let q = x.wrapping_div(y);
    if x.wrapping_rem(y) != 0 && (x < 0) != (y < 0) { q - 1 } else { q }
}

fn floor_mod(x: i64, y: i64) -> i64 {
    let r = x.wrapping_rem(y);
    if r != 0 && (r < 0) != (y < 0) { r + y } else { r }
}

fn int_power(x: i64, y: i64) -> Result<Value> {
    if y < 0 {
        return Fault::new(codes::NEGATIVE_INT_POWER, format!("`{x} ^ {y}`: an int to a negative power is no int"))
            .help(format!("write `{x}.0 ^ {y}` for the real power"))
            .err();
    }
    let power = u32::try_from(y).ok().and_then(|y| x.checked_pow(y));
    let power = power.or(match x {
        0 | 1 => Some(x),
        -1 => Some(if y % 2 == 0 { 1 } else { -1 }),
        _ => None,
    });
    match power {
        Some(power) => Ok(Value::Int(power)),
        None => Fault::new(codes::INT_OVERFLOW, format!("`{x} ^ {y}` is outside the range of ints"))
            .help(format!("write `{x}.0 ^ {y}` for the real power"))
            .err(),
    }
}

/// A function of two reals, elementwise.
fn real_elementwise(prim: Prim, a: Value, b: Value, f: impl Fn(f64, f64) -> f64) -> Result<Value> {
    if let (Some(x), Some(y)) = (a.number(), b.number()) {
        return Ok(Value::Real(f(x, y)));
    }
    let (a, b) = same_shape(prim, a, b)?;
    let pairs = super::reals_of(prim, &a)?.into_iter().zip(super::reals_of(prim, &b)?);
    Ok(Value::array(Array::reals(a.shape.clone(), pairs.map(|(x, y)| f(x, y)).collect())))
}

/// Two arrays of one shape; a scalar is repeated.
fn same_shape(prim: Prim, a: Value, b: Value) -> Result<(Rc<Array>, Rc<Array>)> {
    let scalar = |value: &Value| value.number().is_some();
    let (a, b) = match (scalar(&a), scalar(&b)) {
        (true, _) => {
            let b = array_of(prim, b)?;
            (fill(&b, &a), b)
        }
        (_, true) => {
            let a = array_of(prim, a)?;
            let b = fill(&a, &b);
            (a, b)
        }
        _ => (operand(prim, "left", a)?, operand(prim, "right", b)?),
    };
    let (a, b) = aligned(prim, a, b)?;
    work::add(a.size());
    Ok((a, b))
}

/// Two arrays as arrays of their common shape.
pub(super) fn aligned(prim: Prim, a: Rc<Array>, b: Rc<Array>) -> Result<(Rc<Array>, Rc<Array>)> {
    if a.shape == b.shape {
        return Ok((a, b));
    }
    // What one of lower rank becomes is decided first: so of two arrays without elements the first says the shape.
    let (x, y) = match a.shape.len().cmp(&b.shape.len()) {
        Ordering::Less => (raised(a.clone(), &b)?, b.clone()),
        Ordering::Greater => (a.clone(), raised(b.clone(), &a)?),
        Ordering::Equal => (a.clone(), b.clone()),
    };
    if x.same_shape(&y) {
        return Ok((x, y));
    }
    match common(&x.shape, &y.shape) {
        Some(shape) => Ok((stretched(x, &shape)?, stretched(y, &shape)?)),
        None => match fitted(&x, &y) {
            Some((x, y)) => Ok((Rc::new(x), Rc::new(y))),
            None => shapes_differ(prim, &a, &b),
        },
    }
}

/// An array with as many axes as one of higher rank has, in the common shape if there is one.
pub(super) fn raised(array: Rc<Array>, like: &Array) -> Result<Rc<Array>> {
    if let Some(shape) = common(&array.shape, &like.shape) {
        return stretched(array, &shape);
    }
    if array.is_empty() && like.is_empty() {
        return Ok(Rc::new(Array::new(like.shape.clone(), array.elements.none()).with_holes(array.holes)));
    }
    let shape = vec![1; like.shape.len() - array.shape.len()].into_iter().chain(array.shape.iter().copied()).collect();
    Ok(Rc::new(Array::new(shape, array.elements.clone()).with_holes(array.holes)))
}

/// An array repeated to a shape that it fits.
pub(super) fn stretched(array: Rc<Array>, shape: &[usize]) -> Result<Rc<Array>> {
    if array.shape == shape {
        return Ok(array);
    }
    super::has_room_for_shape(shape)?;
    work::add(shape.iter().product());
    let elements = array.elements.pick(places(&array.shape, shape).into_iter());
    Ok(Rc::new(Array::new(shape.to_vec(), elements).with_holes(array.holes)))
}

/// While we probe, arrays of one rank fit each other: lengths needn't be those that the elements would have.
fn fitted(a: &Array, b: &Array) -> Option<(Array, Array)> {
    if !probe::is_active() {
        return None;
    }
    let shape = if b.elements.is_known() { &b.shape } else { &a.shape };
    let fit = |array: &Array| match array.elements.is_known() {
        true => array.stretched(shape.clone()),
        false => Array::reals(vec![0], vec![]).stretched(shape.clone()),
    };
    Some((fit(a)?, fit(b)?))
}

fn elementwise(prim: Prim, a: Value, b: Value) -> Result<Value> {
    let (a, b) = same_shape(prim, a, b)?;
    if let (Elements::Int(xs), Elements::Int(ys)) = (&a.elements, &b.elements) {
        let elements = if xs.is_empty() {
            Array::none_like(&integers(prim, 1, 1)?).elements
        } else {
            let values = xs.iter().zip(ys).map(|(x, y)| integers(prim, *x, *y)).collect::<Result<Vec<_>>>()?;
            Elements::from_scalars(values)
        };
        return Ok(Value::array(Array::new(a.shape.clone(), elements)));
    }
    let (xs, ys) = (super::reals_of(prim, &a)?, super::reals_of(prim, &b)?);
    let reals = xs.into_iter().zip(ys).map(|(x, y)| real(prim, x, y)).collect::<Result<_>>()?;
    Ok(Value::array(Array::reals(a.shape.clone(), reals)))
}

fn operand(prim: Prim, side: &str, value: Value) -> Result<Rc<Array>> {
    match value {
        Value::Array(_) | Value::Sparse(_) => array_of(prim, value),
        other => not_a_number(prim, side, &other),
    }
}

fn fill(like: &Array, scalar: &Value) -> Rc<Array> {
    let elements = match scalar {
        Value::Int(i) => Elements::Int(vec![*i; like.size()]),
        other => Elements::Real(vec![other.number().unwrap_or(0.0); like.size()]),
    };
    Rc::new(Array::new(like.shape.clone(), elements))
}

pub(super) fn shapes_differ<T>(prim: Prim, a: &Array, b: &Array) -> Result<T> {
    let fault = Fault::new(codes::SHAPE_MISMATCH, format!("`{}` of arrays of different shapes", symbol(prim)))
        .note(format!("the left array has shape {}", Array::describe_shape(&a.shape)))
        .note(format!("the right array has shape {}", Array::describe_shape(&b.shape)));
    if prim == Prim::Mul && a.shape.len() + b.shape.len() > 2 {
        return fault.help("for the matrix product write `a @ b`").err();
    }
    fault.help("shapes are compared from the right: two lengths must be the same, or one of them 1").err()
}

pub(super) fn unary(prim: Prim, [x, ..]: [Value; 3]) -> Result<Value> {
    let x = forced(x)?;
    match &x {
        Value::Real(x) => Ok(Value::Real(unary_real(prim, *x))),
        Value::Int(i) => unary_int(prim, *i),
        Value::Zero => Ok(Value::Zero),
        Value::Array(_) | Value::Sparse(_) => {
            let array = array_of(prim, x)?;
            work::add(array.size());
            if let Elements::Int(ints) = &array.elements {
                let int =
                    |value| if let Value::Int(i) = value { i } else { unreachable!("arithmetic: an int of an int") };
                let ints = ints.iter().map(|i| unary_int(prim, *i).map(int)).collect::<Result<_>>()?;
                let elements = Elements::Int(ints);
                return Ok(Value::array(Array::new(array.shape.clone(), elements)));
            }
            let reals = super::reals_of(prim, &array)?.into_iter().map(|x| unary_real(prim, x)).collect();
            Ok(Value::array(Array::reals(array.shape.clone(), reals)))
        }
        other => {
            let found = show::described(other);
            Fault::new(codes::WRONG_KIND, format!("expected a number for `{}`, found {found}", symbol(prim))).err()
        }
    }
}

fn unary_real(prim: Prim, x: f64) -> f64 {
    match prim {
        Prim::Neg => -x,
        Prim::Abs => x.abs(),
        Prim::Sign if x > 0.0 => 1.0,
        Prim::Sign if x < 0.0 => -1.0,
        Prim::Sign => x,
        other => unreachable!("arithmetic: {other}"),
    }
}

fn unary_int(prim: Prim, i: i64) -> Result<Value> {
    let result = match prim {
        Prim::Neg => i.checked_neg(),
        Prim::Abs => i.checked_abs(),
        Prim::Sign => Some(i.signum()),
        other => unreachable!("arithmetic: {other}"),
    };
    match result {
        Some(i) => Ok(Value::Int(i)),
        None => Fault::new(codes::INT_OVERFLOW, format!("`-({i})` is outside the range of ints")).err(),
    }
}
