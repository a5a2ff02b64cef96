//! Random programs on three engines for as long as you like: `differential --minutes 60 --seed 1000`.

/// So that what the compiler uses is counted.
#[global_allocator]
static ALLOCATOR: eval::memory::Counting = eval::memory::Counting;

fn main() {
    llvm::self_test_child();
    evert_testkit::hunt::main();
}
