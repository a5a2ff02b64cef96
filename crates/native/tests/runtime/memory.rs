//! Objects and their end.

use std::time::Instant;

use eval::Value;
use native::run::Runner;
use native::runtime::Context;
use native::runtime::symbols::rt_free;

use crate::program::{HANDLE, INT, LIST, REALS, list, run, shapes, shown, tables};

/// Releases its argument.
unsafe extern "C" fn forget(ctx: *mut Context, args: *const u64, _out: *mut u64) {
    // SAFETY: the argument is an object that is owned here.
    unsafe { rt_free(ctx, args.read() as *mut u64) };
}

/// Returns its argument.
unsafe extern "C" fn identity(_ctx: *mut Context, args: *const u64, out: *mut u64) {
    // SAFETY: the run gives one word and room for one.
    unsafe { out.write(args.read()) };
}

/// Leaves while everything is alive.
unsafe extern "C" fn give_up(ctx: *mut Context, _args: *const u64, _out: *mut u64) {
    // SAFETY: nothing here has a destructor.
    unsafe { native::runtime::symbols::rt_fail(ctx, 321, 3, 10, 20) };
}

#[test]
fn small_objects_are_used_again() {
    let mut ctx = Context::new();
    let words = 5;
    let first = ctx.allocate(words).expect("room");
    assert_eq!(ctx.live(), 1);
    let second = ctx.allocate(words).expect("room");
    assert_ne!(first, second);
    ctx.reset();
    assert_eq!((ctx.live(), ctx.allocate(words)), (0, Ok(first)));
}

#[test]
fn memory_is_returned_when_a_run_ends() {
    let mut ctx = Context::new();
    for words in (2..200).cycle().take(200_000) {
        ctx.allocate(words).expect("room");
    }
    let peak = ctx.peak_bytes();
    assert!(peak > 200_000 * 8 * 90, "{peak}");
    ctx.reset();
    assert_eq!((ctx.bytes(), ctx.peak_bytes()), (1 << 20, 1 << 20));
}

#[test]
fn chunks_wait_for_the_next_run() {
    let mut ctx = Context::new();
    let mut fill = || -> Vec<*mut u64> {
        let objects = (0..500_000).map(|_| ctx.allocate(10).expect("room")).collect();
        let peak = ctx.peak_bytes();
        assert!((40_000_000..80_000_000).contains(&peak), "{peak}");
        ctx.reset();
        assert_eq!(ctx.bytes(), 1 << 20, "what waits isn't counted");
        objects
    };
    let first = fill();
    assert_eq!(fill(), first);
}

#[test]
fn an_object_larger_than_the_memory_is_refused() {
    let mut ctx = Context::new();
    assert_eq!(ctx.allocate(1 << 40), Err(base::codes::ARRAY_TOO_LARGE));
    assert_eq!(ctx.live(), 0);
}

#[test]
fn the_limit_of_the_memory_is_kept() {
    eval::memory::limit(eval::memory::Meter { used: || 0, limit: 8 << 20 });
    let mut runner = Runner::new().expect("a stack");
    let tables = tables(shapes(vec![]), &[], &[LIST], LIST);
    // Cells have six words, 48 megabytes in all; a chunk of 16 is refused.
    let (result, _) = run(&mut runner, identity, &tables, &[list(1_000_000)]);
    let code = base::codes::OUT_OF_MEMORY;
    assert_eq!(result.err(), Some(native::run::Stop::Memory { code, printed: 0 }));
    let (result, _) = run(&mut runner, identity, &tables, &[list(1000)]);
    result.expect("the list");
}

#[test]
fn a_list_of_a_million_is_written_read_and_freed() {
    let mut runner = Runner::new().expect("a stack");
    let tables = tables(shapes(vec![]), &[], &[LIST], LIST);
    let n = 1_000_000;
    let (result, _) = run(&mut runner, identity, &tables, &[list(n)]);
    let mut rest = result.expect("the list");
    let mut length = 0;
    while let Value::Data(data) = &rest.clone()
        && let [Value::Int(i), tail] = &data.fields[..]
    {
        assert_eq!(*i, length);
        length += 1;
        rest = tail.clone();
    }
    assert_eq!(length, n);
}

