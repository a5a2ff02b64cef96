//! Decompositions with orthogonal factors: QR by Householder's reflections, and the singular value decomposition of matrices of any shape.
//! Always the same order of operations, so always the same bits. A matrix with a NaN or an infinity gives NaN throughout.

use crate::linear_algebra::{matmul, transpose};
use crate::singular::{power_of_two_below, svd};
use crate::stop;

/// a = Q·R for an m×n matrix with m ≥ n: the columns of Q (m×n) are orthogonal and of length 1, R (n×n) is upper triangular, and nothing on its
/// diagonal is negative.
#[derive(Clone, Debug, PartialEq)]
pub struct Qr {
    pub q: Vec<f64>,
    pub r: Vec<f64>,
}

/// a = U·diag(values)·Vᵀ for an m×n matrix, with k = min(m, n) values, descending and not negative. U is m×k and Vᵀ is k×n; the component of
/// largest magnitude of each row of Vᵀ (the first of equals) is positive.
#[derive(Clone, Debug, PartialEq)]
pub struct Svd {
    pub u: Vec<f64>,
    pub values: Vec<f64>,
    pub vt: Vec<f64>,
}

/// The QR decomposition of an m×n matrix; panics if m < n.
pub fn qr(a: &[f64], m: usize, n: usize) -> Qr {
    assert!(a.len() == m * n && m >= n, "qr: length of {m}×{n}");
    if a.iter().any(|x| !x.is_finite()) {
        return Qr { q: vec![f64::NAN; m * n], r: vec![f64::NAN; n * n] };
    }
    let largest = a.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let scale = if largest == 0.0 { 1.0 } else { power_of_two_below(largest) };
    // Columns as rows; below the diagonal of each its reflection, scaled to length √2.
    let mut columns: Vec<Vec<f64>> = (0..n).map(|j| (0..m).map(|i| a[i * n + j] / scale).collect()).collect();
    let mut reflections: Vec<Vec<f64>> = vec![];
    for k in 0..n {
        if stop::is_wanted() {
            break;
        }
        let v = reflection(&columns[k][k..]);
        columns[k..].iter_mut().for_each(|column| reflect(&mut column[k..], &v));
        reflections.push(v);
    }
    let mut r = vec![0.0; n * n];
    for (j, column) in columns.iter().enumerate() {
        for i in 0..=j {
            r[i * n + j] = column[i] * scale;
        }
    }
    let mut q = vec![0.0; m * n];
    for j in 0..n {
        if stop::is_wanted() {
            break;
        }
        let mut column = vec![0.0; m];
        column[j] = 1.0;
        for (k, v) in reflections.iter().enumerate().rev() {
            reflect(&mut column[k..], v);
        }
        (0..m).for_each(|i| q[i * n + j] = column[i]);
    }
    for k in 0..n {
        if r[k * n + k] < 0.0 {
            r[k * n..(k + 1) * n].iter_mut().for_each(|x| *x = 0.0 - *x);
            (0..m).for_each(|i| q[i * n + k] = 0.0 - q[i * n + k]);
        }
    }
    Qr { q, r }
}

/// The v of length √2, or 0, whose reflection x − v (v·x) makes of x a multiple of the first unit vector.
fn reflection(x: &[f64]) -> Vec<f64> {
    let size = length(x);
    let mut v = x.to_vec();
    if size == 0.0 || x[1..].iter().all(|x| *x == 0.0) {
        v.fill(0.0);
        return v;
    }
    v[0] += size.copysign(x[0]);
    let by = length(&v) / std::f64::consts::SQRT_2;
    v.iter_mut().for_each(|x| *x /= by);
    v
}

fn reflect(x: &mut [f64], v: &[f64]) {
    let along = dot(x, v);
    x.iter_mut().zip(v).for_each(|(x, v)| *x -= along * v);
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |sum, (x, y)| sum + x * y)
}

