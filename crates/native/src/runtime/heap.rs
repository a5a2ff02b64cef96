//! The memory of a run: small objects from chunks and free lists, large ones one by one.
//!
//! Chunks are never returned during a run. At its end the next run gets the first one, and the others are spare: most of the time of a
//! short run with a tape would be the system clearing pages.

mod large;

use std::alloc::{Layout, alloc, dealloc};
use std::ptr;

use base::{Code, codes};
use eval::memory;

use self::large::{MOST_WORDS, Spare};
use super::ledger::Ledger;
use super::object::{self, ArrayView, Descriptor, HANDLE, HEADER, LENGTHS, RANK, is_object};
use super::survey::Survey;
use super::{Context, SMALL_WORDS, arrays, handle};

const FIRST_CHUNK: usize = 1 << 20;
const LARGEST_CHUNK: usize = 64 << 20;
/// Where the system has pages of this size, a long tape costs few page faults.
const HUGE_PAGE: usize = 2 << 20;

/// No array grows longer: a recursion without end ends here even if it remembers nothing.
const LONGEST: usize = if usize::BITS > 32 { 1 << (usize::BITS / 2) } else { usize::MAX };

/// The part of the memory that compiled code doesn't know.
#[derive(Debug)]
pub(super) struct Heap {
    chunks: Vec<(*mut u8, Layout)>,
    /// The first of the large objects' headers.
    large: *mut u64,
    pub(super) handles: *mut u64,
    bytes: usize,
    peak: usize,
    /// Bytes of all large objects since the last reset, also of those that were returned.
    large_bytes: usize,
    /// Bytes of large objects that are alive.
    large_alive: usize,
    /// Bytes at the ends of chunks that no object fitted in.
    lost: usize,
    /// Who made what, if somebody asks.
    pub(super) survey: Option<Survey>,
    /// What is alive, if runs are checked.
    pub(super) ledger: Option<Box<Ledger>>,
    /// The most bytes that were in use at once, in all runs.
    most: usize,
    spare: Spare,
    /// The words of the array that grew and was returned last, if it isn't too large to begin the next one with.
    last_grown: usize,
}

/// An array that grows begins in at most so much room, 64 KiB.
const MOST_WORDS_TO_BEGIN_WITH: usize = 8192;

impl Default for Heap {
    fn default() -> Heap {
        Heap {
            chunks: vec![],
            large: ptr::null_mut(),
            handles: ptr::null_mut(),
            bytes: 0,
            peak: 0,
            large_bytes: 0,
            large_alive: 0,
            lost: 0,
            survey: None,
            ledger: None,
            most: 0,
            spare: Spare::default(),
            last_grown: 0,
        }
    }
}

impl Heap {
    fn took(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.peak = self.peak.max(self.bytes);
        self.most = self.most.max(self.bytes);
    }
}

impl Context {
    /// Room for an object of so many words, counted as live; its contents are anything.
    pub fn allocate(&mut self, words: usize) -> Result<*mut u64, Code> {
        debug_assert!(words >= HEADER, "an object has a header");
        let object = if self.heap.ledger.is_some() { self.allocate_recorded(words)? } else { self.room(words)? };
        if let Some(survey) = &mut self.heap.survey {
            survey.made(object, self.site);
        }
        self.live += 1;
        Ok(object)
    }

    /// Room for so many words.
    #[inline]
    pub(super) fn room(&mut self, words: usize) -> Result<*mut u64, Code> {
        if words < SMALL_WORDS { self.small(words) } else { self.large(words) }
    }

    /// Room for a node of this descriptor with one owner; its leaf words are 0.
    ///
    /// # Safety
    /// The descriptor is that of a node (or handle) and outlives the object.
    pub unsafe fn node(&mut self, descriptor: *const Descriptor) -> Result<*mut u64, Code> {
        // SAFETY: the descriptor is one, and the object has its words.
        unsafe {
            let words = (*descriptor).words as usize;
            let node = self.allocate(HEADER + words)?;
            object::begin(node, descriptor);
            node.add(HEADER).write_bytes(0, words);
            Ok(node)
        }
    }

