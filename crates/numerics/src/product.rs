//! Products of matrices that lie in slices with strides. Every element of the product is one chain of fma over ascending l from +0, whatever
//! tiles and blocks it is computed in: a tile's sums are carried from one block of l to the next in the product itself.

mod tiles;
#[cfg(target_arch = "x86_64")]
mod wide;

use crate::fused::{fma, fused};

use tiles::BLOCK;
pub use tiles::Each;
/// Smaller products aren't worth packing.
const SMALL: usize = 1 << 12;
/// A right side of so many columns at most is narrow, if its rows lie in one piece.
const NARROW: usize = 4;

/// A matrix: element (i, j) is number i·`row` + j·`column`.
#[derive(Clone, Copy, Debug)]
pub struct Strided<'a> {
    pub elements: &'a [f64],
    pub row: usize,
    pub column: usize,
}

impl<'a> Strided<'a> {
    /// Row by row, without gaps.
    pub fn dense(elements: &'a [f64], columns: usize) -> Strided<'a> {
        Strided { elements, row: columns, column: 1 }
    }

    fn transposed(self) -> Strided<'a> {
        Strided { row: self.column, column: self.row, ..self }
    }

    #[inline(always)]
    fn at(self, i: usize, j: usize) -> f64 {
        self.elements[i * self.row + j * self.column]
    }

    /// Is element (m-1, n-1) there, if there is any?
    fn holds(self, m: usize, n: usize) -> bool {
        m == 0 || n == 0 || (m - 1) * self.row + (n - 1) * self.column < self.elements.len()
    }
}

/// `c` = `a` (m×k) times `b` (k×n), all row by row without gaps.
pub fn multiply(a: &[f64], b: &[f64], c: &mut [f64], m: usize, k: usize, n: usize) {
    assert_eq!((a.len(), b.len(), c.len()), (m * k, k * n, m * n), "matmul: lengths of {m}×{k} and {k}×{n}");
    c.fill(0.0);
    multiply_onto_zeros(Strided::dense(a, k), Strided::dense(b, n), c, m, k, n);
}

/// `c`, all zeros, becomes `a` (m×k) times `b` (k×n); `c` is row by row without gaps.
pub fn multiply_onto_zeros(a: Strided, b: Strided, c: &mut [f64], m: usize, k: usize, n: usize) {
    assert!(a.holds(m, k) && b.holds(k, n) && c.len() == m * n, "matmul: lengths of {m}×{k} and {k}×{n}");
    if m == 0 || k == 0 || n == 0 {
        return;
    }
    if n == 1 || m == 1 {
        let (matrix, vector, step) =
            if n == 1 { (a, b.elements, b.row) } else { (b.transposed(), a.elements, a.column) };
        fused(
            #[inline(always)]
            || multiply_vector(matrix, vector, step, c, k),
        );
    } else if m * k * n <= SMALL || is_narrow(b, n) {
        fused(
            #[inline(always)]
            || multiply_rows(a, b, c, k, n),
        );
    } else {
        tiles::multiply(a, b, c, k, n);
    }
}

/// The same in pieces, which `each` runs, for large products; false if it was stopped.
pub fn multiply_in_pieces(
    a: Strided,
    b: Strided,
    c: &mut [f64],
    (m, k, n): (usize, usize, usize),
    each: &Each,
) -> bool {
    assert!(a.holds(m, k) && b.holds(k, n) && c.len() == m * n, "matmul: lengths of {m}×{k} and {k}×{n}");
    m == 0 || k == 0 || n == 0 || tiles::multiply_in_pieces(a, b, c, k, n, each)
}

/// The same, block after block of rows for as long as `go_on` says so; was it all?
pub fn multiply_while(
    a: Strided,
    b: Strided,
    c: &mut [f64],
    (m, k, n): (usize, usize, usize),
    go_on: impl Fn() -> bool,
) -> bool {
    /// Multiplications between two questions: some milliseconds.
    const OFTEN: usize = 1 << 25;
    let rows = (OFTEN / (k * n).max(1)).next_multiple_of(BLOCK).max(BLOCK);
    if m <= rows {
        multiply_onto_zeros(a, b, c, m, k, n);
        return true;
    }
    for (block, out) in c.chunks_mut(rows * n.max(1)).enumerate() {
        if !go_on() {
            return false;
        }
        let first = block * rows;
        let part = Strided { elements: &a.elements[first * a.row..], ..a };
        multiply_onto_zeros(part, b, out, rows.min(m - first), k, n);
    }
    true
}

