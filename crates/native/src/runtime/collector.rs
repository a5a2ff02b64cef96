//! Sensitivities of arrays of reals while they are being collected.
//!
//! The word of a handle points to one of three kinds of object: a value of the evaluator (`handle`), an *array of reals* in which
//! −0.0 is the symbolic zero (the dense form; numbers in it are never −0.0), or a *collector*: what was added so far, not yet
//! spread out. A sum that nobody else sees is added to in place. A collector that holds a quarter as many contributions as
//! the array has elements becomes dense; so n reads of an n-array cost O(n) in all, whatever their order.
//!
//! Numbers are added as the language says: element i of `a ⊕ b` is element i of a plus element i of b, rounded. A form may keep
//! contributions apart only where their order says the same, and what is added as a whole is added up first.
//!
//! A collector is `[count][descriptor][form][size][first][second][at][value][rank][lengths…]`, and one that begins with a single element has room for a few
//! more behind that. It holds no value of the evaluator, so
//! that freeing one needs no stack. Everything here runs on either stack and holds nothing with a destructor when it fails.

mod form;
mod spread;

use std::slice;

use base::{Code, codes};

use super::Context;
use super::object::{self, ARRAY, ArrayView, Descriptor};
use form::{
    AT, Collector, DESCRIPTORS, FIRST, FORM, Form, INSIDE, LENGTHS, Pair, RANK, ROOMY, SECOND, SIZE, Term, VALUE, term,
};
use spread::{add_to, spread};

/// The symbolic zero as an element.
pub const HOLE: f64 = -0.0;

pub fn is_hole(x: f64) -> bool {
    x.to_bits() == HOLE.to_bits()
}

/// Collectors of arrays with more axes aren't made.
pub const MOST_AXES: usize = 8;
/// Arrays of so few elements are collected densely at once.
const FEW: u64 = 32;

/// Are these the same? (They are short: a call of `memcmp` takes longer.)
fn are_same(a: &[u64], b: &[u64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b)
}

/// Of arrays of words that are no pointers.
static WORDS: [u64; 3] = [ARRAY, 1, 0];

/// The descriptor of arrays of reals.
pub fn reals_descriptor() -> *const Descriptor {
    (&raw const WORDS).cast()
}

/// Is it collected here, and not by the evaluator?
///
/// # Safety
/// `object` is a live handle.
pub unsafe fn is_native(object: *mut u64) -> bool {
    // SAFETY: by this function's contract.
    unsafe { term(object).is_some() }
}

/// The lengths of the array that a sensitivity belongs to.
///
/// # Safety
/// `object` is a live handle, and native.
pub unsafe fn lengths<'a>(object: *mut u64) -> &'a [u64] {
    // SAFETY: by this function's contract.
    unsafe { term(object) }.expect("collector: a native handle").lengths()
}

/// Is nothing in it?
///
/// # Safety
/// As for [`lengths`].
pub unsafe fn is_zero(object: *mut u64) -> bool {
    // SAFETY: by this function's contract.
    matches!(unsafe { term(object) }, Some(Term::Collector(collector)) if collector.form() == Form::Zero)
}

/// The elements of a sensitivity in its dense form that nobody else sees, if it has these lengths.
///
/// # Safety
/// `object` is a live handle.
pub unsafe fn unshared_elements<'a>(object: *mut u64, lengths: &[u64]) -> Option<&'a mut [f64]> {
    // SAFETY: by this function's contract; nobody else sees the elements.
    unsafe {
        match term(object)? {
            Term::Dense(array) if object::count(object) == 1 && are_same(array.lengths(), lengths) => {
                Some(slice::from_raw_parts_mut(array.elements().cast(), array.size()))
            }
            _ => None,
        }
    }
}

/// The element and the value, if only one element was added.
///
/// # Safety
/// As for [`lengths`].
pub unsafe fn as_one(object: *mut u64) -> Option<(u64, f64)> {
    // SAFETY: by this function's contract.
    match unsafe { term(object) } {
        Some(Term::Collector(one)) if one.form() == Form::One => Some((one.get(AT), f64::from_bits(one.get(VALUE)))),
        _ => None,
    }
}

/// The sum, in which −0.0 is the symbolic zero.
///
/// # Safety
/// As for [`lengths`].
pub unsafe fn summed(object: *mut u64) -> Vec<f64> {
    // SAFETY: by this function's contract.
    let term = unsafe { term(object) }.expect("collector: a native handle");
    let mut sums = vec![HOLE; term.lengths().iter().product::<u64>() as usize];
    // SAFETY: the term is alive and of this shape.
    unsafe { spread(&mut sums, term) };
    sums
}

