//! What compiled code costs, by counts: statements run on L3, bytes allocated, objects alive, instances, bytes of IR. Nothing
//! is timed.
//!
//! Words after the name of the test select claims. A program of its own, because it is also the child that tries LLVM. Where there is
//! no LLVM what is said about native code is left out, with a note.

mod depth;
mod growth;
mod memory;
mod orders;
mod rewritten;
mod size;
mod steps;

type Test = (&'static str, fn());

fn main() {
    llvm::self_test_child();
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    if !steps::has_native() {
        println!("there is no LLVM: claims about native code are left out");
    }
    // What large sums hold for other threads has a test of its own; elsewhere it would hide how bytes grow.
    evert::threads::allow(1);
    let tests = [growth::TESTS, memory::TESTS, depth::TESTS, size::TESTS, orders::TESTS, rewritten::TESTS].concat();
    let mut failed = vec![];
    for (name, test) in tests.into_iter().filter(|(name, _)| wanted(name)) {
        println!("test {name}");
        if std::panic::catch_unwind(test).is_err() {
            failed.push(name);
        }
    }
    assert!(failed.is_empty(), "failed: {}", failed.join(", "));
}
