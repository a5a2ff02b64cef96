//! Derivatives of any function that the interpreter can evaluate, by central differences in several directions at once.
//!
//! With steps of 2⁻⁶⁴ the error of a difference is about 2⁻¹²⁸ of the derivative two orders above; of 512 bits a third
//! difference cancels 192. So a result has far more right digits than a double, and what an inner difference leaves as error is
//! smooth: differences of differences are as good.

use super::real::Real;
use super::value::{Array, Form, Fun, Val};
use super::{Failure, Oracle, ties};

use std::rc::Rc;

type Result<T> = std::result::Result<T, Failure>;

const STEP_EXPONENT: i32 = -64;

/// A change of a function's captures and of its argument.
#[derive(Clone, Debug)]
pub struct Direction {
    pub captures: Option<Val>,
    pub argument: Val,
}

impl Direction {
    pub fn of(argument: Val) -> Direction {
        Direction { captures: None, argument }
    }
}

impl Oracle<'_> {
    /// The derivative of f at x in these directions, one order each: the reals of the result.
    pub fn derivative(&mut self, f: &Val, x: &Val, directions: &[Direction]) -> Result<Vec<Real>> {
        self.frozen.push(super::Frozen::recording());
        let (base, decisions) = ties::decided(|| self.apply(f, x));
        let recorded = self.frozen.pop().expect("pushed above");
        let base = base?;
        let mut total: Vec<Real> = base.to_reals().iter().map(|_| Real::zero()).collect();
        for signs in 0..1u32 << directions.len() {
            let (mut moved_f, mut moved_x) = (f.clone(), x.clone());
            for (at, direction) in directions.iter().enumerate() {
                let step = Real::power_of_two(STEP_EXPONENT);
                let step = if signs >> at & 1 == 1 { -step } else { step };
                moved_x = moved(&moved_x, &direction.argument, &step)?;
                if let Some(captures) = &direction.captures {
                    moved_f = moved(&moved_f, captures, &step)?;
                }
            }
            self.frozen.push(recorded.replayed());
            let (value, nearby) = ties::decided(|| self.apply(&moved_f, &moved_x));
            self.frozen.pop();
            if nearby != decisions {
                return Err(Failure::Tie);
            }
            let reals = value?.to_reals();
            if reals.len() != total.len() {
                return Err(Failure::program("the number of reals in the result changes"));
            }
            let negative = signs.count_ones() % 2 == 1;
            for (total, x) in total.iter_mut().zip(&reals) {
                *total = if negative { &*total - x } else { &*total + x };
            }
        }
        let scale = Real::power_of_two(-(STEP_EXPONENT + 1) * directions.len() as i32);
        Ok(total.iter().map(|x| x * &scale).collect())
    }

    /// The sensitivities of f's captures and of x for a sensitivity dy of the result.
    pub fn pulled(&mut self, f: &Val, x: &Val, dy: &Val) -> Result<(Val, Val)> {
        let y = self.apply(f, x)?;
        let mut weights = vec![];
        weigh(&y, dy, &mut weights)?;
        let captures =
            self.pulled_through(f, x, &weights, f, |d| Direction { captures: Some(d), argument: Val::unit() })?;
        let argument = self.pulled_through(f, x, &weights, x, Direction::of)?;
        Ok((captures, argument))
    }

    /// The sensitivity of x alone.
    pub fn pulled_argument(&mut self, f: &Val, x: &Val, dy: &Val) -> Result<Val> {
        let y = self.apply(f, x)?;
        let mut weights = vec![];
        weigh(&y, dy, &mut weights)?;
        self.pulled_through(f, x, &weights, x, Direction::of)
    }

    fn pulled_through(
        &mut self,
        f: &Val,
        x: &Val,
        weights: &[Real],
        of: &Val,
        direction: impl Fn(Val) -> Direction,
    ) -> Result<Val> {
        let mut slopes = vec![];
        for i in 0..dimension(of) {
            let derivative = self.derivative(f, x, &[direction(unit_direction(of, i))])?;
            slopes.push(derivative.iter().zip(weights).fold(Real::zero(), |sum, (d, w)| &sum + &(d * w)));
        }
        Ok(of.sensitivity(&mut slopes.into_iter()))
    }
}

/// How many reals there are in a value, captures of functions included.
pub fn dimension(value: &Val) -> usize {
    match value {
        Val::Real(_) => 1,
        Val::Data(data) => data.fields.iter().map(dimension).sum(),
        Val::Array(array) => array.elements.iter().map(dimension).sum(),
        Val::Function(function) => match &**function {
            Fun::Closure { captured, .. } => captured.iter().map(dimension).sum(),
            Fun::Prim(_) | Fun::Intrinsic(..) => 0,
        },
        Val::Bool(_) | Val::Int(_) | Val::Text(_) => 0,
    }
}

/// The sensitivity that is 1 at one real of a value.
pub fn unit_direction(value: &Val, at: usize) -> Val {
    value.sensitivity(&mut (0..).map(|i| if i == at { Real::one() } else { Real::zero() }))
}

