//! What the code of a checked build asks of the runtime before it touches memory, and what the runtime verifies then where it is called.
//!
//! What doesn't hold is a mistake of ours: it ends the run like a panic, and `Context::place` says where.

use std::ffi::{CStr, c_char};

use base::Span;
use first_order::{Head, ShapeId};

use super::object::{self, ARRAY, ArrayView, COLLECTOR, Descriptor, HANDLE, NODE, is_object};
use super::symbols::span;
use super::{Context, Failure, leave};
use crate::values::Border;

/// Where code is: a constant of a checked build.
#[repr(C)]
#[derive(Debug)]
pub struct Place {
    file: u64,
    start: u64,
    end: u64,
    /// The operation and the function, up to a 0.
    text: [c_char; 0],
}

type Verdict = Result<(), &'static str>;

impl Context {
    /// Where the code of a checked build was last: operation and function, and the place in the source.
    pub(crate) fn place(&self) -> Option<(String, Span)> {
        // SAFETY: compiled code writes the address of a constant here, and is still loaded.
        unsafe {
            let place = self.place.as_ref()?;
            let text = CStr::from_ptr(place.text.as_ptr()).to_string_lossy().into_owned();
            Some((text, span(place.file, place.start, place.end)))
        }
    }

    fn check_array(&self, array: *mut u64, kind: u64, rank: u64, words: u64) -> Verdict {
        let room = self.alive(array as u64)?;
        // SAFETY: the object is alive.
        unsafe {
            if !object::descriptor(array).is_array() {
                return Err("an object isn't an array");
            }
            if object::descriptor(array).kind != kind {
                return Err("the words of an array's elements lie in another order");
            }
            let view = ArrayView::new(array);
            if view.rank as u64 != rank {
                return Err("an array has another rank");
            }
            if view.descriptor().words != words {
                return Err("the elements of an array have another number of words");
            }
            if object::size_in_words(array) != room {
                return Err("an array has no room for its elements");
            }
        }
        Ok(())
    }

    fn check_node(&self, node: *mut u64, descriptor: &Descriptor) -> Verdict {
        let room = self.alive(node as u64)?;
        // SAFETY: the object is alive.
        let found = unsafe { object::descriptor(node) };
        let same = found.kind == NODE && found.words == descriptor.words && found.offsets() == descriptor.offsets();
        match () {
            () if !same => Err("an object isn't a node of this kind"),
            () if object::HEADER + found.words as usize != room => Err("a node has no room for its words"),
            () => Ok(()),
        }
    }

    /// Is this a value of the shape? Looks at the objects that its words point to, not into them.
    pub(super) fn check_value(&self, border: Border, shape: ShapeId, words: &[u64]) -> Verdict {
        let layout = border.layouts.get(shape);
        let alternatives = &border.shapes.get(shape).alternatives;
        layout
            .pointers()
            .iter()
            .filter(|&&at| is_object(words[at]))
            .try_for_each(|&at| self.alive(words[at]).map(drop))?;
        if layout.is_named() {
            // SAFETY: the layouts outlive the run.
            let node = unsafe { &*layout.node() };
            return if is_object(words[0]) { self.check_node(words[0] as *mut u64, node) } else { Ok(()) };
        }
        let tag = if alternatives.len() == 1 { 0 } else { words.first().map_or(0, |&tag| tag as usize) };
        let Some(one) = alternatives.get(tag) else { return Err("a choice has no such alternative") };
        let place = layout.alternatives[tag].places.first().copied().unwrap_or(0);
        match one.head {
            Head::Array(rank) => {
                // SAFETY: as above.
                let of = unsafe { &*layout.alternatives[tag].array() };
                self.check_array(words[place] as *mut u64, of.kind, u64::from(rank), of.words)
            }
            Head::Handle(_) => {
                self.alive(words[place])?;
                // SAFETY: the object is alive.
                let kind = unsafe { object::descriptor(words[place] as *mut u64) }.kind;
                if [HANDLE, COLLECTOR, ARRAY].contains(&kind) { Ok(()) } else { Err("an object isn't a handle") }
            }
            _ => Ok(()),
        }
    }
}

