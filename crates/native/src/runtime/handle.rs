//! Handles: values of the evaluator on the heap of a run.
//!
//! `[count][descriptor][previous][next][the value, two words]`. All live handles are in one list, so that they are dropped
//! when a run is left.

use std::ptr;

use base::Code;
use eval::Value;

use super::Context;
use super::object::{self, Descriptor, HANDLE, HEADER};

const VALUE: usize = HEADER + 2;
const _: () = assert!(size_of::<Value>() == 16 && align_of::<Value>() == 8);

#[repr(C)]
struct HandleDescriptor([u64; 3]);
static DESCRIPTOR: HandleDescriptor = HandleDescriptor([HANDLE, 4, 0]);

impl Context {
    /// A new handle with one owner.
    pub fn handle(&mut self, value: Value) -> Result<*mut u64, Code> {
        let object = self.allocate(HEADER + 4)?;
        // SAFETY: the object has six words; the first of the list is a live handle.
        unsafe {
            object::begin(object, ptr::from_ref(&DESCRIPTOR).cast::<Descriptor>());
            object.add(HEADER).write(0);
            object.add(HEADER + 1).write(self.heap.handles as u64);
            object.add(VALUE).cast::<Value>().write(value);
            if !self.heap.handles.is_null() {
                self.heap.handles.add(HEADER).write(object as u64);
            }
        }
        self.heap.handles = object;
        Ok(object)
    }
}

/// The value in a handle.
///
/// # Safety
/// `object` is a live handle, and the reference is gone before it is freed.
pub unsafe fn value<'a>(object: *mut u64) -> &'a mut Value {
    // SAFETY: the value stands behind the links.
    unsafe { &mut *object.add(VALUE).cast::<Value>() }
}

/// Drops handles that nobody owns.
///
/// # Safety
/// The list is one that [`Context::free`] returned. Called on the thread's own stack.
pub(super) unsafe fn drop_dead(ctx: &mut Context, mut dead: *mut u64) {
    while !dead.is_null() {
        // SAFETY: what is in the list are handles without owners; their neighbours among the live ones are alive or null.
        unsafe {
            let object = dead;
            dead = object.read() as *mut u64;
            unlink(ctx, object);
            ptr::drop_in_place(value(object));
            ctx.give_back(object);
        }
    }
}

/// # Safety
/// `object` is in the list of live handles.
unsafe fn unlink(ctx: &mut Context, object: *mut u64) {
    // SAFETY: the neighbours are live handles or null.
    unsafe {
        let (previous, next) = (object.add(HEADER).read() as *mut u64, object.add(HEADER + 1).read() as *mut u64);
        if previous.is_null() {
            ctx.heap.handles = next;
        } else {
            previous.add(HEADER + 1).write(next as u64);
        }
        if !next.is_null() {
            next.add(HEADER).write(previous as u64);
        }
    }
}

/// Drops the values of all handles: the run is over.
pub(super) fn drop_all(ctx: &mut Context) {
    let mut object = std::mem::replace(&mut ctx.heap.handles, ptr::null_mut());
    while !object.is_null() {
        // SAFETY: the list holds live handles, and nothing of the run is used any more.
        unsafe {
            let next = object.add(HEADER + 1).read() as *mut u64;
            ptr::drop_in_place(value(object));
            object = next;
        }
    }
}
