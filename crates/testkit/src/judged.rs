//! Random programs against the multi-precision oracle: are derivatives of all modes those of the program?
//!
//! In: a case. Out: how many derivatives were judged, and every one that is wrong, which is always our mistake. Points at a tie, programs that
//! end in an error and values that are no numbers are left out.

use evert::Engine;

use crate::differential::{Case, Find};
use crate::matrix::{Cell, Class, Mode, Outcome, Trial, Truth};
use crate::reals::reals;

/// What came of one case.
#[derive(Default)]
pub struct Judgement {
    pub judged: usize,
    pub tied: usize,
    pub unjudged: usize,
    pub finds: Vec<Find>,
}

/// Derivatives of random programs may be ill-conditioned: fewer digits count than in the matrix.
const TOLERANCE: f64 = 1e-6;

/// Says before each point which it is.
pub fn judge(case: &Case, tell: &mut dyn FnMut(Engine, &str)) -> Judgement {
    let mut judgement = Judgement::default();
    let mut trial = Trial::new(Engine::Reference);
    trial.tolerance = TOLERANCE;
    if trial.lab.evaluate(&case.source).is_err() {
        return judgement;
    }
    for (at, point) in case.points.iter().enumerate() {
        tell(Engine::Reference, &format!("oracle at {point}"));
        // Where there is no value there is no derivative to compare with.
        let value = trial.lab.evaluate(&format!("{}({point})", case.entry));
        if value.is_ok_and(|value| reals(&value).iter().any(|x| !x.is_finite())) {
            judgement.unjudged += 1;
            continue;
        }
        let cell = Cell { class: Class::Real, f: case.entry.clone(), point: point.clone(), truth: Truth::Itself };
        for (mode, outcome) in trial.cell(&cell, &modes(case.source.len() + at)) {
            match outcome {
                Outcome::Agrees => judgement.judged += 1,
                Outcome::Wrong(words) => {
                    judgement.judged += 1;
                    let kind = if words.starts_with("an error") { "derivative fails" } else { "derivative" };
                    let step = format!("{mode} ({}) at {point}", mode.program());
                    judgement.finds.push(Find { engine: Engine::Reference, step, kind, words });
                }
                Outcome::Unknown(words) if words.contains("Tie") => judgement.tied += 1,
                Outcome::NoValue(_) => {}
                Outcome::Unknown(_) => judgement.unjudged += 1,
            }
        }
    }
    judgement
}

/// All modes of orders 1 and 2, and three of order 3.
fn modes(varied: usize) -> Vec<Mode> {
    let (mut chosen, third): (Vec<Mode>, Vec<Mode>) = Mode::ALL.iter().partition(|mode| mode.order() < 3);
    chosen.extend((0..3).map(|i| third[(varied + 3 * i) % third.len()]));
    chosen
}
