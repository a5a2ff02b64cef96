//! The only module with `unsafe`: LLVM's C API behind safe functions.
//!
//! In: the path of a library, texts, bytes, addresses as numbers. Out: texts, bytes, addresses. Always: every function of the
//! API that is used is in the table [`Api`] and was found before the first call; what LLVM allocates is freed by its owner here;
//! the library itself is never unloaded, because LLVM keeps state that outlives its users.

mod api;
mod emit;
mod jit;
mod sample;

pub(crate) use emit::{EmitError, Recipe};
pub(crate) use jit::Dylib;
pub(crate) use sample::check as check_sample;

use crate::Settings;
use api::Api;
use jit::Jit;
use libloading::os::unix::{Library as Handle, RTLD_LAZY, RTLD_LOCAL};
use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

/// LLVM's major versions from here on have the API that is used.
pub(crate) const OLDEST: u32 = 19;

/// A loaded library whose version and symbols are right.
pub(crate) struct Library {
    api: Api,
    version: (u32, u32, u32),
    host: OnceLock<Host>,
    targets: OnceLock<()>,
    jit: OnceLock<Result<Jit, String>>,
}

// SAFETY: the fields are function pointers and data behind locks; LLVM's functions may be called from any thread as long as each
// context stays with one call (`emit`) and the linker is behind its lock (`jit`).
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

/// The machine that code is made for, in LLVM's words.
pub(crate) struct Host {
    pub(crate) triple: CString,
    pub(crate) cpu: CString,
    pub(crate) features: CString,
}

/// Why a file couldn't be opened as an LLVM.
pub(crate) enum OpenError {
    CannotLoad(String),
    TooOld(String),
    MissingSymbol(String),
}

impl Library {
    /// Loads the library at a path and checks its version and symbols. Nothing of LLVM is initialised yet.
    pub(crate) fn open(path: &Path) -> Result<Library, OpenError> {
        // SAFETY: loading runs the library's initialisers. Those of LLVM register options and have no other effect; a library
        // that isn't known has passed its self-test in another process.
        let handle = unsafe { Handle::open(Some(path), RTLD_LAZY | RTLD_LOCAL) }
            .map_err(|error| OpenError::CannotLoad(text_of(&error)))?;
        let handle = std::mem::ManuallyDrop::new(handle);
        let missing = |symbol: &str| OpenError::MissingSymbol(symbol.to_string());
        // The version first: of an old LLVM the version says more than the first symbol it lacks.
        let get_version = api::version_function(&handle).map_err(missing)?;
        let (mut major, mut minor, mut patch) = (0, 0, 0);
        // SAFETY: the signature is that of LLVM 16 and later; older ones lack the symbol.
        unsafe { get_version(&mut major, &mut minor, &mut patch) };
        if major < OLDEST {
            return Err(OpenError::TooOld(format!("{major}.{minor}.{patch}")));
        }
        let api = Api::load(&handle).map_err(missing)?;
        let version = (major, minor, patch);
        Ok(Library { api, version, host: OnceLock::new(), targets: OnceLock::new(), jit: OnceLock::new() })
    }

    pub(crate) fn version(&self) -> (u32, u32, u32) {
        self.version
    }

    pub(crate) fn host(&self) -> &Host {
        // SAFETY: the three functions return texts of their own that `take_text` frees.
        self.host.get_or_init(|| unsafe {
            let asked = Settings::from_environment().ok().and_then(|settings| settings.instructions);
            let (cpu, features) = match asked {
                Some(set) => (CString::new(set.processor()).expect("no zero byte"), CString::default()),
                None => (self.take_text((self.api.host_cpu_name)()), self.take_text((self.api.host_cpu_features)())),
            };
            Host { triple: self.take_text((self.api.default_triple)()), cpu, features }
        })
    }

