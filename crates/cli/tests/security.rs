//! What somebody else may have put in the way: pipes where files are expected, limits that mean nothing.

mod support;

use std::process::Command;

use support::{Folder, evert, evert_in};

fn pipe(path: &str) -> bool {
    Command::new("mkfifo").arg(path).status().is_ok_and(|status| status.success())
}

#[test]
fn an_import_that_is_a_pipe_or_a_device_is_refused_at_once() {
    let folder = Folder::new("pipes");
    folder.write("a.ev", "import \"b.ev\"\nb.x\n");
    if !pipe(&folder.path("b.ev")) {
        eprintln!("skipped: there is no mkfifo");
        return;
    }
    for command in ["run", "test"] {
        let ran = evert(&[command, &folder.path("a.ev")]);
        assert_ne!(ran.code, Some(0), "{}", ran.out);
        let said = format!("{}{}", ran.out, ran.err);
        assert!(said.contains("E0206") && said.contains("no regular file"), "{said}");
    }
    folder.write("c.ev", "import \"/dev/zero\" as zero\n1\n");
    let ran = evert(&["run", &folder.path("c.ev")]);
    ran.fails_with(1);
    assert!(ran.err.contains("outside of the folder of the program"), "{}", ran.err);
}

#[test]
fn a_pipe_in_a_folder_of_tests_is_left_out() {
    let folder = Folder::new("folder-with-pipe");
    folder.write("a.ev", "1 + 1  //=> 2\n");
    if !pipe(&folder.path("b.ev")) {
        eprintln!("skipped: there is no mkfifo");
        return;
    }
    let ran = evert(&["test", &folder.root()]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(evert(&["fmt", "--check", &folder.root()]).code, Some(0));
}

#[test]
fn a_limit_of_memory_that_is_no_number_is_wrong_usage() {
    let wrong =
        ["lots", "-5", "0", "1.5", "1e3", "99999999999999999999", "18446744073709551615", "17592186044416", "12 MB"];
    for text in wrong {
        let ran = evert_in(&[("EVERT_MEMORY_MB", text)], &["eval", "1 + 1"]);
        assert_eq!(ran.code, Some(2), "{text}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains("EVERT_MEMORY_MB") && ran.err.contains(text), "{}", ran.err);
    }
    for text in ["", "64", " 4096 ", "17592186044415"] {
        evert_in(&[("EVERT_MEMORY_MB", text)], &["eval", "1 + 1"]).succeeds_with("2\n");
    }
}

#[test]
fn lengths_that_no_machine_has_are_errors_on_every_engine() {
    let programs = [
        "zeros(9223372036854775807)",
        "iota(4611686018427387904)",
        "uniform(key(1), 9223372036854775807)",
        "normal(key(1), 1152921504606846976)",
        "[0 for i in 0..9223372036854775807]",
        "reshape([], [0, 4294967296, 4294967296])",
        "tabulate(9223372036854775807, i => (i, i))",
        "eye(3037000500)",
        "eye(4294967296)",
        "outer(zeros(70000), zeros(70000))",
        "linspace(0.0, 1.0, 9223372036854775807)",
    ];
    for engine in ["reference", "first-order", "native"] {
        for program in programs {
            let ran = evert_in(&[("EVERT_MEMORY_MB", "512")], &["--engine", engine, "eval", program]);
            assert_eq!(ran.code, Some(1), "{engine} {program}: {}{}", ran.out, ran.err);
            assert!(ran.err.contains("error[E03"), "{engine} {program}: {}", ran.err);
        }
    }
}
