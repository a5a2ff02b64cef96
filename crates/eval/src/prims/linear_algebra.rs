//! Dense linear algebra on matrices and vectors of reals, and products of ints.

use std::rc::Rc;

use base::codes;
use calculus::Prim;
use numerics::linear_algebra::{self as dense, Diagonal, Eigen, MatrixError};

use super::{array_of, has_room_for_shape, reals_of};
use crate::array::{Array, Elements};
use crate::fault::{Fault, Result, interrupted};
use crate::value::Value;
use crate::{probe, work};

pub(super) fn apply(prim: Prim, arguments: [Value; 3]) -> Result<Value> {
    numerics::stop::ask(base::interrupt::is_requested);
    let result = compute(prim, arguments);
    // What was stopped on the way gave anything.
    if base::interrupt::is_requested() { interrupted().err() } else { result }
}

fn compute(prim: Prim, [a, b, _]: [Value; 3]) -> Result<Value> {
    if prim == Prim::MatMul {
        return matmul(a, b);
    }
    if prim == Prim::Fourier {
        return fourier(a, b);
    }
    let array = array_of(prim, a)?;
    if let Prim::TallQr | Prim::ThinSvd = prim {
        return orthogonal(prim, &array);
    }
    // Nobody looks at more than the kind: which matrix it is, is all the same.
    let is_sample = probe::is_active() && array.shape.len() == 2 && array.to_reals().is_some();
    let array = if is_sample { Rc::new(Array::reals(vec![1, 1], vec![1.0])) } else { array };
    let n = square(prim, &array)?;
    let a = reals_of(prim, &array)?;
    work::begin(n * n * n)?;
    let matrix = |reals| Value::array(Array::reals(vec![n, n], reals));
    match prim {
        Prim::Cholesky => dense::cholesky(&a, n).map(matrix).or_else(singular),
        Prim::Inv => dense::inverse(&a, n).map(matrix).or_else(singular),
        Prim::Det => Ok(Value::Real(dense::det(&a, n))),
        Prim::Eigh => {
            let Eigen { values, vectors } = dense::eigh(&a, n);
            Ok(Value::pair(Value::array(Array::vector(values)), matrix(vectors)))
        }
        Prim::DetSlope => cofactors(&a, n, b).map(matrix),
        Prim::Solve | Prim::SolveLower => solve(prim, &a, n, b),
        other => unreachable!("linear_algebra: {other}"),
    }
}

/// Decompositions of matrices that needn't be square.
fn orthogonal(prim: Prim, array: &Array) -> Result<Value> {
    let (m, n) = match array.shape[..] {
        [m, n] if m >= n || prim == Prim::ThinSvd => (m, n),
        [0] => (0, 0),
        _ if probe::is_active() => (0, 0),
        _ => {
            let shape = Array::describe_shape(&array.shape);
            let wanted =
                if prim == Prim::TallQr { "a matrix with at least as many rows as columns" } else { "a matrix" };
            return Fault::new(codes::SHAPE_MISMATCH, format!("expected {wanted}, found shape {shape}")).err();
        }
    };
    let a = reals_of(prim, array)?;
    let k = m.min(n);
    // Nobody looks at more than the kind.
    let (a, m, n, k) = if a.len() == m * n { (a, m, n, k) } else { (vec![], 0, 0, 0) };
    work::add(m * n * k);
    let matrix = |rows, columns, reals| Value::array(Array::reals(vec![rows, columns], reals));
    if prim == Prim::TallQr {
        let dense::Qr { q, r } = dense::qr(&a, m, n);
        return Ok(Value::pair(matrix(m, n, q), matrix(n, n, r)));
    }
    let dense::Svd { u, values, vt } = dense::thin_svd(&a, m, n);
    Ok(Value::tuple(vec![matrix(m, k, u), Value::array(Array::vector(values)), matrix(k, n, vt)]))
}

fn fourier(re: Value, im: Value) -> Result<Value> {
    let (re, im) = (array_of(Prim::Fourier, re)?, array_of(Prim::Fourier, im)?);
    let (x, y) = (reals_of(Prim::Fourier, &re)?, reals_of(Prim::Fourier, &im)?);
    let (x, y) = if probe::is_active() && x.len() != y.len() { (vec![], vec![]) } else { (x, y) };
    if re.shape.len() != 1 || im.shape.len() != 1 || x.len() != y.len() {
        return Fault::new(
            codes::SHAPE_MISMATCH,
            "`fft` expects a vector, or two of one length: real and imaginary parts",
        )
        .note(format!("the real parts have shape {}", Array::describe_shape(&re.shape)))
        .note(format!("the imaginary parts have shape {}", Array::describe_shape(&im.shape)))
        .err();
    }
    work::add(x.len() * 64);
    let (x, y) = numerics::fourier::transform(&x, &y);
    Ok(Value::pair(Value::array(Array::vector(x)), Value::array(Array::vector(y))))
}

fn square(prim: Prim, array: &Array) -> Result<usize> {
    match array.shape[..] {
        [rows, columns] if rows == columns => Ok(rows),
        [0] => Ok(0),
        _ => {
            let shape = Array::describe_shape(&array.shape);
            Fault::new(codes::SHAPE_MISMATCH, format!("`{prim}` expects a square matrix, found shape {shape}")).err()
        }
    }
}

