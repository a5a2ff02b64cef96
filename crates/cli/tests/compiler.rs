//! What the commands say that look into the compiler: `explain-perf`, `ir`.

mod support;

use support::{Folder, evert, evert_in};

/// J of a function under a recursion whose depth depends on data: no shape settles for it.
const DYNAMIC: &str = "\
fn nth(n, f) = if n == 0 { f } else { nth(n - 1, grad(f)) }
fn order(x) = if x > 1 { 2 } else { 1 }
nth(order(2.0), x => x^3)(2.0)
nth(order(0.5), x => x^3)(2.0)
";

const FOLD: &str = "\
fn poly(w, xs) = fold((acc, x) => acc * w + x, 0.0, xs)
let data = [1.0, 2.0, 3.0]
poly(2.0, data)
grad(w => poly(w, data))(2.0)
";

fn program(name: &str, text: &str) -> (Folder, String) {
    let folder = Folder::new(name);
    folder.write("a.ev", text);
    let path = folder.path("a.ev");
    (folder, path)
}

/// A loop in which a primitive has no code but the evaluator's.
const EVALUATED: &str = "\
fn total(n) = fold((acc, i) => acc + len(\"{i}\"), 0, iota(n))
total(1000)
";

#[test]
fn what_compiled_code_leaves_to_the_evaluator_is_counted_by_its_place() {
    let (_folder, path) = program("evaluated", EVALUATED);
    let ran = evert(&["explain-perf", &path]);
    if ran.out.contains("there is no native engine") {
        return println!("skipped: there is no LLVM");
    }
    let told: Vec<&str> = ran.out.lines().filter(|line| line.starts_with("the reference evaluator ran")).collect();
    assert!(told.iter().any(|line| line.contains("a.ev:1:") && line.contains("1000 times")), "{}", ran.out);
    assert!(ran.out.ends_with("nothing is dynamic: 1 step can be compiled\n"), "{}", ran.out);
}

#[test]
fn a_dynamic_place_is_named_with_its_reason_and_what_to_try() {
    let (_folder, path) = program("dynamic", DYNAMIC);
    let ran = evert(&["explain-perf", &path]);
    ran.fails_with(0);
    for part in ["dynamic: ", "  |", "^^^", "= help: ", "a.ev:3:1 is left", "a.ev:4:1 is left", "2 of 2 steps left"] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    evert(&["explain-perf", &path, "--count"]).succeeds_with("1\n");
}

#[test]
fn where_nothing_is_dynamic_that_is_said() {
    let (_folder, path) = program("static", FOLD);
    let ran = evert(&["explain-perf", &path]);
    ran.fails_with(0);
    assert!(ran.out.ends_with("nothing is dynamic: 3 steps can be compiled\n"), "{}", ran.out);
    evert(&["explain-perf", &path, "--count"]).succeeds_with("0\n");
    let without = evert_in(&[("EVERT_LLVM", "none")], &["explain-perf", &path]);
    without.fails_with(0);
    assert!(without.out.contains("there is no native engine") && without.out.contains("nothing is dynamic"));
}

#[test]
fn verbose_figures_are_given_for_each_step() {
    let (_folder, path) = program("figures", FOLD);
    let ran = evert(&["explain-perf", &path, "--verbose"]);
    assert!(ran.out.contains("a.ev:2:1: interpreted, because it is short"), "{}", ran.out);
    if evert(&["eval", "1"]).err.is_empty() {
        for part in ["a.ev:4:1: compiled: ", " instances, ", " bytes of IR, ", " ms"] {
            assert!(ran.out.contains(part), "{part}: {}", ran.out);
        }
    }
}

#[test]
fn a_program_that_fails_is_explained_up_to_there() {
    let (_folder, path) = program("fails", "1 + 1\n[1][2]\n2\n");
    let ran = evert(&["explain-perf", &path]);
    ran.fails_with(1);
    assert!(ran.err.contains("E0307") && ran.out.contains("2 steps"), "{}{}", ran.out, ran.err);
}

