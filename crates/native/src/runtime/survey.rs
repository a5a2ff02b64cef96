//! What is on the heap at one point of a run, and who made it.
//!
//! In: code that was lowered for a survey, so that it says who makes objects and has the runtime make them all, and that prints
//! [`MARK`] where somebody wants to know. Out: [`Found`]. Code that isn't surveyed pays a comparison for each object that the
//! runtime makes.

use std::collections::BTreeMap;

use eval::Value;
use rustc_hash::{FxHashMap, FxHashSet};

pub use loops::Place;

use first_order::ShapeId;

use super::object::{self, ArrayView, HANDLE, is_object};
use super::{Context, handle};
use crate::layout::Layouts;

/// What a program prints for the heap to be surveyed; it isn't shown.
pub const MARK: &str = "<the heap is surveyed here>";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Watched {
    Yes,
    No,
}

/// Of a run under way: who made the object at an address. What code frees by itself isn't taken out.
#[derive(Debug, Default)]
pub(super) struct Survey {
    makers: FxHashMap<usize, u64>,
    found: Option<Found>,
}

impl Survey {
    pub(super) fn made(&mut self, object: *mut u64, site: u64) {
        self.makers.insert(object as usize, site);
    }

    pub(super) fn gone(&mut self, object: *mut u64) {
        self.makers.remove(&(object as usize));
    }
}

/// The heap at the mark.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// By who made them: the number of a place, or `None` for the arguments.
    pub objects: BTreeMap<Option<u32>, Objects>,
    /// What the program says is its result, whoever made it, unless it is an argument.
    pub result: Objects,
    /// All of these, as the heap's own counters have it.
    pub live_bytes: usize,
}

/// Objects of one origin.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Objects {
    pub count: usize,
    /// In all, headers included.
    pub bytes: usize,
    /// Elements of those that are arrays.
    pub elements: usize,
    /// Bytes of elements that aren't there yet.
    pub room: usize,
    /// Those that hold a value of the evaluator, whose own memory isn't counted.
    pub handles: usize,
}

impl Context {
    pub(crate) fn watch(&mut self, watched: Watched) {
        self.heap.survey = (watched == Watched::Yes).then(Survey::default);
    }

    pub(crate) fn found(&self) -> Option<&Found> {
        self.heap.survey.as_ref()?.found.as_ref()
    }

    /// Is this argument of a print the mark: a text, alone or before what the program says is its result?
    ///
    /// # Safety
    /// The words are those of a live value of this shape.
    pub(super) unsafe fn is_mark(&self, layouts: &Layouts, shape: ShapeId, words: &[u64]) -> bool {
        if self.heap.survey.is_none() {
            return false;
        }
        let Some(object) = layouts.get(shape).pointers().first().map(|&at| words[at]).filter(|&word| is_object(word))
        else {
            return false;
        };
        let object = object as *mut u64;
        // SAFETY: by this function's contract.
        unsafe {
            object::descriptor(object).kind == HANDLE
                && matches!(handle::value(object), Value::Text(text) if text.as_str() == MARK)
        }
    }

    /// Surveys the heap. What can be reached from the words, those of the mark, is the result.
    ///
    /// # Safety
    /// The words are null, tags or live objects.
    pub(super) unsafe fn look(&mut self, mark: impl Iterator<Item = u64>) {
        let mut apart = FxHashSet::default();
        self.each_free(|object, _| {
            apart.insert(object as usize);
        });
        let mut mark = mark.peekable();
        // The text of the mark itself
        let text = mark.next().map_or(0, |word| word as *mut u64 as usize);
        apart.insert(text);
        let Some(survey) = &self.heap.survey else { return };
        let mut found = Found { live_bytes: self.live_bytes(), ..Found::default() };
        // SAFETY: by this function's contract.
        unsafe {
            found.live_bytes -= 8 * object::size_in_words(text as *mut u64);
            for object in reachable(mark) {
                if survey.makers.get(&(object as usize)).is_some_and(|&site| site != 0) && apart.insert(object as usize)
                {
                    found.result.add(object);
                }
            }
        }
        for (&address, &site) in survey.makers.iter().filter(|(address, _)| !apart.contains(address)) {
            let place = site.checked_sub(1).map(|place| place as u32);
            // SAFETY: what was made and isn't free is alive.
            unsafe { found.objects.entry(place).or_default().add(address as *mut u64) };
        }
        if let Some(survey) = &mut self.heap.survey {
            survey.found = Some(found);
        }
    }
}

/// All objects that can be reached from these words.
///
/// # Safety
/// The words are null, tags or live objects.
unsafe fn reachable(words: impl Iterator<Item = u64>) -> FxHashSet<*mut u64> {
    let mut waiting: Vec<u64> = words.collect();
    let mut all = FxHashSet::default();
    while let Some(word) = waiting.pop() {
        let object = word as *mut u64;
        if !is_object(word) || !all.insert(object) {
            continue;
        }
        // SAFETY: what a live object points to is null, a tag or alive.
        unsafe { object::each_pointer(object, |word| waiting.push(word)) };
    }
    all
}

impl Objects {
    /// # Safety
    /// `object` is alive.
    unsafe fn add(&mut self, object: *mut u64) {
        // SAFETY: by this function's contract.
        unsafe {
            let descriptor = object::descriptor(object);
            let bytes = 8 * object::size_in_words(object);
            self.count += 1;
            self.bytes += bytes;
            if descriptor.is_array() {
                let array = ArrayView::new(object);
                self.elements += array.size();
                self.room += bytes - 8 * (object::LENGTHS + array.rank + array.element_words());
            }
            self.handles += usize::from(descriptor.kind == HANDLE);
        }
    }
}
