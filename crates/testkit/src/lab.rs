//! A session for experiments: programs as text, results as values or as plain words.

use std::panic::{AssertUnwindSafe, catch_unwind};

use base::Diagnostic;
use calculus::Prim;
use eval::Value;
use evert::Session;

/// What takes more steps than this counts as endless.
const MAX_STEPS: u64 = 10_000_000;

const PRODUCT: &str = "
fn product(u, v) =
  if is_real(u) { u * v } else if is_array(u) { sum(u * v) }
  else { let (a, b) = (children(u), children(v)); fold((t, i) => t + product(a[i].v, b[i].v), 0.0, iota(len(a))) }
";

pub struct Lab {
    pub session: Session,
}

impl Default for Lab {
    fn default() -> Lab {
        Lab::new()
    }
}

/// What an internal primitive is called in the lab: its name without the dot, unless the library has such a name.
pub fn name_of(prim: Prim) -> &'static str {
    match prim {
        Prim::Scale => "raw_scale",
        Prim::Inner => "raw_inner",
        other => other.name().trim_start_matches('.'),
    }
}

impl Lab {
    pub fn new() -> Lab {
        let mut session = Session::offline();
        session.machine.max_steps = Some(MAX_STEPS);
        Lab { session }
    }

    /// A session in which the internal primitives have names too (`.place` is `place`), and so has the inner product
    /// of a value's sensitivities, `product(u, v)`.
    pub fn open() -> Lab {
        Lab::within(Session::offline())
    }

    /// The same, in a session that somebody else made.
    pub fn within(mut session: Session) -> Lab {
        session.machine.max_steps = Some(MAX_STEPS);
        let mut lab = Lab { session };
        for &prim in Prim::ALL.iter().filter(|prim| !prim.is_public()) {
            lab.session.set(name_of(prim), Value::prim(prim));
        }
        // Where the library is broken on purpose this may fail: then whoever uses it does.
        let _ = lab.evaluate(PRODUCT);
        lab
    }

    /// A session that also knows these definitions.
    pub fn with(definitions: &str) -> Lab {
        let mut lab = Lab::new();
        lab.value(definitions);
        lab
    }

    /// The value of an expression, or of the last statement of a text. A panic is an error in words, so that a
    /// test can go on and say which program it was.
    pub fn evaluate(&mut self, text: &str) -> Result<Value, String> {
        let session = AssertUnwindSafe(&mut self.session);
        match catch_unwind(move || { session }.evaluate(text)) {
            Ok(value) => value.map_err(|errors| errors.first().map_or(String::new(), in_words)),
            Err(_) => Err("the evaluator panicked".into()),
        }
    }

    /// The value of a text that must have one.
    #[track_caller]
    pub fn value(&mut self, text: &str) -> Value {
        self.evaluate(text).unwrap_or_else(|error| panic!("{error}\nin {text}"))
    }

    /// The diagnostic of a text that must fail.
    #[track_caller]
    pub fn failure(&mut self, text: &str) -> Diagnostic {
        match self.session.evaluate(text) {
            Ok(value) => panic!("expected an error, found {}\nin {text}", evert::show(&value)),
            Err(mut errors) => errors.swap_remove(0),
        }
    }

    pub fn call(&mut self, f: &Value, x: Value) -> Result<Value, String> {
        let session = AssertUnwindSafe((&mut self.session, f, x));
        let call = move || {
            let AssertUnwindSafe((session, f, x)) = { session };
            session.call(f, x)
        };
        match catch_unwind(call) {
            Ok(value) => value.map_err(|error| in_words(&error)),
            Err(_) => Err("the evaluator panicked".into()),
        }
    }

    /// The reals of a function's value at a value with these reals.
    pub fn reals_at(&mut self, f: &Value, like: &Value, x: &[f64]) -> Result<Vec<f64>, String> {
        Ok(crate::reals::reals(&self.call(f, crate::reals::with_reals(like, x))?))
    }

    /// Does the value of a text agree with that of another (relative 1e-9, absolute 1e-12; `nan` with nan)?
    pub fn agrees(&mut self, text: &str, expected: &str) -> Result<(), String> {
        let value = self.evaluate(text)?;
        evert::expectation::agrees(&mut self.session, &value, expected)
    }

    /// The work of evaluating a text.
    #[track_caller]
    pub fn work(&mut self, text: &str) -> u64 {
        let before = evert::work::done();
        self.value(text);
        evert::work::done() - before
    }
}

fn in_words(error: &Diagnostic) -> String {
    let notes = error.notes.iter().map(|note| format!("\n  {note}"));
    let trace = error.trace.iter().take(2).map(|call| format!("\n  {}", call.text));
    format!("{}: {}{}", error.code, error.message, notes.chain(trace).collect::<String>())
}
