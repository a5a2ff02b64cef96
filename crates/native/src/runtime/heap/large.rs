//! Large objects: one by one from the system, and kept for the next of their size when they are returned.
//!
//! All that are alive stand in a list, so that a run that was left can be cleared. With what is kept, hardly more memory is taken from the
//! system than was in use at once.

use std::alloc::{Layout, alloc, dealloc, realloc};

use base::{Code, codes};
use eval::memory;
use rustc_hash::FxHashMap;

use super::super::object::{self, ArrayView, Descriptor, HEADER};
use super::super::{Context, SMALL_WORDS};
use super::{Heap, LARGEST_CHUNK};

/// Words before a large object: previous, next, the words that there is room for, the words of the object.
pub(super) const HEADER_WORDS: usize = 4;
/// No object is larger; protects products of lengths.
pub(super) const MOST_WORDS: usize = if usize::BITS > 32 { usize::MAX >> 20 } else { usize::MAX >> 4 };

/// So many bytes of large objects are kept beyond what was in use at once: sizes differ, and memory that goes back to the system costs a
/// page fault for each page when it is taken again.
const KEPT: usize = 2 << 20;

/// An object of so many words may stand in room for an eighth more: what isn't used costs less than clearing pages.
const FITS_LOOSELY: usize = 8192;

/// All blocks are looked at only if they are of so few sizes.
const FEW_SIZES: usize = 64;

/// Large objects that were returned, for the next of the same size: arrays come and go in loops.
#[derive(Debug, Default)]
pub(super) struct Spare {
    /// Their headers, by the words that there is room for.
    blocks: FxHashMap<usize, Vec<*mut u64>>,
    /// Chunks of earlier runs.
    chunks: Vec<(*mut u8, Layout)>,
    pub bytes: usize,
}

impl Spare {
    /// More than this isn't kept of chunks.
    const MOST_CHUNKS: usize = LARGEST_CHUNK;

    /// A block for so many words.
    fn take(&mut self, words: usize) -> Option<*mut u64> {
        let exact = self.blocks.get_mut(&words).and_then(Vec::pop);
        let (room, header) = match exact {
            Some(header) => (words, header),
            None => self.take_looser(words)?,
        };
        self.bytes -= room * 8;
        Some(header)
    }

    /// The smallest block that is hardly larger, and its words.
    #[cold]
    fn take_looser(&mut self, words: usize) -> Option<(usize, *mut u64)> {
        if words < FITS_LOOSELY || self.blocks.len() > FEW_SIZES {
            return None;
        }
        let fits = |room: usize| words < room && room <= words + words / 8;
        let fitting = self.blocks.iter_mut().filter(|(room, headers)| fits(**room) && !headers.is_empty());
        let (&room, headers) = fitting.min_by_key(|(room, _)| **room)?;
        Some((room, headers.pop()?))
    }

    /// Gives so many bytes back to the system: as few blocks as that takes, or all that is kept.
    fn give_up(&mut self, bytes: usize) {
        let goal = self.bytes.saturating_sub(bytes);
        while self.bytes > goal {
            let missing = (self.bytes - goal).div_ceil(8);
            self.blocks.retain(|_, headers| !headers.is_empty());
            // The one that suffices, or the largest.
            let sizes = self.blocks.keys().copied().filter(|_| self.blocks.len() <= FEW_SIZES);
            let Some(room) = sizes.min_by_key(|&room| (room < missing, room.abs_diff(missing))) else {
                *self = Spare::default();
                return;
            };
            let header = self.blocks.get_mut(&room).and_then(Vec::pop).expect("what is empty was taken out");
            self.bytes -= room * 8;
            // SAFETY: it was allocated with this layout, and nobody uses it.
            unsafe { dealloc(header.cast(), large_layout(room)) };
        }
    }

    /// A chunk of so many bytes.
    pub(super) fn take_chunk(&mut self, size: usize) -> Option<(*mut u8, Layout)> {
        let at = self.chunks.iter().position(|(_, layout)| layout.size() == size)?;
        self.bytes -= size;
        Some(self.chunks.swap_remove(at))
    }

    /// Is the chunk kept? Those of one run are, up to a limit, if memory isn't short.
    pub(super) fn keep_chunk(&mut self, chunk: *mut u8, layout: Layout) -> bool {
        let chunks: usize = self.chunks.iter().map(|(_, layout)| layout.size()).sum();
        let fits = chunks + layout.size() <= Self::MOST_CHUNKS && memory::has_room_for(4 * Self::MOST_CHUNKS);
        if fits {
            self.chunks.push((chunk, layout));
            self.bytes += layout.size();
        }
        fits
    }

    pub(super) fn has(&self, words: usize) -> bool {
        self.blocks.get(&words).is_some_and(|blocks| !blocks.is_empty())
    }

    fn keep(&mut self, header: *mut u64, room: usize) {
        self.blocks.entry(room).or_default().push(header);
        self.bytes += room * 8;
    }
}

impl Drop for Spare {
    fn drop(&mut self) {
        for (room, headers) in std::mem::take(&mut self.blocks) {
            // SAFETY: each was allocated with this layout, and nobody uses it.
            headers.into_iter().for_each(|header| unsafe { dealloc(header.cast(), large_layout(room)) });
        }
        for (chunk, layout) in self.chunks.drain(..) {
            // SAFETY: as above.
            unsafe { dealloc(chunk, layout) };
        }
        self.bytes = 0;
    }
}

impl Heap {
    /// Before the system is asked for more: with what is kept, hardly more memory is taken than was in use at once.
    fn make_room_for(&mut self, bytes: usize) {
        let wanted = self.bytes + self.spare.bytes + bytes;
        self.spare.give_up(wanted.saturating_sub(self.most + KEPT));
    }
}

