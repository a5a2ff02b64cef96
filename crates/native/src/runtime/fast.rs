//! Primitives on arrays of numbers without values in between.
//!
//! Each gives exactly what the evaluator gives. Where that isn't plain (an error, an odd shape, arguments of other kinds) the answer
//! is `None`, and the evaluator's own primitive is run. A sensitivity among the arguments may have become dense by then; that
//! changes nothing.

mod broadcast;
mod elementwise;
mod linear;
mod orders;
mod rearrange;
mod sensitivities;

use std::cell::Cell;

use base::{Code, codes, interrupt};
use calculus::Prim;
use eval::memory;
use first_order::{Alternative, Head};
use numerics::linear_algebra::matmul_while;
use numerics::summation::sum;

use super::collector::{self, reals};
use super::object::{self, ArrayView};
use super::{Context, Site};
use crate::layout::ElementKind;
use crate::values::Border;

/// What a primitive has to work with.
pub(super) struct Call<'a> {
    pub ctx: &'a mut Context,
    pub border: Border<'a>,
    pub site: &'a Site,
    pub args: &'a mut [u64],
    pub out: &'a mut [u64],
}

/// Done, or there was no memory; `None` if the evaluator has to do it.
type Outcome = Option<Result<(), Code>>;

/// An argument, looked at.
#[derive(Clone, Copy)]
enum Operand {
    /// The symbolic zero.
    Zero,
    Real(f64),
    Int(i64),
    Array(ElementKind, ArrayView),
    /// A sensitivity in its dense form: −0.0 is the symbolic zero.
    Dense(ArrayView),
    /// The lengths of an array: where they begin among the words, and how many.
    Frame(usize, usize),
}

impl Operand {
    /// The elements, if they are reals, and whether there may be symbolic zeros among them.
    fn reals(self) -> Option<(ArrayView, bool)> {
        match self {
            Operand::Array(ElementKind::Real, array) => Some((array, false)),
            Operand::Dense(array) => Some((array, true)),
            _ => None,
        }
    }
}

/// # Safety
/// The arguments are live values of the site's shapes, owned by the call.
pub(super) unsafe fn apply(mut call: Call) -> Outcome {
    use ElementKind::Real;
    use Operand::{Array, Dense, Int};
    // SAFETY: by this function's contract.
    unsafe {
        // These don't want their sensitivities dense, or have arguments of other kinds.
        match call.site.prim {
            Prim::Frame => return call.frame(),
            Prim::Place => return call.place(),
            Prim::Index | Prim::Part => return call.part(),
            Prim::Erase => return call.erase(),
            Prim::Spread => return call.spread(),
            Prim::Unspread => return call.unspread(),
            Prim::ScatterAdd => return call.scatter_add(),
            Prim::PowerSlope | Prim::PowerLog => return call.power(),
            _ => {}
        }
        if call.site.args.len() > 2 {
            return None;
        }
        let first = call.operand(0)?;
        let second = if call.site.args.len() == 2 { Some(call.operand(1)?) } else { None };
        match (call.site.prim, first, second) {
            (Prim::Len, Array(_, a) | Dense(a), None) => {
                let length = a.lengths()[0];
                call.number(Head::Int, length)
            }
            (Prim::Shape, Array(_, a) | Dense(a), None) => call.shape(a),
            (Prim::Iota, Int(n), None) => call.iota(n),
            (Prim::Sum, Array(kind, a), None) => call.sum(kind, a),
            (Prim::Sum, Dense(a), None) => call.sum(Real, a),
            (Prim::MatMul, Array(Real, a) | Dense(a), Some(Array(Real, b) | Dense(b))) => call.product(a, b),
            (Prim::Det, Array(Real, a), None) => call.determinant(a),
            (Prim::Inv, Array(Real, a), None) => call.inverse(a),
            (Prim::Solve, Array(Real, a), Some(Array(Real, b))) => call.solution(a, b),
            (Prim::Concat, Array(left, a), Some(Array(right, b))) if left == right => call.concat(left, a, b, false),
            (Prim::Concat, a, Some(b)) => call.concat_sensitivities(a, b),
            (Prim::Transpose, Array(kind, a), None) => call.transpose(kind, a, false),
            (Prim::Transpose, Dense(a), None) => call.transpose(Real, a, true),
            (Prim::Reversed, Array(kind, a), None) => call.reversed(kind, a, false),
            (Prim::Reversed, Dense(a), None) => call.reversed(Real, a, true),
            (Prim::Reshape, Array(kind, a), Some(shape)) => call.reshape(kind, a, shape, false),
            (Prim::Reshape, Dense(a), Some(shape)) => call.reshape(Real, a, shape, true),
            (Prim::Fill, like, Some(d)) => call.fill(like, d),
            (Prim::Unbroadcast, operand, Some(d)) => call.unbroadcast(operand, d),
            (Prim::Broadcast, Array(kind, a), Some(like)) => call.broadcast(kind, a, like, false),
            (Prim::Broadcast, Dense(a), Some(like)) => call.broadcast(Real, a, like, true),
            (Prim::Materialise, of, Some(d)) => call.materialise(of, d),
            (Prim::Plus, a, Some(b)) => call.plus_dense(a, b),
            (Prim::Scale, d, Some(factor)) => call.scale(d, factor),
            (Prim::Keep, mask, Some(d)) => call.keep(mask, d),
            (Prim::ArgMin | Prim::ArgMax | Prim::ArgSort | Prim::Where, Array(kind, a), None) => call.order(kind, a),
            (Prim::Eq, Array(ElementKind::Int, a), Some(Array(ElementKind::Int, b))) => call.equal_ints(a, b),
            (prim, a, None) => call.unary(prim, a),
            (prim, a, Some(b)) => call.binary(prim, a, b),
        }
    }
}

