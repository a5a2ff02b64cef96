//! What is known of every object in a run that is checked: which are alive and how large they are.
//!
//! Room is filled with `POISON` when it is given out and again when it is taken back, a word behind each object is `FENCE`, and what is taken
//! back waits before it is used again. So what reads behind an end, too early or too late meets words that are no pointer and no
//! descriptor, and what writes there is found out. In a run that isn't checked there is no ledger, which costs a comparison for each object
//! that the runtime makes or takes back.

use std::collections::VecDeque;
use std::ptr;

use base::Code;
use rustc_hash::FxHashMap;

use super::Context;
use super::object::{self, Descriptor, is_object};

/// A word without a value: as a pointer it isn't aligned, as a real it is NaN.
const POISON: u64 = 0xfff5_dead_dead_dead;
/// The word behind an object.
const FENCE: u64 = 0xfff5_face_face_face;
/// So many words wait before they are used again.
const MOST_WAITING: usize = 4 << 20;
/// No object has more owners.
const MOST_OWNERS: u64 = 1 << 40;

/// The descriptor of what was taken back: of no kind.
static GONE: [u64; 3] = [u64::MAX, 0, 0];

/// Are runs checked?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checked {
    Yes,
    No,
}

#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// The words of each live object, by its address.
    alive: FxHashMap<usize, usize>,
    /// Objects that were taken back, and their words.
    waiting: VecDeque<(*mut u64, usize)>,
    waiting_words: usize,
}

impl Context {
    pub(crate) fn check_memory(&mut self, checked: Checked) {
        self.heap.ledger = (checked == Checked::Yes).then(Box::default);
    }

    pub(crate) fn is_checked(&self) -> bool {
        self.heap.ledger.is_some()
    }

    /// The words of a live object, or what is wrong with it.
    pub(super) fn alive(&self, word: u64) -> Result<usize, &'static str> {
        if !is_object(word) {
            return Err("a pointer isn't to an object");
        }
        let Some(ledger) = &self.heap.ledger else { return Err("the run isn't checked") };
        let object = word as *mut u64;
        match ledger.alive.get(&(word as usize)) {
            // SAFETY: a live object has a header.
            Some(words) if (1..=MOST_OWNERS).contains(&unsafe { object::count(object) }) => Ok(*words),
            Some(_) => Err("a live object has no owner"),
            None if ledger.waiting.iter().any(|(gone, _)| *gone == object) => {
                Err("an object is used after it was freed")
            }
            None => Err("a pointer isn't to the beginning of an object"),
        }
    }

    /// Room for an object of so many words, in the ledger.
    pub(super) fn allocate_recorded(&mut self, words: usize) -> Result<*mut u64, Code> {
        let object = self.room(words + 1)?;
        // SAFETY: the room has so many words.
        unsafe {
            (0..words).for_each(|at| object.add(at).write(POISON));
            object.add(words).write(FENCE);
        }
        if let Some(ledger) = &mut self.heap.ledger {
            ledger.alive.insert(object as usize, words);
        }
        Ok(object)
    }

    /// Takes an object back; its room waits.
    ///
    /// # Safety
    /// As for [`Context::give_back`].
    pub(super) unsafe fn retire(&mut self, object: *mut u64) {
        let Some(ledger) = &mut self.heap.ledger else { return };
        let Some(words) = ledger.alive.remove(&(object as usize)) else {
            panic!("native: an object is freed that isn't alive");
        };
        // SAFETY: the object is alive until here.
        unsafe {
            assert_eq!(object::size_in_words(object), words, "native: the header of an object was overwritten");
            assert_eq!(object.add(words).read(), FENCE, "native: a word behind an object was written");
            (0..words).for_each(|at| object.add(at).write(POISON));
            object.add(1).write(ptr::from_ref(&GONE).cast::<Descriptor>() as u64);
        }
        ledger.waiting.push_back((object, words));
        ledger.waiting_words += words;
        self.live -= 1;
        while let Some((object, words)) = self.no_longer_waits() {
            // SAFETY: nobody has used it since it was freed, and its room had a fence.
            unsafe { self.give_room_back(object, words + 1, false) };
        }
    }

    fn no_longer_waits(&mut self) -> Option<(*mut u64, usize)> {
        let ledger = self.heap.ledger.as_mut().filter(|ledger| ledger.waiting_words > MOST_WAITING)?;
        let (object, words) = ledger.waiting.pop_front()?;
        ledger.waiting_words -= words;
        assert!(is_untouched(object, words), "native: an object was written after it was freed");
        Some((object, words))
    }

    /// At the end of a run: what was written where nothing may be written.
    pub(crate) fn audit(&self) -> Result<(), &'static str> {
        let Some(ledger) = &self.heap.ledger else { return Ok(()) };
        // SAFETY: live objects have a fence behind their words.
        if ledger.alive.iter().any(|(object, words)| unsafe { (*object as *const u64).add(*words).read() } != FENCE) {
            return Err("a word behind an object was written");
        }
        if !ledger.waiting.iter().all(|(object, words)| is_untouched(*object, *words)) {
            return Err("an object was written after it was freed");
        }
        Ok(())
    }

    /// The run is over.
    pub(super) fn close_ledger(&mut self) {
        if let Some(ledger) = &mut self.heap.ledger {
            **ledger = Ledger::default();
        }
    }
}

/// Has nobody written to an object that was taken back?
fn is_untouched(object: *mut u64, words: usize) -> bool {
    // SAFETY: the room of what waits is still ours.
    let word = |at: usize| unsafe { object.add(at).read() };
    word(words) == FENCE && (0..words).all(|at| at == 1 || word(at) == POISON)
}
