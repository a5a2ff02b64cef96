//! The singular value decomposition of a square matrix, by one-sided Jacobi rotations: always the same order of rotations, so
//! always the same bits. Singular matrices are as good as any: the factors are orthogonal to a few ulps whatever the rank. And what
//! it is for: the derivatives of the determinant, without division.

use crate::linear_algebra::{det, identity, matmul, transpose};
use crate::stop;

/// a = U·diag(values)·Vᵀ with U and V orthogonal and det U · det V = 1, so that the product of the values is the determinant. Values are
/// in no order; one of them is negative where the determinant is. Row-major n×n.
#[derive(Clone, Debug, PartialEq)]
pub struct Singular {
    /// Uᵀ: its rows belong to the values.
    pub left: Vec<f64>,
    pub values: Vec<f64>,
    /// V: its columns belong to the values.
    pub right: Vec<f64>,
}

/// The decomposition, to a few ulps of the norm of `a`. A matrix with a NaN or an infinity gives NaN throughout.
pub fn svd(a: &[f64], n: usize) -> Singular {
    assert_eq!(a.len(), n * n, "svd: length of {n}×{n}");
    if a.iter().any(|x| !x.is_finite()) {
        return Singular { left: vec![f64::NAN; n * n], values: vec![f64::NAN; n], right: vec![f64::NAN; n * n] };
    }
    let mut work = OneSided::new(a, n);
    while work.sweep() {}
    work.finished()
}

/// Columns on their way to orthogonal ones (as rows, scaled), and the product of the rotations so far (its columns as rows).
struct OneSided {
    n: usize,
    columns: Vec<f64>,
    rotations: Vec<f64>,
    scale: f64,
    sweeps_left: usize,
}

impl OneSided {
    fn new(a: &[f64], n: usize) -> Self {
        let largest = a.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        // A power of two rounds nothing, and squares of what counts neither overflow nor vanish.
        let scale = if largest == 0.0 { 1.0 } else { power_of_two_below(largest) };
        let columns = transpose(a, n, n).iter().map(|x| x / scale).collect();
        // As for eigenvalues: about ten sweeps do, the limit only guards against a cycle at the level of rounding.
        OneSided { n, columns, rotations: identity(n), scale, sweeps_left: 60 }
    }

    /// Makes every two columns orthogonal once; whether any needed it.
    fn sweep(&mut self) -> bool {
        let mut rotated = false;
        for p in 0..self.n {
            if stop::is_wanted() {
                return false;
            }
            for q in p + 1..self.n {
                rotated |= self.rotate(p, q);
            }
        }
        self.sweeps_left -= 1;
        rotated && self.sweeps_left > 0
    }

    /// Makes two columns orthogonal; whether they needed it.
    fn rotate(&mut self, p: usize, q: usize) -> bool {
        let n = self.n;
        let (x, y) = (&self.columns[p * n..][..n], &self.columns[q * n..][..n]);
        let (xx, yy, xy) = (dot(x, x), dot(y, y), dot(x, y));
        if xy == 0.0 || xy.abs() <= f64::EPSILON * xx.sqrt() * yy.sqrt() {
            return false;
        }
        let zeta = (yy - xx) / (2.0 * xy);
        let t = 1.0f64.copysign(zeta) / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
        let c = 1.0 / (1.0 + t * t).sqrt();
        turn(&mut self.columns, p, q, n, c, t * c);
        turn(&mut self.rotations, p, q, n, c, t * c);
        true
    }

    fn finished(self) -> Singular {
        let n = self.n;
        let columns = self.columns;
        let row = |at: usize| &columns[at * n..][..n];
        let mut left = vec![0.0; n * n];
        let (large, small): (Vec<usize>, Vec<usize>) = (0..n).partition(|at| length(row(*at)) > NEGLIGIBLE);
        for at in large {
            let size = length(row(at));
            left[at * n..][..n].iter_mut().zip(row(at)).for_each(|(u, x)| *u = x / size);
        }
        for at in small {
            let free = orthogonal_to_others(&left, n, at);
            left[at * n..][..n].copy_from_slice(&free);
        }
        if det(&left, n) * det(&self.rotations, n) < 0.0 {
            left[..n].iter_mut().for_each(|x| *x = -*x);
        }
        let values = (0..n).map(|at| dot(&left[at * n..][..n], row(at)) * self.scale).collect();
        Singular { left, values, right: transpose(&self.rotations, n, n) }
    }
}

/// Of columns this small beside a largest element of about 1 no direction is known: squares may vanish, and rotations make such
/// columns of matrices without full rank.
const NEGLIGIBLE: f64 = 1e-140;

/// The derivative of the gradient of the determinant at `a` in all these directions, which may be none: the matrix whose product with one
/// direction more is the derivative of the determinant of so many orders. As accurate as `a` allows where `a` is singular, too.
pub fn cofactors(a: &[f64], n: usize, directions: &[&[f64]]) -> Vec<f64> {
    if n <= FEW_ROWS {
        return direct_cofactors(a, n, directions);
    }
    let Singular { left, values, right } = svd(a, n);
    // det a = det(diag(s)) and da = U e Vᵀ: it is enough to know the derivatives at a diagonal matrix.
    let turned = directions.iter().map(|d| matmul(&matmul(&left, d, n, n, n), &right, n, n, n)).collect();
    let mut expansion = Expansion { n, values, turned, rows: vec![], sum: vec![0.0; n * n] };
    expansion.choose_rows();
    let outer = matmul(&transpose(&left, n, n), &expansion.sum, n, n, n);
    matmul(&outer, &transpose(&right, n, n), n, n, n)
}

/// Determinants of so many rows are sums of a few products, without rounding where elements are small whole numbers.
const FEW_ROWS: usize = 4;

