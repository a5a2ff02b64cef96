//! Every engine gives the same, whatever LLVM and cache there are, and says what it can't use.

mod support;

use support::{Folder, Ran, evert, evert_in};

/// Loops, recursion, data, closures, prints and derivatives: enough that the native engine has to compile.
const PROGRAM: &str = "\
fn total(xs) = match xs { Nil => 0.0, Cons(x, rest) => sin(x) + total(rest) }
let data = to_list([0.5 * i for i in 0..20])
grad(total)(data)
fn poly(w) = fold((acc, x) => acc * w + x, 0.0, [1.0, 2.0, 3.0])
(poly(2.0), grad(poly)(2.0), grad(grad(poly))(2.0))
print(\"between\")
fn main() = while_loop(p => p.1 < 1000.0, p => (p.0 + 1, p.1 * 2.0), (0, 1.0))
";

fn reference(folder: &Folder) -> Ran {
    folder.write("a.ev", PROGRAM);
    let ran = evert(&["--engine", "reference", "run", &folder.path("a.ev")]);
    ran.fails_with(0);
    assert_eq!(ran.err, "");
    assert!(ran.out.contains("between") && ran.out.ends_with("(10, 1024.0)\n"), "{}", ran.out);
    ran
}

/// Is there an LLVM on this machine?
fn has_llvm() -> bool {
    evert(&["eval", "1"]).err.is_empty()
}

#[test]
fn every_engine_gives_the_same() {
    let folder = Folder::new("engines");
    let expected = reference(&folder).out;
    for engine in ["native", "first-order", "reference"] {
        evert(&["run", &folder.path("a.ev"), "--engine", engine]).succeeds_with(&expected);
        evert_in(&[("EVERT_ENGINE", engine)], &["run", &folder.path("a.ev")]).succeeds_with(&expected);
    }
    evert(&["run", &folder.path("a.ev")]).succeeds_with(&expected);
    evert(&["run", &folder.path("a.ev"), "--checked"]).succeeds_with(&expected);
}

#[test]
fn an_engine_that_does_not_exist_is_wrong_usage() {
    evert(&["eval", "1", "--engine", "steam"]).fails_with(2);
    let ran = evert_in(&[("EVERT_ENGINE", "steam")], &["eval", "1"]);
    ran.fails_with(2);
    assert!(ran.err.contains("EVERT_ENGINE is `steam`"), "{}", ran.err);
    evert_in(&[("EVERT_ENGINE", "steam")], &["eval", "1", "--engine", "reference"]).succeeds_with("1\n");
    evert_in(&[("EVERT_ENGINE", "")], &["eval", "1"]).succeeds_with("1\n");
}

#[test]
fn without_an_llvm_the_reference_evaluator_runs_and_one_line_says_why() {
    let folder = Folder::new("no-llvm");
    let expected = reference(&folder).out;
    folder.write("garbage.so", "this is no library");
    folder.write("script.so", "/* GNU ld script */\nINPUT(-lLLVM)\n");
    folder.write("empty.so", "");
    let cases = [
        ("none".to_string(), "switched off by EVERT_LLVM=none"),
        (folder.path("garbage.so"), "not a shared library"),
        (folder.path("script.so"), "not a shared library"),
        (folder.path("empty.so"), "not a shared library"),
        (folder.path("missing.so"), "missing.so"),
        (folder.root(), "no usable LLVM"),
    ];
    for (llvm, why) in &cases {
        let environment = [("EVERT_LLVM", llvm.as_str())];
        let ran = evert_in(&environment, &["run", &folder.path("a.ev")]);
        ran.succeeds_with(&expected);
        assert_eq!(ran.err.lines().count(), 1, "{llvm}: {}", ran.err);
        assert!(ran.err.contains("reference evaluator") && ran.err.contains(why), "{llvm}: {}", ran.err);
        for quiet in ["reference", "first-order"] {
            let ran = evert_in(&environment, &["run", &folder.path("a.ev"), "--engine", quiet]);
            ran.succeeds_with(&expected);
            assert_eq!(ran.err, "", "{llvm}");
        }
    }
}

#[test]
fn that_there_is_no_llvm_is_said_once_for_many_files() {
    let folder = Folder::new("once");
    for file in ["a.ev", "b.ev", "c.ev"] {
        folder.write(file, "1 + 1  //=> 2\n");
    }
    let ran = evert_in(&[("EVERT_LLVM", "none")], &["test", &folder.root()]);
    ran.succeeds_with("3 passed, 0 failed\n");
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
}

#[test]
fn whatever_the_cache_is_the_results_are_the_same() {
    let folder = Folder::new("cache");
    let expected = reference(&folder).out;
    let run = |cache: &str| {
        let ran = evert_in(&[("EVERT_CACHE", cache)], &["run", &folder.path("a.ev")]);
        ran.succeeds_with(&expected);
        ran
    };
    run("none");
    run(&folder.path("new/cache"));
    run(&folder.path("new/cache"));
    folder.write("file", "not a folder");
    run(&folder.path("file"));
    run(&folder.path("file/below"));
}

#[test]
fn a_cache_that_cannot_be_written_is_none() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("read-only");
    let expected = reference(&folder).out;
    folder.write("cache/keep", "");
    let cache = folder.path("cache");
    let allow = |mode| std::fs::set_permissions(&cache, std::fs::Permissions::from_mode(mode)).expect("permissions");
    for mode in [0o500, 0o000, 0o777] {
        allow(mode);
        let ran = evert_in(&[("EVERT_CACHE", &cache)], &["run", &folder.path("a.ev")]);
        allow(0o700);
        ran.succeeds_with(&expected);
    }
}