impl Call<'_> {
    /// Where the words of an argument begin.
    fn start(&self, at: usize) -> usize {
        self.border.layouts.words(&self.site.args[..at])
    }

    /// The alternative that an argument is, and the place of its first word.
    fn alternative(&self, at: usize) -> Option<(&Alternative, ElementKind, usize)> {
        let start = self.start(at);
        let id = self.site.args[at];
        let (shape, layout) = (self.border.shapes.get(id), self.border.layouts.get(id));
        if layout.is_named() {
            return None;
        }
        let tag = if shape.alternatives.len() == 1 { 0 } else { self.args[start] as usize };
        let (one, layout) = (shape.alternatives.get(tag)?, &layout.alternatives[tag]);
        Some((one, layout.elements, start + layout.places.first().copied().unwrap_or(0)))
    }

    /// # Safety
    /// As for [`apply`].
    unsafe fn operand(&mut self, at: usize) -> Option<Operand> {
        let (one, kind, place) = self.alternative(at)?;
        match one.head {
            Head::Zero => Some(Operand::Zero),
            Head::Real => Some(Operand::Real(f64::from_bits(self.args[place]))),
            Head::Int => Some(Operand::Int(self.args[place] as i64)),
            // SAFETY: the word of an array points to it.
            Head::Array(_) => Some(Operand::Array(kind, unsafe { ArrayView::new(self.args[place] as *mut u64) })),
            Head::Frame(rank) if self.site.args.len() == 1 || self.is_single(at) => {
                Some(Operand::Frame(place, rank as usize))
            }
            // SAFETY: the word of a handle points to it, and the call owns it.
            Head::Handle(_) => unsafe { self.dense(place) },
            _ => None,
        }
    }

    fn is_single(&self, at: usize) -> bool {
        self.border.shapes.get(self.site.args[at]).alternatives.len() == 1
    }

    /// A sensitivity among the arguments, dense from now on.
    ///
    /// # Safety
    /// The word is that of a live handle, owned by the call.
    unsafe fn dense(&mut self, place: usize) -> Option<Operand> {
        let object = self.args[place] as *mut u64;
        // SAFETY: by this function's contract.
        unsafe {
            if !collector::is_native(object) {
                return None;
            }
            let array = self.ctx.dense(object).ok()?;
            self.args[place] = array as u64;
            Some(Operand::Dense(ArrayView::new(array)))
        }
    }

    /// The lengths that a frame, an array or a sensitivity has.
    ///
    /// # Safety
    /// As for [`apply`].
    unsafe fn lengths(&self, at: usize) -> Option<Vec<u64>> {
        let (one, _, place) = self.alternative(at)?;
        let object = self.args[place] as *mut u64;
        // SAFETY: the words of arrays and handles point to them.
        unsafe {
            match one.head {
                Head::Frame(rank) if self.is_single(at) => Some(self.args[place..place + rank as usize].to_vec()),
                Head::Array(_) => Some(ArrayView::new(object).lengths().to_vec()),
                Head::Handle(_) if collector::is_native(object) => Some(collector::lengths(object).to_vec()),
                _ => None,
            }
        }
    }

    /// Writes a scalar or a pointer as the first alternative of the result that fits.
    fn give(&mut self, word: u64, fits: impl Fn(&Alternative, ElementKind) -> bool) -> Option<()> {
        let layout = self.border.layouts.get(self.site.result);
        let alternatives = &self.border.shapes.get(self.site.result).alternatives;
        if layout.is_named() {
            return None;
        }
        let tag = (0..alternatives.len()).find(|&tag| fits(&alternatives[tag], layout.alternatives[tag].elements))?;
        if alternatives.len() == 1 {
            if let Some(out) = self.out.first_mut() {
                *out = word;
            }
        } else {
            self.out[0] = tag as u64;
            if let Some(place) = layout.alternatives[tag].places.first() {
                self.out[*place] = word;
            }
        }
        Some(())
    }

    /// Which alternative an array of this kind and rank would be: an array, or a handle.
    fn target(&self, kind: ElementKind, rank: usize, holes: bool) -> Option<Target> {
        let layout = self.border.layouts.get(self.site.result);
        let alternatives = &self.border.shapes.get(self.site.result).alternatives;
        if layout.is_named() || kind == ElementKind::Other {
            return None;
        }
        let array = (0..alternatives.len()).find(|&tag| {
            alternatives[tag].head == Head::Array(rank as u32) && layout.alternatives[tag].elements == kind
        });
        let handle = alternatives.iter().any(|one| one.head == Head::Handle(rank as u32) && self.holds_reals(one));
        match (array, handle && kind == ElementKind::Real && rank <= collector::MOST_AXES) {
            (Some(_), true) if holes => Some(Target::Handle),
            (Some(tag), _) if !holes => Some(Target::Array(tag)),
            (_, true) => Some(Target::Handle),
            _ => None,
        }
    }

    /// Are the elements of such a sensitivity nothing but reals and symbolic zeros?
    fn holds_reals(&self, handle: &Alternative) -> bool {
        let element = self.border.shapes.get(handle.parts[0]);
        element.named.is_none() && element.alternatives.iter().all(|one| matches!(one.head, Head::Zero | Head::Real))
    }

    /// Ends the call with a scalar.
    fn number(&mut self, head: Head, word: u64) -> Outcome {
        self.give(word, |one, _| one.head == head)?;
        self.release_arguments(None);
        Some(Ok(()))
    }

    /// Ends the call with the symbolic zero.
    fn zero(&mut self) -> Outcome {
        self.number(Head::Zero, 0)
    }

    /// Ends the call with a truth value.
    fn truth(&mut self, holds: bool) -> Outcome {
        self.number(Head::Bool, u64::from(holds))
    }

    /// Ends the call with an array that `write` fills. If it is a sensitivity and has no `holes`, numbers in it aren't −0.0.
    fn array(&mut self, kind: ElementKind, lengths: &[u64], holes: bool, write: impl FnOnce(&mut [u64])) -> Outcome {
        let target = self.target(kind, lengths.len(), holes)?;
        // SAFETY: the descriptor is that of such arrays, and outlives the run.
        let array = match unsafe { self.ctx.array(self.descriptor(target), lengths) } {
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
        if target == Target::Handle && !holes {
            number_zeros(elements);
        }
        eval::work::add(elements.len());
        self.give_array(array, target)?;
        self.release_arguments(None);
        Some(Ok(()))
    }

    /// Ends the call with an array of the words of an argument and those that follow them, in the argument's own room where that can be.
    fn extended(&mut self, kind: ElementKind, first: ArrayView, rest: &[u64], lengths: &[u64], holes: bool) -> Outcome {
        let target = self.target(kind, lengths.len(), holes)?;
        let (descriptor, words) = (self.descriptor(target), first.element_words());
        // SAFETY: the call owns its arguments; the array has room for the words of both, which don't overlap.
        let (elements, array, kept) = unsafe {
            let remade = self.ctx.remade(first, descriptor, lengths);
            let array = match remade.map_or_else(|| self.ctx.array(descriptor, lengths), Ok) {
                Ok(object) => object,
                Err(code) => return Some(Err(code)),
            };
            let elements = ArrayView::new(array).elements();
            if remade.is_none() {
                elements.copy_from_nonoverlapping(first.elements(), words);
            }
            elements.add(words).copy_from_nonoverlapping(rest.as_ptr(), rest.len());
            (std::slice::from_raw_parts_mut(elements, words + rest.len()), array, remade.map(|_| first))
        };
        if target == Target::Handle && !holes {
            number_zeros(elements);
        }
        eval::work::add(elements.len());
        self.give_array(array, target).expect("the result has such an alternative");
        self.release_arguments(kept);
        Some(Ok(()))
    }

    /// That of arrays of one word for each element.
    fn descriptor(&self, target: Target) -> *const object::Descriptor {
        match target {
            Target::Array(tag) => self.border.layouts.get(self.site.result).alternatives[tag].array(),
            Target::Handle => collector::reals_descriptor(),
        }
    }

    fn give_array(&mut self, array: *mut u64, target: Target) -> Option<()> {
        // SAFETY: it is an array.
        let rank = unsafe { ArrayView::new(array) }.rank as u32;
        match target {
            Target::Handle => self.give(array as u64, |one, _| one.head == Head::Handle(rank)),
            Target::Array(tag) => {
                let elements = self.border.layouts.get(self.site.result).alternatives[tag].elements;
                self.give(array as u64, |one, kind| one.head == Head::Array(rank) && kind == elements)
            }
        }
    }

    /// Ends the call with one of its arguments.
    fn argument(&mut self, kind: ElementKind, array: ArrayView, holes: bool) -> Outcome {
        let target = self.target(kind, array.rank, holes)?;
        if target == Target::Handle && !holes && !unshared(array) {
            let lengths = array.lengths();
            return self.array(kind, lengths, false, |out| out.copy_from_slice(array.words()));
        }
        if target == Target::Handle && !holes {
            // SAFETY: nobody else sees the array.
            number_zeros(unsafe { std::slice::from_raw_parts_mut(array.elements(), array.size()) });
        }
        self.give_array(array.object, target)?;
        self.release_arguments(Some(array));
        Some(Ok(()))
    }

    /// Gives the arguments up, but one owner of `kept`.
    fn release_arguments(&mut self, kept: Option<ArrayView>) {
        let mut kept = kept.map(|array| array.object as u64);
        for at in 0..self.site.args.len() {
            let start = self.start(at);
            for &place in self.border.layouts.get(self.site.args[at]).pointers() {
                let word = self.args[start + place];
                if kept == Some(word) {
                    kept = None;
                    continue;
                }
                // SAFETY: the word is owned by the call and not used again.
                unsafe { self.ctx.release(word) };
            }
        }
    }

    fn iota(&mut self, n: i64) -> Outcome {
        let n = n.max(0) as u64;
        if !memory::has_room_for(saturated(n).saturating_mul(size_of::<eval::Value>())) {
            return None;
        }
        self.array(ElementKind::Int, &[n], false, |out| (0..).zip(out).for_each(|(i, out)| *out = i))
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
        let room = saturated(m.max(1)).saturating_mul(saturated(n.max(1))).saturating_mul(size_of::<f64>());
        if !memory::has_room_for(room) {
            return None;
        }
        let (rows, inner, columns) = (m as usize, k as usize, n as usize);
        eval::work::add(rows.saturating_mul(inner).saturating_mul(columns));
        let whole = Cell::new(true);
        let store = |out: &mut [u64]| {
            // SAFETY: reals are words.
            let out = unsafe { std::slice::from_raw_parts_mut(out.as_mut_ptr().cast(), out.len()) };
            let go_on = || !interrupt::is_requested();
            whole.set(matmul_while(reals(a), reals(b), out, (rows, inner, columns), go_on));
        };
        let done = match (a.rank, b.rank) {
            (1, 1) => {
                let mut product = [0];
                store(&mut product);
                self.number(Head::Real, product[0])
            }
            (1, _) => self.array(ElementKind::Real, &[n], false, store),
            (_, 1) => self.array(ElementKind::Real, &[m], false, store),
            _ => self.array(ElementKind::Real, &[m, n], false, store),
        }?;
        Some(if whole.get() { done } else { Err(codes::OUT_OF_STEPS) })
    }
}

/// What an array that is made becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Target {
    /// The alternative with this number.
    Array(usize),
    Handle,
}

/// Does nobody else see the array?
fn unshared(array: ArrayView) -> bool {
    // SAFETY: the operand of a call is alive.
    unsafe { object::count(array.object) == 1 }
}

/// In a sensitivity −0.0 is the symbolic zero: a number that is zero is 0.0.
fn number_zeros(words: &mut [u64]) {
    words.iter_mut().for_each(|word| *word = (f64::from_bits(*word) + 0.0).to_bits());
}

/// A length as this machine counts; what it can't count has no room either.
fn saturated(length: u64) -> usize {
    usize::try_from(length).unwrap_or(usize::MAX)
}