#[test]
fn freeing_a_list_of_a_million_needs_no_stack() {
    let mut runner = Runner::new().expect("a stack");
    let mut tables = tables(shapes(vec![]), &[], &[LIST], INT);
    tables.result = Some(crate::program::UNIT);
    let start = Instant::now();
    let (result, _) = run(&mut runner, forget, &tables, &[list(1_000_000)]);
    assert!(result.expect("unit").is_unit());
    assert_eq!(runner.usage().live_after, 0);
    println!("written and freed in {:?}", start.elapsed());
}

#[test]
fn leaving_drops_handles() {
    let mut runner = Runner::new().expect("a stack");
    let tables = tables(shapes(vec![]), &[], &[HANDLE, REALS], HANDLE);
    let array = Value::array(eval::array::Array::vector(vec![1.0; 1000]));
    let Value::Array(rc) = &array else { unreachable!() };
    for _ in 0..10 {
        let (result, _) = run(&mut runner, give_up, &tables, &[array.clone(), array.clone()]);
        result.expect_err("it gives up");
        assert_eq!(std::rc::Rc::strong_count(rc), 1);
    }
    let (result, _) = run(&mut runner, identity_of_two, &tables, &[array.clone(), array.clone()]);
    assert_eq!(shown(&result.expect("the handle")), shown(&array));
    assert_eq!(std::rc::Rc::strong_count(rc), 1);
}

/// Returns the first argument, frees the second.
unsafe extern "C" fn identity_of_two(ctx: *mut Context, args: *const u64, out: *mut u64) {
    // SAFETY: the run gives two objects, owned here, and room for one word.
    unsafe {
        out.write(args.read());
        rt_free(ctx, args.add(1).read() as *mut u64);
    }
}

#[test]
fn a_hundred_thousand_runs_leave_nothing() {
    let mut runner = Runner::new().expect("a stack");
    let tables = tables(shapes(vec![]), &[], &[LIST], LIST);
    let value = list(3);
    let start = Instant::now();
    for _ in 0..100_000 {
        let (result, _) = run(&mut runner, identity, &tables, std::slice::from_ref(&value));
        result.expect("the list");
        assert_eq!(runner.usage().live_after, 0);
    }
    println!("a run: {:?}", start.elapsed() / 100_000);
    assert_eq!(runner.usage().peak_bytes, 1 << 20);
}

#[test]
fn an_array_that_grows_begins_in_the_room_of_the_last_one() {
    use loops::memory::ROOM_SHIFT;
    use native::runtime::arrays::{rt_array, rt_grow};
    use native::runtime::object::{ARRAY, ArrayView, HEADER, OwnDescriptor};
    let (five, three) = (OwnDescriptor::new(ARRAY, 5, [].into_iter()), OwnDescriptor::new(ARRAY, 3, [].into_iter()));
    let mut ctx = Context::new();
    // How often an array asks for more room while it grows to so many elements, as compiled code does, and is freed.
    // SAFETY: the array is owned here, and freed at the end.
    let mut moves = |descriptor: &OwnDescriptor, length: u64| unsafe {
        let mut array = rt_array(&mut *ctx, descriptor.get(), 1, [0].as_ptr(), 0, 0, 0);
        let mut moves = 0;
        for at in 0..length {
            if at < array.add(HEADER).read() >> ROOM_SHIFT {
                ArrayView::new(array).set_length(at as usize + 1);
            } else {
                array = rt_grow(&mut *ctx, array, 0, 0, 0);
                moves += 1;
            }
        }
        rt_free(&mut *ctx, array);
        moves
    };
    assert!(moves(&five, 200) > 3);
    assert_eq!(moves(&five, 200), 1);
    assert_eq!(moves(&five, 3), 1);
    assert!(moves(&three, 200) > 0, "room that doesn't fit is left alone");
    assert!(moves(&five, 100_000) > 3);
    assert!(moves(&five, 100_000) > 3, "what is large goes back to the system");
    assert_eq!(ctx.live(), 0);
}
