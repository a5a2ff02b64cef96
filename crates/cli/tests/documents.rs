//! What the documents say is true: every example in them runs and gives what stands beside it.

use std::path::Path;
use std::process::Command;

#[test]
fn every_example_of_the_documents_holds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut evert = Command::new(env!("CARGO_BIN_EXE_evert"));
    evert.current_dir(root).args(["test", "README.md", "docs/tour.md", "docs/reference.md", "docs/paper.md"]);
    evert.args(["docs/from-jax.md", "docs/custom-rules.md", "examples"]);
    let output = evert.output().expect("evert runs");
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{report}\n{}", String::from_utf8_lossy(&output.stderr));
}
