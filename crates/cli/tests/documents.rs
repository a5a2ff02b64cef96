//! What the documents say is true: every example in them runs and gives what stands beside it.

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

#[test]
fn every_example_of_the_documents_holds() {
    let documents = ["README.md", "docs/tour.md", "docs/reference.md", "docs/paper.md"];
    let more = ["docs/from-jax.md", "docs/custom-rules.md"];
    holds(&[&["test"], &documents[..], &more].concat());
}

/// On the reference evaluator: compiling second derivatives of `minimise` in newton.ev takes minutes so far.
#[test]
fn every_example_program_holds() {
    holds(&["--engine", "reference", "test", "examples"]);
}

fn holds(arguments: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut evert = Command::new(env!("CARGO_BIN_EXE_evert"));
    let output = evert.current_dir(root).args(arguments).output().expect("evert runs");
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{report}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// The program that docs/dev/native.md takes through all levels.
const FOLD: &str = "\
fn poly(w, xs) = fold((acc, x) => acc * w + x, 0.0, xs)
poly(2.0, [1.0, 2.0, 3.0])
grad(w => poly(w, [1.0, 2.0, 3.0]))(2.0)
";

#[test]
fn the_walk_through_all_levels_is_what_the_compiler_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = support::Folder::new("walk");
    folder.write("fold.ev", FOLD);
    let path = folder.path("fold.ev");
    let levels = [
        &["ir", &path, "--level", "l1"][..],
        &["ir", &path, "--level", "l1-reverse"],
        &["ir", &path, "--level", "l3"],
        &["ir", &path, "--level", "l3", "--after", "all"],
        &["ir", &path, "--level", "l4"],
        &["ir", &path, "--level", "llvm"],
        &["tape", &path, "w => poly(w, [1.0, 2.0, 3.0])", "2.0"],
    ];
    let mut real = FOLD.to_string() + &read(&root.join("library/loops.ev"));
    levels.iter().for_each(|arguments| real += &support::evert(arguments).out);
    let real: BTreeSet<String> = real.lines().map(without_numbers).collect();
    let document = read(&root.join("docs/dev/native.md"));
    let section = document.split("## One construct through all levels").nth(1).expect("the section");
    let section = section.split("\n## ").next().unwrap_or(section);
    for line in section.split("```text").skip(1).flat_map(|block| block.split("```").next().unwrap_or("").lines()) {
        assert!(real.contains(&without_numbers(line)), "docs/dev/native.md shows a line that isn't printed: {line}");
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("UTF-8 text")
}

/// A line without its indent, its spans, and the numbers of variables, which change with every pass.
fn without_numbers(line: &str) -> String {
    let is_span = |word: &&str| word.starts_with('@') && word.contains("..");
    let line = line.split_whitespace().filter(|word| !is_span(word)).collect::<Vec<_>>().join(" ");
    let mut out = String::new();
    for c in line.chars() {
        let numbers_something = out.ends_with(|last: char| last.is_alphabetic() || last == '_' || last == '#');
        match c.is_ascii_digit() && numbers_something {
            true if out.ends_with('#') => {}
            true => out.push('#'),
            false => out.push(c),
        }
    }
    out
}
