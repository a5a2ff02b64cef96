//! Sums have one order, whatever the length.

use numerics::random::{key, normal};
use numerics::summation::{CHUNK, LANES, combine, dot, dot_chunk, sum, sum_chunk};

#[test]
fn sums_of_small_integers_are_exact() {
    assert_eq!(sum(&[]).to_bits(), 0.0f64.to_bits());
    assert_eq!(dot(&[], &[]).to_bits(), 0.0f64.to_bits());
    for n in [1, 7, 8, 9, 1023, 1024, 1025, 5000] {
        let values: Vec<f64> = (1..=n).map(f64::from).collect();
        let n = f64::from(n);
        assert_eq!(sum(&values), n * (n + 1.0) / 2.0);
        assert_eq!(dot(&values, &values), n * (n + 1.0) * (2.0 * n + 1.0) / 6.0);
    }
}

#[test]
fn a_chunk_is_eight_interleaved_partials_folded_by_halves() {
    for n in [1, 3, 8, 13, 100, CHUNK] {
        let values = numbers(n);
        let p: Vec<f64> =
            (0..LANES).map(|lane| values.iter().skip(lane).step_by(LANES).fold(0.0, |s, x| s + x)).collect();
        let expected = ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
        assert_eq!(sum_chunk(&values).to_bits(), expected.to_bits());
    }
}

#[test]
fn a_dot_chunk_is_eight_interleaved_chains_of_fma() {
    let (a, b) = (numbers(777), numbers(1554)[777..].to_vec());
    let chain = |lane: usize| (lane..777).step_by(LANES).fold(0.0, |s, i| f64::mul_add(a[i], b[i], s));
    let p: Vec<f64> = (0..LANES).map(chain).collect();
    let expected = ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
    assert_eq!(dot_chunk(&a, &b).to_bits(), expected.to_bits());
}

#[test]
fn chunks_form_a_tree_of_neighbouring_pairs() {
    let values = numbers(5 * CHUNK - 100);
    let s: Vec<f64> = values.chunks(CHUNK).map(sum_chunk).collect();
    let expected = ((s[0] + s[1]) + (s[2] + s[3])) + s[4];
    assert_eq!(sum(&values).to_bits(), expected.to_bits());
    assert_eq!(combine(s).to_bits(), expected.to_bits());
}

#[test]
fn infinities_and_nan_reach_the_sum() {
    assert_eq!(sum(&[1.0, f64::INFINITY]), f64::INFINITY);
    assert!(sum(&[f64::NEG_INFINITY, f64::INFINITY]).is_nan());
    assert!(dot(&[f64::NAN], &[0.0]).is_nan());
}

#[test]
#[should_panic(expected = "lengths differ")]
fn dot_of_different_lengths_is_refused() {
    dot(&[1.0], &[]);
}

fn numbers(n: usize) -> Vec<f64> {
    (0..n as u64).map(|i| normal(key(1), i)).collect()
}
