//! Functions of the library that the interpreter takes as given: those that differentiate, by differences, and those whose
//! derivative isn't that of their code (`stop_gradient`, `fix`).

use super::differences::{Direction, dimension, unit_direction};
use super::real::Real;
use super::value::{Fun, Val};
use super::{Failure, Oracle, ties};

use std::cmp::Ordering;

type Result<T> = std::result::Result<T, Failure>;

/// Each takes what is known so far and one more argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Intrinsic {
    Grad,
    GradAt,
    ValueAndGrad,
    ValueAndGradAt,
    Vjp,
    VjpPull,
    Jvp,
    Linearize,
    LinearizeAt,
    Push,
    Jacobian,
    JacobianAt,
    Hessian,
    HessianAt,
    /// J of a function.
    JImage,
    JPull,
    StopGradient,
    Fix,
    FixAt,
    CheckRule,
}

/// The functions of the library that are taken as given, by name.
pub fn by_name(name: &str) -> Option<Intrinsic> {
    Some(match name {
        "grad" => Intrinsic::Grad,
        "value_and_grad" => Intrinsic::ValueAndGrad,
        "vjp" => Intrinsic::Vjp,
        "jvp" => Intrinsic::Jvp,
        "linearize" => Intrinsic::Linearize,
        "jacobian" => Intrinsic::Jacobian,
        "hessian" => Intrinsic::Hessian,
        "stop_gradient" => Intrinsic::StopGradient,
        "fix" => Intrinsic::Fix,
        "check_rule" => Intrinsic::CheckRule,
        _ => return None,
    })
}

/// J(v)
pub(super) fn lifted(value: &Val) -> Val {
    match value {
        Val::Function(_) => Val::intrinsic(Intrinsic::JImage, vec![value.clone()]),
        Val::Data(data) => Val::data(data.form.clone(), data.fields.iter().map(lifted).collect()),
        other => other.clone(),
    }
}

/// J⁻¹(v)
pub(super) fn lowered(value: &Val) -> Result<Val> {
    Ok(match value {
        Val::Function(function) => match &**function {
            Fun::Intrinsic(Intrinsic::JImage, known) => known[0].clone(),
            _ => return Err(Failure::program("no J-image")),
        },
        Val::Data(data) => Val::data(data.form.clone(), data.fields.iter().map(lowered).collect::<Result<_>>()?),
        other => other.clone(),
    })
}

