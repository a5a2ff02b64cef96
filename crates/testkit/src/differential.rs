//! One program on three engines: do they agree?
//!
//! In: a program and points. Out: how each step ran and every disagreement, which is always our mistake. Structure, ints, texts and
//! errors (code, place and words) are compared exactly, reals to the bit (all NaN are one). The language leaves one thing to the engine: the order in
//! which contributions to an element of a sensitivity are added. Where bits differ, the step is run again with these additions as the reference
//! evaluator makes them. Then the bits must be the same, and before they must have differed by no more than rounding.

use std::panic::{AssertUnwindSafe, catch_unwind};

use base::Diagnostic;
use eval::Value;
use evert::{Additions, Checks, Engine, Ran, Session};

use crate::reals::{reals, with_reals};

/// What the reference evaluator doesn't finish in so many steps isn't asked of the others.
const MAX_STEPS: u64 = 3_000_000;

/// The engines that must agree with the reference evaluator.
pub const ENGINES: [Engine; 2] = [Engine::FirstOrder, Engine::Native];

/// Definitions that end in a function, and arguments to try it at.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    pub source: String,
    pub entry: String,
    pub points: Vec<String>,
    /// Up to which order it is differentiated.
    pub orders: usize,
}

/// What came of one case, or of many.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    pub steps: usize,
    /// Steps that an engine other than the reference evaluator finished itself, also those that end in an error.
    pub compiled: usize,
    pub dynamic: usize,
    /// Steps that the reference evaluator doesn't finish.
    pub endless: usize,
    /// Values whose last digits differ by the order of additions alone.
    pub rounded: usize,
    /// Why steps were dynamic.
    pub reasons: Vec<String>,
    pub finds: Vec<Find>,
}

/// A disagreement.
#[derive(Clone, Debug, PartialEq)]
pub struct Find {
    pub engine: Engine,
    pub step: String,
    /// The kind of disagreement in a word, which stays the same while a program is made smaller.
    pub kind: &'static str,
    pub words: String,
}

/// The questions about a function at a point: value, gradient, a backpropagator that one step makes and another calls, second order, forward mode.
pub fn questions(entry: &str, point: &str, orders: usize) -> Vec<String> {
    let mut questions = vec![
        format!("{entry}({point})"),
        format!("grad({entry})({point})"),
        format!("jvp({entry}, {point}, grad({entry})({point}))"),
        format!("let made_before = vjp({entry}, {point})"),
        "made_before.1(made_before.0)".into(),
    ];
    if orders > 1 {
        questions.push(format!("{{ let g = grad({entry}); vjp(g, {point}).1(g({point})) }}"));
        questions.push(format!("{{ let g = grad({entry}); jvp(g, {point}, g({point})).1 }}"));
    }
    questions
}

/// Tries every question of a case on every engine; says before each which it is. One engine after the other: what a session keeps, such as derived code, is not taken
/// from the memory of the next.
pub fn compare(case: &Case, checks: Checks, tell: &mut dyn FnMut(Engine, &str)) -> Tally {
    let mut tally = Tally::default();
    let steps: Vec<String> = case.points.iter().flat_map(|point| questions(&case.entry, point, case.orders)).collect();
    let expected = {
        let mut reference = Trial::new(case, Engine::Reference);
        let mut run = |step: &String| {
            tell(Engine::Reference, step);
            reference.run(step).result
        };
        steps.iter().map(&mut run).collect::<Vec<_>>()
    };
    tally.endless = expected.iter().filter(|expected| is_endless(expected)).count();
    for engine in ENGINES {
        let mut trial = Trial::new(case, engine);
        trial.session.engines.checks = checks;
        for (at, (step, expected)) in steps.iter().zip(&expected).enumerate() {
            if is_endless(expected) {
                // Errors name files by their numbers, and each step is one.
                trial.run("()");
                continue;
            }
            tell(engine, step);
            let outcome = trial.run(step);
            tally.note(engine, step, &outcome);
            let Some((kind, words)) = differs(expected, &outcome.result) else { continue };
            let by_call = || by_call(case, engine, &steps[..=at]);
            if are_near(expected, &outcome.result) && differs(expected, &by_call()).is_none() {
                tally.rounded += 1;
            } else {
                tally.find(engine, step, kind, words);
            }
        }
    }
    tally
}

/// Did the reference evaluator run out of steps?
fn is_endless(expected: &Result<Value, Failed>) -> bool {
    matches!(expected, Err(Failed::Error(error)) if error.code == base::codes::OUT_OF_STEPS)
}

