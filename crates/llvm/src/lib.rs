//! The LLVM that is found at run time, used through its C API.
//!
//! In: textual LLVM IR, or an object made from it earlier. Out: object code, or the addresses of its functions in this process.
//! Nothing of LLVM is needed to build Evert; where [`Llvm::find`] finds no usable library it says why, in words for a user.
//!
//! | step | function | what it costs |
//! |---|---|---|
//! | a library that passed its self-test | [`Llvm::find`] | loading it |
//! | IR → object | [`Llvm::compile`], [`Llvm::compile_cached`] | depends on [`Effort`]; with the [`Cache`], a file read |
//! | object → addresses | [`Llvm::link`] | well under a millisecond |
//!
//! Always: no fast-math and no contraction is added, fma is where the IR has it; the same IR gives the same bytes; an object
//! sees only the symbols it is given. `unsafe` is in the module `ffi` alone. For Unix.
#![deny(unsafe_code)]

mod builtins;
mod busy;
mod cache;
mod candidate;
mod compile;
#[allow(unsafe_code)]
mod ffi;
mod find;
mod lines;
mod link;
mod self_test;
mod settings;
mod unavailable;

pub use busy::Held;
pub use cache::{Cache, Key};
pub use compile::{CompileError, Effort, Line, Stage};
pub use find::Search;
pub use lines::{Row, lines};
pub use link::{Code, LinkError};
pub use self_test::{SelfTest, self_test_child};
pub use settings::{InstructionSet, Settings};
pub use unavailable::{Rejected, Unavailable, Why};

use std::path::Path;
use std::sync::Arc;

/// A loaded LLVM. Cloning is cheap; all clones, on all threads, share one library and one linker.
#[derive(Clone)]
pub struct Llvm {
    library: Arc<ffi::Library>,
    identity: candidate::Identity,
}

impl Llvm {
    /// The version of the library, for example `22.1.2`.
    pub fn version(&self) -> String {
        let (major, minor, patch) = self.library.version();
        format!("{major}.{minor}.{patch}")
    }

    /// The file that was loaded.
    pub fn path(&self) -> &Path {
        &self.identity.path
    }

    /// The processor that code is made for, by LLVM's name for it.
    pub fn cpu(&self) -> String {
        self.library.host().cpu.to_string_lossy().into_owned()
    }
}

impl std::fmt::Debug for Llvm {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "LLVM {} at {}", self.version(), self.path().display())
    }
}
