//! The stack that compiled code runs on.
//!
//! A large range of addresses is reserved; only touched pages cost memory. [`enter`] calls compiled code on it, [`leave`] abandons
//! whatever runs there and returns from `enter`: frames on this stack have nothing to clean up. [`on_host`] goes the other way for
//! one call: evaluator code runs on the thread's own stack, where it knows how much room is left.
//!
//! The place on the thread's stack is kept in the context's word [`CTX_HOST`].
//!
//! Compiled code and the runtime see IEEE arithmetic whatever the thread does otherwise (XLA's threads flush denormals): `enter` loads
//! the standard floating-point control word, `leave` restores the thread's.

use std::arch::naked_asm;
use std::ptr;

use loops::memory::CTX_HOST;

use crate::runtime::Context;
use crate::runtime::heap::large_pages;

const HOST_OFFSET: usize = 8 * CTX_HOST as usize;
const LARGEST: usize = 2 << 30;
const SMALLEST: usize = 16 << 20;
/// Below the limit that compiled code checks there is room for frames that don't check, and for the runtime.
const RESERVE: usize = 1 << 20;
/// Pages that nobody may touch.
const GUARD: usize = 64 << 10;
/// Deeper than this, the stack is on large pages.
const SHALLOW: usize = 4 << 20;
/// What stays with the process after a run.
const KEPT: usize = 1 << 20;

/// MXCSR after a reset: round to nearest, keep denormals, no traps.
#[cfg(target_arch = "x86_64")]
pub(crate) const STANDARD_CONTROL: u32 = 0x1f80;
#[cfg(target_arch = "x86_64")]
static STANDARD_WORD: u32 = STANDARD_CONTROL;

/// Compiled code: `void entry(ptr ctx, ptr args, ptr out)`.
pub type Entry = unsafe extern "C" fn(*mut Context, *const u64, *mut u64);

/// A range of addresses for frames, from high to low.
#[derive(Debug)]
pub struct Stack {
    base: *mut u8,
    size: usize,
}

impl Stack {
    /// Reserves as much as the system allows; `None` if even little is refused.
    pub fn new() -> Option<Stack> {
        let mut size = LARGEST;
        while size >= SMALLEST {
            if let Some(stack) = Stack::of_size(size) {
                return Some(stack);
            }
            size /= 2;
        }
        None
    }

    fn of_size(size: usize) -> Option<Stack> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_NORESERVE;
        // SAFETY: a new anonymous mapping at an address of the system's choice touches nothing that exists.
        let base = unsafe { libc::mmap(ptr::null_mut(), size, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return None;
        }
        let stack = Stack { base: base.cast(), size };
        // SAFETY: the guard lies inside the mapping just made.
        let guarded = unsafe { libc::mprotect(base, GUARD, libc::PROT_NONE) } == 0;
        // The first frames stay on small pages: most runs need no more.
        large_pages(base.cast(), size - SHALLOW);
        guarded.then_some(stack)
    }

    /// Where the first frame begins.
    pub fn top(&self) -> usize {
        self.base as usize + self.size
    }

    /// The address below which a checking function must not begin, if the stack may take so many bytes.
    pub fn limit(&self, bytes: usize) -> usize {
        let usable = self.size - GUARD - RESERVE;
        self.top() - usable.min(bytes)
    }

    /// Gives pages back that a deep recursion has touched. Costs no call of the system after a shallow run.
    pub fn trim(&self) {
        const PROBED: usize = 8 << 10;
        let kept = self.top() - KEPT;
        // Untouched pages are zero, and frames that reach beyond leave something in a range of this size. Where they don't,
        // pages stay longer with the process, that is all.
        // SAFETY: the range lies inside the mapping, and nothing runs on the stack between runs.
        let probed = unsafe { std::slice::from_raw_parts((kept - PROBED) as *const u64, PROBED / 8) };
        if probed.iter().fold(0, |all, word| all | word) == 0 {
            return;
        }
        let deep = self.base as usize + GUARD;
        // SAFETY: nothing runs on the stack between runs, so its contents may go; the range is inside the mapping.
        unsafe { libc::madvise(deep as *mut libc::c_void, kept - deep, libc::MADV_DONTNEED) };
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nobody runs on it: a run borrows the stack.
        unsafe { libc::munmap(self.base.cast(), self.size) };
    }
}

/// Calls `entry(ctx, args, out)` on the stack that ends at `top`. Returns 0, or what was given to [`leave`].
///
/// # Safety
/// `ctx` is the context that `entry` was compiled for, no `enter` of it is under way, `top` is the aligned end of a stack.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn enter(ctx: *mut Context, entry: Entry, args: *const u64, out: *mut u64, top: usize) -> u64 {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "stmxcsr [rsp]",
        "fnstcw [rsp + 4]",
        "ldmxcsr dword ptr [rip + {standard}]",
        "mov [rdi + {host}], rsp",
        "mov rsp, r8",
        "mov rbx, rdi",
        "mov rax, rsi",
        "mov rsi, rdx",
        "mov rdx, rcx",
        "call rax",
        "mov rdi, rbx",
        "xor esi, esi",
        "jmp {leave}",
        host = const HOST_OFFSET,
        leave = sym leave,
        standard = sym STANDARD_WORD,
    )
}