/// Each direction takes one row of `a`; the cofactors of all others, over all ways to do so.
fn direct_cofactors(a: &[f64], n: usize, directions: &[&[f64]]) -> Vec<f64> {
    let Some((last, others)) = directions.split_last() else {
        let cofactor = |at: usize| {
            let (row, column) = (at / n, at % n);
            let rows: Vec<usize> = (0..n).filter(|i| *i != row).collect();
            let columns: Vec<usize> = (0..n).filter(|j| *j != column).collect();
            let minor = minor(&|i, j| a[i * n + j], &rows, &columns);
            if (row + column).is_multiple_of(2) { minor } else { -minor }
        };
        return (0..n * n).map(cofactor).collect();
    };
    let mut sum = vec![0.0; n * n];
    for row in 0..n {
        let replaced = |of: &[f64], by: &[f64]| {
            let mut rows = of.to_vec();
            rows[row * n..][..n].copy_from_slice(&by[row * n..][..n]);
            rows
        };
        // The other directions don't have this row any more.
        let rest: Vec<Vec<f64>> = others.iter().map(|d| replaced(d, &vec![0.0; n * n])).collect();
        let rest: Vec<&[f64]> = rest.iter().map(Vec::as_slice).collect();
        let part = direct_cofactors(&replaced(a, last), n, &rest);
        // The open row isn't this one either: its cofactors don't see the direction.
        (0..n * n).filter(|at| at / n != row).for_each(|at| sum[at] += part[at]);
    }
    sum
}

/// The determinant of some rows and as many columns, by its first row.
fn minor(element: &dyn Fn(usize, usize) -> f64, rows: &[usize], columns: &[usize]) -> f64 {
    let Some((row, rows)) = rows.split_first() else { return 1.0 };
    if let [column] = columns {
        return element(*row, *column);
    }
    (0..columns.len()).fold(0.0, |sum, at| {
        let rest = [&columns[..at], &columns[at + 1..]].concat();
        let term = element(*row, columns[at]) * minor(element, rows, &rest);
        if at % 2 == 0 { sum + term } else { sum - term }
    })
}

/// Σ over rows i₁, …, i_k and p, no two of them equal, of Π s_j (j another one) · det(e_r[i_r, i_c]), where p is the row of the direction
/// that is left open: its elements are multiplied by the cofactors of that row.
struct Expansion {
    n: usize,
    values: Vec<f64>,
    turned: Vec<Vec<f64>>,
    /// The rows chosen so far.
    rows: Vec<usize>,
    sum: Vec<f64>,
}

impl Expansion {
    fn choose_rows(&mut self) {
        for row in 0..self.n {
            if self.rows.contains(&row) {
                continue;
            }
            self.rows.push(row);
            if self.rows.len() > self.turned.len() {
                self.add()
            } else {
                self.choose_rows()
            }
            self.rows.pop();
        }
    }

    /// What the chosen rows contribute; the last one is the open one.
    fn add(&mut self) {
        let rows = &self.rows;
        let others = (0..self.n).filter(|j| !rows.contains(j));
        let weight = others.fold(1.0, |product, j| product * self.values[j]);
        let open = rows[rows.len() - 1];
        for (column, &to) in rows.iter().enumerate() {
            let columns: Vec<usize> = rows.iter().copied().filter(|other| *other != to).collect();
            let sign = if (rows.len() - 1 + column).is_multiple_of(2) { weight } else { -weight };
            let element = |r: usize, c: usize| self.turned[r][rows[r] * self.n + c];
            let directions: Vec<usize> = (0..self.turned.len()).collect();
            self.sum[open * self.n + to] += sign * minor(&element, &directions, &columns);
        }
    }
}

/// A row of length 1 that is orthogonal to all other rows that aren't zero: of the unit vectors the one that is farthest from them.
fn orthogonal_to_others(rows: &[f64], n: usize, at: usize) -> Vec<f64> {
    let others: Vec<&[f64]> = (0..n).filter(|row| *row != at).map(|row| &rows[row * n..][..n]).collect();
    let free = |axis: usize| {
        let mut row: Vec<f64> = (0..n).map(|i| if i == axis { 1.0 } else { 0.0 }).collect();
        // Twice is enough: the second time takes away what rounding left.
        for other in others.iter().chain(&others) {
            let along = dot(&row, other);
            row.iter_mut().zip(*other).for_each(|(x, y)| *x -= along * y);
        }
        row
    };
    let candidates = (0..n).map(free);
    let farthest = candidates.reduce(|best, next| if length(&next) > length(&best) { next } else { best });
    let mut row = farthest.expect("there is an axis");
    let size = length(&row);
    row.iter_mut().for_each(|x| *x /= size);
    row
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |sum, (x, y)| sum + x * y)
}

/// The Euclidean length, without underflow.
fn length(x: &[f64]) -> f64 {
    let largest = x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    let scale = power_of_two_below(largest);
    let squares = x.iter().fold(0.0, |sum, x| sum + (x / scale) * (x / scale));
    scale * squares.sqrt()
}

/// The largest power of two that isn't larger than a positive normal number; the least normal one for subnormal numbers.
pub(crate) fn power_of_two_below(x: f64) -> f64 {
    f64::from_bits((x.to_bits() >> 52).max(1) << 52)
}

/// Rows p and q: (x, y) ← (c·x − s·y, s·x + c·y).
fn turn(rows: &mut [f64], p: usize, q: usize, n: usize, c: f64, s: f64) {
    for k in 0..n {
        let (x, y) = (rows[p * n + k], rows[q * n + k]);
        rows[p * n + k] = c * x - s * y;
        rows[q * n + k] = s * x + c * y;
    }
}
