//! Whether a library works, found out in another process: LLVM's fatal errors end the process they happen in.
//!
//! In: the path of a library nobody has tried. Out: a verdict. The child is a program whose `main` begins with
//! [`self_test_child`]; it loads the library, looks for every function, makes and runs a sample, and prints its verdict.

use crate::unavailable::{verdict_of_line, verdict_to_line};
use crate::{Why, ffi};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How to try a library that was never seen before.
#[derive(Clone, Debug)]
pub enum SelfTest {
    /// In a child process: a program that calls [`self_test_child`] first, and its arguments.
    Child {
        /// The program.
        program: PathBuf,
        /// What it is called with.
        arguments: Vec<String>,
    },
    /// Not at all: version and symbols are checked, nothing more.
    Skip,
}

impl SelfTest {
    /// This program itself as the child. For programs whose `main` begins with [`self_test_child`].
    pub fn this_program() -> SelfTest {
        match std::env::current_exe() {
            Ok(program) => SelfTest::Child { program, arguments: Vec::new() },
            Err(_) => SelfTest::Skip,
        }
    }
}

/// Set for a child: the library to try.
const LIBRARY: &str = "EVERT_LLVM_SELF_TEST";
/// What a child prints before its verdict; other things may be on its output too.
const MARK: &str = "evert-llvm-verdict: ";
/// Longer than any machine needs.
const PATIENCE: Duration = Duration::from_secs(30);

/// Tries a library and ends the process, if this process was started for that; returns at once otherwise.
pub fn self_test_child() {
    if let Some(library) = std::env::var_os(LIBRARY) {
        println!("\n{MARK}{}", verdict_to_line(&examine(Path::new(&library))));
        std::process::exit(0);
    }
}

/// Tries a library in this process.
fn examine(library: &Path) -> Result<(), Why> {
    let library = Arc::new(ffi::Library::open(library)?);
    ffi::check_sample(&library).map_err(Why::FailedSelfTest)
}

/// Tries a library in a child process. An error is why there is no verdict; trying again may give one.
pub(crate) fn examine_in_child(
    program: &Path,
    arguments: &[String],
    library: &Path,
) -> Result<Result<(), Why>, String> {
    if std::env::var_os(LIBRARY).is_some() {
        // A program without `self_test_child` would start itself without end.
        return Err("a self-test doesn't start another".into());
    }
    let mut command = Command::new(program);
    command.args(arguments).env(LIBRARY, library).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| format!("it couldn't be started: {error}"))?;
    let start = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if start.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(1)),
            _ => {
                let _ = child.kill().and_then(|()| child.wait());
                return Err(format!("it didn't end within {} seconds", PATIENCE.as_secs()));
            }
        }
    };
    let mut output = String::new();
    let _ = child.stdout.take().map(|mut stdout| stdout.read_to_string(&mut output));
    let verdict = output.lines().find_map(|line| line.strip_prefix(MARK)).and_then(verdict_of_line);
    match verdict {
        Some(verdict) => Ok(verdict),
        // A program that ends by itself is one without `self_test_child`, or had no memory: that says nothing about the library.
        None if status.code().is_some() => Err(format!("it ended without a verdict, with {status}")),
        None => Ok(Err(Why::FailedSelfTest(format!("the process ended with {status}")))),
    }
}
