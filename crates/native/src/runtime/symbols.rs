//! The functions that compiled code may call: their names, addresses and types; and those for failures, memory, texts, powers.
//!
//! `loops::symbols` says what each is for. What always holds: a function has the types that are declared there; a test compares them.

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
use super::pieces::{Piece, rt_pieces, rt_sum_pieces};
use super::prim::rt_prim;
use super::products::{rt_product, rt_products};
use super::{Context, fail_with};
use crate::stack;

/// A function that compiled code may call.
pub struct Symbol {
    pub name: &'static str,
    pub address: *const (),
    /// The types of its result and parameters, as Rust's compiler knows them.
    pub types: (&'static str, Vec<&'static str>),
}

/// A type of words that compiled code passes, by LLVM's name for it.
trait Passed {
    const TYPE: &'static str;
}

macro_rules! passed {
    ($($ty:ty: $name:literal),*) => { $(impl Passed for $ty { const TYPE: &'static str = $name; })* };
}

passed!((): "void", Never: "void", u64: "i64", i64: "i64", usize: "i64", i32: "i32", f64: "double", Piece: "ptr");

impl<T> Passed for *mut T {
    const TYPE: &'static str = "ptr";
}

impl<T> Passed for *const T {
    const TYPE: &'static str = "ptr";
}

/// What a function that never returns gives: a type that has no name of its own yet.
type Never = <fn() -> ! as Returns>::Result;

trait Returns {
    type Result;
}

impl<R> Returns for fn() -> R {
    type Result = R;
}

/// A function in the C convention.
trait Function {
    fn types() -> (&'static str, Vec<&'static str>);
}

macro_rules! functions {
    ($($($param:ident)*;)*) => { $(
        impl<R: Passed, $($param: Passed),*> Function for unsafe extern "C" fn($($param),*) -> R {
            fn types() -> (&'static str, Vec<&'static str>) {
                (R::TYPE, vec![$($param::TYPE),*])
            }
        }
    )* };
}

functions! {
    A; A B; A B C; A B C D; A B C D E; A B C D E F; A B C D E F G; A B C D E F G H; A B C D E F G H I; A B C D E F G H I J;
}

fn types_of<F: Function>(_: F) -> (&'static str, Vec<&'static str>) {
    F::types()
}

/// A symbol, and the function that it is. Its parameters are only counted.
macro_rules! symbol {
    ($name:literal, $function:ident($($param:tt),*)) => {
        Symbol {
            name: $name,
            address: $function as *const (),
            types: types_of($function as unsafe extern "C" fn($($param),*) -> _),
        }
    };
}

/// Every symbol that compiled code may leave undefined, in the order of [`loops::symbols::SIGNATURES`].
pub fn symbols() -> Vec<Symbol> {
    vec![
        symbol!("rt_fail", rt_fail(_, _, _, _, _)),
        symbol!("rt_free", rt_free(_, _)),
        symbol!("rt_refill", rt_alloc(_, _)),
        symbol!("rt_alloc", rt_alloc(_, _)),
        symbol!("rt_array", rt_array(_, _, _, _, _, _, _)),
        symbol!("rt_row", rt_row(_, _, _, _)),
        symbol!("rt_copy_array", rt_copy_array(_, _)),
        symbol!("rt_replace_row", rt_replace_row(_, _, _, _, _, _, _, _)),
        symbol!("rt_store_row", rt_store_row(_, _, _, _, _, _, _, _)),
        symbol!("rt_grow", rt_grow(_, _, _, _, _)),
        symbol!("rt_prim", rt_prim(_, _, _, _)),
        symbol!("rt_products", rt_products(_, _, _, _, _, _, _, _, _, _)),
        symbol!("rt_product", rt_product(_, _, _, _, _, _, _)),
        symbol!("rt_one_hot", rt_one_hot(_, _, _, _, _)),
        symbol!("rt_add_at", rt_add_at(_, _, _, _, _, _, _)),
        symbol!("rt_place", rt_place(_, _, _, _, _, _, _, _)),
        symbol!("rt_add_placed", rt_add_placed(_, _, _, _, _, _, _, _, _, _)),
        symbol!("rt_plus", rt_plus(_, _, _, _, _)),
        symbol!("rt_dense", rt_dense(_, _, _)),
        symbol!("rt_text", rt_text(_, _)),
        symbol!("rt_quiet", rt_quiet(_, _)),
        symbol!("rt_int_pow", rt_int_pow(_, _, _, _, _, _)),
        symbol!("rt_power_slope", rt_power_slope(_, _, _)),
        symbol!("rt_power_log", rt_power_log(_, _, _)),
        symbol!("rt_sum_chunk", rt_sum_chunk(_, _, _)),
        symbol!("rt_sum_end", rt_sum_end(_, _)),
        symbol!("rt_pieces", rt_pieces(_, _, _, _, _)),
        symbol!("rt_sum_pieces", rt_sum_pieces(_, _, _, _, _, _)),
        symbol!("rt_give_back", rt_give_back(_, _)),
        symbol!("rt_check_holds", rt_check_holds(_, _)),
        symbol!("rt_check_object", rt_check_object(_, _)),
        symbol!("rt_check_pointer", rt_check_pointer(_, _)),
        symbol!("rt_check_alone", rt_check_alone(_, _)),
        symbol!("rt_check_node", rt_check_node(_, _, _)),
        symbol!("rt_check_axis", rt_check_axis(_, _, _)),
        symbol!("rt_check_array", rt_check_array(_, _, _, _, _)),
        symbol!("rt_check_matrix", rt_check_matrix(_, _, _, _, _, _, _, _)),
        symbol!("rt_check_element", rt_check_element(_, _, _, _, _, _)),
        symbol!("fmod", fmod(_, _)),
        symbol!("floor", floor(_)),
        symbol!("ceil", ceil(_)),
        symbol!("trunc", trunc(_)),
        symbol!("roundeven", roundeven(_)),
        symbol!("sqrt", sqrt(_)),
        symbol!("fma", fma(_, _, _)),
        symbol!("memcpy", memcpy(_, _, _)),
        symbol!("memmove", memmove(_, _, _)),
        symbol!("memset", memset(_, _, _)),
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