/// Ends the run unless all is well.
///
/// # Safety
/// On the compiled code's stack, with nothing pending there that has a destructor.
unsafe fn settle(ctx: *mut Context, verdict: Verdict) {
    if let Err(what) = verdict {
        // SAFETY: by this function's contract.
        unsafe {
            (*ctx).panic = Some(Box::new(what));
            (*ctx).fail(Failure::Panic);
            leave(ctx);
        }
    }
}

/// In a checked run, ends it unless the condition holds.
///
/// # Safety
/// As for [`settle`].
pub(super) unsafe fn verify(ctx: *mut Context, what: &'static str, holds: impl FnOnce() -> bool) {
    // SAFETY: by this function's contract.
    unsafe {
        if (*ctx).is_checked() {
            settle(ctx, if holds() { Ok(()) } else { Err(what) });
        }
    }
}

/// # Safety
/// As `emit::symbols` says; for all functions here.
pub unsafe extern "C" fn rt_check_holds(ctx: *mut Context, condition: u64) {
    // SAFETY: called by compiled code.
    unsafe { settle(ctx, if condition == 0 { Err("what the compiler relies on doesn't hold") } else { Ok(()) }) };
}

/// # Safety
/// See above.
pub unsafe extern "C" fn rt_check_object(ctx: *mut Context, object: *mut u64) {
    // SAFETY: called by compiled code.
    unsafe { settle(ctx, (*ctx).alive(object as u64).map(drop)) };
}

/// # Safety
/// See above.
pub unsafe extern "C" fn rt_check_pointer(ctx: *mut Context, pointer: *mut u64) {
    if is_object(pointer as u64) {
        // SAFETY: called by compiled code.
        unsafe { rt_check_object(ctx, pointer) };
    }
}

/// # Safety
/// See above.
pub unsafe extern "C" fn rt_check_alone(ctx: *mut Context, object: *mut u64) {
    // SAFETY: called by compiled code.
    unsafe {
        rt_check_object(ctx, object);
        let alone = object::count(object) == 1;
        settle(ctx, if alone { Ok(()) } else { Err("an array is written that others see") });
    }
}

/// # Safety
/// See above.
pub unsafe extern "C" fn rt_check_node(ctx: *mut Context, node: *mut u64, descriptor: *const Descriptor) {
    // SAFETY: called by compiled code with a descriptor of its own.
    unsafe { settle(ctx, (*ctx).check_node(node, &*descriptor)) };
}

/// # Safety
/// See above.
pub unsafe extern "C" fn rt_check_axis(ctx: *mut Context, array: *mut u64, axis: u64) {
    // SAFETY: called by compiled code.
    unsafe {
        rt_check_object(ctx, array);
        let is_array = object::descriptor(array).is_array();
        let has_axis = is_array && axis < ArrayView::new(array).rank as u64;
        settle(ctx, if has_axis { Ok(()) } else { Err("an array has no such axis") });
    }
}

/// # Safety
/// See above.
pub unsafe extern "C" fn rt_check_array(ctx: *mut Context, array: *mut u64, kind: u64, rank: u64, words: u64) {
    // SAFETY: called by compiled code.
    unsafe { settle(ctx, (*ctx).check_array(array, kind, rank, words)) };
}

/// # Safety
/// See above.
pub unsafe extern "C" fn rt_check_element(
    ctx: *mut Context,
    array: *mut u64,
    kind: u64,
    rank: u64,
    words: u64,
    at: u64,
) {
    // SAFETY: called by compiled code.
    unsafe {
        rt_check_array(ctx, array, kind, rank, words);
        let inside = at < ArrayView::new(array).size() as u64;
        settle(ctx, if inside { Ok(()) } else { Err("an index is out of range") });
    }
}

/// # Safety
/// See above.
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn rt_check_matrix(
    ctx: *mut Context,
    array: *mut u64,
    rank: u64,
    at: u64,
    rows: u64,
    columns: u64,
    row: u64,
    column: u64,
) {
    // SAFETY: called by compiled code.
    unsafe {
        rt_check_array(ctx, array, ARRAY, rank, 1);
        let last = |count: u64, step: u64| (count - 1).checked_mul(step);
        let is_inside = || {
            let last = at.checked_add(last(rows, row)?)?.checked_add(last(columns, column)?)?;
            (last < ArrayView::new(array).size() as u64).then_some(())
        };
        let fits = rows == 0 || columns == 0 || is_inside().is_some();
        settle(ctx, if fits { Ok(()) } else { Err("a matrix isn't in its array") });
    }
}
