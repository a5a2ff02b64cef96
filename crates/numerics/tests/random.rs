//! The published vectors, and statistics that a broken generator would fail.

use numerics::random::{Key, bits, fold_in, key, normal, split, threefry, uniform};

#[test]
fn threefry_gives_the_published_answers() {
    let ones = [u32::MAX; 2];
    assert_eq!(threefry([0, 0], [0, 0]), [0x6b20_0159, 0x99ba_4efe]);
    assert_eq!(threefry(ones, ones), [0x1cb9_96fc, 0xbb00_2be7]);
    assert_eq!(threefry([0x1319_8a2e, 0x0370_7344], [0x243f_6a88, 0x85a3_08d3]), [0xc492_3a9c, 0x483d_f7a0]);
}

#[test]
fn the_numbers_of_a_seed_never_change() {
    assert_eq!(bits(Key(0), 0), 0x99ba_4efe_6b20_0159);
    let key = key(42);
    assert_eq!(
        (key.0, bits(key, 7), uniform(key, 7), normal(key, 7)),
        (16571877961015025416, 9182647155248599501, 0.4977922997444184, -1.0378728546957698),
    );
}

#[test]
fn derived_keys_and_draws_are_all_different() {
    let parent = key(1);
    let (left, right) = split(parent);
    let mut seen = vec![parent.0, left.0, right.0];
    seen.extend((0..100).map(|n| fold_in(parent, n).0));
    seen.extend((0..100).flat_map(|n| [parent, left, right].map(|key| bits(key, n))));
    let count = seen.len();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), count);
}

#[test]
fn uniform_numbers_fill_the_unit_interval_evenly() {
    let n = 100_000;
    let mut bins = [0u32; 100];
    for value in (0..n).map(|i| uniform(key(2), i)) {
        assert!((0.0..1.0).contains(&value));
        bins[(value * 100.0) as usize] += 1;
    }
    let chi_squared: f64 = bins.iter().map(|count| (f64::from(*count) - 1000.0).powi(2) / 1000.0).sum();
    assert!((55.0..160.0).contains(&chi_squared), "99 degrees of freedom: {chi_squared}");
}

#[test]
fn normal_numbers_have_the_normal_moments_and_distribution() {
    let mut values: Vec<f64> = (0..100_000).map(|i| normal(key(3), i)).collect();
    let moment = |power: i32| values.iter().map(|x| x.powi(power)).sum::<f64>() / values.len() as f64;
    assert!(moment(1).abs() < 0.015, "mean {}", moment(1));
    assert!((moment(2) - 1.0).abs() < 0.02, "variance {}", moment(2));
    assert!(moment(3).abs() < 0.05, "skewness {}", moment(3));
    assert!((moment(4) - 3.0).abs() < 0.15, "kurtosis {}", moment(4));

    values.sort_unstable_by(f64::total_cmp);
    let count = values.len() as f64;
    let distribution = |x: f64| 0.5 * numerics::erfc(-x * std::f64::consts::FRAC_1_SQRT_2);
    let gaps = values.iter().enumerate().map(|(i, x)| (distribution(*x) - i as f64 / count).abs());
    let largest = gaps.fold(0.0, f64::max);
    assert!(largest < 1.9 / count.sqrt(), "Kolmogorov–Smirnov distance {largest}");
}
