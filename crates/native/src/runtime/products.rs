//! Products of matrices of reals that lie in arrays, with whatever strides: transposes, columns and rows aren't copied. Rows of a large product are made on
//! several threads; each element is one chain of fma whoever makes it.

use std::slice;

use numerics::product::{Strided, multiply_onto_zeros, multiply_while};

/// # Safety
/// As `emit::symbols` says: the elements of all three matrices are there, and `out` is none of the others'.
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn rt_products(
    out: *mut f64,
    a: *const f64,
    a_row: u64,
    a_column: u64,
    b: *const f64,
    b_row: u64,
    b_column: u64,
    m: u64,
    k: u64,
    n: u64,
) {
    let (m, k, n) = (m as usize, k as usize, n as usize);
    eval::work::add(m * k * n);
    // SAFETY: by this function's contract; the elements of `out` are made 0 before they are a slice.
    unsafe {
        out.write_bytes(0, m * n);
        let (a, b) = (matrix(a, a_row, a_column, m, k), matrix(b, b_row, b_column, k, n));
        if !at_once(a, b, out, (m, k, n)) {
            multiply_rows(a, b, slice::from_raw_parts_mut(out, m * n), (m, k, n));
        }
    }
}

/// Who is interrupted has no use for the rest.
fn multiply_rows(a: Strided, b: Strided, out: &mut [f64], sizes: (usize, usize, usize)) {
    multiply_while(a, b, out, sizes, || !base::interrupt::is_requested());
}

#[cfg(not(feature = "llvm"))]
unsafe fn at_once(_: Strided, _: Strided, _: *mut f64, _: (usize, usize, usize)) -> bool {
    false
}

/// Makes the product on several threads if it is large and some may help.
///
/// # Safety
/// m·n elements are at `out`, all zeros, which nobody else uses.
#[cfg(feature = "llvm")]
unsafe fn at_once(a: Strided, b: Strided, out: *mut f64, (m, k, n): (usize, usize, usize)) -> bool {
    use crate::threads;
    use numerics::product::multiply_in_pieces;

    /// So many multiplications are a unit of work.
    const UNIT: f64 = 32.0;
    /// Threads meet twice for each block of the inner index, so a product must be larger than a loop.
    const LARGER: f64 = 4.0;

    let work = m as f64 * k as f64 * n as f64 / UNIT;
    if m < 2 || n < 2 || work < LARGER * threads::least() || !threads::may_help() {
        return false;
    }
    // SAFETY: by this function's contract.
    let out = unsafe { slice::from_raw_parts_mut(out, m * n) };
    multiply_in_pieces(a, b, out, (m, k, n), &|count, run| {
        threads::at_once(count, &|pieces| {
            while let Some(piece) = pieces.take() {
                run(piece);
                if base::interrupt::is_requested() {
                    pieces.stop();
                }
            }
        });
        !base::interrupt::is_requested()
    });
    true
}

/// # Safety
/// As `emit::symbols` says: k elements of both are there.
pub unsafe extern "C" fn rt_product(
    a: *const f64,
    a_row: u64,
    a_column: u64,
    b: *const f64,
    b_row: u64,
    b_column: u64,
    k: u64,
) -> f64 {
    let k = k as usize;
    eval::work::add(k);
    let mut product = [0.0];
    // SAFETY: by this function's contract.
    let (a, b) = unsafe { (matrix(a, a_row, a_column, 1, k), matrix(b, b_row, b_column, k, 1)) };
    multiply_onto_zeros(a, b, &mut product, 1, k, 1);
    product[0]
}

/// # Safety
/// The elements of an m×n matrix with these strides are there.
unsafe fn matrix<'a>(first: *const f64, row: u64, column: u64, m: usize, n: usize) -> Strided<'a> {
    let (row, column) = (row as usize, column as usize);
    let reach = if m == 0 || n == 0 { 0 } else { (m - 1) * row + (n - 1) * column + 1 };
    // SAFETY: by this function's contract.
    Strided { elements: unsafe { slice::from_raw_parts(first, reach) }, row, column }
}
