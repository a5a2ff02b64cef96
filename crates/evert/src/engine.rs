//! Which engine runs a step, and what happens where one can't.
//!
//! The native engine compiles a step and runs it; the interpreter of L3 takes the same way up to L3. Where a step can't be
//! specialised, or there is no LLVM, the reference evaluator runs it. Errors are found by any engine and described by
//! the reference evaluator, which runs the step again: the language is pure, and prints already made are skipped.

mod errors;
mod globals;
mod search;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::Duration;

use base::budget::{self, Budget, Limit, Stage, TooLarge};
use base::clock::Stopwatch;
use base::{Code, Span, codes};
use calculus::{GlobalId, Group};
use eval::{Machine, Value};
use optimise::Additions;
use specialise::{Codes, Dynamic, Specialised};

use crate::effort::{effort, is_brief, size_of};
use crate::native::emit::Checks;
use crate::native::run::Again;
use crate::survey::Surveyed;
use crate::trial::{self, Trial};
use crate::{llvm, native};
use errors::{MAX_DESCRIBING_STEPS, describe, is_same};
use globals::Globals;
pub(crate) use globals::Lengths;
use search::Native;
pub use search::look_for_native;

/// What runs programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// The reference evaluator, on L1.
    #[default]
    Reference,
    /// The interpreter of L3.
    FirstOrder,
    /// Compiled code.
    Native,
}

/// How a step was run, for those who ask.
#[derive(Clone, Debug, PartialEq)]
pub enum Ran {
    /// On the engine that was asked for.
    Compiled,
    /// On the reference evaluator, because it took less time than compiling it.
    Brief,
    /// On the interpreter of L3, because making code of it would take too much.
    Interpreted(TooLarge),
    /// It ended in an error, which the reference evaluator described: all that the engine itself knows of it.
    Failed { code: Code, span: Span },
    /// On the reference evaluator, because its shapes don't settle.
    Dynamic(Dynamic),
    /// On the reference evaluator, because compiling it would take too much.
    TooLarge(TooLarge),
    /// On the reference evaluator, for a reason that is our own.
    Fallback(String),
}

/// Is told something, in words.
pub type Tell = Rc<dyn Fn(&str)>;

/// What engines keep from step to step.
#[derive(Default)]
pub struct Engines {
    pub engine: Engine,
    codes: Rc<Codes>,
    native: Native,
    /// The work for which a step runs on the reference evaluator before it is compiled, such as [`crate::TRIAL_STEPS`]; 0: it is compiled at
    /// once.
    pub trial_steps: u64,
    /// Compiles also what is so short that interpreting it takes less time: for tests.
    pub always_compile: bool,
    /// What compiled code verifies: for those who work on the compiler.
    pub checks: Checks,
    /// In which order compiled code adds what an element of a sensitivity gets: for those who compare engines to the bit.
    pub additions: Additions,
    /// How much work goes into all code, where it isn't the program's size that decides: for those who work on the compiler.
    pub effort: Option<llvm::Effort>,
    /// Did code that was made for arrays of one shape meet others in the last call, and the reference evaluator a value?
    pub(crate) lengths_differed: bool,
    /// What compiling a step may use, if not [`Budget::STEP`].
    pub budget: Option<Budget>,
    /// What compiled code that verifies more than the language asks for has found wrong, and where.
    pub violation: Option<(String, Option<Span>)>,
    /// Is told why the reference evaluator runs a step for a reason that is our own, such as a panic of the compiler.
    pub on_fallback: Option<Tell>,
    /// How each step so far was run, if somebody wants to know.
    pub log: Option<Vec<(Span, Ran)>>,
    /// What the last step that was compiled took.
    pub last: Option<Compilation>,
    /// How many steps left objects alive: none, unless compiled code loses them.
    pub leaks: usize,
    /// For how many steps the reference evaluator may run to describe an error; for hosts that can't wait as long as we do.
    pub describing_steps: Option<u64>,
}

