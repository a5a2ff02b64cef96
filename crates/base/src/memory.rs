//! How much memory a computation may take.
//!
//! Before every large piece of memory that [`Counting`] gives there are some words for whoever uses it ([`front_room`]): compiled code reads large arrays of the
//! evaluator where they are.
//!
//! Nothing here measures it by itself: a program that wants to be limited has [`Counting`] as its allocator, or says otherwise how much is in use
//! ([`Meter`]). The evaluator, compiled code and the compiler all stay within the limit of their thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How much is in use, and how much may be.
#[derive(Clone, Copy)]
pub struct Meter {
    pub used: fn() -> usize,
    pub limit: usize,
}

thread_local!(static METER: Cell<Option<Meter>> = const { Cell::new(None) });

/// From now on computations on this thread stay within the meter's limit.
pub fn limit(meter: Meter) {
    METER.with(|cell| cell.set(Some(meter)));
}

/// The meter of this thread.
pub fn meter() -> Option<Meter> {
    METER.with(Cell::get)
}

/// From now on this thread stays within the limit of another one, whose meter this is.
pub fn limit_as(meter: Option<Meter>) {
    METER.with(|cell| cell.set(meter));
}

/// How much is in use, as far as the thread's meter knows.
pub fn used() -> usize {
    METER.with(Cell::get).map_or_else(counted, |meter| (meter.used)())
}

/// May so many bytes be taken at once? Where nobody set a limit, only what no machine has is refused.
pub fn has_room_for(bytes: usize) -> bool {
    const AT_MOST: usize = if usize::BITS > 34 { 1 << 34 } else { 1 << 30 };
    match METER.with(Cell::get) {
        Some(meter) => (meter.used)().saturating_add(bytes) <= meter.limit,
        None => bytes <= AT_MOST,
    }
}

/// The system's allocator, counting.
pub struct Counting;

static USED: AtomicUsize = AtomicUsize::new(0);

/// How much is in use in this process, if its allocator is [`Counting`]; 0 otherwise.
pub fn counted() -> usize {
    USED.load(Ordering::Relaxed)
}

/// Pieces of at least so many bytes have room in front of them.
const LARGE: usize = 1 << 16;
/// The bytes in front of a large piece: those of a line of the cache, so that alignments up to that are kept.
const FRONT: usize = 64;

/// Has [`Counting`] given any large piece? Then it is the allocator of this program, and all of them are its.
static IS_OURS: AtomicBool = AtomicBool::new(false);

fn has_front(size: usize, align: usize) -> bool {
    size >= LARGE && align <= FRONT
}

/// How many words in front of a vector's elements are free for whoever uses it; the allocator never looks at them.
pub fn front_room<T>(elements: &Vec<T>) -> usize {
    let has = IS_OURS.load(Ordering::Relaxed) && has_front(elements.capacity() * size_of::<T>(), align_of::<T>());
    if has { FRONT / size_of::<u64>() } else { 0 }
}

/// The layout of a large piece with its front.
fn with_front(layout: Layout) -> Option<Layout> {
    Layout::from_size_align(layout.size().checked_add(FRONT)?, layout.align()).ok()
}

/// The piece behind its front.
///
/// # Safety
/// The pointer is null, or to a piece with a front.
unsafe fn behind_front(whole: *mut u8) -> *mut u8 {
    if whole.is_null() {
        return whole;
    }
    IS_OURS.store(true, Ordering::Relaxed);
    // SAFETY: by this function's contract.
    unsafe { whole.add(FRONT) }
}

// SAFETY: every call is handed on to the system's allocator; a large piece begins a multiple of its alignment behind what that gives.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        USED.fetch_add(layout.size(), Ordering::Relaxed);
        if !has_front(layout.size(), layout.align()) {
            // SAFETY: by the contract of this function.
            return unsafe { System.alloc(layout) };
        }
        // SAFETY: `whole` isn't empty, and has room for the front.
        with_front(layout).map_or(ptr::null_mut(), |whole| unsafe { behind_front(System.alloc(whole)) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        USED.fetch_add(layout.size(), Ordering::Relaxed);
        if !has_front(layout.size(), layout.align()) {
            // SAFETY: by the contract of this function.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // SAFETY: as in `alloc`.
        with_front(layout).map_or(ptr::null_mut(), |whole| unsafe { behind_front(System.alloc_zeroed(whole)) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        match with_front(layout) {
            // SAFETY: a piece of this layout was given out behind its front.
            Some(whole) if has_front(layout.size(), layout.align()) => unsafe {
                System.dealloc(pointer.sub(FRONT), whole)
            },
            // SAFETY: it is the system's own.
            _ => unsafe { System.dealloc(pointer, layout) },
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let (had, has) = (has_front(layout.size(), layout.align()), has_front(size, layout.align()));
        match (had, has, with_front(layout)) {
            (false, false, _) => {
                USED.fetch_add(size, Ordering::Relaxed);
                USED.fetch_sub(layout.size(), Ordering::Relaxed);
                // SAFETY: the piece is the system's own, before and after.
                unsafe { System.realloc(pointer, layout, size) }
            }
            (true, true, Some(whole)) if size <= usize::MAX - FRONT => {
                USED.fetch_add(size, Ordering::Relaxed);
                USED.fetch_sub(layout.size(), Ordering::Relaxed);
                // SAFETY: the piece has a front, before and after.
                unsafe { behind_front(System.realloc(pointer.sub(FRONT), whole, size + FRONT)) }
            }
            _ => {
                let Ok(wanted) = Layout::from_size_align(size, layout.align()) else { return ptr::null_mut() };
                // SAFETY: the new piece is as large as what is copied, and the old one is given up after it.
                unsafe {
                    let new = self.alloc(wanted);
                    if !new.is_null() {
                        ptr::copy_nonoverlapping(pointer, new, size.min(layout.size()));
                        self.dealloc(pointer, layout);
                    }
                    new
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_pieces_have_a_front_and_keep_their_bytes() {
        let layout = |size| Layout::from_size_align(size, 8).expect("a layout");
        let sizes = [100, LARGE - 1, LARGE, 3 * LARGE, 1 << 22, LARGE, 50];
        // SAFETY: the piece is as large as it is asked for, and given back with the layout that it has.
        unsafe {
            let mut piece = Counting.alloc(layout(sizes[0]));
            for byte in 0..50 {
                *piece.add(byte) = byte as u8;
            }
            for pair in sizes.windows(2) {
                piece = Counting.realloc(piece, layout(pair[0]), pair[1]);
                assert_eq!(piece as usize % 16, 0);
                if has_front(pair[1], 8) {
                    piece.sub(FRONT).cast::<u64>().write(u64::MAX);
                }
                *piece.add(pair[1] - 1) = 7;
                assert!((0..49).all(|byte| *piece.add(byte) == byte as u8));
            }
            Counting.dealloc(piece, layout(50));
            let zeroed = Counting.alloc_zeroed(layout(LARGE));
            assert!((0..LARGE).all(|byte| *zeroed.add(byte) == 0));
            Counting.dealloc(zeroed, layout(LARGE));
        }
    }
}
