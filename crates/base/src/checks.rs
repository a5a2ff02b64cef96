//! Is the compiler being tested?
//!
//! Then the checker of each level runs after whatever makes a program of that level, and a panic of the compiler is an error. Otherwise both would
//! only cost time: the reference evaluator runs what the compiler can't, and that is said.

use std::sync::OnceLock;

/// In debug builds, and where the environment has `EVERT_CHECK=1`.
pub fn are_on() -> bool {
    static ASKED_FOR: OnceLock<bool> = OnceLock::new();
    let asked_for = || std::env::var_os("EVERT_CHECK").is_some_and(|value| value == "1");
    cfg!(debug_assertions) || *ASKED_FOR.get_or_init(asked_for)
}
