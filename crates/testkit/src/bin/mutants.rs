//! Breaks one derivative rule of the library at a time and says which check notices: `mutants --help`.

fn main() {
    evert_testkit::mutation::main();
}
