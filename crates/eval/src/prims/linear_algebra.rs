//! Dense linear algebra on matrices and vectors of reals.

use std::rc::Rc;

use base::codes;
use calculus::Prim;
use numerics::linear_algebra::{self as dense, Diagonal, Eigen, MatrixError};

use super::{array_of, has_room_for_shape, reals_of};
use crate::array::Array;
use crate::fault::{Fault, Result};
use crate::value::Value;
use crate::{probe, work};

pub(super) fn apply(prim: Prim, [a, b, _]: [Value; 3]) -> Result<Value> {
    if prim == Prim::MatMul {
        return matmul(a, b);
    }
    let array = array_of(prim, a)?;
    // Nobody looks at more than the kind: which matrix it is, is all the same.
    let is_sample = probe::is_active() && array.shape.len() == 2 && array.to_reals().is_some();
    let array = if is_sample { Rc::new(Array::reals(vec![1, 1], vec![1.0])) } else { array };
    let n = square(prim, &array)?;
    let a = reals_of(prim, &array)?;
    work::add(n * n * n);
    let matrix = |reals| Value::array(Array::reals(vec![n, n], reals));
    match prim {
        Prim::Cholesky => dense::cholesky(&a, n).map(matrix).or_else(singular),
        Prim::Inv => dense::inverse(&a, n).map(matrix).or_else(singular),
        Prim::Det => Ok(Value::Real(dense::det(&a, n))),
        Prim::Eigh => {
            let Eigen { values, vectors } = dense::eigh(&a, n);
            Ok(Value::pair(Value::array(Array::vector(values)), matrix(vectors)))
        }
        Prim::Solve | Prim::SolveLower => solve(prim, &a, n, b),
        other => unreachable!("linear_algebra: {other}"),
    }
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
        ([_], [_]) if probe::is_active() => return Ok(Value::Real(0.0)),
        ([_, _], [_]) | ([_], [_, _]) if probe::is_active() => return Ok(Value::array(Array::vector(vec![]))),
        ([_, _], [_, _]) if probe::is_active() => return Ok(Value::array(Array::reals(vec![0, 0], vec![]))),
        _ => return mismatch().err(),
    };
    has_room_for_shape(&[m, n])?;
    work::add(m * k * n);
    let product = dense::matmul(&reals_of(Prim::MatMul, &a)?, &reals_of(Prim::MatMul, &b)?, m, k, n);
    Ok(match (a.shape.len(), b.shape.len()) {
        (1, 1) => Value::Real(product[0]),
        (1, _) => Value::array(Array::vector(product)),
        (_, 1) => Value::array(Array::vector(product)),
        _ => Value::array(Array::reals(vec![m, n], product)),
    })
}
