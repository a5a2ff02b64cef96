//! Linear algebra in multi-precision, by textbook methods other than those of `crates/numerics` where there is a choice.

use std::cmp::Ordering;
use std::rc::Rc;

use calculus::Prim;

use super::Failure;
use super::real::Real;
use super::value::{Array, Val};

type Result<T> = std::result::Result<T, Failure>;
type Matrix = Vec<Vec<Real>>;

pub(super) fn apply(prim: Prim, x: &Val) -> Result<Val> {
    match prim {
        Prim::MatMul => {
            let [a, b] = x.parts()?;
            matmul(&a, &b)
        }
        Prim::Solve | Prim::SolveLower => {
            let [a, b] = x.parts()?;
            let (right, is_vector) = right_side(&b)?;
            let matrix = square(&a)?;
            if right.len() != matrix.len() {
                return Err(Failure::program("a right side that doesn't fit"));
            }
            let matrix = if prim == Prim::SolveLower { lower(matrix) } else { matrix };
            let (solution, _) = eliminate(matrix, right)?;
            Ok(if is_vector {
                Val::reals_array(vec![solution.len()], solution.into_iter().flatten().collect())
            } else {
                value(solution)
            })
        }
        Prim::Det => Ok(Val::Real(determinant(&square(x)?))),
        Prim::DetSlope => match x.parts()? {
            [a, Val::Array(directions)] if directions.elements.is_empty() => Ok(value(cofactors(&square(&a)?))),
            _ => Err(Failure::Uncovered("a derivative of cofactors".into())),
        },
        Prim::Inv => {
            let matrix = square(x)?;
            let n = matrix.len();
            Ok(value(eliminate(matrix, identity(n))?.0))
        }
        Prim::Cholesky => Ok(value(cholesky(&symmetric(square(x)?))?)),
        Prim::Eigh => eigh(symmetric(square(x)?)),
        Prim::TallQr => {
            let (q, r) = gram_schmidt(&rows(x)?.0);
            Ok(Val::tuple(vec![value(q), value(r)]))
        }
        Prim::ThinSvd => thin_svd(&rows(x)?.0),
        Prim::Fourier => {
            let [re, im] = x.parts()?;
            fourier(&re, &im)
        }
        other => Err(Failure::Uncovered(format!("`{other}`"))),
    }
}

fn rows(x: &Val) -> Result<(Matrix, usize)> {
    let Val::Array(array) = x else { return Err(Failure::program("no matrix")) };
    let numbers = array.numbers()?;
    match array.shape[..] {
        [0] => Ok((vec![], 2)),
        [n] => Ok((vec![numbers], 1)).map(|(rows, rank)| (if n == 0 { vec![] } else { rows }, rank)),
        [_, 0] => Ok((vec![vec![]; array.shape[0]], 2)),
        [_, columns] => Ok((numbers.chunks(columns).map(<[Real]>::to_vec).collect(), 2)),
        _ => Err(Failure::program("no matrix")),
    }
}

fn square(x: &Val) -> Result<Matrix> {
    let (rows, _) = rows(x)?;
    if rows.iter().all(|row| row.len() == rows.len()) { Ok(rows) } else { Err(Failure::program("no square matrix")) }
}

fn right_side(b: &Val) -> Result<(Matrix, bool)> {
    let Val::Array(array) = b else { return Err(Failure::program("no right side")) };
    if array.shape.len() == 1 {
        return Ok((array.numbers()?.into_iter().map(|x| vec![x]).collect(), true));
    }
    Ok((rows(b)?.0, false))
}

fn value(rows: Matrix) -> Val {
    let shape = vec![rows.len(), rows.first().map_or(0, Vec::len)];
    Val::reals_array(shape, rows.into_iter().flatten().collect())
}

fn identity(n: usize) -> Matrix {
    (0..n).map(|i| (0..n).map(|j| Real::from_int(i64::from(i == j))).collect()).collect()
}

fn lower(matrix: Matrix) -> Matrix {
    let keep = |i: usize, row: Vec<Real>| {
        row.into_iter().enumerate().map(|(j, x)| if j <= i { x } else { Real::zero() }).collect()
    };
    matrix.into_iter().enumerate().map(|(i, row)| keep(i, row)).collect()
}

