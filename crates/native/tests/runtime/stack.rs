//! Deep recursion, its end, and leaving from anywhere.

use base::codes;
use eval::Value;
use native::run::{Runner, Stop};
use native::runtime::Context;
use native::runtime::symbols::rt_fail;

use crate::program::{INT, run, shapes, span, tables};

/// 1 + 1 + … as compiled code would recurse.
#[inline(never)]
unsafe extern "C" fn depth(ctx: *mut Context, n: u64) -> u64 {
    let mut frame = [n; 8];
    let frame = std::hint::black_box(&mut frame);
    // SAFETY: the context is that of the run.
    if (frame.as_ptr() as usize) < unsafe { (*ctx).stack_limit } {
        // SAFETY: nothing here has a destructor.
        unsafe { rt_fail(ctx, u64::from(codes::RECURSION_TOO_DEEP.0), 3, 10, 20) };
    }
    // SAFETY: there is room for one more frame.
    if n == 0 { 0 } else { unsafe { depth(ctx, frame[1] - 1) + 1 } }
}

unsafe extern "C" fn recurse(ctx: *mut Context, args: *const u64, out: *mut u64) {
    // SAFETY: the run gives one word and room for one.
    unsafe { out.write(depth(ctx, args.read())) };
}

#[test]
fn recursion_a_million_deep_is_fine() {
    let mut runner = Runner::new().expect("a stack");
    let tables = tables(shapes(vec![]), &[], &[INT], INT);
    for n in [1_000_000, 5, 4_000_000] {
        let (result, _) = run(&mut runner, recurse, &tables, &[Value::Int(n)]);
        assert!(matches!(result, Ok(Value::Int(m)) if m == n), "{result:?}");
    }
}

#[test]
fn recursion_without_end_is_an_error() {
    // The memory's limit limits the stack, so that the test doesn't touch all of it.
    eval::memory::limit(eval::memory::Meter { used: || 0, limit: 256 << 20 });
    let mut runner = Runner::new().expect("a stack");
    let tables = tables(shapes(vec![]), &[], &[INT], INT);
    for _ in 0..3 {
        let (result, _) = run(&mut runner, recurse, &tables, &[Value::Int(i64::MAX)]);
        let code = codes::RECURSION_TOO_DEEP;
        assert_eq!(result.expect_err("too deep"), Stop::Error { code, span: span(), printed: 0 });
        let (result, _) = run(&mut runner, recurse, &tables, &[Value::Int(10)]);
        result.expect("not deep");
    }
}
