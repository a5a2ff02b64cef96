//! Steps of programs on an engine that compiles, and what they cost.

use eval::Value;
use evert::engine::Compilation;
use evert::{Engine, Ran, Session};

pub struct Steps {
    session: Session,
    engine: Engine,
}

/// What a step cost.
pub struct Cost {
    pub value: Value,
    /// On L3 the statements that were run; on both engines also the elements that primitives touched.
    pub work: u64,
    /// What is known of compiled code; nothing on the interpreter of L3.
    pub compiled: Compilation,
}

impl Cost {
    /// Bytes that were allocated and bytes that primitives looked at.
    pub fn bytes(&self) -> usize {
        self.compiled.allocated_bytes + 8 * self.work as usize
    }
}

impl Steps {
    /// A session in which definitions were made by the reference evaluator.
    pub fn new(engine: Engine, definitions: &str) -> Steps {
        let mut session = Session::offline();
        session.evaluate(definitions).unwrap_or_else(|errors| panic!("{}\n{definitions}", errors[0].message));
        session.engines.engine = engine;
        session.engines.always_compile = true;
        session.engines.log = Some(vec![]);
        Steps { session, engine }
    }

    /// Runs a step that must be compiled; an error says why it wasn't, or how it failed.
    pub fn run(&mut self, text: &str) -> Result<Cost, String> {
        self.session.engines.last = None;
        let before = evert::work::done();
        let value =
            self.session.evaluate(text).map_err(|errors| format!("{}: {}", errors[0].code, errors[0].message))?;
        let work = evert::work::done() - before;
        match self.session.engines.log.as_mut().and_then(Vec::pop) {
            Some((_, Ran::Compiled)) => {}
            Some((_, ran)) => return Err(format!("{ran:?}")),
            None => return Err("it was not run".into()),
        }
        let compiled = self.session.engines.last.take().unwrap_or_default();
        if self.engine == Engine::Native && compiled.live_after != 0 {
            return Err(format!("{} objects are alive afterwards", compiled.live_after));
        }
        Ok(Cost { value, work, compiled })
    }

    /// The code of the error that a step ends with.
    pub fn fails(&mut self, text: &str) -> Box<base::Diagnostic> {
        match self.session.evaluate(text) {
            Ok(value) => panic!("expected an error, found {}\nin {text}", evert::show(&value)),
            Err(mut errors) => Box::new(errors.swap_remove(0)),
        }
    }
}

pub fn has_native() -> bool {
    let found = Session::offline().engines.has_native();
    if !found {
        println!("skipped: there is no LLVM");
    }
    found
}

/// Panics with all problems at once.
pub fn none(problems: &[String]) {
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
