//! Large products: tiles of the product whose sums stay in registers, from panels of `b` that stay in the caches.
//!
//! What a machine has of registers decides how large a tile is, and nothing else: each element is one chain in any tile.

use std::ops::Range;

use super::Strided;
use crate::fused::{fma, fused};

/// Rows that are worked on at once: their part of `a` stays in the second cache.
pub const BLOCK: usize = 64;

/// How tiles are made of a panel.
pub(super) trait Kernel {
    /// Rows and columns of a tile: its sums fill the registers.
    const ROWS: usize;
    const COLUMNS: usize;
    /// How much of the inner index is worked on at once: a panel of `COLUMNS` columns stays in the first cache.
    const DEPTH: usize;
    /// How many columns are worked on at once, whole panels: they stay in the second cache.
    const WIDTH: usize;

    /// Runs something as code for the machine that this is for.
    fn with<R>(f: impl FnOnce() -> R) -> R;

    /// `ROWS` rows and up to `COLUMNS` columns of c, `width` of them, further by the products with one panel.
    fn tile(a: &[f64], apart: usize, panel: &[f64], c: &mut [f64], n: usize, width: usize);

    /// The same for one row.
    fn row(a: &[f64], panel: &[f64], c: &mut [f64], width: usize);
}

/// Runs a function for each number below the first argument, perhaps several at once; false if it was stopped.
pub type Each<'a> = dyn Fn(usize, &(dyn Fn(usize) + Sync)) -> bool + 'a;

/// `c`, all zeros, becomes the product.
pub(super) fn multiply(a: Strided, b: Strided, c: &mut [f64], k: usize, n: usize) {
    #[cfg(target_arch = "x86_64")]
    if n >= super::wide::LEAST && super::wide::is_here() {
        return multiply_by::<super::wide::Wide>(a, b, c, k, n);
    }
    multiply_by::<Narrow>(a, b, c, k, n);
}

/// The same in pieces, which `each` runs; false if it was stopped.
pub(super) fn multiply_in_pieces(a: Strided, b: Strided, c: &mut [f64], k: usize, n: usize, each: &Each) -> bool {
    #[cfg(target_arch = "x86_64")]
    if n >= super::wide::LEAST && super::wide::is_here() {
        return pieces::<super::wide::Wide>(a, b, c, k, n, each);
    }
    pieces::<Narrow>(a, b, c, k, n, each)
}

fn multiply_by<K: Kernel>(a: Strided, b: Strided, c: &mut [f64], k: usize, n: usize) {
    let mut panels = vec![0.0; K::DEPTH.min(k) * n.min(K::WIDTH).next_multiple_of(K::COLUMNS)];
    let mut rows = room_for_rows::<K>(a, k);
    for first in (0..k).step_by(K::DEPTH) {
        let inner = first..k.min(first + K::DEPTH);
        for left in (0..n).step_by(K::WIDTH) {
            let columns = left..n.min(left + K::WIDTH);
            K::with(
                #[inline(always)]
                || {
                    pack::<K>(b, inner.clone(), columns.clone(), &mut panels);
                    multiply_panels::<K>(a, c, inner.clone(), columns.clone(), n, &panels, &mut rows);
                },
            );
        }
    }
}

/// Panels are packed by whoever is there, then used by whoever is there.
fn pieces<K: Kernel>(a: Strided, b: Strided, c: &mut [f64], k: usize, n: usize, each: &Each) -> bool {
    /// Columns that are packed at once: a few megabytes that all share.
    const MOST_COLUMNS: usize = 4096;
    let m = c.len() / n;
    let most = MOST_COLUMNS.next_multiple_of(K::WIDTH);
    let mut room = vec![0.0; K::DEPTH.min(k) * n.min(most).next_multiple_of(K::COLUMNS)];
    let out = Parts(c.as_mut_ptr());
    for first in (0..k).step_by(K::DEPTH) {
        let inner = first..k.min(first + K::DEPTH);
        for left in (0..n).step_by(most) {
            let (columns, panels) = (left..n.min(left + most), Parts(room.as_mut_ptr()));
            let packed = each(columns.len().div_ceil(K::WIDTH), &|part| {
                let from = left + part * K::WIDTH;
                let mine = from..columns.end.min(from + K::WIDTH);
                let start = part * K::WIDTH * inner.len();
                // SAFETY: these panels are of this part alone, and in the room.
                let panels = unsafe { panels.part(start, mine.len().next_multiple_of(K::COLUMNS) * inner.len()) };
                K::with(
                    #[inline(always)]
                    || pack::<K>(b, inner.clone(), mine.clone(), panels),
                );
            });
            let room = &room;
            let done = packed
                && each(m.div_ceil(BLOCK), &|block| {
                    let (top, bottom) = (block * BLOCK, m.min(block * BLOCK + BLOCK));
                    // SAFETY: these rows are of this block alone.
                    let c = unsafe { out.part(top * n, (bottom - top) * n) };
                    let part = Strided { elements: &a.elements[top * a.row..], ..a };
                    let mut rows = room_for_rows::<K>(a, k);
                    K::with(
                        #[inline(always)]
                        || multiply_panels::<K>(part, c, inner.clone(), columns.clone(), n, room, &mut rows),
                    );
                });
            if !done {
                return false;
            }
        }
    }
    true
}

/// Numbers of which each thread writes its part.
struct Parts(*mut f64);

// SAFETY: who asks for a part says that it is nobody else's.
unsafe impl Sync for Parts {}

