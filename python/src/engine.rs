//! The LLVM that this process uses: found once, shared by all programs.
//!
//! `EVERT_LLVM` names one; otherwise it is that of the package `evert-llvm`, which needs no trial because it is ours; otherwise the
//! machine's, each candidate tried in a process of its own first. The folder beside the interpreter isn't searched: what is there belongs to
//! others.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

use llvm::{Cache, Llvm, Search, SelfTest};
use pyo3::prelude::*;

static FOUND: OnceLock<Result<Llvm, String>> = OnceLock::new();
static WISHES: Mutex<Wishes> = Mutex::new(Wishes { bundled: None, interpreter: None });

struct Wishes {
    /// The library in the package `evert-llvm`.
    bundled: Option<PathBuf>,
    /// Runs the self-test of other libraries.
    interpreter: Option<PathBuf>,
}

/// The LLVM, or why there is none.
pub fn llvm() -> &'static Result<Llvm, String> {
    FOUND.get_or_init(|| Llvm::find(&search()).map_err(|why| why.to_string()))
}

pub fn cache() -> Cache {
    static CACHE: OnceLock<Cache> = OnceLock::new();
    CACHE.get_or_init(Cache::from_environment).clone()
}

fn search() -> Search {
    let wishes = WISHES.lock().unwrap_or_else(PoisonError::into_inner);
    let self_test = match &wishes.interpreter {
        Some(program) => SelfTest::Child {
            program: program.clone(),
            arguments: ["-c", "import evert._evert; evert._evert.self_test()"].map(String::from).to_vec(),
        },
        None => SelfTest::Skip,
    };
    let environment = Search { bundled: None, ..Search::from_environment(cache(), self_test) };
    if environment.only.is_some() {
        return environment;
    }
    match &wishes.bundled {
        Some(library) => {
            let only = Some(OsString::from(library));
            Search { only, ..Search::nowhere(cache(), SelfTest::Skip) }
        }
        None => environment,
    }
}

/// Where the package's library is, and which interpreter can try others. Before the first program.
#[pyfunction]
#[pyo3(signature = (library=None, interpreter=None))]
pub fn use_llvm(library: Option<PathBuf>, interpreter: Option<PathBuf>) {
    *WISHES.lock().unwrap_or_else(PoisonError::into_inner) = Wishes { bundled: library, interpreter };
}

/// What compiles programs, in words; `None` and the reason if nothing does.
#[pyfunction]
pub fn engine(py: Python<'_>) -> (Option<String>, Option<String>) {
    match py.detach(llvm) {
        Ok(llvm) => (Some(format!("LLVM {} for {} ({})", llvm.version(), llvm.cpu(), llvm.path().display())), None),
        Err(why) => (None, Some(why.clone())),
    }
}

/// Tries a library and ends the process, if it was started for that.
#[pyfunction]
pub fn self_test() {
    llvm::self_test_child();
}

/// How many threads one call may use; `None`: one, unless `EVERT_THREADS` says otherwise. The host has threads of its own, and knows how many are idle.
#[pyfunction]
#[pyo3(signature = (threads=None))]
pub fn set_threads(threads: Option<usize>) {
    native::threads::allow(threads.or_else(native::threads::said).unwrap_or(1));
}
