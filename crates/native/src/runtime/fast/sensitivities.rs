//! Sensitivities of arrays of reals: parts of them, whole ones, and reading and replacing in arrays.

use calculus::Prim;
use first_order::{Head, ShapeId};

use super::{Call, Operand, Outcome, Target, number_zeros, unshared};
use crate::layout::ElementKind;
use crate::runtime::collector::{self, HOLE, is_hole, reals};
use crate::runtime::object::ArrayView;

/// What is asked of one axis: from, to (exclusive), and whether the part keeps the axis.
type Axis = (u64, u64, bool);

impl Call<'_> {
    /// The lengths of what a sensitivity belongs to, or nothing but its lengths as a sensitivity.
    ///
    /// # Safety
    /// As for `apply`.
    pub(super) unsafe fn frame(&mut self) -> Outcome {
        // SAFETY: by this function's contract.
        let lengths = unsafe { self.lengths(0)? };
        let shape = self.border.shapes.get(self.site.result);
        let [one] = &shape.alternatives[..] else { return None };
        match one.head {
            Head::Frame(rank) if rank as usize == lengths.len() => self.out.copy_from_slice(&lengths),
            Head::Handle(_) if lengths.len() <= collector::MOST_AXES => match self.ctx.collector_zero(&lengths) {
                Ok(object) => self.out[0] = object as u64,
                Err(code) => return Some(Err(code)),
            },
            _ => return None,
        }
        self.release_arguments(None);
        Some(Ok(()))
    }

    /// Which part an index means; nothing if it is out of range or no index.
    fn region(&self, at: usize, lengths: &[u64]) -> Option<Vec<Axis>> {
        let start = self.start(at);
        let id = self.site.args[at];
        let one = self.only(id)?;
        let mut axes = vec![];
        match one.head {
            Head::Int => axes.push(position(self.args[start], *lengths.first()?)?),
            Head::Tuple => {
                if one.parts.len() > lengths.len() {
                    return None;
                }
                let starts = &self.border.layouts.get(id).alternatives[0].starts;
                for ((&part, &offset), &length) in one.parts.iter().zip(starts).zip(lengths) {
                    axes.push(self.axis(part, start + offset, length)?);
                }
            }
            _ => return None,
        }
        axes.extend(lengths[axes.len()..].iter().map(|&length| (0, length, true)));
        Some(axes)
    }

    fn axis(&self, shape: ShapeId, at: usize, length: u64) -> Option<Axis> {
        let one = self.only(shape)?;
        match (&one.head, one.parts.len()) {
            (Head::Int, _) => position(self.args[at], length),
            (Head::Tuple, 0) => Some((0, length, true)),
            (Head::Tuple, 2) => {
                let starts = &self.border.layouts.get(shape).alternatives[0].starts;
                let from = self.end(one.parts[0], at + starts[0], 0, length)?;
                let to = self.end(one.parts[1], at + starts[1], length, length)?;
                (from <= to).then_some((from, to, true))
            }
            _ => None,
        }
    }

    /// An end of a range.
    fn end(&self, shape: ShapeId, at: usize, absent: u64, length: u64) -> Option<u64> {
        let one = self.only(shape)?;
        match one.head {
            Head::Int => Some(self.args[at]).filter(|&end| end <= length),
            Head::Tuple if one.parts.is_empty() => Some(absent),
            _ => None,
        }
    }

    fn only(&self, shape: ShapeId) -> Option<&first_order::Alternative> {
        let shape = self.border.shapes.get(shape);
        match &shape.alternatives[..] {
            [one] if shape.named.is_none() => Some(one),
            _ => None,
        }
    }

    /// The sensitivity of an array that is `d` in a part and zero elsewhere.
    ///
    /// # Safety
    /// As for `apply`.
    pub(super) unsafe fn place(&mut self) -> Outcome {
        // SAFETY: by this function's contract.
        unsafe {
            let lengths = self.lengths(0)?;
            if lengths.len() > collector::MOST_AXES {
                return None;
            }
            let axes = self.region(1, &lengths)?;
            let result = self.only(self.site.result)?;
            if result.head != Head::Handle(lengths.len() as u32) || !self.holds_reals(result) {
                return None;
            }
            let kept = kept(&axes);
            let places: Vec<(u64, u64)> = axes.iter().map(|(from, to, _)| (*from, *to)).collect();
            let made = match self.operand(2)? {
                Operand::Real(x) if kept.is_empty() => {
                    let at = places.iter().zip(&lengths).fold(0, |at, ((from, _), length)| at * length + from);
                    self.ctx.collector_one(&lengths, at, x)
                }
                d => {
                    let (array, holes) = d.reals()?;
                    if kept.is_empty() || *array.lengths() != *kept {
                        return None;
                    }
                    crate::runtime::object::retain(array.object as u64);
                    self.ctx.collector_box(&lengths, &places, array.object, holes)
                }
            };
            match made {
                Ok(object) => self.out[0] = object as u64,
                Err(code) => return Some(Err(code)),
            }
            self.release_arguments(None);
            Some(Ok(()))
        }
    }

    /// A part of an array, or of a sensitivity, whose holes are symbolic zeros then.
    ///
    /// # Safety
    /// As for `apply`.
    pub(super) unsafe fn part(&mut self) -> Outcome {
        // SAFETY: by this function's contract.
        unsafe {
            if let Head::Zero = self.alternative(0)?.0.head {
                return self.zero();
            }
            let lengths = self.lengths(0)?;
            let axes = self.region(1, &lengths)?;
            let at = axes.iter().zip(&lengths).fold(0, |at, ((from, ..), length)| at * length + from);
            let kept = kept(&axes);
            let (one, _, place) = self.alternative(0)?;
            if let (Head::Handle(_), true) = (&one.head, kept.is_empty())
                && collector::is_native(self.args[place] as *mut u64)
                && let Some((only, x)) = collector::as_one(self.args[place] as *mut u64)
                && only == at
            {
                return self.number(Head::Real, x.to_bits());
            }
            let (kind, array, holes) = match self.operand(0)? {
                Operand::Array(kind, array) => (kind, array, false),
                Operand::Dense(array) => (ElementKind::Real, array, true),
                _ => return None,
            };
            if kind == ElementKind::Other {
                return None;
            }
            if kept.is_empty() {
                let word = *array.words().get(at as usize)?;
                return match kind {
                    ElementKind::Real if holes && self.site.prim == Prim::Part && is_hole(f64::from_bits(word)) => {
                        self.zero()
                    }
                    ElementKind::Real => self.number(Head::Real, word),
                    ElementKind::Int => self.number(Head::Int, word),
                    _ => self.number(Head::Bool, word),
                };
            }
            let words = array.words();
            self.array(kind, &kept, holes, |out| {
                let mut next = 0;
                for_each_run(&axes, &lengths, |start, length| {
                    out[next..next + length].copy_from_slice(&words[start..start + length]);
                    next += length;
                });
            })
        }
    }

    /// A sensitivity with zero in a part.
    ///
    /// # Safety
    /// As for `apply`.
    pub(super) unsafe fn erase(&mut self) -> Outcome {
        // SAFETY: by this function's contract.
        unsafe {
            if let Head::Zero = self.alternative(0)?.0.head {
                return self.zero();
            }
            let lengths = self.lengths(0)?;
            let axes = self.region(1, &lengths)?;
            let (array, holes) = self.operand(0)?.reals()?;
            if self.target(ElementKind::Real, array.rank, true)? != Target::Handle {
                return None;
            }
            let erase = |words: &mut [u64]| {
                for_each_run(&axes, &lengths, |start, length| words[start..start + length].fill(HOLE.to_bits()));
            };
            if unshared(array) {
                let words = std::slice::from_raw_parts_mut(array.elements(), array.size());
                if !holes {
                    number_zeros(words);
                }
                erase(words);
                return self.argument(ElementKind::Real, array, true);
            }
            self.array(ElementKind::Real, &lengths, true, |out| {
                out.copy_from_slice(array.words());
                if !holes {
                    number_zeros(out);
                }
                erase(out);
            })
        }
    }

    /// The sensitivities of the elements along the first axis, each by itself.
    ///
    /// # Safety
    /// As for `apply`.
    pub(super) unsafe fn spread(&mut self) -> Outcome {
        // SAFETY: by this function's contract.
        unsafe {
            let Operand::Int(n) = self.operand(0)? else { return None };
            let (array, holes) = self.operand(1)?.reals()?;
            let n = n.max(0) as u64;
            if array.lengths()[0] != n {
                return None;
            }
            let result = self.only(self.site.result)?;
            let (Head::Array(1), &[element]) = (&result.head, &result.parts[..]) else { return None };
            let element = Element::of(self, element)?;
            if array.rank > 1 && element.handle.is_none() || array.rank == 1 && element.real.is_none() {
                return None;
            }
            let descriptor = self.border.layouts.get(self.site.result).alternatives[0].array();
            let made = match self.ctx.array(descriptor, &[n]) {
                Ok(made) => ArrayView::new(made),
                Err(code) => return Some(Err(code)),
            };
            made.elements().write_bytes(0, made.element_words());
            let row = if n == 0 { 0 } else { array.size() / n as usize };
            let mut out = vec![0; element.words];
            for i in 0..n as usize {
                out.fill(0);
                if array.rank == 1 {
                    let x = reals(array)[i];
                    match (is_hole(x), element.zero) {
                        (true, Some(zero)) => zero.write(&mut out, 0),
                        _ => element.real.expect("checked before").write(&mut out, x.to_bits()),
                    }
                    made.set_element(i, &out);
                    continue;
                }
                let part = match self.ctx.array(collector::reals_descriptor(), &array.lengths()[1..]) {
                    Ok(part) => ArrayView::new(part),
                    Err(code) => return Some(Err(code)),
                };
                part.elements().copy_from_nonoverlapping(array.elements().add(i * row), row);
                if !holes {
                    number_zeros(std::slice::from_raw_parts_mut(part.elements(), row));
                }
                element.handle.expect("checked before").write(&mut out, part.object as u64);
                made.set_element(i, &out);
            }
            eval::work::add(array.size());
            self.out[0] = made.object as u64;
            self.release_arguments(None);
            Some(Ok(()))
        }
    }

    /// The sensitivities of elements together.
    ///
    /// # Safety
    /// As for `apply`.
    pub(super) unsafe fn unspread(&mut self) -> Outcome {
        // SAFETY: by this function's contract.
        unsafe {
            let (one, kind, place) = self.alternative(0)?;
            if one.head == Head::Zero {
                return self.zero();
            }
            let (Head::Array(1), &[element]) = (&one.head, &one.parts[..]) else { return None };
            if kind != ElementKind::Other {
                return None;
            }
            let element = Element::of(self, element)?;
            let array = ArrayView::new(self.args[place] as *mut u64);
            if element.words == 0 || array.size() == 0 {
                return None;
            }
            let rows = |handle: Place| (0..array.size()).any(|at| handle.is(array, at));
            if element.handle.is_some_and(rows) { self.stack_rows(array, element) } else { self.holed(array, element) }
        }
    }

    /// Reals and symbolic zeros.
    fn holed(&mut self, array: ArrayView, element: Element) -> Outcome {
        let (real, zero) = (element.real?, element.zero?);
        if (0..array.size()).all(|at| zero.is(array, at)) {
            return self.zero();
        }
        let n = array.size() as u64;
        self.array(ElementKind::Real, &[n], true, |out| {
            for (at, out) in out.iter_mut().enumerate() {
                let x = if zero.is(array, at) { HOLE } else { f64::from_bits(real.read(array, at)) + 0.0 };
                *out = x.to_bits();
            }
        })
    }

    /// Rows of one shape, and symbolic zeros.
    fn stack_rows(&mut self, array: ArrayView, element: Element) -> Outcome {
        let handle = element.handle?;
        let zero = |at| element.zero.is_some_and(|zero| zero.is(array, at));
        let mut rows: Vec<Option<ArrayView>> = vec![];
        let mut lengths: Option<&[u64]> = None;
        for at in 0..array.size() {
            if zero(at) {
                rows.push(None);
                continue;
            }
            // Numbers among rows: the evaluator says what is wrong.
            if !handle.is(array, at) {
                return None;
            }
            let object = handle.read(array, at) as *mut u64;
            // SAFETY: the word is that of a live handle, owned by the array; it is retained before an owner is taken.
            let row = unsafe {
                if !collector::is_native(object) {
                    return None;
                }
                crate::runtime::object::retain(object as u64);
                match self.ctx.dense(object) {
                    Ok(dense) => {
                        // The array, or the collector it came from, keeps it alive.
                        self.ctx.release(dense as u64);
                        ArrayView::new(dense)
                    }
                    Err(code) => return Some(Err(code)),
                }
            };
            if **lengths.get_or_insert(row.lengths()) != *row.lengths() {
                return None;
            }
            rows.push(Some(row));
        }
        let Some(lengths) = lengths else { return self.zero() };
        let lengths: Vec<u64> = [array.size() as u64].into_iter().chain(lengths.iter().copied()).collect();
        let holes = rows.iter().any(|row| row.is_none_or(|row| reals(row).iter().any(|x| is_hole(*x))));
        let width = lengths[1..].iter().product::<u64>() as usize;
        // Without holes it may be an array or a sensitivity; either way its numbers aren't −0.0 already.
        self.array(ElementKind::Real, &lengths, holes, |out| {
            for (at, row) in rows.iter().enumerate() {
                let out = &mut out[at * width..(at + 1) * width];
                match row {
                    Some(row) => out.copy_from_slice(row.words()),
                    None => out.fill(HOLE.to_bits()),
                }
            }
        })
    }

    pub(super) fn fill(&mut self, like: Operand, d: Operand) -> Outcome {
        let Operand::Real(d) = d else { return None };
        let lengths = match like {
            Operand::Array(ElementKind::Real, array) | Operand::Dense(array) => array.lengths().to_vec(),
            Operand::Frame(start, rank) => self.args[start..start + rank].to_vec(),
            _ => return None,
        };
        self.array(ElementKind::Real, &lengths, false, |out| out.fill((d + 0.0).to_bits()))
    }

    /// A sensitivity in the full shape of its value; that of nothing in particular stays as it is.
    pub(super) fn materialise(&mut self, of: Operand, d: Operand) -> Outcome {
        let lengths = match of {
            Operand::Zero => {
                if let Operand::Zero = d {
                    return self.zero();
                }
                let (array, holes) = d.reals()?;
                if self.target(ElementKind::Real, array.rank, holes)? != Target::Handle {
                    return None;
                }
                return self.argument(ElementKind::Real, array, holes);
            }
            Operand::Array(ElementKind::Real, array) | Operand::Dense(array) => array.lengths().to_vec(),
            Operand::Frame(start, rank) => self.args[start..start + rank].to_vec(),
            _ => return None,
        };
        if let Operand::Zero = d {
            return self.array(ElementKind::Real, &lengths, false, |_| ());
        }
        let (array, _) = d.reals()?;
        if *array.lengths() != *lengths {
            return None;
        }
        if unshared(array) {
            // SAFETY: nobody else sees the array.
            number_zeros(unsafe { std::slice::from_raw_parts_mut(array.elements(), array.size()) });
            eval::work::add(array.size());
            return self.argument(ElementKind::Real, array, false);
        }
        self.array(ElementKind::Real, &lengths, false, |out| {
            out.iter_mut().zip(reals(array)).for_each(|(out, x)| *out = (x + 0.0).to_bits());
        })
    }

    pub(super) fn plus_dense(&mut self, a: Operand, b: Operand) -> Outcome {
        let (Operand::Array(..), Operand::Array(..)) = (a, b) else { return None };
        let ((x, _), (y, _)) = (a.reals()?, b.reals()?);
        if x.lengths() != y.lengths() {
            return None;
        }
        let (xs, ys) = (reals(x).as_ptr(), reals(y).as_ptr());
        // SAFETY: both have as many elements as `over` asks for.
        self.over(x, Some(y), false, |i| unsafe { *xs.add(i) + *ys.add(i) })
    }

    /// `d * factor`; zero stays zero whatever the factor, and a product is a number: −0.0 would be taken for a hole.
    pub(super) fn scale(&mut self, d: Operand, factor: Operand) -> Outcome {
        let [holes, holed] = [d, factor].map(|one| matches!(one, Operand::Dense(_)));
        self.combined(d, factor, holes || holed, |d, factor| {
            let product = d * factor;
            if holes && is_hole(d) || holed && is_hole(factor) {
                HOLE
            } else if product == 0.0 {
                0.0
            } else {
                product
            }
        })
    }

    /// `d` where the mask isn't 0.
    pub(super) fn keep(&mut self, mask: Operand, d: Operand) -> Outcome {
        let holes = matches!(d, Operand::Dense(_));
        self.combined(d, mask, true, |d, mask| if mask == 0.0 || holes && is_hole(d) { HOLE } else { d + 0.0 })
    }

    fn combined(&mut self, d: Operand, other: Operand, holes: bool, f: impl Fn(f64, f64) -> f64) -> Outcome {
        if let (Operand::Zero, _) | (_, Operand::Zero) = (d, other) {
            return self.zero();
        }
        match (d.reals(), other.reals()) {
            (Some((a, _)), Some((b, _))) if a.lengths() == b.lengths() => {
                let (xs, ys) = (reals(a).as_ptr(), reals(b).as_ptr());
                // SAFETY: both have as many elements as `over` asks for.
                self.over(a, Some(b), holes, |i| unsafe { f(*xs.add(i), *ys.add(i)) })
            }
            (Some((a, _)), None) => {
                let (xs, y) = (reals(a).as_ptr(), other.number()?);
                // SAFETY: as above.
                self.over(a, None, holes, |i| unsafe { f(*xs.add(i), y) })
            }
            (None, Some((b, _))) => {
                let (x, ys) = (d.number()?, reals(b).as_ptr());
                // SAFETY: as above.
                self.over(b, None, holes, |i| unsafe { f(x, *ys.add(i)) })
            }
            _ => None,
        }
    }

    /// `a` with each value added at its index, in order.
    ///
    /// # Safety
    /// As for `apply`.
    pub(super) unsafe fn scatter_add(&mut self) -> Outcome {
        // SAFETY: by this function's contract.
        let (a, indices, values) = unsafe { (self.operand(0)?, self.operand(1)?, self.operand(2)?) };
        let (Operand::Array(ElementKind::Real, a), Operand::Array(ElementKind::Int, indices)) = (a, indices) else {
            return None;
        };
        let (values, _) = values.reals()?;
        let n = *a.lengths().first()?;
        if indices.rank != 1
            || values.lengths()[0] != indices.lengths()[0]
            || values.lengths()[1..] != a.lengths()[1..]
            || indices.words().iter().any(|&i| i >= n)
        {
            return None;
        }
        let row = if n == 0 { 0 } else { a.size() / n as usize };
        eval::work::add(values.size());
        let add = |out: &mut [u64]| {
            if row == 0 {
                return;
            }
            for (&i, value) in indices.words().iter().zip(reals(values).chunks_exact(row)) {
                let target = &mut out[i as usize * row..(i as usize + 1) * row];
                target.iter_mut().zip(value).for_each(|(out, x)| *out = (f64::from_bits(*out) + x).to_bits());
            }
        };
        if unshared(a) {
            self.target(ElementKind::Real, a.rank, false)?;
            // SAFETY: nobody else sees the array.
            add(unsafe { std::slice::from_raw_parts_mut(a.elements(), a.size()) });
            return self.argument(ElementKind::Real, a, false);
        }
        let lengths = a.lengths();
        self.array(ElementKind::Real, lengths, false, |out| {
            out.copy_from_slice(a.words());
            add(out);
        })
    }
}

