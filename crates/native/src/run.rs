//! Running compiled code: values in, a value or the reason to stop out.
//!
//! A [`Runner`] owns the memory and the stack, which runs share one after the other. After each run its heap is empty, however it
//! ended.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::panic::resume_unwind;
use std::rc::Rc;
use std::time::Duration;

use base::clock::Stopwatch;
use base::{Code, Span, codes};
use calculus::Prim;
use eval::{Value, memory};
use first_order::{Codes, ShapeId, Shapes};

#[cfg(feature = "llvm")]
use crate::host::Locals;
use crate::interrupt;
use crate::layout::Layouts;
use crate::runtime::ledger::Checked;
use crate::runtime::object::Descriptor;
#[cfg(feature = "llvm")]
use crate::runtime::pieces::Piece;
use crate::runtime::prim::release_words;
use crate::runtime::survey::{Found, Watched};
use crate::runtime::{Context, Environment, Failure, Site, object};
use crate::stack::{self, Entry, Stack};
use crate::values::{Border, Take, Unwritten, read, write, write_argument};

/// What the runtime knows of a program.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    pub shapes: Shapes,
    pub layouts: Layouts,
    pub sites: Vec<Site>,
    pub texts: Vec<Rc<str>>,
    pub parameters: Vec<ShapeId>,
    pub result: Option<ShapeId>,
}

/// What the runtime needs to know of a program: of L3 its shapes, of L4 its tables.
pub fn tables(program: &first_order::Program, lowered: &loops::Program) -> Tables {
    let site = |site: &loops::PrimSite| Site {
        prim: site.prim,
        args: site.args.clone(),
        result: site.result,
        span: site.span,
    };
    Tables {
        shapes: program.shapes.clone(),
        layouts: Layouts::new(&program.shapes, &program.types, &loops::Grown::new(program)),
        sites: lowered.prims.iter().map(site).collect(),
        texts: lowered.texts.clone(),
        parameters: program.parameters.clone(),
        result: Some(program.result),
    }
}

/// Why a run gave no value; `printed` says how many prints it made.
#[derive(Clone, PartialEq, Debug)]
pub enum Stop {
    /// The program failed.
    Error { code: Code, span: Span, printed: usize },
    /// A value didn't fit the program's shapes.
    Mismatch { text: String, printed: usize },
    /// There was no memory for an object.
    Memory { code: Code, printed: usize },
    /// In a checked run: what the compiler relies on didn't hold, and where.
    Violation { text: String, span: Option<Span>, printed: usize },
}

/// What the last run took.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Usage {
    /// Bytes taken from the system at once, chunks in full.
    pub peak_bytes: usize,
    /// Bytes that objects took: small ones in room that was never used before, and all large ones.
    pub allocated_bytes: usize,
    /// Objects left after a run that ended well, after its result was taken: always 0, unless code loses objects.
    pub live_after: i64,
    /// Which primitives the runtime left to the evaluator, those that were run most first.
    pub evaluated: Vec<Evaluated>,
}

/// A primitive that the runtime left to the evaluator, and how often.
#[derive(Clone, PartialEq, Debug)]
pub struct Evaluated {
    pub prim: Prim,
    pub span: Span,
    pub times: u64,
}

/// The memory and the stack of runs.
pub struct Runner {
    ctx: Box<Context>,
    stack: Stack,
    words: Vec<u64>,
    usage: Usage,
    checked: Checked,
    /// Where the instructions of the next run are.
    text: Range<usize>,
    /// Of programs that any thread runs.
    #[cfg(feature = "llvm")]
    pub(crate) locals: Locals,
}

/// Why a run ended early, and how many prints it had made.
pub(crate) struct Failed {
    pub failure: Failure,
    pub printed: usize,
}

impl From<Failed> for Stop {
    fn from(failed: Failed) -> Stop {
        stop(failed.failure, failed.printed)
    }
}

impl Runner {
    /// `None` if the system has no room for a stack.
    pub fn new() -> Option<Runner> {
        Some(Runner {
            ctx: Context::new(),
            stack: Stack::new()?,
            words: vec![],
            usage: Usage::default(),
            checked: Checked::No,
            text: 0..0,
            #[cfg(feature = "llvm")]
            locals: Locals::default(),
        })
    }

    pub fn usage(&self) -> Usage {
        self.usage.clone()
    }

    /// Keeps only little memory from now on: nobody knows when the next run comes, and of which program.
    #[cfg(feature = "llvm")]
    pub(crate) fn rest(&mut self) {
        const KEPT: usize = 64 << 20;
        self.ctx.keep_at_most(KEPT);
        self.words.shrink_to(1 << 10);
    }

