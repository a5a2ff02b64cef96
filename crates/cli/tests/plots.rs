//! Plots on the command line: lines, files, documents, terminals.

mod support;

use std::path::Path;

use support::{Folder, evert, with_input};

const PROGRAM: &str = "\
fn f(x) = x^2
plots.curves([f, grad(f)], 0, 3)
plots.titled(\"Data\", plots.points([0.0, 1.0], [1.0, 2.0]))
(plot(f, 0, 1), 3)
";

const LINES: &str = "\
<plot: 2 curves, x 0.0..3.0, y 0.0..9.0>
<plot: \"Data\" 2 points, x 0.0..1.0, y 1.0..2.0>
(<plot: curve, x 0.0..1.0>, 3)
";

#[test]
fn where_nothing_can_be_drawn_a_plot_is_a_line() {
    let folder = Folder::new("plot-lines");
    folder.write("a.ev", PROGRAM);
    for engine in ["reference", "first-order", "native"] {
        evert(&["run", "--engine", engine, &folder.path("a.ev")]).succeeds_with(LINES);
    }
    with_input(&["repl"], b"plot(x => 2 * x, 0, 1)\nans\n")
        .succeeds_with(&"<plot: curve, x 0.0..1.0, y 0.0..2.0>\n".repeat(2));
}

#[test]
fn plots_of_a_program_are_files_and_the_same_on_every_engine() {
    let folder = Folder::new("plot-files");
    folder.write("a.ev", PROGRAM);
    let draw = |engine: &str| {
        let out = folder.path(engine);
        let ran = evert(&["run", "--engine", engine, &folder.path("a.ev"), "--plots", &out]);
        let files = [1, 2].map(|n| format!("{out}/a-{n}.svg"));
        let lines: Vec<&str> = LINES.lines().collect();
        ran.succeeds_with(&format!("{}: {}\n{}: {}\n{}\n", files[0], lines[0], files[1], lines[1], lines[2]));
        files.map(|file| std::fs::read_to_string(file).expect("the file is written"))
    };
    let expected = draw("reference");
    assert!(
        expected[0].starts_with("<svg") && expected[0].contains(">grad(f)</text>") && !expected[0].contains("<script")
    );
    assert!(["first-order", "native"].iter().all(|engine| draw(engine) == expected));
}

#[test]
fn long_sampling_runs_on_the_engine_and_draws_the_same() {
    let folder = Folder::new("plot-long");
    folder.write("a.ev", "fn f(x) = iterate(20_000, y => 0.5 * y + x, 0.0)\nplot(f, 0, 1)\n");
    let draw = |engine: &str| {
        let ran = evert(&["run", "--engine", engine, &folder.path("a.ev"), "--plots", &folder.path(engine)]);
        ran.succeeds_with(&format!("{}/a-1.svg: <plot: curve, x 0.0..1.0, y 0.0..2.0>\n", folder.path(engine)));
        folder.read(&format!("{engine}/a-1.svg"))
    };
    assert!(draw("native") == draw("reference"));
}

#[test]
fn a_folder_that_cannot_be_written_is_said_and_fails() {
    let folder = Folder::new("plot-folder");
    folder.write("a.ev", "plot(sin, 0, 1)\n1\n");
    folder.write("file", "");
    let ran = evert(&["run", &folder.path("a.ev"), "--plots", &folder.path("file")]);
    ran.fails_with(1);
    assert!(ran.out == "1\n" && ran.err.contains("can't write"), "{}{}", ran.out, ran.err);
}

#[test]
fn an_expression_is_drawn_into_a_file_or_to_standard_output() {
    let folder = Folder::new("plot-expression");
    let path = folder.path("f.svg");
    evert(&["plot", "plot(x => 2 * x, 0, 1)", "-o", &path])
        .succeeds_with(&format!("{path}: <plot: curve, x 0.0..1.0, y 0.0..2.0>\n"));
    let file = folder.read("f.svg");
    evert(&["plot", "let k = 2\nplot(x => k * x, 0, 1)"]).succeeds_with(&file);
    evert(&["plot", "plot(x => 2 * x, 0, 1)", "-o", "-"]).succeeds_with(&file);
    let ran = evert(&["plot", "1 + 1", "-o", &path]);
    ran.fails_with(1);
    assert!(ran.err.contains("expected a plot") && ran.err.contains("the int `2`"), "{}", ran.err);
    evert(&["plot", "plot(sin, 0, 1)", "-o", &folder.path("f.png")]).fails_with(2);
}

#[test]
fn errors_while_sampling_belong_to_the_step_and_the_function() {
    let folder = Folder::new("plot-errors");
    folder.write("a.ev", "fn f(x) = [1.0][int(x)]\nplot(f, 0.0, 3.0)\n");
    let ran = evert(&["run", &folder.path("a.ev")]);
    ran.fails_with(1);
    assert!(ran.err.contains("E0307") && ran.err.contains("a.ev:1:11"), "{}", ran.err);
    let ran = evert(&["eval", "plots.coloured(\"bleu\", plots.line([1.0]))"]);
    ran.fails_with(1);
    assert!(ran.err.contains("E0327") && ran.err.contains("`bleu` is no colour"), "{}", ran.err);
}

#[test]
fn what_has_no_derivative_is_drawn_anyway() {
    let program = "fn f(x) = x^2\n  reverse x => 2 * x\nplot(f, 0, 2)\n";
    evert(&["eval", program]).succeeds_with("<plot: curve, x 0.0..2.0, y 0.0..4.0>\n");
}

#[test]
fn a_function_does_not_print_while_it_is_sampled() {
    let program = "plot(x => { print(x); x }, 0, 2)";
    evert(&["eval", program]).succeeds_with("<plot: curve, x 0.0..2.0, y 0.0..2.0>\n");
}

#[test]
fn plots_inside_of_each_other_have_an_end() {
    let deep = |n: usize| format!("iterate({n}, p => plots.Styled({{title: \"t\"}}, p), plots.line([1.0]))");
    evert(&["eval", &deep(400)]).succeeds_with("<plot: \"t\" line of 1 point, x 0.0..0.0, y 1.0..1.0>\n");
    let ran = evert(&["eval", &deep(100_000)]);
    ran.fails_with(1);
    assert!(ran.err.contains("more than 500 deep"), "{}", ran.err);
    let over = "iterate(100_000, p => plots.over([p]), plots.line([1.0]))";
    evert(&["eval", over]).succeeds_with("<plot: line of 1 point, x 0.0..0.0, y 1.0..1.0>\n");
}

#[test]
fn expectations_compare_data_and_say_why_functions_do_not() {
    let folder = Folder::new("plot-expectations");
    folder.write("a.ev", "plots.line([1.0])  //=> plots.Line([0], [1.0])\nplot(sin, 0, 1)  //=> plot(sin, 0, 1)\n");
    let ran = evert(&["test", &folder.path("a.ev")]);
    ran.fails_with(1);
    assert!(ran.out.contains("functions never agree") && ran.out.contains("plots.sampled"), "{}", ran.out);
    assert!(ran.out.ends_with("1 passed, 1 failed\n"), "{}", ran.out);
}

const DOCUMENT: &str = "# Title

```evert
fn f(x) = x^2
f(2.0)  //=> 4.0
plot(f, 0, 1)
```

Text.

```evert
plot(f, 0, 2)
plots.line([1.0, 2.0])
```
![my words](pictures/mine.svg)

```evert E0201
no
```
";

#[test]
fn a_document_gets_its_pictures_once() {
    let folder = Folder::new("weave");
    folder.write("doc.md", DOCUMENT);
    let path = folder.path("doc.md");
    evert(&["weave", "--check", &path]).fails_with(1);
    assert_eq!(folder.read("doc.md"), DOCUMENT);
    let ran = evert(&["weave", &path]);
    assert_eq!((ran.code, ran.out.lines().count()), (Some(0), 4), "{}{}", ran.out, ran.err);
    let woven = folder.read("doc.md");
    let first = "```\n\n![curve, x 0.0..1.0, y 0.0..1.0](doc-1.svg)\n\nText.";
    let second =
        "![my words](pictures/mine.svg)\n\n![line of 2 points, x 0.0..1.0, y 1.0..2.0](doc-2.svg)\n\n```evert E0201";
    assert!(woven.contains(first) && woven.contains(second), "{woven}");
    assert!(["doc-1.svg", "doc-2.svg", "pictures/mine.svg"].iter().all(|file| folder.read(file).starts_with("<svg")));
    evert(&["weave", &path]).succeeds_with("");
    evert(&["weave", "--check", &path]).succeeds_with("");
    folder.write("doc.md", woven.replace("x^2", "x^3"));
    let ran = evert(&["weave", "--check", &path]);
    ran.fails_with(1);
    assert!(ran.err.contains("doc-1.svg isn't current"), "{}", ran.err);
}

#[test]
fn weaving_spares_pictures_of_others_and_says_what_is_wrong() {
    let folder = Folder::new("weave-foreign");
    folder.write("doc.md", DOCUMENT);
    folder.write("pictures/mine.svg", "<svg>drawn by hand</svg>");
    let ran = evert(&["weave", &folder.path("doc.md")]);
    ran.fails_with(1);
    assert!(ran.err.contains("mine.svg wasn't made by evert weave"), "{}", ran.err);
    assert_eq!(folder.read("pictures/mine.svg"), "<svg>drawn by hand</svg>");
    folder.write("bad.md", "```evert\nplot(sin, 0,\n```\n");
    let ran = evert(&["weave", &folder.path("bad.md")]);
    ran.fails_with(1);
    assert!(ran.err.contains("bad.md:"), "{}", ran.err);
    evert(&["weave", &folder.path("missing.md")]).fails_with(1);
}

#[test]
fn the_pictures_of_the_documents_are_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_evert"))
        .current_dir(root)
        .args(["weave", "--check", "README.md", "docs/plots.md"])
        .output()
        .expect("evert runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
