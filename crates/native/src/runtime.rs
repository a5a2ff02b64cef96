//! What compiled code needs while it runs: memory, handles, failures, primitives.
//!
//! The [`Context`] is the only state. Compiled code knows its first words (`loops::memory`); the rest is for the functions
//! here. Everything allocated belongs to the context: leaving a run at any point loses nothing, [`Context::reset`] takes it
//! all back, handles included.
//!
//! Functions named `rt_…` are called by compiled code on its own stack. They don't unwind, and hold nothing with a destructor when
//! they leave. What calls the evaluator goes through [`crate::stack::on_host`].

pub mod arrays;
pub mod checks;
pub mod collect;
pub mod collector;
mod fast;
pub mod handle;
pub mod heap;
pub mod ledger;
pub mod object;
pub mod pieces;
pub mod prim;
mod products;
pub mod survey;
pub mod symbols;

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ptr;
use std::rc::Rc;

use base::{Code, Span};
use first_order::shape::ShapeId;
use loops::memory;

use crate::stack;
use crate::values::Border;
use heap::Heap;

/// The state of a run.
#[repr(C)]
pub struct Context {
    /// A function whose frame would begin below this address fails.
    pub stack_limit: usize,
    bump: *mut u64,
    bump_end: *mut u64,
    live: i64,
    /// The thread's stack pointer while compiled code runs ([`memory::CTX_HOST`]).
    host: usize,
    /// Who makes objects, in code that says so: the number of a place, from 1; 0 is the border.
    site: u64,
    /// Where code is, in a checked build.
    place: *const checks::Place,
    /// Where code says how far it is, if somebody watches.
    progress: *const u64,
    /// Objects to be used again, by their size in words, linked through their first word.
    free: [*mut u64; SMALL_WORDS],
    /// The units of work of a loop from which other threads help: infinite if none do.
    helped_from: f64,
    heap: Heap,
    failure: Option<Failure>,
    panic: Option<Box<dyn Any + Send>>,
    environment: *const Environment<'static>,
    /// Values whose arrays code reads where they are.
    kept: Vec<eval::Value>,
    /// How often the evaluator ran the primitive of each site, as far as there are any.
    evaluated: Vec<u64>,
}

/// Objects of fewer words come from chunks, the others one by one.
pub const SMALL_WORDS: usize = memory::SMALL_WORDS as usize;

/// Where the words of a context are.
pub const OFFSETS: loops::symbols::Offsets = loops::symbols::Offsets {
    bump: std::mem::offset_of!(Context, bump),
    bump_end: std::mem::offset_of!(Context, bump_end),
    live: std::mem::offset_of!(Context, live),
    free: std::mem::offset_of!(Context, free),
};

/// Compiled code has these words in it. A page's machine has pointers of four bytes, and its code is given [`OFFSETS`].
#[cfg(target_pointer_width = "64")]
const _: () = {
    assert!(std::mem::offset_of!(Context, stack_limit) == 8 * memory::CTX_STACK_LIMIT as usize);
    assert!(std::mem::offset_of!(Context, bump) == 8 * memory::CTX_BUMP as usize);
    assert!(std::mem::offset_of!(Context, bump_end) == 8 * memory::CTX_BUMP_END as usize);
    assert!(std::mem::offset_of!(Context, live) == 8 * memory::CTX_LIVE as usize);
    assert!(std::mem::offset_of!(Context, host) == 8 * memory::CTX_HOST as usize);
    assert!(std::mem::offset_of!(Context, site) == 8 * memory::CTX_SITE as usize);
    assert!(std::mem::offset_of!(Context, place) == 8 * memory::CTX_PLACE as usize);
    assert!(std::mem::offset_of!(Context, progress) == 8 * memory::CTX_PROGRESS as usize);
    assert!(std::mem::offset_of!(Context, free) == 8 * memory::CTX_FREE as usize);
    assert!(std::mem::offset_of!(Context, helped_from) == 8 * memory::CTX_HELPED as usize);
};

/// Why a run ended early.
#[derive(Clone, PartialEq, Debug)]
pub enum Failure {
    /// An error of the program; memory that is exhausted is one without a span.
    Error { code: Code, span: Option<Span> },
    /// A value that doesn't fit the shapes of the program.
    Mismatch(String),
    /// The runtime itself panicked; the payload is kept apart.
    Panic,
}

/// What the primitives and the border see of the program that runs.
pub struct Environment<'a> {
    pub border: Border<'a>,
    pub sites: &'a [Site],
    pub texts: &'a [Rc<str>],
    pub output: RefCell<&'a mut dyn FnMut(&str)>,
    /// How many prints were made.
    pub printed: Cell<usize>,
    /// While positive, what is printed is dropped.
    pub quiet: Cell<i64>,
}

