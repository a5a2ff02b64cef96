//! The functions that LLVM calls without being asked: a name in, an address out.
//!
//! On memory they are the C library's. On numbers they are operations that become calls on processors without an instruction for
//! them; each has one correct result, so it doesn't matter who computes it. Functions that are approximated, such as `exp`, are not
//! here: they are the caller's to give.

use crate::ffi;

/// The address of a function that LLVM may call.
pub(crate) fn builtin(name: &str) -> Option<usize> {
    let on_numbers: usize = match name {
        "fmod" => fmod as *const () as usize,
        "fma" => fma as *const () as usize,
        "floor" => floor as *const () as usize,
        "ceil" => ceil as *const () as usize,
        "trunc" => trunc as *const () as usize,
        "round" => round as *const () as usize,
        "rint" | "nearbyint" | "roundeven" => round_even as *const () as usize,
        _ => return ffi::memory_functions().into_iter().find_map(|(known, it)| (known == name).then_some(it)),
    };
    Some(on_numbers)
}

extern "C" fn fmod(x: f64, y: f64) -> f64 {
    x % y
}

extern "C" fn fma(x: f64, y: f64, z: f64) -> f64 {
    x.mul_add(y, z)
}

extern "C" fn floor(x: f64) -> f64 {
    x.floor()
}

extern "C" fn ceil(x: f64) -> f64 {
    x.ceil()
}

extern "C" fn trunc(x: f64) -> f64 {
    x.trunc()
}

extern "C" fn round(x: f64) -> f64 {
    x.round()
}

extern "C" fn round_even(x: f64) -> f64 {
    x.round_ties_even()
}
