//! What `check_rule` needs: moving a value along a sensitivity, captures of functions included.

use std::rc::Rc;

use base::{Name, codes};
use calculus::{Prim, RuleKind};
use numerics::random;

use crate::array::{Array, Elements};
use crate::fault::{Fault, Result, expected};
use crate::lazy::{deep, force, forced};
use crate::sensitivity::full;
use crate::show;
use crate::value::{Closure, Env, Form, Function, Value};

pub(super) fn apply(prim: Prim, [a, b, c]: [Value; 3]) -> Result<Value> {
    match prim {
        Prim::Moved => moved(&a, &b, real(&c)?),
        Prim::RandomLike => Random::new(&b, Size::One)?.like(&a),
        Prim::RelativeLike => Random::new(&b, Size::Value)?.like(&a),
        Prim::Directions => directions(&a, &b),
        Prim::Inner => Ok(Value::Real(inner(&a, &b)?)),
        Prim::Difference => difference(&a, &b),
        Prim::IsApproximate => Ok(Value::Bool(is_approximate(&force(&a)?))),
        Prim::HasRule => Ok(Value::Bool(has_rule(&force(&a)?, &show::display(&b)?))),
        Prim::FunctionName => Ok(Value::text(show::function_name(&a))),
        Prim::RuleError => Fault::new(codes::RULE_CHECK_FAILED, show::display(&a)?)
            .help("correct the rule; if it differs on purpose, add `approximate \"reason\"` after it")
            .err(),
        other => unreachable!("checking: {other}"),
    }
}

fn real(value: &Value) -> Result<f64> {
    match forced(value.clone())? {
        Value::Real(x) => Ok(x),
        other => expected(codes::WRONG_KIND, "a real", &other),
    }
}

/// `v + h d`
fn moved(value: &Value, d: &Value, h: f64) -> Result<Value> {
    deep(|| {
        let value = force(value)?;
        let d = force(&full(&value, d.clone()))?;
        let all = |values: &[Value], ds: &[Value]| {
            values.iter().zip(ds).map(|(value, d)| moved(value, d, h)).collect::<Result<Vec<_>>>()
        };
        Ok(match (&value, &d) {
            (Value::Real(x), Value::Real(d)) => Value::Real(x + h * d),
            (Value::Data(data), Value::Data(ds)) => Value::data(data.form.clone(), all(&data.fields, &ds.fields)?),
            (Value::Array(array), Value::Array(ds))
                if !matches!(array.elements, Elements::Int(_) | Elements::Bool(_)) =>
            {
                let elements = match (&array.elements, &ds.elements) {
                    (Elements::Real(xs), Elements::Real(ds)) => {
                        Elements::Real(xs.iter().zip(ds).map(|(x, d)| x + h * d).collect())
                    }
                    _ => Elements::Values(all(&array.values(), &ds.values())?.into()),
                };
                Value::array(Array::new(array.shape.clone(), elements))
            }
            (Value::Function(function), Value::Data(ds)) => match &**function {
                Function::Closure(closure) => {
                    let env = Rc::new(Env(all(&closure.env.0, &ds.fields)?));
                    let (code, member, holds) = (closure.code.clone(), closure.member, closure.holds);
                    Value::Function(Rc::new(Function::Closure(Closure { code, member, env, holds })))
                }
                _ => value.clone(),
            },
            _ => value,
        })
    })
}

/// How large a random sensitivity is.
#[derive(Clone, Copy, PartialEq)]
enum Size {
    One,
    /// As large as the number that it belongs to; 1 for zero and what isn't finite.
    Value,
}

/// A stream of random numbers.
struct Random {
    key: random::Key,
    next: u64,
    size: Size,
}

impl Random {
    fn new(seed: &Value, size: Size) -> Result<Random> {
        match forced(seed.clone())? {
            Value::Int(seed) => Ok(Random { key: random::key(seed as u64), next: 0, size }),
            other => expected(codes::WRONG_KIND, "an int", &other),
        }
    }

    /// Between 0.5 and 1.5 times the size, of either sign: no direction is neglected.
    fn draw(&mut self, of: f64) -> f64 {
        let u = random::uniform(self.key, self.next);
        self.next += 1;
        let size = if self.size == Size::One { 1.0 } else { size_of(of) };
        size * if u < 0.5 { -0.5 - 2.0 * u } else { 2.0 * u - 0.5 }
    }

