//! The stack where it belongs to the host, as in a page: code is entered and left through functions that the host provides.
//!
//! In: code that the host has made callable. Out: 0, or the status that the code was left with. The host calls the code for [`enter`] and throws
//! for [`leave`], so frames between the two vanish without being run: they have nothing to clean up.

use crate::runtime::Context;

/// Compiled code: `void entry(ptr ctx, ptr args, ptr out)`.
pub type Entry = unsafe extern "C" fn(*mut Context, *const u64, *mut u64);

// The host knows nothing of a context but its address.
#[allow(improper_ctypes)]
#[link(wasm_import_module = "evert")]
unsafe extern "C" {
    /// Calls the entry. Returns 0, or what was given to `leave`.
    #[link_name = "enter"]
    fn evert_enter(entry: Entry, ctx: *mut Context, args: *const u64, out: *mut u64) -> u32;
    #[link_name = "leave"]
    fn evert_leave(status: u32) -> !;
}

/// Nothing: the host has the stack.
#[derive(Debug)]
pub struct Stack;

impl Stack {
    pub fn new() -> Option<Stack> {
        Some(Stack)
    }

    pub fn top(&self) -> usize {
        0
    }

    pub fn limit(&self, _: usize) -> usize {
        0
    }

    pub fn trim(&self) {}
}

/// Calls `entry(ctx, args, out)`. Returns 0, or what was given to [`leave`].
///
/// # Safety
/// `ctx` is the context that `entry` was compiled for, and no `enter` of it is under way.
pub unsafe fn enter(ctx: *mut Context, entry: Entry, args: *const u64, out: *mut u64, _: usize) -> u64 {
    // SAFETY: by this function's contract.
    u64::from(unsafe { evert_enter(entry, ctx, args, out) })
}

/// Returns `status` from the [`enter`] that is under way.
///
/// # Safety
/// Called from compiled code or the runtime below `enter`, with no destructor pending in between.
pub unsafe fn leave(_: *mut Context, status: u64) -> ! {
    // SAFETY: by this function's contract.
    unsafe { evert_leave(status as u32) }
}

/// Calls `f(ctx, argument)`: there is one stack.
///
/// # Safety
/// Those of `f`.
pub unsafe fn on_host(ctx: *mut Context, f: OnHost, argument: *mut u8) -> u64 {
    // SAFETY: by this function's contract.
    unsafe { f(ctx, argument) }
}

/// What [`on_host`] calls.
pub type OnHost = unsafe extern "C" fn(*mut Context, *mut u8) -> u64;