    /// The next run is of code at these addresses: there it can be interrupted.
    #[cfg(feature = "llvm")]
    pub(crate) fn will_run(&mut self, text: &Range<usize>) {
        self.text = text.clone();
    }

    /// From now on runs are surveyed, or not.
    pub fn watch(&mut self, watched: Watched) {
        self.ctx.watch(watched);
    }

    /// From now on runs are checked, or not: the code must be of that kind.
    pub fn check_memory(&mut self, checked: Checked) {
        if self.checked != checked {
            self.checked = checked;
            self.ctx.reset();
            self.ctx.check_memory(checked);
        }
    }

    /// What was alive at the mark of the last run, if it was surveyed and came there.
    pub fn found(&self) -> Option<&Found> {
        self.ctx.found()
    }

    /// Runs compiled code on values of its parameters' shapes.
    ///
    /// # Safety
    /// `entry` is code compiled for these tables; it stays loaded during the call.
    pub unsafe fn run(
        &mut self,
        entry: Entry,
        tables: &Tables,
        codes: &dyn Codes,
        args: &[Value],
        output: &mut dyn FnMut(&str),
    ) -> Result<Value, Stop> {
        // SAFETY: by this function's contract.
        unsafe { self.run_or_repeat(entry, tables, codes, args, output, None) }
    }

    /// Runs compiled code on the same values until `again`, which is told how long the code itself took, says no. The arguments
    /// are written once; the value is that of the last run.
    ///
    /// # Safety
    /// As for [`Runner::run`].
    pub unsafe fn repeat(
        &mut self,
        entry: Entry,
        tables: &Tables,
        codes: &dyn Codes,
        args: &[Value],
        output: &mut dyn FnMut(&str),
        again: &mut dyn FnMut(Duration) -> Again,
    ) -> Result<Value, Stop> {
        // SAFETY: by this function's contract.
        unsafe { self.run_or_repeat(entry, tables, codes, args, output, Some(again)) }
    }

    /// # Safety
    /// As for [`Runner::run`].
    unsafe fn run_or_repeat(
        &mut self,
        entry: Entry,
        tables: &Tables,
        codes: &dyn Codes,
        args: &[Value],
        output: &mut dyn FnMut(&str),
        again: Option<&mut dyn FnMut(Duration) -> Again>,
    ) -> Result<Value, Stop> {
        let environment = Environment {
            border: Border { shapes: &tables.shapes, layouts: &tables.layouts, codes },
            sites: &tables.sites,
            texts: &tables.texts,
            output: RefCell::new(output),
            printed: Cell::new(0),
            quiet: Cell::new(0),
        };
        // SAFETY: by this function's contract.
        let outcome = unsafe { self.run_in(&environment, entry, tables, args, again) };
        self.usage.peak_bytes = self.ctx.peak_bytes();
        self.usage.allocated_bytes = self.ctx.allocated_bytes();
        self.usage.evaluated = evaluated(self.ctx.evaluated(), &tables.sites);
        let violation = self.violation();
        self.ctx.reset();
        self.stack.trim();
        if let Some((text, span)) = violation {
            return Err(Stop::Violation { text, span, printed: environment.printed.get() });
        }
        if let Some(payload) = self.ctx.take_panic() {
            resume_unwind(payload);
        }
        outcome.map_err(|failure| stop(failure, environment.printed.get()))
    }