#[test]
fn l1_l3_and_l4_parse_back() {
    let (_folder, path) = program("parse", FOLD);
    for after in ["none", "inline", "all"] {
        for step in ["1", "2", "3"] {
            let text = evert(&["ir", &path, "--level", "l3", "--after", after, "--step", step]).out;
            let parsed = first_order::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(first_order::check(&parsed), Ok(()));
            let (_, body) = text.split_once('\n').expect("a comment first");
            assert_eq!(first_order::print(&parsed), body);
        }
    }
    for step in ["1", "2", "3"] {
        let text = evert(&["ir", &path, "--level", "l4", "--step", step]).out;
        let parsed = loops::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(loops::check::check(&parsed), Ok(()));
        let (_, body) = text.split_once('\n').expect("a comment first");
        assert_eq!(parsed.to_string(), body);
    }
    let text = evert(&["ir", &path, "--level", "l1"]).out;
    assert!(calculus::text::parse_module(&text).is_ok(), "{text}");
}

#[test]
fn the_levels_of_the_compiler_are_printed_for_each_step() {
    let text = "fold((a, x) => a * 2.0 + x, 0.0, [1.0, 2.0])";
    let level = |level: &str| evert(&["ir", "-e", text, "--level", level]).out;
    let specialised = level("l3");
    assert!(specialised.starts_with("// step 1, <text>:1:1\nentry f0(): s0\n"), "{specialised}");
    assert!(specialised.contains("call f1(") && !specialised.contains("loop"), "{specialised}");
    let optimised = evert(&["ir", "-e", text, "--level", "l3", "--after", "all"]).out;
    assert!(optimised.contains("= loop (") && !optimised.contains("call"), "{optimised}");
    assert!(level("l4").contains("release ") && level("l4").contains("descriptor d0 = array of 1 words"));
    assert!(level("llvm").starts_with("; step 1") && level("llvm").contains("define void @entry("));
    assert!(level("syntax").contains("(call fold ") && level("l1").contains("step show"));
}

#[test]
fn steps_are_selected_by_number() {
    let (_folder, path) = program("step", FOLD);
    let all = evert(&["ir", &path, "--level", "l3"]).out;
    assert_eq!(all.matches("// step").count(), 3, "{all}");
    let one = evert(&["ir", &path, "--level", "l3", "--step", "2"]).out;
    assert!(one.starts_with("// step 2, ") && one.matches("// step").count() == 1, "{one}");
    for step in ["0", "4"] {
        let ran = evert(&["ir", &path, "--level", "l3", "--step", step]);
        ran.fails_with(2);
        assert!(ran.err.contains("the program has 3"), "{}", ran.err);
    }
}

#[test]
fn an_unknown_pass_is_answered_with_the_known_ones() {
    let ran = evert(&["ir", "-e", "1", "--level", "l3", "--after", "fuse"]);
    ran.fails_with(2);
    assert!(ran.err.contains("there is no pass `fuse`") && ran.err.contains("tail_calls"), "{}", ran.err);
    let listing = evert(&["ir", "--passes"]).out;
    for pass in optimise::PASSES {
        assert!(listing.contains(pass.name), "{}", pass.name);
    }
    evert(&["ir"]).fails_with(2);
    evert(&["ir", "-e", "1", "--level", "l4", "--function", "f"]).fails_with(2);
}

#[test]
fn a_dynamic_step_has_no_l3() {
    let (_folder, path) = program("no-l3", DYNAMIC);
    let ran = evert(&["ir", &path, "--level", "l3", "--step", "1"]);
    ran.fails_with(1);
    assert!(ran.err.contains("dynamic: ") && ran.err.contains("step 1 is left to the reference"), "{}", ran.err);
}

#[test]
fn the_checkers_accept_every_pass() {
    let (_folder, path) = program("check", FOLD);
    let ran = evert(&["ir", &path, "--check"]);
    ran.fails_with(0);
    assert_eq!(ran.out.matches("holds on L1, on L3 after each of").count(), 3, "{}", ran.out);
    let shown = evert(&["ir", &path, "--check", "--level", "l4", "--step", "2"]);
    assert!(shown.code == Some(0) && shown.out.contains("entry f0"), "{}", shown.err);
}