fn matmul(a: &Val, b: &Val) -> Result<Val> {
    let (Val::Array(x), Val::Array(y)) = (a, b) else { return Err(Failure::program("no arrays")) };
    let axes = |array: &Array, is_left: bool| match array.shape[..] {
        [n] if is_left => Ok((1, n)),
        [n] => Ok((n, 1)),
        [m, n] => Ok((m, n)),
        _ => Err(Failure::program("no matrix")),
    };
    let ((m, k), (l, n)) = (axes(x, true)?, axes(y, false)?);
    if k != l {
        return Err(Failure::program("shapes that don't fit"));
    }
    let (p, q) = (x.numbers()?, y.numbers()?);
    let entry = |i: usize, j: usize| (0..k).fold(Real::zero(), |total, l| &total + &(&p[i * k + l] * &q[l * n + j]));
    let entries: Vec<Real> = (0..m).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| entry(i, j)).collect();
    let is_whole = x.is_ints() && y.is_ints();
    let whole = |entries: &[Real]| entries.iter().map(Real::to_int).collect::<Option<Vec<i64>>>();
    let shape: Vec<usize> = match (x.shape.len(), y.shape.len()) {
        (1, 1) if is_whole => return Ok(Val::Int(entries[0].to_int().unwrap_or(0))),
        (1, 1) => return Ok(Val::Real(entries.into_iter().next().unwrap_or_else(Real::zero))),
        (1, _) => vec![n],
        (_, 1) => vec![m],
        _ => vec![m, n],
    };
    match whole(&entries).filter(|_| is_whole) {
        Some(ints) => {
            let elements = ints.into_iter().map(Val::Int).collect();
            Ok(Val::Array(Rc::new(Array::new(shape, elements, Some(Val::Int(0))))))
        }
        None => Ok(Val::reals_array(shape, entries)),
    }
}

/// Gauss and Jordan with row pivoting: the solution and the determinant.
fn eliminate(mut a: Matrix, mut b: Matrix) -> Result<(Matrix, Real)> {
    let n = a.len();
    let mut determinant = Real::one();
    for pivot in 0..n {
        let larger = |i: usize, j: usize| a[i][pivot].abs().compare(&a[j][pivot].abs()) == Some(Ordering::Greater);
        let best = (pivot..n).fold(pivot, |best, row| if larger(row, best) { row } else { best });
        if a[best][pivot].is_zero() {
            return Err(Failure::program("a singular matrix"));
        }
        if best != pivot {
            a.swap(best, pivot);
            b.swap(best, pivot);
            determinant = -determinant;
        }
        let by = a[pivot][pivot].clone();
        determinant = &determinant * &by;
        a[pivot].iter_mut().chain(&mut b[pivot]).for_each(|x| *x = &*x / &by);
        for row in (0..n).filter(|row| *row != pivot) {
            let factor = a[row][pivot].clone();
            let (a_row, b_row) = (a[pivot].clone(), b[pivot].clone());
            subtract(&mut a[row], &a_row, &factor);
            subtract(&mut b[row], &b_row, &factor);
        }
    }
    Ok((b, determinant))
}

/// row −= factor · other
fn subtract(row: &mut [Real], other: &[Real], factor: &Real) {
    row.iter_mut().zip(other).for_each(|(x, y)| *x = &*x - &(factor * y));
}

/// By expansion along the first row: no division, so right at singular matrices too.
fn determinant(a: &Matrix) -> Real {
    if a.is_empty() {
        return Real::one();
    }
    let minor = |column: usize| -> Matrix {
        let without =
            |row: &Vec<Real>| row.iter().enumerate().filter(|(j, _)| *j != column).map(|(_, x)| x.clone()).collect();
        a[1..].iter().map(without).collect()
    };
    (0..a.len()).fold(Real::zero(), |total, j| {
        let term = &a[0][j] * &determinant(&minor(j));
        if j % 2 == 0 { &total + &term } else { &total - &term }
    })
}

