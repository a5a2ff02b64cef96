//! Orders of numbers: stable, NaN last, and given up on request however long they are.

use std::cell::Cell;
use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Ascending, NaN last; −0.0 and 0.0 are equal.
#[inline]
pub fn compare_reals(x: f64, y: f64) -> Ordering {
    x.partial_cmp(&y).unwrap_or_else(|| x.is_nan().cmp(&y.is_nan()))
}

/// The places of n elements in their stable order; `None` if `go_on`, which long orders ask from time to time, says no.
pub fn sorted(n: usize, compare: impl Fn(usize, usize) -> Ordering, go_on: impl Fn() -> bool) -> Option<Vec<i64>> {
    /// Comparisons between two questions: some hundredths of a second.
    const OFTEN: u32 = 1 << 20;
    let mut order: Vec<i64> = (0..n as i64).collect();
    if n < OFTEN as usize {
        order.sort_by(|i, j| compare(*i as usize, *j as usize));
        return Some(order);
    }
    struct GivenUp;
    let left = Cell::new(OFTEN);
    let whole = catch_unwind(AssertUnwindSafe(|| {
        order.sort_by(|i, j| {
            left.set(left.get() - 1);
            if left.get() == 0 {
                left.set(OFTEN);
                if !go_on() {
                    // There is no other way out of a sort.
                    resume_unwind(Box::new(GivenUp));
                }
            }
            compare(*i as usize, *j as usize)
        });
    }));
    match whole {
        Ok(()) => Some(order),
        Err(reason) if reason.is::<GivenUp>() => None,
        Err(reason) => resume_unwind(reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_orders_are_stable_with_nan_last() {
        let few = [2.0, f64::NAN, -0.0, 0.0, 1.0];
        assert_eq!(sorted(5, |i, j| compare_reals(few[i], few[j]), || true), Some(vec![2, 3, 4, 0, 1]));
        let n = 3 << 20;
        let key = |i: usize| (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44;
        let order = sorted(n, |i, j| key(i).cmp(&key(j)), || true).expect("nobody stops it");
        assert!(order.windows(2).all(|pair| (key(pair[0] as usize), pair[0]) < (key(pair[1] as usize), pair[1])));
    }

    #[test]
    fn a_long_order_is_given_up() {
        let n = 3 << 20;
        let asked = Cell::new(0);
        let go_on = || {
            asked.set(asked.get() + 1);
            asked.get() < 3
        };
        assert_eq!((sorted(n, |i, j| (i % 1000).cmp(&(j % 1000)), go_on), asked.get()), (None, 3));
    }
}
