//! Any bytes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| evert_fuzz::claims::parse(bytes));

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    if seed % 2 == 0 {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    evert_fuzz::mutate(data, size, max_size, seed / 2, evert_fuzz::Care::Tokens)
});