/// Figures about a compiled step.
#[derive(Clone, Debug, Default)]
pub struct Compilation {
    pub instances: usize,
    /// What the compiler did, in units of its budget, LLVM by estimate.
    pub work: u64,
    /// Statements of the optimised program on L3.
    pub statements: usize,
    pub stats: native::engine::Stats,
    /// Which outermost loops run in pieces on several threads, and why others don't.
    pub loops: Vec<loops::parallel::Found>,
    /// Bytes of the heap at its largest.
    pub peak_bytes: usize,
    /// Bytes that objects took, large ones also where others had been: see `native::run::Usage`.
    pub allocated_bytes: usize,
    /// Objects alive after the run: none.
    pub live_after: usize,
    /// Which primitives compiled code left to the reference evaluator, by their places.
    pub evaluated: Vec<native::run::Evaluated>,
}

/// A step that can be run any number of times, on whatever values of the same shapes its globals have then.
pub struct Ready {
    specialised: Specialised,
    /// `None`: it is interpreted.
    code: Option<native::engine::Compiled>,
    /// Why there is no code, though there should be.
    too_large: Option<TooLarge>,
    /// What making it took, in units of the budget.
    work: u64,
}

impl Engines {
    /// The L3 program of a step, as specialisation leaves it.
    pub fn specialise(&self, machine: &Machine, step: &Rc<Group>, span: Span) -> Result<Specialised, Dynamic> {
        let specialised = specialise::specialise(&Globals::of(machine), self.codes.clone(), step, span)?;
        checked(&specialised);
        Ok(specialised)
    }

    /// The same where the values of these globals aren't known when code is made, only their shapes.
    pub fn specialise_for(
        &self,
        machine: &Machine,
        step: &Rc<Group>,
        span: Span,
        unknown: &[GlobalId],
    ) -> Result<Specialised, Dynamic> {
        specialise::specialise(&Globals { unknown, ..Globals::of(machine) }, self.codes.clone(), step, span)
    }

    /// The instances of functions that a step needs, each at its shapes, as a table.
    pub fn instances(&self, machine: &Machine, step: &Rc<Group>, span: Span) -> Result<String, Dynamic> {
        specialise::instances(&Globals::of(machine), self.codes.clone(), step, span)
    }

    /// Runs a step's function on the chosen engine.
    pub fn run(&mut self, machine: &mut Machine, step: &Value, group: &Rc<Group>, span: Span) -> base::Result<Value> {
        if self.is_reference() {
            return machine.call(step, Value::unit(), span);
        }
        let mut printed = match self.tried(machine, step, span) {
            Trial::Ended(result) => {
                self.note(span, Ran::Brief);
                return result;
            }
            Trial::TooLong(printed) => printed,
        };
        let mut tried = self.attempt(machine, group, span, Lengths::Same, &mut printed);
        if let Err(Ran::Failed { code: codes::SHAPE_MISMATCH, .. }) = tried {
            tried = self.attempt(machine, group, span, Lengths::Any, &mut printed);
        }
        let ran = match tried {
            Ok(value) => return Ok(value),
            Err(ran) => ran,
        };
        machine.skipped_prints = printed;
        let result = match ran {
            Ran::Failed { code, span: place } => describe(machine, step, span, code, place, self.describing()),
            _ => machine.call(step, Value::unit(), span),
        };
        machine.skipped_prints = 0;
        let ran = match (&result, ran) {
            (outcome, Ran::Failed { code: codes::OUT_OF_MEMORY, .. }) if !matches!(outcome, Err(error) if error.code == codes::OUT_OF_MEMORY) => {
                Ran::TooLarge(TooLarge { stage: Stage::Run, limit: Limit::Memory })
            }
            (Ok(_), Ran::Failed { code, span }) => {
                Ran::Fallback(format!("{code} at {span:?}, which the reference evaluator doesn't find"))
            }
            (Err(error), Ran::Failed { code, span }) if !is_same(machine, error, code, span) => {
                let (right, place) = (error.code, error.span());
                Ran::Fallback(format!("{code} at {span:?}, where the reference evaluator finds {right} at {place:?}"))
            }
            (_, ran) => ran,
        };
        self.note(span, ran);
        result
    }

