//! The standard library, compiled in.

macro_rules! files {
    ($($name:literal),*) => {
        /// The files of the library by name, in the order in which they are loaded: each may use those before it.
        pub const FILES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../library/", $name, ".ev")))),*];
    };
}

files!["lists", "loops", "arrays", "special", "linalg", "core", "derivatives"];

/// How primitives differentiate: not part of what programs see.
pub const DERIVATIVES: &str = "derivatives";
