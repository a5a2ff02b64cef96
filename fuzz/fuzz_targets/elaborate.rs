//! Programs that parse, with and without mistakes in names.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| evert_fuzz::claims::elaborate(bytes));

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let care = if seed % 4 == 0 { evert_fuzz::Care::Syntax } else { evert_fuzz::Care::Names };
    evert_fuzz::mutate(data, size, max_size, seed / 4, care)
});
