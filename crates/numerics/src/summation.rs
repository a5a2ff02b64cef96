//! Sums in one defined order, which compiled code reproduces with any lane width and any number of threads:
//!
//! 1. The values are cut into chunks of [`CHUNK`]; the last may be shorter.
//! 2. In a chunk, value i is added to partial i mod 8; the eight partials start at +0 and go through the chunk in order.
//! 3. Partials are folded by halves: `p[j] + p[j+4]`, then `[j+2]`, then `[j+1]`.
//! 4. Chunk sums are added in neighbouring pairs (0 with 1, 2 with 3, …); an odd last one moves up unchanged; again, until one is
//!    left. Of no values the sum is +0.
//!
//! `dot` is the same with step 2 as partial = fma(a, b, partial).

use crate::fused::{fma, fused};

/// The length of a chunk.
pub const CHUNK: usize = 1024;
/// The number of interleaved partial sums in a chunk.
pub const LANES: usize = 8;

/// The sum of all values.
pub fn sum(values: &[f64]) -> f64 {
    combine(values.chunks(CHUNK).map(sum_chunk).collect())
}

/// Σ a·b. Panics when the lengths differ.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "dot: lengths differ");
    let chunks = a.chunks(CHUNK).zip(b.chunks(CHUNK));
    combine(chunks.map(|(a, b)| dot_chunk(a, b)).collect())
}

/// Steps 2 and 3 for one chunk of at most [`CHUNK`] values.
pub fn sum_chunk(values: &[f64]) -> f64 {
    let mut partials = [0.0; LANES];
    for row in values.chunks(LANES) {
        for (partial, value) in partials.iter_mut().zip(row) {
            *partial += value;
        }
    }
    fold(partials)
}

/// Steps 2 and 3 of `dot` for one chunk.
pub fn dot_chunk(a: &[f64], b: &[f64]) -> f64 {
    fused(
        #[inline(always)]
        || {
            let mut partials = [0.0; LANES];
            for (a, b) in a.chunks(LANES).zip(b.chunks(LANES)) {
                for ((partial, a), b) in partials.iter_mut().zip(a).zip(b) {
                    *partial = fma(*a, *b, *partial);
                }
            }
            fold(partials)
        },
    )
}

/// Step 4: the fixed tree over chunk sums.
pub fn combine(mut sums: Vec<f64>) -> f64 {
    while sums.len() > 1 {
        sums = sums
            .chunks(2)
            .map(|pair| pair.iter().copied().reduce(|a, b| a + b).expect("a chunk is not empty"))
            .collect();
    }
    sums.first().copied().unwrap_or(0.0)
}

/// Step 4, one chunk at a time: `levels[k]` holds the sum of 2ᵏ chunks where bit k of the number of chunks before is set.
pub fn push_chunk(levels: &mut [f64], chunks: u64, sum: f64) {
    let (mut sum, mut level) = (sum, 0);
    while chunks >> level & 1 == 1 {
        sum += levels[level];
        level += 1;
    }
    levels[level] = sum;
}

/// The sum of all chunks that [`push_chunk`] was given.
pub fn total_of(levels: &[f64], chunks: u64) -> f64 {
    let set =
        std::iter::successors(Some(chunks), |rest| Some(rest & rest.wrapping_sub(1))).take_while(|rest| *rest != 0);
    let sums = set.map(|rest| levels[rest.trailing_zeros() as usize]);
    sums.reduce(|later, earlier| earlier + later).unwrap_or(0.0)
}

/// Step 3.
#[inline(always)]
fn fold(p: [f64; LANES]) -> f64 {
    let [a, b, c, d] = [p[0] + p[4], p[1] + p[5], p[2] + p[6], p[3] + p[7]];
    (a + c) + (b + d)
}
