//! A module that was defined: an eval's program in a session of its own, and its functions, each compiled once for each shape of input.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use base::Diagnostic;
use eval::Value;
use evert::{Again, Callable, Engine, Ran, Session};

use crate::evals::Eval;
use crate::values::{field, without};

pub struct Module {
    eval: &'static Eval,
    session: Session,
    callables: BTreeMap<String, Callable>,
    /// Functions that didn't run as compiled code though that was asked for, and why.
    pub uncompiled: BTreeMap<String, String>,
    /// Which primitives compiled code left to the reference evaluator, by functions.
    pub evaluated: BTreeMap<String, Vec<String>>,
}

/// What an evaluation gave.
pub struct Evaluated {
    pub output: Value,
    /// Compiling, and what the program does to the input before it is timed.
    pub prepare: Duration,
    /// Each run of the function.
    pub runs: Vec<Duration>,
}

/// How often a function is to be run.
#[derive(Clone, Copy, Debug)]
struct Runs {
    least: usize,
    seconds: f64,
}

impl Module {
    pub fn new(eval: &'static Eval, engine: Engine) -> Result<Module, String> {
        let mut session = Session::offline();
        session.engines.engine = engine;
        session.engines.log = Some(vec![]);
        let name = format!("gradbench/{}.ev", eval.name);
        session.run(&name, eval.program, |_| ()).map_err(|failure| describe(&session, &failure[0]))?;
        Ok(Module {
            eval,
            session,
            callables: BTreeMap::new(),
            uncompiled: BTreeMap::new(),
            evaluated: BTreeMap::new(),
        })
    }

    /// Runs a function as often as the input asks for.
    pub fn evaluate(&mut self, function: &str, input: &Value) -> Result<Evaluated, String> {
        let Eval { name, functions, .. } = self.eval;
        if !functions.contains(&function) {
            return Err(format!("{name} has no function {function:?}; it has {}", functions.join(", ")));
        }
        let runs = Runs::asked_for(input)?;
        let start = Instant::now();
        let input = without(input, &["min_runs", "min_seconds"]);
        let input = self.call_if_defined("prepare", input)?;
        let (callable, session) = self.callable(function)?;
        session.engines.last = None;
        session.engines.log = Some(vec![]);
        // What isn't compiled is run all the same.
        let uncompiled = callable.prepare(session, &input).err().map(|ran| format!("{ran:?}"));
        let prepare = start.elapsed();
        let mut times = vec![];
        let mut total = Duration::ZERO;
        let mut again = |took: Duration| {
            times.push(took);
            total += took;
            if times.len() < runs.least || total.as_secs_f64() < runs.seconds { Again::Yes } else { Again::No }
        };
        let output = callable.repeat(session, input, &mut again).map_err(|error| describe(session, &error))?;
        let logged = session.engines.log.iter().flatten().map(|(_, ran)| ran).find(|ran| **ran != Ran::Compiled);
        let uncompiled = uncompiled.or(logged.map(|ran| format!("{ran:?}")));
        let evaluated = session.engines.last.iter().flat_map(|last| &last.evaluated);
        let evaluated: Vec<String> =
            evaluated.map(|one| format!("`{}` {} times", one.prim.name(), one.times)).collect();
        self.uncompiled.extend(uncompiled.map(|why| (function.to_string(), why)));
        self.evaluated.insert(function.to_string(), evaluated);
        let output = self.call_if_defined(&format!("{function}_answer"), output)?;
        Ok(Evaluated { output, prepare, runs: times })
    }

    /// The function's result at x, or x itself if the program has no such function.
    fn call_if_defined(&mut self, function: &str, x: Value) -> Result<Value, String> {
        match self.callable(function) {
            Ok((callable, session)) => callable.call(session, x).map_err(|error| describe(session, &error)),
            Err(_) => Ok(x),
        }
    }

    fn callable(&mut self, name: &str) -> Result<(&mut Callable, &mut Session), String> {
        if !self.callables.contains_key(name) {
            let missing = || format!("the program of {} defines no function {name}", self.eval.name);
            let callable = self.session.callable(name).ok_or_else(missing)?;
            self.callables.insert(name.to_string(), callable);
        }
        Ok((self.callables.get_mut(name).expect("it was just made"), &mut self.session))
    }
}

impl Runs {
    fn asked_for(input: &Value) -> Result<Runs, String> {
        let number = |name: &str| match field(input, name) {
            None => Ok(0.0),
            Some(value) => match value.number() {
                Some(number) if number >= 0.0 => Ok(number),
                _ => Err(format!("{name} is {}; it has to be a number, and not negative", evert::show(value))),
            },
        };
        Ok(Runs { least: number("min_runs")?.ceil() as usize, seconds: number("min_seconds")? })
    }
}

/// A diagnostic in the words of an answer: one line, then what is known about it.
fn describe(session: &Session, error: &Diagnostic) -> String {
    let span = error.span();
    let (line, column) = session.sources.line_column(span.file, span.start);
    let place = format!("{}:{line}:{column}", session.sources.get(span.file).name);
    let facts = error.notes.iter().chain(&error.help).map(|fact| format!("\n{fact}"));
    format!("{}: {} ({place}){}", error.code, error.message, facts.collect::<String>())
}
