//! Dense linear algebra on row-major slices: element (i, j) of an m×n matrix is `a[i * n + j]`. Results are fresh vectors; every
//! inner product runs over its index in ascending order, one fma a step, from +0 (or from the element it is subtracted from), so
//! the bits depend on nothing else. 0×0 matrices work. Lengths that do not fit the dimensions panic: callers have checked shapes.

use crate::fused::{fma, fused};
use crate::product::{self, Strided};
use crate::stop;

pub use crate::eigen::{Eigen, eigh};
pub use crate::orthogonal::{Qr, Svd, qr, thin_svd};
pub use crate::singular::{Singular, cofactors, svd};

/// A matrix that has no such factorisation; pivots count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixError {
    /// The leading minor up to and including this row is not positive; NaN is not.
    NotPositiveDefinite { pivot: usize },
    /// The column of this pivot has nothing but zeros left.
    Singular { pivot: usize },
}

/// What stands on the diagonal of a triangular matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diagonal {
    Stored,
    /// Ones, whatever is stored.
    Ones,
}

/// `a` (m×k) times `b` (k×n): c_ij = Σ a_il·b_lj over ascending l.
pub fn matmul(a: &[f64], b: &[f64], m: usize, k: usize, n: usize) -> Vec<f64> {
    assert_eq!((a.len(), b.len()), (m * k, k * n), "matmul: lengths of {m}×{k} and {k}×{n}");
    let mut c = vec![0.0; m * n];
    product::multiply(a, b, &mut c, m, k, n);
    c
}

/// The same into a slice, for lengths (m, k, n), block after block of rows for as long as `go_on` says so; was it all?
pub fn matmul_while(
    a: &[f64],
    b: &[f64],
    c: &mut [f64],
    (m, k, n): (usize, usize, usize),
    go_on: impl Fn() -> bool,
) -> bool {
    assert_eq!((a.len(), b.len(), c.len()), (m * k, k * n, m * n), "matmul: lengths of {m}×{k} and {k}×{n}");
    c.fill(0.0);
    product::multiply_while(Strided::dense(a, k), Strided::dense(b, n), c, (m, k, n), go_on)
}

/// The transpose (n×m) of `a` (m×n).
pub fn transpose(a: &[f64], m: usize, n: usize) -> Vec<f64> {
    assert_eq!(a.len(), m * n, "transpose: length of {m}×{n}");
    (0..n).flat_map(|j| (0..m).map(move |i| a[i * n + j])).collect()
}

/// (a + aᵀ) / 2, without overflow. A symmetric matrix is its own, bit for bit.
pub fn symmetric_part(a: &[f64], n: usize) -> Vec<f64> {
    expect_square("symmetric_part", a, n);
    let mean = |x: f64, y: f64| if x == y { x } else { 0.5 * x + 0.5 * y };
    (0..n * n).map(|at| mean(a[at], a[at % n * n + at / n])).collect()
}

/// The lower triangular L with positive diagonal and L·Lᵀ equal to the symmetric part of `a`, zeros above.
pub fn cholesky(a: &[f64], n: usize) -> Result<Vec<f64>, MatrixError> {
    let a = symmetric_part(a, n);
    let mut l = vec![0.0; n * n];
    for i in 0..n {
        if stop::is_wanted() {
            break;
        }
        for j in 0..=i {
            let rest = minus_products(a[i * n + j], &l[i * n..i * n + j], &l[j * n..j * n + j]);
            l[i * n + j] = if i == j { positive_root(rest, i)? } else { rest / l[j * n + j] };
        }
    }
    Ok(l)
}

/// x with L·Lᵀ·x = b, given L of [`cholesky`]; b is n×columns.
pub fn solve_cholesky(l: &[f64], b: &[f64], n: usize, columns: usize) -> Vec<f64> {
    let y = solve_lower(l, b, n, columns, Diagonal::Stored);
    solve_upper(&transpose(l, n, n), &y, n, columns, Diagonal::Stored)
}

/// Rows of a permuted into L·U: `packed` holds U on and above the diagonal, L (with ones on its diagonal) below.
#[derive(Clone, Debug, PartialEq)]
pub struct Lu {
    pub n: usize,
    pub packed: Vec<f64>,
    /// Row i of L·U is row `rows[i]` of a.
    pub rows: Vec<usize>,
    /// +1 for an even permutation, −1 for an odd one.
    pub sign: f64,
}

/// The LU factorisation with partial pivoting; of equal candidates the upper row is the pivot.
pub fn lu(a: &[f64], n: usize) -> Result<Lu, MatrixError> {
    expect_square("lu", a, n);
    let mut lu = Lu { n, packed: a.to_vec(), rows: (0..n).collect(), sign: 1.0 };
    for pivot in 0..n {
        if stop::is_wanted() {
            break;
        }
        lu.bring_up(pivot)?;
        lu.eliminate_below(pivot);
    }
    Ok(lu)
}

/// x with a·x = b; b is n×columns.
pub fn solve(a: &[f64], b: &[f64], n: usize, columns: usize) -> Result<Vec<f64>, MatrixError> {
    Ok(lu(a, n)?.solve(b, columns))
}

/// The determinant: the signed product of pivots, in order. 0 if singular, 1 of nothing.
pub fn det(a: &[f64], n: usize) -> f64 {
    match lu(a, n) {
        Ok(lu) => (0..n).fold(lu.sign, |product, i| product * lu.packed[i * n + i]),
        Err(_) => 0.0,
    }
}

