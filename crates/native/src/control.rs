//! The floating-point control word of a thread, for code of ours that runs outside compiled code.
//!
//! The evaluator, and the compiler where it computes constants, must see IEEE arithmetic too. In a process that isn't ours a thread may
//! flush denormals or round otherwise; that is restored afterwards.

/// While this is alive the thread has the standard control word. It is dropped on the thread that made it.
pub struct Standard {
    host: u64,
    /// The word belongs to a thread.
    _here: std::marker::PhantomData<*const ()>,
}

impl Standard {
    pub fn enter() -> Standard {
        let host = read();
        if host != STANDARD {
            write(STANDARD);
        }
        Standard { host, _here: std::marker::PhantomData }
    }

    /// Calls `body`, which is the host's code, with the host's control word.
    pub fn leave_for<T>(&self, body: impl FnOnce() -> T) -> T {
        struct Back;
        impl Drop for Back {
            fn drop(&mut self) {
                write(STANDARD);
            }
        }
        write(self.host);
        let _back = Back;
        body()
    }
}

impl Drop for Standard {
    fn drop(&mut self) {
        if read() != self.host {
            write(self.host);
        }
    }
}

#[cfg(target_arch = "x86_64")]
const STANDARD: u64 = crate::stack::STANDARD_CONTROL as u64;
#[cfg(target_arch = "aarch64")]
const STANDARD: u64 = 0;

/// The control word, without the flags of operations that were inexact and so on.
#[cfg(target_arch = "x86_64")]
fn read() -> u64 {
    const FLAGS: u32 = 0x3f;
    let mut word = 0_u32;
    // SAFETY: stores the register to a variable.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack, preserves_flags)) };
    u64::from(word & !FLAGS)
}

#[cfg(target_arch = "x86_64")]
fn write(word: u64) {
    let word = word as u32;
    // SAFETY: the word is one that was read, or the one that a process starts with.
    unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack, preserves_flags)) };
}

#[cfg(target_arch = "aarch64")]
fn read() -> u64 {
    let word: u64;
    // SAFETY: reads the register.
    unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) word, options(nomem, nostack, preserves_flags)) };
    word
}

#[cfg(target_arch = "aarch64")]
fn write(word: u64) {
    // SAFETY: the word is one that was read, or the one that a process starts with.
    unsafe { std::arch::asm!("msr fpcr, {}", in(reg) word, options(nomem, nostack, preserves_flags)) };
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use std::hint::black_box;

    use super::*;
    use crate::runtime::Context;
    use crate::stack::{self, Stack};

    /// Flush results to zero, and take denormal arguments as zero.
    const FLUSHING: u64 = STANDARD | 0x8040;

    fn halved() -> f64 {
        black_box(f64::MIN_POSITIVE) * black_box(0.5)
    }

    unsafe extern "C" fn entry(_: *mut Context, _: *const u64, out: *mut u64) {
        // SAFETY: the run gives room for one word.
        unsafe { out.write(halved().to_bits()) };
    }

    #[test]
    fn the_evaluator_and_compiled_code_keep_denormals_where_the_host_flushes_them() {
        let before = read();
        write(FLUSHING);
        let flushed = halved();
        let (inside, outside) = {
            let standard = Standard::enter();
            (halved(), standard.leave_for(halved))
        };
        let mut out = 0;
        let (mut ctx, stack) = (Context::new(), Stack::new().expect("a stack"));
        // SAFETY: `entry` needs no argument and writes one word.
        unsafe { stack::enter(&raw mut *ctx, entry, std::ptr::null(), &raw mut out, stack.top()) };
        let after = read();
        write(before);
        assert_eq!((flushed, outside, after), (0.0, 0.0, FLUSHING));
        assert_eq!((inside, f64::from_bits(out)), (f64::MIN_POSITIVE / 2.0, f64::MIN_POSITIVE / 2.0));
    }
}