/// A use of a primitive in the program.
#[derive(Clone, PartialEq, Debug)]
pub struct Site {
    pub prim: calculus::Prim,
    pub args: Vec<ShapeId>,
    pub result: ShapeId,
    pub span: Span,
}

impl Context {
    pub fn new() -> Box<Context> {
        Box::new(Context {
            stack_limit: 0,
            bump: ptr::null_mut(),
            bump_end: ptr::null_mut(),
            live: 0,
            host: 0,
            site: 0,
            place: ptr::null(),
            progress: base::progress::words(),
            free: [ptr::null_mut(); SMALL_WORDS],
            helped_from: f64::INFINITY,
            heap: Heap::default(),
            failure: None,
            panic: None,
            environment: ptr::null(),
            kept: vec![],
            evaluated: vec![],
        })
    }

    /// Keeps a value until the context is reset.
    pub(crate) fn keep(&mut self, value: eval::Value) {
        self.kept.push(value);
    }

    /// The evaluator runs the primitive of a site.
    fn count_evaluated(&mut self, site: u64) {
        let site = site as usize;
        if self.evaluated.len() <= site {
            self.evaluated.resize(site + 1, 0);
        }
        self.evaluated[site] += 1;
    }

    /// How often it did since the last reset, by site.
    pub(crate) fn evaluated(&self) -> &[u64] {
        &self.evaluated
    }

    /// From now on other threads help with loops of at least so many units of work.
    #[cfg_attr(not(feature = "llvm"), allow(dead_code))]
    pub(crate) fn let_help(&mut self, from: f64) {
        self.helped_from = from;
    }

    /// Objects that are allocated and not freed.
    pub fn live(&self) -> i64 {
        self.live
    }

    /// Remembers why the run ends; the first reason counts.
    fn fail(&mut self, failure: Failure) {
        self.failure.get_or_insert(failure);
    }

    /// What compiled code is told of work on the thread's stack: 0 if it went well; else the run ends, and why is remembered.
    fn ended(&mut self, outcome: std::thread::Result<Result<(), Failure>>) -> u64 {
        let failure = match outcome {
            Ok(Ok(())) => return 0,
            Ok(Err(failure)) => failure,
            Err(payload) => {
                self.panic = Some(payload);
                Failure::Panic
            }
        };
        self.fail(failure);
        1
    }

    pub fn take_failure(&mut self) -> Option<Failure> {
        self.failure.take()
    }

    pub fn take_panic(&mut self) -> Option<Box<dyn Any + Send>> {
        self.panic.take()
    }

    /// Calls `body` while the environment is known to runtime functions.
    pub fn with_environment<T>(&mut self, environment: &Environment<'_>, body: impl FnOnce(&mut Context) -> T) -> T {
        self.environment = ptr::from_ref(environment).cast();
        let result = body(self);
        self.environment = ptr::null();
        result
    }

    /// The environment of the run that asked for a piece. Of it only tables are used, which nobody changes.
    ///
    /// # Safety
    /// It is null, or lives until this is called with null.
    #[cfg_attr(not(feature = "llvm"), allow(dead_code))]
    pub(crate) unsafe fn share_environment(&mut self, environment: *const Environment<'static>) {
        self.environment = environment;
    }

    /// The environment of the run that is under way.
    ///
    /// # Safety
    /// Called below [`Context::with_environment`]; the reference isn't kept beyond it.
    unsafe fn environment<'a>(&self) -> &'a Environment<'a> {
        debug_assert!(!self.environment.is_null(), "the runtime is used outside a run");
        // SAFETY: `with_environment` stored a reference that lives until it returns, and clears it then.
        unsafe { &*self.environment.cast() }
    }
}

/// Ends the run: what runs on the compiled code's stack is abandoned.
///
/// # Safety
/// Called on the compiled code's stack, with nothing pending there that has a destructor.
unsafe fn leave(ctx: *mut Context) -> ! {
    // SAFETY: by this function's contract.
    unsafe { stack::leave(ctx, 1) }
}

/// [`Context::fail`] with an error, then [`leave`].
///
/// # Safety
/// As for [`leave`].
unsafe fn fail_with(ctx: *mut Context, code: Code, span: Option<Span>) -> ! {
    // SAFETY: `ctx` is the live context of the run; the borrow ends before it is left.
    unsafe {
        (*ctx).fail(Failure::Error { code, span });
        leave(ctx)
    }
}
