//! The functions that compiled code may call, with their names: failures, memory, texts, powers.

use std::ffi::c_void;

use base::{Code, FileId, Span, codes};
use eval::Value;

use super::arrays::{rt_array, rt_copy_array, rt_grow, rt_replace_row, rt_row, rt_store_row};
use super::checks::{
    rt_check_alone, rt_check_array, rt_check_axis, rt_check_element, rt_check_holds, rt_check_matrix, rt_check_node,
    rt_check_object, rt_check_pointer,
};
use super::collect::{rt_add_at, rt_add_placed, rt_dense, rt_one_hot, rt_place, rt_plus};
use super::handle;
use super::pieces::{rt_pieces, rt_sum_pieces};
use super::prim::rt_prim;
use super::products::{rt_product, rt_products};
use super::{Context, fail_with};
use crate::stack;

/// Every symbol that compiled code may leave undefined, with its address.
pub fn symbols() -> Vec<(&'static str, *const ())> {
    vec![
        ("rt_fail", rt_fail as *const ()),
        ("rt_free", rt_free as *const ()),
        ("rt_refill", rt_alloc as *const ()),
        ("rt_alloc", rt_alloc as *const ()),
        ("rt_array", rt_array as *const ()),
        ("rt_row", rt_row as *const ()),
        ("rt_copy_array", rt_copy_array as *const ()),
        ("rt_replace_row", rt_replace_row as *const ()),
        ("rt_store_row", rt_store_row as *const ()),
        ("rt_grow", rt_grow as *const ()),
        ("rt_prim", rt_prim as *const ()),
        ("rt_products", rt_products as *const ()),
        ("rt_product", rt_product as *const ()),
        ("rt_one_hot", rt_one_hot as *const ()),
        ("rt_add_at", rt_add_at as *const ()),
        ("rt_place", rt_place as *const ()),
        ("rt_add_placed", rt_add_placed as *const ()),
        ("rt_plus", rt_plus as *const ()),
        ("rt_dense", rt_dense as *const ()),
        ("rt_text", rt_text as *const ()),
        ("rt_quiet", rt_quiet as *const ()),
        ("rt_int_pow", rt_int_pow as *const ()),
        ("rt_power_slope", rt_power_slope as *const ()),
        ("rt_power_log", rt_power_log as *const ()),
        ("rt_sum_chunk", rt_sum_chunk as *const ()),
        ("rt_sum_end", rt_sum_end as *const ()),
        ("rt_pieces", rt_pieces as *const ()),
        ("rt_sum_pieces", rt_sum_pieces as *const ()),
        ("rt_give_back", rt_give_back as *const ()),
        ("rt_check_holds", rt_check_holds as *const ()),
        ("rt_check_object", rt_check_object as *const ()),
        ("rt_check_pointer", rt_check_pointer as *const ()),
        ("rt_check_alone", rt_check_alone as *const ()),
        ("rt_check_node", rt_check_node as *const ()),
        ("rt_check_axis", rt_check_axis as *const ()),
        ("rt_check_array", rt_check_array as *const ()),
        ("rt_check_matrix", rt_check_matrix as *const ()),
        ("rt_check_element", rt_check_element as *const ()),
        ("fmod", fmod as *const ()),
        ("floor", floor as *const ()),
        ("ceil", ceil as *const ()),
        ("trunc", trunc as *const ()),
        ("roundeven", roundeven as *const ()),
        ("sqrt", sqrt as *const ()),
        ("fma", fma as *const ()),
        ("memcpy", memcpy as *const ()),
        ("memmove", memmove as *const ()),
        ("memset", memset as *const ()),
    ]
}

unsafe extern "C" {
    fn memcpy(to: *mut c_void, from: *const c_void, bytes: usize) -> *mut c_void;
    fn memmove(to: *mut c_void, from: *const c_void, bytes: usize) -> *mut c_void;
    fn memset(to: *mut c_void, byte: i32, bytes: usize) -> *mut c_void;
}

/// The span that three words say.
pub(super) fn span(file: u64, start: u64, end: u64) -> Span {
    Span { file: FileId(file as u32), start: start as u32, end: end as u32 }
}

/// # Safety
/// As `emit::symbols` says.
pub unsafe extern "C" fn rt_fail(ctx: *mut Context, code: u64, file: u64, start: u64, end: u64) -> ! {
    // SAFETY: called by compiled code; nothing here has a destructor.
    unsafe { fail_with(ctx, Code(code as u16), Some(span(file, start, end))) }
}

/// # Safety
/// As `emit::symbols` says; for `rt_refill` too.
pub unsafe extern "C" fn rt_alloc(ctx: *mut Context, words: u64) -> *mut u64 {
    // SAFETY: `ctx` is the live context; nothing here has a destructor.
    unsafe {
        match (*ctx).allocate(words as usize) {
            Ok(object) => object,
            Err(code) => fail_with(ctx, code, None),
        }
    }
}

