//! The table of the functions of LLVM's C API that are used: names and signatures as in the headers `llvm-c/*.h` of LLVM 19–22.
//!
//! In: an open library. Out: the table, or the name of the first symbol that is missing. Nothing is called here.

use libloading::os::unix::Library as Handle;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// A pointer to something of LLVM's; the field's name says to what.
type Ref = *mut c_void;
type Text = *const c_char;

/// `LLVMOrcCSymbolMapPair`: a name, its address, its flags.
#[repr(C)]
pub(super) struct SymbolPair {
    pub(super) name: Ref,
    pub(super) address: u64,
    pub(super) generic_flags: u8,
    pub(super) target_flags: u8,
}

/// `LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable`.
pub(super) const EXPORTED_CALLABLE: u8 = 1 | 4;

/// `LLVMOrcCJITDylibSearchOrderElement` and `LLVMOrcCLookupSetElement`: a pointer and how to look for it.
#[repr(C)]
pub(super) struct LookFor {
    pub(super) what: Ref,
    pub(super) flags: c_int,
}

pub(super) type DiagnosticHandler = unsafe extern "C" fn(diagnostic: Ref, context: *mut c_void);
pub(super) type ErrorReporter = unsafe extern "C" fn(context: *mut c_void, error: Ref);
pub(super) type LookupHandler =
    unsafe extern "C" fn(error: Ref, pairs: *const SymbolPair, count: usize, context: *mut c_void);

