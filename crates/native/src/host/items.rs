//! Results as a host takes them: a tuple or record is announced, then its parts follow; arrays of numbers are seen where they lie.

use std::rc::Rc;

use base::Name;
use eval::Value;
use first_order::{Head, ShapeId};

use crate::layout::ElementKind;
use crate::runtime::object::ArrayView;
use crate::values::{Border, Take, read};

/// A part of a result, in the order of the tree.
pub enum Item<'a> {
    Bool(bool),
    Int(i64),
    Real(f64),
    Reals(&'a [u64], &'a [f64]),
    Ints(&'a [u64], &'a [i64]),
    /// Each word is 0 or 1.
    Bools(&'a [u64], &'a [u64]),
    /// So many parts follow.
    Tuple(usize),
    /// The parts of these names follow.
    Record(&'a Rc<[Name]>),
    /// Anything else. It may share references with the runner: it is gone before the next call.
    Value(&'a Value),
}

/// # Safety
/// The words are those of a live value of the shape, and nobody changes what they point to meanwhile.
pub(super) unsafe fn walk<E>(
    border: Border,
    shape: ShapeId,
    words: &[u64],
    each: &mut dyn FnMut(Item) -> Result<(), E>,
) -> Result<(), E> {
    let layout = border.layouts.get(shape);
    let ([one], [own]) = (&border.shapes.get(shape).alternatives[..], &layout.alternatives[..]) else {
        // SAFETY: by this function's contract.
        return each(Item::Value(&unsafe { read(border, shape, words, Take::Nothing) }));
    };
    if layout.is_named() {
        // SAFETY: by this function's contract.
        return each(Item::Value(&unsafe { read(border, shape, words, Take::Nothing) }));
    }
    match &one.head {
        Head::Bool => each(Item::Bool(words[0] != 0)),
        Head::Int => each(Item::Int(words[0] as i64)),
        Head::Real => each(Item::Real(f64::from_bits(words[0]))),
        Head::Array(_) if own.elements != ElementKind::Other => {
            // SAFETY: the word is a pointer to a live array; its words are of the kind that the layout says, and all bits are such.
            unsafe {
                let array = ArrayView::new(words[0] as *mut u64);
                let (lengths, elements) = (array.lengths(), array.words());
                let (start, count) = (elements.as_ptr(), elements.len());
                each(match own.elements {
                    ElementKind::Real => Item::Reals(lengths, std::slice::from_raw_parts(start.cast(), count)),
                    ElementKind::Int => Item::Ints(lengths, std::slice::from_raw_parts(start.cast(), count)),
                    _ => Item::Bools(lengths, elements),
                })
            }
        }
        Head::Tuple | Head::Record(_) => {
            each(match &one.head {
                Head::Record(labels) => Item::Record(labels),
                _ => Item::Tuple(one.parts.len()),
            })?;
            for (&part, &start) in one.parts.iter().zip(&own.starts) {
                let words = &words[start..start + border.layouts.get(part).words];
                // SAFETY: the words of a part of a live value.
                unsafe { walk(border, part, words, each)? };
            }
            Ok(())
        }
        // SAFETY: by this function's contract.
        _ => each(Item::Value(&unsafe { read(border, shape, words, Take::Nothing) })),
    }
}