    fn like(&mut self, value: &Value) -> Result<Value> {
        deep(|| {
            Ok(match force(value)? {
                Value::Real(x) => Value::Real(self.draw(x)),
                Value::Data(data) => Value::data(data.form.clone(), self.all(&data.fields)?),
                Value::Array(array) => match &array.elements {
                    Elements::Real(xs) => {
                        let ds = xs.iter().map(|x| self.draw(*x)).collect();
                        Value::array(Array::reals(array.shape.clone(), ds))
                    }
                    _ => Value::array(Array::new(
                        array.shape.clone(),
                        Elements::Values(self.all(&array.values())?.into()),
                    )),
                },
                Value::Function(function) => match &*function {
                    Function::Closure(closure) => Value::record(closure.code.labels(), self.all(&closure.env.0)?),
                    _ => Value::record(Rc::from([]), vec![]),
                },
                _ => Value::unit(),
            })
        })
    }

    fn all(&mut self, values: &[Value]) -> Result<Vec<Value>> {
        values.iter().map(|value| self.like(value)).collect()
    }
}

/// `{name, d, relative}` for each capture of a function, where d and relative move that capture alone; for each of the first reals of
/// other values, named by its place.
fn directions(value: &Value, seed: &Value) -> Result<Value> {
    let value = force(value)?;
    let all = match &value {
        Value::Function(function) => match &**function {
            Function::Closure(closure) => capture_directions(closure, seed)?,
            _ => vec![],
        },
        _ => {
            let mut found = vec![];
            real_directions(&value, "", &|d| d, &mut found)?;
            found
        }
    };
    let labels: Rc<[Name]> = Rc::from(["name", "d", "relative"].map(Name::new));
    let all: Vec<Value> = all
        .into_iter()
        .map(|(name, d, relative)| Value::record(labels.clone(), vec![Value::text(name), d, relative]))
        .collect();
    Ok(Value::array(Array::new(vec![all.len()], Elements::Values(all.into()))))
}

/// A name, a direction and a relative one.
type Direction = (String, Value, Value);

fn capture_directions(closure: &Closure, seed: &Value) -> Result<Vec<Direction>> {
    let (mut one, mut relative) = (Random::new(seed, Size::One)?, Random::new(seed, Size::Value)?);
    let captures = closure.code.labels();
    let each = captures.iter().zip(&closure.env.0).map(|(label, value)| {
        let [d, relative] =
            [one.like(value)?, relative.like(value)?].map(|d| Value::record(Rc::from([*label]), vec![d]));
        Ok((label.as_str().to_string(), d, relative))
    });
    each.collect()
}

/// So many reals are told apart.
const MAX_REALS: usize = 64;

/// A direction for each real in data and arrays; `inject` makes a sensitivity of the whole of one of this part.
fn real_directions(
    value: &Value,
    place: &str,
    inject: &dyn Fn(Value) -> Value,
    found: &mut Vec<Direction>,
) -> Result<()> {
    deep(|| {
        match force(value)? {
            _ if found.len() >= MAX_REALS => {}
            Value::Real(x) => {
                found.push((place.to_string(), inject(Value::Real(1.0)), inject(Value::Real(size_of(x)))));
            }
            Value::Data(data) => {
                for (i, field) in data.fields.iter().enumerate() {
                    let name = match &data.form {
                        Form::Record(labels) => labels[i].to_string(),
                        Form::Variant(constructor) => constructor.fields[i].to_string(),
                        Form::Tuple | Form::Part(..) => i.to_string(),
                    };
                    let others = |d: Value| Value::data(data.form.clone(), with_zeros(&data.fields, i, d));
                    real_directions(field, &format!("{place}.{name}"), &|d| inject(others(d)), found)?;
                }
            }
            Value::Array(array) => array_directions(&array, place, inject, found)?,
            _ => {}
        }
        Ok(())
    })
}