/// A limit on the size of files stands for a disk that fills up, at every stage of writing.
#[test]
fn where_files_cannot_be_written_the_results_are_the_same_and_nothing_half_is_left() {
    let folder = Folder::new("full");
    let expected = reference(&folder).out;
    for blocks in ["0", "1", "4", "16", "64"] {
        let cache = folder.path(&format!("cache-{blocks}"));
        let limited = |arguments: &[&str]| {
            let script = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
            let mut command = std::process::Command::new("sh");
            command.args(["-c", &script, env!("CARGO_BIN_EXE_evert")]).args(arguments).env("EVERT_CACHE", &cache);
            command.output().expect("a shell")
        };
        for _ in 0..2 {
            let ran = limited(&["run", &folder.path("a.ev")]);
            assert_eq!(String::from_utf8_lossy(&ran.stdout), expected, "{blocks} blocks: {ran:?}");
            assert!(ran.status.success(), "{blocks} blocks: {ran:?}");
        }
        let left = std::fs::read_dir(&cache).expect("the cache").flatten();
        let half = left.filter(|entry| entry.file_name().to_string_lossy().starts_with("temporary-")).count();
        assert_eq!(half, 0, "{blocks} blocks");
        if has_llvm() && blocks == "0" {
            let said = limited(&["explain-perf", "--verbose", &folder.path("a.ev")]);
            assert!(String::from_utf8_lossy(&said.stdout).contains("not kept in the cache: "), "{said:?}");
        }
        // What was kept is right.
        evert_in(&[("EVERT_CACHE", &cache)], &["run", &folder.path("a.ev")]).succeeds_with(&expected);
    }
}

#[test]
fn entries_of_the_cache_that_are_damaged_are_not_used() {
    let folder = Folder::new("damaged");
    let expected = reference(&folder).out;
    let cache = folder.path("cache");
    let run = || evert_in(&[("EVERT_CACHE", &cache)], &["run", &folder.path("a.ev")]);
    run().succeeds_with(&expected);
    let entries = || -> Vec<_> {
        let listing = std::fs::read_dir(&cache).map(|entries| entries.flatten().map(|entry| entry.path()).collect());
        listing.unwrap_or_default()
    };
    assert!(!has_llvm() || !entries().is_empty(), "nothing was cached");
    let damages: [fn(Vec<u8>) -> Vec<u8>; 4] = [
        |_| vec![],
        |_| b"garbage".to_vec(),
        |bytes| bytes[..bytes.len() / 2].to_vec(),
        |mut bytes| {
            let at = bytes.len() - 1;
            bytes[at] ^= 0xff;
            bytes
        },
    ];
    for damage in damages {
        for entry in entries() {
            let bytes = std::fs::read(&entry).expect("an entry");
            if !bytes.is_empty() {
                std::fs::write(&entry, damage(bytes)).expect("an entry");
            }
        }
        run().succeeds_with(&expected);
    }
}

#[test]
fn errors_and_prints_are_the_same_on_every_engine() {
    let folder = Folder::new("errors");
    folder.write(
        "a.ev",
        "fn f(xs, n) = if n == 0 { xs[7] } else { print(n); f(xs, n - 1) }\nfn g(x) = x * f([x, x], 3)\n1 + grad(g)(2.0)\n",
    );
    let expected = evert(&["run", &folder.path("a.ev"), "--engine", "reference"]);
    expected.fails_with(1);
    assert!(expected.err.contains("E0307"), "{}", expected.err);
    for engine in ["native", "first-order"] {
        let ran = evert(&["run", &folder.path("a.ev"), "--engine", engine]);
        assert_eq!((&ran.out, &ran.err, ran.code), (&expected.out, &expected.err, expected.code), "{engine}");
    }
}

#[test]
fn rules_are_checked_on_every_engine() {
    let folder = Folder::new("rules");
    folder.write("clause.ev", "fn cube(x) = x^3\n  reverse x => (cube(x), dy => ({}, 2 * x * dy))\ngrad(cube)(3.0)\n");
    folder.write("attached.ev", "let cube = (x => x^3) <~ (x => (x^3, dy => ({}, 2 * x * dy)))\ngrad(cube)(3.0)\n");
    folder.write("module.ev", "import \"clause.ev\"\ngrad(clause.cube)(3.0)\n");
    folder.write("none.ev", "print(\"once\")\ngrad(x => x^3)(3.0)  //=> 27.0\n");
    for file in ["clause.ev", "attached.ev", "module.ev", "none.ev"] {
        let expected = evert(&["test", &folder.path(file), "--engine", "reference"]);
        let ran = evert(&["test", &folder.path(file), "--engine", "native"]);
        assert_eq!((&ran.out, ran.code), (&expected.out, expected.code), "{file}");
        let is_checked = matches!(file, "clause.ev" | "module.ev");
        assert_eq!(ran.code, Some(i32::from(is_checked)), "{file}: {}", ran.out);
    }
}

#[test]
fn the_repl_runs_on_the_engine() {
    let input = "fn f(n, x) = if n == 0 { x } else { f(n - 1, x * 1.5) }\nf(10, 1.0)\nans + 1\n:reset\n1 + 1\n";
    let expected = support::with_input(&["repl", "--engine", "reference"], input.as_bytes());
    let ran = support::with_input(&["repl"], input.as_bytes());
    assert_eq!((&ran.out, ran.code), (&expected.out, Some(0)), "{}", ran.err);
}