impl Context {
    pub(super) fn large(&mut self, words: usize) -> Result<*mut u64, Code> {
        let header = match self.heap.spare.take(words) {
            Some(header) => header,
            None => self.new_large(words)?,
        };
        self.heap.large_bytes += words * 8;
        self.heap.large_alive += words * 8;
        // SAFETY: the header has its words; the first of the list is another large object's header.
        unsafe {
            self.heap.took(header.add(2).read() as usize * 8);
            header.write(0);
            header.add(1).write(self.heap.large as u64);
            header.add(3).write(words as u64);
            if !self.heap.large.is_null() {
                self.heap.large.write(header as u64);
            }
            self.heap.large = header;
            Ok(header.add(HEADER_WORDS))
        }
    }

    fn new_large(&mut self, words: usize) -> Result<*mut u64, Code> {
        if words > MOST_WORDS || !self.has_room_for(words * 8) {
            return Err(codes::ARRAY_TOO_LARGE);
        }
        self.heap.make_room_for(words * 8);
        // SAFETY: the size isn't zero, and the header has room for its words.
        unsafe {
            let header: *mut u64 = alloc(large_layout(words)).cast();
            if header.is_null() {
                return Err(codes::ARRAY_TOO_LARGE);
            }
            header.add(2).write(words as u64);
            Ok(header)
        }
    }

    /// # Safety
    /// `object` is a large object that nobody uses any more.
    pub(super) unsafe fn return_large(&mut self, object: *mut u64, keep: bool) {
        // SAFETY: the header stands before the object; its neighbours in the list are alive.
        unsafe {
            let header = object.sub(HEADER_WORDS);
            let (previous, next) = (header.read() as *mut u64, header.add(1).read() as *mut u64);
            let (room, words) = (header.add(2).read() as usize, header.add(3).read() as usize);
            if previous.is_null() {
                self.heap.large = next;
            } else {
                previous.add(1).write(next as u64);
            }
            if !next.is_null() {
                next.write(previous as u64);
            }
            self.heap.bytes -= room * 8;
            self.heap.large_alive -= words * 8;
            // With what is kept, hardly more memory is taken than was in use at once.
            if keep && self.heap.bytes + self.heap.spare.bytes + room * 8 <= self.heap.most + KEPT {
                self.heap.spare.keep(header, room);
            } else {
                dealloc(header.cast(), large_layout(room));
            }
        }
    }

    /// # Safety
    /// `object` is a large object with one owner; it may move.
    pub(super) unsafe fn resize_large(&mut self, object: *mut u64, words: usize) -> Result<*mut u64, Code> {
        // SAFETY: the header stands before the object; its neighbours in the list are alive.
        unsafe {
            let mut header = object.sub(HEADER_WORDS);
            let (room, old_words) = (header.add(2).read() as usize, header.add(3).read() as usize);
            self.heap.large_alive = self.heap.large_alive - old_words * 8 + words * 8;
            header.add(3).write(words as u64);
            if words <= room {
                return Ok(object);
            }
            let (previous, next) = (header.read() as *mut u64, header.add(1).read() as *mut u64);
            self.heap.make_room_for((words - room) * 8);
            header = realloc(header.cast(), large_layout(room), large_layout(words).size()).cast();
            if header.is_null() {
                return Err(codes::RECURSION_TOO_DEEP);
            }
            header.add(2).write(words as u64);
            if previous.is_null() {
                self.heap.large = header;
            } else {
                previous.add(1).write(header as u64);
            }
            if !next.is_null() {
                next.write(header as u64);
            }
            self.heap.bytes -= room * 8;
            self.heap.took(words * 8);
            let moved = header.add(HEADER_WORDS);
            if let Some(survey) = &mut self.heap.survey {
                survey.gone(object);
                survey.made(moved, self.site);
            }
            Ok(moved)
        }
    }

    /// The same room as an array of other lengths, with as many elements or more, of which the first ones are those of `array`: only if
    /// it is large, its only owner is the caller, and there is memory.
    ///
    /// # Safety
    /// `array` is an array that the caller owns; the descriptor is that of an array with elements of as many words, and outlives the object.
    pub(in crate::runtime) unsafe fn remade(
        &mut self,
        array: ArrayView,
        descriptor: *const Descriptor,
        lengths: &[u64],
    ) -> Option<*mut u64> {
        // SAFETY: by this function's contract; the elements are moved inside room that is large enough for them.
        unsafe {
            let (elements, words) = (array.element_words(), (*descriptor).words);
            let wanted = lengths.iter().try_fold(words, |size, &n| size.checked_mul(n))? as usize;
            let size = HEADER + 1 + lengths.len() + wanted;
            let may_be_moved = object::count(array.object) == 1 && self.heap.ledger.is_none() && !array.has_grown();
            let is_large = object::size_in_words(array.object).min(size) >= SMALL_WORDS && size <= MOST_WORDS;
            let fits = wanted == elements || (wanted > elements && self.has_room_for(wanted * 8));
            if !may_be_moved || !is_large || !fits {
                return None;
            }
            let (from, to) = (HEADER + 1 + array.rank, HEADER + 1 + lengths.len());
            let object = self.resize_large(array.object, size).ok()?;
            object.add(to).copy_from(object.add(from), elements);
            object::begin(object, descriptor);
            object.add(HEADER).write(lengths.len() as u64);
            object.add(HEADER + 1).copy_from_nonoverlapping(lengths.as_ptr(), lengths.len());
            Some(object)
        }
    }
}

fn large_layout(words: usize) -> Layout {
    Layout::from_size_align((words + HEADER_WORDS) * 8, 16).expect("large objects are limited")
}
