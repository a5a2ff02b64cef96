//! Objects on the heap: two header words, then words as their descriptor says.
//!
//! Here are the only functions that compute addresses inside objects.

use std::mem::offset_of;
use std::slice;

use loops::memory;

pub const NODE: u64 = memory::KIND_NODE as u64;
pub const ARRAY: u64 = memory::KIND_ARRAY as u64;
pub const COLUMNS: u64 = memory::KIND_COLUMNS as u64;
pub const HANDLE: u64 = memory::KIND_HANDLE as u64;
/// A sensitivity of an array that is being collected; see `collector`.
pub const COLLECTOR: u64 = memory::KIND_COLLECTOR as u64;

/// The header: the count and the descriptor.
pub const HEADER: usize = memory::HEADER as usize;
/// The count of an object that belongs to nobody here: however often it is given up, others still see it.
pub const LENT: u64 = 1 << 62;

/// Where the pointer to the descriptor, an array's rank and its lengths stand.
const DESCRIPTOR: usize = memory::DESCRIPTOR as usize;
pub(crate) const RANK: usize = memory::RANK as usize;
pub(crate) const LENGTHS: usize = memory::LENGTHS as usize;

/// What of the word of the rank is the rank; the rest says for how many elements there is room.
const RANK_BITS: u64 = (1 << memory::ROOM_SHIFT) - 1;

// Everything here begins at the first word of an object.
const _: () = assert!(memory::COUNT == 0 && memory::DESCRIPTOR == 1 && memory::RANK == memory::HEADER);
const _: () = {
    assert!(offset_of!(Descriptor, kind) == 8 * memory::DESCRIPTOR_KIND as usize);
    assert!(offset_of!(Descriptor, words) == 8 * memory::DESCRIPTOR_WORDS as usize);
    assert!(offset_of!(Descriptor, pointers) == 8 * memory::DESCRIPTOR_POINTERS as usize);
    assert!(offset_of!(Descriptor, offsets) == 8 * memory::DESCRIPTOR_OFFSETS as usize);
};

/// `{ kind, words, pointers, offsets… }`: a constant of compiled code, or a [`OwnDescriptor`].
#[repr(C)]
#[derive(Debug)]
pub struct Descriptor {
    pub kind: u64,
    pub words: u64,
    pointers: u64,
    offsets: [u64; 0],
}

/// A descriptor that the runtime made.
#[derive(Clone, PartialEq, Debug)]
pub struct OwnDescriptor(Box<[u64]>);

impl OwnDescriptor {
    /// Which of `words` leaf words are pointers is said by `offsets`.
    pub fn new(kind: u64, words: usize, offsets: impl Iterator<Item = usize>) -> OwnDescriptor {
        let offsets: Vec<u64> = offsets.map(|at| at as u64).collect();
        OwnDescriptor([kind, words as u64, offsets.len() as u64].into_iter().chain(offsets).collect())
    }

    pub fn get(&self) -> *const Descriptor {
        self.0.as_ptr().cast()
    }
}

impl Descriptor {
    pub fn is_array(&self) -> bool {
        matches!(self.kind, ARRAY | COLUMNS)
    }

    /// The places of pointers among the leaf words.
    pub fn offsets(&self) -> &[u64] {
        // SAFETY: that many words follow, by the layout of descriptors.
        unsafe { slice::from_raw_parts(self.offsets.as_ptr(), self.pointers as usize) }
    }
}

/// Is a leaf word of kind pointer an object, and not null or a tag?
pub fn is_object(word: u64) -> bool {
    word > u64::from(memory::LAST_TAG)
}

/// # Safety
/// `object` is an object.
pub unsafe fn descriptor<'a>(object: *const u64) -> &'a Descriptor {
    // SAFETY: the second word of an object points to its descriptor, which outlives the run.
    unsafe { &*(object.add(DESCRIPTOR).read() as *const Descriptor) }
}

/// Writes the header of an object with one owner.
///
/// # Safety
/// `object` has room for a header.
pub unsafe fn begin(object: *mut u64, descriptor: *const Descriptor) {
    // SAFETY: by this function's contract.
    unsafe {
        object.write(1);
        object.add(DESCRIPTOR).write(descriptor as u64);
    }
}

/// # Safety
/// `object` is an object.
pub unsafe fn count(object: *const u64) -> u64 {
    // SAFETY: the first word of an object is its count.
    unsafe { object.read() }
}

/// Adds an owner to what a pointer word points to.
///
/// # Safety
/// `word` is null, a tag, or an object.
pub unsafe fn retain(word: u64) {
    if is_object(word) {
        let object = word as *mut u64;
        // SAFETY: the first word of an object is its count.
        unsafe { *object += 1 };
    }
}

/// An array, looked at.
#[derive(Clone, Copy)]
pub struct ArrayView {
    pub(crate) object: *mut u64,
    pub(crate) rank: usize,
    /// How many elements there is room for, if the array was made to grow; else 0.
    capacity: usize,
}

impl ArrayView {
    /// # Safety
    /// `object` is an array that stays alive while the view is used.
    pub unsafe fn new(object: *mut u64) -> ArrayView {
        // SAFETY: an array is an object.
        debug_assert!(unsafe { descriptor(object) }.is_array(), "native: this is no array");
        // SAFETY: the word after an array's header is its rank and capacity.
        let word = unsafe { object.add(RANK).read() };
        ArrayView { object, rank: (word & RANK_BITS) as usize, capacity: (word >> memory::ROOM_SHIFT) as usize }
    }

