//! Python: `cargo xtask wheel` makes the wheels, `cargo xtask wheel test` tries them where there is nothing else, `cargo xtask python` tests them
//! with all that they work with, `cargo xtask python bench` measures, and `cargo xtask test` tests the package as far as that is cheap. Everything is in `target/python`; nothing else needs Python.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// What the tests of the package itself need.
const SMALL: &[&str] = &["numpy", "pytest", "hypothesis", "maturin"];
/// What there are tests with, in environments of their own.
const OPTIONAL: &[Optional] = &[
    Optional { package: "jax", tests: "test_jax.py", gigabytes: 3 },
    Optional { package: "torch", tests: "test_torch.py", gigabytes: 16 },
];

/// A package that Evert works with.
struct Optional {
    package: &'static str,
    /// The file of the tests with it.
    tests: &'static str,
    /// The free room on the disk without which it isn't installed: what it takes and what pip needs meanwhile, and some to spare.
    gigabytes: u64,
}
/// How long getting these may take, while the package is built.
const PATIENCE: Duration = Duration::from_secs(150);
/// What it is tested with by `cargo xtask python`.
const LARGE: &[&str] = &[
    "numpy",
    "pytest",
    "hypothesis",
    "scipy",
    "jax",
    "torch",
    "optax",
    "blackjax",
    "scikit-learn",
    "distributed",
    "ipykernel",
    "jupyter_client",
    "numba",
    "numpyro",
];
const BUILDERS: &[&str] = &["maturin", "ziglang", "auditwheel"];

/// The oldest C library that the wheels run with.
const MANYLINUX: &str = "manylinux_2_17";
/// The versions of Python that the wheels are for.
const VERSIONS: &[&str] = &["python3.10", "python3.11", "python3.12", "python3.13", "python3.14"];
/// How large the wheel with the extension may be, in bytes.
const LARGEST_EXTENSION: u64 = 5_000_000;

/// The package, made quickly, and its tests but for the long ones. What can't be had from the network, or isn't on the machine, is said, and is no
/// failure.
pub fn test() -> ExitCode {
    let lock = || std::fs::read(package().join("Cargo.lock")).ok();
    let committed = lock();
    let environment = match interpreter().and_then(|python| small(&python)) {
        Ok(environment) => environment,
        Err(why) => {
            eprintln!("== skipped: the tests of the Python package ({why})");
            return ExitCode::SUCCESS;
        }
    };
    eprintln!("== the Python package passes its tests: pytest python/tests");
    outcome(|| {
        if lock() != committed {
            return Err(
                "python/Cargo.lock didn't fit the crates; it is written anew, and is to be committed".to_string()
            );
        }
        run(cargo().args(["fmt", "--check"]).current_dir(package()))?;
        let others: Vec<Coming> = OPTIONAL.iter().map(|other| Coming::start(&environment, other)).collect();
        let dist = folder().join("dist-dev");
        let _ = std::fs::remove_dir_all(&dist);
        let mut build = environment.module("maturin");
        build.args(["build", "--quiet", "--profile", "dev", "--compatibility", "linux", "--out"]).arg(&dist);
        // Nobody debugs it, and it compiles sooner.
        build.env("CARGO_PROFILE_DEV_DEBUG", "false");
        run(build.arg("--manifest-path").arg(package().join("Cargo.toml")))?;
        environment.install_wheels(&dist, &["--no-deps"])?;
        let options = ["-m".to_string(), "not long".to_string()];
        environment.pytest(&[], &options)?;
        for (coming, Optional { package, tests, gigabytes }) in others.into_iter().zip(OPTIONAL) {
            match coming.finish() {
                Some(environment) => {
                    environment.install_wheels(&dist, &["--no-deps"])?;
                    environment.pytest(&[tests], &options)?;
                }
                None => eprintln!(
                    "== skipped: the tests of the Python package with {package} (it couldn't be installed in {} s, or there \
                     are less than {gigabytes} GB of free room on the disk)",
                    PATIENCE.as_secs()
                ),
            }
        }
        Ok(())
    })
}

/// What the tests need before they begin: packages, and the crates that only this package takes.
fn small(python: &Path) -> Result<Environment, String> {
    let environment = Environment::new(python, "small", SMALL).map_err(|_| "its packages can't be downloaded")?;
    run(cargo().args(["fetch", "--quiet"]).current_dir(package())).map_err(|_| "its crates can't be downloaded")?;
    Ok(environment)
}

/// All tests, against wheels as they are published, in an environment with all that the package works with.
pub fn test_all(arguments: &[String]) -> ExitCode {
    outcome(|| {
        run(cargo().args(["fmt", "--check"]).current_dir(package()))?;
        let clippy = ["clippy", "--quiet", "--", "-D", "warnings"];
        run(cargo().args(clippy).env("CARGO_TARGET_DIR", folder().join("cargo")).current_dir(package()))?;
        let dist = wheels()?;
        let environment = Environment::new(&interpreter()?, "large", LARGE)?;
        environment.install_wheels(&dist, &["--no-deps"])?;
        environment.pytest(&[], arguments)
    })
}

