//! What compiled code asks of sensitivities of arrays: one element of them, and sums.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;

use base::{Code, codes};
use calculus::Prim;
use eval::Value;

use super::object::{self, ArrayView};
use super::prim::rt_prim;
use super::{Context, Failure, collector, fail_with, handle, leave};
use crate::stack;

/// # Safety
/// As `emit::symbols` says.
pub unsafe extern "C" fn rt_one_hot(ctx: *mut Context, rank: u64, lengths: *const u64, at: u64, x: f64) -> *mut u64 {
    // SAFETY: `lengths` has `rank` words; nothing here has a destructor.
    unsafe {
        let made = (*ctx).collector_one(slice::from_raw_parts(lengths, rank as usize), at, x);
        made.unwrap_or_else(|code| fail_with(ctx, code, None))
    }
}

/// # Safety
/// As `emit::symbols` says.
pub unsafe extern "C" fn rt_add_at(
    ctx: *mut Context,
    sum: *mut u64,
    rank: u64,
    lengths: *const u64,
    at: u64,
    x: f64,
    site: u64,
) -> *mut u64 {
    // SAFETY: `sum` is a live handle, owned; `lengths` has `rank` words; nothing here has a destructor.
    unsafe {
        let lengths = slice::from_raw_parts(lengths, rank as usize);
        if !collector::is_native(sum) {
            let one = (*ctx).collector_one(lengths, at, x).unwrap_or_else(|code| fail_with(ctx, code, None));
            return by_evaluator(ctx, sum, one, site);
        }
        match (*ctx).add_at(sum, lengths, at, x) {
            Ok(sum) => sum,
            Err(code) => failed(ctx, code, site),
        }
    }
}

/// # Safety
/// As `emit::symbols` says.
pub unsafe extern "C" fn rt_place(
    ctx: *mut Context,
    words: *const u64,
    rank: u64,
    indices: u64,
    at: u64,
    count: u64,
    plain: u64,
    site: u64,
) -> *mut u64 {
    // SAFETY: `words` are what the symbol says; nothing here has a destructor.
    unsafe {
        match part_of(ctx, words, rank, indices, count) {
            Part::Native(part) => place(ctx, words, rank, at, part, plain, site),
            Part::Other => placed_by_evaluator(ctx, words, site),
            Part::Misfit => failed(ctx, codes::NOT_CONFORMING, site),
        }
    }
}

/// # Safety
/// As `emit::symbols` says.
pub unsafe extern "C" fn rt_add_placed(
    ctx: *mut Context,
    sum: *mut u64,
    words: *const u64,
    rank: u64,
    indices: u64,
    at: u64,
    count: u64,
    plain: u64,
    site: u64,
    plus: u64,
) -> *mut u64 {
    // SAFETY: `sum` is a live handle, owned; `words` are what the symbol says; nothing here has a destructor.
    unsafe {
        let placed = match part_of(ctx, words, rank, indices, count) {
            Part::Native(part) => {
                let lengths = slice::from_raw_parts(words, rank as usize);
                if let Some(sums) = collector::unshared_elements(sum, lengths) {
                    let sums = &mut sums[at as usize..(at + count) as usize];
                    // In a sensitivity −0.0 is the symbolic zero, in an array of numbers it is a number.
                    let zero = if plain == 0 { collector::HOLE } else { 0.0 };
                    sums.iter_mut().zip(collector::reals(part)).for_each(|(sum, x)| *sum += x + zero);
                    (*ctx).release(part.object as u64);
                    return sum;
                }
                place(ctx, words, rank, at, part, plain, site)
            }
            Part::Other => placed_by_evaluator(ctx, words, site),
            Part::Misfit => failed(ctx, codes::NOT_CONFORMING, site),
        };
        rt_plus(ctx, sum, placed, 0, plus)
    }
}

/// What is to be placed.
enum Part {
    /// An array of reals, in its dense form if it is a sensitivity.
    Native(ArrayView),
    /// A value of the evaluator.
    Other,
    /// It has another shape than the place.
    Misfit,
}

