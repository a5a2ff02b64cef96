//! What compiled code asks of sensitivities of arrays: one element of them, and sums.

use std::slice;

use base::{Code, codes};

use super::object::{self, ArrayView};
use super::prim::rt_prim;
use super::{Context, collector, fail_with};

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
