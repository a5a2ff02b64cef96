//! Arrays of different shapes in one elementwise operation: shapes are aligned at the right, axes that are missing count as 1, and axes of
//! length 1 repeat. In: lengths and elements in row-major order. Out: the common lengths, which element stands where, and the
//! transpose of repeating, sums in the order of [`crate::summation`].

use crate::summation;

/// The lengths of an elementwise operation on arrays of these lengths; `None`: they don't fit.
pub fn common(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let rank = a.len().max(b.len());
    (0..rank)
        .map(|axis| match (length(a, rank, axis), length(b, rank, axis)) {
            (m, n) if m == n || n == 1 => Some(m),
            (1, n) => Some(n),
            _ => None,
        })
        .collect()
}

/// The length of an axis of `rank`, counted with the axes that are missing on the left.
fn length(lengths: &[usize], rank: usize, axis: usize) -> usize {
    (axis + lengths.len()).checked_sub(rank).map_or(1, |axis| lengths[axis])
}

/// For each element of an array of the lengths `to` the place of the element of an array of the lengths `from` that is repeated there.
/// `from` repeats to `to`.
pub fn places(from: &[usize], to: &[usize]) -> Vec<usize> {
    let mut places = vec![0];
    let mut stride = 1;
    // From the last axis to the first: each repeats all that is there, moved on by its stride if it isn't repeated.
    for axis in (0..to.len()).rev() {
        let own = length(from, to.len(), axis);
        let step = if own == 1 { 0 } else { stride };
        let inner = std::mem::take(&mut places);
        places.reserve(inner.len() * to[axis]);
        for i in 0..to[axis] {
            places.extend(inner.iter().map(|place| place + i * step));
        }
        stride *= own;
    }
    places
}

/// For each element of an array of the lengths `to` the sum of those elements of `values`, of the lengths `from`, at which it is
/// repeated, in their order; `None` where `skip` holds for all of them.
pub fn sums(values: &[f64], from: &[usize], to: &[usize], skip: impl Fn(f64) -> bool) -> Vec<Option<f64>> {
    let size: usize = to.iter().product();
    if size == 0 {
        return vec![];
    }
    let each = values.len() / size;
    let mut sorted = vec![0.0; each * size];
    let mut filled = vec![0; size];
    for (value, place) in values.iter().zip(places(to, from)) {
        sorted[place * each + filled[place]] = *value;
        filled[place] += 1;
    }
    let sum = |terms: &[f64]| (!terms.iter().all(|x| skip(*x))).then(|| summation::sum(terms) + 0.0);
    if each == 0 { vec![Some(0.0); size] } else { sorted.chunks(each).map(sum).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_aligned_at_the_right() {
        assert_eq!(common(&[2, 3], &[3]), Some(vec![2, 3]));
        assert_eq!(common(&[2, 1], &[3]), Some(vec![2, 3]));
        assert_eq!(common(&[1], &[0]), Some(vec![0]));
        assert_eq!(common(&[2], &[3]), None);
        assert_eq!(common(&[2, 3], &[2]), None);
        assert_eq!(common(&[5, 1, 4], &[3, 1]), Some(vec![5, 3, 4]));
    }

    #[test]
    fn axes_of_length_one_repeat() {
        assert_eq!(places(&[3], &[2, 3]), [0, 1, 2, 0, 1, 2]);
        assert_eq!(places(&[2, 1], &[2, 3]), [0, 0, 0, 1, 1, 1]);
        assert_eq!(places(&[2, 1, 2], &[2, 2, 2]), [0, 1, 0, 1, 2, 3, 2, 3]);
        assert_eq!(places(&[1], &[0, 2]), [] as [usize; 0]);
    }

    #[test]
    fn sums_go_back_to_what_was_repeated() {
        let plain = |_| false;
        let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(sums(&values, &[2, 3], &[3], plain), [Some(5.0), Some(7.0), Some(9.0)]);
        assert_eq!(sums(&values, &[2, 3], &[2, 1], plain), [Some(6.0), Some(15.0)]);
        assert_eq!(sums(&[], &[0, 3], &[3], plain), [Some(0.0); 3]);
        assert_eq!(sums(&[0.0, 2.0, 0.0, 0.0], &[2, 2], &[2], |x| x == 0.0), [None, Some(2.0)]);
    }
}
