//! Primitives on arrays of numbers without values in between.
//!
//! Each gives exactly what the evaluator gives. Where that isn't plain (an error, an odd shape, arguments of other kinds) the answer
//! is `None`: nothing was touched, and the evaluator's own primitive is run.

mod elementwise;
mod rearrange;

use base::Code;
use calculus::Prim;
use eval::memory;
use first_order::{Head, ShapeId};
use numerics::linear_algebra::matmul;
use numerics::summation::sum;

use super::object::{self, ArrayView};
use super::{Context, Site};
use crate::layout::ElementKind;
use crate::values::Border;

/// What a primitive has to work with.
pub(super) struct Call<'a> {
    pub ctx: &'a mut Context,
    pub border: Border<'a>,
    pub site: &'a Site,
    pub args: &'a [u64],
    pub out: &'a mut [u64],
}

/// Done, or there was no memory; `None` if the evaluator has to do it.
type Outcome = Option<Result<(), Code>>;

/// An argument, looked at.
#[derive(Clone, Copy)]
enum Operand {
    Real(f64),
    Int(i64),
    Array(ElementKind, ArrayView),
}

/// # Safety
/// The arguments are live values of the site's shapes, owned by the call.
pub(super) unsafe fn apply(mut call: Call) -> Outcome {
    // SAFETY: by this function's contract.
    let (first, second) = unsafe { call.operands()? };
    use Operand::{Array, Int, Real};
    match (call.site.prim, first, second) {
        (Prim::Len, Array(_, a), None) => {
            let length = a.lengths()[0];
            call.number(Head::Int, length)
        }
        (Prim::Shape, Array(_, a), None) => call.shape(a),
        (Prim::Frame, Array(_, a), None) => call.frame(a),
        (Prim::Iota, Int(n), None) => call.iota(n),
        (Prim::Sum, Array(kind, a), None) => call.sum(kind, a),
        (Prim::MatMul, Array(ElementKind::Real, a), Some(Array(ElementKind::Real, b))) => call.product(a, b),
        (Prim::Concat, Array(left, a), Some(Array(right, b))) if left == right => call.concat(left, a, b),
        (Prim::Transpose, Array(kind, a), None) => call.transpose(kind, a),
        (Prim::Reshape, Array(kind, a), Some(shape)) => call.reshape(kind, a, shape),
        (Prim::Fill, Array(ElementKind::Real, a), Some(Real(d))) => call.fill(a, d),
        (Prim::Unbroadcast, Real(_), Some(Array(ElementKind::Real, d))) => {
            let total = sum(reals(d));
            call.number(Head::Real, total.to_bits())
        }
        (prim, a, None) => call.unary(prim, a),
        (prim, a, Some(b)) => call.binary(prim, a, b),
    }
}

