//! Programs that are hard to compile stay within the compiler's budget and give the right answer.
//!
//! Set `EVERT_SEEDS=from,count` for others; `cargo run --release -p evert-testkit --bin differential -- --oversized --count 1000` tries a thousand.

use evert_testkit::hunt::{self, Arguments, Programs};

/// So that what the compiler uses is counted.
#[global_allocator]
static ALLOCATOR: eval::memory::Counting = eval::memory::Counting;

const SEEDS: (u64, u64) = (0, 24);

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
    let arguments =
        Arguments { seed, count: Some(count), small: false, programs: Programs::Oversized, ..Arguments::default() };
    let hunt = hunt::hunt(&arguments);
    println!("{}", hunt.summary());
    assert!(hunt.finds.is_empty(), "{} programs that are too much for the compiler", hunt.finds.len());
}
