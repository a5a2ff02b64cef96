//! The symbols that code made of L4 needs from outside: the functions of the runtime, and what LLVM itself may call for.
//!
//! All are in the C convention of the platform. `ctx` is the `Context`; words are 8 bytes; a bool in memory is a word 0 or 1.
//! "Owned" means that the count of the object goes with the pointer; "borrowed" that it stays with the caller.
//!
//! Live objects (`ctx[3]`): compiled code adds one when it takes an object from a free list or from the bump space; a function of
//! the runtime that makes an object, `rt_refill` and `rt_alloc` included, counts it itself; `rt_free` subtracts what it frees.
//!
//! A span is three words: file, start, end. A module defines `void @entry(ptr ctx, ptr args, ptr out)`: it reads the leaf words of the
//! parameters, which it then owns, and writes those of the result, owned by the caller.

use std::fmt::Write;

use crate::memory;

/// The name of every symbol that may be undefined in a module of ours.
pub const RUNTIME_SYMBOLS: &[&str] = &{
    let mut names = [""; SIGNATURES.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = SIGNATURES[i].0;
        i += 1;
    }
    names
};

/// The same, each with its signature.
pub const SIGNATURES: &[(&str, &str)] = &[
    // Ends the run with an error. Never returns.
    ("rt_fail", "void (ptr ctx, i64 code, i64 file, i64 start, i64 end)"),
    // Frees an object whose count has just become zero (the word says 0 or 1: don't look), and what it alone holds.
    ("rt_free", "void (ptr ctx, ptr object)"),
    // An object of this many words (2 … 63, header included), when both free[words] and the bump space have nothing: count and
    // descriptor are written by the caller.
    ("rt_refill", "ptr (ptr ctx, i64 words)"),
    // The same for objects of 64 words and more.
    ("rt_alloc", "ptr (ptr ctx, i64 words)"),
    // A new array with count 1, this descriptor, these lengths (not negative), elements uninitialised. Fails: ARRAY_TOO_LARGE.
    ("rt_array", "ptr (ptr ctx, ptr descriptor, i64 rank, ptr lengths, i64 file, i64 start, i64 end)"),
    // The array that `dropped` leading indices select: its lengths are those from axis `dropped` on, its elements begin at the
    // element with flat number `at` (in range, checked before). Elements are retained. `array` is borrowed, the result owned.
    ("rt_row", "ptr (ptr ctx, ptr array, i64 dropped, i64 at)"),
    // A copy with count 1, its elements retained; releases one count of `array`, which is more than one.
    ("rt_copy_array", "ptr (ptr ctx, ptr array)"),
    // `array` with the row that `dropped` indices select replaced; `at` as above. Owns `array` and `row`; works in place if
    // `array` has count 1. Fails with SHAPE_MISMATCH unless the row's lengths are those of `array` from axis `dropped` on.
    ("rt_replace_row", "ptr (ptr ctx, ptr array, ptr row, i64 dropped, i64 at, i64 file, i64 start, i64 end)"),
    // Row number `at` (0, 1, …, in this order) of an array of `count` rows. At row 0 `array` is null, and the array is made: its
    // lengths are `count` and those of the row, its descriptor the row's. Owns `array` and `row`, returns `array`. Fails with
    // RAGGED_ARRAY if the lengths differ from row 0's, with ARRAY_TOO_LARGE.
    ("rt_store_row", "ptr (ptr ctx, ptr array, ptr row, i64 at, i64 count, i64 file, i64 start, i64 end)"),
    // An array of rank 1 that is longer by one, its last element uninitialised, with room for more. Owns `array`; works in place
    // if its count is 1. Fails: RECURSION_TOO_DEEP.
    ("rt_grow", "ptr (ptr ctx, ptr array, i64 file, i64 start, i64 end)"),
    // Runs primitive number `site` of the program's table. `args`: the leaf words of the arguments, one argument after the
    // other, owned; `out`: where the leaf words of the result go, owned by the caller.
    ("rt_prim", "void (ptr ctx, i64 site, ptr args, ptr out)"),
    // Products of matrices of reals, as `numerics::product` defines them: elements, the way to the next row, to the next column. All m·n
    // elements of the product, which lie row by row from `out` on; or the one of a row and a column.
    ("rt_products", "void (ptr out, ptr a, i64 row, i64 column, ptr b, i64 row, i64 column, i64 m, i64 k, i64 n)"),
    ("rt_product", "double (ptr a, i64 row, i64 column, ptr b, i64 row, i64 column, i64 k)"),
    // The sensitivity of an array of these lengths that is `x` at element `at`, in range. Owned.
    ("rt_one_hot", "ptr (ptr ctx, i64 rank, ptr lengths, i64 at, double x)"),
    // The sensitivity `sum`, owned, plus such a one. Primitive number `site` is ⊕ of the two.
    ("rt_add_at", "ptr (ptr ctx, ptr sum, i64 rank, ptr lengths, i64 at, double x, i64 site)"),
    // The sensitivity of an array that is zero but for `count` elements from `at` on. `words`: the array's lengths, the leaves of the index
    // (`indices` of them), the part, owned. `plain`: is the part an array of numbers and no handle? Primitive number `site` does the same
    // where elements aren't reals. Fails: NOT_CONFORMING.
    ("rt_place", "ptr (ptr ctx, ptr words, i64 rank, i64 indices, i64 at, i64 count, i64 plain, i64 site)"),
    // The sensitivity `sum`, owned, plus such a one; `plus` is the primitive ⊕.
    (
        "rt_add_placed",
        "ptr (ptr ctx, ptr sum, ptr words, i64 rank, i64 indices, i64 at, i64 count, i64 plain, i64 site, i64 plus)",
    ),
    // The sum of two sensitivities of arrays, owned. Bits 0 and 1 of `plain`: `a`, `b` is an array of numbers and no handle.
    ("rt_plus", "ptr (ptr ctx, ptr a, ptr b, i64 plain, i64 site)"),
    // The sensitivity of an array of reals, owned, as an array of this rank in which −0.0 is the symbolic zero; owned.
    ("rt_dense", "ptr (ptr ctx, ptr sensitivity, i64 rank)"),
    // Text number `text` of the program's table, owned.
    ("rt_text", "ptr (ptr ctx, i64 text)"),
    // Adds ±1 to the number of reasons to drop what is printed.
    ("rt_quiet", "void (ptr ctx, i64 change)"),
    // `a ^ b`. Fails: NEGATIVE_INT_POWER, INT_OVERFLOW.
    ("rt_int_pow", "i64 (ptr ctx, i64 a, i64 b, i64 file, i64 start, i64 end)"),
    // `power_slope` and `power_log` of `eval::prims::arithmetic`.
    ("rt_power_slope", "double (double a, double b, i64 k)"),
    ("rt_power_log", "double (double a, double b, i64 k)"),
    // A sum in the defined order. The sum of chunk number `chunk` comes together with those before it, which `room` holds (64
    // words); then what all chunks make together.
    ("rt_sum_chunk", "void (double sum, ptr room, i64 chunk)"),
    ("rt_sum_end", "double (ptr room, i64 chunks)"),
    // A loop of `count` turns, each of so many units of work (`Pieces`): calls `piece(ctx, frame, from, to)` for ranges that together are all
    // turns, on this thread and others, with a context of its own on each. The error is that of the first turn that has one.
    ("rt_pieces", "void (ptr ctx, ptr piece, ptr frame, i64 count, double work)"),
    // The same for a sum, in rounds of as many turns as `values`, an array of reals, has elements. The first word of the frame is where the values
    // of a round begin.
    ("rt_sum_pieces", "double (ptr ctx, ptr piece, ptr frame, i64 count, double work, ptr values)"),
    // A checked build only. Takes back the room of an object that nobody sees; what it holds is cared for.
    ("rt_give_back", "void (ptr ctx, ptr object)"),
    // Each ends the run unless what it says holds: the condition isn't 0; a live object; null, a tag or a live object; a live object with one
    // owner; a live node of this descriptor; a live array that has this axis; a live array of this rank whose elements have so many words;
    // one of its elements.
    ("rt_check_holds", "void (ptr ctx, i64 condition)"),
    ("rt_check_object", "void (ptr ctx, ptr object)"),
    ("rt_check_pointer", "void (ptr ctx, ptr pointer)"),
    ("rt_check_alone", "void (ptr ctx, ptr object)"),
    ("rt_check_node", "void (ptr ctx, ptr node, ptr descriptor)"),
    ("rt_check_axis", "void (ptr ctx, ptr array, i64 axis)"),
    ("rt_check_array", "void (ptr ctx, ptr array, i64 kind, i64 rank, i64 words)"),
    ("rt_check_matrix", "void (ptr ctx, ptr array, i64 rank, i64 at, i64 rows, i64 columns, i64 row, i64 column)"),
    ("rt_check_element", "void (ptr ctx, ptr array, i64 kind, i64 rank, i64 words, i64 at)"),
    // The rest is what LLVM makes of its intrinsics where the processor has no instruction for them.
    ("fmod", "double (double, double)"),
    ("floor", "double (double)"),
    ("ceil", "double (double)"),
    ("trunc", "double (double)"),
    ("roundeven", "double (double)"),
    ("sqrt", "double (double)"),
    ("fma", "double (double, double, double)"),
    ("memcpy", "ptr (ptr to, ptr from, i64 bytes)"),
    ("memmove", "ptr (ptr to, ptr from, i64 bytes)"),
    ("memset", "ptr (ptr to, i32 byte, i64 bytes)"),
];

/// All that compiled code knows of the runtime, as a text: how things lie in memory, which functions there are. Code that was made for another
/// interface must not run, so the key of the cache holds it.
pub fn interface() -> String {
    let mut text = String::new();
    for (name, value) in memory::TABLE {
        let _ = writeln!(text, "{name} = {value}");
    }
    for (name, signature) in SIGNATURES {
        let _ = writeln!(text, "{name}: {signature}");
    }
    text
}

/// The type of a signature's result, and those of its parameters.
pub fn types_of(signature: &str) -> (&str, Vec<&str>) {
    let (result, params) = signature.split_once(" (").expect("a signature has parameters");
    let params = params.trim_end_matches(')').split(',');
    (result, params.filter_map(|param| param.split_whitespace().next()).collect())
}

/// Where code that makes and frees objects itself finds the words of a context, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offsets {
    pub bump: usize,
    pub bump_end: usize,
    pub live: usize,
    /// Of the list of free objects of no words; the others follow, a pointer for each number of words.
    pub free: usize,
}
