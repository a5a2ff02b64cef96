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
    /// `at` pairs, an element's number and a value, to be added in this order: in the collector itself, or where `first` is an array, in that. Has each
    /// element one pair: `value`.
    Log,
    /// `first ⊕ second`; `at` contributions.
    Link,
    /// `first`, then one after the other what is in `second`, a collector of single elements that nobody else sees; `at` contributions.
    Chain,
    /// `first`, an array of reals, in a box: `second` is an array of the first and last positions (exclusive) on each axis; `at`
    /// elements. Is −0.0 the symbolic zero in it: `value`.
    Box,
    /// `first`, the dense form: somebody looked at a collector that others see too.
    Dense,
}

const FORMS: [Form; 7] = [Form::Zero, Form::One, Form::Log, Form::Link, Form::Chain, Form::Box, Form::Dense];

const fn descriptors(room: u64) -> [[u64; 5]; MOST_AXES + 1] {
    let mut all = [[0; 5]; MOST_AXES + 1];
    let mut rank = 0;
    while rank <= MOST_AXES {
        all[rank] = [COLLECTOR, 7 + rank as u64 + 2 * room, 2, (FIRST - HEADER) as u64, (SECOND - HEADER) as u64];
        rank += 1;
    }
    all
}

static DESCRIPTORS: [[u64; 5]; MOST_AXES + 1] = descriptors(0);

/// How many pairs have room in a collector that begins with one element.
const INSIDE: u64 = 8;

/// Of such collectors.
static ROOMY: [[u64; 5]; MOST_AXES + 1] = descriptors(INSIDE);

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

/// A collector, looked at.
#[derive(Clone, Copy)]
struct Collector(*mut u64);

/// An element and the bits of what is added to it.
#[derive(Clone, Copy)]
#[repr(C)]
struct Pair {
    at: u64,
    value: u64,
}

