//! The two programs of a pair under every mode: the plain one on the reference evaluator, the one with rules on that and on the native engine.

use evert::{Engine, Ran};

use super::Pair;
use crate::matrix::{Cell, Class, Mode, Trial, Truth};
use crate::reals::agree;

/// Relative to the largest entry: sums are added up in another order where a rule stands.
const TOLERANCE: f64 = 1e-8;

/// What came of pairs.
#[derive(Default)]
pub struct Tally {
    /// Answers that were compared.
    pub compared: usize,
    /// Questions to which the plain program has no answer: points at a tie, values without a derivative.
    pub unanswered: usize,
    /// Steps of the program with rules that compiled code finished.
    pub compiled: usize,
    /// Steps that the reference evaluator had to do.
    pub dynamic: usize,
    pub finds: Vec<String>,
}

/// Compiling third derivatives of longer programs takes most of the time.
const SHORT: usize = 800;

/// All modes of orders 1 and 2, and some of order 3, which vary with the seed.
fn modes(pair: &Pair, engine: Engine) -> Vec<Mode> {
    let (mut chosen, third): (Vec<Mode>, Vec<Mode>) = Mode::ALL.iter().partition(|mode| mode.order() < 3);
    let of_order_3 = match engine {
        Engine::Reference => 3,
        _ if pair.ruled.len() - pair.plain.prelude.len() < SHORT => 1,
        _ => 0,
    };
    chosen.extend((0..of_order_3).map(|i| third[(pair.plain.seed as usize / 2 + 3 * i) % third.len()]));
    chosen
}

/// Asks both programs everything, and adds what came of it.
pub fn compare(pair: &Pair, tally: &mut Tally) {
    // One point is enough: what rules may change is the program, not a number.
    for point in &pair.plain.points[..1] {
        let Some(mut plain) = prepared(&pair.plain.source(), point, Engine::Reference, tally) else { continue };
        for engine in [Engine::Reference, Engine::Native] {
            let Some(mut ruled) = prepared(&pair.ruled, point, engine, tally) else {
                tally.finds.push(format!("{engine:?} at {point}: the program has no value any more"));
                return;
            };
            for mode in modes(pair, engine) {
                ask(mode, &mut plain, &mut ruled, &format!("{engine:?}, {mode} at {point}"), tally);
            }
        }
    }
}

fn ask(mode: Mode, plain: &mut Trial, ruled: &mut Trial, place: &str, tally: &mut Tally) {
    let Ok(expected) = plain.answer(mode) else {
        tally.unanswered += 1;
        return;
    };
    let found = ruled.answer(mode);
    let log = ruled.lab.session.engines.log.as_mut();
    match log.and_then(|log| log.drain(..).next_back()) {
        Some((_, Ran::Compiled | Ran::Brief)) => tally.compiled += 1,
        Some((_, Ran::Fallback(why))) => tally.finds.push(format!("{place}: not compiled: {why}")),
        Some(_) => tally.dynamic += 1,
        None => {}
    }
    tally.compared += 1;
    match found {
        Ok(found) if agree(&found, &expected, TOLERANCE) => {}
        // NaN and infinities are the same with and without rules, or they are no derivatives.
        Ok(_) if expected.iter().any(|x| !x.is_finite()) => tally.compared -= 1,
        Ok(found) => tally.finds.push(format!("{place}: {found:?}, without rules {expected:?}")),
        Err(words) => tally.finds.push(format!("{place}: {words}")),
    }
}

/// The program in a session of its own, ready for questions at the point; `None` where it has no value there.
fn prepared(source: &str, point: &str, engine: Engine, tally: &mut Tally) -> Option<Trial> {
    let mut trial = Trial::new(Engine::Reference);
    if let Err(words) = trial.lab.evaluate(source) {
        tally.finds.push(format!("the program isn't one: {words}"));
        return None;
    }
    let cell = Cell { class: Class::Real, f: "main".into(), point: point.into(), truth: Truth::Itself };
    trial.prepare(&cell).ok()?;
    trial.lab.session.engines.engine = engine;
    trial.lab.session.engines.always_compile = true;
    trial.lab.session.engines.log = Some(vec![]);
    Some(trial)
}