macro_rules! api {
    ($($field:ident = $symbol:expr, fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// Addresses of LLVM's functions.
        pub(super) struct Api {
            $(pub(super) $field: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Api {
            /// Finds every function, or names the first that is missing.
            pub(super) fn load(handle: &Handle) -> Result<Api, &'static str> {
                Ok(Api {
                    $($field: {
                        // SAFETY: the signature is the one in LLVM's headers.
                        let found = unsafe { handle.get(concat!($symbol, "\0").as_bytes()) };
                        *found.map_err(|_| $symbol)?
                    },)*
                })
            }
        }
    };
}

/// The name of this machine's code generator in LLVM.
#[cfg(target_arch = "x86_64")]
macro_rules! target {
    ($part:literal) => {
        concat!("LLVMInitializeX86", $part)
    };
}

/// The name of this machine's code generator in LLVM.
#[cfg(target_arch = "aarch64")]
macro_rules! target {
    ($part:literal) => {
        concat!("LLVMInitializeAArch64", $part)
    };
}

/// On other machines no symbol is found, so no LLVM is.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
macro_rules! target {
    ($part:literal) => {
        concat!("LLVMInitializeThisMachine", $part)
    };
}

api! {
    initialize_target_info = target!("TargetInfo"), fn();
    initialize_target = target!("Target"), fn();
    initialize_target_mc = target!("TargetMC"), fn();
    initialize_asm_printer = target!("AsmPrinter"), fn();
    initialize_asm_parser = target!("AsmParser"), fn();

    default_triple = "LLVMGetDefaultTargetTriple", fn() -> *mut c_char;
    host_cpu_name = "LLVMGetHostCPUName", fn() -> *mut c_char;
    host_cpu_features = "LLVMGetHostCPUFeatures", fn() -> *mut c_char;
    dispose_message = "LLVMDisposeMessage", fn(*mut c_char);
    get_error_message = "LLVMGetErrorMessage", fn(Ref) -> *mut c_char;
    dispose_error_message = "LLVMDisposeErrorMessage", fn(*mut c_char);

    context_create = "LLVMContextCreate", fn() -> Ref;
    context_dispose = "LLVMContextDispose", fn(Ref);
    context_set_diagnostic_handler = "LLVMContextSetDiagnosticHandler", fn(Ref, DiagnosticHandler, *mut c_void);
    diagnostic_severity = "LLVMGetDiagInfoSeverity", fn(Ref) -> c_int;
    diagnostic_description = "LLVMGetDiagInfoDescription", fn(Ref) -> *mut c_char;

    buffer_copy = "LLVMCreateMemoryBufferWithMemoryRangeCopy", fn(Text, usize, Text) -> Ref;
    buffer_start = "LLVMGetBufferStart", fn(Ref) -> *const c_char;
    buffer_size = "LLVMGetBufferSize", fn(Ref) -> usize;
    buffer_dispose = "LLVMDisposeMemoryBuffer", fn(Ref);

    parse_ir = "LLVMParseIRInContext", fn(Ref, Ref, *mut Ref, *mut *mut c_char) -> c_int;
    verify_module = "LLVMVerifyModule", fn(Ref, c_int, *mut *mut c_char) -> c_int;
    module_dispose = "LLVMDisposeModule", fn(Ref);
    module_set_target = "LLVMSetTarget", fn(Ref, Text);
    module_set_data_layout = "LLVMSetModuleDataLayout", fn(Ref, Ref);

    target_from_triple = "LLVMGetTargetFromTriple", fn(Text, *mut Ref, *mut *mut c_char) -> c_int;
    machine_create = "LLVMCreateTargetMachine", fn(Ref, Text, Text, Text, c_int, c_int, c_int) -> Ref;
    machine_dispose = "LLVMDisposeTargetMachine", fn(Ref);
    machine_data_layout = "LLVMCreateTargetDataLayout", fn(Ref) -> Ref;
    data_layout_dispose = "LLVMDisposeTargetData", fn(Ref);
    machine_emit = "LLVMTargetMachineEmitToMemoryBuffer", fn(Ref, Ref, c_int, *mut *mut c_char, *mut Ref) -> c_int;

    pass_options_create = "LLVMCreatePassBuilderOptions", fn() -> Ref;
    pass_options_dispose = "LLVMDisposePassBuilderOptions", fn(Ref);
    run_passes = "LLVMRunPasses", fn(Ref, Text, Ref, Ref) -> Ref;

    lljit_create = "LLVMOrcCreateLLJIT", fn(*mut Ref, Ref) -> Ref;
    lljit_dispose = "LLVMOrcDisposeLLJIT", fn(Ref) -> Ref;
    lljit_session = "LLVMOrcLLJITGetExecutionSession", fn(Ref) -> Ref;
    lljit_add_object = "LLVMOrcLLJITAddObjectFile", fn(Ref, Ref, Ref) -> Ref;
    session_set_error_reporter = "LLVMOrcExecutionSessionSetErrorReporter", fn(Ref, ErrorReporter, *mut c_void);
    session_intern = "LLVMOrcExecutionSessionIntern", fn(Ref, Text) -> Ref;
    session_new_dylib = "LLVMOrcExecutionSessionCreateBareJITDylib", fn(Ref, Text) -> Ref;
    session_string_pool = "LLVMOrcExecutionSessionGetSymbolStringPool", fn(Ref) -> Ref;
    session_lookup = "LLVMOrcExecutionSessionLookup",
        fn(Ref, c_int, *const LookFor, usize, *const LookFor, usize, LookupHandler, *mut c_void);
    string_pool_clear = "LLVMOrcSymbolStringPoolClearDeadEntries", fn(Ref);
    string_text = "LLVMOrcSymbolStringPoolEntryStr", fn(Ref) -> *const c_char;
    absolute_symbols = "LLVMOrcAbsoluteSymbols", fn(*const SymbolPair, usize) -> Ref;
    unit_dispose = "LLVMOrcDisposeMaterializationUnit", fn(Ref);
    dylib_define = "LLVMOrcJITDylibDefine", fn(Ref, Ref) -> Ref;
    dylib_clear = "LLVMOrcJITDylibClear", fn(Ref) -> Ref;
}

/// `LLVMGetVersion`, looked up before the rest.
pub(super) fn version_function(
    handle: &Handle,
) -> Result<unsafe extern "C" fn(*mut c_uint, *mut c_uint, *mut c_uint), &'static str> {
    // SAFETY: the signature is the one in LLVM's headers.
    unsafe { handle.get(b"LLVMGetVersion\0") }.map(|symbol| *symbol).map_err(|_| "LLVMGetVersion")
}
