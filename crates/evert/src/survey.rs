//! What the reverse pass of a function remembers, found by running it.
//!
//! In: a function and its argument. Out: the compiled program that is their gradient, and every object that was alive between its
//! halves, by the statement that made it. The program is what `grad` would run, but that numbers in the argument aren't known to
//! it, and that code of the library carries the place from which the program calls it. As a text: [`listing()`].

#[cfg(feature = "native")]
mod flow;
#[cfg(feature = "native")]
mod listing;
#[cfg(feature = "native")]
mod names;
#[cfg(feature = "native")]
mod reasons;
#[cfg(feature = "native")]
mod table;
#[cfg(feature = "native")]
mod words;

use calculus::GlobalId;
use eval::Value;
use specialise::Specialised;

use crate::engine::Ran;
use crate::native::runtime::survey::MARK;
pub use crate::native::runtime::survey::{Found, Objects, Place};
#[cfg(feature = "native")]
pub use listing::{left, listing};

use crate::session::{Failure, Session};

/// The heap between the halves of a gradient.
pub struct Surveyed {
    /// The program that ran.
    pub specialised: Specialised,
    /// Which statements make objects, by number.
    pub places: Vec<Place>,
    /// What was alive.
    pub found: Found,
    /// Is the sensitivity that the reverse half began with among the arguments?
    pub seeded: bool,
    pub peak_bytes: usize,
    /// What the reverse half gave.
    pub gradient: Value,
}

/// Why there is no survey.
pub enum Unsurveyed {
    Failed(Failure),
    /// The reference evaluator runs it.
    Left(Ran),
    /// There is no native engine.
    NoEngine(String),
}

/// Names that no program can define.
const ARGUMENT: &str = "__tape_argument";
const SEED: &str = "__tape_seed";

impl Session {
    /// Runs both halves of the derivative of a function at an argument, both expressions in the session's scope. Where the result
    /// isn't a number, it is its own sensitivity.
    pub fn survey(&mut self, function: &str, argument: &str) -> Result<Surveyed, Unsurveyed> {
        let argument = self.evaluate(argument).map_err(Unsurveyed::Failed)?;
        self.survey_at(function, argument)
    }

    /// The same at a value.
    pub fn survey_at(&mut self, function: &str, argument: Value) -> Result<Surveyed, Unsurveyed> {
        let argument = self.hidden(ARGUMENT, argument);
        let result = self.evaluate(&format!("({function})({ARGUMENT})")).map_err(Unsurveyed::Failed)?;
        let seed = if let Value::Real(_) = result { "1.0" } else { SEED };
        let seeds = self.hidden(SEED, result);
        // A number isn't asked for, as in `grad`; what else there is is the caller's.
        let mark = if seed == SEED { format!("(\"{MARK}\", y)") } else { format!("\"{MARK}\"") };
        let text = format!("{{ let (y, pull) = vjp({function}, {ARGUMENT}); print({mark}); pull({seed}) }}");
        let (_, module) = self.load("<gradient>", &text).map_err(Unsurveyed::Failed)?;
        let Some(step) = module.steps.last() else { unreachable!("survey: an expression is a step") };
        let surveyed = self.engines.survey(&self.machine, &step.code, step.span, &[argument, seeds]);
        let surveyed = surveyed.map(|surveyed| Surveyed { seeded: seed == SEED, ..surveyed });
        surveyed.map_err(|ran| match ran {
            Ran::Failed { .. } => match self.run_step(step) {
                Err(error) => Unsurveyed::Failed(vec![*error]),
                Ok(_) => Unsurveyed::Left(ran),
            },
            Ran::Fallback(_) if self.engines.missing().is_some() => {
                Unsurveyed::NoEngine(self.engines.missing().unwrap_or_default().to_string())
            }
            ran => Unsurveyed::Left(ran),
        })
    }

    fn hidden(&mut self, name: &str, value: Value) -> GlobalId {
        self.set(name, value);
        self.global(name).expect("survey: the name has just been set")
    }
}
