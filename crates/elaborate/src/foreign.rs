//! Names that people bring from other languages, and what they are called here.

/// What to write instead of a name that isn't defined.
pub(crate) fn advice(name: &str) -> Option<&'static str> {
    TABLE.iter().find(|(names, _)| names.contains(&name)).map(|(_, advice)| *advice)
}

const TABLE: &[(&[&str], &str)] = &[
    (&["True", "False"], "booleans are written `true` and `false`"),
    (
        &["None", "null", "nil", "undefined", "Nothing"],
        "there is no null: write `()`, or declare a type for a value that may be missing",
    ),
    (&["lambda", "function", "def", "func", "fun"], "a function value is written `x => e`, a definition `fn f(x) = e`"),
    (
        &["np", "jnp", "numpy", "jax", "torch", "math"],
        "array and real functions need no prefix: write `sin(x)`, `sum(a)`, `dot(a, b)`",
    ),
    (&["length", "size", "count"], "the number of elements is `len(a)`; all axes: `shape(a)`"),
    (&["push", "extend", "concatenate", "hstack", "vstack"], "arrays don't change: `concat(a, b)` gives a new one"),
    (&["range", "arange", "xrange"], "write `0..n`, or `iota(n)` for the array"),
    (&["elif", "elsif", "elseif"], "write `else if`"),
    (&["xor"], "write `a != b`"),
    (&["and"], "write `a && b`"),
    (&["or"], "write `a || b`"),
    (&["return"], "there is no `return`: the value of a block is its last expression"),
    (
        &["for", "while", "loop", "foreach"],
        "write `[e for x in xs]`, `fold(f, init, xs)`, `iterate(n, f, x)` or `while_loop(cond, f, x)`",
    ),
    (&["var", "const", "mut", "val"], "names are bound with `let` and never change"),
    (&["self", "this"], "there are no objects: pass the value as an argument"),
    (&["float", "double", "f64", "float64", "to_float"], "an int becomes a real with `real(n)`"),
    (&["str", "string", "String", "to_string", "repr", "format"], "write `show(x)`, or `\"… {x}\"` inside a text"),
    (&["int64", "i64", "Integer", "to_int"], "a real becomes an int with `int(x)`"),
    (&["println", "printf", "echo", "puts"], "write `print(x)`"),
    (&["full", "zeros_like", "ones_like"], "write `[e for i in 0..n]`; the zero of any value is `zero(x)`"),
    (&["array", "list", "vec"], "an array is written `[1.0, 2.0]`"),
    (&["ln"], "the natural logarithm is `log(x)`"),
    (&["arcsin", "arccos", "arctan", "arctan2"], "the inverse functions are `asin`, `acos`, `atan`, `atan2`"),
    (&["power"], "write `a ^ b`"),
    (&["mm", "multiply"], "write `a @ b` for matrices, `a * b` for elements"),
    (&["gradient", "derivative", "diff", "autodiff", "backward"], "write `grad(f)(x)`"),
    (&["vmap", "pmap", "apply"], "write `map(f, xs)`"),
    (&["foldl", "foldr", "inject", "accumulate"], "write `fold(f, init, xs)`"),
    (&["select"], "write `[x for x in xs if c]` or `filter(f, xs)`"),
    (&["head", "first", "car", "fst"], "write `a[0]` for an array, `p.0` for a tuple"),
    (&["snd", "second"], "write `p.1`"),
    (&["infinity", "Infinity", "Inf", "INFINITY"], "write `inf`"),
    (&["NaN", "NAN"], "write `nan`"),
    (&["Pi", "PI", "π"], "write `pi`"),
    (&["raise", "throw", "panic", "fail"], "write `error(\"…\")`"),
];
