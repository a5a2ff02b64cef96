//! The engine: L3 programs in, compiled code that runs out.

use std::fmt;
use std::ops::Range;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use base::budget::{self, Stage};
use base::codes;
use eval::Value;
use first_order::Codes;
use llvm::{Cache, Code, CompileError, Effort, LinkError, Llvm, Search, SelfTest, Settings, Unavailable};
use loops::symbols::interface;

use crate::emit::{Checks, Progress, emit_with, emit_with_origins};
use crate::pool;
use crate::profile::{self, Origins};
pub use crate::run::tables;
use crate::run::{Again, Runner, Stop, Tables, Usage};
use crate::runtime::ledger::Checked;
use crate::runtime::survey::{Found, Watched};
use crate::runtime::symbols::symbols;
use crate::stack::Entry;
use crate::threads;

/// Compiles programs and runs them, one at a time.
pub struct Engine {
    llvm: Llvm,
    cache: Cache,
    /// For all code, if the environment says so.
    effort: Option<Effort>,
    /// What code runs on, once some has run: a stack is too large to reserve one for each session.
    runner: Option<Box<Runner>>,
}

/// Why there is no engine.
#[derive(Debug)]
pub enum NoEngine {
    /// No LLVM was found.
    Llvm(Unavailable),
    /// The system has no room for a stack.
    Stack,
}

/// A program ready to run.
pub struct Compiled {
    pub(crate) entry: Entry,
    /// Where its instructions are.
    pub(crate) text: Range<usize>,
    pub(crate) tables: Tables,
    pub stats: Stats,
    /// Which of its outermost loops run in pieces, and why others don't.
    pub loops: Vec<loops::parallel::Found>,
    /// Who makes objects, if the program is surveyed.
    pub places: Option<Vec<loops::Place>>,
    checks: Checks,
    /// Where its instructions come from, if it is profiled.
    origins: Option<Origins>,
    /// Keeps the entry's memory.
    _code: Code,
}

/// What compiling took.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stats {
    pub ir_bytes: usize,
    pub object_bytes: usize,
    pub cache_hit: bool,
    /// Why the object isn't kept in the cache, if it should be and couldn't.
    pub not_kept: Option<String>,
    /// From IR to object code, or from the cache.
    pub compiling: Duration,
    pub linking: Duration,
}

/// Compiled code that can't be: a bug of ours, never of the program.
#[derive(Debug)]
pub enum Broken {
    Compile(CompileError),
    Link(LinkError),
    /// The object doesn't define this symbol.
    Missing(&'static str),
}

impl Compiled {
    /// The same program, if its code is that of a checked build.
    pub fn checked(self) -> Compiled {
        Compiled { checks: Checks::Memory, ..self }
    }

    fn checked_memory(&self) -> Checked {
        if self.checks == Checks::Memory { Checked::Yes } else { Checked::No }
    }
}

/// An LLVM that is being looked for, on a thread of its own: loading it takes about as long as reading the library.
pub struct Looking(JoinHandle<Result<Llvm, Unavailable>>);

impl Looking {
    /// Begins to look; `None` if the system has no thread for that.
    pub fn start(self_test: SelfTest) -> Option<Looking> {
        let find = move || Llvm::find(&Search::from_environment(Cache::from_environment(), self_test));
        std::thread::Builder::new().name("llvm".into()).spawn(find).ok().map(Looking)
    }

    /// The engine, once LLVM is there.
    pub fn engine(self) -> Result<Engine, NoEngine> {
        let found = self.0.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Engine::with(found.map_err(NoEngine::Llvm)?, Cache::from_environment())
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.rest();
    }
}

impl Engine {
    /// The engine with the LLVM and the cache that the environment names.
    pub fn new(self_test: SelfTest) -> Result<Engine, NoEngine> {
        let cache = Cache::from_environment();
        let search = Search::from_environment(cache.clone(), self_test);
        let llvm = Llvm::find(&search).map_err(NoEngine::Llvm)?;
        Engine::with(llvm, cache)
    }

    pub fn with(llvm: Llvm, cache: Cache) -> Result<Engine, NoEngine> {
        // If there is no room for a stack, that is said now and not when something runs.
        pool::give_back(pool::take().ok_or(NoEngine::Stack)?);
        let effort = Settings::from_environment().ok().and_then(|settings| settings.effort);
        Ok(Engine { llvm, cache, effort, runner: None })
    }

    fn runner(&mut self) -> Result<&mut Runner, Stop> {
        if self.runner.is_none() {
            self.runner = Some(pool::take().ok_or(Stop::Memory { code: codes::OUT_OF_MEMORY, printed: 0 })?);
        }
        Ok(self.runner.as_deref_mut().expect("it was taken"))
    }

    /// Lets others use the stack and the memory until the next run.
    pub fn rest(&mut self) {
        if let Some(runner) = self.runner.take() {
            pool::give_back(runner);
        }
    }

    /// Makes a program ready to run.
    pub fn compile(&self, program: &first_order::Program, effort: Effort) -> Result<Compiled, Broken> {
        self.compile_with(program, effort, Checks::Language)
    }

    /// The same, with checks.
    pub fn compile_with(
        &self,
        program: &first_order::Program,
        effort: Effort,
        checks: Checks,
    ) -> Result<Compiled, Broken> {
        budget::begin(Stage::Lowering);
        // A ledger and a profile are of one thread.
        let alone = checks == Checks::Memory || base::profile::is_on();
        let (lowered, found) = match alone {
            true => (loops::lower(program), vec![]),
            false => loops::lower_in_pieces(program, threads::least()),
        };
        budget::begin(Stage::Emission);
        let progress = if base::progress::is_watched() { Progress::Told } else { Progress::Silent };
        let (ir, places) = match base::profile::is_on() {
            true => emit_with_origins(&lowered, checks, progress),
            false => (emit_with(&lowered, checks, progress), vec![]),
        };
        // SAFETY: `emit` keeps to the contract for the tables of the program it is given.
        let mut compiled = unsafe { self.load(&ir, tables(program, &lowered), effort) }?;
        if let Some(origins) = &mut compiled.origins {
            origins.places = places;
        }
        Ok(Compiled { checks, loops: found, ..compiled })
    }