    /// After a checked run: what didn't hold, in which operation and function, and where.
    fn violation(&mut self) -> Option<(String, Option<Span>)> {
        if self.checked == Checked::No {
            return None;
        }
        let panic = self.ctx.take_panic();
        let said = panic.as_ref().map(|panic| {
            let text = panic.downcast_ref::<&str>().copied();
            text.or(panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic")
        });
        let what = said.or(self.ctx.audit().err())?;
        let place = self.ctx.place();
        let (operation, span) = place.map_or(("the border".into(), None), |(text, span)| (text, Some(span)));
        Some((format!("{what}: {operation}"), span))
    }

    /// # Safety
    /// As for [`Runner::run`].
    unsafe fn run_in(
        &mut self,
        environment: &Environment,
        entry: Entry,
        tables: &Tables,
        args: &[Value],
        mut again: Option<&mut dyn FnMut(Duration) -> Again>,
    ) -> Result<Value, Failure> {
        let border = environment.border;
        if args.len() != tables.parameters.len() {
            let (given, wanted) = (args.len(), tables.parameters.len());
            return Err(Failure::Mismatch(format!("{given} arguments for {wanted} parameters")));
        }
        self.begin();
        for (&shape, value) in tables.parameters.iter().zip(args) {
            write_argument(&mut self.ctx, border, shape, value, &mut self.words).map_err(unwritten)?;
        }
        let arguments = self.words.len();
        let result = tables.result.expect("run: the tables are those of a program");
        self.add_words(border.layouts.get(result).words);
        self.ctx.stack_limit = self.stack.limit(room_for_frames());
        let top = self.stack.top();
        let (args, out) = self.words.split_at_mut(arguments);
        loop {
            // Code owns its arguments: where it runs again, ours stay alive beside it.
            if again.is_some() {
                // SAFETY: the words are those of live values of these shapes.
                each_pointer(border, tables, args, |word| unsafe { object::retain(word) });
            }
            let start = Stopwatch::start();
            let text = &self.text;
            let status = self.ctx.with_environment(environment, |ctx| {
                // SAFETY: the code was compiled for these tables, so it takes as many words as there are; the stack is ours.
                interrupt::during(ctx, text, top, || unsafe {
                    stack::enter(ctx, entry, args.as_ptr(), out.as_mut_ptr(), top)
                })
            });
            let took = start.elapsed();
            if status != 0 {
                return Err(self.why(status));
            }
            if again.as_mut().is_none_or(|again| again(took) == Again::No) {
                break;
            }
            // SAFETY: the code has written a value of the result's shape, which is ours.
            unsafe { release_words(&mut self.ctx, border.layouts, result, out) };
        }
        if again.is_some() {
            // SAFETY: the arguments are ours, and no code runs that uses them.
            each_pointer(border, tables, args, |word| unsafe { self.ctx.release(word) });
        }
        // SAFETY: the code has written a value of the result's shape, which is ours.
        let value = unsafe {
            let value = read(border, result, out, Take::Unshared);
            release_words(&mut self.ctx, border.layouts, result, out);
            value
        };
        self.usage.live_after = self.ctx.live();
        debug_assert_eq!(self.ctx.live(), 0, "run: objects were lost or freed twice");
        Ok(value)
    }
}

/// The steps of a run, for callers that have no values: `host`.
#[cfg_attr(not(feature = "llvm"), allow(dead_code))]
impl Runner {
    /// Why a run was left with this status.
    fn why(&mut self, status: u64) -> Failure {
        if status == interrupt::STATUS {
            self.ctx.take_failure();
            return Failure::Error { code: codes::OUT_OF_STEPS, span: None };
        }
        self.ctx.take_failure().expect("run: who leaves says why")
    }

    /// Clears what a panic left behind.
    fn begin(&mut self) {
        #[cfg(feature = "llvm")]
        self.ctx.let_help(crate::threads::help_from());
        if self.ctx.live() != 0 {
            self.ctx.reset();
        }
        self.words.clear();
    }

    /// Writes arguments by `write`, runs code on them, and says where among the words its result begins.
    ///
    /// # Safety
    /// `entry` is code compiled for these tables; it stays loaded during the call.
    pub(crate) unsafe fn start(
        &mut self,
        entry: Entry,
        environment: &Environment,
        tables: &Tables,
        write: impl FnOnce(&mut Runner) -> Result<(), Failure>,
    ) -> Result<usize, Failure> {
        self.begin();
        write(self)?;
        let result = tables.result.expect("run: the tables are those of a program");
        let out = self.add_words(tables.layouts.get(result).words);
        self.ctx.stack_limit = self.stack.limit(room_for_frames());
        let (words, top) = (self.words.as_mut_ptr(), self.stack.top());
        let text = &self.text;
        let status = self.ctx.with_environment(environment, |ctx| {
            // SAFETY: the code was compiled for these tables, so it takes as many words as there are; the stack is ours.
            interrupt::during(ctx, text, top, || unsafe { stack::enter(ctx, entry, words, words.add(out), top) })
        });
        match status {
            0 => Ok(out),
            _ => Err(self.why(status)),
        }
    }

    /// Gives up a result.
    ///
    /// # Safety
    /// The words from `out` on are a value of the shape that a run has left there.
    pub(crate) unsafe fn release_result(&mut self, layouts: &Layouts, shape: ShapeId, out: usize) {
        // SAFETY: by this function's contract.
        unsafe { release_words(&mut self.ctx, layouts, shape, &self.words[out..]) };
        self.usage.live_after = self.ctx.live();
        debug_assert_eq!(self.ctx.live(), 0, "run: objects were lost or freed twice");
    }

    /// Empties the heap after a run, however it ended.
    pub(crate) fn finish(&mut self) {
        self.usage.peak_bytes = self.ctx.peak_bytes();
        self.usage.allocated_bytes = self.ctx.allocated_bytes();
        self.ctx.reset();
        self.stack.trim();
    }

    pub(crate) fn take_panic(&mut self) -> Option<Box<dyn std::any::Any + Send>> {
        self.ctx.take_panic()
    }

