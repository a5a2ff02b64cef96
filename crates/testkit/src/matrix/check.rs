//! One cell of the matrix: the question asked of an engine, and of the oracle.

use eval::Value;
use evert::Engine;

use super::modes::Mode;
use super::row::{Cell, Truth};
use crate::Lab;
use crate::oracle::{self, Direction, Oracle, Val};
use crate::reals::{agree, reals, with_reals};

/// What the programs of the modes use. `weigh` makes a scalar of a number or an array. `gamma_inverse` is what `gamma_draws` finds by a search,
/// which takes too long in multi-precision: the z near a number below which the gamma distribution of shape a has the mass u.
const PRELUDE: &str = "
fn weigh(v) = if is_array(v) { let w = flatten(v); sum(w * sin(iota(len(w)) + 1.0)) } else { v }
fn product(u, v) =
  if is_real(u) {
    u * v
  } else if is_array(u) {
    let (us, vs) = (flatten(u), flatten(v))
    if len(us) == 0 || is_real(us[0]) { sum(us * vs) } else { fold((t, i) => t + product(us[i], vs[i]), 0.0, iota(len(us))) }
  } else if is_data(u) {
    let (us, vs) = (children(u), children(v))
    fold((t, i) => t + product(us[i].v, vs[i].v), 0.0, iota(len(us)))
  } else {
    0.0
  }
fn gamma_inverse(a, u, near) = {
  fn series(k, z, term, total) = if k > 90 { total } else { series(k + 1, z, term * z / (a + k), total + term) }
  fn step(z) = { let density = exp((a - 1) * log(z) - z - lgamma(a)); z - (density * z / a * series(1, z, 1.0, 0.0) - u) / density }
  step(step(step(step(near))))
}
fn change(f, u) = x => jvp(f, x, u).1
fn slope(f, u) = x => product(u, grad(f)(x))
";

const TOLERANCE: f64 = 1e-9;

/// What came of one question.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    Agrees,
    Wrong(String),
    /// The oracle can't say; why.
    Unknown(String),
    /// The program itself ends in an error.
    NoValue(String),
}

/// An engine under examination.
pub struct Trial {
    pub lab: Lab,
    /// Relative to the largest entry of a result, or to 1.
    pub tolerance: f64,
}

/// What the oracle finds for a function at a point.
struct Truths {
    /// The derivative of f along `u1`, all reals of the result.
    along: Vec<f64>,
    /// The sensitivity of the point for `dy`.
    pulled: Vec<f64>,
    /// For orders 1 to 3: the gradient of the derivative of the weighted sum along the first directions.
    gradients: [Vec<f64>; 3],
}

impl Trial {
    pub fn new(engine: Engine) -> Trial {
        let mut trial = Trial::with(Lab::open()).unwrap_or_else(|error| panic!("{error}"));
        trial.lab.session.engines.engine = engine;
        trial
    }

    /// In a laboratory that has names for internal primitives.
    pub fn with(mut lab: Lab) -> Result<Trial, String> {
        lab.evaluate(PRELUDE)?;
        Ok(Trial { lab, tolerance: TOLERANCE })
    }

    /// The reals of what the engine answers about the cell that was prepared last.
    pub fn answer(&mut self, mode: Mode) -> Result<Vec<f64>, String> {
        self.lab.evaluate(&mode.program()).map(|value| reals(&value))
    }

    /// Asks for a cell in these modes.
    pub fn cell(&mut self, cell: &Cell, modes: &[Mode]) -> Vec<(Mode, Outcome)> {
        let all = |outcome: Outcome| modes.iter().map(|mode| (*mode, outcome.clone())).collect();
        let directions = match self.prepare(cell) {
            Ok(directions) => directions,
            Err(words) => return all(Outcome::NoValue(words)),
        };
        let truths = match cell.truth {
            Truth::NoNumber => None,
            Truth::Itself | Truth::As(_) | Truth::AtMost(_) => match self.truths(cell, &directions) {
                Ok(truths) => Some(truths),
                Err(words) => return all(Outcome::Unknown(words)),
            },
        };
        modes.iter().map(|mode| (*mode, self.ask(*mode, cell, truths.as_ref(), &directions))).collect()
    }

    /// Defines what the modes' programs use; the reals of the three directions.
    pub fn prepare(&mut self, cell: &Cell) -> Result<[Vec<f64>; 3], String> {
        self.lab.evaluate(&format!("let f = {}\nlet at = {}\nfn scalar(x) = weigh(f(x))", cell.f, cell.point))?;
        let zero = self.lab.evaluate("zero(at)")?;
        let n = reals(&zero).len();
        let directions = [1.3, 0.7, 2.1].map(|scale| weights(n, scale));
        for (at, direction) in directions.iter().enumerate() {
            self.lab.session.set(["u1", "u2", "u3"][at], with_reals(&zero, direction));
        }
        let y = self.lab.evaluate("f(at)")?;
        let zero_y = self.lab.evaluate("zero(f(at))")?;
        self.lab.session.set("dy", with_reals(&zero_y, &weights(reals(&y).len(), 0.9)));
        Ok(directions)
    }

