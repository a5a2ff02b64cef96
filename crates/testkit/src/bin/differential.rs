//! Random programs on three engines for as long as you like: `differential --minutes 60 --seed 1000`.

fn main() {
    llvm::self_test_child();
    evert_testkit::hunt::main();
}