fn length(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// The singular value decomposition of an m×n matrix.
pub fn thin_svd(a: &[f64], m: usize, n: usize) -> Svd {
    assert_eq!(a.len(), m * n, "thin_svd: length of {m}×{n}");
    if m < n {
        let Svd { u, values, vt } = tall_svd(&transpose(a, m, n), n, m);
        return directed(transpose(&vt, m, m), values, transpose(&u, n, m), m, n);
    }
    let Svd { u, values, vt } = tall_svd(a, m, n);
    directed(u, values, vt, m, n)
}

/// For m ≥ n, with no signs chosen: what is left after QR is square.
fn tall_svd(a: &[f64], m: usize, n: usize) -> Svd {
    let Qr { q, r } = qr(a, m, n);
    let small = svd(&r, n);
    let u = matmul(&q, &transpose(&small.left, n, n), m, n, n);
    let vt = transpose(&small.right, n, n);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| small.values[j].abs().total_cmp(&small.values[i].abs()));
    let mut sorted = Svd { u: vec![0.0; m * n], values: vec![], vt: vec![] };
    for (to, &from) in order.iter().enumerate() {
        let value = small.values[from];
        let sign = if value < 0.0 { -1.0 } else { 1.0 };
        (0..m).for_each(|i| sorted.u[i * n + to] = sign * u[i * n + from]);
        sorted.values.push(value.abs());
        sorted.vt.extend(&vt[from * n..(from + 1) * n]);
    }
    sorted
}

/// The same with the signs of the rows of Vᵀ chosen.
fn directed(mut u: Vec<f64>, values: Vec<f64>, mut vt: Vec<f64>, m: usize, n: usize) -> Svd {
    let k = values.len();
    for j in 0..k {
        let row = &mut vt[j * n..(j + 1) * n];
        let largest = row.iter().fold(0.0, |largest: f64, x| if x.abs() > largest.abs() { *x } else { largest });
        if largest < 0.0 {
            row.iter_mut().for_each(|x| *x = 0.0 - *x);
            (0..m).for_each(|i| u[i * k + j] = 0.0 - u[i * k + j]);
        }
    }
    Svd { u, values, vt }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear_algebra::identity;

    fn close(a: &[f64], b: &[f64], within: f64) {
        assert_eq!(a.len(), b.len());
        a.iter().zip(b).for_each(|(x, y)| assert!((x - y).abs() <= within, "{a:?} and {b:?}"));
    }

    fn sample(m: usize, n: usize) -> Vec<f64> {
        (0..m * n).map(|i| crate::sin(i as f64 * 1.7 + 0.3)).collect()
    }

    #[test]
    fn factors_multiply_to_the_matrix_and_are_orthogonal() {
        for (m, n) in [(1, 1), (3, 3), (5, 2), (7, 7), (4, 0)] {
            let a = sample(m, n);
            let Qr { q, r } = qr(&a, m, n);
            close(&matmul(&q, &r, m, n, n), &a, 1e-14);
            close(&matmul(&transpose(&q, m, n), &q, n, m, n), &identity(n), 1e-14);
            assert!((0..n).all(|k| r[k * n + k] >= 0.0 && (0..k).all(|j| r[k * n + j] == 0.0)));
        }
    }

    #[test]
    fn singular_values_descend() {
        for (m, n) in [(1, 1), (3, 3), (5, 2), (2, 5), (6, 6), (0, 3)] {
            let a = sample(m, n);
            let k = m.min(n);
            let Svd { u, values, vt } = thin_svd(&a, m, n);
            let scaled: Vec<f64> = u.iter().enumerate().map(|(at, x)| x * values[at % k]).collect();
            close(&matmul(&scaled, &vt, m, k, n), &a, 1e-14);
            close(&matmul(&transpose(&u, m, k), &u, k, m, k), &identity(k), 1e-14);
            close(&matmul(&vt, &transpose(&vt, k, n), k, n, k), &identity(k), 1e-14);
            assert!(values.windows(2).all(|pair| pair[0] >= pair[1]));
        }
        assert_eq!(thin_svd(&[3.0, 0.0, 0.0, -4.0], 2, 2).values, [4.0, 3.0]);
    }
}