fn array_directions(
    array: &Array,
    place: &str,
    inject: &dyn Fn(Value) -> Value,
    found: &mut Vec<Direction>,
) -> Result<()> {
    let place_of = |i: usize| {
        let indices = array.shape.iter().rev().scan(i, |rest, length| {
            let index = *rest % length;
            *rest /= length;
            Some(index.to_string())
        });
        let mut indices: Vec<String> = indices.collect();
        indices.reverse();
        format!("{place}[{}]", indices.join(", "))
    };
    let whole = |elements| Value::array(Array::new(array.shape.clone(), elements));
    match &array.elements {
        Elements::Real(reals) => {
            for (i, x) in reals.iter().enumerate().take(MAX_REALS.saturating_sub(found.len())) {
                let unit = |size: f64| {
                    let zeros = reals.iter().enumerate().map(|(j, _)| if i == j { size } else { 0.0 });
                    inject(whole(Elements::Real(zeros.collect())))
                };
                found.push((place_of(i), unit(1.0), unit(size_of(*x))));
            }
        }
        Elements::Values(values) => {
            for (i, element) in values.iter().enumerate().take(MAX_REALS) {
                let others = |d: Value| whole(Elements::Values(with_zeros(values, i, d).into()));
                real_directions(element, &place_of(i), &|d| inject(others(d)), found)?;
            }
        }
        Elements::Int(_) | Elements::Bool(_) => {}
    }
    Ok(())
}

/// Zeros of all these values, but one sensitivity that isn't.
fn with_zeros(values: &[Value], at: usize, d: Value) -> Vec<Value> {
    values.iter().enumerate().map(|(i, value)| if i == at { d.clone() } else { full(value, Value::Zero) }).collect()
}

fn size_of(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() { 1.0 } else { x.abs() }
}

/// The scalar product of two sensitivities of the same shape; a missing field counts as zero.
fn inner(a: &Value, b: &Value) -> Result<f64> {
    deep(|| {
        let (a, b) = (force(a)?, force(b)?);
        Ok(match (&a, &b) {
            (Value::Real(x), Value::Real(y)) => x * y,
            (Value::Data(x), Value::Data(y)) => match (&x.form, &y.form) {
                (Form::Record(left), Form::Record(right)) => {
                    let pairs = left.iter().zip(&x.fields).filter_map(|(label, field)| {
                        let at = right.iter().position(|other| other == label)?;
                        Some((field, &y.fields[at]))
                    });
                    pairs.map(|(x, y)| inner(x, y)).sum::<Result<f64>>()?
                }
                _ => x.fields.iter().zip(&y.fields).map(|(x, y)| inner(x, y)).sum::<Result<f64>>()?,
            },
            (Value::Array(x), Value::Array(y)) => {
                x.values().iter().zip(&y.values()).map(|(x, y)| inner(x, y)).sum::<Result<f64>>()?
            }
            _ => 0.0,
        })
    })
}

/// `a - b` as a sensitivity.
fn difference(a: &Value, b: &Value) -> Result<Value> {
    deep(|| {
        let (a, b) = (force(a)?, force(b)?);
        let all =
            |xs: &[Value], ys: &[Value]| xs.iter().zip(ys).map(|(x, y)| difference(x, y)).collect::<Result<Vec<_>>>();
        Ok(match (&a, &b) {
            (Value::Real(x), Value::Real(y)) => Value::Real(x - y),
            (Value::Data(x), Value::Data(y)) => Value::data(x.form.clone(), all(&x.fields, &y.fields)?),
            (Value::Array(x), Value::Array(y)) => {
                let values = all(&x.values(), &y.values())?;
                Value::array(Array::new(x.shape.clone(), Elements::Values(values.into())))
            }
            (Value::Function(f), Value::Function(g)) => match (&**f, &**g) {
                (Function::Closure(f), Function::Closure(g)) => {
                    Value::record(f.code.labels(), all(&f.env.0, &g.env.0)?)
                }
                _ => Value::record(Rc::from([]), vec![]),
            },
            _ => Value::unit(),
        })
    })
}

fn has_rule(f: &Value, kind: &str) -> bool {
    let Value::Function(function) = f else { return false };
    let Function::Closure(closure) = &**function else { return false };
    let named = |kind_of: RuleKind| match kind_of {
        RuleKind::Reverse => "reverse",
        RuleKind::Forward => "forward",
        RuleKind::Transpose => "transpose",
    };
    closure.code.lambda(closure.member).rules.iter().any(|rule| named(rule.kind) == kind)
}

fn is_approximate(f: &Value) -> bool {
    let Value::Function(function) = f else { return false };
    let Function::Closure(closure) = &**function else { return false };
    closure.code.lambda(closure.member).rules.iter().any(|rule| rule.approximate.is_some())
}