    /// Runs a step on the reference evaluator for as long as it may be there.
    fn tried(&self, machine: &mut Machine, step: &Value, span: Span) -> Trial {
        let may = self.engine == Engine::Native && machine.max_steps.is_none() && self.checks == Checks::default();
        if may && self.trial_steps > 0 && !self.always_compile {
            trial::run(machine, step, span, self.trial_steps)
        } else {
            Trial::TooLong(0)
        }
    }

    /// Runs a step on code that is made for it, without the lines that were `printed` already.
    fn attempt(
        &mut self,
        machine: &mut Machine,
        group: &Rc<Group>,
        span: Span,
        lengths: Lengths,
        printed: &mut usize,
    ) -> Result<Value, Ran> {
        let ready = guarded(|| self.ready(machine, group, span, lengths))?;
        let (before, mut lines) = (*printed, 0);
        let args = arguments(machine, &ready.specialised);
        let mut output = std::mem::replace(&mut machine.output, Box::new(|_| ()));
        let mut print = |line: &str| {
            lines += 1;
            if lines > before {
                output(line);
            }
        };
        let result = guarded(|| self.execute(&ready, &args, &mut print));
        machine.output = output;
        *printed = before.max(lines);
        let value = result?;
        self.note(span, ready.too_large.map_or(Ran::Compiled, Ran::Interpreted));
        Ok(value)
    }

    /// Makes a step ready to be run many times. `Err` says why the reference evaluator runs it.
    pub(crate) fn prepare(
        &mut self,
        machine: &Machine,
        group: &Rc<Group>,
        span: Span,
        lengths: Lengths,
    ) -> Result<Ready, Ran> {
        let ready = guarded(|| {
            let globals = Globals { lengths, ..Globals::of(machine) };
            let (specialised, left) = self.optimised(&globals, group, span)?;
            let (code, too_large) = self.code(&specialised, left)?;
            Ok(Ready { specialised, code, too_large, work: self.work_since(left) })
        });
        if let Err(ran) = &ready {
            self.note(span, ran.clone());
        }
        ready
    }

    /// The same, for one run: what takes no time is interpreted.
    fn ready(&self, machine: &Machine, group: &Rc<Group>, span: Span, lengths: Lengths) -> Result<Ready, Ran> {
        let globals = Globals { lengths, ..Globals::of(machine) };
        let (specialised, left) = self.optimised(&globals, group, span)?;
        let is_brief = !self.always_compile && is_brief(&specialised.program);
        let (code, too_large) = if is_brief { (None, None) } else { self.code(&specialised, left)? };
        Ok(Ready { specialised, code, too_large, work: self.work_since(left) })
    }

    fn budget(&self) -> Budget {
        self.budget.unwrap_or(Budget::STEP)
    }

    /// What making a step ready took, if the passes left so much.
    fn work_since(&self, left: Budget) -> u64 {
        self.budget().work - left.work + budget::last_spent().work
    }

    /// The optimised program, and what is left of the budget.
    fn optimised(&self, globals: &Globals, group: &Rc<Group>, span: Span) -> Result<(Specialised, Budget), Ran> {
        let budget = self.budget();
        let made = budget::within(budget, || {
            let mut made = specialise::specialise(globals, self.codes.clone(), group, span);
            if globals.has_linear_part.get() {
                let globals = Globals { lengths: Lengths::Any, has_linear_part: Cell::default(), ..*globals };
                made = specialise::specialise(&globals, self.codes.clone(), group, span);
            }
            let mut specialised = made?;
            checked(&specialised);
            optimise::optimise_adding(&mut specialised.program, self.additions);
            Ok(specialised)
        });
        let specialised = made.map_err(Ran::TooLarge)?.map_err(Ran::Dynamic)?;
        Ok((specialised, budget.less(budget::last_spent())))
    }