/// Of a log: no two pairs are for the same element.
const DISTINCT: u64 = 1;

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
            Form::Log | Form::Link | Form::Chain | Form::Box => self.get(AT),
            Form::Dense => self.get(SIZE),
        }
    }

    /// Single elements only?
    fn is_scattered(self) -> bool {
        matches!(self.form(), Form::One | Form::Log)
    }

    /// Where the pairs of a log are, or those of a single element would be.
    fn log(self) -> *mut Pair {
        // SAFETY: the first part of a log, if there is one, is an array of pairs; otherwise the collector has room for some.
        unsafe {
            let words = match self.first() {
                first if first.is_null() => self.0.add(LENGTHS + self.get(RANK) as usize),
                first => ArrayView::new(first).elements(),
            };
            words.cast()
        }
    }

    /// The pairs of a log.
    fn pairs<'a>(self) -> &'a mut [Pair] {
        // SAFETY: there are so many pairs; nobody holds another reference to them.
        unsafe { slice::from_raw_parts_mut(self.log(), self.get(AT) as usize) }
    }

    /// Adds up the pairs of a log that are for the same element, so that their order doesn't matter any more. It means the same as before.
    fn add_up(self) {
        if self.form() == Form::Log && self.get(VALUE) != DISTINCT {
            let distinct = add_up(self.pairs());
            self.set(AT, distinct as u64);
            self.set(VALUE, DISTINCT);
        }
    }

    /// Calls `add` with what is in a collector of single elements, in order.
    fn each_single(self, mut add: impl FnMut(u64, f64)) {
        if self.form() == Form::One {
            return add(self.get(AT), f64::from_bits(self.get(VALUE)));
        }
        self.pairs().iter().for_each(|pair| add(pair.at, f64::from_bits(pair.value)));
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
                    self.append_all(Collector(chain.get(SECOND) as *mut u64), other)?;
                    self.drop_object(other.0);
                    chain.set(AT, weight);
                    return Ok(chain.0);
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
        if used == self::room(target) {
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
            let log = ArrayView::new(self.array(reals_descriptor(), &[4 * self::room(target)])?);
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

/// How many pairs a log has room for.
fn room(log: Collector) -> u64 {
    match log.first() {
        first if first.is_null() => INSIDE,
        // SAFETY: otherwise the first part of a log is an array.
        first => unsafe { ArrayView::new(first) }.lengths()[0] / 2,
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

/// Adds up pairs for the same element, in their order; says how many are left. They are the first ones.
fn add_up(pairs: &mut [Pair]) -> usize {
    // `+ 0.0` keeps a numeric zero apart from a hole.
    let sum = |a: Pair, b: Pair| ((f64::from_bits(a.value) + 0.0) + (f64::from_bits(b.value) + 0.0)).to_bits();
    if pairs.len() as u64 <= INSIDE {
        let mut distinct = 0;
        for next in 0..pairs.len() {
            let pair = pairs[next];
            match pairs[..distinct].iter_mut().find(|known| known.at == pair.at) {
                Some(known) => known.value = sum(*known, pair),
                None => {
                    pairs[distinct] = pair;
                    distinct += 1;
                }
            }
        }
        return distinct;
    }
    pairs.sort_by_key(|pair| pair.at);
    let mut last = 0;
    for next in 1..pairs.len() {
        let pair = pairs[next];
        if pair.at == pairs[last].at {
            pairs[last].value = sum(pairs[last], pair);
        } else {
            last += 1;
            pairs[last] = pair;
        }
    }
    (last + 1).min(pairs.len())
}

/// What is added to the first term of a sum.
enum Later {
    /// As a whole.
    Whole(Term),
    /// Element by element.
    Singles(Collector),
}

/// The term that a sum begins with, and what is added to it, the last first. Of two terms the one with more contributions comes
/// first: so whatever is added as a whole has at most half of them, and what goes on inside of that isn't nested deeply.
///
/// # Safety
/// The term is alive.
unsafe fn taken_apart(term: Term) -> (Term, Vec<Later>) {
    let (mut first, mut later) = (term, vec![]);
    loop {
        let Term::Collector(part) = first else { return (first, later) };
        // SAFETY: the parts of a collector are alive.
        let parts = || unsafe {
            [part.get(FIRST), part.get(SECOND)]
                .map(|part| self::term(part as *mut u64).expect("collector: a native part"))
        };
        match part.form() {
            Form::Link => {
                let [a, b] = parts();
                let (more, fewer) = if b.weight() > a.weight() { (b, a) } else { (a, b) };
                later.push(Later::Whole(fewer));
                first = more;
            }
            Form::Chain => {
                later.push(Later::Singles(Collector(part.get(SECOND) as *mut u64)));
                // SAFETY: as above.
                first = unsafe { self::term(part.first()) }.expect("collector: a native part");
            }
            // SAFETY: as above.
            Form::Dense => first = Term::Dense(unsafe { ArrayView::new(part.first()) }),
            Form::Zero | Form::One | Form::Log | Form::Box => return (first, later),
        }
    }
}

/// `sums`, holes until now, becomes the term.
///
/// # Safety
/// The term is alive and of the same shape.
unsafe fn spread(sums: &mut [f64], term: Term) {
    // SAFETY: by this function's contract; parts are of the same shape.
    unsafe {
        let (first, later) = taken_apart(term);
        match first {
            Term::Collector(log) if log.is_scattered() => log.each_single(|at, x| sums[at as usize] += x + 0.0),
            first => add_to(sums, first),
        }
        for part in later.into_iter().rev() {
            match part {
                Later::Whole(term) => add_to(sums, term),
                Later::Singles(log) => log.each_single(|at, x| sums[at as usize] += x + 0.0),
            }
        }
    }
}

/// `sums ⊕= term`
///
/// # Safety
/// The term is alive and of the same shape.
unsafe fn add_to(sums: &mut [f64], term: Term) {
    let part = match term {
        // `+ HOLE` changes nothing.
        Term::Dense(other) => return sums.iter_mut().zip(reals(other)).for_each(|(sum, x)| *sum += x),
        Term::Collector(part) => part,
    };
    match part.form() {
        Form::Zero => {}
        Form::One | Form::Log => {
            part.add_up();
            part.each_single(|at, x| sums[at as usize] += x + 0.0);
        }
        Form::Box => add_box(sums, part),
        // SAFETY: the parts of a collector are alive, and of its shape.
        Form::Dense => unsafe { add_to(sums, Term::Dense(ArrayView::new(part.first()))) },
        Form::Link | Form::Chain if part.weight().saturating_mul(4) >= sums.len() as u64 => {
            let mut whole = vec![HOLE; sums.len()];
            // SAFETY: by this function's contract.
            unsafe { spread(&mut whole, term) };
            sums.iter_mut().zip(whole).for_each(|(sum, x)| *sum += x);
        }
        Form::Link | Form::Chain => {
            // SAFETY: as above.
            let pairs = unsafe { pairs(term) };
            pairs.iter().for_each(|pair| sums[pair.at as usize] += f64::from_bits(pair.value) + 0.0);
        }
    }
}

/// What a term adds to each element, if those are few.
///
/// # Safety
/// The term is alive.
unsafe fn pairs(term: Term) -> Vec<Pair> {
    let mut pairs = vec![];
    let mut single = |at: u64, x: f64| pairs.push(Pair { at, value: x.to_bits() });
    // SAFETY: by this function's contract.
    let (first, later) = unsafe { taken_apart(term) };
    match first {
        Term::Dense(array) => {
            let numbers = reals(array).iter().enumerate().filter(|(_, x)| !is_hole(**x));
            numbers.for_each(|(at, x)| single(at as u64, *x));
        }
        Term::Collector(part) => match part.form() {
            Form::Box => each_in_box(part, |at, run, zero| {
                (at..).zip(run).filter(|(_, x)| !is_hole(**x + zero)).for_each(|(at, x)| single(at as u64, *x));
            }),
            Form::One | Form::Log => part.each_single(single),
            Form::Zero | Form::Link | Form::Chain | Form::Dense => {}
        },
    }
    for part in later.into_iter().rev() {
        match part {
            // SAFETY: as above.
            Later::Whole(term) => pairs.extend(unsafe { self::pairs(term) }),
            Later::Singles(log) => log.each_single(|at, x| pairs.push(Pair { at, value: x.to_bits() })),
        }
    }
    let distinct = add_up(&mut pairs);
    pairs.truncate(distinct);
    pairs
}

/// `sums[box] ⊕= value`
fn add_box(sums: &mut [f64], part: Collector) {
    each_in_box(part, |start, run, zero| {
        sums[start..start + run.len()].iter_mut().zip(run).for_each(|(sum, x)| *sum += x + zero);
    });
}

/// The runs of the last axis of a box: where each begins, its numbers, and what makes numbers of them when it is added.
fn each_in_box(part: Collector, mut add: impl FnMut(usize, &[f64], f64)) {
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
        add(start, run, zero);
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
