//! How much memory a computation may take: what every stage shares.

pub use base::memory::{Counting, Meter, counted, has_room_for, limit};