    /// Makes a step ready for any thread. `argument` is the global whose value each call gives; the others keep those they have now.
    pub(crate) fn port(
        &mut self,
        machine: &Machine,
        ready: Ready,
        argument: GlobalId,
    ) -> Result<native::host::Portable, Box<Ready>> {
        let Ready { specialised, code, too_large, work } = ready;
        let Some(code) = code else { return Err(Box::new(Ready { specialised, code, too_large, work })) };
        let at = specialised.globals.iter().position(|id| *id == argument);
        let constants = arguments(machine, &specialised);
        native::host::Portable::new(code, at, &constants)
            .map_err(|code| Box::new(Ready { specialised, code: Some(*code), too_large, work }))
    }

    /// Runs a step once, prints included. What isn't ready, or turns out to fail, is left to the reference evaluator.
    pub(crate) fn run_once(
        &mut self,
        machine: &mut Machine,
        ready: Option<&Ready>,
        step: &Value,
        span: Span,
    ) -> base::Result<Value> {
        let Some(ready) = ready else { return machine.call(step, Value::unit(), span) };
        let mut printed = 0;
        let args = arguments(machine, &ready.specialised);
        let mut output = std::mem::replace(&mut machine.output, Box::new(|_| ()));
        let mut print = |line: &str| {
            printed += 1;
            output(line);
        };
        let result = guarded(|| self.execute(ready, &args, &mut print));
        machine.output = output;
        match result {
            Ok(value) => Ok(value),
            Err(ran) => self.explain_failure(machine, step, span, &ran, printed),
        }
    }

    /// Runs a step that an engine has left, after so many prints, on the reference evaluator.
    pub(crate) fn explain_failure(
        &mut self,
        machine: &mut Machine,
        step: &Value,
        span: Span,
        ran: &Ran,
        printed: usize,
    ) -> base::Result<Value> {
        self.note(span, ran.clone());
        machine.skipped_prints = printed;
        let result = match ran {
            Ran::Failed { code, span: place } => describe(machine, step, span, *code, *place, self.describing()),
            _ => machine.call(step, Value::unit(), span),
        };
        machine.skipped_prints = 0;
        self.lengths_differed = result.is_ok() && matches!(ran, Ran::Failed { code: codes::SHAPE_MISMATCH, .. });
        result
    }

    /// Runs a step until `again`, which is told how long a run took, says no; the value is that of the last run. What isn't
    /// ready, or turns out to fail, is left to the reference evaluator. Prints are lost.
    pub fn repeat(
        &mut self,
        machine: &mut Machine,
        ready: Option<&Ready>,
        step: &Value,
        span: Span,
        again: &mut dyn FnMut(Duration) -> Again,
    ) -> base::Result<Value> {
        let output = std::mem::replace(&mut machine.output, Box::new(|_| ()));
        let result = match ready.map(|ready| (ready, guarded(|| self.repeat_ready(machine, ready, again)))) {
            Some((ready, Ok(value))) => {
                self.note(span, ready.too_large.map_or(Ran::Compiled, Ran::Interpreted));
                Ok(value)
            }
            Some((_, Err(ran @ Ran::Failed { .. }))) => self.explain_failure(machine, step, span, &ran, 0),
            Some((_, Err(ran))) => {
                self.note(span, ran);
                timed(again, || machine.call(step, Value::unit(), span))
            }
            // Who made it ready has noted why it isn't.
            None => timed(again, || machine.call(step, Value::unit(), span)),
        };
        machine.output = output;
        result
    }

    fn repeat_ready(
        &mut self,
        machine: &Machine,
        ready: &Ready,
        again: &mut dyn FnMut(Duration) -> Again,
    ) -> Result<Value, Ran> {
        let args = arguments(machine, &ready.specialised);
        match &ready.code {
            Some(code) => self.run_compiled(&ready.specialised, code, ready.work, &args, &mut |_| (), Some(again)),
            None => timed(again, || interpret(&ready.specialised, &args, &mut |_| ())),
        }
    }