/// With a vector, whose elements are `step` apart.
#[inline(always)]
fn multiply_vector(a: Strided, b: &[f64], step: usize, c: &mut [f64], k: usize) {
    if a.column != 1 {
        multiply_columns(a, b, step, c, k);
    } else if step == 1 {
        multiply_dense_vector(a, b, c, k);
    } else {
        for (i, out) in c.iter_mut().enumerate() {
            *out = (0..k).fold(*out, |sum, l| fma(a.at(i, l), b[l * step], sum));
        }
    }
}

/// One column after the other: where they lie in one piece, all chains grow together.
#[inline(always)]
fn multiply_columns(a: Strided, b: &[f64], step: usize, c: &mut [f64], k: usize) {
    for l in 0..k {
        let y = b[l * step];
        let column = &a.elements[l * a.column..];
        if a.row == 1 {
            c.iter_mut().zip(column).for_each(|(sum, x)| *sum = fma(*x, y, *sum));
        } else {
            c.iter_mut().enumerate().for_each(|(i, sum)| *sum = fma(column[i * a.row], y, *sum));
        }
    }
}

/// Several rows at once: each element is a chain, and one chain waits for itself.
#[inline(always)]
fn multiply_dense_vector(a: Strided, b: &[f64], c: &mut [f64], k: usize) {
    let b = &b[..k];
    let mut first = 0;
    while first + 8 <= c.len() {
        chains::<8>(a, b, &mut c[first..], first);
        first += 8;
    }
    while first + 4 <= c.len() {
        chains::<4>(a, b, &mut c[first..], first);
        first += 4;
    }
    while first < c.len() {
        chains::<1>(a, b, &mut c[first..], first);
        first += 1;
    }
}

/// The next `R` elements of the product with a vector: those of the rows from `first` on.
#[inline(always)]
fn chains<const R: usize>(a: Strided, b: &[f64], c: &mut [f64], first: usize) {
    let rows: [&[f64]; R] = std::array::from_fn(|i| &a.elements[(first + i) * a.row..][..b.len()]);
    let mut sums: [f64; R] = std::array::from_fn(|i| c[i]);
    for (l, y) in b.iter().enumerate() {
        for i in 0..R {
            sums[i] = fma(rows[i][l], *y, sums[i]);
        }
    }
    c[..R].copy_from_slice(&sums);
}

/// Has the right side so few columns that tiles would be mostly empty? Packing the left side, which is read only once, doesn't pay then either.
fn is_narrow(b: Strided, n: usize) -> bool {
    n <= NARROW && b.column == 1
}

/// Row by row of the product.
#[inline(always)]
fn multiply_rows(a: Strided, b: Strided, c: &mut [f64], k: usize, n: usize) {
    if is_narrow(b, n) {
        return match n {
            2 => multiply_narrow::<2>(a, b, c, k),
            3 => multiply_narrow::<3>(a, b, c, k),
            _ => multiply_narrow::<NARROW>(a, b, c, k),
        };
    }
    for (i, out) in c.chunks_exact_mut(n).enumerate() {
        if b.column != 1 {
            multiply_vector(b.transposed(), &a.elements[i * a.row..], a.column, out, k);
            continue;
        }
        for l in 0..k {
            let x = a.at(i, l);
            out.iter_mut().zip(&b.elements[l * b.row..]).for_each(|(sum, y)| *sum = fma(x, *y, *sum));
        }
    }
}

/// The same for `N` columns, several rows at once: each element is a chain, and one chain waits for itself.
#[inline(always)]
fn multiply_narrow<const N: usize>(a: Strided, b: Strided, c: &mut [f64], k: usize) {
    const ROWS: usize = 4;
    let mut blocks = c.chunks_exact_mut(ROWS * N);
    let mut first = 0;
    for block in &mut blocks {
        narrow_rows::<ROWS, N>(a, b, block, first, k);
        first += ROWS;
    }
    for row in blocks.into_remainder().chunks_exact_mut(N) {
        narrow_rows::<1, N>(a, b, row, first, k);
        first += 1;
    }
}