    /// The same, for a survey of the heap where the program prints [`MARK`](crate::runtime::survey::MARK).
    pub fn compile_surveyed(&self, program: &first_order::Program, effort: Effort) -> Result<Compiled, Broken> {
        let lowered = loops::lower_surveyed(program);
        // SAFETY: as for `compile`.
        let compiled = unsafe { self.load(&crate::emit::emit(&lowered), tables(program, &lowered), effort) }?;
        Ok(Compiled { places: lowered.places, ..compiled })
    }

    /// Makes IR ready to run. `tables` are those that the IR was made with.
    ///
    /// # Safety
    /// The IR keeps to the contract of `docs/dev/code-and-runtime.md` for these tables.
    pub unsafe fn load(&self, ir: &str, tables: Tables, effort: Effort) -> Result<Compiled, Broken> {
        budget::begin(Stage::Llvm);
        budget::check_estimate(work_of_llvm(ir, effort), ir.len().saturating_mul(bytes_of_llvm(effort)));
        let start = Instant::now();
        let made = self.llvm.compile_cached(&self.cache, ir, effort, &interface());
        let (object, cache_hit) = made.map_err(Broken::Compile)?;
        let compiling = start.elapsed();
        let symbols: Vec<_> = symbols().into_iter().map(|symbol| (symbol.name, symbol.address)).collect();
        let code = self.llvm.link(&object, &symbols).map_err(Broken::Link)?;
        let linking = start.elapsed() - compiling;
        let entry = code.address("entry").ok_or(Broken::Missing("entry"))?;
        // SAFETY: the IR defines `entry` with this signature, by this function's contract.
        let entry = unsafe { std::mem::transmute::<*const (), Entry>(entry) };
        let not_kept = self.cache.trouble().filter(|_| !cache_hit).map(str::to_string);
        let stats = Stats { ir_bytes: ir.len(), object_bytes: object.len(), cache_hit, not_kept, compiling, linking };
        let text = code.text();
        let rows = || Origins { rows: llvm::lines(&object), places: vec![] };
        let origins = base::profile::is_on().then(rows);
        Ok(Compiled {
            entry,
            text,
            tables,
            stats,
            loops: vec![],
            places: None,
            checks: Checks::Language,
            origins,
            _code: code,
        })
    }

    /// Runs a program on values of its parameters' shapes.
    pub fn run(
        &mut self,
        program: &Compiled,
        codes: &dyn Codes,
        args: &[Value],
        output: &mut dyn FnMut(&str),
    ) -> Result<Value, Stop> {
        let runner = self.runner()?;
        runner.watch(if program.places.is_some() { Watched::Yes } else { Watched::No });
        runner.check_memory(program.checked_memory());
        // SAFETY: the entry was made for the tables it is kept with, and the code is alive.
        runner.will_run(&program.text);
        // SAFETY: as above.
        let result = unsafe { runner.run(program.entry, &program.tables, codes, args, output) };
        if let Some(origins) = &program.origins {
            profile::charge(&program.text, origins);
        }
        result
    }

    /// Runs a program on the same values until `again`, which is told how long the code itself took, says no.
    pub fn repeat(
        &mut self,
        program: &Compiled,
        codes: &dyn Codes,
        args: &[Value],
        output: &mut dyn FnMut(&str),
        again: &mut dyn FnMut(Duration) -> Again,
    ) -> Result<Value, Stop> {
        let runner = self.runner()?;
        runner.watch(Watched::No);
        runner.check_memory(program.checked_memory());
        // SAFETY: as for `run`.
        runner.will_run(&program.text);
        // SAFETY: as above.
        unsafe { runner.repeat(program.entry, &program.tables, codes, args, output, again) }
    }

    /// What the last run took.
    pub fn usage(&self) -> Usage {
        self.runner.as_ref().map_or_else(Usage::default, |runner| runner.usage())
    }

    /// What was alive at the mark of the last run, if it was surveyed and came there.
    pub fn found(&self) -> Option<&Found> {
        self.runner.as_ref()?.found()
    }

    /// How much work goes into all code, if the environment says so.
    pub fn effort(&self) -> Option<Effort> {
        self.effort
    }

    pub fn llvm(&self) -> &Llvm {
        &self.llvm
    }
}

/// How many bytes LLVM takes for each byte of IR, at most: about twice what was measured.
fn bytes_of_llvm(effort: Effort) -> usize {
    match effort {
        Effort::Quick => 60,
        Effort::Standard | Effort::Full => 120,
    }
}

/// What LLVM does with a program, in units of the budget: it counts nothing itself.
fn work_of_llvm(ir: &str, effort: Effort) -> u64 {
    let unit = match effort {
        Effort::Quick => 20,
        Effort::Standard => 100,
        Effort::Full => 300,
    };
    unit * ir.len() as u64
}

impl fmt::Display for NoEngine {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            NoEngine::Llvm(reason) => reason.fmt(f),
            NoEngine::Stack => f.write_str("the system has no room for a stack"),
        }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Broken::Compile(error) => error.fmt(f),
            Broken::Link(error) => error.fmt(f),
            Broken::Missing(name) => write!(f, "the object code has no `{name}`"),
        }
    }
}

impl std::error::Error for NoEngine {}
impl std::error::Error for Broken {}
