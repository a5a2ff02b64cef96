//! Tiles for machines with thirty-two registers of eight numbers (AVX-512). The compiler makes registers of four numbers of plain code, so this one names
//! the instructions.

use std::arch::x86_64::{
    __m512d, __mmask8, _mm512_fmadd_pd, _mm512_loadu_pd, _mm512_mask_storeu_pd, _mm512_maskz_loadu_pd, _mm512_set1_pd,
};

use super::tiles::Kernel;

const LANES: usize = 8;
/// Registers for a row of a tile.
const VECTORS: usize = 3;
const COLUMNS: usize = VECTORS * LANES;

/// Products of fewer columns waste too much of a tile.
pub(super) const LEAST: usize = 16;

/// Has this machine the instructions?
pub(super) fn is_here() -> bool {
    std::is_x86_feature_detected!("avx512f") && std::is_x86_feature_detected!("fma")
}

#[target_feature(enable = "avx512f,avx2,fma")]
fn on_wide<R>(f: impl FnOnce() -> R) -> R {
    f()
}

/// Used only if it [`is_here`].
pub(super) struct Wide;

impl Kernel for Wide {
    const ROWS: usize = 8;
    const COLUMNS: usize = COLUMNS;
    const DEPTH: usize = 192;
    const WIDTH: usize = 20 * COLUMNS;

    fn with<R>(f: impl FnOnce() -> R) -> R {
        // SAFETY: by the contract of this kernel.
        unsafe { on_wide(f) }
    }

    #[inline(always)]
    fn tile(a: &[f64], apart: usize, panel: &[f64], c: &mut [f64], n: usize, width: usize) {
        // SAFETY: as above.
        unsafe { tile::<8>(a, apart, panel, c, n, width) };
    }

    #[inline(always)]
    fn row(a: &[f64], panel: &[f64], c: &mut [f64], width: usize) {
        // SAFETY: as above.
        unsafe { tile::<1>(a, 0, panel, c, 0, width) };
    }
}

/// Which of a vector's columns there are.
#[inline(always)]
fn mask(width: usize, vector: usize) -> __mmask8 {
    let left = width.saturating_sub(vector * LANES).min(LANES);
    ((1_u16 << left) - 1) as __mmask8
}

/// # Safety
/// The machine has the instructions.
#[inline]
#[target_feature(enable = "avx512f,avx2,fma")]
unsafe fn tile<const R: usize>(a: &[f64], apart: usize, panel: &[f64], c: &mut [f64], n: usize, width: usize) {
    let depth = panel.len() / COLUMNS;
    assert!((R - 1) * apart + depth <= a.len() && (R - 1) * n + width <= c.len() && width <= COLUMNS);
    let masks: [__mmask8; VECTORS] = std::array::from_fn(|vector| mask(width, vector));
    // SAFETY: rows of `a`, of the panel and of `c` are as long as was asserted; what is masked isn't touched.
    unsafe {
        let place = |i: usize, vector: usize| i * n + (vector * LANES).min(width);
        let mut sums = [[_mm512_set1_pd(0.0); VECTORS]; R];
        for (i, row) in sums.iter_mut().enumerate() {
            for (vector, sum) in row.iter_mut().enumerate() {
                *sum = _mm512_maskz_loadu_pd(masks[vector], c.as_ptr().add(place(i, vector)));
            }
        }
        let (a, panel) = (a.as_ptr(), panel.as_ptr());
        for l in 0..depth {
            let by: [__m512d; VECTORS] =
                std::array::from_fn(|vector| _mm512_loadu_pd(panel.add(l * COLUMNS + vector * LANES)));
            for (i, row) in sums.iter_mut().enumerate() {
                let x = _mm512_set1_pd(*a.add(i * apart + l));
                for (sum, by) in row.iter_mut().zip(by) {
                    *sum = _mm512_fmadd_pd(x, by, *sum);
                }
            }
        }
        for (i, row) in sums.iter().enumerate() {
            for (vector, sum) in row.iter().enumerate() {
                _mm512_mask_storeu_pd(c.as_mut_ptr().add(place(i, vector)), masks[vector], *sum);
            }
        }
    }
}