/// The wheels, in `target/python/dist`.
pub fn wheel() -> ExitCode {
    outcome(|| wheels().map(|dist| eprintln!("the wheels are in {}", dist.display())))
}

/// The wheels that there are, in environments with nothing else, one for each Python: those that `PYTHONS` names, or those on the PATH.
pub fn test_wheels() -> ExitCode {
    outcome(|| {
        let dist = folder().join("dist");
        if files(&dist, "whl").len() != 2 {
            return Err(format!("the wheels aren't in {}: run `cargo xtask wheel`", dist.display()));
        }
        let pythons = pythons();
        if pythons.is_empty() {
            return Err(format!("there is none of {}; PYTHONS can name some", VERSIONS.join(", ")));
        }
        for python in pythons {
            let place = folder().join("alone");
            let _ = std::fs::remove_dir_all(&place);
            run(Command::new(&python).args(["-m", "venv"]).arg(&place))?;
            let environment = Environment { python: place.join("bin/python") };
            environment.install_wheels(&dist, &[])?;
            // Nothing of this machine: neither Rust nor LLVM nor what is cached at home.
            let mut alone = Command::new(&environment.python);
            alone.env_clear().env("PATH", place.join("bin")).env("HOME", &place).current_dir(&place);
            run(alone.arg(package().join("tests/alone.py")))?;
            let _ = std::fs::remove_dir_all(&place);
        }
        Ok(())
    })
}

/// The Pythons to try the wheels with.
fn pythons() -> Vec<PathBuf> {
    let named = std::env::var_os("PYTHONS").map(|named| std::env::split_paths(&named).collect::<Vec<_>>());
    let candidates = named.unwrap_or_else(|| VERSIONS.iter().map(PathBuf::from).collect());
    let works = |python: &PathBuf| {
        Command::new(python).args(["-c", "import venv, ensurepip"]).output().is_ok_and(|done| done.status.success())
    };
    candidates.into_iter().filter(works).collect()
}

/// The benchmarks beside NumPy, numba, JAX and PyTorch, in one run; they write `docs/python-benchmarks.md`.
pub fn bench() -> ExitCode {
    outcome(|| {
        let dist = folder().join("dist");
        let dist = if files(&dist, "whl").len() == 2 { dist } else { wheels()? };
        let environment = Environment::new(&interpreter()?, "large", LARGE)?;
        environment.install_wheels(&dist, &["--no-deps"])?;
        let page = root().join("docs/python-benchmarks.md");
        let mut calls = Command::new(&environment.python);
        run(calls.arg(package().join("benchmarks/calls.py")).arg(page).current_dir(folder()))?;
        run(Command::new(&environment.python).arg(package().join("benchmarks/leaks.py")).current_dir(folder()))
    })
}

fn wheels() -> Result<PathBuf, String> {
    let environment = Environment::new(&interpreter()?, "builders", BUILDERS)?;
    let dist = folder().join("dist");
    let _ = std::fs::remove_dir_all(&dist);
    // Zig links against the C library of old systems.
    let mut build = environment.module("maturin");
    build.args(["build", "--release", "--zig", "--compatibility", "manylinux2014", "--out"]).arg(&dist);
    run(build.arg("--manifest-path").arg(package().join("Cargo.toml")))?;
    run(Command::new(&environment.python).arg(package().join("llvm/build.py")).arg(&dist))?;
    for wheel in files(&dist, "whl") {
        // It says so in the name; auditwheel looks at the symbols.
        let shown = environment.module("auditwheel").arg("show").arg(&wheel).output();
        let shown = shown.map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&shown.stdout).into_owned() + &String::from_utf8_lossy(&shown.stderr);
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if !words.contains(&format!("is consistent with the following platform tag: \"{MANYLINUX}_")) {
            return Err(format!("auditwheel doesn't find that {} is {MANYLINUX}: {words}", wheel.display()));
        }
        let bytes = std::fs::metadata(&wheel).map_or(0, |file| file.len());
        eprintln!("{}: {MANYLINUX}, {bytes} bytes", wheel.display());
        let is_extension = wheel.file_name().is_some_and(|name| name.to_string_lossy().starts_with("evert-"));
        if is_extension && bytes > LARGEST_EXTENSION {
            return Err(format!("{} has {bytes} bytes, {LARGEST_EXTENSION} at most", wheel.display()));
        }
    }
    Ok(dist)
}

/// A virtual environment with packages from the index.
struct Environment {
    python: PathBuf,
}

impl Environment {
    fn new(interpreter: &Path, name: &str, packages: &[&str]) -> Result<Environment, String> {
        let place = folder().join(name);
        let environment = Environment { python: place.join("bin/python") };
        let (stamp, wanted) = (place.join("packages"), packages.join("\n"));
        if std::fs::read_to_string(&stamp).is_ok_and(|made| made == wanted) {
            return Ok(environment);
        }
        run(Command::new(interpreter).args(["-m", "venv"]).arg(&place))?;
        let mut install = environment.module("pip");
        run(install.args(["install", "--quiet", "--disable-pip-version-check", "--retries", "1"]).args(packages))?;
        std::fs::write(&stamp, wanted).map_err(|error| error.to_string())?;
        Ok(environment)
    }