impl Operand {
    /// A scalar as a real.
    pub(super) fn number(self) -> Option<f64> {
        match self {
            Operand::Real(x) => Some(x),
            Operand::Int(i) => Some(i as f64),
            _ => None,
        }
    }
}

fn position(word: u64, length: u64) -> Option<Axis> {
    (word < length).then(|| (word, word + 1, false))
}

/// The lengths of a part.
fn kept(axes: &[Axis]) -> Vec<u64> {
    axes.iter().filter(|(.., keeps)| *keeps).map(|(from, to, _)| to - from).collect()
}

/// Calls `f` with the start and the length of each run of neighbouring elements of a part, in row-major order.
fn for_each_run(axes: &[Axis], lengths: &[u64], mut f: impl FnMut(usize, usize)) {
    if axes.iter().any(|(from, to, _)| from >= to) {
        return;
    }
    let Some((&(from, to, _), outer)) = axes.split_last() else { return };
    let last = lengths[lengths.len() - 1];
    let mut position: Vec<u64> = outer.iter().map(|(from, ..)| *from).collect();
    loop {
        let row = position.iter().zip(lengths).fold(0, |at, (i, length)| at * length + i);
        f((row * last + from) as usize, (to - from) as usize);
        let Some(axis) = (0..position.len()).rev().find(|&axis| position[axis] + 1 < outer[axis].1) else { return };
        position[axis] += 1;
        (axis + 1..position.len()).for_each(|later| position[later] = outer[later].0);
    }
}

