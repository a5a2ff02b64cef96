//! Central differences with Richardson extrapolation: what derivatives are judged by.

/// The derivative of `f` at 0 and an estimate of its error.
///
/// The step is halved and the results extrapolated (Ridders); the best column wins.
pub fn derivative(mut f: impl FnMut(f64) -> f64, step: f64) -> (f64, f64) {
    const ROWS: usize = 6;
    let mut central = |h: f64| (f(h) - f(-h)) / (2.0 * h);
    let mut previous = vec![central(step)];
    let (mut best, mut error) = (previous[0], f64::INFINITY);
    for row in 1..ROWS {
        let mut current = vec![central(step / 2f64.powi(row as i32))];
        for column in 1..=row {
            let factor = 4f64.powi(column as i32);
            let next = (factor * current[column - 1] - previous[column - 1]) / (factor - 1.0);
            let estimate = (next - current[column - 1]).abs().max((next - previous[column - 1]).abs());
            if estimate < error {
                (best, error) = (next, estimate);
            }
            current.push(next);
        }
        previous = current;
    }
    (best, error)
}

/// The gradient of `f` at `x` and the largest estimated error.
pub fn gradient(mut f: impl FnMut(&[f64]) -> f64, x: &[f64], step: f64) -> (Vec<f64>, f64) {
    let mut largest = 0f64;
    let mut partial = |i: usize| {
        let moved = |h: f64| {
            let mut moved = x.to_vec();
            moved[i] += h;
            f(&moved)
        };
        let (slope, error) = derivative(moved, step * x[i].abs().clamp(0.25, 4.0));
        largest = largest.max(error);
        slope
    };
    let slopes = (0..x.len()).map(&mut partial).collect();
    (slopes, largest)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_difference_of_a_smooth_function_is_its_derivative() {
        let (slope, error) = super::derivative(|h| (1.0 + h).exp(), 0.1);
        assert!((slope - 1f64.exp()).abs() < 1e-10 && error < 1e-9, "{slope} {error}");
    }
}
