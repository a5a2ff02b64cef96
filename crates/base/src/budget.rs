//! How much the compiler may do for one step of a program.
//!
//! Every stage says what it does while it does it ([`spend`]): about one unit for each statement, node or shape that it looks at. So a program takes the
//! same work on every machine, and whether it is compiled doesn't depend on a clock. Memory is what the program's allocator counts
//! ([`crate::memory`]) and the stacks that recursion grows ([`deep`]).
//!
//! What is used up ends the stage by unwinding to [`within`]. That is sound for a stage that is a function from one representation to the
//! next: what it was making is dropped, and nobody sees it half done. Outside of `within` nothing is counted.

use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::{interrupt, memory};

/// What may be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Units of work.
    pub work: u64,
    /// Bytes that are in use at once.
    pub bytes: usize,
    /// Bytes of stack.
    pub stack: usize,
}

impl Budget {
    /// Of one step of a program: seconds, on a slow machine as well. The steps of the suite take at most 82 million units
    /// before LLVM and 230 million with it, 144 MB, and no stack but the first; two take more, by the size of their IR: they are interpreted.
    pub const STEP: Budget = Budget { work: 400_000_000, bytes: 1 << 29, stack: 1 << 26 };

    /// What is left of it.
    pub fn less(self, spent: Spent) -> Budget {
        Budget { work: self.work.saturating_sub(spent.work), ..self }
    }
}

/// The stages of the compiler, in their order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    Specialisation,
    /// The name of the pass
    Optimisation(&'static str),
    Lowering,
    Emission,
    /// What LLVM would take, by what is known of it.
    Llvm,
    /// The code itself: data without what the evaluator's have in common.
    Run,
}

/// What of a budget is used up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    Work,
    Memory,
    /// Types or code nest too deeply.
    Depth,
}

/// A step is too large for the compiler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge {
    pub stage: Stage,
    pub limit: Limit,
}

/// What a stage has used, for those who count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spent {
    pub work: u64,
    /// At its largest, as far as anybody looked.
    pub bytes: usize,
    pub stack: usize,
}

/// Memory is looked at after so many units.
const SLICE: i64 = 4_096;
/// The stack that everything starts on, and that plain recursion finds at least.
const FIRST_STACK: usize = 16 << 20;
const NEXT_STACK: usize = 4 << 20;
const RED_ZONE: usize = 512 << 10;

struct Account {
    budget: Budget,
    bytes_before: usize,
    spent: Spent,
    /// What recursion has on its stacks at the moment.
    stack: usize,
    stage: Stage,
}

thread_local! {
    /// Units until somebody looks at the account.
    static LEFT: Cell<i64> = const { Cell::new(i64::MAX) };
    static ACCOUNT: Cell<Option<Account>> = const { Cell::new(None) };
    static LAST: Cell<Spent> = const { Cell::new(Spent { work: 0, bytes: 0, stack: 0 }) };
    static MOST: Cell<Spent> = const { Cell::new(Spent { work: 0, bytes: 0, stack: 0 }) };
}

/// Does the work within a budget. What is done inside of another `within` counts there.
pub fn within<T>(budget: Budget, work: impl FnOnce() -> T) -> Result<T, TooLarge> {
    if is_counting() {
        return Ok(work());
    }
    let stage = Stage::Specialisation;
    let account = Account { budget, bytes_before: memory::used(), spent: Spent::default(), stack: 0, stage };
    ACCOUNT.set(Some(account));
    LEFT.set(SLICE);
    let result = stacker::grow(FIRST_STACK, || catch_unwind(AssertUnwindSafe(work)));
    settle();
    LEFT.set(i64::MAX);
    let (spent, most) = (ACCOUNT.take().map_or(Spent::default(), |account| account.spent), MOST.get());
    LAST.set(spent);
    MOST.set(Spent {
        work: most.work.max(spent.work),
        bytes: most.bytes.max(spent.bytes),
        stack: most.stack.max(spent.stack),
    });
    result.or_else(|panic| match panic.downcast::<TooLarge>() {
        Ok(too_large) => Err(*too_large),
        Err(panic) => resume_unwind(panic),
    })
}

/// What the last [`within`] on this thread has used.
pub fn last_spent() -> Spent {
    LAST.get()
}

/// The most of each that any [`within`] on this thread has used.
pub fn most_spent() -> Spent {
    MOST.get()
}