/// The inverse.
pub fn inverse(a: &[f64], n: usize) -> Result<Vec<f64>, MatrixError> {
    solve(a, &identity(n), n, n)
}

/// x with l·x = b, l lower triangular (above its diagonal nothing is read); b is n×columns. A zero on the diagonal divides by zero.
pub fn solve_lower(l: &[f64], b: &[f64], n: usize, columns: usize, diagonal: Diagonal) -> Vec<f64> {
    expect_system("solve_lower", l, b, n, columns);
    let mut x = b.to_vec();
    for i in 0..n {
        if stop::is_wanted() {
            break;
        }
        for j in 0..i {
            subtract_row(&mut x, i, j, l[i * n + j], columns);
        }
        divide_row(&mut x, i, l[i * n + i], columns, diagonal);
    }
    x
}

/// x with u·x = b, u upper triangular (below its diagonal nothing is read); b is n×columns. A zero on the diagonal divides by zero.
pub fn solve_upper(u: &[f64], b: &[f64], n: usize, columns: usize, diagonal: Diagonal) -> Vec<f64> {
    expect_system("solve_upper", u, b, n, columns);
    let mut x = b.to_vec();
    for i in (0..n).rev() {
        if stop::is_wanted() {
            break;
        }
        for j in i + 1..n {
            subtract_row(&mut x, i, j, u[i * n + j], columns);
        }
        divide_row(&mut x, i, u[i * n + i], columns, diagonal);
    }
    x
}

/// The n×n identity.
pub fn identity(n: usize) -> Vec<f64> {
    (0..n * n).map(|at| if at / n == at % n { 1.0 } else { 0.0 }).collect()
}

impl Lu {
    /// x with a·x = b; b is n×columns.
    pub fn solve(&self, b: &[f64], columns: usize) -> Vec<f64> {
        let permuted: Vec<f64> =
            self.rows.iter().flat_map(|row| &b[row * columns..(row + 1) * columns]).copied().collect();
        let y = solve_lower(&self.packed, &permuted, self.n, columns, Diagonal::Ones);
        solve_upper(&self.packed, &y, self.n, columns, Diagonal::Stored)
    }

    /// Swaps the row with the largest candidate into the pivot's place.
    fn bring_up(&mut self, pivot: usize) -> Result<(), MatrixError> {
        let size = |row: usize| self.packed[row * self.n + pivot].abs();
        let is_larger = |row, best| size(row).total_cmp(&size(best)).is_gt(); // NaN is largest, so that it is not lost
        let best = (pivot + 1..self.n).fold(pivot, |best, row| if is_larger(row, best) { row } else { best });
        if size(best) == 0.0 {
            return Err(MatrixError::Singular { pivot });
        }
        if best != pivot {
            (0..self.n).for_each(|j| self.packed.swap(pivot * self.n + j, best * self.n + j));
            self.rows.swap(pivot, best);
            self.sign = -self.sign;
        }
        Ok(())
    }

    fn eliminate_below(&mut self, pivot: usize) {
        let n = self.n;
        let (upper, lower) = self.packed.split_at_mut((pivot + 1) * n);
        let pivot_row = &upper[pivot * n..];
        for row in lower.chunks_mut(n) {
            row[pivot] /= pivot_row[pivot];
            let factor = row[pivot];
            add_multiple(&mut row[pivot + 1..], &pivot_row[pivot + 1..], -factor);
        }
    }
}

/// row += factor·other, for callers already compiled for fma.
#[inline(always)]
fn add_scaled(row: &mut [f64], other: &[f64], factor: f64) {
    for (x, y) in row.iter_mut().zip(other) {
        *x = fma(factor, *y, *x);
    }
}

/// row += factor·other.
fn add_multiple(row: &mut [f64], other: &[f64], factor: f64) {
    fused(
        #[inline(always)]
        || add_scaled(row, other, factor),
    );
}

/// start − Σ a·b.
fn minus_products(start: f64, a: &[f64], b: &[f64]) -> f64 {
    fused(
        #[inline(always)]
        || a.iter().zip(b).fold(start, |rest, (a, b)| fma(-a, *b, rest)),
    )
}

fn positive_root(square: f64, pivot: usize) -> Result<f64, MatrixError> {
    if square > 0.0 { Ok(square.sqrt()) } else { Err(MatrixError::NotPositiveDefinite { pivot }) }
}

/// Row i −= factor·row j.
fn subtract_row(x: &mut [f64], i: usize, j: usize, factor: f64, columns: usize) {
    let (low, high) = x.split_at_mut(i.max(j) * columns);
    let (first, second) = (&mut low[i.min(j) * columns..][..columns], &mut high[..columns]);
    let (target, source) = if i < j { (first, second) } else { (second, first) };
    add_multiple(target, source, -factor);
}

fn divide_row(x: &mut [f64], i: usize, by: f64, columns: usize, diagonal: Diagonal) {
    match diagonal {
        Diagonal::Ones => {}
        Diagonal::Stored => x[i * columns..(i + 1) * columns].iter_mut().for_each(|x| *x /= by),
    }
}

fn expect_square(who: &str, a: &[f64], n: usize) {
    assert_eq!(a.len(), n * n, "{who}: length of {n}×{n}");
}

fn expect_system(who: &str, a: &[f64], b: &[f64], n: usize, columns: usize) {
    expect_square(who, a, n);
    assert_eq!(b.len(), n * columns, "{who}: length of {n}×{columns}");
}
