//! Runs the binary and looks at what it did.

#![allow(dead_code)] // each test binary uses a part of it

pub mod console;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub struct Ran {
    pub out: String,
    pub err: String,
    pub code: Option<i32>,
}

impl Ran {
    fn new(output: Output) -> Ran {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
        Ran { out: text(output.stdout), err: text(output.stderr), code: output.status.code() }
    }

    #[track_caller]
    pub fn succeeds_with(&self, out: &str) {
        assert_eq!((self.out.as_str(), self.code), (out, Some(0)), "{}", self.err);
    }

    #[track_caller]
    pub fn fails_with(&self, code: i32) {
        assert_eq!(self.code, Some(code), "{}\n{}", self.out, self.err);
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evert"));
    command.args(arguments).env_remove("NO_COLOR").env("RUST_BACKTRACE", "0");
    command.env_remove("EVERT_ENGINE");
    command
}

/// Runs the binary with these variables in its environment.
pub fn evert_in(environment: &[(&str, &str)], arguments: &[&str]) -> Ran {
    let mut command = command(arguments);
    command.envs(environment.iter().copied());
    Ran::new(command.stdin(Stdio::null()).output().expect("the binary runs"))
}

pub fn evert(arguments: &[&str]) -> Ran {
    Ran::new(command(arguments).stdin(Stdio::null()).output().expect("the binary runs"))
}

/// Runs the binary in a folder.
pub fn evert_at(folder: &Path, arguments: &[String]) -> Ran {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut command = command(&arguments);
    Ran::new(command.current_dir(folder).stdin(Stdio::null()).output().expect("the binary runs"))
}

/// Runs a command that may use so many megabytes.
pub fn evert_within(megabytes: usize, arguments: &[&str]) -> Ran {
    let mut command = command(arguments);
    command.env("EVERT_MEMORY_MB", megabytes.to_string());
    Ran::new(command.stdin(Stdio::null()).output().expect("the binary runs"))
}

pub fn with_input(arguments: &[&str], input: &[u8]) -> Ran {
    let mut command = command(arguments);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs");
    // It may end before it has read everything.
    let _ = child.stdin.take().expect("an input").write_all(input);
    Ran::new(child.wait_with_output().expect("it ends"))
}

/// Nobody reads what it writes on standard output.
pub fn with_closed_output(arguments: &[&str]) -> Ran {
    let mut command = command(arguments);
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs");
    drop(child.stdout.take());
    Ran::new(child.wait_with_output().expect("it ends"))
}

/// A folder of its own for one test, removed afterwards.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("evert-cli-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    pub fn root(&self) -> String {
        self.0.to_string_lossy().into_owned()
    }

    pub fn path(&self, file: &str) -> String {
        self.0.join(file).to_string_lossy().into_owned()
    }

    pub fn write(&self, file: &str, bytes: impl AsRef<[u8]>) {
        let path = self.0.join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, bytes).expect("a file");
    }

    pub fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.0.join(file)).expect("a file")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