/// What follows belongs to this stage.
pub fn begin(stage: Stage) {
    with_account(|account| account.stage = stage);
}

/// So much is being done.
#[inline]
pub fn spend(units: usize) {
    LEFT.with(|left| {
        let rest = left.get() - units as i64;
        left.set(rest);
        if rest < 0 {
            look();
        }
    });
}

/// What is being made will be too large: there is no need to wait for it.
pub fn refuse(limit: Limit) {
    if is_counting() {
        exhausted(limit);
    }
}

/// May a stage that can't count by itself use so much?
pub fn check_estimate(work: u64, bytes: usize) {
    let limit = with_account(|account| {
        let room = account.budget.bytes.saturating_sub(memory::used().saturating_sub(account.bytes_before));
        account.spent.work = account.spent.work.saturating_add(work);
        if account.spent.work > account.budget.work {
            Some(Limit::Work)
        } else {
            (bytes > room || !memory::has_room_for(bytes)).then_some(Limit::Memory)
        }
    });
    if let Some(Some(limit)) = limit {
        exhausted(limit);
    }
}

/// Runs a step of a recursion, on more stack if there is little left.
#[inline]
pub fn deep<T>(step: impl FnOnce() -> T) -> T {
    // WebAssembly's stack can't be changed: it ends the module where it ends.
    if cfg!(target_arch = "wasm32") || stacker::remaining_stack().is_none_or(|left| left >= RED_ZONE) {
        return step();
    }
    let deeper = with_account(|account| {
        account.stack += NEXT_STACK;
        account.spent.stack = account.spent.stack.max(account.stack);
        account.stack > account.budget.stack
    });
    if deeper == Some(true) {
        exhausted(Limit::Depth);
    }
    let _grown = deeper.map(|_| Grown);
    stacker::grow(NEXT_STACK, step)
}

/// Stack that recursion has; given back also when it unwinds.
struct Grown;

impl Drop for Grown {
    fn drop(&mut self) {
        with_account(|account| account.stack -= NEXT_STACK);
    }
}

#[cold]
fn look() {
    // Who shall stop has no budget left; what runs next finds out why.
    let limit = settle().or_else(|| (is_counting() && interrupt::is_requested()).then_some(Limit::Work));
    LEFT.set(if is_counting() { SLICE } else { i64::MAX });
    if let Some(limit) = limit {
        exhausted(limit);
    }
}

/// Brings the account up to date; says what is used up.
fn settle() -> Option<Limit> {
    let done = (SLICE - LEFT.get()).max(0) as u64;
    LEFT.set(SLICE);
    with_account(|account| {
        account.spent.work = account.spent.work.saturating_add(done);
        let bytes = memory::used().saturating_sub(account.bytes_before);
        account.spent.bytes = account.spent.bytes.max(bytes);
        if account.spent.work > account.budget.work {
            Some(Limit::Work)
        } else {
            (bytes > account.budget.bytes || !memory::has_room_for(account.stack)).then_some(Limit::Memory)
        }
    })
    .flatten()
}

#[cold]
fn exhausted(limit: Limit) -> ! {
    let stage = with_account(|account| account.stage).unwrap_or(Stage::Specialisation);
    // Dropping what was made must not unwind again.
    LEFT.set(i64::MAX);
    resume_unwind(Box::new(TooLarge { stage, limit }))
}

fn is_counting() -> bool {
    with_account(|_| ()).is_some()
}

fn with_account<T>(change: impl FnOnce(&mut Account) -> T) -> Option<T> {
    ACCOUNT.with(|cell| {
        let mut account = cell.take()?;
        let result = change(&mut account);
        cell.set(Some(account));
        Some(result)
    })
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Stage::Specialisation => f.write_str("specialisation"),
            Stage::Optimisation(pass) => write!(f, "the pass `{pass}`"),
            Stage::Lowering => f.write_str("lowering"),
            Stage::Emission => f.write_str("writing LLVM IR"),
            Stage::Llvm => f.write_str("LLVM"),
            Stage::Run => f.write_str("its run, where the reference evaluator's data share more"),
        }
    }
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let what = match self.limit {
            Limit::Work => "takes too long",
            Limit::Memory => "needs too much memory",
            Limit::Depth => "nests too deeply",
        };
        write!(f, "too large to be compiled: it {what} in {}", self.stage)
    }
}