    /// Room for an array with one owner; its elements are anything.
    ///
    /// # Safety
    /// The descriptor is that of an array and outlives the object.
    pub unsafe fn array(&mut self, descriptor: *const Descriptor, lengths: &[u64]) -> Result<*mut u64, Code> {
        // SAFETY: the descriptor is one.
        let words = unsafe { (*descriptor).words };
        // Also an array that is empty only because one of its lengths is zero may not be too large: its transpose isn't empty.
        let size = lengths.iter().fold(words.max(1), |size, &n| size.saturating_mul(n.max(1)));
        if size >= SMALL_WORDS as u64
            && !self.has_room_for(usize::try_from(size).unwrap_or(usize::MAX).saturating_mul(8))
        {
            return Err(codes::ARRAY_TOO_LARGE);
        }
        let elements = lengths.iter().fold(words, |size, &n| size.wrapping_mul(n)) as usize;
        let array = self.allocate(LENGTHS + lengths.len() + elements)?;
        // SAFETY: the object has that many words.
        unsafe {
            object::begin(array, descriptor);
            array.add(RANK).write(lengths.len() as u64);
            array.add(LENGTHS).copy_from_nonoverlapping(lengths.as_ptr(), lengths.len());
        }
        Ok(array)
    }

    #[inline]
    fn small(&mut self, words: usize) -> Result<*mut u64, Code> {
        let first = self.free[words];
        if !first.is_null() {
            // SAFETY: what is in the list is a freed object of ours whose first word is the link.
            self.free[words] = unsafe { first.read() } as *mut u64;
            return Ok(first);
        }
        if (self.bump_end as usize - self.bump as usize) / 8 < words {
            self.new_chunk()?;
        }
        let object = self.bump;
        // SAFETY: the chunk has room for `words` from here.
        self.bump = unsafe { self.bump.add(words) };
        Ok(object)
    }

    #[cold]
    fn new_chunk(&mut self) -> Result<(), Code> {
        let size = self.heap.chunks.last().map_or(FIRST_CHUNK, |(_, last)| (last.size() * 2).min(LARGEST_CHUNK));
        if let Some((chunk, layout)) = self.heap.spare.take_chunk(size) {
            self.add_chunk(chunk, layout);
            return Ok(());
        }
        let huge = size >= HUGE_PAGE;
        let layout = Layout::from_size_align(size, if huge { HUGE_PAGE } else { 64 });
        let layout = layout.expect("a chunk's size is small");
        if !self.has_room_for(size) {
            return Err(codes::OUT_OF_MEMORY);
        }
        // SAFETY: the size isn't zero.
        let chunk = unsafe { alloc(layout) };
        if chunk.is_null() {
            return Err(codes::OUT_OF_MEMORY);
        }
        if huge {
            large_pages(chunk, size);
        }
        self.add_chunk(chunk, layout);
        Ok(())
    }

    fn add_chunk(&mut self, chunk: *mut u8, layout: Layout) {
        self.heap.chunks.push((chunk, layout));
        self.heap.took(layout.size());
        self.heap.lost += self.bump_end as usize - self.bump as usize;
        self.use_chunk(chunk, layout.size());
    }

    fn use_chunk(&mut self, chunk: *mut u8, size: usize) {
        self.bump = chunk.cast();
        // SAFETY: the end of the chunk.
        self.bump_end = unsafe { chunk.add(size) }.cast();
    }

    /// May so many bytes be taken? If not at once, then perhaps without those that are only kept.
    fn has_room_for(&mut self, bytes: usize) -> bool {
        if !memory::has_room_for(bytes) && self.heap.spare.bytes > 0 {
            self.heap.spare = Spare::default();
        }
        memory::has_room_for(bytes)
    }

