//! What can't be written as source, and where it stands.

use base::Span;

/// A construct that isn't derived.
#[derive(Clone, PartialEq, Debug)]
pub struct Refusal {
    /// In words, with an article.
    pub what: String,
    pub span: Span,
}

pub type Result<T> = std::result::Result<T, Refusal>;
