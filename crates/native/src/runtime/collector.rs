//! Sensitivities of arrays of reals while they are being collected.
//!
//! The word of a handle points to one of three kinds of object: a value of the evaluator (`handle`), an *array of reals* in which
//! −0.0 is the symbolic zero (the dense form; numbers in it are never −0.0), or a *collector*: what was added so far, not yet
//! spread out. A sum that nobody else sees is added to in place. A collector that holds a quarter as many contributions as
//! the array has elements becomes dense; so n reads of an n-array cost O(n) in all, whatever their order.
//!
//! A collector is `[count][descriptor][form][size][first][second][at][value][rank][lengths…]`. It holds no value of the evaluator, so
//! that freeing one needs no stack. Everything here runs on either stack and holds nothing with a destructor when it fails.

use std::slice;

use base::{Code, codes};

use super::Context;
use super::object::{self, ARRAY, ArrayView, COLLECTOR, Descriptor, HEADER};

/// The symbolic zero as an element.
pub const HOLE: f64 = -0.0;

pub fn is_hole(x: f64) -> bool {
    x.to_bits() == HOLE.to_bits()
}

/// Collectors of arrays with more axes aren't made.
pub const MOST_AXES: usize = 8;
/// Arrays of so few elements are collected densely at once.
const FEW: u64 = 32;

const FORM: usize = HEADER;
const SIZE: usize = HEADER + 1;
const FIRST: usize = HEADER + 2;
const SECOND: usize = HEADER + 3;
const AT: usize = HEADER + 4;
const VALUE: usize = HEADER + 5;
const RANK: usize = HEADER + 6;
const LENGTHS: usize = HEADER + 7;

/// How a collector holds what was added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
enum Form {
    /// Nothing.
    Zero,
    /// `value` at element `at`.
    One,
    /// `first` is an array of `at` pairs: an element's number and a value.
    Log,
    /// `first ⊕ second`; `at` contributions.
    Link,
    /// `first`, an array of reals, in a box: `second` is an array of the first and last positions (exclusive) on each axis; `at`
    /// elements. Is −0.0 the symbolic zero in it: `value`.
    Box,
    /// `first`, the dense form: somebody looked at a collector that others see too.
    Dense,
}

const FORMS: [Form; 6] = [Form::Zero, Form::One, Form::Log, Form::Link, Form::Box, Form::Dense];

const fn descriptor_of(rank: u64) -> [u64; 5] {
    [COLLECTOR, 7 + rank, 2, (FIRST - HEADER) as u64, (SECOND - HEADER) as u64]
}

static DESCRIPTORS: [[u64; 5]; MOST_AXES + 1] = {
    let mut all = [[0; 5]; MOST_AXES + 1];
    let mut rank = 0;
    while rank <= MOST_AXES {
        all[rank] = descriptor_of(rank as u64);
        rank += 1;
    }
    all
};

/// Of arrays of words that are no pointers.
static WORDS: [u64; 3] = [ARRAY, 1, 0];

/// The descriptor of arrays of reals.
pub fn reals_descriptor() -> *const Descriptor {
    (&raw const WORDS).cast()
}

/// A collector, looked at.
#[derive(Clone, Copy)]
struct Collector(*mut u64);

impl Collector {
    fn get(self, at: usize) -> u64 {
        // SAFETY: a `Collector` is made of live collectors only, whose words are initialised.
        unsafe { self.0.add(at).read() }
    }

    fn set(self, at: usize, word: u64) {
        // SAFETY: as above; only collectors that nobody else sees are changed, or changed so that they mean the same.
        unsafe { self.0.add(at).write(word) };
    }

    fn form(self) -> Form {
        FORMS[self.get(FORM) as usize]
    }

    fn lengths<'a>(self) -> &'a [u64] {
        // SAFETY: as many words as the rank says follow it.
        unsafe { slice::from_raw_parts(self.0.add(LENGTHS), self.get(RANK) as usize) }
    }

    fn first(self) -> *mut u64 {
        self.get(FIRST) as *mut u64
    }

    fn is_unique(self) -> bool {
        self.get(0) == 1
    }

    /// How many numbers were added.
    fn weight(self) -> u64 {
        match self.form() {
            Form::Zero => 0,
            Form::One => 1,
            Form::Log | Form::Link | Form::Box => self.get(AT),
            Form::Dense => self.get(SIZE),
        }
    }

    /// Single elements only?
    fn is_scattered(self) -> bool {
        matches!(self.form(), Form::One | Form::Log)
    }
}

/// A handle's word that isn't a value of the evaluator.
#[derive(Clone, Copy)]
enum Term {
    Dense(ArrayView),
    Collector(Collector),
}

impl Term {
    fn lengths<'a>(self) -> &'a [u64] {
        match self {
            Term::Dense(array) => array.lengths(),
            Term::Collector(collector) => collector.lengths(),
        }
    }

    fn object(self) -> *mut u64 {
        match self {
            Term::Dense(array) => array.object,
            Term::Collector(collector) => collector.0,
        }
    }

