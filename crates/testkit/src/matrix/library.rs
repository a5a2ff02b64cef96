//! The public functions of the library, by file.

use super::row::Row;

mod arrays;
mod core;
mod linalg;
mod lists;
mod loops;
mod special;
mod texts;

pub fn rows() -> impl Iterator<Item = &'static Row> {
    [core::ROWS, loops::ROWS, arrays::ROWS, lists::ROWS, special::ROWS, linalg::ROWS, texts::ROWS].into_iter().flatten()
}

/// Functions of the library with a comment that are parts of others, through which they are tested.
pub const PARTS: &[(&str, &str)] = &[
    ("count_reals", "jacobian"),
    ("jacobian_columns", "jacobian"),
    ("no_columns", "jacobian"),
    ("by_leaves", "jacobian"),
    ("last_axis", "jacobian"),
    ("jacobian_rows", "jacobian"),
    ("stack", "jacobian"),
    ("check_rule_at", "check_rule"),
    ("rule_findings", "check_rule"),
    ("rule_claim", "check_rule"),
    ("solve_cholesky", "solve_symmetric"),
    ("column_product", "solve_symmetric"),
];
