//! Sensitivities of arrays that are collected are what adding up element by element gives, however they are shared.

use native::runtime::Context;
use native::runtime::collector::{self, is_hole};
use native::runtime::object::{ArrayView, retain};

/// Numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
}

/// A handle, and what it should hold.
#[derive(Clone)]
struct Sum {
    object: *mut u64,
    elements: Vec<Option<f64>>,
}

fn added(a: &[Option<f64>], b: &[Option<f64>]) -> Vec<Option<f64>> {
    let one = |(x, y): (&Option<f64>, &Option<f64>)| match (x, y) {
        (Some(x), Some(y)) => Some(x + y),
        (x, y) => x.or(*y),
    };
    a.iter().zip(b).map(one).collect()
}

fn holds(sum: &Sum) {
    // SAFETY: every sum of the test is an object with an owner.
    let found = unsafe { collector::summed(sum.object) };
    for (at, (found, expected)) in found.iter().zip(&sum.elements).enumerate() {
        match expected {
            None => assert!(is_hole(*found), "element {at} is no hole: {found}"),
            Some(x) => assert!(!is_hole(*found) && found == x, "element {at}: {found}, not {x}"),
        }
    }
}

/// An array of reals with one owner.
fn reals(ctx: &mut Context, lengths: &[u64], xs: &[f64]) -> *mut u64 {
    // SAFETY: the array has as many elements as there are numbers, and nobody else sees it.
    unsafe {
        let array = ctx.array(collector::reals_descriptor(), lengths).expect("room");
        let to = ArrayView::new(array).elements().cast::<f64>();
        xs.iter().enumerate().for_each(|(i, x)| to.add(i).write(*x));
        array
    }
}

/// One sensitivity of an array of rows: an element, a box of several, or nothing.
fn fresh(ctx: &mut Context, random: &mut Random, rows: usize, columns: usize) -> Sum {
    let lengths = [rows as u64, columns as u64];
    let mut elements = vec![None; rows * columns];
    // Whole numbers, so that the order of additions doesn't matter; zeros among them.
    let x = random.below(7) as f64 - 3.0;
    let object = match random.below(8) {
        0 => ctx.collector_zero(&lengths).expect("room"),
        1 => {
            let (top, left) = (random.below(rows), random.below(columns));
            let (bottom, right) = (top + random.below(rows - top + 1), left + random.below(columns - left + 1));
            let size = (bottom - top) * (right - left);
            let value = reals(ctx, &[size as u64], &vec![x; size]);
            (top..bottom)
                .flat_map(|i| (left..right).map(move |j| (i, j)))
                .for_each(|(i, j)| elements[i * columns + j] = Some(x));
            let axes = [(top as u64, bottom as u64), (left as u64, right as u64)];
            // SAFETY: the part is an array of as many numbers as the box has elements.
            unsafe { ctx.collector_box(&lengths, &axes, value, false) }.expect("room")
        }
        _ => {
            let at = random.below(rows * columns);
            elements[at] = Some(x);
            ctx.collector_one(&lengths, at as u64, x).expect("room")
        }
    };
    Sum { object, elements }
}

fn check(rows: usize, columns: usize, seed: u64) {
    let mut random = Random(seed);
    let mut ctx = Context::new();
    let mut sums: Vec<Sum> = vec![];
    for _ in 0..600 {
        while sums.len() < 3 || random.below(4) == 0 {
            sums.push(fresh(&mut ctx, &mut random, rows, columns));
        }
        let pick = random.below(sums.len());
        match random.below(5) {
            // Others see it too.
            0 => {
                // SAFETY: a sum is an object.
                unsafe { retain(sums[pick].object as u64) };
                let same = sums[pick].clone();
                sums.push(same);
            }
            // Somebody looks.
            1 => {
                // SAFETY: a sum is an object; its dense form takes its place.
                sums[pick].object = unsafe { ctx.dense(sums[pick].object) }.expect("room");
            }
            2 => {
                let at = random.below(rows * columns);
                let lengths = [rows as u64, columns as u64];
                let sum = sums.swap_remove(pick);
                let mut one = vec![None; rows * columns];
                one[at] = Some(2.0);
                // SAFETY: `swap_remove` gave up the sum that is owned here.
                let object = unsafe { ctx.add_at(sum.object, &lengths, at as u64, 2.0) }.expect("they fit");
                sums.push(Sum { object, elements: added(&sum.elements, &one) });
            }
            _ => {
                let (a, b) = (sums.swap_remove(pick), random.below(sums.len()));
                let b = sums.swap_remove(b);
                // SAFETY: both sums are objects that `swap_remove` gave up.
                let object = unsafe { ctx.plus(a.object, b.object) }.expect("they fit");
                sums.push(Sum { object, elements: added(&a.elements, &b.elements) });
            }
        }
        if random.below(8) == 0 {
            holds(&sums[random.below(sums.len())]);
        }
    }
    for sum in sums {
        holds(&sum);
        // SAFETY: this is its last owner.
        unsafe { ctx.release(sum.object as u64) };
    }
    assert_eq!(ctx.live(), 0, "everything is freed");
}

#[test]
fn sums_of_sensitivities_are_right_however_they_are_shared() {
    for (seed, (rows, columns)) in [(1, 1), (1, 5), (4, 4), (6, 30), (40, 50)].into_iter().enumerate() {
        for more in 0..5 {
            check(rows, columns, (seed * 10 + more) as u64);
        }
    }
}

#[test]
fn sensitivities_of_different_shapes_are_refused_and_empty_ones_are_not() {
    let mut ctx = Context::new();
    let a = ctx.collector_one(&[3], 1, 1.0).expect("room");
    let b = ctx.collector_one(&[4], 1, 1.0).expect("room");
    // SAFETY: both are objects that are owned here.
    assert_eq!(unsafe { ctx.plus(a, b) }, Err(base::codes::NOT_CONFORMING));
    let (a, b) = (ctx.collector_zero(&[0]).expect("room"), ctx.collector_zero(&[2, 0]).expect("room"));
    // SAFETY: as above.
    assert_eq!(unsafe { ctx.plus(a, b) }, Ok(a));
}

#[test]
fn n_reads_of_a_long_array_take_memory_for_few_elements_or_for_the_array() {
    let mut ctx = Context::new();
    let n = 1 << 16;
    let mut sum = ctx.collector_zero(&[n]).expect("room");
    for i in 0..4 * n {
        // SAFETY: the sum is an object that is owned here.
        sum = unsafe { ctx.add_at(sum, &[n], i % n, 1.0) }.expect("they fit");
    }
    // The dense form and what was remembered before it, a quarter as many pairs, twice while it grew.
    assert!(ctx.peak_bytes() < 40 * n as usize, "{} bytes", ctx.peak_bytes());
    // SAFETY: as above; it is released once.
    unsafe {
        assert!(collector::summed(sum).iter().all(|x| *x == 4.0));
        ctx.release(sum as u64);
    }
    assert_eq!(ctx.live(), 0);
}