/// Of these matrices the symmetric part counts, as documented.
/// The determinants of the matrix without a row and a column, with the signs of a chessboard.
fn cofactors(a: &Matrix) -> Matrix {
    let without = |row: &[Real], j: usize| [&row[..j], &row[j + 1..]].concat();
    let minor = |i: usize, j: usize| -> Matrix {
        a.iter().enumerate().filter(|(k, _)| *k != i).map(|(_, row)| without(row, j)).collect()
    };
    let signed = |i: usize, j: usize| match determinant(&minor(i, j)) {
        minor if (i + j) % 2 == 1 => &Real::zero() - &minor,
        minor => minor,
    };
    (0..a.len()).map(|i| (0..a.len()).map(|j| signed(i, j)).collect()).collect()
}

fn symmetric(a: Matrix) -> Matrix {
    let mean = |i: usize, j: usize| &(&a[i][j] + &a[j][i]) / &Real::from_int(2);
    (0..a.len()).map(|i| (0..a.len()).map(|j| mean(i, j)).collect()).collect()
}

fn cholesky(a: &Matrix) -> Result<Matrix> {
    let n = a.len();
    let mut l = vec![vec![Real::zero(); n]; n];
    for i in 0..n {
        for j in 0..=i {
            let rest = (0..j).fold(a[i][j].clone(), |rest, k| &rest - &(&l[i][k] * &l[j][k]));
            if i == j && (rest.is_negative() || rest.is_zero() || rest.is_nan()) {
                return Err(Failure::program("the matrix isn't positive definite"));
            }
            l[i][j] = if i == j { rest.sqrt() } else { &rest / &l[j][j] };
        }
    }
    Ok(l)
}

/// Orthogonal columns one after the other, and what they were made of.
fn gram_schmidt(a: &Matrix) -> (Matrix, Matrix) {
    let (m, n) = (a.len(), a.first().map_or(0, Vec::len));
    let mut columns: Vec<Vec<Real>> = (0..n).map(|j| (0..m).map(|i| a[i][j].clone()).collect()).collect();
    let mut r = vec![vec![Real::zero(); n]; n];
    for j in 0..n {
        for i in 0..j {
            r[i][j] = product(&columns[i], &columns[j]);
            let (done, rest) = columns.split_at_mut(j);
            subtract(&mut rest[0], &done[i], &r[i][j]);
        }
        r[j][j] = product(&columns[j], &columns[j]).sqrt();
        let by = r[j][j].clone();
        columns[j].iter_mut().for_each(|x| *x = &*x / &by);
    }
    (transposed(&columns, m), r)
}

fn product(x: &[Real], y: &[Real]) -> Real {
    x.iter().zip(y).fold(Real::zero(), |sum, (x, y)| &sum + &(x * y))
}

/// The rows are columns of length m.
fn transposed(rows: &[Vec<Real>], m: usize) -> Matrix {
    (0..m).map(|i| rows.iter().map(|row| row[i].clone()).collect()).collect()
}

/// By the eigenvectors of the smaller of aᵀa and aaᵀ: there are digits enough.
fn thin_svd(a: &Matrix) -> Result<Val> {
    let (m, n) = (a.len(), a.first().map_or(0, Vec::len));
    let k = m.min(n);
    let of_rows: Matrix = if m < n { a.clone() } else { transposed(a, n) };
    let gram: Matrix = of_rows.iter().map(|x| of_rows.iter().map(|y| product(x, y)).collect()).collect();
    let Val::Data(eigen) = eigh(gram)? else { return Err(Failure::program("no eigenvectors")) };
    let (Val::Array(squares), Val::Array(vectors)) = (&eigen.fields[0], &eigen.fields[1]) else {
        return Err(Failure::program("no eigenvectors"));
    };
    let (squares, vectors) = (squares.numbers()?, vectors.numbers()?);
    let (mut values, mut left, mut right) = (vec![], vec![], vec![]);
    for j in (0..k).rev() {
        let value = squares[j].sqrt();
        let own: Vec<Real> = (0..k).map(|i| vectors[i * k + j].clone()).collect();
        let length = of_rows.first().map_or(0, Vec::len);
        let other = |i: usize| {
            let sum = (0..k).fold(Real::zero(), |sum, l| &sum + &(&own[l] * &of_rows[l][i]));
            &sum / &value
        };
        let other: Vec<Real> = (0..length).map(other).collect();
        let (u, v) = if m < n { (own, other) } else { (other, own) };
        let chosen = directed(v.clone());
        let turned = chosen.iter().zip(&v).any(|(x, y)| x.compare(y) != Some(Ordering::Equal));
        left.push(if turned { u.into_iter().map(|x| -x).collect() } else { u });
        right.push(chosen);
        values.push(value);
    }
    let u = Val::reals_array(vec![m, k], transposed(&left, m).into_iter().flatten().collect());
    let vt = Val::reals_array(vec![k, n], right.into_iter().flatten().collect());
    Ok(Val::tuple(vec![u, Val::reals_array(vec![k], values), vt]))
}

