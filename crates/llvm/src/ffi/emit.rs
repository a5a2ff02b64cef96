//! IR text in, object bytes out.
//!
//! Always: each call has a context and a target machine of its own and frees them on every path; errors that LLVM reports while
//! generating code are collected by a handler, because without one LLVM ends the process.

use super::api::Api;
use super::{Library, Owned};
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::null_mut;

/// How to make code: passes in the syntax of `opt -passes=`, and the code generator's level from 0 to 3.
pub(crate) struct Recipe {
    pub(crate) passes: &'static str,
    pub(crate) level: i32,
}

/// Where the way from IR to object ended early, with LLVM's message.
pub(crate) enum EmitError {
    Parse(String),
    Verify(String),
    Optimise(String),
    Generate(String),
}

/// `LLVMRelocPIC` and `LLVMCodeModelSmall`: calls and data outside the object go through tables that the linker makes, so they
/// may be anywhere in the address space.
const POSITION_INDEPENDENT: c_int = 2;
const SMALL: c_int = 3;
/// `LLVMReturnStatusAction`: the verifier returns its message instead of printing it.
const RETURN_STATUS: c_int = 2;
/// `LLVMObjectFile`.
const OBJECT_FILE: c_int = 1;
/// `LLVMDSError`.
const SEVERITY_ERROR: c_int = 0;

/// Diagnostics that LLVM hands to a context's handler.
struct Diagnostics<'a> {
    api: &'a Api,
    errors: Vec<String>,
}

impl Library {
    /// Makes an object from IR.
    pub(crate) fn emit(&self, ir: &str, recipe: &Recipe) -> Result<Vec<u8>, EmitError> {
        self.initialize_target();
        let api = &self.api;
        // Declared first, so dropped last: the context's handler points to it.
        let mut diagnostics = Diagnostics { api, errors: Vec::new() };
        // SAFETY: a new context; its owner frees it after the module, which is declared later.
        let context = Owned { pointer: unsafe { (api.context_create)() }, dispose: api.context_dispose };
        let collected = &raw mut diagnostics;
        // SAFETY: `diagnostics` outlives the context and is only touched through `collected`.
        unsafe { (api.context_set_diagnostic_handler)(context.pointer, collect, collected.cast()) };
        let module = self.parse(&context, ir).map_err(EmitError::Parse)?;
        let machine = self.machine(recipe.level).map_err(EmitError::Generate)?;
        self.verify(&module, &machine).map_err(EmitError::Verify)?;
        self.optimise(&module, &machine, recipe.passes).map_err(EmitError::Optimise)?;
        let object = self.generate(&module, &machine);
        // SAFETY: no call of LLVM is running.
        let errors = unsafe { std::mem::take(&mut (*collected).errors) };
        if errors.is_empty() {
            object.map_err(EmitError::Generate)
        } else {
            Err(EmitError::Generate(errors.join("\n")))
        }
    }

    fn parse(&self, context: &Owned, ir: &str) -> Result<Owned, String> {
        let api = &self.api;
        let (mut module, mut message) = (null_mut(), null_mut());
        // SAFETY: the buffer is a copy of `ir`; parsing takes its ownership in any case.
        let failed = unsafe {
            let buffer = (api.buffer_copy)(ir.as_ptr().cast(), ir.len(), c"evert".as_ptr());
            (api.parse_ir)(context.pointer, buffer, &mut module, &mut message)
        };
        // SAFETY: the message is null or ours.
        let message = unsafe { self.take_text(message) };
        if failed != 0 {
            return Err(message.to_string_lossy().into_owned());
        }
        Ok(Owned { pointer: module, dispose: api.module_dispose })
    }

    fn machine(&self, level: i32) -> Result<Owned, String> {
        let (api, host) = (&self.api, self.host());
        let (mut target, mut message) = (null_mut(), null_mut());
        // SAFETY: the texts end with zeros and live through the calls; the target belongs to LLVM's registry.
        let machine = unsafe {
            let failed = (api.target_from_triple)(host.triple.as_ptr(), &mut target, &mut message);
            let message = self.take_text(message);
            if failed != 0 {
                return Err(message.to_string_lossy().into_owned());
            }
            let (triple, cpu, features) = (host.triple.as_ptr(), host.cpu.as_ptr(), host.features.as_ptr());
            (api.machine_create)(target, triple, cpu, features, level, POSITION_INDEPENDENT, SMALL)
        };
        if machine.is_null() {
            return Err("LLVM makes no code for this machine".into());
        }
        Ok(Owned { pointer: machine, dispose: api.machine_dispose })
    }

    /// Says what machine the module is for, and checks it.
    fn verify(&self, module: &Owned, machine: &Owned) -> Result<(), String> {
        let api = &self.api;
        let mut message: *mut c_char = null_mut();
        // SAFETY: module and machine are alive; the layout is copied by the module and freed here; the message is ours.
        unsafe {
            let layout =
                Owned { pointer: (api.machine_data_layout)(machine.pointer), dispose: api.data_layout_dispose };
            (api.module_set_target)(module.pointer, self.host().triple.as_ptr());
            (api.module_set_data_layout)(module.pointer, layout.pointer);
            let failed = (api.verify_module)(module.pointer, RETURN_STATUS, &mut message);
            let message = self.take_text(message);
            if failed == 0 { Ok(()) } else { Err(message.to_string_lossy().trim_end().to_string()) }
        }
    }

    fn optimise(&self, module: &Owned, machine: &Owned, passes: &str) -> Result<(), String> {
        let api = &self.api;
        let passes = CString::new(passes).expect("a pass list has no zero byte");
        // SAFETY: everything passed is alive; the error is ours.
        unsafe {
            let options = Owned { pointer: (api.pass_options_create)(), dispose: api.pass_options_dispose };
            let error = (api.run_passes)(module.pointer, passes.as_ptr(), machine.pointer, options.pointer);
            self.take_error(error)
        }
    }

    fn generate(&self, module: &Owned, machine: &Owned) -> Result<Vec<u8>, String> {
        let api = &self.api;
        let (mut buffer, mut message) = (null_mut(), null_mut());
        // SAFETY: module and machine are alive; message and buffer are ours, and the bytes are copied before the buffer goes.
        unsafe {
            let failed = (api.machine_emit)(machine.pointer, module.pointer, OBJECT_FILE, &mut message, &mut buffer);
            let message = self.take_text(message);
            if failed != 0 {
                return Err(message.to_string_lossy().into_owned());
            }
            let buffer = Owned { pointer: buffer, dispose: api.buffer_dispose };
            let (start, size) = ((api.buffer_start)(buffer.pointer), (api.buffer_size)(buffer.pointer));
            Ok(std::slice::from_raw_parts(start.cast::<u8>(), size).to_vec())
        }
    }
}

/// The handler of a context's diagnostics: keeps errors, drops remarks and warnings.
unsafe extern "C" fn collect(diagnostic: *mut c_void, context: *mut c_void) {
    // SAFETY: `context` is the `Diagnostics` that `emit` registered; LLVM calls on the thread that called it.
    unsafe {
        let diagnostics = &mut *context.cast::<Diagnostics>();
        let api = diagnostics.api;
        if (api.diagnostic_severity)(diagnostic) != SEVERITY_ERROR {
            return;
        }
        let text = (api.diagnostic_description)(diagnostic);
        diagnostics.errors.push(std::ffi::CStr::from_ptr(text).to_string_lossy().into_owned());
        (api.dispose_message)(text);
    }
}