/// The value moved by a step along a sensitivity of it.
pub fn moved(value: &Val, d: &Val, step: &Real) -> Result<Val> {
    Ok(match (value, d) {
        (Val::Real(x), d) => match d.number() {
            Some(d) => Val::Real(x + &(&d * step)),
            None if d.is_unit() => value.clone(),
            None => return Err(Failure::program("a direction that doesn't conform")),
        },
        (Val::Data(data), Val::Data(change)) => match (&data.form, &change.form) {
            (Form::Record(labels), Form::Record(changed)) => {
                let field = |(label, field): (&base::Name, &Val)| match changed.iter().position(|known| known == label)
                {
                    Some(at) => moved(field, &change.fields[at], step),
                    None => Ok(field.clone()),
                };
                let fields = labels.iter().zip(&data.fields).map(field).collect::<Result<_>>()?;
                Val::data(data.form.clone(), fields)
            }
            _ if data.fields.len() == change.fields.len() => {
                let fields = data.fields.iter().zip(&change.fields).map(|(x, d)| moved(x, d, step));
                Val::data(data.form.clone(), fields.collect::<Result<_>>()?)
            }
            _ if change.fields.is_empty() => value.clone(),
            _ => return Err(Failure::program("a direction that doesn't conform")),
        },
        (Val::Array(array), Val::Array(change)) if array.elements.len() == change.elements.len() => {
            let elements = array.elements.iter().zip(&change.elements).map(|(x, d)| moved(x, d, step));
            Val::Array(Rc::new(Array { elements: elements.collect::<Result<_>>()?, ..(**array).clone() }))
        }
        (Val::Function(function), Val::Data(change)) => match (&**function, &change.form) {
            (Fun::Closure { group, member, captured }, Form::Record(changed)) => {
                let capture =
                    |(label, value): (&base::Name, &Val)| match changed.iter().position(|known| known == label) {
                        Some(at) => moved(value, &change.fields[at], step),
                        None => Ok(value.clone()),
                    };
                let captured = group.captures.iter().zip(captured).map(capture).collect::<Result<_>>()?;
                Val::Function(Rc::new(Fun::Closure { group: group.clone(), member: *member, captured }))
            }
            _ => value.clone(),
        },
        _ => value.clone(),
    })
}

/// The reals of a sensitivity, in the order of the reals of the value that it belongs to.
fn weigh(y: &Val, dy: &Val, weights: &mut Vec<Real>) -> Result<()> {
    match (y, dy) {
        (Val::Real(_), d) => weights.push(d.number().unwrap_or_else(Real::zero)),
        (Val::Data(data), Val::Data(change)) => {
            for (at, field) in data.fields.iter().enumerate() {
                let part = match (&data.form, &change.form) {
                    (Form::Record(labels), Form::Record(known)) => {
                        known.iter().position(|label| *label == labels[at]).map(|at| &change.fields[at])
                    }
                    _ => change.fields.get(at),
                };
                weigh(field, part.unwrap_or(&Val::unit()), weights)?;
            }
        }
        (Val::Array(array), Val::Array(change)) => {
            for (x, d) in array.elements.iter().zip(&change.elements) {
                weigh(x, d, weights)?;
            }
        }
        (other, _) => weights.extend(other.to_reals().iter().map(|_| Real::zero())),
    }
    Ok(())
}

/// a ⊕ b
pub fn plus(a: &Val, b: &Val) -> Result<Val> {
    Ok(match (a, b) {
        (Val::Real(x), Val::Real(y)) => Val::Real(x + y),
        (Val::Data(x), Val::Data(y)) => match (&x.form, &y.form) {
            (Form::Record(labels), Form::Record(others)) => {
                let mut all = labels.clone();
                all.extend(others.iter().filter(|label| !labels.contains(label)));
                let field = |label: &base::Name| {
                    let part = |labels: &[base::Name], fields: &[Val]| {
                        labels.iter().position(|known| known == label).map(|at| fields[at].clone())
                    };
                    match (part(labels, &x.fields), part(others, &y.fields)) {
                        (Some(x), Some(y)) => plus(&x, &y),
                        (Some(one), None) | (None, Some(one)) => Ok(one),
                        (None, None) => unreachable!("oracle: a label of one of them"),
                    }
                };
                let fields = all.iter().map(field).collect::<Result<_>>()?;
                Val::data(Form::Record(all), fields)
            }
            _ => {
                let fields = x.fields.iter().zip(&y.fields).map(|(x, y)| plus(x, y)).collect::<Result<_>>()?;
                Val::data(x.form.clone(), fields)
            }
        },
        (Val::Array(x), Val::Array(y)) if x.elements.len() == y.elements.len() => {
            let elements = x.elements.iter().zip(&y.elements).map(|(x, y)| plus(x, y)).collect::<Result<_>>()?;
            Val::Array(Rc::new(Array { elements, ..(**x).clone() }))
        }
        _ => return Err(Failure::program("sensitivities that can't be added")),
    })
}
