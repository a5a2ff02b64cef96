//! Eigenvalues and eigenvectors of a symmetric matrix, by cyclic Jacobi rotations: always the same order of rotations, so always
//! the same bits.

/// Eigenvalues ascending; column j of `vectors` (row-major n×n) belongs to `values[j]`, has length 1, and its component of
/// largest magnitude (the first of equals) is positive.
#[derive(Clone, Debug, PartialEq)]
pub struct Eigen {
    pub values: Vec<f64>,
    pub vectors: Vec<f64>,
}

/// The eigendecomposition V·diag(values)·Vᵀ of the symmetric part of `a`, V orthogonal, both to a few ulps of the norm of `a`. A
/// matrix with a NaN or an infinity gives NaN throughout.
pub fn eigh(a: &[f64], n: usize) -> Eigen {
    assert_eq!(a.len(), n * n, "eigh: length of {n}×{n}");
    let mut work = Jacobi::new(a, n);
    if work.a.iter().any(|x| !x.is_finite()) {
        return Eigen { values: vec![f64::NAN; n], vectors: vec![f64::NAN; n * n] };
    }
    while work.sweep() {}
    work.sorted()
}

/// The matrix on its way to a diagonal one, and the product of the rotations so far.
struct Jacobi {
    n: usize,
    a: Vec<f64>,
    vectors: Vec<f64>,
    /// Off-diagonal elements up to this count as zero.
    negligible: f64,
    sweeps_left: usize,
}

impl Jacobi {
    fn new(a: &[f64], n: usize) -> Self {
        let a = crate::linear_algebra::symmetric_part(a, n);
        let largest = a.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let negligible = largest * f64::EPSILON / 128.0;
        // Convergence is quadratic: about ten sweeps do; the limit only guards against a cycle at the level of rounding.
        Jacobi { n, a, vectors: crate::linear_algebra::identity(n), negligible, sweeps_left: 60 }
    }

    /// Rotates every element below the diagonal to zero once; whether any needed it.
    fn sweep(&mut self) -> bool {
        let mut rotated = false;
        for p in 0..self.n {
            if crate::stop::is_wanted() {
                return false;
            }
            for q in p + 1..self.n {
                if self.a[p * self.n + q].abs() > self.negligible {
                    self.rotate(p, q);
                    rotated = true;
                }
            }
        }
        self.sweeps_left -= 1;
        rotated && self.sweeps_left > 0
    }

    /// Makes a_pq zero: A ← JᵀAJ, V ← VJ (Golub and Van Loan, Matrix Computations, 8.5.2).
    fn rotate(&mut self, p: usize, q: usize) {
        let n = self.n;
        let (c, s) = rotation(self.a[p * n + p], self.a[q * n + q], self.a[p * n + q]);
        for k in 0..n {
            turn(&mut self.a, k * n + p, k * n + q, c, s);
            turn(&mut self.vectors, k * n + p, k * n + q, c, s);
        }
        for k in 0..n {
            turn(&mut self.a, p * n + k, q * n + k, c, s);
        }
        self.a[p * n + q] = 0.0;
        self.a[q * n + p] = 0.0;
    }

    fn sorted(self) -> Eigen {
        let n = self.n;
        let value = |j: usize| self.a[j * n + j];
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|i, j| value(*i).total_cmp(&value(*j)));
        let signs: Vec<f64> = order.iter().map(|j| self.sign_of_column(*j)).collect();
        let element = |i: usize, j: usize| self.vectors[i * n + order[j]] * signs[j];
        let vectors = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| element(i, j)).collect();
        Eigen { values: order.iter().map(|j| value(*j)).collect(), vectors }
    }

    /// −1 where the component of largest magnitude is negative.
    fn sign_of_column(&self, j: usize) -> f64 {
        let at = |i: usize| self.vectors[i * self.n + j];
        let largest = (1..self.n).fold(0, |best, i| if at(i).abs() > at(best).abs() { i } else { best });
        if at(largest) < 0.0 { -1.0 } else { 1.0 }
    }
}

/// The cosine and sine of the smaller angle that makes a_pq zero.
fn rotation(app: f64, aqq: f64, apq: f64) -> (f64, f64) {
    let tau = (aqq - app) / (2.0 * apq);
    let t = 1.0f64.copysign(tau) / (tau.abs() + (1.0 + tau * tau).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    (c, t * c)
}

/// (x, y) ← (c·x − s·y, s·x + c·y).
fn turn(values: &mut [f64], x: usize, y: usize, c: f64, s: f64) {
    let (a, b) = (values[x], values[y]);
    values[x] = c * a - s * b;
    values[y] = s * a + c * b;
}
