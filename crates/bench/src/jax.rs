//! The same kernels in JAX: `benches/jax/bench.py`, in a Python environment of its own.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::root;

/// A running Python.
pub struct Jax {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// What JAX made of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Ran {
        compiling: Duration,
        time: Duration,
        value: f64,
    },
    /// Why it can't.
    Not(String),
}

impl Jax {
    /// Starts JAX, installing it first where it isn't yet; `Err` says why not.
    pub fn start() -> Result<Jax, String> {
        let python = environment()?;
        let mut command = Command::new(python);
        command.arg(root().join("benches/jax/bench.py")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let requests = child.stdin.take().expect("a pipe");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Ok(Jax { child, requests, answers })
    }

    /// Runs a kernel once.
    pub fn run(&mut self, name: &str, label: &str) -> Answer {
        let mut line = String::new();
        let asked = writeln!(self.requests, "{name} {label}").and_then(|()| self.answers.read_line(&mut line));
        match asked {
            Ok(_) => read(line.trim()),
            Err(error) => Answer::Not(error.to_string()),
        }
    }
}

impl Drop for Jax {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(line: &str) -> Answer {
    if let Some(why) = line.strip_prefix("- ") {
        return Answer::Not(why.to_string());
    }
    let numbers: Vec<f64> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
    match numbers[..] {
        [compiling, time, value] => {
            Answer::Ran { compiling: Duration::from_secs_f64(compiling), time: Duration::from_secs_f64(time), value }
        }
        _ => Answer::Not("no answer".into()),
    }
}

/// The Python that has JAX.
pub fn environment() -> Result<PathBuf, String> {
    if let Some(python) = std::env::var_os("EVERT_BENCH_PYTHON") {
        return Ok(python.into());
    }
    let folder = root().join("target/bench-jax");
    let python = folder.join("bin/python");
    let marker = folder.join("ready");
    if !marker.exists() {
        step(Command::new("python3").args(["-m", "venv"]).arg(&folder), "python3 -m venv")?;
        step(Command::new(&python).args(["-m", "pip", "install", "--quiet", "jax[cpu]"]), "pip install jax[cpu]")?;
        std::fs::write(&marker, "").map_err(|error| error.to_string())?;
    }
    Ok(Path::new(&python).to_path_buf())
}

fn step(command: &mut Command, what: &str) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{what}: {error}"))?;
    if output.status.success() { Ok(()) } else { Err(format!("{what} failed")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let (compiling, time) = (Duration::from_millis(500), Duration::from_millis(20));
        assert_eq!(read("0.5 0.02 -1.25"), Answer::Ran { compiling, time, value: -1.25 });
        assert_eq!(read("- impossible"), Answer::Not("impossible".into()));
        assert_eq!(read(""), Answer::Not("no answer".into()));
    }
}
