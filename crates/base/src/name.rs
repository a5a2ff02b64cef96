//! Interned names: equality is one comparison, the text lives as long as the process.
//!
//! Reading a name takes no lock; making one takes a lock for as long as it takes to look it up. A process may be forked while another thread
//! has that lock: [`Name::forked`] makes the child a table of its own then.

use std::cmp::Ordering;
use std::fmt;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering::Acquire, Ordering::Release};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};

use rustc_hash::FxHashMap;

/// An identifier of the source, a field label or a constructor.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Name(u32);

/// The numbers of texts.
type Ids = Mutex<FxHashMap<&'static str, u32>>;

/// Never freed: a thread that doesn't exist in a forked process may hold the lock.
static IDS: AtomicPtr<Ids> = AtomicPtr::new(std::ptr::null_mut());

/// The texts of names by their numbers: block k has room for 2^(k + `FIRST`) of them, and only grows.
static TEXTS: [OnceLock<Box<[OnceLock<&'static str>]>>; BLOCKS] = [const { OnceLock::new() }; BLOCKS];
static COUNT: AtomicU32 = AtomicU32::new(0);

const FIRST: u32 = 10;
const BLOCKS: usize = 32 - FIRST as usize;

impl Name {
    pub fn new(text: &str) -> Name {
        let mut ids = lock();
        if let Some(&id) = ids.get(text) {
            return Name(id);
        }
        let text: &'static str = Box::leak(text.into());
        let id = COUNT.load(Acquire);
        assert!(id < u32::MAX - (1 << FIRST), "fewer than 2^32 names");
        let _ = cell(id).set(text);
        COUNT.store(id + 1, Release);
        ids.insert(text, id);
        Name(id)
    }

    pub fn as_str(self) -> &'static str {
        cell(self.0).get().expect("name: it was made by `new`")
    }

    /// A number that is the same for the same name within one process: for cheap ordering inside one run.
    pub fn id(self) -> u32 {
        self.0
    }

    /// To be called in a child after a fork, by its only thread: the lock may belong to a thread of the parent.
    pub fn forked() {
        let Err(TryLockError::WouldBlock) = ids().try_lock() else { return };
        // That thread may have been about to add a name, and have written its text.
        let mut count = COUNT.load(Acquire);
        count += u32::from(cell(count).get().is_some());
        COUNT.store(count, Release);
        let table = (0..count).map(|id| (Name(id).as_str(), id)).collect();
        IDS.store(Box::into_raw(Box::new(Mutex::new(table))), Release);
    }
}

/// Where the text of a number stands.
fn cell(id: u32) -> &'static OnceLock<&'static str> {
    let place = id + (1 << FIRST);
    let block = place.ilog2() - FIRST;
    let room = 1_usize << (block + FIRST);
    let block = TEXTS[block as usize].get_or_init(|| (0..room).map(|_| OnceLock::new()).collect());
    &block[place as usize - room]
}

fn ids() -> &'static Ids {
    let mut ids = IDS.load(Acquire);
    if ids.is_null() {
        let new = Box::into_raw(Box::default());
        match IDS.compare_exchange(ids, new, std::sync::atomic::Ordering::AcqRel, Acquire) {
            Ok(_) => ids = new,
            Err(other) => {
                // SAFETY: nobody else has seen it.
                drop(unsafe { Box::from_raw(new) });
                ids = other;
            }
        }
    }
    // SAFETY: what is there was made from a box and is never freed.
    unsafe { &*ids }
}

fn lock() -> MutexGuard<'static, FxHashMap<&'static str, u32>> {
    ids().lock().unwrap_or_else(PoisonError::into_inner)
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
