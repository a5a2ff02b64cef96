//! A small program that a library must compile, link and run rightly before it is trusted.
//!
//! In: a loaded library. Out: whether it did, or what went wrong. LLVM's fatal errors end the process: run this in a child.

use super::Library;
use crate::compile::Effort;
use crate::link::Code;
use std::sync::Arc;

/// sum of f(i) for i < n, where f calls back into this program; a vector operation and an fma on the way.
const SAMPLE: &str = "
declare double @sample_square(double)
declare double @llvm.fma.f64(double, double, double)
define double @sample(i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi double [ 0.0, %entry ], [ %sum1, %loop ]
  %x = sitofp i64 %i to double
  %y = call double @sample_square(double %x)
  %v0 = insertelement <4 x double> zeroinitializer, double %y, i32 0
  %v = fadd <4 x double> %v0, <double 0.5, double 1.0, double 1.0, double 1.0>
  %w = extractelement <4 x double> %v, i32 0
  %sum1 = call double @llvm.fma.f64(double %w, double 2.0, double %sum)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret double %sum1
}
";

extern "C" fn square(x: f64) -> f64 {
    x * x
}

/// Compiles, links and runs the sample at every effort.
pub(crate) fn check(library: &Arc<Library>) -> Result<(), String> {
    for effort in Effort::ALL {
        let object = crate::compile::compile(library, SAMPLE, effort).map_err(|error| error.to_string())?;
        let symbols = [("sample_square", square as *const ())];
        let code = Code::link(library, &object, &symbols).map_err(|error| error.to_string())?;
        let address = code.address("sample").ok_or("the sample has no address after linking")?;
        // SAFETY: the sample has this type, and `code` is alive.
        let sample: extern "C" fn(i64) -> f64 = unsafe { std::mem::transmute(address) };
        let (found, expected) = (sample(10), 2.0 * (285.0 + 5.0));
        if found != expected {
            return Err(format!("code made with {effort:?} effort computed {found} instead of {expected}"));
        }
    }
    Ok(())
}
