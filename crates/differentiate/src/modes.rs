//! How code was derived: the transformations that made it, in the order in which they were applied.

/// One transformation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Mode {
    /// By J
    Reverse,
    /// By T
    Forward,
}