/// # Safety
/// As `emit::symbols` says.
pub unsafe extern "C" fn rt_free(ctx: *mut Context, object: *mut u64) {
    // SAFETY: the object has no owner. Dead handles are dropped on the thread's stack, where the evaluator's drops have room.
    unsafe {
        let dead = (*ctx).free(object);
        if !dead.is_null() {
            stack::on_host(ctx, drop_dead, dead.cast());
        }
    }
}

/// # Safety
/// As `emit::symbols` says.
pub unsafe extern "C" fn rt_give_back(ctx: *mut Context, object: *mut u64) {
    // SAFETY: the object has no owner.
    unsafe { (*ctx).give_back(object) };
}

unsafe extern "C" fn drop_dead(ctx: *mut Context, dead: *mut u8) -> u64 {
    // SAFETY: the list is one that `free` returned; `rt_free` has no borrow of the context now.
    unsafe { handle::drop_dead(&mut *ctx, dead.cast()) };
    0
}

/// Takes an owner from an object, on the compiled code's stack.
///
/// # Safety
/// `object` is an object whose count the caller gives up.
pub(super) unsafe fn release_here(ctx: *mut Context, object: *mut u64) {
    // SAFETY: by this function's contract.
    unsafe {
        *object -= 1;
        if *object == 0 {
            rt_free(ctx, object);
        }
    }
}

/// # Safety
/// As `emit::symbols` says.
pub unsafe extern "C" fn rt_text(ctx: *mut Context, text: u64) -> *mut u64 {
    // SAFETY: a run is under way, and the text is in its table.
    unsafe {
        let text = &(*ctx).environment().texts[text as usize];
        match (*ctx).handle(Value::text(&**text)) {
            Ok(object) => object,
            Err(code) => fail_with(ctx, code, None),
        }
    }
}

/// # Safety
/// As `emit::symbols` says.
pub unsafe extern "C" fn rt_quiet(ctx: *mut Context, change: i64) {
    // SAFETY: a run is under way.
    let quiet = unsafe { &(*ctx).environment().quiet };
    quiet.set(quiet.get() + change);
}

/// # Safety
/// As `emit::symbols` says.
pub unsafe extern "C" fn rt_int_pow(ctx: *mut Context, a: i64, b: i64, file: u64, start: u64, end: u64) -> i64 {
    match int_power(a, b) {
        Ok(power) => power,
        // SAFETY: called by compiled code; nothing here has a destructor.
        Err(code) => unsafe { fail_with(ctx, code, Some(span(file, start, end))) },
    }
}

fn int_power(a: i64, b: i64) -> Result<i64, Code> {
    if b < 0 {
        return Err(codes::NEGATIVE_INT_POWER);
    }
    match (a, u32::try_from(b)) {
        (0 | 1, Err(_)) => Ok(a),
        (-1, Err(_)) => Ok(if b % 2 == 0 { 1 } else { -1 }),
        (_, Err(_)) => Err(codes::INT_OVERFLOW),
        (_, Ok(b)) => a.checked_pow(b).ok_or(codes::INT_OVERFLOW),
    }
}

/// # Safety
/// As `emit::symbols` says.
unsafe extern "C" fn rt_sum_chunk(sum: f64, room: *mut f64, chunk: u64) {
    // SAFETY: compiled code gives room for 64.
    numerics::summation::push_chunk(unsafe { std::slice::from_raw_parts_mut(room, 64) }, chunk, sum);
}

/// # Safety
/// As `emit::symbols` says.
unsafe extern "C" fn rt_sum_end(room: *const f64, chunks: u64) -> f64 {
    // SAFETY: as above.
    numerics::summation::total_of(unsafe { std::slice::from_raw_parts(room, 64) }, chunks)
}

/// `b (b-1) … (b-k+1) a^(b-k)`
pub(super) extern "C" fn rt_power_slope(a: f64, b: f64, k: i64) -> f64 {
    let factor = (0..k).fold(1.0, |factor, j| factor * (b - j as f64));
    if factor == 0.0 { 0.0 } else { factor * numerics::pow(a, b - k as f64) }
}

/// `a^b log(a)^k`
pub(super) extern "C" fn rt_power_log(a: f64, b: f64, k: i64) -> f64 {
    if a == 0.0 && b > 0.0 {
        return 0.0;
    }
    (0..k).fold(numerics::pow(a, b), |power, _| power * numerics::log(a))
}

extern "C" fn fmod(a: f64, b: f64) -> f64 {
    a % b
}

extern "C" fn floor(a: f64) -> f64 {
    a.floor()
}

extern "C" fn ceil(a: f64) -> f64 {
    a.ceil()
}

extern "C" fn trunc(a: f64) -> f64 {
    a.trunc()
}

extern "C" fn roundeven(a: f64) -> f64 {
    a.round_ties_even()
}

extern "C" fn sqrt(a: f64) -> f64 {
    a.sqrt()
}

extern "C" fn fma(a: f64, b: f64, c: f64) -> f64 {
    numerics::fma(a, b, c)
}
