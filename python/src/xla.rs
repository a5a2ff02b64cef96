//! Calls from XLA: its buffers in, its buffers out, on its threads, without Python.
//!
//! The structs are those of `xla/ffi/api/c_api.h`. A handler is called in two ways: with a metadata extension, to say for which version of
//! the interface it was made, and to run, on several threads at once, one for each device. We say the oldest version that has what we use:
//! XLA refuses handlers that are newer than itself.
//!
//! A call names its function by a number that depends on nothing but its text and what it is called with, so that processes agree on it.

use std::ffi::{CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use evert::host::{Leaf, Number, View};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use rustc_hash::FxHashMap;

use crate::function::{Function, Ready};
use crate::results::{Leaf as Part, leaves_of};

#[repr(C)]
struct Extension {
    size: usize,
    kind: c_int,
    next: *mut Extension,
}

#[repr(C)]
struct Version {
    size: usize,
    next: *mut Extension,
    major: c_int,
    minor: c_int,
}

#[repr(C)]
struct Metadata {
    size: usize,
    version: Version,
    traits: u32,
}

#[repr(C)]
struct MetadataExtension {
    base: Extension,
    metadata: *mut Metadata,
}

#[repr(C)]
struct Buffer {
    size: usize,
    next: *mut Extension,
    dtype: c_int,
    data: *mut c_void,
    rank: i64,
    dims: *mut i64,
}

#[repr(C)]
struct Buffers {
    size: usize,
    next: *mut Extension,
    count: i64,
    kinds: *mut c_int,
    items: *mut *mut Buffer,
}

#[repr(C)]
struct ByteSpan {
    start: *const c_char,
    len: usize,
}

#[repr(C)]
struct Scalar {
    dtype: c_int,
    value: *mut c_void,
}

#[repr(C)]
struct Attributes {
    size: usize,
    next: *mut Extension,
    count: i64,
    kinds: *mut c_int,
    names: *mut *mut ByteSpan,
    items: *mut *mut Scalar,
}

#[repr(C)]
struct Frame {
    size: usize,
    next: *mut Extension,
    api: *const Api,
    context: *mut c_void,
    stage: c_int,
    args: Buffers,
    rets: Buffers,
    attributes: Attributes,
}

#[repr(C)]
struct ErrorArguments {
    size: usize,
    next: *mut Extension,
    message: *const c_char,
    code: c_int,
}

/// The beginning of the table of XLA's functions.
#[repr(C)]
struct Api {
    size: usize,
    next: *mut Extension,
    version: Version,
    internal: *const c_void,
    error: unsafe extern "C" fn(*mut ErrorArguments) -> *mut c_void,
}

const METADATA: c_int = 1;
const EXECUTE: c_int = 3;
const SCALAR_ATTRIBUTE: c_int = 3;
const INVALID_ARGUMENT: c_int = 3;
const PRED: c_int = 1;
const S32: c_int = 4;
const S64: c_int = 5;
const F32: c_int = 11;
const F64: c_int = 12;

/// Functions that XLA's programs may call.
static FUNCTIONS: LazyLock<RwLock<FxHashMap<i64, Arc<Ready>>>> = LazyLock::new(Default::default);

/// Makes a function of arrays ready to be called by XLA under a number, at arguments like these.
#[pyfunction]
pub fn xla_register(id: i64, function: &Bound<'_, Function>, args: &Bound<'_, PyTuple>) -> PyResult<()> {
    let ready = Function::ready(function, args)?;
    FUNCTIONS.write().unwrap_or_else(PoisonError::into_inner).insert(id, Arc::new(ready));
    Ok(())
}

/// The handler, as JAX registers it.
#[pyfunction]
pub fn xla_handler(py: Python<'_>) -> PyResult<Bound<'_, PyCapsule>> {
    let handler = handle as *const () as *mut c_void;
    // SAFETY: a name that lives as long as the process; nothing is to be freed.
    unsafe {
        let capsule = pyo3::ffi::PyCapsule_New(handler, c"xla._CUSTOM_CALL_TARGET".as_ptr(), None);
        Ok(Bound::from_owned_ptr_or_err(py, capsule)?.cast_into_unchecked())
    }
}

/// # Safety
/// Called by XLA.
unsafe extern "C" fn handle(frame: *mut Frame) -> *mut c_void {
    // SAFETY: XLA gives a frame with what its header says, which lives until we return.
    unsafe {
        let extension = (*frame).next;
        if !extension.is_null() && (*extension).kind == METADATA {
            let metadata = &mut *(*extension.cast::<MetadataExtension>()).metadata;
            (metadata.version.major, metadata.version.minor, metadata.traits) = (0, 1, 0);
            return null_mut();
        }
        let frame = &*frame;
        if frame.stage != EXECUTE {
            return null_mut();
        }
        // Nothing unwinds into XLA.
        let done = catch_unwind(AssertUnwindSafe(|| run(frame)));
        let Err(message) = done.unwrap_or_else(|_| Err("a bug in Evert; please report it".into())) else {
            return null_mut();
        };
        let message = CString::new(message.replace('\0', "\u{fffd}")).unwrap_or_default();
        let size = std::mem::offset_of!(ErrorArguments, code) + size_of::<c_int>();
        let (next, message, code) = (null_mut(), message.as_ptr(), INVALID_ARGUMENT);
        ((*frame.api).error)(&mut ErrorArguments { size, next, message, code })
    }
}

/// # Safety
/// The frame is that of a call.
unsafe fn run(frame: &Frame) -> Result<(), String> {
    // SAFETY: by this function's contract.
    let id = unsafe { attribute(frame, "function") }.ok_or("the call names no function")?;
    let ready = FUNCTIONS.read().unwrap_or_else(PoisonError::into_inner).get(&id).cloned();
    let ready =
        ready.ok_or("this process doesn't know the function: make it here too, by evert.jax(f) at such arguments")?;
    // SAFETY: as above.
    let (args, rets) = unsafe { (buffers(&frame.args), buffers(&frame.rets)) };
    let shapes: Vec<(Vec<usize>, Vec<isize>)> = args.iter().map(|buffer| shape(buffer)).collect::<Result<_, _>>()?;
    let mut leaves = Vec::with_capacity(args.len());
    for (buffer, (lengths, strides)) in args.iter().zip(&shapes) {
        // SAFETY: XLA's buffers have as many elements as their dimensions say.
        leaves.push(unsafe { leaf(buffer, lengths, strides)? });
    }
    let mut next = 0;
    ready.call(&leaves, &mut |item| {
        leaves_of(item, &mut |part| {
            let buffer =
                rets.get(next).ok_or_else(|| format!("the function gives more than {} results", rets.len()))?;
            next += 1;
            // SAFETY: as above.
            unsafe { fill(buffer, part) }
        })
    })?;
    if next < rets.len() {
        return Err(format!("the function gives {next} results, where XLA's program expects {}", rets.len()));
    }
    Ok(())
}

/// # Safety
/// The frame is XLA's.
unsafe fn attribute(frame: &Frame, name: &str) -> Option<i64> {
    let all = &frame.attributes;
    // SAFETY: there are as many names, kinds and items as the count says.
    (0..all.count as usize).find_map(|at| unsafe {
        let span = &**all.names.add(at);
        let text = std::slice::from_raw_parts(span.start.cast::<u8>(), span.len);
        let scalar = &**all.items.add(at);
        let fits = text == name.as_bytes() && *all.kinds.add(at) == SCALAR_ATTRIBUTE && scalar.dtype == S64;
        fits.then(|| *scalar.value.cast::<i64>())
    })
}

/// # Safety
/// The buffers are XLA's.
unsafe fn buffers(all: &Buffers) -> Vec<&Buffer> {
    // SAFETY: there are as many as the count says.
    (0..all.count as usize).map(|at| unsafe { &**all.items.add(at) }).collect()
}

fn dims(buffer: &Buffer) -> &[i64] {
    if buffer.rank == 0 {
        return &[];
    }
    // SAFETY: a buffer has as many dimensions as its rank says.
    unsafe { std::slice::from_raw_parts(buffer.dims, buffer.rank as usize) }
}

/// The lengths and the strides in bytes of a buffer, whose elements lie one after the other.
fn shape(buffer: &Buffer) -> Result<(Vec<usize>, Vec<isize>), String> {
    let lengths: Vec<usize> = dims(buffer).iter().map(|&n| n as usize).collect();
    let mut strides = vec![0; lengths.len()];
    let mut next = number(buffer)?.1 as isize;
    for (stride, &length) in strides.iter_mut().zip(&lengths).rev() {
        *stride = next;
        next *= length as isize;
    }
    Ok((lengths, strides))
}

fn number(buffer: &Buffer) -> Result<(Number, usize), String> {
    match buffer.dtype {
        F64 => Ok((Number::F64, 8)),
        F32 => Ok((Number::F32, 4)),
        S64 => Ok((Number::I64, 8)),
        S32 => Ok((Number::I32, 4)),
        PRED => Ok((Number::Bool, 1)),
        other => Err(format!("an array of XLA's type {other}, which Evert doesn't take")),
    }
}

/// # Safety
/// The buffer is XLA's, and of this shape.
unsafe fn leaf<'a>(buffer: &'a Buffer, lengths: &'a [usize], strides: &'a [isize]) -> Result<Leaf<'a>, String> {
    let (number, _) = number(buffer)?;
    // SAFETY: by this function's contract.
    unsafe {
        Ok(match number {
            _ if !lengths.is_empty() => Leaf::Array(View::new(buffer.data.cast(), lengths, strides, number)),
            Number::F64 => Leaf::Real(*buffer.data.cast::<f64>()),
            Number::F32 => Leaf::Real(f64::from(*buffer.data.cast::<f32>())),
            Number::I64 => Leaf::Int(*buffer.data.cast::<i64>()),
            Number::I32 => Leaf::Int(i64::from(*buffer.data.cast::<i32>())),
            Number::Bool => Leaf::Bool(*buffer.data.cast::<u8>() != 0),
        })
    }
}

