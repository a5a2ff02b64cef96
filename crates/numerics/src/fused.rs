//! Runs code with the machine's fma instruction where it has one; elsewhere fma is a library call, exact but slow. An fma is
//! exactly specified, so the bits are the same either way.

/// Runs `f`, compiled for fma hardware if there is any.
#[inline]
pub fn fused<R>(f: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("fma") && std::is_x86_feature_detected!("avx2") {
        // SAFETY: both features were detected just now.
        return unsafe { on_x86(f) };
    }
    f()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn on_x86<R>(f: impl FnOnce() -> R) -> R {
    f()
}
