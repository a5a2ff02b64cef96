//! Random numbers without state: a key and a counter go in, the same number always comes out. Keys are split, never advanced, so
//! any order of evaluation draws the same numbers. The block function is Threefry-2x32 with 20 rounds (Salmon, Moraes, Dror, Shaw,
//! "Parallel random numbers: as easy as 1, 2, 3", SC11).
//!
//! Each use of a key (draws, splitting, folding, the second half of a normal) has its own key derived from it, so that splitting a
//! key that also draws is harmless.

/// Names a stream of random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(pub u64);

const FOR_SEED: u64 = 0x243f_6a88_85a3_08d3;
const FOR_SPLIT: u64 = 0x1319_8a2e_0370_7344;
const FOR_FOLD: u64 = 0xa409_3822_299f_31d0;
const FOR_ANGLE: u64 = 0x082e_fa98_ec4e_6c89;

/// The key of a seed.
pub fn key(seed: u64) -> Key {
    Key(block(FOR_SEED, seed))
}

/// Two keys, independent of each other and of the numbers drawn with `key`.
pub fn split(key: Key) -> (Key, Key) {
    let child = |n| Key(block(key.0 ^ FOR_SPLIT, n));
    (child(0), child(1))
}

/// The n-th of 2^64 keys derived from `key`.
pub fn fold_in(key: Key, n: u64) -> Key {
    Key(block(key.0 ^ FOR_FOLD, n))
}

/// 64 random bits.
pub fn bits(key: Key, counter: u64) -> u64 {
    block(key.0, counter)
}

/// A multiple of 2^-53 in [0, 1), each equally likely.
pub fn uniform(key: Key, counter: u64) -> f64 {
    (bits(key, counter) >> 11) as f64 * (f64::EPSILON / 2.0)
}

/// A standard normal number, by Box and Muller: √(−2 ln(1 − u))·cos(2πv). At most 8.58 in magnitude.
pub fn normal(key: Key, counter: u64) -> f64 {
    let u = uniform(key, counter);
    let v = uniform(Key(key.0 ^ FOR_ANGLE), counter);
    let radius = (-2.0 * crate::log(1.0 - u)).sqrt();
    radius * crate::cos(std::f64::consts::TAU * v)
}

/// The block function on 64-bit words; the low half of each is word 0.
fn block(key: u64, counter: u64) -> u64 {
    let words = |n: u64| [n as u32, (n >> 32) as u32];
    let [low, high] = threefry(words(key), words(counter));
    u64::from(low) | u64::from(high) << 32
}

/// Threefry-2x32-20: four rounds, then a key injection, five times.
pub fn threefry(key: [u32; 2], counter: [u32; 2]) -> [u32; 2] {
    const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
    const PARITY: u32 = 0x1bd1_1bda;
    let schedule = [key[0], key[1], key[0] ^ key[1] ^ PARITY];
    let mut x = [counter[0].wrapping_add(key[0]), counter[1].wrapping_add(key[1])];
    for group in 0..5 {
        for rotation in ROTATIONS[group % 2] {
            x[0] = x[0].wrapping_add(x[1]);
            x[1] = x[1].rotate_left(rotation) ^ x[0];
        }
        let injection = group + 1;
        x[0] = x[0].wrapping_add(schedule[injection % 3]);
        x[1] = x[1].wrapping_add(schedule[(injection + 1) % 3]).wrapping_add(injection as u32);
    }
    x
}
