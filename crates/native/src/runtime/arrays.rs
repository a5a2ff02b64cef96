//! What compiled code asks of arrays: new ones, rows, copies.

use std::slice;

use base::{Span, codes};

use super::checks::verify;
use super::object::{self, ArrayView, Descriptor, is_object};
use super::symbols::{release_here, span};
use super::{Context, fail_with};

/// A new array with one owner; its elements are anything.
///
/// # Safety
/// As `emit::symbols` says.
pub unsafe extern "C" fn rt_array(
    ctx: *mut Context,
    descriptor: *const Descriptor,
    rank: u64,
    lengths: *const u64,
    file: u64,
    start: u64,
    end: u64,
) -> *mut u64 {
    // SAFETY: `lengths` has `rank` words.
    unsafe { new_array(ctx, descriptor, slice::from_raw_parts(lengths, rank as usize), Some(span(file, start, end))) }
}

/// # Safety
/// On the compiled code's stack; the descriptor is that of an array.
unsafe fn new_array(ctx: *mut Context, descriptor: *const Descriptor, lengths: &[u64], span: Option<Span>) -> *mut u64 {
    // SAFETY: by this function's contract; nothing here has a destructor.
    unsafe {
        match (*ctx).array(descriptor, lengths) {
            Ok(array) => array,
            Err(code) => fail_with(ctx, code, span),
        }
    }
}

/// The array that `dropped` leading indices select, from element `at` on.
///
/// # Safety
/// As `emit::symbols` says.
pub unsafe extern "C" fn rt_row(ctx: *mut Context, array: *mut u64, dropped: u64, at: u64) -> *mut u64 {
    // SAFETY: the array is alive and the row inside it; the new array has as many elements.
    unsafe {
        let view = ArrayView::new(array);
        verify(ctx, "a row isn't in its array", || is_inside(view, dropped as usize, at));
        let row = ArrayView::new(new_array(ctx, view.descriptor(), &view.lengths()[dropped as usize..], None));
        copy_elements(view, at as usize, row);
        row.object
    }
}

/// A copy with one owner; takes an owner from `array`, which has more.
///
/// # Safety
/// As `emit::symbols` says.
pub unsafe extern "C" fn rt_copy_array(ctx: *mut Context, array: *mut u64) -> *mut u64 {
    // SAFETY: the array is alive and has more than one owner.
    unsafe {
        let view = ArrayView::new(array);
        verify(ctx, "an array is copied that nobody else sees", || object::count(array) > 1);
        let copy = ArrayView::new(new_array(ctx, view.descriptor(), view.lengths(), None));
        copy_elements(view, 0, copy);
        *array -= 1;
        copy.object
    }
}

/// `array`, of rank 1, longer by one; the last element is anything. Owns `array`.
///
/// # Safety
/// As `emit::symbols` says.
pub unsafe extern "C" fn rt_grow(ctx: *mut Context, array: *mut u64, file: u64, start: u64, end: u64) -> *mut u64 {
    // SAFETY: the array is alive; nothing here has a destructor.
    unsafe {
        match (*ctx).grown(array) {
            Ok(array) => array,
            Err(code) => fail_with(ctx, code, Some(span(file, start, end))),
        }
    }
}

/// `array` with the row that `dropped` indices select replaced; owns both.
///
/// # Safety
/// As `emit::symbols` says.
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn rt_replace_row(
    ctx: *mut Context,
    array: *mut u64,
    row: *mut u64,
    dropped: u64,
    at: u64,
    file: u64,
    start: u64,
    end: u64,
) -> *mut u64 {
    // SAFETY: both are alive arrays of one kind of elements; the place was checked to be inside.
    unsafe {
        verify(ctx, "a row isn't in its array", || is_inside(ArrayView::new(array), dropped as usize, at));
        if ArrayView::new(array).lengths()[dropped as usize..] != *ArrayView::new(row).lengths() {
            fail_with(ctx, codes::SHAPE_MISMATCH, Some(span(file, start, end)));
        }
        let array = if object::count(array) == 1 { array } else { rt_copy_array(ctx, array) };
        let (view, row) = (ArrayView::new(array), ArrayView::new(row));
        let (at, count) = (at as usize, row.size());
        // The row's elements first: they may be what is replaced.
        row.pointers(0, count).for_each(|word| object::retain(word));
        view.pointers(at, count).filter(|&word| is_object(word)).for_each(|word| release_here(ctx, word as *mut u64));
        row.copy_elements(0, view, at, count);
        release_here(ctx, row.object);
        array
    }
}

/// Row number `at` of an array of `count` rows; owns both.
///
/// # Safety
/// As `emit::symbols` says.
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn rt_store_row(
    ctx: *mut Context,
    array: *mut u64,
    row: *mut u64,
    at: u64,
    count: u64,
    file: u64,
    start: u64,
    end: u64,
) -> *mut u64 {
    // SAFETY: `row` is an alive array, `array` null or the array that row 0 made, with room for `count` rows.
    unsafe {
        let row = ArrayView::new(row);
        let array = if is_object(array as u64) {
            ArrayView::new(array)
        } else {
            ArrayView::new(array_of_rows(ctx, row, count, span(file, start, end)))
        };
        if array.lengths()[1..] != *row.lengths() {
            fail_with(ctx, codes::RAGGED_ARRAY, Some(span(file, start, end)));
        }
        verify(ctx, "a row isn't in its array", || at < count && array.lengths()[0] == count);
        let size = row.size();
        row.copy_elements(0, array, at as usize * size, size);
        row.pointers(0, size).for_each(|word| object::retain(word));
        release_here(ctx, row.object);
        array.object
    }
}

/// # Safety
/// On the compiled code's stack.
unsafe fn array_of_rows(ctx: *mut Context, row: ArrayView, count: u64, span: Span) -> *mut u64 {
    const MOST_AXES: usize = 32;
    let mut lengths = [0; MOST_AXES];
    if row.rank >= MOST_AXES {
        // SAFETY: nothing here has a destructor.
        unsafe { fail_with(ctx, codes::ARRAY_TOO_LARGE, Some(span)) };
    }
    lengths[0] = count;
    lengths[1..=row.rank].copy_from_slice(row.lengths());
    // SAFETY: by this function's contract; rows and the array of them have one descriptor.
    unsafe { new_array(ctx, row.descriptor(), &lengths[..=row.rank], Some(span)) }
}

/// Is the row behind `dropped` indices, from element `at` on, part of the array?
fn is_inside(array: ArrayView, dropped: usize, at: u64) -> bool {
    let row = array.lengths().get(dropped..).map(|lengths| lengths.iter().product::<u64>());
    row.is_some_and(|row| row.checked_add(at).is_some_and(|end| end <= array.size() as u64))
}

/// Fills an array with copies of the elements of another from `at` on.
///
/// # Safety
/// There are as many, of the array's descriptor; nobody else sees it.
pub(super) unsafe fn copy_elements(from: ArrayView, at: usize, to: ArrayView) {
    let size = to.size();
    // SAFETY: by this function's contract; the words are pointers.
    unsafe {
        from.copy_elements(at, to, 0, size);
        to.pointers(0, size).for_each(|word| object::retain(word));
    }
}