    /// Was it made to grow?
    pub fn has_grown(self) -> bool {
        self.capacity > 0
    }

    /// From now on there is room for so many elements.
    ///
    /// # Safety
    /// The object is that large.
    pub unsafe fn set_capacity(self, capacity: usize) {
        // SAFETY: as in `new`.
        unsafe { self.object.add(RANK).write(self.rank as u64 | (capacity as u64) << memory::ROOM_SHIFT) };
    }

    /// Changes the length of the first axis.
    ///
    /// # Safety
    /// There is room, and what is new will be written before it is read.
    pub unsafe fn set_length(self, length: usize) {
        // SAFETY: the lengths stand behind the rank.
        unsafe { self.object.add(LENGTHS).write(length as u64) };
    }

    /// The length of each axis.
    pub fn lengths<'a>(self) -> &'a [u64] {
        // SAFETY: as many words as the rank says follow it; `new`'s contract.
        unsafe { slice::from_raw_parts(self.object.add(LENGTHS), self.rank) }
    }

    /// The number of elements.
    pub fn size(self) -> usize {
        self.lengths().iter().product::<u64>() as usize
    }

    /// The first word of the elements.
    pub fn elements(self) -> *mut u64 {
        // SAFETY: elements begin after the lengths, inside the object or at its end.
        unsafe { self.object.add(LENGTHS + self.rank) }
    }

    pub fn descriptor<'a>(self) -> &'a Descriptor {
        // SAFETY: an array is an object.
        unsafe { descriptor(self.object) }
    }

    /// Where a word of an element is.
    ///
    /// # Safety
    /// The array has this element and its elements this word, or it is the place behind the last one.
    pub unsafe fn place(self, element: usize, word: usize) -> *mut u64 {
        let descriptor = self.descriptor();
        let at = match descriptor.kind {
            COLUMNS => word * self.size() + element,
            _ => element * descriptor.words as usize + word,
        };
        // SAFETY: by this function's contract the place is inside the array or at its end.
        unsafe { self.elements().add(at) }
    }

    /// The words of an element.
    pub fn element(self, at: usize) -> impl Iterator<Item = u64> {
        assert!(at < self.size(), "native: the array has no such element");
        // SAFETY: the array has the element, all elements are initialised words, and `new`'s contract keeps them alive.
        (0..self.descriptor().words as usize).map(move |word| unsafe { self.place(at, word).read() })
    }

    /// # Safety
    /// The element is in the array, nobody else sees it, and the words are its.
    pub unsafe fn set_element(self, at: usize, words: &[u64]) {
        for (word, value) in words.iter().enumerate() {
            // SAFETY: by this function's contract.
            unsafe { self.place(at, word).write(*value) };
        }
    }

    /// Copies the words of `count` elements to an array of the same descriptor, without counting them.
    ///
    /// # Safety
    /// Both arrays have these elements, and nobody else sees `to`.
    pub unsafe fn copy_elements(self, from: usize, to: ArrayView, at: usize, count: usize) {
        let words = self.descriptor().words as usize;
        let (pieces, length) = if self.descriptor().kind == COLUMNS { (words, count) } else { (1, count * words) };
        for piece in 0..pieces.min(words) {
            // SAFETY: by this function's contract.
            unsafe { to.place(at, piece).copy_from(self.place(from, piece), length) };
        }
    }

    /// The pointer words of `count` elements.
    pub fn pointers<'a>(self, from: usize, count: usize) -> impl Iterator<Item = u64> + 'a {
        assert!(from + count <= self.size(), "native: the array has no such elements");
        // SAFETY: the array has the elements, and the descriptor their words; all are initialised and alive, as for `element`.
        let read = move |at, word: u64| unsafe { self.place(at, word as usize).read() };
        let all = move |&word: &u64| (from..from + count).map(move |at| read(at, word));
        self.descriptor().offsets().iter().flat_map(all)
    }

    /// Words of all elements together.
    pub fn element_words(self) -> usize {
        self.size() * self.descriptor().words as usize
    }

    /// Words that there is room for.
    fn room_words(self) -> usize {
        self.size().max(self.capacity) * self.descriptor().words as usize
    }

    /// All elements' words, as they lie.
    pub fn words<'a>(self) -> &'a [u64] {
        // SAFETY: the elements of the array are initialised words; `new`'s contract keeps them alive.
        unsafe { slice::from_raw_parts(self.elements(), self.element_words()) }
    }
}

/// Calls `body` with each pointer word of an object.
///
/// # Safety
/// `object` is an object whose words are initialised.
pub unsafe fn each_pointer(object: *mut u64, mut body: impl FnMut(u64)) {
    // SAFETY: by this function's contract; the offsets are those of pointers inside the leaf words.
    unsafe {
        let descriptor = descriptor(object);
        if descriptor.offsets().is_empty() {
        } else if descriptor.is_array() {
            let array = ArrayView::new(object);
            array.pointers(0, array.size()).for_each(body);
        } else {
            descriptor.offsets().iter().for_each(|&at| body(object.add(HEADER + at as usize).read()));
        }
    }
}

/// The words of the object in all.
///
/// # Safety
/// `object` is an object whose header (for an array: and lengths) is written.
pub unsafe fn size_in_words(object: *mut u64) -> usize {
    // SAFETY: by this function's contract.
    unsafe {
        let descriptor = descriptor(object);
        if descriptor.is_array() {
            let array = ArrayView::new(object);
            LENGTHS + array.rank + array.room_words()
        } else {
            HEADER + descriptor.words as usize
        }
    }
}
