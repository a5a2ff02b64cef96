//! What the documents say is true: every example in them runs and gives what stands beside it.

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

#[test]
fn every_example_of_the_documents_holds() {
    let documents = ["README.md", "docs/tour.md", "docs/reference.md", "docs/paper.md"];
    let guides = ["cookbook", "custom-rules", "data", "from-jax", "nan", "plots", "speed", "training"];
    let guides = guides.map(|name| format!("docs/{name}.md"));
    holds(&["test"].into_iter().chain(documents).chain(guides.iter().map(String::as_str)).collect::<Vec<_>>());
}

/// On the reference evaluator: compiling second derivatives of `minimise` in newton.ev takes minutes so far. A program that has a page is
/// the page's, so the page is enough.
#[test]
fn every_example_program_holds() {
    let files = examples(&["md", "ev"]);
    let has_page = |file: &String| file.ends_with(".ev") && files.contains(&file.replace(".ev", ".md"));
    let files = files.iter().filter(|file| !has_page(file)).map(String::as_str);
    holds(&["--engine", "reference", "test"].into_iter().chain(files).collect::<Vec<_>>());
}

/// The blocks of a page, one after the other, are the program beside it, but for empty lines and comments.
#[test]
fn every_page_of_the_gallery_shows_its_program() {
    let code = |text: &str| -> Vec<String> {
        let lines = text.lines().map(str::trim_end);
        lines.filter(|line| !line.is_empty() && !line.trim_start().starts_with("// ")).map(str::to_string).collect()
    };
    let pages = examples(&["md"]).into_iter().filter(|page| !page.ends_with("README.md"));
    let pages: Vec<String> = pages.collect();
    assert!(pages.len() >= 9, "{pages:?}");
    for page in pages {
        let text = read(&root().join(&page));
        let blocks: Vec<&str> =
            text.split("```evert\n").skip(1).map(|rest| rest.split("```").next().unwrap_or("")).collect();
        // What only draws isn't part of the program.
        let blocks: Vec<&str> = blocks.into_iter().filter(|block| !block.contains("plots.")).collect();
        let program = read(&root().join(page.replace(".md", ".ev")));
        assert_eq!(code(&blocks.concat()), code(&program), "{page}");
    }
}

#[test]
fn every_command_of_the_documents_prints_what_they_show() {
    let documents = ["docs/paper.md".to_string()].into_iter().chain(examples(&["md"]));
    let blocks: usize = documents.map(|document| support::console::holds(&root(), &document)).sum();
    assert!(blocks >= 10, "{blocks}");
}

/// The files of the gallery, in order.
fn examples(endings: &[&str]) -> Vec<String> {
    let folder = std::fs::read_dir(root().join("examples")).expect("examples/");
    let names = folder.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let ends = |name: &String| endings.iter().any(|ending| name.ends_with(&format!(".{ending}")));
    let mut files: Vec<String> = names.filter(ends).map(|name| format!("examples/{name}")).collect();
    files.sort();
    files
}

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn holds(arguments: &[&str]) {
    let mut evert = Command::new(env!("CARGO_BIN_EXE_evert"));
    let output = evert.current_dir(root()).args(arguments).output().expect("evert runs");
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
    let root = root();
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
