//! Programs in odd layouts.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| evert_fuzz::claims::format(bytes));

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    evert_fuzz::mutate(data, size, max_size, seed, evert_fuzz::Care::Syntax)
});