/// # Safety
/// `words` are the lengths, the index, and the part, owned.
unsafe fn part_of(ctx: *mut Context, words: *const u64, rank: u64, indices: u64, count: u64) -> Part {
    // SAFETY: by this function's contract.
    unsafe {
        let part = words.add((rank + indices) as usize).read() as *mut u64;
        if !collector::is_native(part) {
            return Part::Other;
        }
        let array = ArrayView::new((*ctx).dense(part).unwrap_or_else(|code| fail_with(ctx, code, None)));
        let lengths = slice::from_raw_parts(words, rank as usize);
        let behind = array.rank.checked_sub(1).and_then(|behind| lengths.len().checked_sub(behind));
        let fits = array.size() as u64 == count && behind.is_some_and(|from| array.lengths()[1..] == lengths[from..]);
        if fits { Part::Native(array) } else { Part::Misfit }
    }
}

/// # Safety
/// As for [`rt_place`]; the part fits.
unsafe fn place(
    ctx: *mut Context,
    words: *const u64,
    rank: u64,
    at: u64,
    part: ArrayView,
    plain: u64,
    site: u64,
) -> *mut u64 {
    // SAFETY: by this function's contract.
    unsafe {
        let lengths = slice::from_raw_parts(words, rank as usize);
        if let Some(made) = (*ctx).collector_piece(lengths, at, part, plain == 0) {
            (*ctx).release(part.object as u64);
            return made.unwrap_or_else(|code| failed(ctx, code, site));
        }
        let mut axes = [(0, 0); collector::MOST_AXES];
        let first = lengths.len() - part.rank;
        let mut rest = at;
        for axis in (0..lengths.len()).rev() {
            let from = rest.checked_rem(lengths[axis]).unwrap_or(0);
            rest = rest.checked_div(lengths[axis]).unwrap_or(0);
            let extent = if axis < first { 1 } else { part.lengths()[axis - first] };
            // A range that ends the axis and is empty begins where the next row does.
            axes[axis] = if extent == 0 { (0, 0) } else { (from, from + extent) };
        }
        match (*ctx).collector_box(lengths, &axes[..lengths.len()], part.object, plain == 0) {
            Ok(object) => object,
            Err(code) => failed(ctx, code, site),
        }
    }
}

/// # Safety
/// As for [`rt_place`].
unsafe fn placed_by_evaluator(ctx: *mut Context, words: *const u64, site: u64) -> *mut u64 {
    let mut out = 0u64;
    // SAFETY: the site is that of the primitive whose arguments these are; its result is one word.
    unsafe { rt_prim(ctx, site, words, &raw mut out) };
    out as *mut u64
}

/// # Safety
/// As `emit::symbols` says.
pub unsafe extern "C" fn rt_plus(ctx: *mut Context, a: *mut u64, b: *mut u64, plain: u64, site: u64) -> *mut u64 {
    // SAFETY: both are live, owned, and what `plain` says; nothing here has a destructor.
    unsafe {
        if !collector::is_native(a) || !collector::is_native(b) {
            return by_evaluator(ctx, a, b, site);
        }
        let a = if plain & 1 == 0 { a } else { as_sensitivity(ctx, a) };
        let b = if plain & 2 == 0 { b } else { as_sensitivity(ctx, b) };
        match (*ctx).plus(a, b) {
            Ok(sum) => sum,
            Err(code) => failed(ctx, code, site),
        }
    }
}

/// # Safety
/// As `emit::symbols` says.
pub unsafe extern "C" fn rt_dense(ctx: *mut Context, sensitivity: *mut u64, rank: u64) -> *mut u64 {
    // SAFETY: it is a live handle, owned; nothing here has a destructor.
    unsafe {
        let native = if collector::is_native(sensitivity) { sensitivity } else { out_of_value(ctx, sensitivity) };
        let array = (*ctx).dense(native).unwrap_or_else(|code| fail_with(ctx, code, None));
        let view = ArrayView::new(array);
        if view.rank as u64 == rank {
            return array;
        }
        if view.size() > 0 || rank as usize > collector::MOST_AXES {
            (*ctx).fail(Failure::Mismatch(format!("a sensitivity hasn't {rank} axes")));
            leave(ctx);
        }
        // Empty arrays conform whatever their rank.
        let lengths = [0; collector::MOST_AXES];
        let made = (*ctx).collector_dense(&lengths[..rank as usize], &[], true);
        (*ctx).release(array as u64);
        made.unwrap_or_else(|code| fail_with(ctx, code, None))
    }
}