    /// Do steps run on the reference evaluator alone: because that was asked for, or because there is no native engine?
    pub fn is_reference(&mut self) -> bool {
        self.engine == Engine::Reference || (self.engine == Engine::Native && !self.has_native())
    }

    /// Runs a step that is ready.
    fn execute(&mut self, ready: &Ready, args: &[Value], output: &mut dyn FnMut(&str)) -> Result<Value, Ran> {
        match &ready.code {
            Some(code) => self.run_compiled(&ready.specialised, code, ready.work, args, output, None),
            None => interpret(&ready.specialised, args, output),
        }
    }

    /// Compiled code of an L3 program. `None`: it is interpreted, because that was asked for, or for the reason that comes with it.
    fn code(
        &self,
        step: &Specialised,
        budget: Budget,
    ) -> Result<(Option<native::engine::Compiled>, Option<TooLarge>), Ran> {
        let engine = match &self.native {
            Native::Found(engine) if self.engine == Engine::Native => engine,
            _ => return Ok((None, None)),
        };
        // What verifies itself is slow anyway.
        let usual = || if self.checks == Checks::Memory { llvm::Effort::Quick } else { effort(&step.program) };
        let effort = self.effort.or(engine.effort()).unwrap_or_else(usual);
        match budget::within(budget, || engine.compile_with(&step.program, effort, self.checks)) {
            Ok(code) => Ok((Some(code.map_err(|why| Ran::Fallback(why.to_string()))?), None)),
            Err(too_large) => Ok((None, Some(too_large))),
        }
    }

    fn run_compiled(
        &mut self,
        step: &Specialised,
        code: &native::engine::Compiled,
        work: u64,
        args: &[Value],
        output: &mut dyn FnMut(&str),
        again: Option<&mut dyn FnMut(Duration) -> Again>,
    ) -> Result<Value, Ran> {
        let Native::Found(engine) = &mut self.native else { unreachable!("engine: compiled code has an engine") };
        let result = match again {
            None => engine.run(code, &*step.codes, args, output),
            Some(again) => engine.repeat(code, &*step.codes, args, output, again),
        };
        let usage = engine.usage();
        self.leaks += usize::from(result.is_ok() && usage.live_after != 0);
        self.last = Some(Compilation {
            instances: step.instances,
            work,
            statements: size_of(&step.program),
            stats: code.stats.clone(),
            loops: code.loops.clone(),
            peak_bytes: usage.peak_bytes,
            allocated_bytes: usage.allocated_bytes,
            live_after: usage.live_after as usize,
            evaluated: usage.evaluated,
        });
        result.map_err(|stop| match stop {
            native::run::Stop::Error { code, span, .. } => Ran::Failed { code, span: span.plain() },
            native::run::Stop::Memory { code, .. } => Ran::Failed { code, span: Span::default() },
            native::run::Stop::Mismatch { text, .. } => Ran::Fallback(text),
            native::run::Stop::Violation { text, span, .. } => {
                self.violation = Some((text.clone(), span));
                Ran::Fallback(text)
            }
        })
    }