/// How the sensitivity of an element lies in words: a real, a handle, the symbolic zero.
#[derive(Clone, Copy)]
struct Element {
    words: usize,
    zero: Option<Place>,
    real: Option<Place>,
    handle: Option<Place>,
}

/// An alternative of an element.
#[derive(Clone, Copy)]
struct Place {
    /// If there are several.
    tag: Option<u64>,
    /// Where its one word stands, if it has one.
    at: Option<usize>,
}

impl Place {
    fn is(self, array: ArrayView, element: usize) -> bool {
        // SAFETY: an element of several kinds begins with its tag; the words are initialised.
        self.tag.is_none_or(|tag| unsafe { array.place(element, 0).read() } == tag)
    }

    fn read(self, array: ArrayView, element: usize) -> u64 {
        // SAFETY: the word is one of the element's, which are initialised.
        self.at.map_or(0, |word| unsafe { array.place(element, word).read() })
    }

    fn write(self, words: &mut [u64], word: u64) {
        if let Some(tag) = self.tag {
            words[0] = tag;
        }
        if let Some(at) = self.at {
            words[at] = word;
        }
    }
}

impl Element {
    /// Nothing if an element may be something else.
    fn of(call: &Call, shape: ShapeId) -> Option<Element> {
        let layout = call.border.layouts.get(shape);
        let alternatives = &call.border.shapes.get(shape).alternatives;
        if layout.is_named() {
            return None;
        }
        let mut element = Element { words: layout.words, zero: None, real: None, handle: None };
        for (tag, one) in alternatives.iter().enumerate() {
            let own = &layout.alternatives[tag];
            let place = Place {
                tag: (alternatives.len() > 1).then_some(tag as u64),
                at: (own.words > 0).then(|| own.places.first().copied().unwrap_or(0)),
            };
            match one.head {
                Head::Zero => element.zero = Some(place),
                Head::Real => element.real = Some(place),
                Head::Handle(_) if element.handle.is_none() && call.holds_reals(one) => element.handle = Some(place),
                _ => return None,
            }
        }
        Some(element)
    }
}
