//! The public functions of the library, by file.

use super::row::Row;

mod arrays;
mod axes;
mod core;
mod draws;
mod linalg;
mod lists;
mod loops;
mod optimisers;
mod solvers;
mod special;
mod statistics;
mod structures;
mod texts;

pub fn rows() -> impl Iterator<Item = &'static Row> {
    let arrays = [arrays::ROWS, axes::ROWS, statistics::ROWS, structures::ROWS];
    let arrays = arrays.into_iter().chain([linalg::ROWS, draws::ROWS, optimisers::ROWS, solvers::ROWS]);
    [core::ROWS, loops::ROWS, lists::ROWS, special::ROWS, texts::ROWS].into_iter().chain(arrays).flatten()
}

/// Functions of the library with a comment that are parts of others, through which they are tested.
pub const PARTS: &[(&str, &str)] = &[
    ("count_reals", "jacobian"),
    ("jacobian_columns", "jacobian"),
    ("no_columns", "jacobian"),
    ("by_leaves", "jacobian"),
    ("last_axis", "jacobian"),
    ("jacobian_rows", "jacobian"),
    ("stack_parts", "jacobian"),
    // The primitives of the same names have the rows; along an axis: `along`, shapes: `poisson`, with three arguments: `logical_and`.
    ("sum", "along"),
    ("argmin", "along"),
    ("argmax", "along"),
    ("argsort", "along"),
    ("where", "logical_and"),
    ("uniform", "poisson"),
    ("normal", "poisson"),
    ("check_rule_at", "check_rule"),
    ("rule_findings", "check_rule"),
    ("rule_claim", "check_rule"),
    ("solve_cholesky", "solve_symmetric"),
    ("column_product", "solve_symmetric"),
    ("minimise", "minimise_by"),
    // A picture of a function has no derivative.
    ("plot", "curve"),
];