/// A sensitivity that the evaluator collected, owned, as one of this runtime.
///
/// # Safety
/// It is a live handle to a value.
unsafe fn out_of_value(ctx: *mut Context, mut object: *mut u64) -> *mut u64 {
    // SAFETY: by this function's contract; `read_out` catches what unwinds.
    unsafe {
        if stack::on_host(ctx, read_out, (&raw mut object).cast()) != 0 {
            leave(ctx);
        }
    }
    object
}

/// Puts the sensitivity instead of its handle, on the thread's stack; 0 if it went well.
unsafe extern "C" fn read_out(ctx: *mut Context, object: *mut u8) -> u64 {
    // SAFETY: `out_of_value` gave the context of the run and the place of the handle, and waits.
    let (ctx, place) = unsafe { (&mut *ctx, &mut *object.cast::<*mut u64>()) };
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the handle is alive; it isn't used again once it is released.
        let value = unsafe { handle::value(*place).clone() };
        // Times one it is the same, and no sum any more.
        let times_one = [value, Value::Real(1.0), Value::Zero];
        let array = match eval::prims::compute_values(Prim::Scale, times_one) {
            Ok(Value::Array(array)) => array,
            Ok(_) => return Err(Failure::Mismatch("a sensitivity isn't that of an array".into())),
            Err(fault) => return Err(Failure::Error { code: fault.code, span: None }),
        };
        let Some(reals) = array.to_reals() else {
            return Err(Failure::Mismatch("a sensitivity isn't that of reals".into()));
        };
        let lengths: Vec<u64> = array.shape.iter().map(|&n| n as u64).collect();
        let dense = ctx.collector_dense(&lengths, &reals, array.holes);
        let dense = dense.map_err(|code| Failure::Error { code, span: None })?;
        // SAFETY: it was owned.
        unsafe { ctx.release(std::mem::replace(place, dense) as u64) };
        Ok(())
    }));
    ctx.ended(outcome)
}

/// An owned array of numbers as a sensitivity: −0.0 in it is a number.
///
/// # Safety
/// It is a live array of reals.
unsafe fn as_sensitivity(ctx: *mut Context, array: *mut u64) -> *mut u64 {
    // SAFETY: by this function's contract.
    unsafe {
        let view = ArrayView::new(array);
        if object::count(array) == 1 {
            let elements = slice::from_raw_parts_mut(view.elements().cast::<f64>(), view.size());
            elements.iter_mut().for_each(|x| *x += 0.0);
            return array;
        }
        let whole: Vec<(u64, u64)> = view.lengths().iter().map(|&length| (0, length)).collect();
        let made = (*ctx).collector_box(view.lengths(), &whole, array, false);
        drop(whole);
        made.unwrap_or_else(|code| fail_with(ctx, code, None))
    }
}

/// The primitive itself, on values.
///
/// # Safety
/// Both are live and owned.
unsafe fn by_evaluator(ctx: *mut Context, a: *mut u64, b: *mut u64, site: u64) -> *mut u64 {
    let (mut args, mut out) = ([a as u64, b as u64], 0u64);
    // SAFETY: the site is that of ⊕, whose arguments and result are one word each.
    unsafe { rt_prim(ctx, site, args.as_mut_ptr().cast_const(), &raw mut out) };
    out as *mut u64
}

/// # Safety
/// On the compiled code's stack, with nothing pending that has a destructor.
unsafe fn failed(ctx: *mut Context, code: Code, site: u64) -> ! {
    // SAFETY: a run is under way.
    unsafe {
        let span = (code == codes::NOT_CONFORMING).then(|| (*ctx).environment().sites[site as usize].span);
        fail_with(ctx, code, span)
    }
}
