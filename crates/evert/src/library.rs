//! The standard library, compiled in.

use calculus::Prim;

#[cfg(not(all(feature = "wasm", not(feature = "native"))))]
macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("../../../library/", $name, ".ev"))
    };
}

/// For a page, without comments.
#[cfg(all(feature = "wasm", not(feature = "native")))]
macro_rules! text {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $name, ".ev"))
    };
}

macro_rules! files {
    ($($name:literal),*) => {
        /// The files of the library by name, in the order in which they are loaded: each may use those before it.
        pub const FILES: &[(&str, &str)] = &[$(($name, text!($name))),*];
    };
}

files![
    "lists",
    "loops",
    "texts",
    "axes",
    "arrays",
    "structures",
    "statistics",
    "special",
    "core",
    "linalg",
    "draws",
    "optimisers",
    "solvers",
    "checking",
    "plots",
    "derivatives",
    "tangents"
];

/// What the library prints behind this character is for whoever watches, not part of what the program prints.
pub const ASIDE: char = '\u{1}';

/// Behind it stand, in what is for whoever watches, the name of a curve and, after another one, its next value.
pub const WATCHED: char = '\u{2}';

/// Primitives that are also found under the name of a module, as in `linalg.solve`.
pub const QUALIFIED: &[(&str, &[Prim])] = &[(
    "linalg",
    &[Prim::MatMul, Prim::Transpose, Prim::Cholesky, Prim::Solve, Prim::SolveLower, Prim::Det, Prim::Inv, Prim::Eigh],
)];

/// Files whose names are found only under the name of the file, as `plots.line`, but for these few. Their types are qualified, so
/// that a program's own `Plot` is another type.
pub const MODULES: &[(&str, &[&str])] = &[("plots", &["plot"])];

/// How primitives differentiate: not part of what programs see.
pub const DERIVATIVES: &str = "derivatives";
pub const TANGENTS: &str = "tangents";
