//! What the tests share: this machine's LLVM, folders that go away, calls of compiled code.
#![allow(dead_code)] // each test file uses a part

use llvm::{Cache, Code, Effort, Llvm, Search, SelfTest};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// This machine's LLVM. Tests that need one pass with a note where there is none.
pub fn llvm() -> Option<Llvm> {
    static FOUND: OnceLock<Option<Llvm>> = OnceLock::new();
    let find = || match Llvm::find(&Search::from_environment(Cache::none(), SelfTest::Skip)) {
        Ok(llvm) => Some(llvm),
        Err(unavailable) => {
            eprintln!("skipped: {unavailable}");
            None
        }
    };
    FOUND.get_or_init(find).clone()
}

/// Compiles and links.
pub fn build(llvm: &Llvm, ir: &str, effort: Effort, symbols: &[(&str, *const ())]) -> Code {
    let object = llvm.compile(ir, effort).unwrap_or_else(|error| panic!("{error}"));
    llvm.link(&object, symbols).unwrap_or_else(|error| panic!("{error}"))
}

/// Calls a function of linked code: `call!(code, "name", fn(f64) -> f64, 1.0)`.
#[macro_export]
macro_rules! call {
    ($code:expr, $name:expr, fn($($argument:ty),*) -> $result:ty, $($value:expr),*) => {{
        let code = &$code;
        let address = code.address($name).expect($name);
        // SAFETY: the IR in the test gives the function this type, and the code is alive.
        let function: extern "C" fn($($argument),*) -> $result = unsafe { std::mem::transmute(address) };
        function($($value),*)
    }};
}

/// A folder that is removed at the end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("evert-llvm-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Folder(path)
    }

    /// As `new`, and made.
    pub fn made(name: &str) -> Folder {
        let folder = Folder::new(name);
        std::fs::create_dir_all(folder.path()).expect("a temporary folder");
        folder
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A test of this program as a child process.
pub fn test_as_child(name: &str) -> SelfTest {
    let program = std::env::current_exe().expect("this program");
    let arguments = ["--exact", name, "--nocapture", "--test-threads=1"].map(String::from).to_vec();
    SelfTest::Child { program, arguments }
}
