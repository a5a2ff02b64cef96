//! Products of row-major matrices. Every element of the product is one chain of fma over ascending l from +0, whatever tiles and
//! blocks it is computed in: a tile's sums are carried from one block of l to the next in the product itself.

use crate::fused::fused;

/// Rows and columns of a tile: its sums fill the registers.
const ROWS: usize = 4;
const COLUMNS: usize = 8;
/// How much of the inner index is worked on at once: a panel of `COLUMNS` columns stays in the first cache.
const DEPTH: usize = 256;
/// Rows that are worked on at once: their part of `a` stays in the second cache.
const BLOCK: usize = 64;
/// Smaller products aren't worth packing.
const SMALL: usize = 1 << 12;

/// `c` = `a` (m×k) times `b` (k×n).
pub fn multiply(a: &[f64], b: &[f64], c: &mut [f64], m: usize, k: usize, n: usize) {
    assert_eq!((a.len(), b.len(), c.len()), (m * k, k * n, m * n), "matmul: lengths of {m}×{k} and {k}×{n}");
    c.fill(0.0);
    if n == 1 {
        fused(
            #[inline(always)]
            || multiply_vector(a, b, c, k),
        );
    } else if m * k * n <= SMALL || m < ROWS || n < COLUMNS {
        fused(
            #[inline(always)]
            || multiply_rows(a, b, c, k, n),
        );
    } else {
        let mut panels = vec![0.0; DEPTH.min(k) * n.next_multiple_of(COLUMNS)];
        fused(
            #[inline(always)]
            || multiply_tiles(a, b, c, k, n, &mut panels),
        );
    }
}

/// Several rows at once: each element is a chain, and one chain waits for itself.
#[inline(always)]
fn multiply_vector(a: &[f64], b: &[f64], c: &mut [f64], k: usize) {
    const TOGETHER: usize = 8;
    if k == 0 {
        return;
    }
    let mut rows = a.chunks_exact(k * TOGETHER);
    let mut out = c.chunks_exact_mut(TOGETHER);
    for (rows, out) in (&mut rows).zip(&mut out) {
        let mut sums = [0.0; TOGETHER];
        for (l, y) in b.iter().enumerate() {
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = rows[i * k + l].mul_add(*y, *sum);
            }
        }
        out.copy_from_slice(&sums);
    }
    for (row, out) in rows.remainder().chunks_exact(k).zip(out.into_remainder()) {
        *out = row.iter().zip(b).fold(0.0, |sum, (x, y)| x.mul_add(*y, sum));
    }
}

/// Row by row of both.
#[inline(always)]
fn multiply_rows(a: &[f64], b: &[f64], c: &mut [f64], k: usize, n: usize) {
    if k == 0 || n == 0 {
        return;
    }
    for (row, out) in a.chunks_exact(k).zip(c.chunks_exact_mut(n)) {
        for (x, other) in row.iter().zip(b.chunks_exact(n)) {
            out.iter_mut().zip(other).for_each(|(sum, y)| *sum = x.mul_add(*y, *sum));
        }
    }
}

#[inline(always)]
fn multiply_tiles(a: &[f64], b: &[f64], c: &mut [f64], k: usize, n: usize, panels: &mut [f64]) {
    let m = c.len() / n;
    for first in (0..k).step_by(DEPTH) {
        let depth = DEPTH.min(k - first);
        pack(&b[first * n..(first + depth) * n], panels, n);
        for top in (0..m).step_by(BLOCK) {
            let bottom = m.min(top + BLOCK);
            for (left, panel) in (0..n).step_by(COLUMNS).zip(panels.chunks_exact(depth * COLUMNS)) {
                let width = COLUMNS.min(n - left);
                let mut i = top;
                while i + ROWS <= bottom {
                    tile::<ROWS>(&a[i * k + first..], k, panel, &mut c[i * n + left..], n, width);
                    i += ROWS;
                }
                while i < bottom {
                    tile::<1>(&a[i * k + first..], k, panel, &mut c[i * n + left..], n, width);
                    i += 1;
                }
            }
        }
    }
}

/// The rows of a block of `b` as panels of `COLUMNS` columns, each one row after the other; what is beyond the last column is 0.
#[inline(always)]
fn pack(b: &[f64], panels: &mut [f64], n: usize) {
    let depth = b.len() / n;
    for (left, panel) in (0..n).step_by(COLUMNS).zip(panels.chunks_exact_mut(depth * COLUMNS)) {
        let width = COLUMNS.min(n - left);
        for (row, out) in b.chunks_exact(n).zip(panel.chunks_exact_mut(COLUMNS)) {
            out[..width].copy_from_slice(&row[left..left + width]);
            out[width..].fill(0.0);
        }
    }
}

/// `R` rows and up to `COLUMNS` columns of c, further by the products with one panel.
#[inline(always)]
fn tile<const R: usize>(a: &[f64], k: usize, panel: &[f64], c: &mut [f64], n: usize, width: usize) {
    let mut sums = [[0.0; COLUMNS]; R];
    for (i, row) in sums.iter_mut().enumerate() {
        row[..width].copy_from_slice(&c[i * n..i * n + width]);
    }
    let depth = panel.len() / COLUMNS;
    let rows: [&[f64]; R] = std::array::from_fn(|i| &a[i * k..i * k + depth]);
    for (l, other) in panel.chunks_exact(COLUMNS).enumerate() {
        let other: &[f64; COLUMNS] = other.try_into().expect("chunks are exact");
        for i in 0..R {
            let x = rows[i][l];
            for j in 0..COLUMNS {
                sums[i][j] = x.mul_add(other[j], sums[i][j]);
            }
        }
    }
    for (i, row) in sums.iter().enumerate() {
        c[i * n..i * n + width].copy_from_slice(&row[..width]);
    }
}

#[cfg(test)]
mod tests {
    use super::multiply;

    fn numbers(count: usize, seed: u64) -> Vec<f64> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f64 / 1e5 - 80.0
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn tiles_give_the_bits_of_one_chain_of_fma_for_each_element() {
        for (m, k, n) in
            [(1, 1, 1), (3, 5, 7), (4, 8, 8), (65, 300, 17), (70, 257, 1), (2, 600, 40), (9, 0, 9), (33, 20, 41)]
        {
            let (a, b) = (numbers(m * k, 1), numbers(k * n, 2));
            let mut c = vec![f64::NAN; m * n];
            multiply(&a, &b, &mut c, m, k, n);
            for i in 0..m {
                for j in 0..n {
                    let chain = (0..k).fold(0.0f64, |sum, l| a[i * k + l].mul_add(b[l * n + j], sum));
                    assert_eq!(c[i * n + j].to_bits(), chain.to_bits(), "{m}×{k}×{n} at {i}, {j}");
                }
            }
        }
    }
}