    /// Registers the code generator of this machine, once.
    fn initialize_target(&self) {
        // The registry belongs to the process: who loads the library a second time waits here too.
        static REGISTERING: Mutex<()> = Mutex::new(());
        let _one = REGISTERING.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: each function adds its entries to LLVM's registry, one thread at a time.
        self.targets.get_or_init(|| unsafe {
            (self.api.initialize_target_info)();
            (self.api.initialize_target)();
            (self.api.initialize_target_mc)();
            (self.api.initialize_asm_printer)();
            // Without it, assembly in the IR is a fatal error.
            (self.api.initialize_asm_parser)();
        });
    }

    /// The linker, made at its first use.
    fn jit(&self) -> Result<&Jit, String> {
        self.jit.get_or_init(|| Jit::new(self)).as_ref().map_err(String::clone)
    }

    /// A text that LLVM allocated.
    ///
    /// # Safety
    /// `text` is null or came from LLVM with its ownership.
    unsafe fn take_text(&self, text: *mut c_char) -> CString {
        if text.is_null() {
            return CString::default();
        }
        // SAFETY: not null, ends with a zero; copied before it is freed.
        unsafe {
            let copy = CStr::from_ptr(text).to_owned();
            (self.api.dispose_message)(text);
            copy
        }
    }

    /// An error's message, or `Ok` for the null error.
    ///
    /// # Safety
    /// `error` is null or came from LLVM with its ownership.
    unsafe fn take_error(&self, error: *mut c_void) -> Result<(), String> {
        if error.is_null() {
            return Ok(());
        }
        // SAFETY: taking the message consumes the error; the message is copied before it is freed.
        unsafe {
            let message = (self.api.get_error_message)(error);
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            (self.api.dispose_error_message)(message);
            Err(text)
        }
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        if let Some(Ok(jit)) = self.jit.take() {
            jit.dispose(&self.api);
        }
    }
}

/// Something of LLVM's that its owner frees with one function.
struct Owned {
    pointer: *mut c_void,
    dispose: unsafe extern "C" fn(*mut c_void),
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: `dispose` is the function LLVM names for what `pointer` is, and nobody else frees it.
        unsafe { (self.dispose)(self.pointer) }
    }
}

/// The loader's own words: libloading's error shows them only as its source.
fn text_of(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

unsafe extern "C" {
    safe fn geteuid() -> u32;
    fn getrlimit(what: i32, limit: *mut Limit) -> i32;
    fn memcpy(to: *mut c_void, from: *const c_void, size: usize) -> *mut c_void;
    fn memmove(to: *mut c_void, from: *const c_void, size: usize) -> *mut c_void;
    fn memset(to: *mut c_void, byte: i32, size: usize) -> *mut c_void;
    fn memcmp(a: *const c_void, b: *const c_void, size: usize) -> i32;
}

/// The user this process acts for.
pub(crate) fn user() -> u32 {
    geteuid()
}

/// A limit of the process, and how far it could raise it.
#[repr(C)]
struct Limit {
    now: u64,
    most: u64,
}

/// How large a file this process may write.
pub(crate) fn largest_file() -> u64 {
    /// The same on Linux, macOS and the BSDs.
    const RLIMIT_FSIZE: i32 = 1;
    let mut limit = Limit { now: u64::MAX, most: u64::MAX };
    // SAFETY: `rlim_t` has 64 bits on these systems, and the struct is two of them.
    if unsafe { getrlimit(RLIMIT_FSIZE, &raw mut limit) } == 0 { limit.now } else { u64::MAX }
}

/// The functions on memory that LLVM calls without being asked, with their addresses.
pub(crate) fn memory_functions() -> [(&'static str, usize); 5] {
    [
        ("memcpy", memcpy as *const () as usize),
        ("memmove", memmove as *const () as usize),
        ("memset", memset as *const () as usize),
        ("memcmp", memcmp as *const () as usize),
        ("bcmp", memcmp as *const () as usize),
    ]
}