fn fourier(re: &Val, im: &Val) -> Result<Val> {
    let (Val::Array(re), Val::Array(im)) = (re, im) else { return Err(Failure::program("no vectors")) };
    let (re, im) = (re.numbers()?, im.numbers()?);
    let n = re.len();
    let root = |at: usize| {
        let angle = &(&(&Real::pi() * &Real::from_int(2)) * &Real::from_int(at as i64)) / &Real::from_int(n as i64);
        (angle.cos(), angle.sin())
    };
    let element = |k: usize| {
        (0..n).fold((Real::zero(), Real::zero()), |(x, y), j| {
            let (c, s) = root(j * k % n);
            (&x + &(&(&re[j] * &c) + &(&im[j] * &s)), &y + &(&(&im[j] * &c) - &(&re[j] * &s)))
        })
    };
    let (x, y) = (0..n).map(element).unzip();
    Ok(Val::tuple(vec![Val::reals_array(vec![n], x), Val::reals_array(vec![n], y)]))
}

/// Jacobi's rotations until nothing is left beside the diagonal. Vectors have length 1, their largest component is positive.
fn eigh(mut a: Matrix) -> Result<Val> {
    let n = a.len();
    let mut v = identity(n);
    for _ in 0..60 {
        let mut largest = Real::zero();
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q].abs().compare(&largest) == Some(Ordering::Greater) {
                    largest = a[p][q].abs();
                }
                rotate(&mut a, &mut v, p, q);
            }
        }
        if largest.is_zero() || largest.compare(&Real::power_of_two(-500)) == Some(Ordering::Less) {
            break;
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[i][i].compare(&a[j][j]).unwrap_or(Ordering::Equal));
    let values = order.iter().map(|&j| a[j][j].clone()).collect();
    let columns: Vec<Vec<Real>> = order.iter().map(|&j| directed((0..n).map(|i| v[i][j].clone()).collect())).collect();
    let vectors = (0..n).flat_map(|i| columns.iter().map(move |column| column[i].clone())).collect();
    Ok(Val::tuple(vec![Val::reals_array(vec![n], values), Val::reals_array(vec![n, n], vectors)]))
}

fn directed(column: Vec<Real>) -> Vec<Real> {
    let larger = |x: &Real, y: &Real| {
        // Equal up to rounding counts as equal: the first decides.
        (x.abs() - y.abs()).compare(&Real::power_of_two(-40)) == Some(Ordering::Greater)
    };
    let Some(first) = column.first() else { return column };
    let largest = column.iter().fold(first, |largest, x| if larger(x, largest) { x } else { largest });
    if largest.is_negative() { column.into_iter().map(|x| -x).collect() } else { column }
}

fn rotate(a: &mut Matrix, v: &mut Matrix, p: usize, q: usize) {
    if a[p][q].is_zero() {
        return;
    }
    let two = Real::from_int(2);
    let ratio = (a[q][q].clone() - a[p][p].clone()) / (&two * &a[p][q]);
    let root = (&(&ratio * &ratio) + &Real::one()).sqrt();
    let size = &Real::one() / &(ratio.abs() + root);
    let t = if ratio.is_negative() { -size } else { size };
    let c = &Real::one() / &(&(&t * &t) + &Real::one()).sqrt();
    let s = &t * &c;
    let turned = |x: &Real, y: &Real| (&(&c * x) - &(&s * y), &(&s * x) + &(&c * y));
    for row in a.iter_mut().chain(v.iter_mut()) {
        (row[p], row[q]) = turned(&row[p], &row[q]);
    }
    let (upper, lower) = (a[p].clone(), a[q].clone());
    for (k, (x, y)) in upper.iter().zip(&lower).enumerate() {
        (a[p][k], a[q][k]) = turned(x, y);
    }
}
