//! Interned names: equality is one comparison, the text lives as long as the process.

use std::cmp::Ordering;
use std::fmt;
use std::sync::{LazyLock, RwLock};

use rustc_hash::FxHashMap;

/// An identifier of the source, a field label or a constructor.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Name(u32);

#[derive(Default)]
struct Interner {
    ids: FxHashMap<&'static str, u32>,
    texts: Vec<&'static str>,
}

static INTERNER: LazyLock<RwLock<Interner>> = LazyLock::new(Default::default);

impl Name {
    pub fn new(text: &str) -> Name {
        if let Some(&id) = read().ids.get(text) {
            return Name(id);
        }
        let mut interner = INTERNER.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(&id) = interner.ids.get(text) {
            return Name(id);
        }
        let id = u32::try_from(interner.texts.len()).expect("fewer than 2^32 names");
        let text: &'static str = Box::leak(text.into());
        interner.texts.push(text);
        interner.ids.insert(text, id);
        Name(id)
    }

    pub fn as_str(self) -> &'static str {
        read().texts[self.0 as usize]
    }

    /// A number that is the same for the same name within one process: for cheap ordering inside one run.
    pub fn id(self) -> u32 {
        self.0
    }
}

fn read() -> std::sync::RwLockReadGuard<'static, Interner> {
    INTERNER.read().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Name) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Alphabetical, so that sorted names don't depend on the order of interning.
impl Ord for Name {
    fn cmp(&self, other: &Name) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name::new(text)
    }
}