impl Oracle<'_> {
    pub(super) fn intrinsic(&mut self, intrinsic: Intrinsic, known: &[Val], x: &Val) -> Result<Val> {
        use Intrinsic::*;
        let waits_for = |next: Intrinsic| {
            let known = known.iter().cloned().chain([x.clone()]).collect();
            Ok(Val::intrinsic(next, known))
        };
        match intrinsic {
            Grad => waits_for(GradAt),
            ValueAndGrad => waits_for(ValueAndGradAt),
            Linearize => waits_for(LinearizeAt),
            Jacobian => waits_for(JacobianAt),
            Hessian => waits_for(HessianAt),
            Fix => waits_for(FixAt),
            GradAt => self.pulled_argument(&known[0], x, &Val::f64(1.0)),
            ValueAndGradAt => {
                let y = self.apply(&known[0], x)?;
                Ok(Val::tuple(vec![y, self.pulled_argument(&known[0], x, &Val::f64(1.0))?]))
            }
            Vjp => {
                let [f, at] = x.parts()?;
                let y = self.apply(&f, &at)?;
                Ok(Val::tuple(vec![y, Val::intrinsic(VjpPull, vec![f, at])]))
            }
            VjpPull => self.pulled_argument(&known[0], &known[1], x),
            Jvp => {
                let [f, at, d] = x.parts()?;
                let y = self.apply(&f, &at)?;
                let slopes = self.derivative(&f, &at, &[Direction::of(d)])?;
                let tangent = y.sensitivity(&mut slopes.into_iter());
                Ok(Val::tuple(vec![y, tangent]))
            }
            LinearizeAt => {
                let y = self.apply(&known[0], x)?;
                Ok(Val::tuple(vec![y, Val::intrinsic(Push, vec![known[0].clone(), x.clone()])]))
            }
            Push => {
                let [dx, df] = x.parts()?;
                let y = self.apply(&known[0], &known[1])?;
                let direction = Direction { captures: Some(df), argument: dx };
                let slopes = self.derivative(&known[0], &known[1], &[direction])?;
                Ok(y.sensitivity(&mut slopes.into_iter()))
            }
            JacobianAt => self.jacobian(&known[0], x),
            HessianAt => self.jacobian(&Val::intrinsic(GradAt, vec![known[0].clone()]), x),
            JImage => {
                let at = lowered(x)?;
                let y = self.apply(&known[0], &at)?;
                Ok(Val::tuple(vec![lifted(&y), Val::intrinsic(JPull, vec![known[0].clone(), at])]))
            }
            JPull => {
                let (captures, argument) = self.pulled(&known[0], &known[1], x)?;
                Ok(Val::tuple(vec![captures, argument]))
            }
            StopGradient => Ok(self.freeze(x)),
            // How many steps it takes is no decision: the result is the same.
            FixAt => ties::undecided(|| self.fixed_point(known, x)),
            CheckRule => Ok(Val::unit()),
        }
    }

    /// Nested as the result and then as the argument; arrays give arrays of higher rank.
    fn jacobian(&mut self, f: &Val, x: &Val) -> Result<Val> {
        let y = self.apply(f, x)?;
        let mut columns = vec![];
        for i in 0..dimension(x) {
            columns.push(self.derivative(f, x, &[Direction::of(unit_direction(x, i))])?);
        }
        by_leaves(&y, &mut 0, &mut |rows, shape| {
            by_leaves(x, &mut 0, &mut |taken, inner| {
                let entries = rows.clone().flat_map(|row| taken.clone().map(move |column| (row, column)));
                let entries: Vec<Real> = entries.map(|(row, column)| columns[column][row].clone()).collect();
                let shape: Vec<usize> = shape.iter().chain(inner).copied().collect();
                Ok(match shape.is_empty() {
                    true => Val::Real(entries[0].clone()),
                    false => Val::reals_array(shape, entries),
                })
            })
        })
    }

    /// The fixed point itself: beyond where the program stops, until nothing changes in 512 bits.
    fn fixed_point(&mut self, known: &[Val], start: &Val) -> Result<Val> {
        let [p, f]: [Val; 2] = known[0].parts()?;
        let mut x = start.clone();
        loop {
            let next = self.apply(&f, &x)?;
            let done = self.apply2(&p, x.clone(), next.clone())?;
            if matches!(done, Val::Bool(true)) {
                break;
            }
            x = next;
        }
        const AT_MOST: usize = 3000;
        for _ in 0..AT_MOST {
            let next = self.apply(&f, &x)?;
            let is_close = |(a, b): (&Real, &Real)| {
                let bound = &(a.abs() + Real::one()) * &Real::power_of_two(-470);
                (a - b).abs().compare(&bound) != Some(Ordering::Greater)
            };
            let settled = x.to_reals().iter().zip(&next.to_reals()).all(is_close);
            x = next;
            if settled {
                break;
            }
        }
        Ok(x)
    }
}

type Leaf<'a> = dyn FnMut(std::ops::Range<usize>, &[usize]) -> Result<Val> + 'a;

/// A value nested like this one, with something else where it has a real or an array of reals.
fn by_leaves(value: &Val, at: &mut usize, leaf: &mut Leaf) -> Result<Val> {
    let start = *at;
    match value {
        Val::Real(_) => {
            *at += 1;
            leaf(start..*at, &[])
        }
        Val::Array(array) if array.elements.iter().all(|element| matches!(element, Val::Real(_))) => {
            *at += array.elements.len();
            leaf(start..*at, &array.shape)
        }
        Val::Data(data) => {
            let fields = data.fields.iter().map(|field| by_leaves(field, at, leaf)).collect::<Result<_>>()?;
            Ok(Val::data(data.form.clone(), fields))
        }
        Val::Bool(_) | Val::Int(_) | Val::Text(_) => Ok(Val::unit()),
        Val::Array(_) | Val::Function(_) => Err(Failure::Uncovered("a Jacobian of an array of structures".into())),
    }
}
