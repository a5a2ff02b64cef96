//! `cargo xtask test`: everything that must hold before a change lands, in the order of cost.
//! `cargo xtask bench`: our code against C and JAX; writes `docs/benchmarks.md`.
//! `cargo xtask page`: the playground and the manual as a folder that any web server serves.
//! `cargo xtask editors`: the extension for VS Code as a package; with `test`, Neovim and VS Code on the real server.
//! `cargo xtask mutants`: the Rust code broken in one place at a time, and which check notices.
//! `cargo xtask wheel`, `cargo xtask python`: the wheels of the Python package, all of its tests, its benchmarks.

mod editors;
mod mutants;
mod page;
mod python;

use std::process::ExitCode;

use crate::python::cargo;

/// A step of the checks: what it makes sure of, and the cargo command that does.
struct Check {
    claim: &'static str,
    cargo: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
}

const CHECKS: &[Check] = &[
    Check { claim: "the code is formatted", cargo: &["fmt", "--all", "--check"], environment: &[] },
    Check {
        claim: "clippy has nothing to say",
        cargo: &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"],
        environment: &[],
    },
    Check {
        claim: "the documentation builds",
        cargo: &["doc", "--workspace", "--no-deps", "--document-private-items", "--quiet"],
        environment: &[("RUSTDOCFLAGS", "-D warnings")],
    },
    // Other crates of the workspace ask for LLVM, so that no other check sees the library without it.
    Check {
        claim: "the library builds without LLVM, as pages need it",
        cargo: &["check", "--quiet", "--package", "evert", "--no-default-features", "--features", "wasm"],
        environment: &[],
    },
    Check { claim: "all tests pass", cargo: &["test", "--workspace", "--no-fail-fast"], environment: &[] },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("test") if arguments.get(1).is_some_and(|part| part == "python") => python::test(),
        Some("test") if hold(CHECKS) => match python::test() {
            ExitCode::SUCCESS => editors::test_what_is_there(),
            failed => failed,
        },
        Some("test") => ExitCode::FAILURE,
        Some("wheel") if arguments.get(1).is_some_and(|part| part == "test") => python::test_wheels(),
        Some("wheel") => python::wheel(),
        Some("python") if arguments.get(1).is_some_and(|part| part == "bench") => python::bench(),
        Some("python") => python::test_all(&arguments[1..]),
        Some("editors") if arguments.get(1).is_some_and(|part| part == "test") => editors::test(&arguments[2..]),
        Some("editors") => editors::package(),
        Some("page") if arguments.get(1).is_some_and(|part| part == "test") => page::test(),
        Some("page") => page::page(),
        Some("mutants") => mutants::mutants(),
        Some("bench") => bench(),
        _ => {
            eprintln!(
                "usage: cargo xtask test [python]\n       cargo xtask wheel [test]\n       cargo xtask python [bench | PYTEST OPTIONS]\n       cargo xtask page [test]\n       cargo xtask editors [test [--required]]\n       cargo xtask mutants [PART OF A FILE NAME…]\n       cargo xtask bench [--evals [--limit SECONDS]] [--arrays] [--cliffs] [--quick] [--only NAME] \
                 [--no-jax] [--no-c] [--dump]"
            );
            ExitCode::from(2)
        }
    }
}

/// Builds the command and the benchmarks, and runs these with the arguments that follow.
fn bench() -> ExitCode {
    let build = ["build", "--release", "--quiet", "--package", "evert-cli", "--package", "evert-bench"];
    let run = ["run", "--release", "--quiet", "--package", "evert-bench", "--"];
    let built = cargo().args(build).status().is_ok_and(|status| status.success());
    let ran = built && cargo().args(run).args(std::env::args().skip(2)).status().is_ok_and(|status| status.success());
    if ran { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn hold(checks: &[Check]) -> bool {
    for check in checks {
        eprintln!("== {}: cargo {}", check.claim, check.cargo.join(" "));
        let status = cargo().args(check.cargo).envs(check.environment.iter().copied()).status();
        if !status.is_ok_and(|status| status.success()) {
            eprintln!("it does not hold that {}", check.claim);
            return false;
        }
    }
    true
}