/// Writes a part of a result.
///
/// # Safety
/// The buffer is XLA's.
unsafe fn fill(buffer: &Buffer, part: Part) -> Result<(), String> {
    let expected = dims(buffer);
    if !part.has_shape(expected) {
        return Err(format!(
            "the result has shape {}, where XLA's program expects {expected:?}: shapes that depend on values can't be known \
             before, and neither can those that `result=` says wrongly",
            part.shape()
        ));
    }
    let data = buffer.data;
    let narrow = |i: i64| i32::try_from(i).map_err(|_| format!("the int {i} doesn't fit in 32 bits"));
    // SAFETY: the buffer has as many elements as its dimensions say, which are the part's.
    unsafe {
        match (buffer.dtype, part) {
            (F64, Part::Reals(_, reals)) => data.cast::<f64>().copy_from_nonoverlapping(reals.as_ptr(), reals.len()),
            (F32, Part::Reals(_, reals)) => {
                reals.iter().enumerate().for_each(|(at, x)| data.cast::<f32>().add(at).write(*x as f32));
            }
            (F64, Part::Real(x)) => data.cast::<f64>().write(x),
            (F32, Part::Real(x)) => data.cast::<f32>().write(x as f32),
            (S64, Part::Ints(_, ints)) => data.cast::<i64>().copy_from_nonoverlapping(ints.as_ptr(), ints.len()),
            (S32, Part::Ints(_, ints)) => {
                for (at, i) in ints.iter().enumerate() {
                    data.cast::<i32>().add(at).write(narrow(*i)?);
                }
            }
            (S64, Part::Int(i)) => data.cast::<i64>().write(i),
            (S32, Part::Int(i)) => data.cast::<i32>().write(narrow(i)?),
            (PRED, Part::Bools(_, words)) => {
                words.iter().enumerate().for_each(|(at, word)| data.cast::<u8>().add(at).write(u8::from(*word != 0)));
            }
            (PRED, Part::Bool(b)) => data.cast::<u8>().write(u8::from(b)),
            (dtype, part) => return Err(format!("the result is {}, where XLA expects type {dtype}", part.kind())),
        }
    }
    Ok(())
}
