//! From starting the command to a result: with an empty cache, and once more.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const PROGRAM: &str = "fn root(c, x) = { let y = (x + c / x) / 2.0 if abs(x - y) < 1e-12 { y } else { root(c, y) } }\n\
                       grad(c => root(c, c))(2.0)\n";

/// How long a small program takes from start to end.
pub struct Times {
    pub cold: Duration,
    pub warm: Duration,
}

/// The command, beside the program that runs.
pub fn command() -> Option<PathBuf> {
    let path = std::env::current_exe().ok()?.with_file_name("evert");
    path.exists().then_some(path)
}

/// The least of a few starts each.
pub fn measure(command: &Path, rounds: usize) -> Option<Times> {
    let folder = std::env::temp_dir().join(format!("evert-bench-start-{}", std::process::id()));
    std::fs::create_dir_all(&folder).ok()?;
    let program = folder.join("small.ev");
    std::fs::write(&program, PROGRAM.replace("2.0 if", "2.0\n  if")).ok()?;
    let (mut cold, mut warm) = (Duration::MAX, Duration::MAX);
    for round in 0..rounds {
        let cache = folder.join(format!("cache-{round}"));
        cold = cold.min(once(command, &program, &cache)?);
        for _ in 0..3 {
            warm = warm.min(once(command, &program, &cache)?);
        }
    }
    // Whatever stays is in the folder for temporary files.
    let _ = std::fs::remove_dir_all(&folder);
    Some(Times { cold, warm })
}

fn once(command: &Path, program: &Path, cache: &Path) -> Option<Duration> {
    let mut command = Command::new(command);
    command.args(["--engine", "native", "run"]).arg(program).env("EVERT_CACHE", cache);
    let start = Instant::now();
    let output = command.output().ok()?;
    let time = start.elapsed();
    output.status.success().then_some(time)
}