/// Returns `status` from the [`enter`] that is under way.
///
/// # Safety
/// Called from compiled code or the runtime below `enter`, with no destructor pending on the stack being left.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn leave(ctx: *mut Context, status: u64) -> ! {
    naked_asm!(
        "mov rsp, [rdi + {host}]",
        "mov qword ptr [rdi + {host}], 0",
        "mov rax, rsi",
        "ldmxcsr [rsp]",
        "fldcw [rsp + 4]",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
        host = const HOST_OFFSET,
    )
}

/// Calls `f(ctx, argument)` on the thread's own stack and returns its result.
///
/// # Safety
/// Called below [`enter`], not from within another `on_host`. `f` doesn't unwind and doesn't [`leave`].
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn on_host(ctx: *mut Context, f: OnHost, argument: *mut u8) -> u64 {
    naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "mov rax, rsi",
        "mov rsi, rdx",
        "mov rsp, [rdi + {host}]",
        "and rsp, -16",
        "call rax",
        "mov rsp, rbp",
        "pop rbp",
        "ret",
        host = const HOST_OFFSET,
    )
}

/// What [`on_host`] calls.
pub type OnHost = unsafe extern "C" fn(*mut Context, *mut u8) -> u64;

/// Calls `entry(ctx, args, out)` on the stack that ends at `top`. Returns 0, or what was given to [`leave`].
///
/// # Safety
/// `ctx` is the context that `entry` was compiled for, no `enter` of it is under way, `top` is the aligned end of a stack.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
pub unsafe extern "C" fn enter(ctx: *mut Context, entry: Entry, args: *const u64, out: *mut u64, top: usize) -> u64 {
    naked_asm!(
        "sub sp, sp, #176",
        "stp x29, x30, [sp, #0]",
        "stp x19, x20, [sp, #16]",
        "stp x21, x22, [sp, #32]",
        "stp x23, x24, [sp, #48]",
        "stp x25, x26, [sp, #64]",
        "stp x27, x28, [sp, #80]",
        "stp d8, d9, [sp, #96]",
        "stp d10, d11, [sp, #112]",
        "stp d12, d13, [sp, #128]",
        "stp d14, d15, [sp, #144]",
        "mrs x9, fpcr",
        "str x9, [sp, #160]",
        "msr fpcr, xzr",
        "mov x9, sp",
        "str x9, [x0, #{host}]",
        "mov sp, x4",
        "mov x19, x0",
        "mov x9, x1",
        "mov x1, x2",
        "mov x2, x3",
        "mov x29, xzr",
        "blr x9",
        "mov x0, x19",
        "mov x1, xzr",
        "b {leave}",
        host = const HOST_OFFSET,
        leave = sym leave,
    )
}

/// Returns `status` from the [`enter`] that is under way.
///
/// # Safety
/// Called from compiled code or the runtime below `enter`, with no destructor pending on the stack being left.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
pub unsafe extern "C" fn leave(ctx: *mut Context, status: u64) -> ! {
    naked_asm!(
        "ldr x9, [x0, #{host}]",
        "str xzr, [x0, #{host}]",
        "mov sp, x9",
        "mov x0, x1",
        "ldp x29, x30, [sp, #0]",
        "ldp x19, x20, [sp, #16]",
        "ldp x21, x22, [sp, #32]",
        "ldp x23, x24, [sp, #48]",
        "ldp x25, x26, [sp, #64]",
        "ldp x27, x28, [sp, #80]",
        "ldp d8, d9, [sp, #96]",
        "ldp d10, d11, [sp, #112]",
        "ldp d12, d13, [sp, #128]",
        "ldp d14, d15, [sp, #144]",
        "ldr x9, [sp, #160]",
        "msr fpcr, x9",
        "add sp, sp, #176",
        "ret",
        host = const HOST_OFFSET,
    )
}

/// Calls `f(ctx, argument)` on the thread's own stack and returns its result.
///
/// # Safety
/// Called below [`enter`], not from within another `on_host`. `f` doesn't unwind and doesn't [`leave`].
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
pub unsafe extern "C" fn on_host(ctx: *mut Context, f: OnHost, argument: *mut u8) -> u64 {
    naked_asm!(
        "stp x29, x30, [sp, #-16]!",
        "mov x29, sp",
        "mov x9, x1",
        "mov x1, x2",
        "ldr x10, [x0, #{host}]",
        "mov sp, x10",
        "blr x9",
        "mov sp, x29",
        "ldp x29, x30, [sp], #16",
        "ret",
        host = const HOST_OFFSET,
    )
}