    /// An array of rank 1 that is longer by one element, which is anything, with room for more; the array itself is given up.
    /// It moves only if it must: what a loop remembers grows here, step by step.
    ///
    /// # Safety
    /// `array` is an array of rank 1 that the caller owns.
    pub(super) unsafe fn grown(&mut self, array: *mut u64) -> Result<*mut u64, Code> {
        // SAFETY: by this function's contract; the new object has room for the old elements and one more.
        unsafe {
            let old = ArrayView::new(array);
            let (length, words) = (old.size(), old.descriptor().words as usize);
            let mut capacity = next_capacity(length, words);
            let mut size = LENGTHS + 1 + capacity.saturating_mul(words);
            // A loop's tape begins in the room of the last one, if that is free.
            let last = self.heap.last_grown;
            if length == 0
                && last > size
                && (last - LENGTHS - 1).checked_rem(words) == Some(0)
                && self.heap.spare.has(last)
            {
                (capacity, size) = ((last - LENGTHS - 1) / words, last);
            }
            let bytes = size.saturating_mul(8);
            if length >= LONGEST || size > MOST_WORDS || (bytes > FIRST_CHUNK && !self.has_room_for(bytes)) {
                return Err(codes::RECURSION_TOO_DEEP);
            }
            let alone = object::count(array) == 1;
            let may_grow_there = alone && self.heap.ledger.is_none();
            let moved = if may_grow_there && object::size_in_words(array) >= SMALL_WORDS && size >= SMALL_WORDS {
                self.resize_large(array, size)?
            } else {
                let longer = self.allocate(size)?;
                object::begin(longer, old.descriptor());
                longer.add(RANK).write(1);
                longer.add(LENGTHS).write(length as u64);
                let view = ArrayView::new(longer);
                if alone {
                    view.elements().copy_from_nonoverlapping(old.elements(), length * words);
                    self.give_back(array);
                } else {
                    arrays::copy_elements(old, 0, view);
                    *array -= 1;
                }
                longer
            };
            let view = ArrayView::new(moved);
            view.set_capacity(capacity);
            view.set_length(length + 1);
            Ok(moved)
        }
    }

    /// Takes an owner from what a pointer word points to, and frees what nobody owns then.
    ///
    /// # Safety
    /// `word` is null, a tag, or an object whose count the caller gives up. Called on the thread's own stack.
    pub unsafe fn release(&mut self, word: u64) {
        if !is_object(word) {
            return;
        }
        let object = word as *mut u64;
        // SAFETY: `object` is one.
        unsafe {
            *object -= 1;
            if *object == 0 {
                let dead = self.free(object);
                handle::drop_dead(self, dead.cast());
            }
        }
    }

    /// Frees an object that nobody owns, and what it alone owned. Dead handles are returned as a list linked through their
    /// first word: they are dropped where there is a stack for it.
    ///
    /// # Safety
    /// `object` is an object without owners.
    pub(super) unsafe fn free(&mut self, object: *mut u64) -> *mut u64 {
        let mut waiting = object;
        let mut dead: *mut u64 = ptr::null_mut();
        // SAFETY: the objects in the list have no owners, so their first word is ours for the link; their pointers are owned.
        unsafe {
            waiting.write(0);
            while !waiting.is_null() {
                let object = waiting;
                waiting = object.read() as *mut u64;
                let descriptor = object::descriptor(object);
                if descriptor.kind == HANDLE {
                    object.write(dead as u64);
                    dead = object;
                    continue;
                }
                release_parts(object, &mut waiting);
                self.give_back(object);
            }
        }
        dead
    }

    /// Makes the room of an object available again; its parts are cared for.
    ///
    /// # Safety
    /// `object` is an object that nobody uses any more.
    pub(super) unsafe fn give_back(&mut self, object: *mut u64) {
        // SAFETY: by this function's contract.
        unsafe {
            if self.heap.ledger.is_some() {
                return self.retire(object);
            }
            let words = object::size_in_words(object);
            if let Some(survey) = &mut self.heap.survey {
                survey.gone(object);
            }
            self.live -= 1;
            let grown = words >= SMALL_WORDS
                && object::descriptor(object).kind == object::ARRAY
                && ArrayView::new(object).has_grown();
            // Of arrays that have grown, the large ones aren't kept: the next has other sizes on its way.
            let begins_another = grown && words <= MOST_WORDS_TO_BEGIN_WITH;
            if begins_another {
                self.heap.last_grown = words;
            }
            self.give_room_back(object, words, !grown || begins_another);
        }
    }

    /// Makes room of so many words available again; what is large may be kept for the next of its size.
    ///
    /// # Safety
    /// Nobody uses it any more.
    #[inline]
    pub(super) unsafe fn give_room_back(&mut self, object: *mut u64, words: usize, keep: bool) {
        // SAFETY: by this function's contract; small objects are linked through their first word.
        unsafe {
            if words < SMALL_WORDS {
                object.write(self.free[words] as u64);
                self.free[words] = object;
            } else {
                self.return_large(object, keep);
            }
        }
    }

