//! The native engine: whether there is one, and since when that is known.
//!
//! In: what the environment, or a host, says of LLVM. Out: an engine, or why there is none. It is looked for once, and only when a step needs it.

use super::{Engine, Engines};
use crate::{llvm, native};

/// The engine that compiles, once somebody needed it.
#[derive(Default)]
pub(super) enum Native {
    #[default]
    NotTried,
    Looking(native::engine::Looking),
    Found(Box<native::engine::Engine>),
    /// Why there is none.
    Missing(String),
}

/// Begins to look for a native engine, on a thread of its own.
pub fn look_for_native() -> Option<native::engine::Looking> {
    native::engine::Looking::start(llvm::SelfTest::this_program())
}

impl Engines {
    /// Why there is no native engine, if one was needed and isn't there.
    pub fn missing(&self) -> Option<&str> {
        if let Native::Missing(why) = &self.native { Some(why) } else { None }
    }

    /// Is there a native engine? Looks for one if nobody has.
    pub fn has_native(&mut self) -> bool {
        let engine = match std::mem::take(&mut self.native) {
            Native::NotTried => native::engine::Engine::new(llvm::SelfTest::this_program()),
            Native::Looking(looking) => looking.engine(),
            known => {
                self.native = known;
                return matches!(self.native, Native::Found(_));
            }
        };
        self.native = match engine {
            Ok(engine) => Native::Found(Box::new(engine)),
            Err(why) => Native::Missing(why.to_string()),
        };
        matches!(self.native, Native::Found(_))
    }

    /// Takes the search for a native engine that somebody has begun, before or while the session was made.
    pub fn expect_native(&mut self, looking: Option<native::engine::Looking>) {
        if let (Native::NotTried, Some(looking)) = (&self.native, looking) {
            self.native = Native::Looking(looking);
        }
    }

    /// Compiles with this LLVM and cache from now on: for hosts that look for one themselves, once for all sessions.
    pub fn use_llvm(&mut self, llvm: llvm::Llvm, cache: llvm::Cache) {
        self.engine = Engine::Native;
        self.native = match native::engine::Engine::with(llvm, cache) {
            Ok(engine) => Native::Found(Box::new(engine)),
            Err(why) => Native::Missing(why.to_string()),
        };
    }

    /// Has no native engine, for this reason.
    pub fn without_llvm(&mut self, why: impl Into<String>) {
        self.native = Native::Missing(why.into());
    }

    /// Lets others use the stack and the memory of the native engine until the next run.
    pub fn rest(&mut self) {
        if let Native::Found(engine) = &mut self.native {
            engine.rest();
        }
    }
}