    fn module(&self, name: &str) -> Command {
        let mut command = Command::new(&self.python);
        // Maturin takes a virtual environment, and the builds of Rust are kept apart from ours.
        let place = self.python.parent().and_then(Path::parent).unwrap_or(Path::new("."));
        command.args(["-m", name]).env("VIRTUAL_ENV", place).env("CARGO_TARGET_DIR", folder().join("cargo"));
        // What it starts is the environment's too: maturin looks for zig through whatever `python3` is.
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(place.join("bin")).chain(std::env::split_paths(&path));
        if let Ok(path) = std::env::join_paths(folders) {
            command.env("PATH", path);
        }
        command
    }

    fn install_wheels(&self, dist: &Path, options: &[&str]) -> Result<(), String> {
        let mut install = self.module("pip");
        install.args(["install", "--quiet", "--disable-pip-version-check", "--force-reinstall"]);
        run(install.args(options).args(files(dist, "whl")))
    }

    /// Runs tests: these files, or all.
    fn pytest(&self, files: &[&str], arguments: &[String]) -> Result<(), String> {
        // In a folder without the package's source, so that what is installed is tested.
        let tests = package().join("tests");
        let mut pytest = self.module("pytest");
        pytest.args(["-q", "-p", "no:cacheprovider"]).current_dir(folder());
        match files {
            [] => pytest.arg(&tests),
            files => pytest.args(files.iter().map(|file| tests.join(file))),
        };
        run(pytest.args(arguments))
    }
}

/// An environment that is being made while something else goes on.
struct Coming {
    place: PathBuf,
    /// `None`: it is there, or can't be made.
    pip: Option<Child>,
    end: Instant,
}

impl Coming {
    /// Begins an environment for tests with a package, unless there is one or the disk is too full for it.
    fn start(from: &Environment, Optional { package, gigabytes, .. }: &Optional) -> Coming {
        let mut coming =
            Coming { place: folder().join(format!("with-{package}")), pip: None, end: Instant::now() + PATIENCE };
        if coming.stamp().exists() {
            return coming;
        }
        let _ = std::fs::remove_dir_all(&coming.place);
        if free_gigabytes() >= *gigabytes && run(from.module("venv").arg(&coming.place)).is_ok() {
            let mut install = coming.environment().module("pip");
            install.args(["install", "--quiet", "--no-cache-dir", "--disable-pip-version-check", "--retries", "1"]);
            install.args(["numpy", "pytest", "hypothesis", package]).stdout(Stdio::null()).stderr(Stdio::null());
            coming.pip = install.spawn().ok();
        }
        coming
    }

    /// The environment, if it is there in time. What is half made goes away.
    fn finish(mut self) -> Option<Environment> {
        if let Some(pip) = &mut self.pip {
            while matches!(pip.try_wait(), Ok(None)) && Instant::now() < self.end {
                std::thread::sleep(Duration::from_millis(200));
            }
            if matches!(pip.try_wait(), Ok(Some(status)) if status.success()) {
                std::fs::write(self.stamp(), "").ok()?;
            }
        }
        let environment = self.stamp().exists().then(|| self.environment());
        drop(self);
        environment
    }

    fn environment(&self) -> Environment {
        Environment { python: self.place.join("bin/python") }
    }

    fn stamp(&self) -> PathBuf {
        self.place.join("packages")
    }
}

impl Drop for Coming {
    fn drop(&mut self) {
        if let Some(pip) = &mut self.pip {
            let _ = pip.kill();
            let _ = pip.wait();
        }
        if !self.stamp().exists() {
            let _ = std::fs::remove_dir_all(&self.place);
        }
    }
}

/// A Python that will do.
fn interpreter() -> Result<PathBuf, String> {
    let asked = std::env::var_os("PYTHON").map(PathBuf::from);
    let candidates = asked.map_or_else(|| vec!["python3".into(), "python".into()], |python| vec![python]);
    let will_do = |python: &PathBuf| {
        let check = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
        Command::new(python).args(["-c", check]).output().is_ok_and(|output| output.status.success())
    };
    candidates.into_iter().find(will_do).ok_or("there is no Python 3.10 or later with venv".into())
}

/// The room that is left on the disk of `folder()`; none if nobody can tell.
fn free_gigabytes() -> u64 {
    let table = Command::new("df").args(["-P", "-k"]).arg(folder()).output();
    let text = table.map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output.stdout).into_owned());
    let free = text.lines().nth(1).and_then(|line| line.split_whitespace().nth(3)?.parse::<u64>().ok());
    free.unwrap_or(0) >> 20
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let listing = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<_> = listing.filter(|path| path.extension().is_some_and(|own| own == ending)).collect();
    files.sort();
    files
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

fn package() -> PathBuf {
    root().join("python")
}

/// Where everything of Python's is made.
fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    target.join("python")
}

pub fn cargo() -> Command {
    Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()))
}

pub fn run(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?}: {status}")),
        Err(error) => Err(format!("{command:?}: {error}")),
    }
}

pub fn outcome(work: impl FnOnce() -> Result<(), String>) -> ExitCode {
    match work() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}