    /// Takes everything back, whatever is still alive.
    pub fn reset(&mut self) {
        handle::drop_all(self);
        self.kept.clear();
        self.evaluated.clear();
        self.close_ledger();
        while !self.heap.large.is_null() {
            // SAFETY: the list holds the large objects that are alive, and nothing of the run is used any more.
            unsafe { self.return_large(self.heap.large.add(large::HEADER_WORDS), true) };
        }
        for (chunk, layout) in self.heap.chunks.drain(self.heap.chunks.len().min(1)..) {
            self.heap.bytes -= layout.size();
            if !self.heap.spare.keep_chunk(chunk, layout) {
                // SAFETY: the chunk was allocated with this layout, and nothing in it is used any more.
                unsafe { dealloc(chunk, layout) };
            }
        }
        self.free = [ptr::null_mut(); SMALL_WORDS];
        if let Some(&(chunk, layout)) = self.heap.chunks.first() {
            self.use_chunk(chunk, layout.size());
        }
        self.live = 0;
        self.site = 0;
        self.place = ptr::null();
        self.heap.large_bytes = 0;
        self.heap.lost = 0;
        self.heap.peak = self.heap.bytes;
    }

    /// Gives memory that is only kept back to the system, if it is more than this.
    pub fn keep_at_most(&mut self, bytes: usize) {
        if self.heap.spare.bytes > bytes {
            self.heap.spare = Spare::default();
            self.heap.most = self.heap.bytes;
        }
    }

    /// The most bytes that were in use at once since the last reset.
    pub fn peak_bytes(&self) -> usize {
        self.heap.peak
    }

    /// Bytes that objects took since the last reset: small ones in room that was never used before, and all large ones.
    pub fn allocated_bytes(&self) -> usize {
        let chunks: usize = self.heap.chunks.iter().map(|(_, layout)| layout.size()).sum();
        chunks - (self.bump_end as usize - self.bump as usize) + self.heap.large_bytes
    }

    pub fn bytes(&self) -> usize {
        self.heap.bytes
    }

    /// Bytes of the objects that are alive, headers included: what chunks have given out less what is on the free lists, and
    /// all large objects.
    pub fn live_bytes(&self) -> usize {
        let chunks: usize = self.heap.chunks.iter().map(|(_, layout)| layout.size()).sum();
        let given = chunks - (self.bump_end as usize - self.bump as usize) - self.heap.lost;
        let mut free = 0;
        self.each_free(|_, words| free += 8 * words);
        given - free + self.heap.large_alive
    }

    /// Calls `body` with each object on the free lists and its words.
    pub(super) fn each_free(&self, mut body: impl FnMut(*mut u64, usize)) {
        for (words, &first) in self.free.iter().enumerate() {
            let mut object = first;
            while !object.is_null() {
                body(object, words);
                // SAFETY: what is in the list is a freed object of ours whose first word is the link.
                object = unsafe { object.read() } as *mut u64;
            }
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.reset();
        for (chunk, layout) in self.heap.chunks.drain(..) {
            // SAFETY: as in `reset`.
            unsafe { dealloc(chunk, layout) };
        }
    }
}

/// For how many elements of so many words there shall be room when there are `length` of them and another comes. What is large
/// grows by less: moving it costs the system little, and what isn't used is counted.
fn next_capacity(length: usize, words: usize) -> usize {
    let bytes = length.saturating_mul(words * 8);
    if bytes < FIRST_CHUNK { (2 * length).max(8) } else { length + length / 4 }
}

/// Asks for large pages; where there are none, nothing changes.
pub(crate) fn large_pages(start: *mut u8, size: usize) {
    #[cfg(all(target_os = "linux", feature = "llvm"))]
    // SAFETY: advice changes nothing that a program could see.
    unsafe {
        libc::madvise(start.cast(), size, libc::MADV_HUGEPAGE);
    }
    #[cfg(not(all(target_os = "linux", feature = "llvm")))]
    let _ = (start, size);
}

/// Takes an owner from everything the object points to; what has no owner then joins the list.
///
/// # Safety
/// `object` is a node or an array whose pointers are owned by it.
unsafe fn release_parts(object: *mut u64, waiting: &mut *mut u64) {
    // SAFETY: the offsets are those of pointers inside the leaf words; what they point to is null, a tag, or an object.
    unsafe {
        object::each_pointer(object, |word| {
            if is_object(word) {
                let part = word as *mut u64;
                *part -= 1;
                if *part == 0 {
                    part.write(*waiting as u64);
                    *waiting = part;
                }
            }
        });
    }
}