impl Parts {
    /// # Safety
    /// The numbers are there, and nobody else uses them.
    #[allow(clippy::mut_from_ref)]
    unsafe fn part(&self, start: usize, count: usize) -> &mut [f64] {
        // SAFETY: by this function's contract.
        unsafe { std::slice::from_raw_parts_mut(self.0.add(start), count) }
    }
}

/// Room for a block of rows of `a`, if they have to be put together.
fn room_for_rows<K: Kernel>(a: Strided, k: usize) -> Vec<f64> {
    if a.column == 1 { vec![] } else { vec![0.0; K::DEPTH.min(k) * BLOCK] }
}

/// All rows of some columns of c, further by the products with what is packed.
#[inline(always)]
fn multiply_panels<K: Kernel>(
    a: Strided,
    c: &mut [f64],
    inner: Range<usize>,
    columns: Range<usize>,
    n: usize,
    panels: &[f64],
    rows: &mut [f64],
) {
    let (m, depth) = (c.len() / n, inner.len());
    for top in (0..m).step_by(BLOCK) {
        let bottom = m.min(top + BLOCK);
        // The rows of this block, from the first of the inner indices on, so far apart.
        let (block, apart): (&[f64], usize) = if a.column == 1 {
            (&a.elements[top * a.row + inner.start..], a.row)
        } else {
            for l in 0..depth {
                for i in 0..bottom - top {
                    rows[i * depth + l] = a.at(top + i, inner.start + l);
                }
            }
            (rows, depth)
        };
        for (left, panel) in columns.clone().step_by(K::COLUMNS).zip(panels.chunks_exact(depth * K::COLUMNS)) {
            let width = K::COLUMNS.min(n - left);
            let mut i = 0;
            while top + i + K::ROWS <= bottom {
                K::tile(&block[i * apart..], apart, panel, &mut c[(top + i) * n + left..], n, width);
                i += K::ROWS;
            }
            while top + i < bottom {
                K::row(&block[i * apart..], panel, &mut c[(top + i) * n + left..], width);
                i += 1;
            }
        }
    }
}

/// Some rows and columns of `b` as panels of columns, each one row after the other; what is beyond the last column is 0.
#[inline(always)]
fn pack<K: Kernel>(b: Strided, rows: Range<usize>, columns: Range<usize>, panels: &mut [f64]) {
    let depth = rows.len();
    for (l, row) in rows.enumerate() {
        for (number, left) in columns.clone().step_by(K::COLUMNS).enumerate() {
            let width = K::COLUMNS.min(columns.end - left);
            let out = &mut panels[(number * depth + l) * K::COLUMNS..][..K::COLUMNS];
            if b.column == 1 {
                out[..width].copy_from_slice(&b.elements[row * b.row + left..][..width]);
            } else {
                (left..).zip(&mut out[..width]).for_each(|(j, out)| *out = b.at(row, j));
            }
            out[width..].fill(0.0);
        }
    }
}

/// Tiles for sixteen registers of four numbers.
struct Narrow;

const COLUMNS: usize = 8;

impl Kernel for Narrow {
    const ROWS: usize = 4;
    const COLUMNS: usize = COLUMNS;
    const DEPTH: usize = 256;
    const WIDTH: usize = 512;

    fn with<R>(f: impl FnOnce() -> R) -> R {
        fused(f)
    }

    #[inline(always)]
    fn tile(a: &[f64], apart: usize, panel: &[f64], c: &mut [f64], n: usize, width: usize) {
        tile::<4>(a, apart, panel, c, n, width);
    }

    #[inline(always)]
    fn row(a: &[f64], panel: &[f64], c: &mut [f64], width: usize) {
        tile::<1>(a, 0, panel, c, 0, width);
    }
}

/// Four sums that are in one register of the machine: written this way the compiler keeps them there.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Four([f64; 4]);

impl Four {
    #[inline(always)]
    fn of(row: &[f64; COLUMNS], from: usize) -> Four {
        Four([row[from], row[from + 1], row[from + 2], row[from + 3]])
    }

    /// Further by the products with `x`.
    #[inline(always)]
    fn further(self, x: f64, by: Four) -> Four {
        let ([a, b, c, d], by) = (self.0, by.0);
        Four([fma(x, by[0], a), fma(x, by[1], b), fma(x, by[2], c), fma(x, by[3], d)])
    }
}

#[inline(always)]
fn tile<const R: usize>(a: &[f64], apart: usize, panel: &[f64], c: &mut [f64], n: usize, width: usize) {
    let mut sums = [[0.0; COLUMNS]; R];
    for (i, row) in sums.iter_mut().enumerate() {
        row[..width].copy_from_slice(&c[i * n..i * n + width]);
    }
    let mut halves: [[Four; 2]; R] = std::array::from_fn(|i| [Four::of(&sums[i], 0), Four::of(&sums[i], 4)]);
    let depth = panel.len() / COLUMNS;
    let rows: [&[f64]; R] = std::array::from_fn(|i| &a[i * apart..i * apart + depth]);
    for (l, other) in panel.chunks_exact(COLUMNS).enumerate() {
        let other: &[f64; COLUMNS] = other.try_into().expect("chunks are exact");
        let (first, second) = (Four::of(other, 0), Four::of(other, 4));
        for i in 0..R {
            let x = rows[i][l];
            halves[i] = [halves[i][0].further(x, first), halves[i][1].further(x, second)];
        }
    }
    for (i, [first, second]) in halves.iter().enumerate() {
        sums[i][..4].copy_from_slice(&first.0);
        sums[i][4..].copy_from_slice(&second.0);
        c[i * n..i * n + width].copy_from_slice(&sums[i][..width]);
    }
}
