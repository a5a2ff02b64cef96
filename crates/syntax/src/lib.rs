//! Evert's text. In: a file's text. Out: a lossless [`Tree`] *and* all its errors; parsing never fails.
//!
//! [`ast`] gives one-level views of the tree's nodes; [`format()`] writes a tree back in the standard layout.
//! The way of a text: `lexer` (tokens) → `brackets` (which closes which) → `parser` (tree) → `views` (ast).
//! No I/O here.

pub mod ast;
mod brackets;
mod complete;
mod expectations;
mod format;
mod input;
mod lexer;
pub mod markdown;
mod normal;
mod parser;
pub mod sexpr;
mod tree;
mod views;

use base::FileId;

pub use complete::is_complete;
pub use format::format;
pub use input::{MAX_BYTES, decode};
pub use lexer::{Token, TokenKind};
pub use tree::{NodeId, Tree};

/// Reads a file.
pub fn parse(file: FileId, text: &str) -> Tree {
    if text.len() > MAX_BYTES { input::too_large(file, text) } else { parser::parse_file(file, text) }
}

/// Reads a single expression as the whole text; [`Tree::root_expr`] is it.
pub fn parse_expression(file: FileId, text: &str) -> Tree {
    if text.len() > MAX_BYTES { input::too_large(file, text) } else { parser::parse_single(file, text) }
}