    /// Appends the words of a value.
    pub(crate) fn write(&mut self, border: Border, shape: ShapeId, value: &Value) -> Result<(), Failure> {
        write(&mut self.ctx, border, shape, value, &mut self.words).map_err(unwritten)
    }

    /// Appends words that are 0; says where they begin.
    pub(crate) fn add_words(&mut self, count: usize) -> usize {
        let start = self.words.len();
        self.words.resize(start + count, 0);
        start
    }

    pub(crate) fn set_word(&mut self, at: usize, word: u64) {
        self.words[at] = word;
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Room for an array.
    ///
    /// # Safety
    /// The descriptor is that of an array and outlives the object.
    pub(crate) unsafe fn array(&mut self, descriptor: *const Descriptor, lengths: &[u64]) -> Result<*mut u64, Code> {
        // SAFETY: by this function's contract.
        unsafe { self.ctx.array(descriptor, lengths) }
    }
}

/// Shares of loops that others run.
#[cfg(feature = "llvm")]
impl Runner {
    /// Calls a function that does turns of a loop. What it says isn't 0 if it was left.
    ///
    /// # Safety
    /// The function takes this frame, its code is at these addresses, and it may run on any thread. The environment is that of the run it belongs to.
    pub(crate) unsafe fn do_piece(
        &mut self,
        text: &Range<usize>,
        environment: *const Environment<'static>,
        (piece, frame): (Piece, *const u64),
        [from, to]: [u64; 2],
    ) -> u64 {
        unsafe extern "C" fn call(ctx: *mut Context, args: *const u64, _: *mut u64) {
            // SAFETY: what is given below.
            unsafe {
                let (piece, frame, from, to) = args.cast::<(Piece, *const u64, u64, u64)>().read();
                piece(ctx, frame, from, to);
            }
        }
        let ctx: *mut Context = &raw mut *self.ctx;
        self.ctx.let_help(f64::INFINITY);
        self.ctx.stack_limit = self.stack.limit(room_for_frames());
        let (args, top) = ((piece, frame, from, to), self.stack.top());
        let mut out = 0;
        // SAFETY: the run that asks waits for its pieces.
        unsafe { self.ctx.share_environment(environment) };
        // SAFETY: by this function's contract; the stack is ours.
        let status = interrupt::during(ctx, text, top, || unsafe {
            stack::enter(ctx, call, (&raw const args).cast(), &raw mut out, top)
        });
        // SAFETY: null is what it may always be.
        unsafe { self.ctx.share_environment(std::ptr::null()) };
        status
    }

    /// Why a piece was left.
    pub(crate) fn take_failure(&mut self) -> Failure {
        self.ctx.take_failure().expect("run: who leaves says why")
    }

    /// Empties the heap: pieces that went well have nothing in it.
    pub(crate) fn end_share(&mut self) {
        self.ctx.reset();
        self.stack.trim();
    }
}

/// Does code run once more?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Again {
    Yes,
    No,
}

/// What `counts` says of each site.
fn evaluated(counts: &[u64], sites: &[Site]) -> Vec<Evaluated> {
    let counted = counts.iter().zip(sites).filter(|(times, _)| **times > 0);
    let mut all: Vec<_> = counted.map(|(&times, site)| Evaluated { prim: site.prim, span: site.span, times }).collect();
    all.sort_by_key(|one| std::cmp::Reverse(one.times));
    all
}

/// Calls `body` with each pointer among the words of the arguments.
fn each_pointer(border: Border, tables: &Tables, args: &[u64], mut body: impl FnMut(u64)) {
    let mut start = 0;
    for &shape in &tables.parameters {
        let layout = border.layouts.get(shape);
        layout.pointers().iter().for_each(|&at| body(args[start + at]));
        start += layout.words;
    }
}

/// The stack may take half of what the memory has room for.
fn room_for_frames() -> usize {
    const MOST: usize = 2 << 30;
    const LEAST: usize = 16 << 20;
    let mut bytes = MOST;
    while bytes > LEAST && !memory::has_room_for(2 * bytes) {
        bytes /= 2;
    }
    bytes
}

fn unwritten(error: Unwritten) -> Failure {
    match error {
        Unwritten::Mismatch(text) => Failure::Mismatch(text),
        Unwritten::Memory(code) => Failure::Error { code, span: None },
    }
}

fn stop(failure: Failure, printed: usize) -> Stop {
    match failure {
        Failure::Error { code, span: Some(span) } => Stop::Error { code, span, printed },
        Failure::Error { code, span: None } => Stop::Memory { code, printed },
        Failure::Mismatch(text) => Stop::Mismatch { text, printed },
        Failure::Panic => unreachable!("run: a panic goes on"),
    }
}
