//! A sum spread out: what it adds to each element of its array.
//!
//! In: elements, and a term of their shape. Out: the elements with the term added, in the order that the module above promises: what was added as a
//! whole is added up first.

use super::super::object::ArrayView;
use super::form::{self, Collector, FIRST, Form, Pair, SECOND, Term, VALUE, add_up};
use super::{HOLE, is_hole, reals};

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
                .map(|part| form::term(part as *mut u64).expect("collector: a native part"))
        };
        match part.form() {
            Form::Link => {
                let [a, b] = parts();
                let (more, fewer) = if b.weight() > a.weight() { (b, a) } else { (a, b) };
                later.push(Later::Whole(fewer));
                first = more;
            }
            Form::Chain => {
                // SAFETY: the second part of a chain is a collector.
                later.push(Later::Singles(unsafe { Collector::at(part.get(SECOND) as *mut u64) }));
                // SAFETY: as above.
                first = unsafe { form::term(part.first()) }.expect("collector: a native part");
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
pub(super) unsafe fn spread(sums: &mut [f64], term: Term) {
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
pub(super) unsafe fn add_to(sums: &mut [f64], term: Term) {
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