/// `R` rows of `N` elements, from row `first` on, whose sums stay in registers.
#[inline(always)]
fn narrow_rows<const R: usize, const N: usize>(a: Strided, b: Strided, c: &mut [f64], first: usize, k: usize) {
    let rows: [&[f64]; R] = std::array::from_fn(|i| &a.elements[(first + i) * a.row..]);
    let mut sums: [[f64; N]; R] = std::array::from_fn(|i| std::array::from_fn(|j| c[i * N + j]));
    for l in 0..k {
        let right = &b.elements[l * b.row..][..N];
        for i in 0..R {
            let left = rows[i][l * a.column];
            for j in 0..N {
                sums[i][j] = fma(left, right[j], sums[i][j]);
            }
        }
    }
    c.iter_mut().zip(sums.as_flattened()).for_each(|(out, sum)| *out = *sum);
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::{Strided, fma, multiply_in_pieces, multiply_onto_zeros, multiply_while};

    fn numbers(count: usize, seed: u64) -> Vec<f64> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f64 / 1e5 - 80.0
        };
        (0..count).map(|_| next()).collect()
    }

    /// Ways in which an r×c matrix can lie: row by row, column by column, with gaps.
    fn layouts(elements: &[f64], rows: usize, columns: usize) -> [Strided<'_>; 4] {
        [(columns, 1), (1, rows), (columns + 3, 1), (2, 2 * rows + 1)].map(|(row, column)| Strided {
            elements,
            row,
            column,
        })
    }

    #[test]
    fn all_layouts_give_the_bits_of_one_chain_of_fma_for_each_element() {
        for (m, k, n) in [
            (1, 1, 1),
            (3, 5, 7),
            (4, 8, 8),
            (65, 300, 17),
            (70, 257, 1),
            (1, 30, 9),
            (2, 600, 40),
            (9, 0, 9),
            (0, 4, 3),
            (33, 20, 41),
            (5, 1, 6),
            (4, 4, 4),
            (7, 9, 3),
            (90, 70, 3),
            (1030, 21, 2),
            (301, 88, 3),
            (515, 9, 4),
            (2, 70, 90),
            (17, 200, 47),
            (9, 10, 1050),
            (73, 390, 24),
            (13, 6, 2),
        ] {
            let (left, right) = (numbers(3 * (m + 4) * (k + 4), 1), numbers(3 * (k + 4) * (n + 4), 2));
            for a in layouts(&left, m, k) {
                for b in layouts(&right, k, n) {
                    let mut c = vec![0.0; m * n];
                    multiply_onto_zeros(a, b, &mut c, m, k, n);
                    for i in 0..m {
                        for j in 0..n {
                            let chain = (0..k).fold(0.0f64, |sum, l| fma(a.at(i, l), b.at(l, j), sum));
                            assert_eq!(c[i * n + j].to_bits(), chain.to_bits(), "{m}×{k}×{n} at {i}, {j}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn pieces_in_any_order_give_the_same_bits() {
        for (m, k, n) in [(130, 400, 50), (70, 257, 1030), (64, 200, 7)] {
            let (a, b) = (numbers(m * k, 1), numbers(k * n, 2));
            let (mut whole, mut pieces) = (vec![0.0; m * n], vec![0.0; m * n]);
            for a in [Strided::dense(&a, k), Strided { elements: &a, row: 1, column: m }] {
                whole.fill(0.0);
                pieces.fill(0.0);
                multiply_onto_zeros(a, Strided::dense(&b, n), &mut whole, m, k, n);
                let backwards = |count: usize, run: &(dyn Fn(usize) + Sync)| {
                    (0..count).rev().for_each(run);
                    true
                };
                assert!(multiply_in_pieces(a, Strided::dense(&b, n), &mut pieces, (m, k, n), &backwards));
                assert!(whole.iter().zip(&pieces).all(|(x, y)| x.to_bits() == y.to_bits()), "{m}×{k}×{n}");
            }
            let stopped = |_: usize, _: &(dyn Fn(usize) + Sync)| false;
            assert!(!multiply_in_pieces(
                Strided::dense(&a, k),
                Strided::dense(&b, n),
                &mut pieces,
                (m, k, n),
                &stopped
            ));
        }
    }

    #[test]
    fn long_products_go_on_while_they_may_and_have_the_same_bits() {
        let (m, k, n) = (130, 1448, 1449);
        let (a, b) = (numbers(m * k, 1), numbers(k * n, 2));
        let (mut whole, mut blocks) = (vec![0.0; m * n], vec![0.0; m * n]);
        // The first lies column by column.
        let a = Strided { elements: &a, row: 1, column: m };
        multiply_onto_zeros(a, Strided::dense(&b, n), &mut whole, m, k, n);
        let asked = Cell::new(0);
        let go_on = |most: i32| {
            asked.set(asked.get() + 1);
            asked.get() <= most
        };
        assert!(multiply_while(a, Strided::dense(&b, n), &mut blocks, (m, k, n), || go_on(i32::MAX)));
        assert!(asked.get() >= 2 && whole.iter().zip(&blocks).all(|(x, y)| x.to_bits() == y.to_bits()));
        asked.set(0);
        assert!(!multiply_while(a, Strided::dense(&b, n), &mut blocks, (m, k, n), || go_on(1)));
    }
}
