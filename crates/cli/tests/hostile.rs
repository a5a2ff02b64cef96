//! Input that nobody writes on purpose, or somebody does: it ends in a diagnostic, quickly, and never in a crash.

mod support;

use std::time::{Duration, Instant};

use support::{Folder, Ran, evert, evert_within, with_input};

/// Runs a file through every command that reads one; each fails with this code, or none if `None`.
fn every_command(name: &str, bytes: &[u8], code: Option<&str>) {
    let folder = Folder::new(name);
    folder.write("a.ev", bytes);
    let path = folder.path("a.ev");
    for arguments in [&["run", &path][..], &["test", &path], &["fmt", "--check", &path], &["ir", &path]] {
        let start = Instant::now();
        let ran = evert(arguments);
        assert!(start.elapsed() < Duration::from_secs(120), "{arguments:?} took {:?}", start.elapsed());
        ends_in(&ran, code, arguments);
    }
    ends_in(&with_input(&["repl"], bytes), code, &["repl"]);
}

#[track_caller]
fn ends_in(ran: &Ran, code: Option<&str>, arguments: &[&str]) {
    let said = format!("{}{}", ran.out, ran.err);
    let shown: String = said.chars().take(2000).collect();
    assert!(said.len() < 200_000, "{arguments:?} says {} bytes: {shown}", said.len());
    match code {
        Some(code) => {
            assert_eq!(ran.code, Some(1), "{arguments:?}: {shown}");
            assert!(said.contains(code), "{arguments:?}: {shown}");
        }
        None => assert!(ran.code == Some(0) || ran.code == Some(1), "{arguments:?} {:?}: {shown}", ran.code),
    }
}

#[test]
fn nested_brackets() {
    let deep = "(".repeat(200_000);
    every_command("open", deep.as_bytes(), Some("E01"));
    let balanced = format!("{}1{}", "[".repeat(200_000), "]".repeat(200_000));
    every_command("balanced", balanced.as_bytes(), Some("E0106"));
}

#[test]
fn random_bytes() {
    let mut state = 88_172_645_463_325_252_u64;
    let mut byte = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    let bytes: Vec<u8> = (0..4096).map(|_| byte()).collect();
    every_command("random", &bytes, Some("E0112"));
    let ascii: Vec<u8> = bytes.iter().map(|byte| b' ' + byte % 95).collect();
    every_command("ascii", &ascii, Some("E01"));
}

#[test]
fn a_line_of_ten_megabytes() {
    let mut text = "let x = [".to_string() + &"1.0, ".repeat(2 << 20);
    text += "undefined]";
    every_command_but_fmt("line", text.as_bytes(), "E0201");
}

#[test]
fn a_comment_of_ten_megabytes() {
    every_command("comment", format!("// {}\n", "x".repeat(10 << 20)).as_bytes(), None);
}

fn every_command_but_fmt(name: &str, bytes: &[u8], code: &str) {
    let folder = Folder::new(name);
    folder.write("a.ev", bytes);
    let path = folder.path("a.ev");
    for arguments in [&["run", &path][..], &["test", &path], &["ir", &path]] {
        ends_in(&evert(arguments), Some(code), arguments);
    }
}

#[test]
fn a_file_of_zeros() {
    every_command("zero", &[0], Some("E0101"));
    every_command("zeros", &[0; 100_000], Some("E0101"));
}

#[test]
fn an_empty_file_does_nothing() {
    let folder = Folder::new("empty");
    for text in ["", "\n", "\u{feff}", " \t\r\n"] {
        folder.write("a.ev", text);
        evert(&["run", &folder.path("a.ev")]).succeeds_with("");
        evert(&["test", &folder.path("a.ev")]).succeeds_with("0 passed, 0 failed\n");
    }
}

#[test]
fn a_folder_or_a_missing_file_is_not_run() {
    let folder = Folder::new("folder");
    for path in [folder.root(), folder.path("missing.ev")] {
        let ran = evert(&["run", &path]);
        ran.fails_with(1);
        assert!(ran.err.starts_with("error[E0206]: can't read"), "{}", ran.err);
    }
}

#[test]
fn mistakes_at_the_end_of_the_file() {
    for text in ["f(", "\"abc", "let x =", "1 +\n\n\n", "{", "x => ", "let é"] {
        let ran = evert(&["eval", text]);
        ran.fails_with(1);
        assert!(ran.err.contains("<eval>:1:"), "{text}: {}", ran.err);
    }
}

#[test]
fn deep_data_is_built_shown_and_dropped() {
    let program =
        "fn build(n, xs) = if n == 0 { xs } else { build(n - 1, Cons(n, xs)) }\nlet xs = build(1000000, Nil)\nxs\n";
    let ran = with_input(&["run", "-"], program.as_bytes());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn a_markdown_file_of_nothing_but_blocks() {
    let folder = Folder::new("blocks");
    folder.write("a.md", "```evert\n1  //=> 1\n```\n".repeat(20_000));
    evert(&["test", &folder.path("a.md")]).succeeds_with("20000 passed, 0 failed\n");
}

#[test]
fn a_program_that_grows_without_end_is_stopped() {
    let grow = "fn grow(xs) = grow(Cons(1.0, xs))\ngrow(Nil)";
    let double = "fn double(a) = double(concat(a, a))\ndouble([1.0, 2.0])";
    let text = "fn text(t) = text(\"{t}{t}\")\ntext(\"a\")";
    for program in [grow, double, text, "[0.0 for i in 0..100000000]"] {
        let ran = evert_within(200, &["eval", program]);
        assert_eq!(ran.code, Some(1), "{program}: {}", ran.err);
        assert!(ran.err.contains("E0324") || ran.err.contains("E0320"), "{program}: {}", ran.err);
    }
}

/// On the reference evaluator: specialising `twice` takes tuples in tuples apart sixteen deep so far, half a million statements.
#[test]
fn a_result_that_has_more_parts_than_memory_is_an_error() {
    let twice = "fn twice(n, x) = if n == 0 { x } else { twice(n - 1, (x, x)) }\n";
    for result in ["grad(t => 1.0)(twice(40, 1.0))", "zero(twice(70, 1.0))", "J(twice(70, sin))"] {
        let ran = evert_within(200, &["--engine", "reference", "eval", &format!("{twice}{result}")]);
        assert_eq!(ran.code, Some(1), "{result}: {}", ran.err);
        assert!(ran.err.contains("E0324"), "{result}: {}", ran.err);
    }
    let ran = evert_within(200, &["--engine", "reference", "eval", &format!("{twice}twice(70, 1.0)")]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("too large to be written as text"), "{}", ran.err);
    let shown = format!("{twice}twice(70, 1.0)");
    let ran = evert_within(200, &["--engine", "reference", "eval", "--format", "pretty", &shown]);
    assert!(ran.code == Some(0) && ran.out.contains('…'), "{}", ran.err);
}
