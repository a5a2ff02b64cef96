//! The discrete Fourier transform of any length: y_k = Σ x_j e^(−2πi jk/n). Lengths are taken apart into their prime factors, large ones by
//! Bluestein's convolution. Always the same order of operations, so always the same bits.

use crate::{cos, sin, stop};

/// A complex number: its real and its imaginary part.
type Complex = (f64, f64);

/// Prime lengths up to this are summed term by term.
const SMALL: usize = 64;

/// The transform of `re + i im`, as real and imaginary parts. Panics when the lengths differ.
pub fn transform(re: &[f64], im: &[f64]) -> (Vec<f64>, Vec<f64>) {
    assert_eq!(re.len(), im.len(), "transform: lengths differ");
    let values: Vec<Complex> = re.iter().copied().zip(im.iter().copied()).collect();
    transformed(&values).into_iter().unzip()
}

fn transformed(values: &[Complex]) -> Vec<Complex> {
    let n = values.len();
    if n < 2 {
        return values.to_vec();
    }
    let roots: Vec<Complex> = (0..n).map(|j| root(j, n)).collect();
    factor_by_factor(values, &roots, 1)
}

/// e^(−2πi j/n) for j < n, by an angle below an eighth of a turn: so powers of i are exact, and opposite roots have the same digits.
fn root(j: usize, n: usize) -> Complex {
    let (quarter, rest) = (4 * j / n, 4 * j % n);
    let angle = |part: usize| std::f64::consts::FRAC_PI_2 * (part as f64 / n as f64);
    let (c, s) = match 2 * rest <= n {
        true => (cos(angle(rest)), sin(angle(rest))),
        false => (sin(angle(n - rest)), cos(angle(n - rest))),
    };
    match quarter {
        0 => (c, -s),
        1 => (-s, -c),
        2 => (-c, s),
        _ => (s, c),
    }
}

/// `roots[j * stride]` is e^(−2πi j/n) for the n values.
fn factor_by_factor(values: &[Complex], roots: &[Complex], stride: usize) -> Vec<Complex> {
    let n = values.len();
    if n > SMALL && stop::is_wanted() {
        return values.to_vec();
    }
    let factor = (2..).take_while(|p| p * p <= n).find(|p| n.is_multiple_of(*p)).unwrap_or(n);
    if factor == n {
        return if n <= SMALL { term_by_term(values, roots, stride) } else { by_convolution(values) };
    }
    let rows: Vec<Vec<Complex>> = (0..factor)
        .map(|first| {
            let every: Vec<Complex> = values.iter().skip(first).step_by(factor).copied().collect();
            if every.len() == 1 { every } else { factor_by_factor(&every, roots, stride * factor) }
        })
        .collect();
    let m = n / factor;
    let element = |k: usize| {
        let term = |(r, row): (usize, &Vec<Complex>)| times(row[k % m], roots[r * k % n * stride]);
        rows.iter().enumerate().map(term).fold((0.0, 0.0), plus)
    };
    (0..n).map(element).collect()
}

fn term_by_term(values: &[Complex], roots: &[Complex], stride: usize) -> Vec<Complex> {
    let n = values.len();
    let element = |k: usize| {
        let terms = values.iter().enumerate().map(|(j, x)| times(*x, roots[j * k % n * stride]));
        terms.fold((0.0, 0.0), plus)
    };
    (0..n).map(element).collect()
}

/// jk = (j² + k² − (k − j)²) / 2, so the transform is a convolution with e^(πi j²/n), whose length may be a power of two.
fn by_convolution(values: &[Complex]) -> Vec<Complex> {
    let n = values.len();
    let chirp: Vec<Complex> = (0..n).map(|j| root(j * j % (2 * n), 2 * n)).collect();
    let size = (2 * n - 1).next_power_of_two();
    let (mut a, mut b) = (vec![(0.0, 0.0); size], vec![(0.0, 0.0); size]);
    for j in 0..n {
        a[j] = times(values[j], chirp[j]);
        b[j] = conjugate(chirp[j]);
        b[(size - j) % size] = conjugate(chirp[j]);
    }
    let product: Vec<Complex> =
        transformed(&a).into_iter().zip(transformed(&b)).map(|(x, y)| conjugate(times(x, y))).collect();
    let back = transformed(&product);
    let scaled = |(re, im): Complex| (re / size as f64, -im / size as f64);
    (0..n).map(|k| times(scaled(back[k]), chirp[k])).collect()
}

fn times((a, b): Complex, (c, d): Complex) -> Complex {
    (a * c - b * d, a * d + b * c)
}

fn plus((a, b): Complex, (c, d): Complex) -> Complex {
    (a + c, b + d)
}

fn conjugate((a, b): Complex) -> Complex {
    (a, -b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_agrees_with_the_definition() {
        for n in [0, 1, 2, 3, 4, 5, 8, 12, 30, 49, 67, 128, 134] {
            let re: Vec<f64> = (0..n).map(|i| sin(i as f64 * 1.3 + 0.2)).collect();
            let im: Vec<f64> = (0..n).map(|i| cos(i as f64 * 0.7)).collect();
            let (y, z) = transform(&re, &im);
            for k in 0..n {
                let terms = (0..n).map(|j| times((re[j], im[j]), root(j * k % n, n)));
                let (a, b) = terms.fold((0.0, 0.0), plus);
                assert!((a - y[k]).abs() + (b - z[k]).abs() < 1e-12, "element {k} of {n}");
            }
        }
    }
}
