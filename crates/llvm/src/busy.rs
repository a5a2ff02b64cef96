//! Who is inside LLVM, which has locks of its own.
//!
//! A process may be forked while other threads compile; in the child those threads don't exist, and what they had locked stays locked. So
//! whoever forks waits here until nobody is inside, and lets nobody in until it is done.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

static INSIDE: RwLock<()> = RwLock::new(());

/// A thread is inside LLVM while this is alive.
pub(crate) fn enter() -> RwLockReadGuard<'static, ()> {
    INSIDE.read().unwrap_or_else(PoisonError::into_inner)
}

/// The same, unless that would have to wait.
pub(crate) fn try_enter() -> Option<RwLockReadGuard<'static, ()>> {
    match INSIDE.try_read() {
        Ok(inside) => Some(inside),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// While this is alive nobody is inside LLVM.
pub struct Held(#[expect(dead_code)] RwLockWriteGuard<'static, ()>);

impl Held {
    /// `None` if somebody is inside now.
    pub fn try_hold() -> Option<Held> {
        match INSIDE.try_write() {
            Ok(outside) => Some(Held(outside)),
            Err(TryLockError::Poisoned(poisoned)) => Some(Held(poisoned.into_inner())),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}