impl Call<'_> {
    /// The first arguments, if all are numbers and arrays.
    ///
    /// # Safety
    /// As for [`apply`].
    unsafe fn operands(&self) -> Option<(Operand, Option<Operand>)> {
        // SAFETY: by this function's contract. The words of the arguments stand one after the other.
        unsafe {
            match self.site.args[..] {
                [a] => Some((self.operand(a, self.args)?, None)),
                [a, b] => {
                    let (first, second) = self.args.split_at(self.border.layouts.get(a).words);
                    Some((self.operand(a, first)?, Some(self.operand(b, second)?)))
                }
                _ => None,
            }
        }
    }

    /// # Safety
    /// The words are those of a live value of the shape; there may be none.
    unsafe fn operand(&self, shape: ShapeId, words: &[u64]) -> Option<Operand> {
        let head = self.only_head(shape)?;
        let word = *words.first()?;
        match head {
            Head::Real => Some(Operand::Real(f64::from_bits(word))),
            Head::Int => Some(Operand::Int(word as i64)),
            Head::Array(_) => {
                let kind = self.border.layouts.get(shape).alternatives[0].elements;
                // SAFETY: the word of an array points to it.
                Some(Operand::Array(kind, unsafe { ArrayView::new(word as *mut u64) }))
            }
            _ => None,
        }
    }

    fn only_head(&self, shape: ShapeId) -> Option<&Head> {
        let shape = self.border.shapes.get(shape);
        match &shape.alternatives[..] {
            [only] if shape.named.is_none() => Some(&only.head),
            _ => None,
        }
    }

    /// Is the result's shape that of arrays of this rank?
    fn gives_array(&self, kind: ElementKind, rank: usize) -> Option<()> {
        let array = *self.only_head(self.site.result)? == Head::Array(rank as u32);
        let elements = self.border.layouts.get(self.site.result).alternatives[0].elements == kind;
        (array && elements && kind != ElementKind::Other).then_some(())
    }

    /// Every read of an element in a gradient asks for this: the elements aren't looked at.
    fn frame(&mut self, a: ArrayView) -> Outcome {
        let Head::Handle(_) = self.only_head(self.site.result)? else { return None };
        let shape = a.lengths().iter().map(|&length| length as usize).collect();
        match self.ctx.handle(eval::prims::frame_of(shape)) {
            Ok(object) => self.out[0] = object as u64,
            Err(code) => return Some(Err(code)),
        }
        self.release_arguments(None);
        Some(Ok(()))
    }

    /// Ends the call with a scalar.
    fn number(&mut self, head: Head, word: u64) -> Outcome {
        if *self.only_head(self.site.result)? != head {
            return None;
        }
        self.out[0] = word;
        self.release_arguments(None);
        Some(Ok(()))
    }

    /// Ends the call with an array that `write` fills.
    fn array(&mut self, kind: ElementKind, lengths: &[u64], write: impl FnOnce(&mut [u64])) -> Outcome {
        self.gives_array(kind, lengths.len())?;
        let descriptor = self.border.layouts.get(self.site.result).alternatives[0].array();
        // SAFETY: the layouts outlive the run, and the descriptor is that of such arrays.
        let array = match unsafe { self.ctx.array(descriptor, lengths) } {
            Ok(object) => object,
            Err(code) => return Some(Err(code)),
        };
        // SAFETY: the array is new; its elements are made 0 before they are a slice.
        let elements = unsafe {
            let view = ArrayView::new(array);
            let words = view.element_words();
            view.elements().write_bytes(0, words);
            std::slice::from_raw_parts_mut(view.elements(), words)
        };
        write(elements);
        eval::work::add(elements.len());
        self.out[0] = array as u64;
        self.release_arguments(None);
        Some(Ok(()))
    }

    /// Ends the call with one of its arguments.
    fn argument(&mut self, kind: ElementKind, array: ArrayView) -> Outcome {
        self.gives_array(kind, array.rank)?;
        self.out[0] = array.object as u64;
        self.release_arguments(Some(array));
        Some(Ok(()))
    }

    /// Gives the arguments up, but one owner of `kept`.
    fn release_arguments(&mut self, kept: Option<ArrayView>) {
        let mut kept = kept.map(|array| array.object as u64);
        for (&shape, &word) in self.site.args.iter().zip(self.args) {
            if let Some(Head::Array(_)) = self.only_head(shape) {
                if kept == Some(word) {
                    kept = None;
                    continue;
                }
                // SAFETY: the word is that of an array, owned by the call and not used again.
                unsafe { self.ctx.release(word) };
            }
        }
    }

    fn iota(&mut self, n: i64) -> Outcome {
        let n = n.max(0) as u64;
        if !memory::has_room_for((n as usize).saturating_mul(size_of::<eval::Value>())) {
            return None;
        }
        self.array(ElementKind::Int, &[n], |out| (0..).zip(out).for_each(|(i, out)| *out = i))
    }

    fn sum(&mut self, kind: ElementKind, a: ArrayView) -> Outcome {
        eval::work::add(a.size());
        match kind {
            ElementKind::Real => self.number(Head::Real, sum(reals(a)).to_bits()),
            ElementKind::Int => {
                let total = a.words().iter().try_fold(0i64, |total, &i| total.checked_add(i as i64))?;
                self.number(Head::Int, total as u64)
            }
            ElementKind::Bool | ElementKind::Other => None,
        }
    }

    fn product(&mut self, a: ArrayView, b: ArrayView) -> Outcome {
        let (m, k, n) = match (a.lengths(), b.lengths()) {
            (&[m, k], &[l, n]) if k == l => (m, k, n),
            (&[m, k], &[l]) if k == l => (m, k, 1),
            (&[k], &[l, n]) if k == l => (1, k, n),
            (&[k], &[l]) if k == l => (1, k, 1),
            _ => return None,
        };
        let room = (m.max(1) as usize).saturating_mul(n.max(1) as usize).saturating_mul(size_of::<f64>());
        if !memory::has_room_for(room) {
            return None;
        }
        let (rows, inner, columns) = (m as usize, k as usize, n as usize);
        eval::work::add(rows * inner * columns);
        let product = || matmul(reals(a), reals(b), rows, inner, columns);
        let store = |out: &mut [u64]| product().iter().zip(out).for_each(|(x, out)| *out = x.to_bits());
        match (a.rank, b.rank) {
            (1, 1) => {
                let product = product()[0];
                self.number(Head::Real, product.to_bits())
            }
            (1, _) => self.array(ElementKind::Real, &[n], store),
            (_, 1) => self.array(ElementKind::Real, &[m], store),
            _ => self.array(ElementKind::Real, &[m, n], store),
        }
    }
}

/// The elements of an array of reals.
fn reals<'a>(array: ArrayView) -> &'a [f64] {
    let words = array.words();
    // SAFETY: the elements are reals, stored as their bits; both types have the same size and alignment.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), words.len()) }
}

/// Does nobody else see the array?
fn unshared(array: ArrayView) -> bool {
    // SAFETY: the operand of a call is alive.
    unsafe { object::count(array.object) == 1 }
}