    /// Runs a step on compiled code and surveys its heap where it asks for that. The values of `unknown` aren't known when the
    /// code is made.
    pub(crate) fn survey(
        &mut self,
        machine: &Machine,
        group: &Rc<Group>,
        span: Span,
        unknown: &[GlobalId],
    ) -> Result<Surveyed, Ran> {
        if !self.has_native() {
            return Err(Ran::Fallback(self.missing().unwrap_or_default().to_string()));
        }
        guarded(|| {
            let globals = Globals { unknown, first_own_file: machine.first_user_file, ..Globals::of(machine) };
            let (step, left) = self.optimised(&globals, group, span)?;
            let Native::Found(engine) = &self.native else { unreachable!("engine: it was found") };
            let code = budget::within(left, || engine.compile_surveyed(&step.program, effort(&step.program)));
            let mut code = code.map_err(Ran::TooLarge)?.map_err(|why| Ran::Fallback(why.to_string()))?;
            let args = arguments(machine, &step);
            let gradient = self.run_compiled(&step, &code, self.work_since(left), &args, &mut |_| (), None)?;
            let Native::Found(engine) = &self.native else { unreachable!("engine: it was found") };
            let found = engine.found().cloned().unwrap_or_default();
            let places = code.places.take().unwrap_or_default();
            let peak_bytes = self.last.as_ref().map_or(0, |last| last.peak_bytes);
            Ok(Surveyed { specialised: step, places, found, seeded: false, peak_bytes, gradient })
        })
    }

    fn tell(&self, ran: &Ran) {
        if let (Ran::Fallback(why), Some(tell)) = (ran, &self.on_fallback) {
            tell(why);
        }
    }

    fn describing(&self) -> u64 {
        self.describing_steps.unwrap_or(MAX_DESCRIBING_STEPS)
    }

    fn note(&mut self, span: Span, ran: Ran) {
        self.tell(&ran);
        if let Some(log) = &mut self.log {
            log.push((span, ran));
        }
    }
}

/// # Panics
/// If specialisation broke a rule of L3, where that is looked at.
fn checked(specialised: &Specialised) {
    if base::checks::are_on() {
        assert_eq!(first_order::check(&specialised.program), Ok(()), "specialise broke an invariant of L3");
    }
}

/// The values of the globals that a step reads.
fn arguments(machine: &Machine, step: &Specialised) -> Vec<Value> {
    step.globals.iter().map(|id| machine.global(*id).cloned().unwrap_or(Value::Zero)).collect()
}

/// Does the work until it fails or `again` says no.
fn timed<T, E>(again: &mut dyn FnMut(Duration) -> Again, mut work: impl FnMut() -> Result<T, E>) -> Result<T, E> {
    loop {
        let start = Stopwatch::start();
        let result = work()?;
        if again(start.elapsed()) == Again::No {
            return Ok(result);
        }
    }
}

/// A panic of a stage is our mistake, not the program's: the reference evaluator can still run the step, and `Engines::on_fallback` is told. Where
/// the compiler is being tested the mistake mustn't be missed.
fn guarded<T>(work: impl FnOnce() -> Result<T, Ran>) -> Result<T, Ran> {
    if base::checks::are_on() { work() } else { caught(work) }
}

fn caught<T>(work: impl FnOnce() -> Result<T, Ran>) -> Result<T, Ran> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(Ran::Fallback(format!("a panic: {}", words.unwrap_or("without words"))))
    })
}

fn interpret(step: &Specialised, args: &[Value], output: &mut dyn FnMut(&str)) -> Result<Value, Ran> {
    first_order::run(&step.program, &*step.codes, args.to_vec(), output).map_err(|stop| match stop {
        first_order::Stop::Error { code, span } => Ran::Failed { code, span },
        first_order::Stop::Mismatch(why) => Ran::Fallback(why),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken() -> Result<(), Ran> {
        panic!("optimise: broken")
    }

    #[test]
    fn a_panic_of_the_compiler_is_an_error_in_checked_builds() {
        assert!(catch_unwind(|| guarded(broken)).is_err());
    }

    #[test]
    fn a_panic_of_the_compiler_is_told_otherwise() {
        assert_eq!(caught(broken), Err(Ran::Fallback("a panic: optimise: broken".into())));
        let told = Rc::new(std::cell::RefCell::new(String::new()));
        let words = told.clone();
        let tell: Tell = Rc::new(move |why| drop(words.replace(why.into())));
        let mut engines = Engines { on_fallback: Some(tell), ..Engines::default() };
        engines.note(Span::default(), caught(broken).expect_err("it panics"));
        assert_eq!(*told.borrow(), "a panic: optimise: broken");
    }
}
