//! Our side: the kernels of a program, compiled once, run often.
//!
//! A program of `benches/programs` has definitions and kernels: `let primal = …`, `let gradient = …`, and so on for
//! [`LABELS`]. All other `let`s are inputs; the
//! compiler knows the values of those that are numbers.

use std::time::Duration;

use calculus::{Step, StepKind};
use eval::Value;
use evert::{Engine, Session};
use llvm::{Cache, Effort, Llvm, Search, SelfTest};

use crate::clock::busy;

/// The names of kernels.
pub const LABELS: [&str; 7] = ["primal", "gradient", "forward", "ff", "fr", "rf", "rr"];

/// A program, ready.
pub struct Program {
    pub kernels: Vec<Kernel>,
    engine: native::engine::Engine,
}

pub struct Kernel {
    pub label: String,
    code: Result<Ready, String>,
    pub times: Stages,
}

struct Ready {
    compiled: native::engine::Compiled,
    codes: std::rc::Rc<specialise::Codes>,
    args: Vec<Value>,
    pub dump: Dump,
}

/// What a kernel looks like on its way.
#[derive(Clone, Debug, Default)]
pub struct Dump {
    pub l3: String,
    pub l4: String,
    pub ir: String,
}

/// How long each stage of compiling took, of the thread's time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stages {
    pub specialise: Duration,
    pub optimise: Duration,
    pub lower: Duration,
    pub llvm: Duration,
}

impl Stages {
    pub fn total(&self) -> Duration {
        self.specialise + self.optimise + self.lower + self.llvm
    }
}

/// One run of a kernel.
#[derive(Clone, Debug)]
pub struct Run {
    pub time: Duration,
    /// The sum of all numbers in the result, to compare with others'.
    pub value: f64,
    pub peak_bytes: usize,
}

/// An engine that keeps nothing from earlier runs.
fn engine() -> Result<native::engine::Engine, String> {
    let search = Search::from_environment(Cache::from_environment(), SelfTest::this_program());
    let llvm = Llvm::find(&search).map_err(|why| why.to_string())?;
    native::engine::Engine::with(llvm, Cache::none()).map_err(|why| why.to_string())
}

impl Program {
    /// Reads a program and compiles its kernels, with the engine's effort unless another is given. `Err` if there is no native engine or the program is wrong.
    pub fn new(name: &str, text: &str, effort: Option<Effort>) -> Result<Program, String> {
        let engine = engine()?;
        let mut session = Session::offline();
        let describe = |failure: evert::Failure| format!("{name}: {}", failure[0].message);
        let (_, module) = session.load(name, text).map_err(describe)?;
        session.engines.engine = Engine::Reference;
        let mut kernels = vec![];
        for step in &module.steps {
            match label(&session, step) {
                Some(label) => kernels.push(compile(&mut session, &engine, step, label, effort)),
                None => {
                    session.run_step(step).map_err(|error| describe(vec![*error]))?;
                }
            }
        }
        Ok(Program { kernels, engine })
    }

    /// Runs a kernel once.
    pub fn run(&mut self, at: usize) -> Result<Run, String> {
        let ready = self.kernels[at].code.as_ref().map_err(Clone::clone)?;
        let start = busy();
        let value = self.engine.run(&ready.compiled, &*ready.codes, &ready.args, &mut |_| ());
        let time = busy() - start;
        let value = value.map_err(|stop| format!("{stop:?}"))?;
        Ok(Run { time, value: total(&value), peak_bytes: self.engine.usage().peak_bytes })
    }

    pub fn dump(&self, at: usize) -> Dump {
        self.kernels[at].code.as_ref().map(|ready| ready.dump.clone()).unwrap_or_default()
    }
}

/// The kernel that a step defines.
fn label(session: &Session, step: &Step) -> Option<String> {
    let StepKind::Define(ids) = &step.kind else { return None };
    let name = session.globals.get(*ids.first()?).name.to_string();
    LABELS.contains(&name.as_str()).then_some(name)
}

fn compile(
    session: &mut Session,
    engine: &native::engine::Engine,
    step: &Step,
    label: String,
    effort: Option<Effort>,
) -> Kernel {
    let mut times = Stages::default();
    let code = ready(session, engine, step, effort, &mut times);
    Kernel { label, code, times }
}

fn ready(
    session: &Session,
    engine: &native::engine::Engine,
    step: &Step,
    effort: Option<Effort>,
    times: &mut Stages,
) -> Result<Ready, String> {
    let start = busy();
    let specialised = session.engines.specialise(&session.machine, &step.code, step.span);
    times.specialise = busy() - start;
    let mut specialised = specialised.map_err(|dynamic| dynamic.reason.to_string())?;
    let start = busy();
    optimise::optimise(&mut specialised.program);
    times.optimise = busy() - start;
    let start = busy();
    let lowered = loops::lower_in_pieces(&specialised.program, native::threads::least()).0;
    let ir = native::emit::emit(&lowered);
    times.lower = busy() - start;
    let effort = effort.unwrap_or_else(|| evert::effort::effort(&specialised.program));
    let start = busy();
    let compiled = engine.compile(&specialised.program, effort).map_err(|why| why.to_string())?;
    times.llvm = (busy() - start).saturating_sub(times.lower);
    let args = specialised.globals.iter().map(|id| session.machine.global(*id).cloned().unwrap_or(Value::Zero));
    let l3 = first_order::text::print(&specialised.program);
    let dump = Dump { l3, l4: lowered.to_string(), ir };
    Ok(Ready { compiled, codes: specialised.codes, args: args.collect(), dump })
}

/// The sum of all numbers in a value, as it is shown.
fn total(value: &Value) -> f64 {
    let text = evert::show(value);
    let numbers = text.split(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
    numbers.filter_map(|word| word.parse::<f64>().ok()).sum()
}
