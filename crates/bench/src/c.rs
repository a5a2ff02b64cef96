//! The same kernels in C: `benches/c/NAME.c`, or `benches/arrays/NAME.c`, compiled by the system's compiler.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::root;

/// A C compiler, and where its programs go.
pub struct Compiler {
    command: String,
    folder: PathBuf,
}

/// A compiled program of kernels.
pub struct Program(PathBuf);

/// What the compiler may do with `a * b + c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Products {
    /// One instruction, rounded once: what the compiler does unless told otherwise, where the processor has it.
    Fused,
    /// Rounded as written. Evert fuses fewer products than C does by itself, so it lies between the two.
    AsWritten,
    /// Also sums in any order, and functions that are less exact (-Ofast): what a language that promises bits can't do.
    Reordered,
}

impl Compiler {
    /// The system's compiler, or `$CC`; none if there is none.
    pub fn find() -> Option<Compiler> {
        let command = std::env::var("CC").unwrap_or_else(|_| "cc".into());
        let works = Command::new(&command).arg("--version").output().is_ok_and(|output| output.status.success());
        let folder = std::env::temp_dir().join(format!("evert-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder).ok()?;
        works.then_some(Compiler { command, folder })
    }

    /// Its name and version.
    pub fn describe(&self) -> String {
        let output = Command::new(&self.command).arg("--version").output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        text.lines().next().unwrap_or("a C compiler").to_string()
    }

    /// The program of this name, if there is one.
    pub fn compile(&self, name: &str, products: Products) -> Option<Program> {
        let folder = if name.contains('/') { "benches" } else { "benches/c" };
        let source = root().join(folder).join(format!("{name}.c"));
        let name = name.rsplit('/').next().unwrap_or(name);
        let (suffix, option) = match products {
            Products::Fused => ("fused", None),
            Products::AsWritten => ("as-written", Some("-ffp-contract=off")),
            Products::Reordered => ("reordered", Some("-Ofast")),
        };
        let program = self.folder.join(format!("{name}-{suffix}"));
        let mut command = Command::new(&self.command);
        command.args(["-O3", "-march=native"]).args(option).arg(&source).arg("-o").arg(&program).arg("-lm");
        (source.exists() && command.status().is_ok_and(|status| status.success())).then_some(Program(program))
    }
}

impl Drop for Compiler {
    fn drop(&mut self) {
        // Whatever stays is in the folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Program {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The least time of a few runs of a kernel, and its value; none if there is no such kernel.
    pub fn run(&self, label: &str) -> Option<(Duration, f64)> {
        let output = Command::new(&self.0).args([label, "3"]).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        let (time, value) = text.trim().split_once(' ')?;
        Some((Duration::from_secs_f64(time.parse().ok()?), value.parse().ok()?))
    }
}