fn singular<T>(error: MatrixError) -> Result<T> {
    match error {
        MatrixError::NotPositiveDefinite { pivot } => {
            Fault::new(codes::SINGULAR_MATRIX, "the matrix is not positive definite")
                .note(format!("the pivot of row {pivot} is not positive"))
                .err()
        }
        MatrixError::Singular { pivot } => Fault::new(codes::SINGULAR_MATRIX, "the matrix is singular")
            .note(format!("no pivot was found for column {pivot}"))
            .err(),
    }
}

fn solve(prim: Prim, a: &[f64], n: usize, b: Value) -> Result<Value> {
    let right = array_of(prim, b)?;
    if probe::is_active() && right.shape.len() <= 2 {
        return Ok(Value::array(Array::reals(right.shape.clone(), reals_of(prim, &right)?)));
    }
    if right.len() != n || right.shape.len() > 2 {
        return Fault::new(codes::SHAPE_MISMATCH, format!("`{prim}`: the right side doesn't fit the matrix"))
            .note(format!("the matrix has {n} rows, the right side has shape {}", Array::describe_shape(&right.shape)))
            .err();
    }
    let columns = right.shape.get(1).copied().unwrap_or(1);
    let b = reals_of(prim, &right)?;
    let x = match prim {
        Prim::SolveLower => Ok(dense::solve_lower(a, &b, n, columns, Diagonal::Stored)),
        _ => dense::solve(a, &b, n, columns),
    };
    x.map(|x| Value::array(Array::reals(right.shape.clone(), x))).or_else(singular)
}

fn cofactors(a: &[f64], n: usize, directions: Value) -> Result<Vec<f64>> {
    let directions = array_of(Prim::DetSlope, directions)?;
    if probe::is_active() {
        return Ok(vec![0.0; n * n]);
    }
    let fits = directions.is_empty() || directions.shape[1..] == [n, n];
    if !fits {
        let shape = Array::describe_shape(&directions.shape);
        return Fault::new(codes::SHAPE_MISMATCH, format!("directions of shape {shape} for a matrix of {n} rows"))
            .err();
    }
    let all = reals_of(Prim::DetSlope, &directions)?;
    let each: Vec<&[f64]> = all.chunks((n * n).max(1)).collect();
    let choices = u32::try_from(each.len()).ok().and_then(|k| n.checked_pow(k + 1));
    work::begin(choices.unwrap_or(1 << 30))?;
    Ok(dense::cofactors(a, n, &each))
}

fn matmul(a: Value, b: Value) -> Result<Value> {
    let (a, b) = (array_of(Prim::MatMul, a)?, array_of(Prim::MatMul, b)?);
    let mismatch = || {
        Fault::new(codes::SHAPE_MISMATCH, "`@` of arrays whose shapes don't fit")
            .note(format!("the left array has shape {}", Array::describe_shape(&a.shape)))
            .note(format!("the right array has shape {}", Array::describe_shape(&b.shape)))
            .help("the last axis of the left must be as long as the first axis of the right")
    };
    let (m, k, n) = match (&a.shape[..], &b.shape[..]) {
        ([m, k], [l, n]) if k == l => (*m, *k, *n),
        ([m, k], [l]) if k == l => (*m, *k, 1),
        ([k], [l, n]) if k == l => (1, *k, *n),
        ([k], [l]) if k == l => (1, *k, 1),
        // Nobody looks at more than the kind.
        ([_] | [_, _], [_] | [_, _]) if probe::is_active() => (0, 0, 0),
        _ => return mismatch().err(),
    };
    has_room_for_shape(&[m, n])?;
    work::begin(m * k * n)?;
    let product = match (&a.elements, &b.elements) {
        (Elements::Int(a), Elements::Int(b)) => Elements::Int(int_product(a, b, m, k, n)?),
        _ => Elements::Real(real_product(&a, &b, m, k, n)?),
    };
    let shape = match (a.shape.len(), b.shape.len()) {
        (1, 1) => return Ok(product.sample().unwrap_or(Value::Zero)),
        (1, _) => vec![n],
        (_, 1) => vec![m],
        _ => vec![m, n],
    };
    Ok(Value::array(Array::new(shape, product)))
}

fn real_product(a: &Array, b: &Array, m: usize, k: usize, n: usize) -> Result<Vec<f64>> {
    let (a, b) = (reals_of(Prim::MatMul, a)?, reals_of(Prim::MatMul, b)?);
    // While we probe, lengths needn't fit.
    if (a.len(), b.len()) != (m * k, k * n) {
        return Ok(vec![0.0; m * n]);
    }
    let mut product = vec![0.0; m * n];
    if dense::matmul_while(&a, &b, &mut product, (m, k, n), || !base::interrupt::is_requested()) {
        Ok(product)
    } else {
        interrupted().err()
    }
}

/// Ints make ints, and what leaves their range is an error, as in `sum(a * b)`.
fn int_product(a: &[i64], b: &[i64], m: usize, k: usize, n: usize) -> Result<Vec<i64>> {
    let element = |i: usize, j: usize| {
        if j == 0 && base::interrupt::is_requested() {
            return None;
        }
        let terms = (0..k).map(|l| (a[i * k + l], b[l * n + j]));
        terms.map(|(x, y)| x.checked_mul(y)).try_fold(0i64, |sum, term| sum.checked_add(term?))
    };
    let product = (0..m).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| element(i, j)).collect();
    match product {
        Some(product) => Ok(product),
        None => Fault::new(codes::INT_OVERFLOW, "an element of `a @ b` is outside the range of ints")
            .note("ints lie between -2^63 and 2^63 - 1")
            .help("compute with reals: write a decimal point, as in `1.0`")
            .err(),
    }
}