    fn truths(&mut self, cell: &Cell, directions: &[Vec<f64>; 3]) -> Result<Truths, String> {
        if let Truth::As(f) | Truth::AtMost(f) = cell.truth {
            self.lab.evaluate(&format!("let f_truth = {f}\nfn scalar_truth(x) = weigh(f_truth(x))"))?;
        } else {
            self.lab.evaluate("let f_truth = f\nfn scalar_truth(x) = weigh(f_truth(x))")?;
        }
        let at = self.lab.session.get("at").ok_or("no point")?;
        let dy = self.lab.session.get("dy").ok_or("no sensitivity")?;
        find_truths(&Setting { at, dy, directions }, Oracle::new(&self.lab.session))
            .map_err(|failure| format!("{failure:?}"))
    }

    fn ask(&mut self, mode: Mode, cell: &Cell, truths: Option<&Truths>, directions: &[Vec<f64>; 3]) -> Outcome {
        let found = self.answer(mode);
        let is_number = |found: &[f64]| found.iter().all(|x| x.is_finite());
        match (&found, truths) {
            (Ok(found), None) if !is_number(found) => Outcome::Agrees,
            (Err(_), None) => Outcome::Agrees,
            (Ok(found), None) => Outcome::Wrong(format!("{found:?}, where there is no derivative")),
            (Ok(found), Some(_)) if matches!(cell.truth, Truth::AtMost(_)) && !is_number(found) => Outcome::Agrees,
            (Err(_), Some(_)) if matches!(cell.truth, Truth::AtMost(_)) => Outcome::Agrees,
            (Err(words), Some(_)) => Outcome::Wrong(format!("an error: {words}")),
            (Ok(found), Some(truths)) => {
                let expected = truths.of(mode, directions);
                if agree(found, &expected, self.tolerance) {
                    Outcome::Agrees
                } else {
                    Outcome::Wrong(format!("{found:?}, should be {expected:?}"))
                }
            }
        }
    }
}

fn weights(n: usize, scale: f64) -> Vec<f64> {
    (0..n).map(|i| ((i + 1) as f64 * scale).cos()).collect()
}

struct Setting<'a> {
    at: Value,
    dy: Value,
    directions: &'a [Vec<f64>; 3],
}

fn find_truths(setting: &Setting, mut oracle: Oracle) -> Result<Truths, oracle::Failure> {
    let (f, scalar) = (oracle.named("f_truth")?, oracle.named("scalar_truth")?);
    let (at, dy) = (oracle::imported(&setting.at)?, oracle::imported(&setting.dy)?);
    let along = |at: &Val, reals: &[f64]| {
        let mut reals = reals.iter().map(|x| oracle::real::Real::from_f64(*x));
        Direction::of(at.sensitivity(&mut reals))
    };
    let directions: Vec<Direction> = setting.directions.iter().map(|reals| along(&at, reals)).collect();
    let mut gradient = |order: usize| -> Result<Vec<f64>, oracle::Failure> {
        let mut entries = vec![];
        for i in 0..oracle::dimension(&at) {
            let mut directions = directions[..order].to_vec();
            directions.push(Direction::of(oracle::unit_direction(&at, i)));
            let found = oracle.derivative(&scalar, &at, &directions)?;
            // An int has no reals, and no derivative.
            entries.push(found.first().map_or(0.0, oracle::real::Real::to_f64));
        }
        Ok(entries)
    };
    let gradients = [gradient(0)?, gradient(1)?, gradient(2)?];
    let along = oracle::rounded(&oracle.derivative(&f, &at, &directions[..1])?);
    let pulled = oracle::rounded(&oracle.pulled_argument(&f, &at, &dy)?.to_reals());
    Ok(Truths { along, pulled, gradients })
}

impl Truths {
    fn of(&self, mode: Mode, directions: &[Vec<f64>; 3]) -> Vec<f64> {
        match mode {
            Mode::Word("f") | Mode::Linearize | Mode::Captured => self.along.clone(),
            Mode::Vjp | Mode::Transpose => self.pulled.clone(),
            Mode::Word(word) => {
                let gradient = &self.gradients[word.len() - 1];
                if word.starts_with('r') {
                    return gradient.clone();
                }
                vec![crate::reals::inner(gradient, &directions[word.len() - 1])]
            }
        }
    }
}
