//! How code was derived: the transformations that made it, in the order in which they were applied.

/// One transformation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Mode {
    /// By J
    Reverse,
    /// By T
    Forward,
}

/// The modes after `J^by`. J⁻¹ (negative `by`) only undoes a J that was the last thing applied.
pub fn lift_modes(modes: &[Mode], by: i32) -> Option<Vec<Mode>> {
    let mut modes = modes.to_vec();
    (0..by).for_each(|_| modes.push(Mode::Reverse));
    for _ in by..0 {
        modes.pop().filter(|mode| *mode == Mode::Reverse)?;
    }
    Some(modes)
}
