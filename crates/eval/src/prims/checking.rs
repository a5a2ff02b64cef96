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
        Prim::RandomLike => Random::new(&b)?.like(&a),
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

/// A stream of random numbers.
struct Random {
    key: random::Key,
    next: u64,
}

impl Random {
    fn new(seed: &Value) -> Result<Random> {
        match forced(seed.clone())? {
            Value::Int(seed) => Ok(Random { key: random::key(seed as u64), next: 0 }),
            other => expected(codes::WRONG_KIND, "an int", &other),
        }
    }

    /// Between 0.5 and 1.5, of either sign: no direction is neglected.
    fn draw(&mut self) -> f64 {
        let u = random::uniform(self.key, self.next);
        self.next += 1;
        if u < 0.5 { -0.5 - 2.0 * u } else { 2.0 * u - 0.5 }
    }

    fn like(&mut self, value: &Value) -> Result<Value> {
        deep(|| {
            Ok(match force(value)? {
                Value::Real(_) => Value::Real(self.draw()),
                Value::Data(data) => Value::data(data.form.clone(), self.all(&data.fields)?),
                Value::Array(array) => match &array.elements {
                    Elements::Real(xs) => {
                        let ds = xs.iter().map(|_| self.draw()).collect();
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

/// `{name, d}` for each capture, where d moves that capture alone.
fn directions(f: &Value, seed: &Value) -> Result<Value> {
    let mut random = Random::new(seed)?;
    let labels: Rc<[Name]> = Rc::from([Name::new("name"), Name::new("d")]);
    let mut all = vec![];
    if let Value::Function(function) = force(f)?
        && let Function::Closure(closure) = &*function
    {
        for (label, value) in closure.code.labels().iter().zip(&closure.env.0) {
            let d = Value::record(Rc::from([*label]), vec![random.like(value)?]);
            all.push(Value::record(labels.clone(), vec![Value::text(label.as_str()), d]));
        }
    }
    Ok(Value::array(Array::new(vec![all.len()], Elements::Values(all.into()))))
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