    fn is_unique(self) -> bool {
        // SAFETY: a term is alive.
        unsafe { object::count(self.object()) == 1 }
    }

    fn weight(self) -> u64 {
        match self {
            Term::Dense(array) => array.size() as u64,
            Term::Collector(collector) => collector.weight(),
        }
    }
}

/// # Safety
/// `object` is a live handle.
unsafe fn term(object: *mut u64) -> Option<Term> {
    // SAFETY: by this function's contract.
    unsafe {
        match object::descriptor(object).kind {
            ARRAY => Some(Term::Dense(ArrayView::new(object))),
            COLLECTOR => Some(Term::Collector(Collector(object))),
            _ => None,
        }
    }
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
            Term::Dense(array) if object::count(object) == 1 && array.lengths() == lengths => {
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
    unsafe { add_to_elements(&mut sums, term) };
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
        let object = self.allocate(LENGTHS + lengths.len())?;
        // SAFETY: the object has that many words.
        unsafe {
            object::begin(object, (&raw const DESCRIPTORS[lengths.len()]).cast());
            object.add(FORM).write_bytes(0, LENGTHS - FORM);
            object.add(LENGTHS).copy_from_nonoverlapping(lengths.as_ptr(), lengths.len());
        }
        let collector = Collector(object);
        collector.set(FORM, form as u64);
        collector.set(SIZE, lengths.iter().product());
        collector.set(RANK, lengths.len() as u64);
        Ok(collector)
    }

    /// The sensitivity that is zero everywhere.
    pub fn collector_zero(&mut self, lengths: &[u64]) -> Result<*mut u64, Code> {
        Ok(self.collector(Form::Zero, lengths)?.0)
    }

    /// The sensitivity that is `value` at one element, in range.
    #[inline]
    pub fn collector_one(&mut self, lengths: &[u64], at: u64, value: f64) -> Result<*mut u64, Code> {
        let one = self.collector(Form::One, lengths)?;
        one.set(AT, at);
        one.set(VALUE, value.to_bits());
        Ok(one.0)
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
        Ok(of.0)
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
            unsafe { add_to(array, Term::Collector(collector)) };
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
        self.drop_object(collector.0);
        Ok(array)
    }

    /// `a ⊕ b`; owns both. Nothing if they don't fit each other.
    ///
    /// # Safety
    /// Both are live native handles.
    pub unsafe fn plus(&mut self, a: *mut u64, b: *mut u64) -> Result<*mut u64, Code> {
        // SAFETY: by this function's contract.
        let (a, b) = unsafe { (self.opened(a), self.opened(b)) };
        if a.lengths() != b.lengths() {
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
                unsafe { add_to(array, other) };
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
            for part in [a, b] {
                // SAFETY: the array is new and has the shape of both.
                unsafe { add_to(array, part) };
                self.drop_object(part.object());
            }
            return Ok(array.object);
        }
        if let (Term::Collector(a), Term::Collector(b)) = (a, b) {
            if let Some(target) = self.appended(a, b)? {
                return Ok(target);
            }
            for (link, other) in [(a, b), (b, a)] {
                let second = Collector(link.get(SECOND) as *mut u64);
                if link.form() == Form::Link
                    && link.is_unique()
                    && other.is_scattered()
                    // SAFETY: the parts of a link are alive.
                    && matches!(unsafe { term(second.0) }, Some(Term::Collector(part)) if part.is_unique() && part.is_scattered())
                    && let Some(appended) = self.appended(second, other)?
                {
                    link.set(SECOND, appended as u64);
                    link.set(AT, weight);
                    return Ok(link.0);
                }
            }
        }
        let link = self.collector(Form::Link, a.lengths())?;
        link.set(FIRST, a.object() as u64);
        link.set(SECOND, b.object() as u64);
        link.set(AT, weight);
        Ok(link.0)
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
        self.drop_object(other.0);
        Ok(Some(target.0))
    }

    fn append_all(&mut self, target: Collector, other: Collector) -> Result<(), Code> {
        if other.form() == Form::One {
            return self.append(target, other.get(AT), f64::from_bits(other.get(VALUE)));
        }
        for at in 0..other.get(AT) as usize {
            let (element, value) = entry(other, at);
            self.append(target, element, value)?;
        }
        Ok(())
    }

    /// One more element for a collector of single ones that nobody else sees.
    #[inline]
    fn append(&mut self, target: Collector, at: u64, value: f64) -> Result<(), Code> {
        let used = if target.form() == Form::One { 0 } else { target.get(AT) };
        let room = if target.form() == Form::One { 0 } else { self::room(target) };
        if used == room {
            self.grow(target)?;
        }
        let used = target.get(AT);
        // SAFETY: there is room for one more pair.
        unsafe {
            let pair = ArrayView::new(target.first()).elements().add(2 * used as usize);
            pair.write(at);
            pair.add(1).write(value.to_bits());
        }
        target.set(AT, used + 1);
        Ok(())
    }

    #[cold]
    fn grow(&mut self, target: Collector) -> Result<(), Code> {
        const BEGIN: u64 = 8;
        let one = (target.form() == Form::One).then(|| (target.get(AT), target.get(VALUE)));
        let used = if one.is_some() { 0 } else { target.get(AT) };
        let room = if one.is_some() { BEGIN } else { 2 * self::room(target) };
        // SAFETY: the new array has room for the pairs of the old, which the collector owned.
        unsafe {
            let log = ArrayView::new(self.array(reals_descriptor(), &[2 * room])?);
            if let Some((at, value)) = one {
                log.elements().write(at);
                log.elements().add(1).write(value);
            } else {
                let old = ArrayView::new(target.first());
                log.elements().copy_from_nonoverlapping(old.elements(), 2 * used as usize);
                self.drop_object(old.object);
            }
            target.set(FIRST, log.object as u64);
        }
        target.set(FORM, Form::Log as u64);
        target.set(AT, if one.is_some() { 1 } else { used });
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
            && target.lengths() == lengths
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

/// How many pairs the array of a log has room for.
fn room(log: Collector) -> u64 {
    // SAFETY: the first part of a log is an array.
    unsafe { ArrayView::new(log.first()) }.lengths()[0] / 2
}

/// One of the pairs of a log.
fn entry(log: Collector, at: usize) -> (u64, f64) {
    // SAFETY: `at` is less than the number of pairs.
    unsafe {
        let pair = ArrayView::new(log.first()).elements().add(2 * at);
        (pair.read(), f64::from_bits(pair.add(1).read()))
    }
}

/// `array ⊕= term`
///
/// # Safety
/// Nobody else sees the array; the term is alive and of the same shape.
unsafe fn add_to(array: ArrayView, term: Term) {
    // SAFETY: an array of reals has so many elements, and nobody else sees them.
    unsafe {
        let sums = slice::from_raw_parts_mut(array.elements().cast::<f64>(), array.size());
        add_to_elements(sums, term);
    }
}

/// # Safety
/// The term is alive and of the same shape.
unsafe fn add_to_elements(sums: &mut [f64], term: Term) {
    let (mut waiting, mut next) = (vec![], Some(term));
    while let Some(term) = next {
        match term {
            // `+ HOLE` changes nothing.
            Term::Dense(other) => sums.iter_mut().zip(reals(other)).for_each(|(sum, x)| *sum += x),
            Term::Collector(part) => match part.form() {
                Form::Zero => {}
                // `+ 0.0` keeps a numeric zero apart from a hole.
                Form::One => sums[part.get(AT) as usize] += f64::from_bits(part.get(VALUE)) + 0.0,
                Form::Log => {
                    for at in 0..part.get(AT) as usize {
                        let (element, value) = entry(part, at);
                        sums[element as usize] += value + 0.0;
                    }
                }
                // SAFETY: the parts of a collector are alive, and of its shape.
                Form::Link => unsafe {
                    let parts = [part.get(SECOND), part.get(FIRST)];
                    waiting.extend(parts.iter().filter_map(|part| self::term(*part as *mut u64)));
                },
                Form::Box => add_box(sums, part),
                // SAFETY: as above.
                Form::Dense => waiting.push(Term::Dense(unsafe { ArrayView::new(part.first()) })),
            },
        }
        next = waiting.pop();
    }
}

/// `sums[box] ⊕= value`, run by run of the last axis.
fn add_box(sums: &mut [f64], part: Collector) {
    // SAFETY: the parts of a box are arrays.
    let (value, places) = unsafe { (ArrayView::new(part.first()), ArrayView::new(part.get(SECOND) as *mut u64)) };
    let zero = if part.get(VALUE) == 1 { HOLE } else { 0.0 };
    let axes: Vec<(usize, usize)> =
        places.words().chunks_exact(2).map(|axis| (axis[0] as usize, axis[1] as usize)).collect();
    let lengths = part.lengths();
    let Some((&(from, to), outer)) = axes.split_last() else { return };
    if axes.iter().any(|(from, to)| from >= to) {
        return;
    }
    let mut position: Vec<usize> = outer.iter().map(|(from, _)| *from).collect();
    for run in reals(value).chunks_exact(to - from) {
        let row = position.iter().zip(lengths).fold(0, |at, (i, length)| at * *length as usize + i);
        let start = row * lengths[lengths.len() - 1] as usize + from;
        sums[start..start + run.len()].iter_mut().zip(run).for_each(|(sum, x)| *sum += x + zero);
        for axis in (0..position.len()).rev() {
            position[axis] += 1;
            if position[axis] < outer[axis].1 {
                break;
            }
            position[axis] = outer[axis].0;
        }
    }
}

/// The elements of an array of reals.
pub fn reals<'a>(array: ArrayView) -> &'a [f64] {
    // SAFETY: reals are words, and the array is alive while it is looked at.
    unsafe { slice::from_raw_parts(array.elements().cast(), array.size()) }
}