/// Every pass keeps the rules of L3, and the text of L4 is the program: for the steps of a part of the suite, of all of it with
/// `EVERT_WHOLE_SUITE=1` (which takes minutes).
#[test]
fn the_checkers_accept_the_steps_of_the_suite() {
    let suite = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suite");
    let whole = std::env::var_os("EVERT_WHOLE_SUITE").is_some();
    let folders = if whole { &["language", "acceptance", "programs", "errors", "hostile"][..] } else { &["language"] };
    let mut steps = 0;
    for folder in folders {
        let mut files: Vec<_> = std::fs::read_dir(suite.join(folder)).expect("the suite").flatten().collect();
        files.sort_by_key(std::fs::DirEntry::file_name);
        for path in files.iter().map(std::fs::DirEntry::path).filter(|path| path.extension().is_some()) {
            let ran = evert(&["ir", &path.to_string_lossy(), "--check"]);
            assert!(!ran.err.contains("bug in Evert"), "{}: {}", path.display(), ran.err);
            steps += ran.out.matches(" holds on L1, ").count();
        }
    }
    assert!(steps > 500, "{steps} steps");
}

/// Programs whose gradients read arrays element by element, in the forms that people write.
const READINGS: [(&str, &str); 5] = [
    ("neighbours", "grad(x => sum([x[i] * x[i + 1] for i in 0..len(x) - 1]))([0.5, 1.5, 2.5])"),
    ("a fold", "grad(x => fold((s, i) => s * x[i] + x[0], 1.0, iota(len(x))))([0.5, 1.5, 2.5])"),
    ("a choice", "grad(x => sum([if i == 0 { x[0] } else { x[i] * x[i - 1] } for i in 0..len(x)]))([0.5, 1.5, 2.5])"),
    ("pairs", "grad(x => sum([(x[i] - x[j])^2 for i in 0..len(x), j in 0..len(x)]))([0.5, 1.5, 2.5])"),
    (
        "a convolution",
        "grad(w => sum([sum([w[p, q] * real(i + p + j + q) for p in 0..2, q in 0..2])^2 for i in 0..3, j in 0..3]))([[0.5, 1.5], [2.5, 3.5]])",
    ),
];

#[test]
fn what_is_read_element_by_element_is_added_up_in_one_array() {
    for (name, text) in READINGS {
        let ran = evert(&["ir", "--level", "l3", "--after", "all", "-e", text]);
        ran.fails_with(0);
        assert!(ran.out.contains("replace"), "{name} has no accumulator:\n{}", ran.out);
        for collected in [".place", "prim plus", "collected"] {
            assert!(!ran.out.contains(collected), "{name} still has `{collected}`:\n{}", ran.out);
        }
    }
}

/// In range are sums of indices, what was compared, what was read before.
#[test]
fn indices_that_are_surely_in_range_arent_checked() {
    let programs = [
        "sum([{ let x = [1.0, 2.0, 3.0, 4.0]; sum([x[i + p] for p in 0..2]) } for i in 0..3])",
        "(x => sum([if i == 0 || i == len(x) - 1 { 0.0 } else { x[i - 1] + x[i + 1] } for i in 0..len(x)]))([1.0, 2.0, 3.0])",
        "((x, w) => sum([sum([x[i + p] * w[p] for p in 0..len(w)]) for i in 0..len(x) - len(w) + 1]))([1.0, 2.0, 3.0], [0.5, 1.0])",
    ];
    for text in programs {
        let ran = evert(&["ir", "--level", "l4", "--after", "all", "-e", text]);
        ran.fails_with(0);
        assert!(!ran.out.contains("else E0307"), "{text}\n{}", ran.out);
    }
    let unknown = evert(&[
        "ir",
        "--level",
        "l4",
        "--after",
        "all",
        "-e",
        "(x => sum([x[i + 1] for i in 0..len(x)]))([1.0, 2.0])",
    ]);
    assert!(unknown.out.contains("else E0307"), "{}", unknown.out);
}
