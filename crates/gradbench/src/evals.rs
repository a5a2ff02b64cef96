//! The evals: their programs, and the functions that GradBench may ask for.
//!
//! A program defines each of these functions, at the eval's input as a record. It may also define `prepare`, from the input to what the
//! functions get instead, and `f_answer`, from what `f` returns to what the protocol wants of it; neither is timed as part of `f`.

/// An eval that this tool has.
#[derive(Clone, Copy, Debug)]
pub struct Eval {
    pub name: &'static str,
    pub functions: &'static [&'static str],
    pub program: &'static str,
}

macro_rules! eval {
    ($name:literal, $functions:expr) => {
        Eval {
            name: $name,
            functions: &$functions,
            program: include_str!(concat!("../../../gradbench/", $name, ".ev")),
        }
    };
}

pub const EVALS: &[Eval] = &[
    eval!("ba", ["objective", "jacobian"]),
    eval!("det", ["primal", "gradient"]),
    eval!("gmm", ["objective", "jacobian"]),
    eval!("hello", ["square", "double"]),
    eval!("ht", ["objective", "jacobian"]),
    eval!("kmeans", ["cost", "dir"]),
    eval!("llsq", ["primal", "gradient"]),
    eval!("lse", ["primal", "gradient"]),
    eval!("lstm", ["objective", "jacobian"]),
    eval!("ode", ["primal", "gradient"]),
    eval!("particle", ["ff", "fr", "rf", "rr"]),
    eval!("saddle", ["ff", "fr", "rf", "rr"]),
];

pub fn find(name: &str) -> Option<&'static Eval> {
    EVALS.iter().find(|eval| eval.name == name)
}