impl Tally {
    /// How a step ran.
    fn note(&mut self, engine: Engine, step: &str, outcome: &Outcome) {
        self.steps += 1;
        match &outcome.ran {
            Some(Ran::Compiled | Ran::Brief | Ran::Interpreted(_) | Ran::Failed { .. }) => self.compiled += 1,
            Some(Ran::Dynamic(dynamic)) => {
                self.dynamic += 1;
                self.reasons.push(dynamic.reason.to_string());
            }
            Some(Ran::TooLarge(too_large)) => {
                self.dynamic += 1;
                self.reasons.push(too_large.to_string());
            }
            Some(Ran::Fallback(why)) => self.find(engine, step, "fallback", why.clone()),
            None => {}
        }
        if outcome.leaked {
            self.find(engine, step, "leak", "objects are alive after the step".into());
        }
    }

    fn find(&mut self, engine: Engine, step: &str, kind: &'static str, words: String) {
        // A broken invariant may come with the whole program.
        let words =
            words.lines().take(3).map(|line| line.chars().take(200).collect()).collect::<Vec<String>>().join("\n");
        self.finds.push(Find { engine, step: step.into(), kind, words });
    }
}

struct Trial {
    session: Session,
}

struct Outcome {
    result: Result<Value, Failed>,
    ran: Option<Ran>,
    leaked: bool,
}

enum Failed {
    Error(Box<Diagnostic>),
    /// What it said
    Panic(String),
}

impl Trial {
    fn new(case: &Case, engine: Engine) -> Trial {
        let mut session = Session::offline();
        session.machine.max_steps = Some(MAX_STEPS);
        session.evaluate(&case.source).unwrap_or_else(|errors| panic!("{}\n{}", errors[0].message, case.source));
        session.engines.engine = engine;
        session.engines.always_compile = true;
        session.engines.log = Some(vec![]);
        Trial { session }
    }

    fn run(&mut self, step: &str) -> Outcome {
        let leaks = self.session.engines.leaks;
        let session = AssertUnwindSafe(&mut self.session);
        let result = match catch_unwind(move || { session }.evaluate(step)) {
            Ok(result) => result.map_err(|mut errors| Failed::Error(Box::new(errors.swap_remove(0)))),
            Err(panic) => {
                let words =
                    panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
                Err(Failed::Panic(words.unwrap_or("a panic").into()))
            }
        };
        let ran = self.session.engines.log.as_mut().and_then(Vec::pop);
        Outcome { result, ran: ran.map(|(_, ran)| ran), leaked: self.session.engines.leaks > leaks }
    }
}

/// How two outcomes of a step differ, if they do.
fn differs(expected: &Result<Value, Failed>, found: &Result<Value, Failed>) -> Option<(&'static str, String)> {
    let differ = |kind| Some((kind, format!("expected {}\n  found {}", in_words(expected), in_words(found))));
    match (expected, found) {
        (_, Err(Failed::Panic(_))) | (Err(Failed::Panic(_)), _) => differ("panic"),
        (Ok(a), Ok(b)) if same(a, b) => None,
        (Ok(_), Ok(_)) => differ("value"),
        (Err(Failed::Error(a)), Err(Failed::Error(b))) if a == b => None,
        _ => differ("error"),
    }
}

/// Relative to the largest number: rounding of some thousand additions, and the digits that are lost where large ones cancel.
const ROUNDING: f64 = 1e-11;

/// Do two values differ in finite reals alone, and by no more than rounding?
fn are_near(expected: &Result<Value, Failed>, found: &Result<Value, Failed>) -> bool {
    let (Ok(a), Ok(b)) = (expected, found) else { return false };
    let (x, y) = (reals(a), reals(b));
    let finite = |x: &[f64]| x.iter().map(|x| if x.is_finite() { 0.0 } else { *x }).collect::<Vec<f64>>();
    let size = x.iter().filter(|x| x.is_finite()).fold(0.0f64, |size, x| size.max(x.abs()));
    x.len() == y.len()
        && same(&with_reals(a, &finite(&x)), &with_reals(b, &finite(&y)))
        && x.iter().zip(&y).all(|(x, y)| !x.is_finite() || (x - y).abs() <= ROUNDING * size)
}

/// What comes of the last of these steps where sensitivities are added up as on the reference evaluator.
fn by_call(case: &Case, engine: Engine, steps: &[String]) -> Result<Value, Failed> {
    let mut trial = Trial::new(case, engine);
    trial.session.engines.additions = Additions::ByCall;
    let mut result = Ok(Value::unit());
    for step in steps {
        result = trial.run(step).result;
    }
    result
}

fn in_words(outcome: &Result<Value, Failed>) -> String {
    match outcome {
        Ok(value) => evert::show(value),
        Err(Failed::Error(error)) => format!("{} at {:?}: {}", error.code, error.span(), error.message),
        Err(Failed::Panic(words)) => words.clone(),
    }
}

/// The same value to the bit; all NaN are one. Functions are equal if they are called the same.
pub fn same(a: &Value, b: &Value) -> bool {
    eval::show::exact(a) == eval::show::exact(b)
}
