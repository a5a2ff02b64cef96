//! The border between the evaluator's values and leaf words.
//!
//! In: a shape and a value, or a shape and leaf words. Out: the other. Writing refuses what doesn't fit the shape; reading can't
//! fail. Both take data of any depth: a shape's recursion goes through named shapes, and those are worked off from a list.

mod read;
mod write;

use first_order::{Codes, Shapes};

use crate::layout::Layouts;

pub use read::{Take, read};
pub use write::{Unwritten, write, write_argument, write_words};

/// What a program says about its values.
#[derive(Clone, Copy)]
pub struct Border<'a> {
    pub shapes: &'a Shapes,
    pub layouts: &'a Layouts,
    pub codes: &'a dyn Codes,
}

/// Calls `body` with so many words that are 0, on the stack if they are few.
fn with_words<T>(words: usize, body: impl FnOnce(&mut [u64]) -> T) -> T {
    const FEW: usize = 16;
    if words <= FEW { body(&mut [0; FEW][..words]) } else { body(&mut vec![0; words]) }
}
