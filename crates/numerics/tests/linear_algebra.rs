//! Factorisations are checked by multiplying back.

use numerics::linear_algebra::*;
use numerics::random::{Key, key, normal, uniform};

#[test]
fn matmul_adds_products_in_ascending_order() {
    assert_eq!(
        matmul(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[1.0, 0.0, 0.0, 1.0, 1.0, 1.0], 2, 3, 2),
        [4.0, 5.0, 10.0, 11.0]
    );
    let (m, k, n) = (37, 150, 601); // beyond one block each way
    let (a, b) = (random_matrix(key(1), m * k), random_matrix(key(2), k * n));
    let c = matmul(&a, &b, m, k, n);
    for (i, j) in [(0, 0), (36, 600), (17, 511), (17, 512), (3, 64)] {
        let expected = (0..k).fold(0.0, |sum: f64, l| a[i * k + l].mul_add(b[l * n + j], sum));
        assert_eq!(c[i * n + j].to_bits(), expected.to_bits());
    }
}

#[test]
fn transposing_twice_changes_nothing() {
    let a = random_matrix(key(3), 12);
    assert_eq!(transpose(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    assert_eq!(transpose(&transpose(&a, 3, 4), 4, 3), a);
}

#[test]
fn cholesky_multiplies_back_and_is_lower() {
    for n in [1, 2, 5, 30] {
        let a = positive_definite(n);
        let l = cholesky(&a, n).unwrap();
        assert_close(&matmul(&l, &transpose(&l, n, n), n, n, n), &a, 1e-13);
        assert!((0..n).all(|i| l[i * n + i] > 0.0 && (i + 1..n).all(|j| l[i * n + j] == 0.0)));
        let b = random_matrix(key(4), 2 * n);
        assert_close(&matmul(&a, &solve_cholesky(&l, &b, n, 2), n, n, 2), &b, 1e-11);
    }
}

#[test]
fn cholesky_names_the_pivot_that_fails() {
    assert_eq!(cholesky(&[1.0, 2.0, 2.0, 1.0], 2), Err(MatrixError::NotPositiveDefinite { pivot: 1 }));
    assert_eq!(cholesky(&[0.0], 1), Err(MatrixError::NotPositiveDefinite { pivot: 0 }));
    assert_eq!(cholesky(&[f64::NAN], 1), Err(MatrixError::NotPositiveDefinite { pivot: 0 }));
}

#[test]
fn lu_multiplies_back_to_the_permuted_rows() {
    for n in [1, 2, 7, 40] {
        let a = random_matrix(key(5), n * n);
        let lu = lu(&a, n).unwrap();
        let part = |keep: fn(usize, usize) -> bool| -> Vec<f64> {
            (0..n * n).map(|at| if keep(at / n, at % n) { lu.packed[at] } else { 0.0 }).collect()
        };
        let (mut l, u) = (part(|i, j| i > j), part(|i, j| i <= j));
        (0..n).for_each(|i| l[i * n + i] = 1.0);
        let permuted: Vec<f64> = lu.rows.iter().flat_map(|row| a[row * n..(row + 1) * n].to_vec()).collect();
        assert_close(&matmul(&l, &u, n, n, n), &permuted, 1e-13);
        assert!(l.iter().all(|x| x.abs() <= 1.0), "partial pivoting keeps L below 1");
    }
}

#[test]
fn solve_and_inverse_undo_multiplication() {
    for n in [1, 2, 7, 40] {
        let (a, x) = (random_matrix(key(6), n * n), random_matrix(key(7), n * 3));
        let b = matmul(&a, &x, n, n, 3);
        assert_close(&solve(&a, &b, n, 3).unwrap(), &x, 1e-10);
        assert_close(&matmul(&a, &inverse(&a, n).unwrap(), n, n, n), &identity(n), 1e-10);
    }
}

#[test]
fn a_singular_matrix_has_determinant_zero_and_no_inverse() {
    let a = [1.0, 2.0, 2.0, 4.0];
    assert_eq!(lu(&a, 2), Err(MatrixError::Singular { pivot: 1 }));
    assert_eq!(solve(&a, &[1.0, 1.0], 2, 1), Err(MatrixError::Singular { pivot: 1 }));
    assert_eq!(inverse(&a, 2), Err(MatrixError::Singular { pivot: 1 }));
    assert_eq!(det(&a, 2), 0.0);
}

#[test]
fn nan_in_a_matrix_reaches_the_result() {
    assert!(det(&[f64::NAN], 1).is_nan());
    assert!(det(&[0.0, 1.0, f64::NAN, 0.0], 2).is_nan());
    assert!(solve(&[f64::NAN, 1.0, 0.0, 1.0], &[1.0, 1.0], 2, 1).unwrap()[0].is_nan());
    assert!(eigh(&[f64::NAN], 1).values[0].is_nan());
}

#[test]
fn determinants_of_small_matrices_are_exact() {
    assert_eq!(det(&[0.0, 1.0, 1.0, 0.0], 2), -1.0);
    assert_eq!(det(&[2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 4.0], 3), 24.0);
    assert_eq!(det(&[1.0, 2.0, 3.0, 4.0], 2), -2.0);
}

#[test]
fn triangular_solves_read_only_their_triangle() {
    let (l, b) = ([2.0, f64::NAN, 1.0, 4.0], [2.0, 9.0]);
    assert_eq!(solve_lower(&l, &b, 2, 1, Diagonal::Stored), [1.0, 2.0]);
    assert_eq!(solve_lower(&l, &b, 2, 1, Diagonal::Ones), [2.0, 7.0]);
    let (u, b) = ([2.0, 1.0, f64::NAN, 4.0], [4.0, 8.0]);
    assert_eq!(solve_upper(&u, &b, 2, 1, Diagonal::Stored), [1.0, 2.0]);
    assert_eq!(solve_upper(&u, &b, 2, 1, Diagonal::Ones), [-4.0, 8.0]);
}

#[test]
fn eigenvectors_are_orthonormal_and_multiply_back() {
    for n in [1, 2, 3, 10, 40] {
        let a = symmetric(n);
        let Eigen { values, vectors } = eigh(&a, n);
        assert!(values.is_sorted());
        let transposed = transpose(&vectors, n, n);
        assert_close(&matmul(&transposed, &vectors, n, n, n), &identity(n), 1e-13);
        let scaled: Vec<f64> = vectors.iter().enumerate().map(|(at, v)| v * values[at % n]).collect();
        assert_close(&matmul(&scaled, &transposed, n, n, n), &a, 1e-12);
    }
}

#[test]
fn the_largest_component_of_an_eigenvector_is_positive() {
    let Eigen { values, vectors } = eigh(&[2.0, 1.0, 1.0, 2.0], 2);
    assert_close(&values, &[1.0, 3.0], 1e-15);
    assert!(vectors[0] > 0.0 && vectors[2] < 0.0, "of equals the first: {vectors:?}");
    let n = 20;
    let Eigen { vectors, .. } = eigh(&symmetric(n), n);
    for j in 0..n {
        let column: Vec<f64> = (0..n).map(|i| vectors[i * n + j]).collect();
        assert!(column.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap() > 0.0);
    }
}

#[test]
fn eigh_handles_repeated_and_zero_eigenvalues_and_reads_the_symmetric_part() {
    assert_eq!(eigh(&identity(3), 3), Eigen { values: vec![1.0; 3], vectors: identity(3) });
    assert_eq!(eigh(&[0.0; 9], 3).values, [0.0; 3]);
    assert_eq!(eigh(&[1.0, 5.0, -5.0, 2.0], 2).values, [1.0, 2.0], "only the symmetric part counts");
    assert!(eigh(&[1.0, f64::NAN, 0.0, 2.0], 2).values[0].is_nan());
}

#[test]
fn a_cholesky_factor_is_that_of_the_symmetric_part() {
    assert_eq!(cholesky(&[4.0, 3.0, 1.0, 17.0], 2), cholesky(&[4.0, 2.0, 2.0, 17.0], 2));
    let huge = [f64::MAX, 0.0, 0.0, f64::MAX];
    assert_eq!(symmetric_part(&huge, 2), huge);
}

#[test]
fn singular_values_multiply_to_the_determinant_and_back_to_the_matrix() {
    for n in [1, 2, 3, 10, 40] {
        let full = random_matrix(key(n as u64), n * n);
        // The last row is a multiple of the first; then all rows are; then none is left.
        let mut defective = full.clone();
        (0..n).for_each(|j| defective[(n - 1) * n + j] = 2.0 * full[j]);
        let first: Vec<f64> = (0..n * n).map(|at| full[at % n] * (at / n) as f64).collect();
        for a in [full, defective, first, vec![0.0; n * n], identity(n)] {
            let Singular { left, values, right } = svd(&a, n);
            assert_close(&matmul(&left, &transpose(&left, n, n), n, n, n), &identity(n), 1e-13);
            assert_close(&matmul(&transpose(&right, n, n), &right, n, n, n), &identity(n), 1e-13);
            let scaled: Vec<f64> = right.iter().enumerate().map(|(at, v)| v * values[at % n]).collect();
            assert_close(&matmul(&scaled, &left, n, n, n), &transpose(&a, n, n), 1e-12);
            assert_close(&[det(&left, n) * det(&right, n)], &[1.0], 1e-12);
        }
    }
}

/// det(a + Σ t_r d_r) is a polynomial: the coefficients by interpolation in whole numbers are exact.
#[test]
fn cofactors_are_the_derivatives_of_the_determinant_at_any_rank() {
    for n in 1..=6 {
        let whole = |seed: u64| -> Vec<f64> {
            (0..(n * n) as u64).map(|at| (uniform(key(seed), at) * 7.0).floor() - 3.0).collect()
        };
        let (full, d, e) = (whole(1), whole(2), whole(3));
        let first: Vec<f64> = (0..n * n).map(|at| full[at % n] * (at / n) as f64).collect();
        for a in [full.clone(), first, vec![0.0; n * n]] {
            let at = |t: f64, u: f64, v: (usize, f64)| -> f64 {
                let moved = a.iter().zip(&d).zip(&e).map(|((a, d), e)| a + t * d + u * e);
                let mut moved: Vec<f64> = moved.collect();
                moved[v.0] += v.1;
                det(&moved, n)
            };
            for entry in 0..n * n {
                // The determinant is linear in an entry, and of degree n in t and in u.
                let slope = |t: f64, u: f64| at(t, u, (entry, 1.0)) - at(t, u, (entry, 0.0));
                assert_close(&[cofactors(&a, n, &[])[entry]], &[slope(0.0, 0.0)], 1e-9);
                let first = |u: f64| derivative_at_zero(n, &|t| slope(t, u));
                assert_close(&[cofactors(&a, n, &[&d])[entry]], &[first(0.0)], 1e-7);
                let second = derivative_at_zero(n, &first);
                assert_close(&[cofactors(&a, n, &[&d, &e])[entry]], &[second], 1e-5);
            }
        }
    }
}

/// The slope at 0 of a polynomial of degree n, from its values at 0, …, n: Σ (−1)^(k+1) Δ^k / k.
fn derivative_at_zero(n: usize, f: &dyn Fn(f64) -> f64) -> f64 {
    let mut differences: Vec<f64> = (0..=n).map(|t| f(t as f64)).collect();
    let mut slope = 0.0;
    for k in 1..=n {
        differences = differences.windows(2).map(|pair| pair[1] - pair[0]).collect();
        slope += if k % 2 == 1 { differences[0] } else { -differences[0] } / k as f64;
    }
    slope
}

#[test]
fn singular_values_of_very_small_and_very_large_matrices_are_right() {
    for size in [1e-310, 1e-200, 1e200, 1e307] {
        let Singular { values, .. } = svd(&[3.0 * size, 0.0, 4.0 * size, 0.0], 2);
        assert_close(&[values[0].abs() / size, values[1]], &[5.0, 0.0], 1e-12);
    }
    assert!(svd(&[f64::INFINITY], 1).values[0].is_nan());
}

#[test]
fn empty_matrices_work() {
    assert_eq!(matmul(&[], &[], 0, 0, 0), []);
    assert_eq!(matmul(&[], &[], 2, 0, 2), [0.0; 4]);
    assert_eq!(matmul(&[], &[], 0, 0, 3), []);
    assert_eq!(matmul(&[], &[], 3, 0, 0), []);
    assert_eq!(transpose(&[], 0, 0), []);
    assert_eq!(cholesky(&[], 0), Ok(vec![]));
    assert_eq!(solve(&[], &[], 0, 0), Ok(vec![]));
    assert_eq!(solve(&[], &[], 0, 2), Ok(vec![]));
    assert_eq!(inverse(&[], 0), Ok(vec![]));
    assert_eq!(det(&[], 0), 1.0);
    assert_eq!(eigh(&[], 0), Eigen { values: vec![], vectors: vec![] });
    assert_eq!(svd(&[], 0), Singular { left: vec![], values: vec![], right: vec![] });
}

fn random_matrix(key: Key, length: usize) -> Vec<f64> {
    (0..length as u64).map(|n| normal(key, n)).collect()
}

fn symmetric(n: usize) -> Vec<f64> {
    let at = |i: usize, j: usize| uniform(key(8), (i.max(j) * n + i.min(j)) as u64) - 0.5;
    (0..n * n).map(|index| at(index / n, index % n)).collect()
}

fn positive_definite(n: usize) -> Vec<f64> {
    let a = random_matrix(key(9), n * n);
    let mut product = matmul(&a, &transpose(&a, n, n), n, n, n);
    (0..n).for_each(|i| product[i * n + i] += 1.0);
    product
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    let scale = expected.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
    let error = found.iter().zip(expected).fold(0.0, |most: f64, (x, y)| most.max((x - y).abs()));
    assert_eq!(found.len(), expected.len());
    assert!(error <= tolerance * scale, "off by {error:e}");
}
