//! The thread that does the work, and what is said when we break.
//!
//! The work runs on a large stack: deep data may be walked recursively somewhere. A panic there is a bug of ours;
//! it is reported with the name of the pass and ends the process with its own exit code. One that somebody catches isn't
//! reported: where a stage of the compiler breaks, the reference evaluator runs the step.

use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::PanicHookInfo;
use std::sync::{Arc, Mutex};
use std::thread;

pub const EXIT_CODE: u8 = 101;

/// The name of the thread that works.
const THREAD: &str = "evert";

/// Reserved, not used: pages are taken when they are touched. Where so much can't be reserved, less has to do.
const STACK_SIZES: [usize; 3] = [1 << 30, 1 << 28, 1 << 25];

/// Runs the work on a large stack; `None` if it broke, which has been said then.
pub fn guarded<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    // The work goes to the first thread that can be made, so it waits where each of them can take it.
    let waiting = Arc::new(Mutex::new(Some(work)));
    for size in STACK_SIZES {
        let waiting = waiting.clone();
        let body = move || take(&waiting).map(|work| work());
        if let Ok(handle) = thread::Builder::new().name(THREAD.into()).stack_size(size).spawn(body) {
            return handle.join().unwrap_or_else(|_| {
                eprintln!("{}", last_bug());
                None
            });
        }
    }
    eprintln!("evert: there is no memory for a stack");
    None
}

fn take<T>(waiting: &Mutex<Option<T>>) -> Option<T> {
    waiting.lock().ok()?.take()
}

/// What the last panic on the thread that works was about: it is said when the thread ends by it.
static LAST_BUG: Mutex<String> = Mutex::new(String::new());

fn last_bug() -> String {
    LAST_BUG.lock().map_or_else(|_| "evert: internal error".to_string(), |last| last.clone())
}

/// From now on a panic that nobody catches is reported as a bug of ours.
pub fn report_bugs() {
    std::panic::set_hook(Box::new(|panic| {
        let ends_the_process = message(panic.payload()).starts_with("panic in a ");
        if ends_the_process {
            eprintln!("{}", last_bug());
        }
        match LAST_BUG.lock() {
            Ok(mut last) if thread::current().name() == Some(THREAD) && !ends_the_process => *last = explanation(panic),
            _ => eprintln!("{}", explanation(panic)),
        }
    }));
}

fn explanation(panic: &PanicHookInfo) -> String {
    let place = panic.location().map_or("an unknown place".to_string(), |place| place.to_string());
    let pass = panic.location().map_or("unknown", |place| pass_of(place.file()));
    let mut text = format!(
        "evert: internal error in the pass `{pass}`: {}\n  at {place}, version {}\n  \
         This is a bug in Evert, not in your program. Please report it together with the program.",
        message(panic.payload()),
        evert::VERSION
    );
    let backtrace = Backtrace::capture();
    if backtrace.status() == BacktraceStatus::Captured {
        text += &format!("\n{backtrace}");
    }
    text
}

fn message(payload: &dyn Any) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// Each pass is a crate: `crates/elaborate/src/rules.rs` belongs to `elaborate`.
fn pass_of(file: &str) -> &str {
    let mut parts = file.split(['/', '\\']).skip_while(|part| *part != "crates");
    parts.nth(1).unwrap_or("a library")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_not_passed_on() {
        assert_eq!(guarded(|| 1), Some(1));
        assert_eq!(guarded(|| -> i32 { panic!("syntax: broken") }), None);
    }

    #[test]
    fn a_pass_is_named_after_its_crate() {
        assert_eq!(pass_of("crates/eval/src/machine.rs"), "eval");
        assert_eq!(pass_of("/rustc/abc/library/core/src/option.rs"), "a library");
    }

    #[test]
    fn the_stack_is_large() {
        fn deep(n: u32) -> u64 {
            let room = std::hint::black_box([u64::from(n); 64]);
            if n == 0 { 0 } else { deep(n - 1) + room[0].min(1) }
        }
        assert_eq!(guarded(|| deep(200_000)), Some(200_000));
    }
}