impl Context {
    /// A sensitivity in its dense form.
    pub fn collector_dense(&mut self, lengths: &[u64], reals: &[f64], holes: bool) -> Result<*mut u64, Code> {
        let array = self.holes(lengths)?;
        // SAFETY: the array is new, and has as many elements.
        let out = unsafe { slice::from_raw_parts_mut(array.elements().cast::<f64>(), array.size()) };
        let zero = if holes { HOLE } else { 0.0 };
        out.iter_mut().zip(reals).for_each(|(out, x)| *out = x + zero);
        Ok(array.object)
    }

    fn collector(&mut self, form: Form, lengths: &[u64]) -> Result<Collector, Code> {
        let (descriptors, room) = if form == Form::One { (&ROOMY, 2 * INSIDE as usize) } else { (&DESCRIPTORS, 0) };
        let object = self.allocate(LENGTHS + lengths.len() + room)?;
        // SAFETY: the object has that many words.
        unsafe {
            object::begin(object, (&raw const descriptors[lengths.len()]).cast());
            object.add(FORM).write_bytes(0, LENGTHS - FORM);
            object.add(LENGTHS).copy_from_nonoverlapping(lengths.as_ptr(), lengths.len());
        }
        // SAFETY: the object has the descriptor of a collector; its words are 0 until they are set.
        let collector = unsafe { Collector::at(object) };
        collector.set(FORM, form as u64);
        collector.set(SIZE, lengths.iter().product());
        collector.set(RANK, lengths.len() as u64);
        Ok(collector)
    }

    /// The sensitivity that is zero everywhere.
    pub fn collector_zero(&mut self, lengths: &[u64]) -> Result<*mut u64, Code> {
        Ok(self.collector(Form::Zero, lengths)?.object())
    }

    /// The sensitivity that is `value` at one element, in range.
    #[inline]
    pub fn collector_one(&mut self, lengths: &[u64], at: u64, value: f64) -> Result<*mut u64, Code> {
        let one = self.collector(Form::One, lengths)?;
        one.set(AT, at);
        one.set(VALUE, value.to_bits());
        Ok(one.object())
    }

    /// The sensitivity that is `value`, an owned array of reals, in a box of an array. On each axis the box has a first and a last
    /// position (exclusive), in range; in row-major order it has as many elements as `value`.
    ///
    /// # Safety
    /// `value` is such an array.
    pub unsafe fn collector_box(
        &mut self,
        lengths: &[u64],
        axes: &[(u64, u64)],
        value: *mut u64,
        holes: bool,
    ) -> Result<*mut u64, Code> {
        let of = self.collector(Form::Box, lengths)?;
        // SAFETY: the array is new and has as many words.
        let places = unsafe {
            let places = self.array(reals_descriptor(), &[2 * axes.len() as u64])?;
            let words = ArrayView::new(places).elements();
            for (axis, (from, to)) in axes.iter().enumerate() {
                words.add(2 * axis).write(*from);
                words.add(2 * axis + 1).write(*to);
            }
            places
        };
        of.set(FIRST, value as u64);
        of.set(SECOND, places as u64);
        of.set(AT, axes.iter().map(|(from, to)| to - from).product());
        of.set(VALUE, u64::from(holes));
        Ok(of.object())
    }

    /// The sensitivity that is `part` from element `at` on, in range, in its dense form; nothing if it is too small a part for that.
    pub fn collector_piece(
        &mut self,
        lengths: &[u64],
        at: u64,
        part: ArrayView,
        holes: bool,
    ) -> Option<Result<*mut u64, Code>> {
        let size = lengths.iter().product::<u64>();
        if size > FEW && (part.size() as u64).saturating_mul(4) < size {
            return None;
        }
        let array = match self.holes(lengths) {
            Ok(array) => array,
            Err(code) => return Some(Err(code)),
        };
        // SAFETY: the array is new, and the part is in range.
        let out = unsafe { slice::from_raw_parts_mut(array.elements().cast::<f64>(), array.size()) };
        let zero = if holes { HOLE } else { 0.0 };
        let out = &mut out[at as usize..at as usize + part.size()];
        out.iter_mut().zip(reals(part)).for_each(|(out, x)| *out = x + zero);
        Some(Ok(array.object))
    }

    /// A new array of holes.
    fn holes(&mut self, lengths: &[u64]) -> Result<ArrayView, Code> {
        // SAFETY: the descriptor is that of arrays of reals; the array is new.
        unsafe {
            let array = ArrayView::new(self.array(reals_descriptor(), lengths)?);
            slice::from_raw_parts_mut(array.elements().cast::<f64>(), array.size()).fill(HOLE);
            Ok(array)
        }
    }

