//! Both engines agree on what a rule sees: right rules attached to random functions inside random programs change no derivative of orders 1 to 3.
//!
//! Set `EVERT_SEEDS=from,count` for other programs, `EVERT_SHOW=1` to see them.

use evert_testkit::attached::{Tally, compare, generate};

/// One of each family of programs; nearly all of the time goes into compiling their derivatives.
const SEEDS: (u64, u64) = (1, 2);

fn main() {
    llvm::self_test_child();
    let given = std::env::var("EVERT_SEEDS").ok();
    let parsed = given.as_deref().and_then(|text| text.split_once(','));
    let (seed, count) = match parsed.map(|(a, b)| (a.parse(), b.parse())) {
        Some((Ok(seed), Ok(count))) => (seed, count),
        _ => SEEDS,
    };
    let (mut tally, mut kinds) = (Tally::default(), std::collections::BTreeMap::<&str, usize>::new());
    for seed in seed..seed + count {
        let pair = generate(seed);
        if std::env::var_os("EVERT_SHOW").is_some() {
            println!("// seed {seed}\n{}", pair.ruled);
        }
        pair.kinds.iter().for_each(|kind| *kinds.entry(kind).or_default() += 1);
        let before = tally.finds.len();
        compare(&pair, &mut tally);
        for find in &tally.finds[before..] {
            println!("seed {seed} ({}): {find}", pair.kinds.join(", "));
        }
    }
    let Tally { compared, unanswered, compiled, dynamic, finds } = &tally;
    println!(
        "{count} programs: {compared} answers compared, {unanswered} without one, {compiled} steps compiled, {dynamic} not; rules: {kinds:?}"
    );
    assert!(finds.is_empty(), "{} answers that rules change", finds.len());
    assert!(*compared > 10 * count as usize, "too few answers were compared");
}
