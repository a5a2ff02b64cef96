//! Whether a long computation is to end early. Who uses this crate may say whom to ask; decompositions ask from time to time, and give anything when the answer is
//! yes: who asked for them must look whether that happened.

use std::sync::OnceLock;

static QUESTION: OnceLock<fn() -> bool> = OnceLock::new();

/// From now on this is asked.
pub fn ask(question: fn() -> bool) {
    let _ = QUESTION.set(question);
}

/// Is nobody interested any more?
pub(crate) fn is_wanted() -> bool {
    QUESTION.get().is_some_and(|question| question())
}