    /// Takes an owner; what nobody owns is freed.
    fn drop_object(&mut self, object: *mut u64) {
        // SAFETY: callers give up an owner of a live object; no value of the evaluator is inside, so the stack doesn't matter.
        unsafe { self.release(object as u64) };
    }

    /// The dense form of a native handle, owned; takes an owner of the handle. What others see of it becomes dense too.
    ///
    /// # Safety
    /// `object` is a live native handle.
    pub unsafe fn dense(&mut self, object: *mut u64) -> Result<*mut u64, Code> {
        // SAFETY: by this function's contract.
        let collector = match unsafe { term(object) } {
            Some(Term::Collector(collector)) => collector,
            _ => return Ok(object),
        };
        if collector.form() != Form::Dense {
            let array = self.holes(collector.lengths())?;
            // SAFETY: the array is new and has the collector's shape.
            unsafe { spread(elements(array), Term::Collector(collector)) };
            let (first, second) = (collector.get(FIRST), collector.get(SECOND));
            collector.set(FORM, Form::Dense as u64);
            collector.set(FIRST, array.object as u64);
            collector.set(SECOND, 0);
            // SAFETY: the collector owned them.
            unsafe {
                self.release(first);
                self.release(second);
            }
        }
        let array = collector.first();
        // SAFETY: the array is alive; the collector may go now.
        unsafe { object::retain(array as u64) };
        self.drop_object(collector.object());
        Ok(array)
    }

    /// `a ⊕ b`; owns both. Nothing if they don't fit each other.
    ///
    /// # Safety
    /// Both are live native handles.
    pub unsafe fn plus(&mut self, a: *mut u64, b: *mut u64) -> Result<*mut u64, Code> {
        // SAFETY: by this function's contract.
        let (a, b) = unsafe { (self.opened(a), self.opened(b)) };
        if !are_same(a.lengths(), b.lengths()) {
            let empty = |term: Term| term.lengths().contains(&0);
            if !(empty(a) && empty(b)) {
                return Err(codes::NOT_CONFORMING);
            }
            self.drop_object(b.object());
            return Ok(a.object());
        }
        for (zero, other) in [(a, b), (b, a)] {
            if zero.weight() == 0 && matches!(zero, Term::Collector(_)) {
                self.drop_object(zero.object());
                return Ok(other.object());
            }
        }
        for (target, other) in [(a, b), (b, a)] {
            if let Term::Dense(array) = target
                && target.is_unique()
            {
                // SAFETY: nobody else sees the array; the other has its shape.
                unsafe { add_to(elements(array), other) };
                self.drop_object(other.object());
                return Ok(array.object);
            }
        }
        self.plus_shared(a, b)
    }

    /// A dense collector gives way to its array.
    ///
    /// # Safety
    /// `object` is a live native handle, whose owner goes to the result.
    unsafe fn opened(&mut self, object: *mut u64) -> Term {
        // SAFETY: by this function's contract.
        unsafe {
            let term = term(object).expect("collector: a native handle");
            match term {
                Term::Collector(collector) if collector.form() == Form::Dense => {
                    let array = collector.first();
                    object::retain(array as u64);
                    self.drop_object(object);
                    Term::Dense(ArrayView::new(array))
                }
                _ => term,
            }
        }
    }

    /// Neither is an array that nobody else sees.
    fn plus_shared(&mut self, a: Term, b: Term) -> Result<*mut u64, Code> {
        let size = a.lengths().iter().product::<u64>();
        let weight = a.weight().saturating_add(b.weight());
        let has_dense = matches!(a, Term::Dense(_)) || matches!(b, Term::Dense(_));
        let spread_out = if has_dense { weight > size.saturating_mul(4) } else { weight.saturating_mul(4) >= size };
        if size <= FEW || spread_out {
            let array = self.holes(a.lengths())?;
            // SAFETY: the array is new and has the shape of both.
            unsafe {
                spread(elements(array), a);
                add_to(elements(array), b);
            }
            self.drop_object(a.object());
            self.drop_object(b.object());
            return Ok(array.object);
        }
        if let (Term::Collector(a), Term::Collector(b)) = (a, b) {
            if let Some(target) = self.appended(a, b)? {
                return Ok(target);
            }
            for (chain, other) in [(a, b), (b, a)] {
                if chain.form() == Form::Chain && chain.is_unique() && other.is_scattered() {
                    // SAFETY: the second part of a chain is a collector.
                    let singles = unsafe { Collector::at(chain.get(SECOND) as *mut u64) };
                    self.append_all(singles, other)?;
                    self.drop_object(other.object());
                    chain.set(AT, weight);
                    return Ok(chain.object());
                }
            }
        }
        let on_top = |term: Term| matches!(term, Term::Collector(of) if of.is_scattered() && of.is_unique());
        let (form, first, second) = match (a, b) {
            (first, Term::Collector(log)) | (Term::Collector(log), first) if on_top(Term::Collector(log)) => {
                log.add_up();
                (Form::Chain, first, Term::Collector(log))
            }
            _ => (Form::Link, a, b),
        };
        let link = self.collector(form, a.lengths())?;
        link.set(FIRST, first.object() as u64);
        link.set(SECOND, second.object() as u64);
        link.set(AT, weight);
        Ok(link.object())
    }

