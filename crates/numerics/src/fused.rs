//! Runs code with the machine's fma instruction where it has one; elsewhere fma is a library call, exact but slow. An fma is
//! exactly specified, so the bits are the same either way.

/// Runs `f`, compiled for fma hardware if there is any.
#[inline]
pub fn fused<R>(f: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("fma") && std::is_x86_feature_detected!("avx2") {
        // SAFETY: both features were detected just now.
        return unsafe { on_x86(f) };
    }
    f()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn on_x86<R>(f: impl FnOnce() -> R) -> R {
    f()
}

/// `a·b + c`, rounded once. WebAssembly's baseline has no instruction for it, and the library's function takes some twenty nanoseconds there.
#[inline(always)]
#[cfg(not(all(target_arch = "wasm32", target_feature = "relaxed-simd")))]
pub fn fma(a: f64, b: f64, c: f64) -> f64 {
    if cfg!(target_arch = "wasm32") { by_transformations(a, b, c) } else { a.mul_add(b, c) }
}

/// `a·b + c`, rounded once: where the host's relaxed instruction does that, which whoever loads this build has tried.
#[inline(always)]
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
pub fn fma(a: f64, b: f64, c: f64) -> f64 {
    use std::arch::wasm32::{f64x2_extract_lane, f64x2_relaxed_madd, f64x2_splat};
    f64x2_extract_lane::<0>(f64x2_relaxed_madd(f64x2_splat(a), f64x2_splat(b), f64x2_splat(c)))
}

/// The same by error-free transformations, whose parts are added with rounding to odd (Boldo and Melquiond, 2008). What could over- or underflow on
/// the way is left to the library.
#[cfg_attr(all(target_arch = "wasm32", target_feature = "relaxed-simd"), allow(dead_code))]
#[inline(never)]
fn by_transformations(a: f64, b: f64, c: f64) -> f64 {
    // |a| and |b| are in [2^-400, 2^400), |c| in [2^-800, 2^900).
    let within = |x: f64, least: u64, count: u64| (x.to_bits() >> 52 & 0x7ff).wrapping_sub(least) < count;
    let factors = within(a, 623, 800) && within(b, 623, 800);
    if !(factors && within(c, 223, 1700)) {
        // One rounding at most: of the sum or of the product.
        let rounds_once = a == 0.0 || b == 0.0 || factors && c == 0.0;
        return if rounds_once { a * b + c } else { slow(a, b, c) };
    }
    let (product, product_rest) = two_product(a, b);
    let (low, lowest) = two_sum(c, product_rest);
    let (high, middle) = two_sum(product, low);
    let (rest, error) = two_sum(lowest, middle);
    // Where the rest isn't exact and its last bit is even, its neighbour in the direction of the error.
    let bits = rest.to_bits();
    let rest = match error != 0.0 && bits & 1 == 0 {
        true if (error > 0.0) == (rest > 0.0) => f64::from_bits(bits + 1),
        true => f64::from_bits(bits - 1),
        false => rest,
    };
    high + rest
}

#[cold]
#[inline(never)]
fn slow(a: f64, b: f64, c: f64) -> f64 {
    a.mul_add(b, c)
}

/// `x = high + low`, each with half of the digits.
#[inline(always)]
fn split(x: f64) -> (f64, f64) {
    let large = 134_217_729.0 * x;
    let high = large - (large - x);
    (high, x - high)
}

/// The product and its rounding error.
#[inline(always)]
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    let ((a_high, a_low), (b_high, b_low)) = (split(a), split(b));
    (product, a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low))
}

/// The sum and its rounding error.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let t = sum - a;
    (sum, (a - (sum - t)) + (b - t))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    /// A number of any sign and digits, its exponent within `spread`.
    fn real(state: &mut u64, spread: u64) -> f64 {
        let (digits, exponent) = (next(state) & 0x800f_ffff_ffff_ffff, 1023 - spread + next(state) % (2 * spread + 1));
        f64::from_bits(digits | exponent << 52)
    }

    #[test]
    fn an_fma_by_transformations_has_the_bits_of_the_instruction() {
        let mut state = 88_172_645_463_325_252;
        for case in 0..400_000_u32 {
            let spread = [0, 3, 60, 450, 1022][case as usize / 4 % 5];
            let (a, b) = (real(&mut state, spread), real(&mut state, spread));
            let (a, b) = match next(&mut state) % 64 {
                0 => (0.0, b),
                1 => (a, -0.0),
                2 => (f64::INFINITY, b),
                _ => (a, b),
            };
            let c = match case % 4 {
                _ if next(&mut state).is_multiple_of(64) => [0.0, -0.0, f64::INFINITY, f64::NAN][case as usize % 4],
                0 => -(a * b),
                1 => f64::from_bits((-(a * b)).to_bits() ^ (next(&mut state) & 7)),
                // Half of a unit in the last place, or near it.
                2 => a * b * f64::from_bits((1023 - 55 + next(&mut state) % 5) << 52),
                _ => real(&mut state, spread),
            };
            let (ours, right) = (by_transformations(a, b, c), a.mul_add(b, c));
            assert!(ours.to_bits() == right.to_bits() || ours.is_nan() && right.is_nan(), "fma({a:e}, {b:e}, {c:e})");
        }
    }
}
