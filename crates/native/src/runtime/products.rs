//! Products of matrices of reals that lie in arrays, with whatever strides: transposes, columns and rows aren't copied.

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
        // Who is interrupted has no use for the rest.
        let out = slice::from_raw_parts_mut(out, m * n);
        multiply_while(a, b, out, (m, k, n), || !base::interrupt::is_requested());
    }
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