    /// Single elements added to single elements, in place; owns both. Nothing, and nothing was changed, if they aren't such.
    fn appended(&mut self, a: Collector, b: Collector) -> Result<Option<*mut u64>, Code> {
        if !a.is_scattered() || !b.is_scattered() {
            return Ok(None);
        }
        let (target, other) = match (a.is_unique(), b.is_unique()) {
            (true, true) if b.weight() > a.weight() => (b, a),
            (true, _) => (a, b),
            (false, true) => (b, a),
            (false, false) => return Ok(None),
        };
        self.append_all(target, other)?;
        self.drop_object(other.object());
        Ok(Some(target.object()))
    }

    fn append_all(&mut self, target: Collector, other: Collector) -> Result<(), Code> {
        if other.form() == Form::One {
            return self.append(target, other.get(AT), f64::from_bits(other.get(VALUE)));
        }
        other.add_up();
        other.pairs().iter().try_for_each(|pair| self.append(target, pair.at, f64::from_bits(pair.value)))
    }

    /// One more element for a collector of single ones that nobody else sees.
    #[inline]
    fn append(&mut self, target: Collector, at: u64, value: f64) -> Result<(), Code> {
        if target.form() == Form::One {
            let one = Pair { at: target.get(AT), value: target.get(VALUE) };
            // SAFETY: a collector of one element has room for pairs.
            unsafe { target.log().write(one) };
            target.set(FORM, Form::Log as u64);
            target.set(AT, 1);
        }
        let used = target.get(AT);
        if used == target.room() {
            self.grow(target)?;
        }
        // SAFETY: there is room for one more pair.
        unsafe { target.log().add(used as usize).write(Pair { at, value: value.to_bits() }) };
        target.set(AT, used + 1);
        target.set(VALUE, 0);
        Ok(())
    }

    #[cold]
    fn grow(&mut self, target: Collector) -> Result<(), Code> {
        let used = target.get(AT);
        // SAFETY: the new array has room for the pairs of the old, which the collector owned.
        unsafe {
            let log = ArrayView::new(self.array(reals_descriptor(), &[4 * target.room()])?);
            log.elements().cast::<Pair>().copy_from_nonoverlapping(target.log(), used as usize);
            self.release(target.get(FIRST));
            target.set(FIRST, log.object as u64);
        }
        Ok(())
    }

    /// A native handle, owned, plus `value` at an element in range of an array of these lengths.
    ///
    /// # Safety
    /// `sum` is a live native handle.
    pub unsafe fn add_at(&mut self, sum: *mut u64, lengths: &[u64], at: u64, value: f64) -> Result<*mut u64, Code> {
        // SAFETY: by this function's contract.
        if let Some(Term::Collector(target)) = unsafe { term(sum) }
            && target.is_unique()
            && target.is_scattered()
            && are_same(target.lengths(), lengths)
            && (target.weight() + 1) * 4 < target.get(SIZE)
            && target.get(SIZE) > FEW
        {
            self.append(target, at, value)?;
            return Ok(sum);
        }
        let one = self.collector_one(lengths, at, value)?;
        // SAFETY: both are live native handles.
        unsafe { self.plus(sum, one) }
    }
}

/// The elements of an array of reals.
///
/// # Safety
/// Nobody else sees the array.
unsafe fn elements<'a>(array: ArrayView) -> &'a mut [f64] {
    // SAFETY: an array of reals has so many elements, and nobody else sees them.
    unsafe { slice::from_raw_parts_mut(array.elements().cast::<f64>(), array.size()) }
}

/// The elements of an array of reals.
pub fn reals<'a>(array: ArrayView) -> &'a [f64] {
    // SAFETY: reals are words, and the array is alive while it is looked at.
    unsafe { slice::from_raw_parts(array.elements().cast(), array.size()) }
}
